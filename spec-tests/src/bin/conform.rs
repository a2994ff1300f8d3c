//! Runs recorded cases through `pad-kernels` and through the reference. See `--help`.

#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::{Arg, ValueExt};
use spec_tests::conform::{Tally, check_file, files};
use spec_tests::engine::{self, Known, Limits, Report};
use spec_tests::export::export;

const HELP: &str = "\
Compares pad-kernels, or another library, with recorded pad calls and their right results (cases).

Usage: conform [-q] FILE|DIRECTORY...
       conform --engine COMMAND [OPTION...] FILE|DIRECTORY...
       conform --page DIRECTORY
       conform --export DIRECTORY

Each FILE has one case per line, in the format of spec-tests/vectors/README.md. For a DIRECTORY, the program reads all its
*.jsonl files. It runs each case through pad-kernels and through the reference. For each case that fails, it prints the
right and the wrong result. At the end it prints `N passed, N failed, N skipped`. It skips cases whose dialect, version or
type it does not know.

With --engine, the program tests another library (an engine). It starts COMMAND in a shell, and sends it the cases as
spec-tests/engines/PROTOCOL.md says. If the engine crashes, hangs or prints something else, the program starts it again. It
prints each case that the engine does not pass, and a table with the number of cases per flag and verdict:
  passes    the right tensor, or an error where an error is right
  differs   another tensor, or a tensor where an error is right
  refuses   an error where a tensor is right
  cannot    the engine cannot express the case, which is not a fault
  crashes   the process of the engine ended
  hangs     the engine did not answer in time
  garbles   the engine wrote something that is not an answer
  unasked   the engine could not be started again

With --minimise, the program then searches the smallest call that shows each kind of difference. Two differences are of one
kind if they have the same verdict, the same wrong part and the same flags. It sends the engine smaller and simpler calls, as
long as the difference remains. It prints each call with the right answer and the answer of the engine.

With --page, the program prints a page about several engines. It reads the files NAME.json in DIRECTORY, which --json wrote.
With --export, it writes the cases, the protocol, the adapters, the licence and checksums to a new DIRECTORY.

Exit code without --engine: 0 if no case failed, 1 if one failed, 2 if the arguments or a file are wrong.
Exit code with --engine: 0 if all cases pass or differ as --expect says, 1 if not, or if the engine can express no case, 2 if
the arguments or a file are wrong, or if the engine cannot be started.

Options:
  -q, --quiet            print only the last line, or only the table
  -h, --help             print this text

Options with --engine:
      --expect FILE      the known differences, which must still exist. Each line is an id and a verdict, as the program
                         prints them. Text after a colon is a note, and # begins a comment
      --json FILE        write the counts, and every answer of the engine, to FILE
      --junit FILE       write the results to FILE in the format of JUnit
      --minimise         search the smallest call for each kind of difference
      --within SECONDS   how long --minimise may take in total (default 300)
      --limit SECONDS    how long an answer may take (default 10)
      --start SECONDS    how long the engine may take to start (default 120)
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("conform: {error}");
            ExitCode::from(2)
        }
    }
}

/// How an engine is run, and where that is written.
#[derive(Default, PartialEq)]
struct Options {
    quiet: bool,
    engine: Option<String>,
    expect: Option<PathBuf>,
    json: Option<PathBuf>,
    junit: Option<PathBuf>,
    limit: Option<Duration>,
    start: Option<Duration>,
    minimise: bool,
    within: Option<Duration>,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn run() -> Result<ExitCode> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut options = Options::default();
    let (mut page, mut export_to) = (None::<PathBuf>, None::<PathBuf>);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Short('q') | Arg::Long("quiet") => options.quiet = true,
            Arg::Long("engine") => options.engine = Some(arguments.value()?.parse()?),
            Arg::Long("expect") => options.expect = Some(arguments.value()?.parse()?),
            Arg::Long("json") => options.json = Some(arguments.value()?.parse()?),
            Arg::Long("junit") => options.junit = Some(arguments.value()?.parse()?),
            Arg::Long("limit") => options.limit = Some(seconds(&mut arguments)?),
            Arg::Long("minimise") => options.minimise = true,
            Arg::Long("within") => options.within = Some(seconds(&mut arguments)?),
            Arg::Long("page") => page = Some(arguments.value()?.parse()?),
            Arg::Long("export") => export_to = Some(arguments.value()?.parse()?),
            Arg::Long("start") => options.start = Some(seconds(&mut arguments)?),
            Arg::Value(path) => paths.push(path.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.within.is_some() && !options.minimise {
        return Err("--within belongs to --minimise".into());
    }
    let plain = Options { quiet: options.quiet, ..Options::default() } == options;
    match (page, export_to) {
        (None, None) => {}
        (Some(results), None) if plain && paths.is_empty() => {
            io::stdout().write_all(engine::page(&results)?.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        (None, Some(folder)) if plain && paths.is_empty() => {
            writeln!(io::stdout(), "{}", export(&folder)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => return Err("--page and --export take nothing but a directory".into()),
    }
    if paths.is_empty() {
        return Err("no files; try --help".into());
    }
    let files = files(&paths)?;
    match &options {
        Options { engine: Some(engine), .. } => run_engine(engine, &files, &options),
        _ if plain => run_library(&files, options.quiet),
        _ => Err("--expect, --json, --junit, --limit, --start and --minimise belong to --engine".into()),
    }
}

fn seconds(arguments: &mut lexopt::Parser) -> Result<Duration> {
    let seconds = Duration::try_from_secs_f64(arguments.value()?.parse()?)?;
    match seconds.is_zero() {
        true => Err("a limit of 0 s leaves no time".into()),
        false => Ok(seconds),
    }
}

fn run_engine(command: &str, files: &[PathBuf], options: &Options) -> Result<ExitCode> {
    let known = match &options.expect {
        Some(path) => fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|text| Known::read(&text))
            .map_err(|error| format!("{}: {error}", path.display()))?,
        None => Known::default(),
    };
    let questions = engine::questions(files)?;
    let limits = Limits {
        start: options.start.unwrap_or(Duration::from_secs(120)),
        case: options.limit.unwrap_or(Duration::from_secs(10)),
    };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} cases {msg}")?;
    let bar = ProgressBar::new(questions.len() as u64).with_style(style);
    let mut run = engine::run(command, limits, &questions, |outcome| {
        bar.set_message(outcome.id.clone());
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    if options.minimise {
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} kinds of differences, asked {msg} times")?;
        let bar = ProgressBar::new(1).with_style(style);
        let within = options.within.unwrap_or(Duration::from_secs(300));
        engine::minimise(command, limits, &questions, &mut run, within, |at| {
            bar.set_length(at.of as u64);
            bar.set_position(at.kinds as u64);
            bar.set_message(at.asked.to_string());
        });
        bar.finish_and_clear();
    }

    let report = Report::new(&run, &known);
    if let Some(path) = &options.json {
        let mut json = report.json();
        json["files"] = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        fs::write(path, json.to_string() + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if let Some(path) = &options.junit {
        fs::write(path, report.junit()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut out = io::stdout().lock();
    if !options.quiet {
        for line in report.lines() {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out, "{report}")?;
    for smallest in report.smallest() {
        writeln!(out, "\n{smallest}")?;
    }
    match &run.broke_off {
        Some(why) => Err(why.clone().into()),
        None if report.holds() => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

fn run_library(files: &[PathBuf], quiet: bool) -> Result<ExitCode> {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files {msg}")?;
    // Drawn on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(files.len() as u64).with_style(style);
    let mut tally = Tally::default();
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    for file in files {
        bar.set_message(file.display().to_string());
        let report = |line: String| {
            if !quiet && written.is_ok() {
                written = bar.suspend(|| writeln!(out, "{line}"));
            }
        };
        check_file(file, &mut tally, |_| true, report)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    written?;
    if !quiet {
        for (what, cases) in &tally.skipped {
            writeln!(out, "skipped {cases}: {what}")?;
        }
    }
    writeln!(out, "{tally}")?;
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
