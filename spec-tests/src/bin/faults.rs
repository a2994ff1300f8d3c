//! Plants the faults of `fuzz/faults.toml` one at a time and notes what finds each. See `--help`.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

use lexopt::{Arg, ValueExt};
use spec_tests::faults::copy::Copy;
use spec_tests::faults::programs::{self, ENDLESS, Found, Program, QUICK, SECONDS};
use spec_tests::faults::{self, Fault, Result};

const HELP: &str = "\
Puts the faults of fuzz/faults.toml into the code, one at a time, and notes which test or fuzz target finds each.

Usage: fuzz/faults.sh [--resume] [--jobs N]
       fuzz/faults.sh [--fuzz | --only-tests] [--jobs N] NAME...
       fuzz/faults.sh --list

The program copies the code to target/faults/tree and builds the copy once. The copy contains the right and the wrong text
of every fault. The environment variable PAD_FAULT chooses the fault whose wrong text runs. Quick tests run first, and those
named like the file of the fault before the others. If no test finds the fault, each fuzz target runs for a minute. The
program installs cargo-fuzz if it is missing.

The program prints a table with the test that found each fault. A run of all faults also writes the table to
fuzz/FAULTS.md, and stores the results in target/faults/outcomes.

Exit code: 0 if all faults were found, 1 if one was not, 2 if the arguments or the list are wrong, if the copy does not
build, or if a test fails without a fault.

Options:
      --resume      try only the faults that the last run of all faults did not find or did not try
      --list        print the names and descriptions of the faults
      --fuzz        run only the fuzz targets
      --only-tests  run only the tests
      --jobs N      try N faults at a time (default: the number of processors)
  -h, --help        print this text
";

/// What was found by a run of all faults, one a line: the fault, what found it, whether that ended, and seconds.
const OUTCOMES: &str = "target/faults/outcomes";

const HEADER: &str = "| fault | what goes wrong | found by | s |\n|---|---|---|---|";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let (mut list, mut fuzz, mut only_tests, mut resume) = (false, false, false, false);
    let mut jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut names: Vec<String> = Vec::new();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Long("resume") => resume = true,
            Arg::Long("list") => list = true,
            Arg::Long("fuzz") => fuzz = true,
            Arg::Long("only-tests") => only_tests = true,
            Arg::Long("jobs") => jobs = arguments.value()?.parse()?,
            Arg::Value(name) => names.push(name.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if fuzz && only_tests {
        return Err("--fuzz and --only-tests leave nothing to run".into());
    }
    if resume && (fuzz || only_tests || !names.is_empty()) {
        return Err("--resume is for a run of all faults, with all that looks for them".into());
    }
    let in_full = names.is_empty() && !fuzz && !only_tests;

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let listed = fs::read_to_string(root.join(faults::LIST))?;
    let all = faults::parse(&listed).map_err(|complaints| complaints.join("\n"))?;
    if let Some(unknown) = names.iter().find(|&name| all.iter().all(|fault| fault.name != *name)) {
        return Err(format!("no fault is called {unknown}; --list names them").into());
    }
    let chosen: Vec<&Fault> =
        all.iter().filter(|fault| names.is_empty() || names.contains(&fault.name)).collect();
    let mut out = io::stdout();
    if list {
        for fault in chosen {
            writeln!(out, "{}: {}", fault.name, fault.what)?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    let outcomes = root.join(OUTCOMES);
    let known = if resume { known(&outcomes, &chosen) } else { Vec::new() };
    let changes = faults::changes(root, &all).map_err(|complaints| complaints.join("\n"))?;
    let copy = Copy::new(root, "faults", &changes, &[])?;
    let least = Duration::from_secs(SECONDS);
    let tests = if fuzz { Vec::new() } else { programs::tests(&copy, &QUICK, least)? };
    // All of these are built and run without a fault before the first one is planted.
    let targets = if only_tests { Vec::new() } else { programs::targets(&copy)? };
    if in_full && !resume {
        fs::write(&outcomes, "")?;
    }
    let kept = fs::OpenOptions::new().create(true).append(true).open(&outcomes)?;
    writeln!(out, "{HEADER}")?;
    let is_known = |fault: &Fault| known.iter().any(|row: &Row<'_>| row.fault.name == fault.name);
    let left: Vec<&Fault> = chosen.into_iter().filter(|fault| !is_known(fault)).collect();
    let done = Mutex::new(Done { rows: known, kept });
    programs::try_each(
        &left,
        "faults",
        jobs,
        |fault| &fault.name,
        |fault| {
            let row = judge(&tests, &targets, &copy, fault)?;
            let line = row.to_string();
            let mut done = done.lock().expect("no thread panics");
            if in_full && let Some(outcome) = row.outcome() {
                done.kept.write_all(outcome.as_bytes())?;
            }
            done.rows.push(row);
            Ok(line)
        },
    )?;
    let Done { mut rows, .. } = done.into_inner().expect("no thread panics");
    rows.sort_by_key(|row| all.iter().position(|fault| fault.name == row.fault.name));
    if in_full {
        fs::write(root.join("fuzz/FAULTS.md"), report(&rows))?;
    }
    let missed: Vec<&str> =
        rows.iter().filter(|row| row.found.is_none()).map(|row| &row.fault.name[..]).collect();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("faults: not found: {}", missed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// What was found, and the file of [`OUTCOMES`].
struct Done<'a> {
    rows: Vec<Row<'a>>,
    kept: fs::File,
}

/// What an earlier run of all faults found.
fn known<'a>(outcomes: &Path, faults: &[&'a Fault]) -> Vec<Row<'a>> {
    let lines = fs::read_to_string(outcomes).unwrap_or_default();
    faults.iter().filter_map(|fault| lines.lines().rev().find_map(|line| Row::known(fault, line))).collect()
}

/// A line of the table.
struct Row<'a> {
    fault: &'a Fault,
    found: Option<Found>,
    time: Duration,
}

impl<'a> Row<'a> {
    /// The line of [`OUTCOMES`] for a fault that was found.
    fn outcome(&self) -> Option<String> {
        let Found { by, ended } = self.found.as_ref()?;
        Some(format!("{}\t{by}\t{ended}\t{}\n", self.fault.name, self.time.as_secs_f64()))
    }

    /// What such a line says of a fault, if it is its line.
    fn known(fault: &'a Fault, line: &str) -> Option<Row<'a>> {
        let mut fields = line.strip_prefix(&fault.name)?.strip_prefix('\t')?.split('\t');
        let (by, ended, seconds) = (fields.next()?.to_owned(), fields.next()?.parse().ok()?, fields.next()?);
        let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        Some(Row { fault, found: Some(Found { by, ended }), time })
    }
}

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by = self.found.as_ref().map_or("**nothing**", |found| &found.by);
        write!(f, "| `{}` | {} | {by} | {:.1} |", self.fault.name, self.fault.what, self.time.as_secs_f64())
    }
}

/// The text of `fuzz/FAULTS.md`.
fn report(rows: &[Row<'_>]) -> String {
    let found = rows.iter().filter(|row| row.found.is_some()).count();
    let endless = rows.iter().filter(|row| row.found.as_ref().is_some_and(|found| !found.ended)).count();
    let mut times: Vec<Duration> = rows
        .iter()
        .filter(|row| row.found.as_ref().is_some_and(|found| found.ended))
        .map(|row| row.time)
        .collect();
    times.sort();
    let mut text = String::from(
        "<!-- Generated by fuzz/faults.sh. -->\n\n# Seeded faults\n\n\
         A seeded fault is a mistake that is put into the code on purpose. For each fault of [faults.toml](faults.toml), `fuzz/faults.sh` runs quick \
         tests and then\nthe fuzz targets, until one of them finds the fault.\n\n",
    );
    let mut line = |line: String| writeln!(text, "{line}").expect("strings can be written to");
    line(format!("- A test or fuzz target found {found} of {} faults.", rows.len()));
    if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
        let (median, most) = (median.as_secs_f64(), most.as_secs_f64());
        line(format!(
            "- Half of the faults were found within {median:.1} s, and all of them within {most:.1} s."
        ));
    }
    if endless > 0 {
        line(format!(
            "- {endless} of the faults made a test run for more than {SECONDS} s, or {ENDLESS} times as long as without the fault."
        ));
    }
    for row in rows.iter().filter(|row| row.found.is_none()) {
        line(format!("- No test found `{}`: {}.", row.fault.name, row.fault.what));
    }
    let mut finders: BTreeMap<&str, usize> = BTreeMap::new();
    for found in rows.iter().filter_map(|row| row.found.as_ref()) {
        *finders.entry(found.by.split(':').next().unwrap_or_default()).or_default() += 1;
    }
    line("\n| found by | faults |\n|---|---:|".into());
    for (finder, faults) in finders {
        line(format!("| {finder} | {faults} |"));
    }
    text
}

/// What finds `fault` first, and how long all took that ran.
fn judge<'a>(tests: &[Program], targets: &[Program], copy: &Copy, fault: &'a Fault) -> Result<Row<'a>> {
    let start = Instant::now();
    let mut programs: Vec<&Program> = tests.iter().collect();
    programs.sort_by_key(|program| !program.is_named_like(&fault.file));
    for program in programs.into_iter().chain(targets) {
        if let Some(found) = program.run(copy, Some(&fault.name))? {
            return Ok(Row { fault, found: Some(found), time: start.elapsed() });
        }
    }
    Ok(Row { fault, found: None, time: start.elapsed() })
}
