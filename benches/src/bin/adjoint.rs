//! Measures the times of adjoints for the workloads of files, and compares them with the times of memcpy and of the pad.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use benches::workload::{self, Workload};
use pad_kernels::PadPlan;

const HELP: &str = "\
Measures how long gradients take. Compares the time with that of a memcpy of the input's bytes, and with that of the pad.

Usage: adjoint WORKLOADS.json... [--only PREFIX]

Prints one JSON object per line. `memcpy`, `pad` and `adjoint` are the shortest time of one call in nanoseconds.
`of_memcpy` is the time of memcpy divided by that of the gradient. `of_pad` is the time of the pad divided by it.
";

/// The number of samples, and the minimum duration of a sample.
const ROUNDS: usize = 25;
const SAMPLE: Duration = Duration::from_micros(200);

fn main() -> ExitCode {
    let mut files = Vec::new();
    let mut only = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--help" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--only" => only = arguments.next().unwrap_or_default(),
            _ => files.push(argument),
        }
    }
    for file in &files {
        let workloads = workload::load(Path::new(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        for workload in workloads.iter().filter(|workload| workload.id.starts_with(&only)) {
            match measured(workload) {
                Ok(line) => println!("{line}"),
                Err(error) => eprintln!("{}: {error}", workload.id),
            }
        }
    }
    ExitCode::SUCCESS
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
