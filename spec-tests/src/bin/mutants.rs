//! Tries the changes that cargo-mutants lists one at a time and notes what finds each. See `--help`.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use lexopt::{Arg, ValueExt};
use serde::Deserialize;
use spec_tests::faults::Result;
use spec_tests::faults::copy::Copy;
use spec_tests::faults::mutants::{self, Mutant, Refusal};
use spec_tests::faults::programs::{self, Found, Program, QUICK, Test};

const HELP: &str = "\
Tries the changes of the code that cargo-mutants lists one at a time and notes which test finds each.

Usage: fuzz/mutants.sh [--again] [--jobs N] [FOLDER...]
       fuzz/mutants.sh --report

As for fuzz/faults.sh, the code is copied (to target/mutants/tree), every change stands there as a choice at run time, and
the copy is built once. A change meets the tests of its own crate, those that are named like its file, then the other quick
ones of spec-tests. Tests are built with a little optimisation, and may take 10 s, or 5 times of what they take without a change.

What became of each change is kept in target/mutants/outcomes: the next run goes on from there. fuzz/MUTANTS.md is written
from it, with the notes of fuzz/missed.toml on what no test notices.
With FOLDERs, only changes of files whose path begins with one are tried, in this order.

Exit code: 0 if what was missed has a note, 1 if not, 2 if something went wrong.

Options:
      --again     tries once more what no test noticed
      --report    tries nothing, and writes the page
      --jobs N    how many changes are tried at a time; as many as there are processors if it is not given
  -h, --help      this text
";

/// The folders that the page counts.
const FOLDERS: [&str; 5] = [
    "pad-kernels/src/plan",
    "pad-kernels/src/dialect",
    "pad-kernels/src/run",
    "pad-kernels/src/interop",
    "pad-macros/src",
];

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

/// Where outcomes are kept, one a line: the outcome, a tabulator and the change.
const OUTCOMES: &str = "target/mutants/outcomes";

const CAUGHT: &str = "caught";
const ENDLESS: &str = "endless";
const MISSED: &str = "missed";
const UNVIABLE: &str = "unviable";
const NO_CHOICE: &str = "no choice";

/// Changes that no test notices, and why that is right.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    missed: Vec<Note>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    why: String,
    file: String,
    changes: Vec<String>,
}

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
    let (mut again, mut report_only) = (false, false);
    let mut jobs = thread::available_parallelism().map_or(1, usize::from);
    let (mut listings, mut folders): (Vec<PathBuf>, Vec<String>) = (Vec::new(), Vec::new());
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Long("again") => again = true,
            Arg::Long("report") => report_only = true,
            Arg::Long("jobs") => jobs = arguments.value()?.parse()?,
            Arg::Long("listing") => listings.push(arguments.value()?.into()),
            Arg::Value(folder) => folders.push(folder.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let mut all = Vec::new();
    for listing in listings {
        all.extend(mutants::parse(&fs::read_to_string(listing)?)?);
    }
    let mut outcomes = Outcomes::read(&root.join(OUTCOMES))?;
    if again {
        outcomes.of.retain(|_, outcome| outcome != MISSED);
    }
    if !report_only {
        let copy = compile(root, &all, &mut outcomes)?;
        if folders.is_empty() {
            folders.extend(FOLDERS.map(str::to_owned));
        }
        let of = |folder: &String| all.iter().filter(|mutant| mutant.file.starts_with(&folder[..])).collect();
        let mut chosen: Vec<&Mutant> =
            folders.iter().flat_map(|folder| -> Vec<&Mutant> { of(folder) }).collect();
        chosen.retain(|mutant| !outcomes.of.contains_key(&mutant.name));
        try_all(&copy, &chosen, jobs, &Mutex::new(&mut outcomes))?;
    }
    let notes: Notes = toml::from_str(&fs::read_to_string(root.join("fuzz/missed.toml"))?)?;
    let (page, unexplained) = report(&all, &outcomes.of, &notes);
    fs::write(root.join("fuzz/MUTANTS.md"), page)?;
    // A note without a reason explains nothing.
    for Note { file, changes, .. } in notes.missed.iter().filter(|note| !note.why.is_empty()) {
        for change in changes {
            if outcomes.of.get(&format!("{file}: {change}")).is_none_or(|outcome| outcome != MISSED) {
                eprintln!(
                    "mutants: fuzz/missed.toml has what is not missed, or not listed: {file}: {change}"
                );
            }
        }
    }
    for name in &unexplained {
        eprintln!("mutants: no test notices, and no note explains: {name}");
    }
    Ok(if unexplained.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What became of the changes, by their names.
struct Outcomes {
    of: BTreeMap<String, String>,
    file: File,
}

impl Outcomes {
    fn read(path: &Path) -> Result<Outcomes> {
        fs::create_dir_all(path.parent().expect("it is in a folder"))?;
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let lines = fs::read_to_string(path)?;
        let split = lines.lines().filter_map(|line| line.split_once('\t'));
        Ok(Outcomes {
            of: split.map(|(outcome, name)| (name.to_owned(), outcome.to_owned())).collect(),
            file,
        })
    }

    fn add(&mut self, mutant: &Mutant, outcome: &str) -> io::Result<()> {
        self.of.insert(mutant.name.clone(), outcome.to_owned());
        // One call, so that a line is there as a whole or not at all.
        self.file.write_all(format!("{outcome}\t{}\n", mutant.name).as_bytes())
    }
}

/// The copy with every change that compiles.
fn compile(root: &Path, all: &[Mutant], outcomes: &mut Outcomes) -> Result<Copy> {
    loop {
        let refused = |mutant: &Mutant| matches!(outcomes.of.get(&mutant.name), Some(o) if o == UNVIABLE || o == NO_CHOICE);
        let without: BTreeSet<usize> = (0..all.len()).filter(|&number| refused(&all[number])).collect();
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
            return if compiles { Ok(copy) } else { Err(strange.concat().into()) };
        }
        eprintln!("mutants: {} changes do not compile", newly.len());
        for (number, refusal) in newly {
            let outcome = match refusal {
                Refusal::Unviable => UNVIABLE,
                Refusal::NoChoice => NO_CHOICE,
            };
            outcomes.add(&all[number], outcome)?;
        }
    }
}

fn try_all(copy: &Copy, chosen: &[&Mutant], jobs: usize, outcomes: &Mutex<&mut Outcomes>) -> Result<()> {
    if chosen.is_empty() {
        return Ok(());
    }
    let all: Vec<Test> =
        OWN.into_iter().chain(QUICK).chain([RECORDED]).filter(|test| *test != LEFT_OUT).collect();
    let programs = programs::tests(copy, &all, LEAST)?;
    programs::try_each(
        chosen,
        "changes",
        jobs,
        |mutant| &mutant.name,
        |mutant| {
            let found = judge(&programs, copy, mutant)?;
            let outcome = match &found {
                Some(found) if found.ended => CAUGHT,
                Some(_) => ENDLESS,
                None => MISSED,
            };
            outcomes.lock().expect("no thread panics").add(mutant, outcome)?;
            let by = found.map_or("nothing".to_owned(), |found| found.by);
            Ok(format!("{outcome}: {}: {by}", mutant.name))
        },
    )
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

/// The text of `fuzz/MUTANTS.md`, and what was missed without a note.
fn report(all: &[Mutant], outcomes: &BTreeMap<String, String>, notes: &Notes) -> (String, Vec<String>) {
    let mut text = String::from(
        "<!-- Generated by fuzz/mutants.sh. -->\n\n# Mutation tests\n\n\
         `fuzz/mutants.sh` tries each change of the source that [cargo-mutants](https://mutants.rs) proposes, by itself. It runs quick tests \
         until\none fails. [missed.toml](missed.toml) lists each missed change, and the reason why no test can notice it.\n\n\
         | folder | changes | caught | do not end | missed | do not compile | no choice at run time | not tried |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut line = |line: String| writeln!(text, "{line}").expect("strings can be written to");
    for folder in FOLDERS {
        let of: Vec<_> = all.iter().filter(|mutant| mutant.file.starts_with(folder)).collect();
        let outcome = |mutant: &&Mutant| outcomes.get(&mutant.name).map_or("", String::as_str);
        let counts = [CAUGHT, ENDLESS, MISSED, UNVIABLE, NO_CHOICE, ""]
            .map(|wanted| of.iter().filter(|&mutant| outcome(mutant) == wanted).count().to_string());
        line(format!("| `{folder}` | {} | {} |", of.len(), counts.join(" | ")));
    }
    line("\n\"No choice at run time\" counts constants, and functions that return an opaque type. The program cannot try these changes.".into());
    let mut missed: BTreeSet<&str> = all
        .iter()
        .map(|mutant| &mutant.name[..])
        .filter(|&name| outcomes.get(name).is_some_and(|outcome| outcome == MISSED))
        .collect();
    // A note without a reason explains nothing.
    for Note { file, changes, .. } in notes.missed.iter().filter(|note| !note.why.is_empty()) {
        changes.iter().for_each(|change| _ = missed.remove(&format!("{file}: {change}")[..]));
    }
    if !missed.is_empty() {
        line("\nNo test notices these changes, and no note says why:\n".into());
    }
    for name in &missed {
        line(format!("- `{name}`"));
    }
    (text, missed.into_iter().map(str::to_owned).collect())
}
