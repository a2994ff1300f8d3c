//! Prints the registry of kernels with one tab-separated line per kernel, or a summary of it.
//!
//! ```sh
//! cargo run --release --example kernels | head
//! cargo run --release --example kernels -- --summary
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::hint::black_box;
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

/// The module of the kernels, as it appears in symbol names. The second module is a part of it.
const MODULE: &str = "pad_kernels::kernel::";
const COMPUTED: &str = "pad_kernels::kernel::computed::";

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
    let sizes = machine_code();
    summary(&mut out, sizes)?;
    out.flush()?;
    match (max_bytes, sizes.map(|[copying, computing]| copying + computing)) {
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

fn summary(out: &mut impl Write, sizes: Option<[u64; 2]>) -> io::Result<()> {
    writeln!(out, "{} kernels in the registry", kernels::pad().len())?;
    writeln!(out, "{} kernels that sum", kernels::adjoint().len())?;
    // Without `black_box`, the linker would leave these kernels out of the executable, and so out of the sizes.
    writeln!(out, "{} kernels that compute borders", black_box(kernels::computed()).len())?;
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
    let Some([copying, computing]) = sizes else {
        return writeln!(out, "\nmachine code of the kernels: unknown");
    };
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    writeln!(
        out,
        "\nmachine code of the kernels that copy and sum: {copying} bytes ({:.0} KiB)",
        kib(copying)
    )?;
    writeln!(
        out,
        "machine code of the kernels that compute borders: {computing} bytes ({:.0} KiB)",
        kib(computing)
    )
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

/// Returns the bytes of machine code in the kernels' module: of the kernels that copy and sum, and of those that compute borders.
/// The sizes come from the symbols of this executable. Returns `None` if it has no symbols.
fn machine_code() -> Option<[u64; 2]> {
    let executable = std::fs::read(std::env::current_exe().ok()?).ok()?;
    let file = object::File::parse(&*executable).ok()?;
    // Symbols with the same address are one function with several names.
    let mut kernels = BTreeMap::<u64, (u64, bool)>::new();
    // Mach-O has no sizes of symbols. A function ends at the next symbol, or at the end of the section.
    let mut ends: BTreeSet<u64> = file.sections().map(|section| section.address() + section.size()).collect();
    for symbol in file.symbols() {
        ends.insert(symbol.address());
        let Ok(name) = symbol.name().map(|name| format!("{:#}", rustc_demangle::demangle(name))) else {
            continue;
        };
        if symbol.kind() == SymbolKind::Text && name.contains(MODULE) {
            let (size, computes) = kernels.entry(symbol.address()).or_default();
            *size = symbol.size().max(*size);
            *computes = name.contains(COMPUTED);
        }
    }
    let mut sums = [0; 2];
    for (start, (size, computes)) in kernels {
        let to_next = || ends.range(start + 1..).next().map_or(0, |end| end - start);
        sums[usize::from(computes)] += if size == 0 { to_next() } else { size };
    }
    (sums[0] > 0).then_some(sums)
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
