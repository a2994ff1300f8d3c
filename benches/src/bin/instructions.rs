//! Counts the instructions of a call with valgrind. The count does not depend on other programs of the machine.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use benches::{Error, report};
use pad_kernels::{
    AxisPad, DType, PadMode, PadPlan, PadSpec, Pads,
    kernels::{Isa, Streaming},
    pad_bytes_into,
};

const HELP: &str = "\
Counts with valgrind how many instructions some calls execute, and compares the counts with benches/instructions.txt.

Usage: instructions [--bless]

  --bless   write the counts to that file instead
  --help    print this text

The program fails if a call executes more instructions than the file says, beyond the difference between compilers.
It counts the portable and the AVX2 kernels, because valgrind does not support AVX-512.
";

/// The allowed growth of a count, because compilers differ. A larger growth is an error.
const TOLERANCE: f64 = 0.1;

/// Two processes make these numbers of calls. The difference of their counts does not contain the start of a process.
const CALLS: (usize, usize) = (10, 60);

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// A pad of `f32`, or of packed elements.
struct Case {
    name: &'static str,
    shape: &'static [usize],
    pads: &'static [(i64, i64, u64)],
    mode: PadMode,
    way: Way,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// A prepared plan.
    Plan,
    /// The kernel, even if a small plan would not use it.
    Kernel,
    /// A plan with non-temporal stores.
    Streaming,
    /// A one-shot call.
    Oneshot,
    /// The kernel, on elements of 4 bits.
    Packed,
}

const C: PadMode = PadMode::Constant;
const R: PadMode = PadMode::Reflect;
const ONE: (i64, i64, u64) = (1, 1, 0);
const NONE: (i64, i64, u64) = (0, 0, 0);

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "8 pad 2", shape: &[8], pads: &[(2, 2, 0)], mode: C, way: Way::Plan },
    Case { name: "8 pad 2, one-shot", shape: &[8], pads: &[(2, 2, 0)], mode: C, way: Way::Oneshot },
    Case { name: "3x3 pad 1", shape: &[3, 3], pads: &[ONE, ONE], mode: C, way: Way::Plan },
    Case { name: "3x3 pad 1, one-shot", shape: &[3, 3], pads: &[ONE, ONE], mode: C, way: Way::Oneshot },
    Case { name: "3x8x8 pad 1", shape: &[3, 8, 8], pads: &[NONE, ONE, ONE], mode: C, way: Way::Plan },
    Case { name: "3x8x8 pad 1, one-shot", shape: &[3, 8, 8], pads: &[NONE, ONE, ONE], mode: C, way: Way::Oneshot },
    Case { name: "3x8x8 reflect 1", shape: &[3, 8, 8], pads: &[NONE, ONE, ONE], mode: R, way: Way::Plan },
    Case { name: "512x7x7 pad 1", shape: &[512, 7, 7], pads: &[NONE, ONE, ONE], mode: C, way: Way::Kernel },
    Case { name: "64x56x56 pad 1", shape: &[64, 56, 56], pads: &[NONE, ONE, ONE], mode: C, way: Way::Kernel },
    Case { name: "64x56x56 pad 1, streaming", shape: &[64, 56, 56], pads: &[NONE, ONE, ONE], mode: C, way: Way::Streaming },
    Case { name: "64x56x56 reflect 1", shape: &[64, 56, 56], pads: &[NONE, ONE, ONE], mode: R, way: Way::Kernel },
    Case { name: "64x56x56 wrap 1", shape: &[64, 56, 56], pads: &[NONE, ONE, ONE], mode: PadMode::Wrap, way: Way::Kernel },
    Case { name: "64x58x58 crop 1", shape: &[64, 58, 58], pads: &[NONE, (-1, -1, 0), (-1, -1, 0)], mode: C, way: Way::Kernel },
    Case { name: "64x28x28 dilated by 2", shape: &[64, 28, 28], pads: &[NONE, (0, 0, 1), (0, 0, 1)], mode: C, way: Way::Kernel },
    Case { name: "100x100x3 to 4", shape: &[100, 100, 3], pads: &[NONE, NONE, (0, 1, 0)], mode: C, way: Way::Kernel },
    Case { name: "64x57 packed pad 1", shape: &[64, 57], pads: &[NONE, ONE], mode: C, way: Way::Packed },
];

impl Case {
    fn dtype(&self) -> DType {
        if self.way == Way::Packed { DType::U4 } else { DType::F32 }
    }

    fn spec(&self) -> PadSpec {
        let pad = |&(low, high, interior): &_| AxisPad { interior, ..AxisPad::new(low, high) };
        PadSpec::new(self.mode, self.pads.iter().map(pad).collect::<Pads>())
    }

    /// Returns the plan, or `None` if this way cannot use the instruction set.
    fn plan(&self, isa: Isa) -> Option<PadPlan> {
        let plan = PadPlan::for_dtype(&self.spec(), self.shape, self.dtype()).ok()?;
        match (self.way, isa) {
            (Way::Plan | Way::Oneshot, Isa::Avx2) => Some(plan),
            (Way::Kernel, _) | (Way::Packed, Isa::Portable) => plan.with_isa(isa).ok(),
            (Way::Streaming, _) => Some(plan.with_isa(isa).ok()?.with_streaming(Streaming::Always)),
            _ => None,
        }
    }

    /// Makes the calls. The counted process does nothing else.
    fn call(&self, isa: Isa, calls: usize) -> Option<()> {
        let (plan, spec) = (self.plan(isa)?, self.spec());
        let (src, mut dst) = (vec![1; plan.input_bytes()], vec![0; plan.output_bytes()]);
        for _ in 0..calls {
            let (src, dst) = (black_box(&src[..]), black_box(&mut dst[..]));
            match self.way {
                Way::Oneshot => {
                    pad_bytes_into(src, black_box(self.shape), self.dtype(), black_box(&spec), dst)
                }
                _ => black_box(&plan).run_bytes(src, dst),
            }
            .ok()?;
        }
        Some(())
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        [] => count().and_then(|(counts, table)| compare(&counts, &table)),
        ["--bless"] => count().and_then(|(_, table)| Ok(std::fs::write(FILE, table)?)),
        // The command that valgrind runs.
        ["--call", number, isa, calls] => call(number, isa, calls),
        _ => Err("unknown arguments; see --help".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn call(number: &str, isa: &str, calls: &str) -> Result<(), Error> {
    let case = CASES.get(number.parse::<usize>()?).ok_or("no such case")?;
    let isa = Isa::ALL.into_iter().find(|one| one.name() == isa).ok_or("no such instruction set")?;
    case.call(isa, calls.parse()?).ok_or_else(|| "not called".into())
}

/// The counts, by the names of the case and of the instruction set.
type Counts = BTreeMap<(String, String), f64>;

/// Returns all counts, and a table of them.
fn count() -> Result<(Counts, String), Error> {
    let mut counts = Counts::new();
    let mut rows = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        for isa in [Isa::Portable, Isa::Avx2] {
            let Some(plan) = case.plan(isa) else { continue };
            let total = |calls| instructions(number, isa, calls);
            let count = (total(CALLS.1)? - total(CALLS.0)?) / (CALLS.1 - CALLS.0) as f64;
            counts.insert((case.name.into(), isa.name().into()), count);
            let per_byte = count / plan.output_bytes() as f64;
            rows.push(vec![
                case.name.to_string(),
                isa.name().to_string(),
                plan.output_bytes().to_string(),
                format!("{count:.0}"),
                format!("{per_byte:.3}"),
            ]);
        }
    }
    let table = report::table("call | kernel | bytes out | instructions | a byte", 2, &rows);
    println!("{table}");
    Ok((counts, table))
}

/// Counts the instructions of a process that makes this number of calls.
fn instructions(number: usize, isa: Isa, calls: usize) -> Result<f64, Error> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--call", &number.to_string(), isa.name(), &calls.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.lines().find_map(|line| line.split_once("Collected :"));
    match count {
        Some((_, count)) if output.status.success() => Ok(count.trim().parse()?),
        _ => Err(format!("valgrind: {said}").into()),
    }
}

/// Compares the counts with the file. The call fails if a count has grown, or if the file has no line for it.
fn compare(counts: &Counts, table: &str) -> Result<(), Error> {
    let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let wrong = differences(counts, &parse(&text));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{wrong}--bless writes what is now:\n{table}").into())
}

fn parse(text: &str) -> Counts {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        Some(((cells.get(1)?.to_string(), cells.get(2)?.to_string()), cells.get(4)?.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

fn differences(counts: &Counts, before: &Counts) -> String {
    let mut wrong = String::new();
    for (key, count) in counts {
        let (name, isa) = key;
        let _ = match before.get(key) {
            Some(was) if *count > was * (1.0 + TOLERANCE) => {
                writeln!(wrong, "{name}, {isa}: {count:.0} instructions instead of {was:.0}")
            }
            Some(_) => Ok(()),
            None => writeln!(wrong, "{name}, {isa}: not in {FILE}"),
        };
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_can_be_called() {
        for case in CASES {
            let ways = [Isa::Portable, Isa::Avx2].map(|isa| case.call(isa, 1));
            assert!(ways.iter().any(Option::is_some) || !Isa::Avx2.available(), "{}", case.name);
        }
    }

    #[test]
    fn growth_is_a_difference_and_noise_is_none() {
        let before =
            parse("| call | kernel | bytes out | instructions | a byte |\n| a | avx2 | 8 | 100 | 1 |\n");
        let now = |count| Counts::from([(("a".to_string(), "avx2".to_string()), count)]);
        assert_eq!(before, now(100.0));
        assert_eq!(differences(&now(105.0), &before), "");
        assert!(differences(&now(120.0), &before).contains("120 instructions instead of 100"));
        assert!(differences(&now(1.0), &Counts::new()).contains("not in"));
    }
}
