//! Measures the library, memcpy and other libraries on the workloads of a file.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use benches::case::{Case, Settings};
use benches::distribution::distribution;
use benches::measure::measure;
use benches::record::{self, Record, is_peer, join, merge};
use benches::verdict::verdict;
use benches::{Error, competitors, drawn, machine, ours, packages, report, workload};
use indicatif::{ProgressBar, ProgressStyle};
use pad_kernels::kernels::Isa;

const HELP: &str = "\
Measures this library, a memcpy of the output's bytes, and other libraries.

Usage: compare WORKLOADS.json [options]
       compare --draw N [options]

  --draw N          measure prepared plans on N random shapes instead of a file, and print the distribution
                    of speeds, the shapes that are slower than expected, and those where another library is
                    faster. For other ways to pad, add --against
  --seed S          the seed of the random shapes (default 0); only with --draw
  --only ID,..      measure only the workloads whose ids begin with one of these
  --against NAME,.. measure only these libraries and memcpy: plan, streaming, oneshot, alloc or generic of this
                    library, or another library; `peers` means all other libraries, which need a build with
                    `--features peers`. With --draw, the default is `plan`
  --threads N       let each library use N threads (default 1). The sentences of the report are about 1 thread, so
                    other numbers give only tables
  --isa ISA         use the kernels for portable, avx2, avx512, avx512vbmi, neon or simd128
  --rounds N        measure each library N times; 0 measures nothing, and needs --merge
  --merge FILE      add the records of this file; you can give several files. Several records of one
                    library are combined
  --json FILE       at the end, write the records to FILE, one JSON object per line
  --markdown FILE   at the end, write the report to FILE
  --help            print this text

The program compares every output with the reference first. It does not measure a library whose output is wrong,
but prints its name.
";

/// The name that stands for all other libraries in the option `--against`.
const PEERS: &str = "peers";

#[derive(Default)]
struct Args {
    /// The file of workloads. Without it, `draw` random workloads are generated.
    file: Option<PathBuf>,
    draw: Option<NonZeroUsize>,
    seed: Option<u64>,
    only: Vec<String>,
    against: Vec<String>,
    settings: Settings,
    rounds: Option<usize>,
    merge: Vec<PathBuf>,
    json: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

/// Returns the arguments, or `None` after printing help.
fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Args>, Error> {
    let mut parsed = Args { settings: Settings { isa: None, threads: 1 }, ..Args::default() };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(None);
            }
            "--only" => parsed.only.extend(value()?.split(',').map(str::to_string)),
            "--against" => parsed.against.extend(value()?.split(',').map(str::to_string)),
            "--draw" => parsed.draw = Some(number(&arg, &value()?)?),
            "--seed" => parsed.seed = Some(number(&arg, &value()?)?),
            "--threads" => parsed.settings.threads = number::<NonZeroUsize>(&arg, &value()?)?.get(),
            "--isa" => parsed.settings.isa = Some(isa(&value()?)?),
            "--rounds" => parsed.rounds = Some(number(&arg, &value()?)?),
            "--merge" => parsed.merge.push(value()?.into()),
            "--json" => parsed.json = Some(value()?.into()),
            "--markdown" => parsed.markdown = Some(value()?.into()),
            option if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
            _ if parsed.file.is_none() => parsed.file = Some(arg.into()),
            _ => return Err("more than one file of workloads".into()),
        }
    }
    if parsed.file.is_some() == parsed.draw.is_some() {
        return Err("one file of workloads, or --draw; see --help".into());
    }
    if parsed.seed.is_some() && parsed.draw.is_none() {
        return Err("--seed has an effect only with --draw".into());
    }
    if parsed.rounds == Some(0) && parsed.merge.is_empty() {
        return Err("--rounds 0 measures nothing: give --merge FILE".into());
    }
    if parsed.against.is_empty() && parsed.draw.is_some() {
        parsed.against.push("plan".to_string());
    }
    Ok(Some(parsed))
}

fn number<T: FromStr<Err: Display>>(option: &str, text: &str) -> Result<T, Error> {
    text.parse().map_err(|error| format!("{option} {text}: {error}").into())
}

fn isa(name: &str) -> Result<Isa, Error> {
    let isa = Isa::ALL.into_iter().find(|isa| isa.name() == name);
    let isa = isa.ok_or_else(|| format!("unknown instruction set {name}"))?;
    if isa.available() { Ok(isa) } else { Err(format!("this machine does not have {name}").into()) }
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|args| args.as_ref().map_or(Ok(()), run)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workloads = match &args.file {
        Some(path) => workload::load(path)?,
        None => drawn::workloads(args.draw.map_or(0, NonZeroUsize::get), args.seed.unwrap_or_default()),
    };
    if let Some(unknown) = args.only.iter().find(|id| !workloads.iter().any(|one| one.id.starts_with(*id))) {
        return Err(format!("no workload is called {unknown}").into());
    }
    if !args.only.is_empty() {
        workloads.retain(|workload| args.only.iter().any(|id| workload.id.starts_with(id)));
    }
    // A wrong path fails before the program measures.
    let mut sources = Vec::new();
    for path in &args.merge {
        let mut of_file = record::load(path)?;
        of_file.retain(|record| workloads.iter().any(|workload| workload.id == record.workload));
        sources.push(of_file);
    }
    for path in args.json.iter().chain(&args.markdown) {
        let is_new = path.symlink_metadata().is_err();
        let opened = File::options().create(true).append(true).open(path);
        opened.map_err(|error| format!("{}: {error}", path.display()))?;
        if is_new {
            // An interrupted run leaves no empty file.
            std::fs::remove_file(path)?;
        }
    }
    let mut dropped = Vec::new();
    if args.rounds != Some(0) {
        sources.insert(0, measure_all(args, &workloads, &mut dropped)?);
    }
    let mut records = join(&sources);
    records.sort_by_key(|record| workloads.iter().position(|workload| workload.id == record.workload));
    let records = merge(&records)?;
    if !args.merge.is_empty() {
        println!("{}", report::details(&records));
    }
    let speeds = distribution(&records, &workloads, args.settings.isa);
    // For a file, the summary of each class is part of the report.
    let table = match args.file {
        Some(_) => format!("{}\n{speeds}", report::summary(&records, &workloads)),
        None => format!("Prepared plans on shapes drawn at random: speed by memcpy's.\n\n{speeds}"),
    };
    println!("{table}\n{}", verdict(&records, &workloads));
    for line in &dropped {
        println!("dropped: {line}");
    }
    write(args.json.as_deref(), || record::to_lines(&records))?;
    write(args.markdown.as_deref(), || {
        let mut machine = machine::describe();
        machine.push(machine::versions(&packages()).join(", "));
        machine.push("Python libraries as requirements.txt pins them".to_string());
        let command: Vec<_> = std::env::args().skip(1).collect();
        let command = format!("compare {}", command.join(" "));
        let overview = if args.file.is_some() { String::new() } else { table };
        Ok(report::markdown(&records, &workloads, &machine, &command, &dropped, &overview))
    })
}

/// Measures each workload and prints its records immediately.
fn measure_all(
    args: &Args,
    workloads: &[workload::Workload],
    dropped: &mut Vec<String>,
) -> Result<Vec<Record>, Error> {
    let mut competitors = competitors(args.settings.threads)?;
    let is = |name: &str, asked: &str| name == asked || asked == PEERS && is_peer(name);
    let known = |asked: &String| competitors.iter().any(|one| is(one.name, asked));
    if let Some(unknown) = args.against.iter().find(|name| !known(name)) {
        let names: Vec<&str> = competitors.iter().map(|one| one.name).collect();
        let peers = if cfg!(feature = "peers") { "" } else { "; other libraries need `--features peers`" };
        return Err(
            format!("no competitor is called {unknown}: there are {}{peers}", names.join(", ")).into()
        );
    }
    if !args.against.is_empty() {
        let asked = |name: &str| args.against.iter().any(|asked| is(name, asked));
        competitors.retain(|one| one.name == ours::MEMCPY || asked(one.name));
    }
    let bar = ProgressBar::new(workloads.len() as u64).with_style(ProgressStyle::with_template(
        "{wide_bar} {pos}/{len} {msg:40} {elapsed} of about {duration}",
    )?);
    let mut all = Vec::new();
    for workload in workloads {
        bar.set_message(workload.id.clone());
        let case = Case::new(workload, args.settings)?;
        let outcome = measure(&case, &competitors, args.rounds, |name| {
            bar.set_message(format!("{} {name}", workload.id));
        });
        bar.suspend(|| println!("{}", report::details(&outcome.records)));
        bar.inc(1);
        dropped.extend(outcome.dropped);
        all.extend(outcome.records);
    }
    bar.finish_and_clear();
    Ok(all)
}

fn write(path: Option<&Path>, text: impl FnOnce() -> Result<String, Error>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text()?).map_err(|error| format!("{}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &str) -> Result<Option<Args>, Error> {
        parse(args.split_whitespace().map(str::to_string))
    }

    #[test]
    fn options_are_read() {
        let args =
            parsed("w.json --only a,b --threads 2 --isa portable --rounds 3 --merge x --merge y --json o");
        let args = args.unwrap().unwrap();
        assert_eq!(args.only, ["a", "b"]);
        assert_eq!(args.settings, Settings { isa: Some(Isa::Portable), threads: 2 });
        assert_eq!((args.rounds, args.merge.len()), (Some(3), 2));
        assert!(parsed("--help").unwrap().is_none());
        let drawn = parsed("--draw 100 --seed 7").unwrap().unwrap();
        assert_eq!((drawn.draw, drawn.seed), (NonZeroUsize::new(100), Some(7)));
        assert_eq!(drawn.against, ["plan"]);
        for wrong in "|a b|a --draw 1|a --only|a --isa sse9|a --frobnicate|--draw".split('|') {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        for (wrong, message) in [
            ("a --threads x", "--threads x: invalid digit"),
            ("a --threads 0", "--threads 0: number would be zero"),
            ("a --rounds x", "--rounds x: invalid digit"),
            ("a --rounds 0 --json o", "--rounds 0 measures nothing: give --merge FILE"),
            ("a --seed 1", "--seed has an effect only with --draw"),
            ("--draw many", "--draw many: invalid digit"),
            ("--draw 0", "--draw 0: number would be zero"),
        ] {
            let error = parsed(wrong).err().unwrap().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        for name in Isa::ALL.iter().map(|isa| isa.name()).chain(ours::LIBRARY) {
            assert!(HELP.contains(name), "{name}");
        }
    }

    #[test]
    fn wrong_paths_fail_before_the_measurement() {
        for wrong in ["--json /none/o", "--markdown /none/o", "--merge /none/o"] {
            // The measurement itself would fail because of the unknown library.
            let args = parsed(&format!("--draw 1 --against nobody {wrong}")).unwrap().unwrap();
            let error = run(&args).unwrap_err().to_string();
            assert!(error.starts_with("/none/o: "), "{error}");
        }
        let right = std::env::temp_dir().join(format!("compare-{}.json", std::process::id()));
        let args = parsed(&format!("--draw 1 --against nobody --json {}", right.display())).unwrap().unwrap();
        let error = run(&args).unwrap_err().to_string();
        assert!(error.contains("there are memcpy, plan, streaming"), "{error}");
        assert!(!right.exists(), "the run ended before it wrote");
    }
}
