//! The machine code of what is compiled for an instruction set: a shell has the registers and permutations of its own set,
//! and calls nothing that was compiled without them. It is read from this very program.

use std::collections::BTreeMap;
use std::{env, fs};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use pad_kernels::{PadMode, PadPlan, PadSpec};
use rustc_demangle::demangle;

/// An instruction set.
struct Set {
    /// Its name in symbols.
    name: &'static str,
    /// The bytes of its widest registers.
    widest: usize,
    permutations: &'static [Mnemonic],
    /// The set whose shells move what is not permuted, if these are not its own.
    moves_as: Option<&'static str>,
    /// The set whose plain loops over sums it has, if not its own.
    sums_as: Option<&'static str>,
    /// The permutations of its kinds of stages: of 16-bit floats there are three, and one of every other number.
    stages: &'static [(Option<Mnemonic>, usize)],
}

const SETS: [Set; 4] = [
    Set { name: "Portable", widest: 16, permutations: &[], stages: &[(None, 12)], ..AVX2 },
    AVX2,
    Set {
        name: "Avx512",
        widest: 64,
        permutations: &[Mnemonic::Vpshufb, Mnemonic::Vpermw],
        sums_as: Some("Avx2"),
        // `vpermw` moves no single bytes.
        stages: &[(Some(Mnemonic::Vpermw), 11), (Some(Mnemonic::Vpshufb), 1)],
        ..AVX2
    },
    Set {
        name: "Avx512Vbmi",
        widest: 64,
        permutations: &[Mnemonic::Vpermb],
        moves_as: Some("Avx512"),
        sums_as: Some("Avx2"),
        // Numbers of more than a byte have those of `Avx512`.
        stages: &[(Some(Mnemonic::Vpermb), 1)],
    },
];

const AVX2: Set = Set {
    name: "Avx2",
    widest: 32,
    permutations: &[Mnemonic::Vpshufb, Mnemonic::Vpermps],
    moves_as: None,
    sums_as: None,
    stages: &[(Some(Mnemonic::Vpshufb), 12)],
};

/// Lists the instructions that the code of a shell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    Nothing,
    Widest,
    /// The widest registers and all permutations.
    Permutations,
    /// The last permutation, which is of the widest registers.
    Wide,
    WidestAndWide,
}

/// The shells of every set. Those that move memory have the widest registers of their set, and those that permute have its
/// permutations. None has wider registers.
const SHELLS: [(&str, Has); 14] = [
    ("run_program", Has::Nothing),
    ("run_block", Has::Permutations),
    ("run_rows", Has::Wide),
    ("short_rows", Has::Widest),
    ("run_bordered", Has::Permutations),
    ("run_planes_of_rows", Has::Nothing),
    ("run_batch", Has::Permutations),
    ("run_move", Has::Widest),
    ("run_merge", Has::WidestAndWide),
    ("run_once", Has::Permutations),
    ("stream_program", Has::Permutations),
    ("write_fill", Has::Widest),
    ("write_again", Has::Widest),
    ("finish_stream", Has::Widest),
];

/// The shell of every set and width. It moves single units.
const STRIDED: &str = "write_strided";
const WIDTHS: [&str; 6] = ["W1", "W2", "W4", "W8", "W16", "Any"];

/// Shells that permute nothing. Sets of the same registers share them.
const MOVERS: [&str; 6] = ["short_rows", "run_move", "write_fill", "write_again", "finish_stream", STRIDED];

/// The shells that sum, of every set.
const SUMS: [&str; 8] = ["u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"];

/// The plain loops over sums, and of how many numbers there are some: slots of 16-bit floats are those of `f32`.
const PLAIN: [(&str, usize); 2] = [("fold_rows", 8), ("add_slot", 6)];

/// Whether an instruction is the permutation, or the same one of numbers that were loaded as integers.
fn is_made_by(permutation: Mnemonic, mnemonic: Mnemonic) -> bool {
    mnemonic == permutation || (permutation, mnemonic) == (Mnemonic::Vpermps, Mnemonic::Vpermd)
}

/// The module of a set's shells that sum, and `::`.
fn module_of_sums(set: &Set) -> String {
    format!("pad_kernels::kernel::adjoint::generated::sums_{}::", set.name.to_lowercase())
}

/// The name of the shell of a set that a symbol is, if it is one that these call: `..::<impl SumShells for SET>::NAME`, or in newer
/// symbols `<SET as ..::SumShells>::NAME::<..>`.
fn called_by_sums<'a>(set: &str, symbol: &'a str) -> Option<&'a str> {
    let (of, behind) = symbol.split_once("adjoint::run::SumShells")?;
    let (own, name) = behind.split_once(">::")?;
    let newer = || of.strip_prefix('<')?.split(" as ").next();
    let of = own.strip_prefix(" for ").or_else(newer)?;
    let name = name.split("::").next()?;
    (of.rsplit("::").next() == Some(set)).then_some(name)
}

/// What shells call that is compiled once for all sets. The last two move no memory.
const OUT_OF_LINE: [&str; 4] = [
    "pad_kernels::kernel::memory::fill_exact",
    "pad_kernels::kernel::strided::fill_axes",
    "pad_kernels::kernel::program::bordered::Border::of",
    "pad_kernels::kernel::program::bordered::register",
];

/// A shell, as its symbol says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shell<'a> {
    set: &'a str,
    /// Of the units, for those that are there for every width.
    width: Option<&'a str>,
    name: &'a str,
}

impl<'a> Shell<'a> {
    /// The shell that a symbol is, if it is one: `..::<impl SHELLS for SET>::NAME`, or in newer symbols
    /// `<SET as SHELLS>::NAME`.
    fn of(symbol: &'a str) -> Option<Shell<'a>> {
        let (of, name) = symbol.rsplit_once(">::")?;
        let (shells, set) = match of.split_once("<impl ") {
            Some((_, of)) => of.rsplit_once(" for ")?,
            None => of.strip_prefix('<')?.split_once(" as ").map(|(set, shells)| (shells, set))?,
        };
        let set = set.strip_prefix("pad_kernels::kernel::simd::")?.rsplit("::").next()?;
        let width = match shells.strip_prefix("pad_kernels::kernel::")? {
            "program::Shells" => None,
            strided => {
                let width = strided.strip_prefix("strided::StridedShells<pad_kernels::kernel::strided::")?;
                Some(width.strip_suffix('>')?)
            }
        };
        Some(Shell { set, width, name })
    }
}

/// The functions of this program.
struct Program {
    functions: BTreeMap<u64, Function>,
    /// What pointers in memory point to, by their address.
    pointers: BTreeMap<u64, u64>,
}

struct Function {
    /// All that begin here.
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
            // Without the hash.
            function.names.push(format!("{:#}", demangle(symbol.name().expect("a name"))));
        }
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let pointers = relocations
            .filter(|(_, relocation)| relocation.target() == RelocationTarget::Absolute)
            .map(|(address, relocation)| (address, relocation.addend() as u64))
            .collect();
        Program { functions, pointers }
    }

    /// Where the functions begin that have such a name.
    fn find(&self, is_it: impl Fn(&str) -> bool) -> Vec<u64> {
        let is_it = |name: &String| is_it(name);
        let found = self.functions.iter().filter(|(_, function)| function.names.iter().any(is_it));
        found.map(|(&address, _)| address).collect()
    }

    fn shells(&self, shell: &Shell<'_>) -> Vec<u64> {
        self.find(|name| Shell::of(name).as_ref() == Some(shell))
    }

    fn instructions(&self, address: u64) -> Vec<Instruction> {
        let code = &self.functions[&address].code;
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect()
    }

    /// What a function calls or goes on in: whatever function it names, be it by a pointer in memory. Stubs of linkers have no
    /// names and are left out.
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

/// Lists the faults in the code of a shell.
fn faults(program: &Program, set: &Set, address: u64, has: Has) -> Vec<String> {
    let has_widest = matches!(has, Has::Widest | Has::Permutations | Has::WidestAndWide);
    let permutations = match (set.permutations, has) {
        (all, Has::Permutations) => all,
        ([.., _], Has::Wide | Has::WidestAndWide) => &set.permutations[set.permutations.len() - 1..],
        _ => &[],
    };
    let instructions = program.instructions(address);
    let operands =
        instructions.iter().flat_map(|one| (0..one.op_count()).map(|operand| one.op_register(operand)));
    let widest =
        operands.filter(|register| register.is_vector_register()).map(Register::size).max().unwrap_or(0);
    let mut faults = Vec::new();
    if widest > set.widest || has_widest && widest != set.widest {
        faults.push(format!("the widest registers have {widest} bytes, not {}", set.widest));
    }
    if instructions.iter().any(Instruction::is_invalid) {
        faults.push("some instructions are unknown".to_owned());
    }
    for &permutation in permutations {
        if !instructions.iter().any(|instruction| is_made_by(permutation, instruction.mnemonic())) {
            faults.push(format!("there is no {permutation:?}"));
        }
    }
    for called in program.calls(address) {
        let is_right = |name: &String| {
            let is_own = || {
                let moves = Shell::of(name)
                    .is_some_and(|shell| shell.set == set.name || Some(shell.set) == set.moves_as);
                let is_plain = |of| PLAIN.iter().any(|(plain, _)| called_by_sums(of, name) == Some(plain));
                moves
                    || name.starts_with(&module_of_sums(set))
                    || called_by_sums(set.name, name).is_some()
                    || set.sums_as.is_some_and(is_plain)
            };
            let moves = name.contains("pad_kernels::kernel::") || name.contains("core_arch");
            !moves || is_own() || OUT_OF_LINE.contains(&&name[..])
        };
        if !called.names.iter().any(is_right) {
            faults.push(format!("it calls {:?}", called.names));
        }
    }
    faults
}

#[cfg_attr(
    any(debug_assertions, not(all(target_arch = "x86_64", target_os = "linux"))),
    ignore = "reads the optimised code of x86-64, where symbols have lengths"
)]
#[test]
fn shells_have_the_instructions_of_their_set() {
    // What nobody uses is not linked.
    let spec = PadSpec::new(PadMode::Edge, [(1, 0)]);
    let plan = PadPlan::new::<u8>(&spec, &[2]).expect("a plan");
    assert!(!pad_kernels::kernels::pad().is_empty() && plan.to_vec(&[1u8, 2]).expect("room") == [1, 1, 2]);
    let mut sums = [0; 2];
    plan.adjoint().expect("an adjoint").run(&[1, 2, 3u8], &mut sums).expect("room");
    assert_eq!(sums, [3, 3]);
    let program = Program::this();
    let (mut wrong, mut met) = (Vec::new(), 0);
    let mut check = |set: &Set, what: &str, found: &[u64], count: usize, has: Has| {
        if found.len() != count {
            wrong.push(format!("{}: {what} is there {} times, not {count}", set.name, found.len()));
        }
        met += found.len();
        for fault in found.iter().flat_map(|&address| faults(&program, set, address, has)) {
            wrong.push(format!("{}: {what}: {fault}", set.name));
        }
    };
    for set in &SETS {
        let shells = SHELLS.map(|(name, has)| (Shell { set: set.name, width: None, name }, has));
        let strided = WIDTHS.map(|width| Shell { set: set.name, width: Some(width), name: STRIDED });
        for (shell, has) in shells.into_iter().chain(strided.map(|shell| (shell, Has::Nothing))) {
            let found = program.shells(&shell);
            // Where pointers to a shared one are taken, it goes on in that of the other set.
            let is_shared = set.moves_as.is_some() && MOVERS.contains(&shell.name);
            let (count, has) = if is_shared { (found.len(), Has::Nothing) } else { (1, has) };
            check(set, &format!("{shell:?}"), &found, count, has);
        }
        // Numbers of more than a byte have those of `Avx512`.
        for number in if set.name == "Avx512Vbmi" { &SUMS[..1] } else { &SUMS } {
            let name = module_of_sums(set) + number;
            check(set, &name, &program.find(|other| other == name), 1, Has::Nothing);
        }
        let called = |wanted: &str| program.find(|name| called_by_sums(set.name, name) == Some(wanted));
        let has = |address: u64, permutation: Option<Mnemonic>| {
            let made = |it| program.instructions(address).iter().any(|one| is_made_by(it, one.mnemonic()));
            permutation.is_none_or(made)
        };
        let mut stages = called("run_stage");
        for &(permutation, count) in set.stages {
            let (first, others): (Vec<_>, Vec<_>) =
                stages.iter().partition(|&&address| has(address, permutation));
            check(set, &format!("a stage with {permutation:?}"), &first, count, Has::Nothing);
            stages = others;
        }
        check(set, "another stage", &stages, 0, Has::Nothing);
        for (plain, count) in PLAIN {
            let count = if set.sums_as.is_some() { 0 } else { count };
            check(set, plain, &called(plain), count, Has::Nothing);
        }
        check(set, "a copy of rows", &called("copy_rows"), 1, Has::Widest);
    }
    println!("{met} shells read");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    // Calls are seen at all.
    for set in &SETS {
        let [of, called] = ["run_program", "run_batch"]
            .map(|name| program.shells(&Shell { set: set.name, width: None, name })[0]);
        let calls = program.calls(of);
        let seen = calls.iter().any(|function| function.names == program.functions[&called].names);
        assert!(seen, "{}: the call of a shell is not seen", set.name);
    }
}
