//! Contains the bodies of the fuzz targets. Tests can therefore replay any input that a fuzz target found.
//!
//! A process that called [`run`] prints a summary at its end. With `PAD_REACH=all` in the environment, the process fails if
//! too many inputs were refused. It also fails if the target did not reach every kernel, error and pair of options that it must.

use std::cell::OnceCell;
use std::sync::LazyLock;
use std::time::Instant;
use std::{env, process};

use anyhow::{Error, Result};
use arbitrary::Unstructured;
use pad_kernels::{
    DType, PadPlan,
    kernels::{self, PadKernel},
};

use crate::case::{Kind, SIGNED};
use crate::generators::{self, MOST_BYTES, add_bytes, case_of, of_row, wild};
use crate::options::{self, Pairs};
use crate::questions::{self, SYSTEMS};
use crate::reach::{self, Class, Counts, DIALECT_ERRORS, PLAN_ERRORS, Way};
use crate::{adjoint, borders, c, computed, fixed, laws, oracles, sizes, views};

/// Generates a random case from an input and checks it.
type Check = fn(&[u8], &mut Unstructured<'_>) -> Result<()>;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target and of its file.
    pub name: &'static str,
    check: Check,
    /// The maximum percentage of inputs that may be refused.
    refused: u64,
    /// The variants of errors that must occur.
    errors: &'static [&'static str],
    /// Lists the names of things that must run but did not.
    missed: fn() -> Vec<String>,
    /// The number of inputs after which `missed` must be empty.
    missed_from: u64,
}

/// The number of inputs after which every error should have occurred. The rarest error is an axis that is named twice. It
/// occurred in two of 23,256 calls of dialects, which took 20 s on a slow machine.
const ERRORS_FROM: u64 = 1 << 17;

/// The number of inputs after which every pair of options should have run. The rarest pair ran three times in 9,241 inputs,
/// and 23 times in 41,440 inputs.
const PAIRS_FROM: u64 = 1 << 14;

/// The name of the target that tests the kernels of the registry.
const KERNELS: &str = "kernels";

/// All targets, each with the maximum percentage of inputs that it may refuse.
pub const TARGETS: [Target; 11] = [
    Target {
        missed: || reach::counts().missed(&Way::ALL.map(Class::Row), rows().map(PadKernel::name)),
        ..Target::new(KERNELS, kernels, 20)
    },
    Target { errors: PLAN_ERRORS, ..Target::new("plan", plan, 95) },
    Target { errors: DIALECT_ERRORS, ..Target::new("dialects", dialects, 80) },
    Target::new("packed", packed, 20),
    Target::new("views", views, 20),
    Target::new("laws", |_, u| laws::check(u).map(drop), 20),
    Target {
        missed: || options::pairs().missed,
        missed_from: PAIRS_FROM,
        ..Target::new("options", options, 20)
    },
    Target {
        errors: &["EmptyAxis", "EmptyStatistic", "EndValue", "NotLinear"],
        missed: reach::computed_missed,
        ..Target::new("computed", compute, 20)
    },
    Target::new("fixed", fixed, 0),
    Target {
        errors: &["NotSummable", "SharedInput"],
        missed: reach::sums_missed,
        ..Target::new("adjoint", adjoint, 40)
    },
    Target::new("c", |_, u| c::check(u), 60),
];

/// Runs the target `name` on `data`. Returns whether a fuzzer should use the code coverage of this input.
pub fn run(name: &str, data: &[u8]) -> bool {
    let target = TARGETS.iter().find(|target| target.name == name).expect("the name of a target");
    REPORT.with(|report| {
        report.get_or_init(|| Report { target, start: Instant::now() });
    });
    reach::count(Class::Event, "executed");
    // A fuzzer begins with short inputs. After the end of an input, draws take the first alternative. Without added bytes, none
    // of 12,683 calls of dialects was a call of PyTorch with a mirrored border. Only the target `KERNELS` reaches everything
    // without added bytes, and it then takes 3/4 of the time.
    let mut bytes = data.to_vec();
    if target.name != KERNELS {
        add_bytes(&mut bytes, &mut hash(data));
    }
    (target.check)(data, &mut Unstructured::new(&bytes)).unwrap_or_else(|what| panic!("{what:#}"));
    // In the target of kernels, every mutation selects another kernel, so the coverage of one input says little about the next.
    // To record coverage takes longer than to run the kernel, so only the first inputs and a few later ones are recorded.
    target.name != KERNELS
        || reach::counts().of(Class::Event, "executed") < 1024
        || hash(data).is_multiple_of(256)
}

/// Returns the kernels that this machine can run.
fn rows() -> impl Iterator<Item = &'static PadKernel> {
    kernels::pad().iter().filter(|row| row.isa().available())
}

/// Checks one kernel of the registry. A hash of the whole input selects it, so any changed byte selects another kernel.
fn kernels(data: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    static ROWS: LazyLock<Vec<&'static PadKernel>> = LazyLock::new(|| rows().collect());
    let row = ROWS[hash(data) as usize % ROWS.len()];
    // The following choices depend on the bytes of the input, not on the kernel or the hash.
    let way = *u.choose(&[Way::Contiguous, Way::Contiguous, Way::Strided, Way::Windowed])?;
    match of_row(row, way, u)? {
        Some((case, layout)) => oracles::check_row(row, &case, &layout),
        None => Ok(()),
    }
}

/// Checks any request for any shape. The refusal or the output shape must be that of the reference.
/// For small outputs, the elements must be equal, too.
fn plan(_: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        return sizes::check(&sizes::draw(u)?).map(drop);
    }
    let case = wild(u)?;
    let most = MOST_BYTES / case.kind.bytes(1).max(8);
    let small = |plan: &PadPlan| plan.input_len().max(plan.output_len()) <= most;
    let check = if case.plan().is_ok_and(|plan| small(&plan)) { oracles::check } else { oracles::check_plan };
    check(&case).map(drop)
}

/// Checks a call of a dialect against the rules of the reference.
fn dialects(_: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    let system = u.choose(&SYSTEMS)?;
    questions::ask(&questions::draw(system, u)?).map(drop).map_err(Error::msg)
}

/// Checks elements of 2 and 4 bits, at every offset in a byte.
fn packed(_: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    let dtype = *u.choose(&[DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2])?;
    let case = case_of(Kind::Tagged(dtype), u)?;
    if u.arbitrary()? { oracles::check(&case) } else { views::check(&case, u) }.map(drop)
}

/// Checks strides and regions of the output. One of eight inputs checks borders in place instead.
fn views(_: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        let with_signs = u.ratio(1, 4)?;
        let kind = if with_signs {
            Kind::Tagged(*u.choose(&SIGNED)?)
        } else {
            *u.choose(&Kind::untagged().collect::<Vec<_>>())?
        };
        return borders::request(kind, u)?.as_ref().map_or(Ok(()), borders::check);
    }
    views::check(&u.arbitrary()?, u).map(drop)
}

/// Checks a run with several options. A hash of the whole input selects them. If single bytes selected them, the fuzzer would
/// prefer the bytes with the highest coverage. In an experiment, none of 48,270 runs then had two options.
fn options(data: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    let mut choices = Vec::new();
    // These bytes differ from those that `run` adds to the input.
    add_bytes(&mut choices, &mut !hash(data));
    let (case, options) = options::draw(&mut Unstructured::new(&choices), u)?;
    options::check(&case, &options).map(drop)
}

/// Checks a function that `fixed_pad!` generated for one shape, on random bytes, and its adjoint.
fn fixed(data: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    reach::accepted();
    let function = &fixed::all()[hash(data) as usize % fixed::all().len()];
    function.check(Some(u))?;
    function.check_adjoint(hash(data) >> 32)
}

/// Checks computed borders with one of their kernels. A hash of the whole input selects the kernel.
fn compute(data: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    computed::check(&computed::draw(computed::row(hash(data) as usize), u)?, u)
}

/// Compares the gradients of any padding with their definition. About 5 % of the cases may have a type without an adjoint.
fn adjoint(_: &[u8], u: &mut Unstructured<'_>) -> Result<()> {
    let summable = Kind::Tagged(*u.choose(&adjoint::SUMMABLE)?);
    let kind = if u.ratio(1, 20)? { generators::kind(u)? } else { summable };
    adjoint::check(&adjoint::question_of(kind, u)?)
}

/// Hashes `data` in steps of eight bytes, similar to FNV-1a. Returns the high bits, because every byte changes them.
fn hash(data: &[u8]) -> u64 {
    let (words, rest) = data.as_chunks();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    let hash = words.chain(rest.iter().map(|&byte| byte.into())).fold(0xcbf2_9ce4_8422_2325, mixed);
    mixed(hash, data.len() as u64) >> 32
}

/// Mixes `word` into `hash`. If one of the two is fixed, different values of the other give different results.
fn mixed(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 29
}

/// Prints a summary when it is dropped, at the end of the process.
struct Report {
    target: &'static Target,
    start: Instant,
}

thread_local! {
    // The report is dropped when its thread ends. The main thread ends with the process.
    static REPORT: OnceCell<Report> = const { OnceCell::new() };
}

impl Drop for Report {
    fn drop(&mut self) {
        let counts = reach::counts().clone();
        let executed = counts.of(Class::Event, "executed");
        let rate = executed as f64 / self.start.elapsed().as_secs_f64();
        eprintln!("{}: {executed} executions, {rate:.0} a second; {counts}", self.target.name);
        let Pairs { possible, missed, fewest } = options::pairs();
        if possible > missed.len() {
            let run = possible - missed.len();
            eprintln!("{}: {run} of {possible} pairs of options, each {fewest} times", self.target.name);
        }
        if env::var_os("PAD_REACH").is_some_and(|wanted| wanted == "all") {
            let complaints = self.target.complaints(&counts);
            complaints.iter().for_each(|complaint| eprintln!("{}: {complaint}", self.target.name));
            if !complaints.is_empty() {
                process::exit(1);
            }
        }
    }
}

impl Target {
    const fn new(name: &'static str, check: Check, refused: u64) -> Target {
        Target { name, check, refused, errors: &[], missed: Vec::new, missed_from: 0 }
    }

    /// Lists everything that the run should have reached but did not.
    fn complaints(&self, counts: &Counts) -> Vec<String> {
        let mut complaints = Vec::new();
        let accepted = counts.of(Class::Event, "accepted");
        let refused: u64 = counts.all(Class::Refusal).values().sum();
        let cases = accepted + refused;
        if refused * 100 > self.refused * cases {
            complaints.push(format!("{refused} of {cases} inputs were refused"));
        }
        let errors = counts.missed(&[Class::Error], self.errors.iter().copied());
        if !errors.is_empty() && cases >= ERRORS_FROM {
            complaints.push(format!("errors were not met: {errors:?}"));
        }
        let missed = (self.missed)();
        if !missed.is_empty() && cases >= self.missed_from {
            complaints.push(format!("{} were not run: {missed:?}", missed.len()));
        }
        if accepted == 0 {
            complaints.push("nothing was accepted".to_string());
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_reached_is_told() {
        let complaints = |name: &str, accepted: u64, errors: &[&'static str]| {
            let errors = errors.iter().map(|&error| ((Class::Error, error.into()), 1));
            let events = [
                ((Class::Event, "accepted".into()), accepted),
                ((Class::Refusal, "ZeroSized".into()), 7.min(accepted * 3)),
            ];
            let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
            target.complaints(&Counts(errors.chain(events).collect()))
        };
        assert_eq!(complaints("packed", 3, &[]), ["7 of 10 inputs were refused"]);
        assert_eq!(complaints("plan", 3, PLAN_ERRORS), [""; 0]);
        assert_eq!(complaints("plan", 0, PLAN_ERRORS), ["nothing was accepted"]);
        assert_eq!(complaints("plan", 3, &PLAN_ERRORS[1..]), [""; 0]);
        let missed = complaints("plan", ERRORS_FROM, &PLAN_ERRORS[1..]);
        assert_eq!(missed, ["errors were not met: [\"AxisCount\"]"]);
        // The other tests of this process run only few pairs of options.
        let complaints = complaints("options", ERRORS_FROM, &[]);
        assert!(complaints.iter().any(|what| what.contains(" were not run: ")), "{complaints:?}");
    }
}
