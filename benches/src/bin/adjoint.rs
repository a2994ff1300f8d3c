//! Measures the times of adjoints for the workloads of files, and compares them with the times of memcpy and of the pad.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use benches::Error;
use benches::workload::{self, Workload};
use pad_kernels::PadPlan;

const HELP: &str = "\
Measures how long gradients take. Compares the time with that of a memcpy of the input's bytes, and with that of the pad.

Usage: adjoint WORKLOADS.json... [--only PREFIX]

  --only PREFIX     measure only the workloads whose ids begin with PREFIX

Prints one JSON object per line. `memcpy`, `pad` and `adjoint` are the shortest time of one call in nanoseconds.
`of_memcpy` is the time of memcpy divided by that of the gradient. `of_pad` is the time of the pad divided by it.
";

/// The number of samples, and the minimum duration of a sample.
const ROUNDS: usize = 25;
const SAMPLE: Duration = Duration::from_micros(200);

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Error> {
    let mut workloads = Vec::new();
    let mut only = String::new();
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            "--only" => only = arguments.next().ok_or("--only needs a value")?,
            option if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
            file => workloads.extend(workload::load(Path::new(file))?),
        }
    }
    if workloads.is_empty() {
        return Err("name a file of workloads; see --help".into());
    }
    workloads.retain(|workload| workload.id.starts_with(&only));
    if workloads.is_empty() {
        return Err(format!("no workload is called {only}").into());
    }
    for workload in &workloads {
        match measured(workload) {
            Ok(line) => println!("{line}"),
            Err(error) => eprintln!("{}: {error}", workload.id),
        }
    }
    Ok(())
}

fn measured(workload: &Workload) -> Result<String, pad_kernels::PadError> {
    let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype)?;
    let adjoint = plan.adjoint()?;
    let source = vec![0x3c; plan.input_bytes()];
    let (mut copy, mut back) = (source.clone(), source.clone());
    let mut padded = vec![0; plan.output_bytes()];
    let gradient = vec![0x3c; plan.output_bytes()];
    let mut least = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (what, least) in least.iter_mut().enumerate() {
            let time = time(|| match what {
                0 => copy.copy_from_slice(black_box(&source)),
                1 => plan.run_bytes(black_box(&source), &mut padded).expect("it fits"),
                _ => adjoint.run_bytes(black_box(&gradient), &mut back).expect("it fits"),
            });
            *least = least.min(time);
        }
    }
    black_box((&copy, &padded, &back));
    let [memcpy, pad, adjoint] = least;
    Ok(format!(
        r#"{{"id": "{}", "memcpy": {memcpy:.0}, "pad": {pad:.0}, "adjoint": {adjoint:.0}, "of_memcpy": {:.2}, "of_pad": {:.2}}}"#,
        workload.id,
        memcpy / adjoint,
        pad / adjoint
    ))
}

/// Returns the nanoseconds of a call.
fn time(mut call: impl FnMut()) -> f64 {
    call();
    let (start, mut calls) = (Instant::now(), 0u32);
    loop {
        call();
        calls += 1;
        let spent = start.elapsed();
        if spent >= SAMPLE {
            return spent.as_secs_f64() * 1e9 / f64::from(calls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_refused() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/types.json");
        for (wrong, error) in [
            (&[][..], "name a file of workloads; see --help"),
            (&[file, "--only"], "--only needs a value"),
            (&[file, "--only", "z"], "no workload is called z"),
            (&[file, "--frobnicate"], "unknown option --frobnicate"),
        ] {
            assert_eq!(run(wrong.iter().map(ToString::to_string)).unwrap_err().to_string(), error);
        }
        let error = run(std::iter::once("none.json".to_string())).unwrap_err().to_string();
        assert_eq!(error.matches("none.json").count(), 1, "{error}");
    }
}
