//! Prints the registry of kernels with one tab-separated line per kernel, or a summary of it.
//!
//! ```sh
//! cargo run --release --example kernels | head
//! cargo run --release --example kernels -- --summary
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use pad_kernels::{
    DType,
    kernels::{self, PadKernel, Unit},
};

const HELP: &str = "\
Prints a table of all kernels, with tabs between the columns.

Usage: kernels [OPTIONS]

  --summary      print the numbers of kernels and the size of their machine code
  --max-bytes N  with --summary: fail if the machine code has more than N bytes,
                 or if its size is unknown
  -h, --help     print this text

The column dtype has a dash if the kernel is for any type. The column unit says what
the kernel copies together: a number of bytes, any number of bytes, bits, or values
(by cloning).
";

/// The module of the kernels, as it appears in symbol names.
const MODULE: &str = "pad_kernels::kernel::";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut summarise, mut max_bytes) = (false, None);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("summary") => summarise = true,
            Long("max-bytes") => max_bytes = Some(parser.value()?.parse::<u64>()?),
            Short('h') | Long("help") => {
                out.write_all(HELP.as_bytes())?;
                return Ok(out.flush()?);
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    if !summarise {
        if max_bytes.is_some() {
            return Err("--max-bytes is a bound on what --summary finds: give both".into());
        }
        rows(&mut out)?;
        return Ok(out.flush()?);
    }
    let bytes = machine_code();
    summary(&mut out, bytes)?;
    out.flush()?;
    match (max_bytes, bytes) {
        (Some(most), Some(bytes)) if bytes > most => {
            Err(format!("{bytes} bytes of machine code are more than {most}").into())
        }
        (Some(_), None) => Err("the machine code's size is unknown: the executable has no symbols".into()),
        _ => Ok(()),
    }
}

fn rows(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "name\trank\tmode\tdtype\tisa\tunit")?;
    for row in kernels::pad() {
        let dtype = row.dtype().map_or("-", DType::name);
        let (name, rank, mode, isa) = (row.name(), row.rank(), row.mode(), row.isa());
        writeln!(out, "{name}\t{rank}\t{mode}\t{dtype}\t{isa}\t{}", unit(row))?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, bytes: Option<u64>) -> io::Result<()> {
    writeln!(out, "{} kernels in the registry", kernels::pad().len())?;
    writeln!(out, "{} kernels that sum", kernels::adjoint().len())?;
    count(out, "instruction set", |row| (row.isa(), row.isa().to_string()))?;
    count(out, "mode", |row| (row.mode() as usize, row.mode().to_string()))?;
    count(out, "rank", |row| (row.rank(), row.rank().to_string()))?;
    // Elements are in the order of the types. Kernels without a type come last, in the order of their unit.
    let place = |dtype| DType::ALL.iter().position(|&other| Some(other) == dtype);
    count(out, "element", |row| match row.dtype() {
        Some(dtype) => ((place(Some(dtype)).unwrap_or(0), 0), dtype.to_string()),
        None => match row.unit() {
            Unit::Bytes(bytes) => ((usize::MAX, bytes), format!("any, width {bytes}")),
            _ => ((usize::MAX, usize::MAX), "any, any width".to_string()),
        },
    })?;
    match bytes {
        Some(bytes) => {
            let kib = bytes as f64 / 1024.0;
            writeln!(out, "\nmachine code of the kernels: {bytes} bytes ({kib:.0} KiB)")
        }
        None => writeln!(out, "\nmachine code of the kernels: unknown"),
    }
}

/// Prints the number of kernels for each key, in the order of the keys.
fn count<K: Ord>(
    out: &mut impl Write,
    what: &str,
    key: impl Fn(&PadKernel) -> (K, String),
) -> io::Result<()> {
    let mut counts = BTreeMap::<(K, String), usize>::new();
    for row in kernels::pad() {
        *counts.entry(key(row)).or_default() += 1;
    }
    writeln!(out, "\nby {what}")?;
    for ((_, name), count) in counts {
        writeln!(out, "{count:8}  {name}")?;
    }
    Ok(())
}

fn unit(row: &PadKernel) -> String {
    match row.unit() {
        Unit::Bytes(bytes) => bytes.to_string(),
        Unit::AnyBytes => "any".to_string(),
        Unit::Bits => "bits".to_string(),
        Unit::Value => "value".to_string(),
    }
}

/// Returns the size of all machine code of the kernels' module in bytes. The sizes come from the symbols of this executable.
/// Returns `None` if the executable has no symbols.
fn machine_code() -> Option<u64> {
    let executable = std::fs::read(std::env::current_exe().ok()?).ok()?;
    let file = object::File::parse(&*executable).ok()?;
    // Symbols with the same address are one function with several names.
    let mut kernels = BTreeMap::<u64, u64>::new();
    // Mach-O has no sizes of symbols. A function ends at the next symbol, or at the end of the section.
    let mut ends: BTreeSet<u64> = file.sections().map(|section| section.address() + section.size()).collect();
    for symbol in file.symbols() {
        ends.insert(symbol.address());
        let is_kernel = |name| format!("{:#}", rustc_demangle::demangle(name)).contains(MODULE);
        if symbol.kind() == SymbolKind::Text && symbol.name().is_ok_and(is_kernel) {
            let size = kernels.entry(symbol.address()).or_default();
            *size = symbol.size().max(*size);
        }
    }
    let sizes = kernels.into_iter().map(|(start, size)| match size {
        0 => ends.range(start + 1..).next().map_or(0, |end| end - start),
        size => size,
    });
    let sum = sizes.sum();
    (sum > 0).then_some(sum)
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
