//! Runs the tests with each fault of `fuzz/faults.toml`, and records which test finds it. See `--help`.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use clap::Parser;
use rayon::prelude::*;
use spec_tests::faults::{self, Fault, VARIABLE};
use walkdir::WalkDir;

/// Puts the faults of fuzz/faults.toml into the code, one at a time, and notes which test finds each.
///
/// The program copies the code to target/faults/tree and builds the copy once. The copy contains the right and the wrong text of
/// every fault. The environment variable PAD_FAULT chooses the fault whose wrong text runs. Tests that are named like the file of
/// the fault run before the others.
///
/// The program prints a table with the test that found each fault. A run of all faults also writes the table to fuzz/FAULTS.md. The
/// environment variable RAYON_NUM_THREADS says how many faults are tried at a time.
///
/// Exit code: 0 if all faults were found, 1 if one was not, 2 if the arguments or the list are wrong, if the copy does not build, or
/// if a test fails without a fault.
#[derive(Parser)]
#[command(verbatim_doc_comment)]
struct Arguments {
    /// Print the names and descriptions of the faults.
    #[arg(long)]
    list: bool,
    /// The faults to try (default: all).
    names: Vec<String>,
}

/// The tests that find most faults in the least time, in the order in which they run. The value of `PAD_CASES`
/// follows some names.
const TESTS: &str = "refusals reference regressions=40 adjoint=1/3 laws=150 borders=300 dialects=150 views=150 \
    ways allocations ndarray options nests fixed=1/20 computed=1/2 random=1/5 exhaustive dialects=8000 registry \
    regressions=4000";

/// The time limit of a test with a fault, in seconds. The limit is [`ENDLESS`] times the time without a fault, if that is longer.
const SECONDS: u64 = 60;
const ENDLESS: u32 = 5;

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(Arguments { list, names }: &Arguments) -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let listed = fs::read_to_string(root.join(faults::LIST))?;
    let all = faults::parse(&listed)?;
    if let Some(unknown) = names.iter().find(|&name| all.iter().all(|fault| fault.name != *name)) {
        return Err(format!("no fault is called {unknown}; --list names them").into());
    }
    let chosen: Vec<&Fault> =
        all.iter().filter(|fault| names.is_empty() || names.contains(&fault.name)).collect();
    if *list {
        chosen.iter().for_each(|fault| println!("{}: {}", fault.name, fault.what));
        return Ok(ExitCode::SUCCESS);
    }
    let changes = faults::changes(root, &all)?;
    let [tree, build] = copy(root, &changes)?;
    let tests = tests(&tree, &build)?;
    println!("| fault | what goes wrong | found by | s |\n|---|---|---|---|");
    let rows = chosen.par_iter().map(|fault| judge(&tests, fault)).collect::<Result<Vec<Row<'_>>>>()?;
    if names.is_empty() {
        fs::write(root.join("fuzz/FAULTS.md"), report(&rows))?;
    }
    let missed = rows.iter().filter(|(_, found)| found.is_none()).map(|(fault, _)| &fault.name[..]);
    let missed: Vec<&str> = missed.collect();
    if missed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("faults: not found: {}", missed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// Brings the copy of the code up to date, and returns its folder and the folder of its build. Files that have not changed are not
/// written, so cargo does not build them again.
fn copy(root: &Path, changes: &BTreeMap<String, String>) -> Result<[PathBuf; 2]> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let [tree, build] = ["tree", "build"].map(|name| target.join("faults").join(name));
    let [tree, build] = [std::path::absolute(tree)?, std::path::absolute(build)?];
    fs::create_dir_all(&tree)?;
    let mut git = Command::new("git");
    let git = git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let listed = String::from_utf8(git.stderr(Stdio::inherit()).output()?.stdout)?;
    let listed = listed.lines().filter(|file| root.join(file).is_file());
    let files: BTreeSet<&str> = listed.chain(changes.keys().map(|file| &file[..])).collect();
    for file in &files {
        let text = match changes.get(*file) {
            Some(changed) => changed.clone().into_bytes(),
            None => fs::read(root.join(file))?,
        };
        let to = tree.join(file);
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::create_dir_all(to.parent().expect("a file is in a folder"))?;
            fs::write(to, text)?;
        }
    }
    // An earlier copy may have left files behind.
    for entry in WalkDir::new(&tree) {
        let path = entry?.into_path();
        if path.is_file() && !path.strip_prefix(&tree)?.to_str().is_some_and(|file| files.contains(file)) {
            fs::remove_file(path)?;
        }
    }
    Ok([tree, build])
}

/// A test binary.
struct Test {
    name: &'static str,
    cases: &'static str,
    path: PathBuf,
    folder: PathBuf,
    /// The time limit of the test.
    most: Duration,
}

/// Builds the tests, checks that they pass without a fault, and returns them.
fn tests(tree: &Path, build: &Path) -> Result<Vec<Test>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let words = "test --locked --no-run --message-format=json-render-diagnostics -p spec-tests";
    cargo.args(words.split(' '));
    let listed = || TESTS.split(' ').map(|test| test.split_once('=').unwrap_or((test, "")));
    for name in listed().map(|(name, _)| name).collect::<BTreeSet<_>>() {
        cargo.args(["--test", name]);
    }
    // Lints do not apply to the copy, because the planted faults change the code.
    let flags = format!("{} --cap-lints allow", env::var("RUSTFLAGS").unwrap_or_default());
    cargo
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", build)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("RUSTFLAGS", flags.trim())
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .stderr(Stdio::inherit());
    let output = cargo.output()?;
    if !output.status.success() {
        return Err(format!("the tests with faults do not compile in {}", tree.display()).into());
    }
    let lines = String::from_utf8(output.stdout)?;
    let messages: Vec<serde_json::Value> =
        lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut tests = Vec::new();
    for (name, cases) in listed() {
        let is_built = |message: &&serde_json::Value| message["target"]["name"] == name;
        let built = messages.iter().filter(is_built).find_map(|message| message["executable"].as_str());
        let path = built.ok_or_else(|| format!("cargo built no test called {name}"))?.into();
        let mut test =
            Test { name, cases, path, folder: tree.join("spec-tests"), most: Duration::from_secs(900) };
        let start = Instant::now();
        if let Some(found) = test.run(None)? {
            return Err(format!("without a fault, this fails: {found}").into());
        }
        test.most = Duration::from_secs(SECONDS).max(ENDLESS * start.elapsed());
        tests.push(test);
    }
    Ok(tests)
}

impl Test {
    /// Runs the test, and returns a description of the failure, if any.
    fn run(&self, fault: Option<&Fault>) -> Result<Option<String>> {
        let mut command = Command::new("timeout");
        command.arg(self.most.as_secs().to_string()).arg(&self.path).stderr(Stdio::null());
        // Tests that call cargo read `CARGO_MANIFEST_DIR`.
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).env_remove(VARIABLE);
        if let Some(fault) = fault {
            command.env(VARIABLE, &fault.name);
        }
        if !self.cases.is_empty() {
            command.env("PAD_CASES", self.cases);
        }
        let output = command.output()?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let failed = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.to_owned());
        Ok(match (printed.lines().find_map(failed), output.status.code()) {
            (_, Some(0)) => None,
            (Some(test), _) => Some(format!("`{}`: `{test}`", self.name)),
            (None, Some(124)) => Some(format!("`{}`, which does not end", self.name)),
            (None, _) => Some(format!("`{}`: {}", self.name, output.status)),
        })
    }
}

/// A fault, and the failure of the test that found it.
type Row<'a> = (&'a Fault, Option<String>);

/// Runs the tests until one of them finds the fault, and returns a row of the table.
fn judge<'a>(tests: &[Test], fault: &'a Fault) -> Result<Row<'a>> {
    let start = Instant::now();
    let mut tests: Vec<&Test> = tests.iter().collect();
    tests.sort_by_key(|test| !fault.file.contains(test.name.trim_end_matches('s')));
    let mut found = None;
    for test in tests {
        found = test.run(Some(fault))?;
        if found.is_some() {
            break;
        }
    }
    let by = found.as_deref().unwrap_or("**nothing**");
    println!("| `{}` | {} | {by} | {:.1} |", fault.name, fault.what, start.elapsed().as_secs_f64());
    Ok((fault, found))
}

/// Returns the text of `fuzz/FAULTS.md`.
fn report(rows: &[Row<'_>]) -> String {
    let mut finders: BTreeMap<&str, usize> = BTreeMap::new();
    for found in rows.iter().filter_map(|(_, found)| found.as_ref()) {
        *finders.entry(found.split([':', ',']).next().unwrap_or_default()).or_default() += 1;
    }
    let found = finders.values().sum::<usize>();
    let mut text = format!(
        "<!-- Generated by fuzz/faults.sh. -->\n\n# Seeded faults\n\n\
         A seeded fault is a mistake that is put into the code on purpose. For each fault of [faults.toml](faults.toml), `fuzz/faults.sh` runs quick \
         tests until\none of them finds the fault.\n\n- A test found {found} of {} faults.\n",
        rows.len()
    );
    for (Fault { name, what, .. }, _) in rows.iter().filter(|(_, found)| found.is_none()) {
        let _ = writeln!(text, "- No test found `{name}`: {what}.");
    }
    text += "\n| found by | faults |\n|---|---:|\n";
    for (finder, faults) in finders {
        let _ = writeln!(text, "| {finder} | {faults} |");
    }
    text
}
