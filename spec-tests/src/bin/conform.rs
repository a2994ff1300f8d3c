//! Runs recorded cases through `pad-kernels` and through the reference. See `--help`.

#![forbid(unsafe_code)]

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use spec_tests::conform::{check, files};
use spec_tests::engine::{self, Known, Limits, Report};
use spec_tests::export::export;
use spec_tests::vectors::load;

/// Compares pad-kernels, or another library, with recorded pad calls and their right results (cases).
///
/// Each FILE has one case per line, in the format of spec-tests/vectors/README.md. For a DIRECTORY, the program reads all its
/// *.jsonl files. It runs each case through pad-kernels and through the reference. For each case that fails, it prints the
/// right and the wrong result. At the end it prints `N passed, N failed`.
///
/// With --engine, the program tests another library (an engine). It starts COMMAND in a shell, and sends it the cases as
/// spec-tests/engines/PROTOCOL.md says. If the engine crashes, hangs or prints something else, the program starts it again. It
/// prints each case that the engine does not pass, and a table with the number of cases per flag and verdict:
///   passes    the right tensor, or an error where an error is right
///   differs   another tensor, or a tensor where an error is right
///   refuses   an error where a tensor is right
///   cannot    the engine cannot express the case, which is not a fault
///   crashes   the process of the engine ended
///   hangs     the engine did not answer in time
///   garbles   the engine wrote something that is not an answer
///   unasked   the engine could not be started again
///
/// With --minimise, the program then searches the smallest call that shows each kind of difference. Two differences are of one
/// kind if they have the same verdict, the same wrong part and the same flags. It sends the engine smaller and simpler calls, as
/// long as the difference remains. It prints each call with the right answer and the answer of the engine.
///
/// Exit code without --engine: 0 if no case failed, 1 if one failed, 2 if the arguments or a file are wrong.
/// Exit code with --engine: 0 if all cases pass or differ as --expect says, 1 if not, or if the engine can express no case, 2 if
/// the arguments or a file are wrong, or if the engine cannot be started.
#[derive(Parser)]
#[command(verbatim_doc_comment)]
#[command(group = ArgGroup::new("what").required(true).args(["paths", "page", "export"]))]
struct Arguments {
    /// Print only the last line, or only the table.
    #[arg(short, long)]
    quiet: bool,
    /// Test the library that this command of the shell runs.
    #[arg(long, value_name = "COMMAND", requires = "paths")]
    engine: Option<String>,
    /// The known differences, which must still exist. Each line is an id and a verdict, as the program prints them. Text after a
    /// colon is a note, and # begins a comment.
    #[arg(long, value_name = "FILE", requires = "engine")]
    expect: Option<PathBuf>,
    /// Write the counts, and every answer of the engine, to FILE.
    #[arg(long, value_name = "FILE", requires = "engine")]
    json: Option<PathBuf>,
    /// Search the smallest call for each kind of difference.
    #[arg(long, requires = "engine")]
    minimise: bool,
    /// How long --minimise may take in total.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "minimise", default_value = "300")]
    within: Duration,
    /// How long an answer may take.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "engine", default_value = "10")]
    limit: Duration,
    /// How long the engine may take to start.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "engine", default_value = "120")]
    start: Duration,
    /// Print a page about several engines. It reads the files NAME.json in DIRECTORY, which --json wrote.
    #[arg(long, value_name = "DIRECTORY")]
    page: Option<PathBuf>,
    /// Write the cases, the protocol, the adapters, the licence and checksums to a new DIRECTORY.
    #[arg(long, value_name = "DIRECTORY")]
    export: Option<PathBuf>,
    /// The cases.
    #[arg(value_name = "FILE|DIRECTORY")]
    paths: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("conform: {error}");
            ExitCode::from(2)
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(results) = &arguments.page {
        io::stdout().write_all(engine::page(results)?.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &arguments.export {
        writeln!(io::stdout(), "{}", export(folder)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let files = files(&arguments.paths, "jsonl")?;
    match &arguments.engine {
        Some(engine) => run_engine(engine, &files, arguments),
        None => run_library(&files, arguments.quiet),
    }
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let seconds = text.parse().map_err(|_| format!("{text} is no number"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(Duration::ZERO) => Err("a limit of 0 s leaves no time".into()),
        other => other.map_err(|error| error.to_string()),
    }
}

fn run_engine(command: &str, files: &[PathBuf], arguments: &Arguments) -> Result<ExitCode> {
    let known = match &arguments.expect {
        Some(path) => fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|text| Known::read(&text))
            .map_err(|error| format!("{}: {error}", path.display()))?,
        None => Known::default(),
    };
    let questions = engine::questions(files)?;
    let limits = Limits { start: arguments.start, case: arguments.limit };
    // The bar appears on standard error, and only if standard error is a terminal.
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let bar = ProgressBar::new(questions.len() as u64).with_style(style);
    let mut run = engine::run(command, limits, &questions, |outcome| {
        bar.set_message(outcome.id.clone());
        bar.inc(1);
    })?;
    if arguments.minimise {
        engine::minimise(command, limits, &questions, &mut run, arguments.within, |kinds, of, asked| {
            bar.set_length(of as u64);
            bar.set_position(kinds as u64);
            bar.set_message(format!("kinds of differences, asked {asked} times"));
        });
    }
    bar.finish_and_clear();

    let report = Report::new(run, &known, files);
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string(&report)? + "\n")
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut out = io::stdout().lock();
    for line in report.surprises.iter().filter(|_| !arguments.quiet) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{report}")?;
    for smallest in &report.run.smallest {
        writeln!(out, "\n{smallest}")?;
    }
    match report.run.broke_off {
        Some(why) => Err(why.into()),
        None if report.holds => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

fn run_library(files: &[PathBuf], quiet: bool) -> Result<ExitCode> {
    let (mut passed, mut failed, mut out) = (0, 0, io::stdout().lock());
    for case in load(files)? {
        match check(&case) {
            Ok(()) => passed += 1,
            Err(difference) => {
                failed += 1;
                if !quiet {
                    writeln!(out, "{}: {difference}", case.id)?;
                }
            }
        }
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
