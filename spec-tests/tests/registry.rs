//! Every kernel of the registry is right on contiguous tensors, strided tensors and regions of the output, and is found where it
//! belongs.
//!
//! Miri takes seconds for each run. Under Miri, each nest of up to three axes runs in one of the three ways. Types of one layout
//! share a nest, and every unit runs in all three ways in every mode. The buffers are plain slices, so Miri finds every access
//! outside of them.

use std::collections::BTreeMap;

use itertools::Itertools;
use pad_kernels::{
    DType, PadMode,
    kernels::{self, Isa, PadKernel, Unit},
    tensor::ElementSize,
};
#[cfg(any(all(target_arch = "aarch64", target_endian = "little"), target_feature = "simd128"))]
use pad_kernels::{PadPlan, PadSpec};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::reach::{Class, Way};
use spec_tests::{oracles, reach};

mod common;

fn draw(source: &mut Source, row: &'static PadKernel) -> Option<Case> {
    source.draw(|u| generators::of_row(row, Way::Contiguous, u)).map(|(case, _)| case)
}

/// Runs the kernel once in the given way. Some kernels have no such case among those generated at random; the result is then
/// false.
fn run(source: &mut Source, row: &'static PadKernel, way: Way) -> bool {
    let Some((case, layout)) = source.draw(|u| generators::of_row(row, way, u)) else { return false };
    oracles::check_row(row, &case, &layout).unwrap_or_else(|mismatch| panic!("{}: {mismatch}", row.name()));
    true
}

/// Runs every kernel of `mode` that this machine can run, once directly and once through a plan that chose it.
fn run_rows(mode: PadMode) {
    let mut source = Source::new(&format!("registry {mode}"), 5);
    let rows = || kernels::pad().iter().filter(move |row| row.mode() == mode);
    for (row, case) in rows().cartesian_product(0..source.cases()) {
        let met = |way| reach::counts().of(Class::Row(way), row.name()) > 0;
        if row.isa().available() {
            run(&mut source, row, Way::Contiguous);
            // Strided tensors and regions take turns. A draw may have neither. A way that has not run yet gets more draws.
            for (turn, way) in [Way::Strided, Way::Windowed].into_iter().enumerate() {
                if case % 2 == turn {
                    run(&mut source, row, way);
                }
                for _ in 0..20 {
                    if !met(way) {
                        run(&mut source, row, way);
                    }
                }
            }
        }
        // Kernels of instruction sets that this machine lacks must fit plans, too.
        if !row.isa().available() && case == 0 {
            let drawn = (0..4).find_map(|_| draw(&mut source, row));
            assert!(drawn.is_some(), "no plan fits {}", row.name());
        }
    }
    for way in Way::ALL {
        let here = rows().filter(|row| row.isa().available()).map(PadKernel::name);
        let missed = reach::counts().missed(&[Class::Row(way)], here);
        assert!(missed.is_empty(), "{} rows were not run {way:?}: {missed:?}", missed.len());
    }
    for isa in Isa::ALL {
        let count = rows().filter(|row| row.isa() == isa).count();
        println!(
            "{mode} {isa}: {count} rows, {}",
            if isa.available() { "run" } else { "not on this machine" }
        );
    }
}

/// Runs one kernel of each nest of ranks 1 to 3. Higher ranks only have more of these loops.
fn run_nests(mode: PadMode) {
    let mut source = Source::new(&format!("nests {mode}"), 1);
    let bits = |row: &PadKernel| match row.dtype().map(DType::element_size) {
        Some(ElementSize::Bits(bits)) => bits,
        _ => 0,
    };
    let here = |row: &&PadKernel| row.mode() == mode && row.rank() <= 3 && row.isa().available();
    let nests = kernels::pad().iter().filter(here);
    let mut runs = [0; 3];
    for (turn, row) in nests.unique_by(|row| (row.rank(), row.isa(), row.unit(), bits(row))).enumerate() {
        for _ in 0..source.cases() {
            let way = (turn + row.rank() + mode as usize) % 3;
            runs[way] += usize::from(run(&mut source, row, Way::ALL[way]));
        }
    }
    let [contiguous, strided, windowed] = runs;
    println!("{mode}: {contiguous} contiguous, {strided} strided, {windowed} windowed cases");
    // There are nine units: five element sizes, any number of bytes, two sizes in bits, and cloned values.
    assert!(contiguous >= 9 * source.cases());
    assert!(strided * 10 >= contiguous * 9 && windowed * 10 >= contiguous * 9);
}

#[test]
fn rows_are_run() {
    common::each(PadMode::ALL, if cfg!(miri) { run_nests } else { run_rows });
}

/// The registry is complete: no type, size or instruction set lacks a rank or a mode that another has. The names of rows say
/// what they are.
#[test]
#[cfg_attr(miri, ignore = "thousands of rows")]
fn there_are_no_holes() {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for row in kernels::pad() {
        let (element, unit) = match (row.dtype(), row.dtype().map(DType::element_size), row.unit()) {
            (Some(dtype), Some(ElementSize::Bytes(bytes)), _) => (dtype.name().into(), Unit::Bytes(bytes)),
            (Some(dtype), Some(ElementSize::Bits(_)), _) => (dtype.name().into(), Unit::Bits),
            (Some(dtype), ..) => (dtype.name().into(), Unit::Value),
            (None, _, Unit::Bytes(bytes)) => (format!("bytes{bytes}"), Unit::Bytes(bytes)),
            (None, ..) => ("bytes".to_string(), Unit::AnyBytes),
        };
        let name = format!("r{}_{}_{element}_{}", row.rank(), row.mode(), row.isa());
        assert_eq!((row.name(), row.unit()), (&name[..], unit));
        *counts.entry((row.isa(), element)).or_default() += 1;
    }
    assert!(kernels::pad().iter().map(PadKernel::name).all_unique());
    for (key, &count) in &counts {
        assert_eq!(count, 6 * PadMode::ALL.len(), "{key:?}");
    }
    let sizes = ["bytes", "bytes1", "bytes2", "bytes4", "bytes8", "bytes16"];
    for element in DType::ALL.iter().map(|dtype| dtype.name()).chain(sizes) {
        assert!(counts.keys().any(|(_, of_row)| of_row == element), "{element}");
    }
}

/// Plans use an instruction set that every machine of the target has.
#[cfg(any(all(target_arch = "aarch64", target_endian = "little"), target_feature = "simd128"))]
#[test]
fn sets_of_the_target_are_used() {
    let set = if cfg!(target_arch = "aarch64") { Isa::Neon } else { Isa::Simd128 };
    assert_eq!(Isa::best(), set);
    for mode in PadMode::ALL {
        let spec = PadSpec::new(mode, [(1, 2), (2, 1)]);
        let plan = PadPlan::new::<u8>(&spec, &[5, 7]).expect("valid");
        assert_eq!(plan.kernel().map(PadKernel::isa), Some(set), "{mode}");
    }
}

/// A plan of one kernel fits the kernels of other instruction sets and of wider keys, and no others.
#[test]
#[cfg_attr(miri, ignore = "thousands of rows")]
fn rows_fit_their_own_plans_only() {
    let mut source = Source::new("rows_fit_their_own_plans_only", 1);
    for row in kernels::pad().iter().step_by(7) {
        let Some(case) = draw(&mut source, row) else { continue };
        let plan = case.plan().expect("valid");
        assert_eq!((plan.axes().len(), plan.mode()), (row.rank(), row.mode()), "{}", row.name());
        let fitting = kernels::pad().iter().filter(|other| other.fits(&plan));
        let mut count = 0;
        for other in fitting {
            count += 1;
            let same_key = (other.rank(), other.mode()) == (row.rank(), row.mode());
            let unit = match other.unit() {
                Unit::Bytes(bytes) => bytes == plan.unit(),
                Unit::AnyBytes => matches!(row.unit(), Unit::Bytes(_) | Unit::AnyBytes),
                unit => unit == row.unit(),
            };
            let dtype = match case.kind {
                Kind::Tagged(dtype) => other.dtype().is_none_or(|of_row| of_row == dtype),
                _ => true,
            };
            assert!(same_key && unit && dtype, "{} fits {case}", other.name());
        }
        let listed = oracles::fitting(&plan).count();
        assert_eq!(count, listed, "{case}");
        assert!(count >= 1, "{case}");
    }
}
