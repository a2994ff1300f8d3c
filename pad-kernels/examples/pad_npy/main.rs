//! Pads the array of a `.npy` file into another file. The arrays may be larger than the memory.
//!
//! ```sh
//! cargo run --release --example pad_npy -- in.npy out.npy --mode reflect --pad 0,0 --pad 3,3
//! ```
//!
//! The program computes one region of the output at a time, from the part of the input that it needs. Each of the two buffers has at most
//! [`ROOM`] bytes. A file of 2 GiB needs 36 MiB of memory in total.

mod npy;
mod options;
mod stream;
mod unfinished;
mod value;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use npy::Header;
use stream::{Job, Request};
use unfinished::{Unfinished, check_file};

const HELP: &str = "\
Pads the array of a .npy file and writes the result to a new file.

Usage: pad_npy IN.npy OUT.npy --pad LOW,HIGH [--pad LOW,HIGH]... [OPTIONS]

  --pad LOW,HIGH  the elements to add before and after an axis; a negative number
                  removes elements, and one number is for both sides. Give it once
                  for all axes, or once per axis, the first axis first
  --mode MODE     constant (default), edge, reflect, symmetric or wrap, or a pair
                  of modes for the sides before and after. Give it once for all
                  axes, or once per axis
  --interior N    the fill elements between each two neighbours. Give it once for
                  all axes, or once per axis
  --value VALUE   the fill (default 0; for text the digit 0, as in numpy). Write a
                  complex number as REAL,IMAGINARY, and a time as a number or NaT
  -h, --help      print this text

The program accepts every type that numpy writes except Python objects, in either byte
order, in row-major or Fortran order. OUT.npy has the type and order of IN.npy. The
files may be larger than memory. OUT.npy appears when it is complete, and may replace
IN.npy. If the program is interrupted or killed, the hidden file .OUT.npy.NUMBER.tmp
remains beside OUT.npy. You can delete that file.
";

/// The maximum size of the input and of the output in memory, in bytes each.
const ROOM: usize = 32 << 20;

/// Work that takes less time than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

struct Arguments {
    input: PathBuf,
    output: PathBuf,
    request: Request,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads the message, the exit status still tells of the error.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(Arguments { input, output, request }) = arguments()? else {
        return Ok(options::print(HELP)?);
    };
    let at = |path: &Path, error: &dyn Error| format!("{}: {error}", path.display());
    check_file(&input).map_err(|error| at(&input, &error))?;
    let mut file = File::open(&input).map_err(|error| at(&input, &error))?;
    let (header, start) = Header::read(&mut BufReader::new(&file)).map_err(|error| at(&input, &error))?;
    let job = Job::new(&header, &request)?;
    let data = file.metadata().map_err(|error| at(&input, &error))?.len().saturating_sub(start);
    if data < job.input_bytes() {
        let needed = job.input_bytes();
        return Err(format!(
            "{}: it holds {data} bytes of data, but its shape needs {needed}",
            input.display()
        )
        .into());
    }
    file.rewind().map_err(|error| at(&input, &error))?;
    let mut unfinished = Unfinished::new(&output).map_err(|error| at(&output, &error))?;
    let mut progress = Progress { total: job.output_bytes(), since: Instant::now(), bar: None };
    job.output
        .write(&mut unfinished.file)
        .and_then(|()| job.run(file, start, &mut unfinished.file, ROOM, &mut |done| progress.show(done)))
        .map_err(|error| format!("{} to {}: {error}", input.display(), output.display()))?;
    progress.end();
    unfinished.finish().map_err(|error| at(&output, &error))?;
    Ok(())
}

/// A progress bar on a terminal, for long work.
struct Progress {
    total: u64,
    since: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn show(&mut self, done: u64) {
        if self.bar.is_none() && self.since.elapsed() > PATIENCE && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
            let bar = ProgressBar::new(self.total).with_elapsed(self.since.elapsed());
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns the arguments, or `None` if the user requested help.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    use lexopt::prelude::*;

    let mut paths = Vec::new();
    let mut request = Request { modes: Vec::new(), pads: Vec::new(), interior: Vec::new(), value: None };
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
            Short('h') | Long("help") => return Ok(None),
            Value(path) if paths.len() < 2 => paths.push(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    let Ok([input, output]) = <[PathBuf; 2]>::try_from(paths) else {
        return Err("name the file to read and the one to write; --help tells the rest".into());
    };
    if request.pads.is_empty() && request.interior.is_empty() {
        return Err("say what to add with --pad LOW,HIGH or --interior N; --help tells the rest".into());
    }
    Ok(Some(Arguments { input, output, request }))
}
