//! Tests of the machine code that is compiled for an instruction set. A shell uses the registers and permutations of its own set,
//! and calls no function that was compiled without them. The tests read the code from their own executable, and compare it with
//! `shells.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::{env, fs};

use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use pad_kernels::{PadMode, PadPlan, PadSpec};
use regex::Regex;
use rustc_demangle::demangle;
use serde::Deserialize;

/// The content of `shells.toml`, which explains the fields.
#[derive(Deserialize)]
struct Expected {
    out_of_line: Vec<String>,
    plain: BTreeMap<String, usize>,
    shells: BTreeMap<String, Shell>,
    set: Vec<Set>,
}

#[derive(Deserialize)]
struct Shell {
    has: Has,
    #[serde(default)]
    shared: bool,
}

#[derive(Deserialize)]
struct Set {
    name: String,
    widest: usize,
    permutations: Vec<String>,
    moves_as: Option<String>,
    sums_as: Option<String>,
    sums: Vec<String>,
    passes: Vec<(String, usize)>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Has {
    Nothing,
    Widest,
    Permutations,
    WidestAndWide,
}

impl Set {
    /// Returns the path of the module with the set's summing shells, including the last `::`.
    fn module_of_sums(&self) -> String {
        format!("pad_kernels::kernel::adjoint::generated::sums_{}::", self.name.to_lowercase())
    }
}

/// Parses the symbol of a shell into its set and its name with the trait, such as `program::Shells::run_move`. The symbol is
/// `..::<impl TRAIT for SET>::NAME`, or `<SET as TRAIT>::NAME` from newer compilers. Generic arguments may follow.
fn shell_of(symbol: &str) -> Option<(String, String)> {
    static SHELL: LazyLock<Regex> = LazyLock::new(|| {
        let (set, shells) = (r"(?:\w+::)*(\w+)", r"pad_kernels::kernel::(\S*Shells\S*?)");
        Regex::new(&format!(r"(?:<impl {shells} for {set}|^<{set} as {shells})>::(.*?)(?:::<.*)?$"))
            .expect("a pattern")
    });
    let found = SHELL.captures(symbol)?;
    let [shells, set] = [[1, 4], [2, 3]].map(|groups| groups.into_iter().find_map(|group| found.get(group)));
    let name = format!("{}::{}", shells?.as_str(), &found[5]).replace("pad_kernels::kernel::", "");
    Some((set?.as_str().to_owned(), name))
}

/// The functions of this executable.
struct Program {
    functions: BTreeMap<u64, Function>,
    /// The targets of pointers in memory, by the pointer's address.
    pointers: BTreeMap<u64, u64>,
}

struct Function {
    /// The names of all symbols at this address.
    names: Vec<String>,
    code: Vec<u8>,
}

impl Program {
    fn this() -> Program {
        let bytes = fs::read(env::current_exe().expect("a path")).expect("this program");
        let file = object::File::parse(&*bytes).expect("an object");
        let mut functions: BTreeMap<u64, Function> = BTreeMap::new();
        for symbol in file.symbols() {
            let Some(section) = symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Text) else {
                continue;
            };
            let section = file.section_by_index(section).expect("the section of a symbol");
            let code = section.data_range(symbol.address(), symbol.size()).expect("a section that is read");
            let function = functions
                .entry(symbol.address())
                .or_insert_with(|| Function { names: Vec::new(), code: code.unwrap_or_default().to_vec() });
            // The format `{:#}` omits the hash of the symbol.
            function.names.push(format!("{:#}", demangle(symbol.name().expect("a name"))));
        }
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let pointers = relocations
            .filter(|(_, relocation)| relocation.target() == RelocationTarget::Absolute)
            .map(|(address, relocation)| (address, relocation.addend() as u64))
            .collect();
        Program { functions, pointers }
    }

    /// Returns the addresses of functions with a matching name.
    fn find(&self, is_it: impl Fn(&str) -> bool) -> Vec<u64> {
        let is_it = |name: &String| is_it(name);
        let found = self.functions.iter().filter(|(_, function)| function.names.iter().any(is_it));
        found.map(|(&address, _)| address).collect()
    }

    /// Returns the addresses of the functions that are this shell of this set.
    fn shells(&self, set: &str, shell: &str) -> Vec<u64> {
        self.find(|name| shell_of(name).is_some_and(|(of, name)| of == set && name == shell))
    }

    fn instructions(&self, address: u64) -> Vec<Instruction> {
        let code = &self.functions[&address].code;
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect()
    }

    /// Returns whether the function has the permutation, or its integer form. An empty name is true for every function.
    fn permutes(&self, address: u64, permutation: &str) -> bool {
        let made = |one: &Instruction| {
            let name = format!("{:?}", one.mnemonic());
            name == permutation || (permutation, &name[..]) == ("Vpermps", "Vpermd")
        };
        permutation.is_empty() || self.instructions(address).iter().any(made)
    }

    /// Returns the functions that a function calls or jumps to, also through pointers in memory. Linker stubs have no names and
    /// are left out.
    fn calls(&self, address: u64) -> Vec<&Function> {
        let inside = address..address + self.functions[&address].code.len() as u64;
        let named = |instruction: &Instruction| {
            if instruction.op0_kind() == OpKind::NearBranch64 {
                return Some(instruction.near_branch_target());
            }
            let place = instruction.memory_displacement64();
            let is_fixed = instruction.memory_base() == Register::RIP;
            is_fixed.then(|| self.pointers.get(&place).copied().unwrap_or(place))
        };
        let instructions = self.instructions(address);
        let outside = instructions.iter().filter_map(named).filter(|place| !inside.contains(place));
        outside.filter_map(|place| self.functions.get(&place)).collect()
    }
}

impl Expected {
    /// Lists the faults in the code of a shell.
    fn faults(&self, program: &Program, set: &Set, address: u64, has: Has) -> Vec<String> {
        let permutations = match has {
            Has::Permutations => &set.permutations[..],
            Has::WidestAndWide => &set.permutations[set.permutations.len().saturating_sub(1)..],
            Has::Nothing | Has::Widest => &[],
        };
        let instructions = program.instructions(address);
        let operands =
            instructions.iter().flat_map(|one| (0..one.op_count()).map(|operand| one.op_register(operand)));
        let widest =
            operands.filter(|register| register.is_vector_register()).map(Register::size).max().unwrap_or(0);
        let mut faults = Vec::new();
        if widest > set.widest || has != Has::Nothing && widest != set.widest {
            faults.push(format!("the widest registers have {widest} bytes, not {}", set.widest));
        }
        if instructions.iter().any(Instruction::is_invalid) {
            faults.push("some instructions are unknown".to_owned());
        }
        let lacks = permutations.iter().filter(|permutation| !program.permutes(address, permutation));
        faults.extend(lacks.map(|permutation| format!("there is no {permutation}")));
        let is_own = |name: &str| {
            let Some((of, shell)) = shell_of(name) else { return name.starts_with(&set.module_of_sums()) };
            match shell.strip_prefix("adjoint::run::SumShells::") {
                Some(sum) => {
                    of == set.name || set.sums_as.as_ref() == Some(&of) && self.plain.contains_key(sum)
                }
                None => of == set.name || set.moves_as.as_ref() == Some(&of),
            }
        };
        let is_right = |name: &String| {
            let moves = name.contains("pad_kernels::kernel::") || name.contains("core_arch");
            !moves || is_own(name) || self.out_of_line.contains(name)
        };
        let wrong = program.calls(address).into_iter().filter(|called| !called.names.iter().any(is_right));
        faults.extend(wrong.map(|called| format!("it calls {:?}", called.names)));
        faults
    }
}

#[cfg_attr(
    any(debug_assertions, not(all(target_arch = "x86_64", target_os = "linux"))),
    ignore = "reads the optimised code of x86-64, where symbols have lengths"
)]
#[test]
fn shells_have_the_instructions_of_their_set() {
    // The linker drops unused code, so the test uses a plan and its adjoint.
    let spec = PadSpec::new(PadMode::Edge, [(1, 0)]);
    let plan = PadPlan::new::<u8>(&spec, &[2]).expect("a plan");
    assert!(!pad_kernels::kernels::pad().is_empty() && plan.to_vec(&[1u8, 2]).expect("room") == [1, 1, 2]);
    let mut sums = [0; 2];
    plan.adjoint().expect("an adjoint").run(&[1, 2, 3u8], &mut sums).expect("room");
    assert_eq!(sums, [3, 3]);
    let expected: Expected = toml::from_str(include_str!("shells.toml")).expect("a table");
    let program = Program::this();
    let (mut wrong, mut met) = (Vec::new(), 0);
    let mut check = |set: &Set, what: &str, found: &[u64], count: usize, has: Has| {
        if found.len() != count {
            wrong.push(format!("{}: {what} is there {} times, not {count}", set.name, found.len()));
        }
        met += found.len();
        for fault in found.iter().flat_map(|&address| expected.faults(&program, set, address, has)) {
            wrong.push(format!("{}: {what}: {fault}", set.name));
        }
    };
    for set in &expected.set {
        for (shell, &Shell { has, shared }) in &expected.shells {
            let found = program.shells(&set.name, shell);
            // A shared shell may exist only as a jump to the shell of the other set.
            let is_shared = set.moves_as.is_some() && shared;
            let (count, has) = if is_shared { (found.len(), Has::Nothing) } else { (1, has) };
            check(set, shell, &found, count, has);
        }
        for number in &set.sums {
            let name = set.module_of_sums() + number;
            check(set, &name, &program.find(|other| other == name), 1, Has::Nothing);
        }
        let called = |name: &str| program.shells(&set.name, &format!("adjoint::run::SumShells::{name}"));
        let mut passes = called("run_pass");
        for (permutation, count) in &set.passes {
            let (first, others): (Vec<_>, Vec<_>) =
                passes.iter().partition(|&&address| program.permutes(address, permutation));
            check(set, &format!("a pass with {permutation:?}"), &first, *count, Has::Nothing);
            passes = others;
        }
        check(set, "another pass", &passes, 0, Has::Nothing);
        for (plain, &count) in &expected.plain {
            let count = if set.sums_as.is_some() { 0 } else { count };
            check(set, plain, &called(plain), count, Has::Nothing);
        }
        check(set, "a copy of rows", &called("copy_rows"), 1, Has::Widest);
    }
    println!("{met} shells read");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    // The test can only find faulty calls if it sees calls at all.
    for Set { name, .. } in &expected.set {
        let [of, called] = ["run_program", "run_batch"]
            .map(|shell| program.shells(name, &format!("program::Shells::{shell}"))[0]);
        let calls = program.calls(of);
        let seen = calls.iter().any(|function| function.names == program.functions[&called].names);
        assert!(seen, "{name}: the call of a shell is not seen");
    }
}
