//! Pads a zarr array of any size into another one, on several threads. An interrupted run can be continued.
//!
//! ```sh
//! cargo run --release -p benches --features zarr --example pad_zarr -- in.zarr out.zarr --mode reflect --pad 10
//! ```
//!
//! `job.rs` makes one chunk of the output from the parts of the input that it needs. `store.rs` writes chunks, which are either complete or
//! absent. The crate `zarrs` provides arrays and codecs.

mod job;
#[path = "../../../pad-kernels/examples/pad_npy/options.rs"]
mod options;
mod store;

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use job::{Job, Request};
use store::Unfinished;

const HELP: &str = "\
Pads a zarr array and writes the result to a new one.

Usage: pad_zarr IN OUT --pad LOW,HIGH [--pad LOW,HIGH]... [OPTIONS]

  --pad LOW,HIGH  the elements to add before and after an axis; a negative number
                  removes elements, and one number is for both sides. Give it once
                  for all axes, or once per axis, the first axis first
  --mode MODE     constant (default), edge, reflect, symmetric or wrap, or a pair
                  of modes for the sides before and after. Give it once for all
                  axes, or once per axis
  --interior N    the fill elements between each two neighbours. Give it once for
                  all axes, or once per axis
  --value JSON    the fill, written as zarr writes a fill_value, such as 0, 1.5,
                  true, \"NaN\" or [REAL,IMAGINARY] (default: the fill_value of IN)
  --threads N     the number of threads (default and maximum: one per core)
  --resume        continue with an unfinished OUT, or start a new one
  -h, --help      print this text

IN and OUT are folders. Each holds one array of zarr version 3 with a regular chunk
grid and elements of a fixed size. OUT gets the chunks, the codecs, the fill_value
and the attributes of IN.

Each thread needs memory for a chunk of OUT (a shard, if OUT has shards), for the
parts of IN that it reads, and for one more chunk of IN.

The program writes zarr.json of OUT last, so nobody can mistake an unfinished OUT for
a finished one. Until then, OUT has a folder .pad_zarr. If the program ends early, run
the same command with --resume, and do not change IN before. The result is the same as
that of one run.
";

struct Arguments {
    input: PathBuf,
    output: PathBuf,
    request: Request,
    threads: NonZeroUsize,
    resume: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads the message, the exit status still tells of the error.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(arguments) = arguments()? else {
        return Ok(options::print(HELP)?);
    };
    let Arguments { input, output, request, threads, resume } = arguments;
    let at = |path: &Path, error: &dyn Error| format!("{}: {error}", path.display());
    let source = job::open(&input).map_err(|error| at(&input, &*error))?;
    // This check comes before anything is written.
    let plan = job::plan(&source, &request).map_err(|error| at(&input, &*error))?;
    if lies_in(&output, &input) {
        return Err(format!("{}: it lies in {}, which is read", output.display(), input.display()).into());
    }
    let terms = job::terms(&input, &source, &request).map_err(|error| at(&input, &*error))?;
    let unfinished = Unfinished::begin(&output, &terms, resume).map_err(|error| at(&output, &*error))?;
    let job = Job::new(source, plan, &request, &unfinished).map_err(|error| at(&output, &*error))?;
    work(&job, threads).map_err(|error| format!("{} to {}: {error}", input.display(), output.display()))?;
    job.finish().map_err(|error| at(&output, &*error))?;
    unfinished.finish().map_err(|error| at(&output, &error))?;
    Ok(())
}

/// Makes all missing chunks. Each thread makes one chunk after another.
fn work(job: &Job, threads: NonZeroUsize) -> Result<(), job::Failure> {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} chunks {per_sec} {eta}");
    let bar = ProgressBar::new(job.chunks());
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (next, stop, failure) = (AtomicU64::new(0), AtomicBool::new(false), Mutex::new(None));
    // More threads than cores or chunks would only use more memory.
    let most = job.chunks().min(cores().get() as u64);
    thread::scope(|scope| {
        for _ in 0..most.min(threads.get() as u64) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= job.chunks() {
                        break;
                    }
                    match job.make(number) {
                        Ok(()) => bar.inc(1),
                        Err(error) => {
                            stop.store(true, Ordering::Relaxed);
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        }
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Tells whether a path is equal to an existing path, or inside of it. The first path need not exist.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let existing = path.ancestors().find_map(|existing| {
        let found = if existing.as_os_str().is_empty() { Path::new(".") } else { existing };
        Some((found.canonicalize().ok()?, path.strip_prefix(existing).ok()?))
    });
    let Some((mut whole, missing)) = existing else { return false };
    // Folders that do not exist yet are no links, so `..` leads back to the folder before them.
    for part in missing.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    whole.canonicalize().unwrap_or(whole).starts_with(folder)
}

/// Returns the arguments, or `None` if the user requested help.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    use lexopt::prelude::*;

    let mut paths = Vec::new();
    let mut request = Request { modes: Vec::new(), pads: Vec::new(), interior: Vec::new(), value: None };
    let mut threads = cores();
    let mut resume = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("mode") => request.modes.push(parser.value()?.parse_with(options::mode)?),
            Long("pad") => request.pads.push(parser.value()?.parse_with(options::pad)?),
            Long("interior") => request.interior.push(parser.value()?.parse_with(options::interior)?),
            Long("value") if request.value.is_some() => {
                return Err("--value is given twice: give it once".into());
            }
            Long("value") => request.value = Some(parser.value()?.string()?),
            Long("threads") => threads = parser.value()?.parse_with(count)?,
            Long("resume") => resume = true,
            Short('h') | Long("help") => return Ok(None),
            Value(path) if paths.len() < 2 => paths.push(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    let Ok([input, output]) = <[PathBuf; 2]>::try_from(paths) else {
        return Err("name the array to read and the one to write; --help tells the rest".into());
    };
    if request.pads.is_empty() && request.interior.is_empty() {
        return Err("say what to add with --pad LOW,HIGH or --interior N; --help tells the rest".into());
    }
    Ok(Some(Arguments { input, output, request, threads, resume }))
}

fn count(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "--threads takes a whole number, at least 1")
}
