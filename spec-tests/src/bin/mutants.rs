//! Tries the changes that cargo-mutants lists one at a time and notes what finds each. See `--help`.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use lexopt::{Arg, ValueExt};
use spec_tests::faults::Result;
use spec_tests::faults::copy::Copy;
use spec_tests::faults::mutants::{self, Mutant, Refusal};
use spec_tests::faults::programs::{self, Found, Program, QUICK, Test};

const HELP: &str = "\
Makes the changes of the code that cargo-mutants lists, one at a time, and prints which test finds each.

Usage: fuzz/mutants.sh [--every N] [--jobs N] [PATH...]

With PATHs, the program tries the changes of all files whose paths begin with a PATH. Without PATHs, it tries the changes of
the files that differ from the main branch.

The program copies the code to target/mutants/tree and builds the copy once. The copy contains every change, and an
environment variable switches one of them on. For each change, the tests of its own crate run first, and then the quick
tests of spec-tests. A test may take 10 s, or 5 times as long as without a change.

Exit code: 0 if a test found every change, 1 if not, 2 if something went wrong.

Options:
      --every N   try one change of N
      --jobs N    try N changes at a time (default: the number of processors)
  -h, --help      print this text
";

/// Compiled in both libraries.
const BOTH: &str = "pad-macros/src/form.rs";

const MACROS: &str = "pad-macros";
const KERNELS: &str = "pad-kernels";

/// The tests of the libraries, quickest first, and the recorded cases, which are the longest.
const OWN: [Test; 4] = [
    (MACROS, "pad_macros", None),
    (KERNELS, "plans", None),
    (KERNELS, "pad_kernels", None),
    (MACROS, "ui", None),
];
const RECORDED: Test = ("spec-tests", "vectors", None);

/// These take longer than all others together, and come last.
const SLOW: [&str; 3] = ["options", "views", "registry"];

/// This one takes as long, for what the recorded cases notice too.
const LEFT_OUT: Test = ("spec-tests", "dialects", Some("8000"));

const PROFILE: [(&str, &str); 1] = [("CARGO_PROFILE_DEV_OPT_LEVEL", "1")];

const LEAST: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let (mut every, mut jobs) = (1, thread::available_parallelism().map_or(1, usize::from));
    let (mut listings, mut paths): (Vec<PathBuf>, Vec<String>) = (Vec::new(), Vec::new());
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Long("every") => every = arguments.value()?.parse::<usize>()?.max(1),
            Arg::Long("jobs") => jobs = arguments.value()?.parse()?,
            Arg::Long("listing") => listings.push(arguments.value()?.into()),
            Arg::Value(path) => paths.push(path.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let mut all = Vec::new();
    for listing in listings {
        all.extend(mutants::parse(&fs::read_to_string(listing)?)?);
    }
    all.retain(|mutant: &Mutant| paths.iter().any(|path| mutant.file.starts_with(&path[..])));
    let all: Vec<Mutant> = all.into_iter().step_by(every).collect();
    if all.is_empty() {
        return Err("cargo-mutants lists no change of these files".into());
    }
    let (copy, refused) = compile(root, &all)?;
    let tests: Vec<Test> =
        OWN.into_iter().chain(QUICK).chain([RECORDED]).filter(|test| *test != LEFT_OUT).collect();
    let programs = programs::tests(&copy, &tests, LEAST)?;
    let chosen: Vec<&Mutant> = all
        .iter()
        .enumerate()
        .filter(|(number, _)| !refused.contains_key(number))
        .map(|(_, one)| one)
        .collect();
    let missed = Mutex::new(Vec::new());
    let try_one = |mutant: &&Mutant| {
        Ok(match judge(&programs, &copy, mutant)? {
            Some(found) => format!("found: {}: {}", mutant.name, found.by),
            None => {
                missed.lock().expect("no thread panics").push(mutant.name.clone());
                format!("missed: {}", mutant.name)
            }
        })
    };
    programs::try_each(&chosen, "changes", jobs, |mutant| &mutant.name, try_one)?;
    let missed = missed.into_inner().expect("no thread panics");
    let (found, no_choice) =
        (chosen.len() - missed.len(), refused.values().filter(|&&why| why == Refusal::NoChoice));
    let (refused, no_choice) = (refused.len(), no_choice.count());
    println!(
        "{found} of {} changes were found; {} do not compile, {no_choice} are no choice at run time",
        chosen.len(),
        refused - no_choice
    );
    for name in &missed {
        eprintln!("mutants: no test notices: {name}");
    }
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The copy with every change that compiles, and the others.
fn compile(root: &Path, all: &[Mutant]) -> Result<(Copy, BTreeMap<usize, Refusal>)> {
    let mut refused = BTreeMap::new();
    loop {
        let without: BTreeSet<usize> = refused.keys().copied().collect();
        let mutated = mutants::changes(root, all, &without)?;
        let copy = Copy::new(root, "mutants", &mutated.files, &PROFILE)?;
        let mut newly: BTreeMap<usize, Refusal> = mutated.refused.iter().copied().collect();
        let (compiles, messages) = copy.messages(&[
            "check",
            "--locked",
            "--package",
            MACROS,
            "--package",
            KERNELS,
            "--lib",
            "--all-features",
            "--message-format=json",
        ])?;
        let mut strange = Vec::new();
        for message in
            messages.iter().map(|message| &message["message"]).filter(|message| message["level"] == "error")
        {
            match mutated.blame(message) {
                Some((number, refusal)) => drop(newly.insert(number, refusal)),
                None => strange.push(message["rendered"].as_str().unwrap_or_default()),
            }
        }
        if newly.is_empty() {
            return if compiles { Ok((copy, refused)) } else { Err(strange.concat().into()) };
        }
        eprintln!("mutants: {} changes do not compile", newly.len());
        refused.extend(newly);
    }
}

/// What finds a change first.
fn judge(programs: &[Program], copy: &Copy, mutant: &Mutant) -> Result<Option<Found>> {
    // Where it is compiled, the macro does what is right: its changes are seen by its own tests alone.
    let own = mutant.file.split('/').next().unwrap_or_default();
    let meets = |program: &&Program| match program.package {
        MACROS => own == MACROS,
        _ => own != MACROS || mutant.file == BOTH,
    };
    let mut programs: Vec<&Program> = programs.iter().filter(meets).collect();
    programs.sort_by_key(|program| {
        let own = OWN.iter().any(|(_, name, _)| *name == program.name);
        (!own, !program.is_named_like(&mutant.file), SLOW.contains(&program.name))
    });
    for program in programs {
        if let Some(found) = program.run(copy, Some(&mutant.name))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
