//! Tests of the machine code that is compiled for an instruction set. A shell uses the registers and permutations of its own set,
//! and calls no function that was compiled without them. The tests read the code from their own executable.

use std::collections::BTreeMap;
use std::{env, fs};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use pad_kernels::{PadMode, PadPlan, PadSpec};
use rustc_demangle::demangle;

/// An instruction set.
struct Set {
    /// The name of the set in symbols.
    name: &'static str,
    /// The size in bytes of the widest registers.
    widest: usize,
    permutations: &'static [Mnemonic],
    /// The set whose shells move data without permutations, if this set has no such shells of its own.
    moves_as: Option<&'static str>,
    /// The set whose plain summing loops this set uses, if it has none of its own.
    sums_as: Option<&'static str>,
    /// The permutations in the functions `run_pass`, with the number of functions. There are three for 16-bit floats and one for
    /// every other number type.
    passes: &'static [(Option<Mnemonic>, usize)],
}

const SETS: [Set; 4] = [
    Set { name: "Portable", widest: 16, permutations: &[], passes: &[(None, 12)], ..AVX2 },
    AVX2,
    Set {
        name: "Avx512",
        widest: 64,
        permutations: &[Mnemonic::Vpshufb, Mnemonic::Vpermw],
        sums_as: Some("Avx2"),
        // `vpermw` cannot move single bytes.
        passes: &[(Some(Mnemonic::Vpermw), 11), (Some(Mnemonic::Vpshufb), 1)],
        ..AVX2
    },
    Set {
        name: "Avx512Vbmi",
        widest: 64,
        permutations: &[Mnemonic::Vpermb],
        moves_as: Some("Avx512"),
        sums_as: Some("Avx2"),
        // For numbers of more than one byte, this set uses the functions of `Avx512`.
        passes: &[(Some(Mnemonic::Vpermb), 1)],
    },
];

const AVX2: Set = Set {
    name: "Avx2",
    widest: 32,
    permutations: &[Mnemonic::Vpshufb, Mnemonic::Vpermps],
    moves_as: None,
    sums_as: None,
    passes: &[(Some(Mnemonic::Vpshufb), 12)],
};

/// Lists the instructions that the code of a shell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    Nothing,
    Widest,
    /// The widest registers and all permutations.
    Permutations,
    /// The widest registers, and the last permutation, which uses them.
    WidestAndWide,
}

/// The shells of every set. Shells that move memory use the widest registers of their set, and shells that permute use its
/// permutations. No shell uses wider registers.
const SHELLS: [(&str, Has); 9] = [
    ("run_program", Has::Nothing),
    ("short_rows", Has::Widest),
    ("run_batch", Has::Permutations),
    ("run_move", Has::Widest),
    ("run_merge", Has::WidestAndWide),
    ("stream_program", Has::Permutations),
    ("write_fill", Has::Widest),
    ("write_again", Has::Widest),
    ("finish_stream", Has::Widest),
];

/// The shell that copies single units. There is one for every set and unit size.
const STRIDED: &str = "write_strided";
const WIDTHS: [&str; 6] = ["W1", "W2", "W4", "W8", "W16", "Any"];

/// Shells without permutations. Sets with equal registers share them.
const MOVERS: [&str; 6] = ["short_rows", "run_move", "write_fill", "write_again", "finish_stream", STRIDED];

/// The summing shells of every set.
const SUMS: [&str; 8] = ["u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"];

/// The plain summing loops with the number of number types. `add_slot` sums 16-bit floats as `f32`.
const PLAIN: [(&str, usize); 2] = [("fold_rows", 8), ("add_slot", 6)];

/// Returns whether the instruction is the permutation, or its integer form.
fn is_made_by(permutation: Mnemonic, mnemonic: Mnemonic) -> bool {
    mnemonic == permutation || (permutation, mnemonic) == (Mnemonic::Vpermps, Mnemonic::Vpermd)
}

/// Returns the path of the module with a set's summing shells, including the last `::`.
fn module_of_sums(set: &Set) -> String {
    format!("pad_kernels::kernel::adjoint::generated::sums_{}::", set.name.to_lowercase())
}

/// Returns the name of the shell if the symbol is a shell of `set` that the summing shells call. The symbol is `..::<impl
/// SumShells for SET>::NAME`, or `<SET as ..::SumShells>::NAME::<..>` from newer compilers.
fn called_by_sums<'a>(set: &str, symbol: &'a str) -> Option<&'a str> {
    let (of, behind) = symbol.split_once("adjoint::run::SumShells")?;
    let (own, name) = behind.split_once(">::")?;
    let newer = || of.strip_prefix('<')?.split(" as ").next();
    let of = own.strip_prefix(" for ").or_else(newer)?;
    let name = name.split("::").next()?;
    (of.rsplit("::").next() == Some(set)).then_some(name)
}

/// Functions that shells call but that are compiled once for all sets.
const OUT_OF_LINE: [&str; 2] =
    ["pad_kernels::kernel::memory::fill_exact", "pad_kernels::kernel::strided::fill_axes"];

/// A shell, parsed from its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shell<'a> {
    set: &'a str,
    /// The unit size, for shells that exist for every size.
    width: Option<&'a str>,
    name: &'a str,
}

impl<'a> Shell<'a> {
    /// Parses the symbol of a shell: `..::<impl SHELLS for SET>::NAME`, or `<SET as SHELLS>::NAME` from newer compilers.
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
            // The format omits the hash of the symbol.
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

    fn shells(&self, shell: &Shell<'_>) -> Vec<u64> {
        self.find(|name| Shell::of(name).as_ref() == Some(shell))
    }

    fn instructions(&self, address: u64) -> Vec<Instruction> {
        let code = &self.functions[&address].code;
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect()
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

/// Lists the faults in the code of a shell.
fn faults(program: &Program, set: &Set, address: u64, has: Has) -> Vec<String> {
    let has_widest = matches!(has, Has::Widest | Has::Permutations | Has::WidestAndWide);
    let permutations = match (set.permutations, has) {
        (all, Has::Permutations) => all,
        ([.., _], Has::WidestAndWide) => &set.permutations[set.permutations.len() - 1..],
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
    // The linker drops unused code, so the test uses a plan and its adjoint.
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
            // A shared shell may exist only as a jump to the shell of the other set.
            let is_shared = set.moves_as.is_some() && MOVERS.contains(&shell.name);
            let (count, has) = if is_shared { (found.len(), Has::Nothing) } else { (1, has) };
            check(set, &format!("{shell:?}"), &found, count, has);
        }
        // For numbers of more than one byte, `Avx512Vbmi` uses the functions of `Avx512`.
        for number in if set.name == "Avx512Vbmi" { &SUMS[..1] } else { &SUMS } {
            let name = module_of_sums(set) + number;
            check(set, &name, &program.find(|other| other == name), 1, Has::Nothing);
        }
        let called = |wanted: &str| program.find(|name| called_by_sums(set.name, name) == Some(wanted));
        let has = |address: u64, permutation: Option<Mnemonic>| {
            let made = |it| program.instructions(address).iter().any(|one| is_made_by(it, one.mnemonic()));
            permutation.is_none_or(made)
        };
        let mut passes = called("run_pass");
        for &(permutation, count) in set.passes {
            let (first, others): (Vec<_>, Vec<_>) =
                passes.iter().partition(|&&address| has(address, permutation));
            check(set, &format!("a pass with {permutation:?}"), &first, count, Has::Nothing);
            passes = others;
        }
        check(set, "another pass", &passes, 0, Has::Nothing);
        for (plain, count) in PLAIN {
            let count = if set.sums_as.is_some() { 0 } else { count };
            check(set, plain, &called(plain), count, Has::Nothing);
        }
        check(set, "a copy of rows", &called("copy_rows"), 1, Has::Widest);
    }
    println!("{met} shells read");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    // The test can only find faulty calls if it sees calls at all.
    for set in &SETS {
        let [of, called] = ["run_program", "run_batch"]
            .map(|name| program.shells(&Shell { set: set.name, width: None, name })[0]);
        let calls = program.calls(of);
        let seen = calls.iter().any(|function| function.names == program.functions[&called].names);
        assert!(seen, "{}: the call of a shell is not seen", set.name);
    }
}
