//! Plants the faults of `fuzz/faults.toml` one at a time and notes what finds each. See `--help`.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::{Arg, ValueExt};
use serde_json::Value;
use spec_tests::faults::{self, Fault};
use spec_tests::fuzzing::TARGETS;

const HELP: &str = "\
Plants the faults of fuzz/faults.toml one at a time and notes which test or fuzz target finds each.

Usage: fuzz/faults.sh [--fuzz | --only-tests] [--jobs N] [NAME...]
       fuzz/faults.sh --list

The code is copied to target/faults/tree. In the copy, both the right and the wrong text of every fault stand with a
choice between them, so that the copy is built once. Each run then chooses one fault by PAD_FAULT in its environment.
Quick tests run first, those that are named like the fault's file before the others. The fuzz targets run for a minute each on what the tests let through; cargo-fuzz is installed if
it is missing.

Prints the table of what found the faults. A run of all faults without options also writes it to fuzz/FAULTS.md.
With NAMEs only these faults are planted.

Exit code: 0 if all faults were found, 1 if one was not, 2 if the arguments or the list are wrong, if the copy does not
build, or if a test fails without a fault.

Options:
      --list        prints the names and what goes wrong
      --fuzz        leaves the tests out
      --only-tests  leaves the fuzz targets out
      --jobs N      how many faults are tried at a time; as many as there are processors if it is not given
  -h, --help        this text
";

/// The tests that say most in the least time, in the order in which they are run, with `PAD_CASES`.
const QUICK: [(&str, Option<&str>); 21] = [
    ("documents", None),
    ("refusals", None),
    ("reference", None),
    ("regressions", None),
    ("adjoint", Some("1/3")),
    ("laws", Some("150")),
    ("borders", Some("300")),
    ("dialects", Some("150")),
    ("views", Some("150")),
    ("raw", None),
    ("bits", None),
    ("ways", None),
    ("ndarray", None),
    ("options", None),
    ("small", None),
    ("nests", None),
    ("fixed", Some("1/20")),
    ("computed", Some("1/2")),
    ("random", Some("1/5")),
    ("dialects", Some("8000")),
    ("registry", None),
];

/// How long a test may take at least, and how long a fuzz target looks for a fault.
const SECONDS: u64 = 60;

/// A test that takes so many times as long with a fault as without one does not end.
const ENDLESS: u32 = 5;

const HEADER: &str = "| fault | what goes wrong | found by | s |\n|---|---|---|---|";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

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
    let (mut list, mut fuzz, mut only_tests) = (false, false, false);
    let mut jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut names: Vec<String> = Vec::new();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
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

    let copy = Copy::new(root, &all)?;
    let tests = if fuzz { Vec::new() } else { copy.tests()? };
    // All of these are built and run without a fault before the first one is planted.
    let targets = if only_tests { Vec::new() } else { copy.targets()? };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} faults, {elapsed}, {eta} left: {msg}")?;
    // Drawn on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(chosen.len() as u64).with_style(style);
    writeln!(out, "{HEADER}")?;
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> std::result::Result<(), String> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&fault) = chosen.get(number) else { return Ok(()) };
            bar.set_message(fault.name.clone());
            let row = judge(&tests, &targets, &copy, fault).map_err(|error| error.to_string())?;
            bar.suspend(|| println!("{row}"));
            rows.lock().expect("no thread panics").push((number, row));
            bar.inc(1);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    bar.finish_and_clear();
    let mut rows = rows.into_inner().expect("no thread panics");
    rows.sort_by_key(|&(number, _)| number);
    let rows: Vec<Row<'_>> = rows.into_iter().map(|(_, row)| row).collect();
    if names.is_empty() && !fuzz && !only_tests {
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

/// A line of the table.
struct Row<'a> {
    fault: &'a Fault,
    found: Option<Found>,
    time: Duration,
}

/// What found a fault.
struct Found {
    by: String,
    ended: bool,
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
        "# Seeded faults\n\n\
         `fuzz/faults.sh` writes this file. It seeds each fault of [faults.toml](faults.toml) alone, runs quick tests \
         without\noptimisation and then the fuzz targets, and notes what found the fault first.\n\n",
    );
    let mut line = |line: String| writeln!(text, "{line}").expect("strings can be written to");
    line(format!("- {found} of {} faults were found.", rows.len()));
    if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
        let (median, most) = (median.as_secs_f64(), most.as_secs_f64());
        line(format!("- Half of them were found within {median:.1} s, the slowest in {most:.1} s."));
    }
    if endless > 0 {
        line(format!(
            "- {endless} more were found because a test did not end, within {SECONDS} s or {ENDLESS} times of what it takes."
        ));
    }
    line(format!("\n{HEADER}"));
    for row in rows {
        line(row.to_string());
    }
    text
}

/// What finds `fault` first, and how long all took that ran.
fn judge<'a>(tests: &[Program], targets: &[Program], copy: &Copy, fault: &'a Fault) -> Result<Row<'a>> {
    let start = Instant::now();
    let mut programs: Vec<&Program> = tests.iter().collect();
    programs.sort_by_key(|program| !fault.file.contains(program.name.trim_end_matches('s')));
    for program in programs.into_iter().chain(targets) {
        if let Some(found) = program.run(copy, Some(fault))? {
            return Ok(Row { fault, found: Some(found), time: start.elapsed() });
        }
    }
    Ok(Row { fault, found: None, time: start.elapsed() })
}

/// The copy of the code in which faults can be chosen.
struct Copy {
    tree: PathBuf,
    build: PathBuf,
    /// Where fuzz targets may write.
    scratch: PathBuf,
}

impl Copy {
    /// Brings the copy up to date. What has not changed is not written, so that it is not built again.
    fn new(root: &Path, all: &[Fault]) -> Result<Copy> {
        let changes = faults::changes(root, all).map_err(|complaints| complaints.join("\n"))?;
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = std::path::absolute(target)?.join("faults");
        let copy =
            Copy { tree: folder.join("tree"), build: folder.join("build"), scratch: folder.join("scratch") };
        let git = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .stderr(Stdio::inherit())
            .output()?;
        if !git.status.success() {
            return Err("git does not list the files to copy".into());
        }
        let mut files: BTreeSet<String> = String::from_utf8(git.stdout)?
            .split_terminator('\0')
            .filter(|file| root.join(file).is_file())
            .map(str::to_owned)
            .collect();
        files.extend(changes.keys().cloned());
        remove_others(&copy.tree, "", &files)?;
        for file in &files {
            let text = match changes.get(file) {
                Some(changed) => changed.clone().into_bytes(),
                None => fs::read(root.join(file))?,
            };
            let to = copy.tree.join(file);
            if fs::read(&to).ok().as_ref() != Some(&text) {
                fs::create_dir_all(to.parent().expect("a file is in a folder"))?;
                fs::write(to, text)?;
            }
        }
        Ok(copy)
    }

    fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // Lints are for the code as it is written.
        let flags = format!("{} --cap-lints allow", env::var("RUSTFLAGS").unwrap_or_default());
        cargo
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.build)
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("RUSTFLAGS", flags.trim())
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove(faults::VARIABLE)
            .stderr(Stdio::inherit());
        cargo
    }

    /// The quick tests. Without a fault they pass.
    fn tests(&self) -> Result<Vec<Program>> {
        let mut cargo = self.cargo();
        cargo.args(["test", "--locked", "--package", "spec-tests", "--no-run"]);
        cargo.arg("--message-format=json-render-diagnostics");
        for name in QUICK.iter().map(|(name, _)| name).collect::<BTreeSet<_>>() {
            cargo.args(["--test", name]);
        }
        let built = cargo.output()?;
        if !built.status.success() {
            return Err(format!("the tests with faults do not compile in {}", self.tree.display()).into());
        }
        let messages: Vec<Value> = String::from_utf8_lossy(&built.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let mut programs = Vec::new();
        for (name, cases) in QUICK {
            let path = messages.iter().find_map(|message| {
                let same = message["target"]["name"] == name && message["target"]["kind"][0] == "test";
                message["executable"].as_str().filter(|_| same)
            });
            let path = path.ok_or_else(|| format!("cargo built no test called {name}"))?.into();
            programs.push(Program { name, path, how: How::Test { cases }, most: Duration::MAX });
        }
        self.pass(programs)
    }

    /// The fuzz targets. Without a fault they pass.
    fn targets(&self) -> Result<Vec<Program>> {
        let there = self.cargo().args(["fuzz", "--version"]).stderr(Stdio::null()).output()?.status.success();
        if !there && !self.cargo().args(["install", "cargo-fuzz", "--locked"]).status()?.success() {
            return Err("cargo-fuzz cannot be installed".into());
        }
        if !self.cargo().args(["fuzz", "build", "-s", "none"]).status()?.success() {
            return Err(
                format!("the fuzz targets with faults do not compile in {}", self.tree.display()).into()
            );
        }
        let version = String::from_utf8(Command::new("rustc").arg("-vV").output()?.stdout)?;
        let host =
            version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
        let folder = self.build.join(host).join("release");
        let program = |name| Program {
            name,
            path: folder.join(name).with_extension(env::consts::EXE_EXTENSION),
            how: How::Fuzz,
            most: Duration::from_secs(5 * SECONDS),
        };
        self.pass(TARGETS.iter().map(|target| program(target.name)).collect())
    }

    fn pass(&self, mut programs: Vec<Program>) -> Result<Vec<Program>> {
        for program in &mut programs {
            let start = Instant::now();
            if let Some(found) = program.run(self, None)? {
                return Err(format!("without a fault, this fails: {}", found.by).into());
            }
            if matches!(program.how, How::Test { .. }) {
                program.most = Duration::from_secs(SECONDS).max(ENDLESS * start.elapsed());
            }
        }
        Ok(programs)
    }
}

/// Removes what is not listed from a folder, whose path from the root of the copy is `prefix`.
fn remove_others(folder: &Path, prefix: &str, files: &BTreeSet<String>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            remove_others(&path, &format!("{name}/"), files)?;
        } else if !files.contains(&name) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// A test binary or a fuzz target.
struct Program {
    name: &'static str,
    path: PathBuf,
    how: How,
    /// How long it may take.
    most: Duration,
}

enum How {
    Test { cases: Option<&'static str> },
    Fuzz,
}

impl Program {
    /// What failed with this fault.
    fn run(&self, copy: &Copy, fault: Option<&Fault>) -> Result<Option<Found>> {
        let mut command = Command::new(&self.path);
        command.env_remove(faults::VARIABLE).stderr(Stdio::null());
        if let Some(fault) = fault {
            command.env(faults::VARIABLE, &fault.name);
        }
        match self.how {
            How::Test { cases } => self.test(command.current_dir(copy.tree.join("spec-tests")), cases),
            How::Fuzz => {
                let of = fault.map_or("none", |fault| &fault.name);
                self.fuzz(&mut command, &copy.scratch.join(of), fault.is_some())
            }
        }
    }

    fn test(&self, command: &mut Command, cases: Option<&str>) -> Result<Option<Found>> {
        if let Some(cases) = cases {
            command.env("PAD_CASES", cases);
        }
        let (status, output) = finish(command, self.most)?;
        let Some(status) = status else {
            return Ok(Some(Found { by: format!("`{}`, which does not end", self.name), ended: false }));
        };
        if status.success() {
            return Ok(None);
        }
        let failed = output.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let by = match failed {
            Some(test) => format!("`{}`: `{test}`", self.name),
            None => format!("`{}`: {status}", self.name),
        };
        Ok(Some(Found { by, ended: true }))
    }

    fn fuzz(&self, command: &mut Command, scratch: &Path, long: bool) -> Result<Option<Found>> {
        let folder = scratch.join(self.name);
        fs::create_dir_all(&folder)?;
        let most = if long { format!("-max_total_time={SECONDS}") } else { "-runs=1000".to_string() };
        command.current_dir(&folder).args([&most, &format!("-timeout={SECONDS}"), "."]);
        let (status, _) = finish(command, self.most)?;
        fs::remove_dir_all(&folder)?;
        let by = format!("fuzzing `{}`", self.name);
        Ok(match status {
            Some(status) if status.success() => None,
            Some(_) => Some(Found { by, ended: true }),
            None => Some(Found { by: format!("{by}, which does not end"), ended: false }),
        })
    }
}

/// How `command` ended, if it did within `most`, and its output.
fn finish(command: &mut Command, most: Duration) -> Result<(Option<ExitStatus>, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut stdout = child.stdout.take().expect("piped");
    let reader = thread::spawn(move || {
        let mut output = Vec::new();
        stdout.read_to_end(&mut output).map(|_| output)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if start.elapsed() > most => break None,
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    if status.is_none() {
        child.kill()?;
        child.wait()?;
    }
    let output = reader.join().expect("reading does not panic")?;
    Ok((status, String::from_utf8_lossy(&output).into_owned()))
}
