//! Test binaries and fuzz targets of a copy, and what they find.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use indicatif::{ProgressBar, ProgressStyle};

use super::copy::Copy;
use super::{Result, VARIABLE};
use crate::fuzzing::TARGETS;

/// A test of the workspace: its package, its name, and `PAD_CASES`. A library's own tests have the name of the library.
pub type Test = (&'static str, &'static str, Option<&'static str>);

const SPEC: &str = "spec-tests";

/// The tests that say most in the least time, in the order in which they are run.
pub const QUICK: [Test; 19] = [
    (SPEC, "documents", None),
    (SPEC, "refusals", None),
    (SPEC, "reference", None),
    (SPEC, "regressions", None),
    (SPEC, "adjoint", Some("1/3")),
    (SPEC, "laws", Some("150")),
    (SPEC, "borders", Some("300")),
    (SPEC, "dialects", Some("150")),
    (SPEC, "views", Some("150")),
    (SPEC, "ways", None),
    (SPEC, "allocations", None),
    (SPEC, "ndarray", None),
    (SPEC, "options", None),
    (SPEC, "nests", None),
    (SPEC, "fixed", Some("1/20")),
    (SPEC, "computed", Some("1/2")),
    (SPEC, "random", Some("1/5")),
    (SPEC, "dialects", Some("8000")),
    (SPEC, "registry", None),
];

/// How long a fuzz target looks for a fault, in seconds.
pub const SECONDS: u64 = 60;

/// A test that takes so many times as long with a fault as without one does not end.
pub const ENDLESS: u32 = 5;

/// What found a fault.
#[derive(Clone, Debug)]
pub struct Found {
    /// The test.
    pub by: String,
    /// Whether it ended, which is how it failed.
    pub ended: bool,
}

/// A test binary or a fuzz target.
#[derive(Debug)]
pub struct Program {
    /// The package it is of.
    pub package: &'static str,
    /// Its own name.
    pub name: &'static str,
    path: PathBuf,
    how: How,
    /// How long it may take.
    most: Duration,
}

#[derive(Debug)]
enum How {
    Test { cases: Option<&'static str> },
    Fuzz,
}

/// Builds `tests`, which pass without a fault. Each may take `least` with one, or [`ENDLESS`] times what it takes without.
pub fn tests(copy: &Copy, tests: &[Test], least: Duration) -> Result<Vec<Program>> {
    let packages: BTreeSet<_> = tests.iter().map(|(package, ..)| package).collect();
    let names: BTreeSet<_> = tests.iter().map(|(_, name, _)| name).collect();
    let mut arguments = vec!["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"];
    for package in packages {
        arguments.extend(["--package", package]);
    }
    for name in names {
        if is_library(name) {
            arguments.push("--lib");
        } else {
            arguments.extend(["--test", name]);
        }
    }
    arguments.dedup();
    let (built, messages) = copy.messages(&arguments)?;
    if !built {
        return Err(format!("the tests with faults do not compile in {}", copy.tree.display()).into());
    }
    let mut programs = Vec::new();
    for &(package, name, cases) in tests {
        let path = messages.iter().find_map(|message| {
            let same = message["target"]["name"] == name && message["profile"]["test"] == true;
            message["executable"].as_str().filter(|_| same)
        });
        let path = path.ok_or_else(|| format!("cargo built no test called {name}"))?.into();
        programs.push(Program { package, name, path, how: How::Test { cases }, most: Duration::MAX });
    }
    pass(copy, programs, least)
}

fn is_library(name: &str) -> bool {
    name.starts_with("pad_")
}

/// Builds the fuzz targets, which pass without a fault.
pub fn targets(copy: &Copy) -> Result<Vec<Program>> {
    let there = copy.cargo().args(["fuzz", "--version"]).stderr(Stdio::null()).output()?.status.success();
    if !there && !copy.cargo().args(["install", "cargo-fuzz", "--locked"]).status()?.success() {
        return Err("cargo-fuzz cannot be installed".into());
    }
    if !copy.cargo().args(["fuzz", "build", "-s", "none"]).status()?.success() {
        return Err(format!("the fuzz targets with faults do not compile in {}", copy.tree.display()).into());
    }
    let version = String::from_utf8(Command::new("rustc").arg("-vV").output()?.stdout)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let folder = copy.build.join(host).join("release");
    let program = |name| Program {
        package: "fuzz",
        name,
        path: folder.join(name).with_extension(env::consts::EXE_EXTENSION),
        how: How::Fuzz,
        most: Duration::from_secs(5 * SECONDS),
    };
    pass(copy, TARGETS.iter().map(|target| program(target.name)).collect(), Duration::ZERO)
}

fn pass(copy: &Copy, mut programs: Vec<Program>, least: Duration) -> Result<Vec<Program>> {
    for program in &mut programs {
        let start = Instant::now();
        if let Some(found) = program.run(copy, None)? {
            return Err(format!("without a fault, this fails: {}", found.by).into());
        }
        if matches!(program.how, How::Test { .. }) {
            program.most = least.max(ENDLESS * start.elapsed());
        }
    }
    Ok(programs)
}

impl Program {
    /// Whether a file's path has the name of the test in it.
    pub fn is_named_like(&self, file: &str) -> bool {
        file.contains(self.name.trim_end_matches('s'))
    }

    /// What failed with the fault of this name.
    pub fn run(&self, copy: &Copy, fault: Option<&str>) -> Result<Option<Found>> {
        let mut command = Command::new(&self.path);
        command.env_remove(VARIABLE).stderr(Stdio::null());
        if let Some(fault) = fault {
            command.env(VARIABLE, fault);
        }
        match self.how {
            How::Test { cases } => {
                let package = copy.tree.join(self.package);
                // Tests that call cargo ask for the latter.
                command.current_dir(&package).env("CARGO_MANIFEST_DIR", package);
                if is_library(self.name) {
                    // Kernels on their own meet nothing that is changed outside of them, and take the longest.
                    command.args(["--skip", "kernel::tests"]);
                }
                self.test(&mut command, cases)
            }
            How::Fuzz => {
                let of = fault.map_or("none", |fault| fault);
                self.fuzz(&mut command, &copy.scratch.join(of), fault.is_some())
            }
        }
    }

    fn test(&self, command: &mut Command, cases: Option<&str>) -> Result<Option<Found>> {
        if let Some(cases) = cases {
            command.env("PAD_CASES", cases);
        }
        let by = match finish(command, self.most)? {
            End::Failed(test) => format!("`{}`: `{test}`", self.name),
            End::Exit(status) if status.success() => return Ok(None),
            End::Exit(status) => format!("`{}`: {status}", self.name),
            End::Never => {
                return Ok(Some(Found { by: format!("`{}`, which does not end", self.name), ended: false }));
            }
        };
        Ok(Some(Found { by, ended: true }))
    }

    fn fuzz(&self, command: &mut Command, scratch: &Path, long: bool) -> Result<Option<Found>> {
        let folder = scratch.join(self.name);
        fs::create_dir_all(&folder)?;
        let most = if long { format!("-max_total_time={SECONDS}") } else { "-runs=1000".to_string() };
        command.current_dir(&folder).args([&most, &format!("-timeout={SECONDS}"), "."]);
        let end = finish(command, self.most)?;
        fs::remove_dir_all(&folder)?;
        let by = format!("fuzzing `{}`", self.name);
        Ok(match end {
            End::Exit(status) if status.success() => None,
            End::Never => Some(Found { by: format!("{by}, which does not end"), ended: false }),
            _ => Some(Found { by, ended: true }),
        })
    }
}

/// Tries every item, `jobs` of them at a time, and prints the line that is said of each. A bar above shows how many of `what` are
/// done, on standard error and only if that is a terminal.
pub fn try_each<T: Sync>(
    items: &[T],
    what: &str,
    jobs: usize,
    name: impl Fn(&T) -> &str + Sync,
    try_one: impl Fn(&T) -> Result<String> + Sync,
) -> Result<()> {
    let style = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{elapsed}}, {{eta}} left: {{msg}}");
    let bar = ProgressBar::new(items.len() as u64).with_style(ProgressStyle::with_template(&style)?);
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            bar.set_message(name(item).to_owned());
            let line = try_one(item).map_err(|error| error.to_string())?;
            bar.suspend(|| println!("{line}"));
            bar.inc(1);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// How a program ended.
enum End {
    Exit(ExitStatus),
    /// At the first test that failed.
    Failed(String),
    /// Not within its time.
    Never,
}

/// Runs `command` until a test fails, and for `most` at most.
fn finish(command: &mut Command, most: Duration) -> Result<End> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let lines = BufReader::new(child.stdout.take().expect("piped")).split(b'\n');
    let (say, failed) = mpsc::channel();
    let reader = thread::spawn(move || -> io::Result<()> {
        for line in lines {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if let Some(test) = line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED")) {
                // Only the first is waited for.
                drop(say.send(test.to_owned()));
            }
        }
        Ok(())
    });
    let start = Instant::now();
    let end = loop {
        match failed.recv_timeout(Duration::from_millis(20)) {
            Ok(test) => break End::Failed(test),
            Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(2)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match child.try_wait()? {
            Some(status) => break failed.try_recv().map_or(End::Exit(status), End::Failed),
            None if start.elapsed() > most => break End::Never,
            None => {}
        }
    };
    if !matches!(end, End::Exit(_)) {
        child.kill()?;
        child.wait()?;
    }
    reader.join().expect("reading does not panic")?;
    Ok(end)
}
