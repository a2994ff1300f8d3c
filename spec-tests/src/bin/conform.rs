//! Runs recorded cases through `pad-kernels` and through the reference. See `--help`.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::{Arg, ValueExt};
use spec_tests::conform::{Tally, check_file, files};

const HELP: &str = "\
Runs recorded Pad cases through pad-kernels (dialect, plan, kernels) and through the reference (rules, formulas).

Usage: conform FILE|DIRECTORY...

Each FILE has one JSON object a line, as spec-tests/vectors/README.md says; of a DIRECTORY all *.jsonl files are run.
Prints a line for each case that fails, with what was expected and what came out, and ends with
`N passed, N failed, N skipped`. Cases of dialects, versions or types that are not known here are skipped.

Exit code: 0 if no case failed, 1 if one did, 2 if the arguments or a file cannot be read.

Options:
  -q, --quiet  only the last line
  -h, --help   this text
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

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut quiet = false;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Short('q') | Arg::Long("quiet") => quiet = true,
            Arg::Value(path) => paths.push(path.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if paths.is_empty() {
        return Err("no files; try --help".into());
    }

    let files = files(&paths)?;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files {msg}")?;
    // Drawn on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(files.len() as u64).with_style(style);
    let mut tally = Tally::default();
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    for file in &files {
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
