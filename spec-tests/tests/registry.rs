//! Every kernel of the registry is run on contiguous and strided tensors and on boxes, and is found where it belongs.

use std::collections::{BTreeMap, BTreeSet};

use pad_kernels::{
    DType, PadMode,
    kernels::{self, Isa, PadKernel, Unit},
    tensor::ElementSize,
};
#[cfg(any(all(target_arch = "aarch64", target_endian = "little"), target_feature = "simd128"))]
use pad_kernels::{PadPlan, PadSpec};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::reach::Way;
use spec_tests::views::Layout;
use spec_tests::{oracles, reach, views};

/// Cases each row is run on.
const CASES: usize = 5;

fn draw(source: &mut Source, row: &'static PadKernel) -> Case {
    source.draw(|u| generators::case_for_row(row, u))
}

/// Runs the row on tensors with strides and on a box of an output, until both were met and in every other case.
fn run_otherwise(source: &mut Source, row: &'static PadKernel, case: usize) {
    if !row.isa().available() {
        return;
    }
    let met = |way| reach::runs_of(way, row) > 0;
    for (way, is_due) in [(Way::Strided, case.is_multiple_of(2)), (Way::Windowed, !case.is_multiple_of(2))] {
        if (is_due || !met(way))
            && let Some((case, layout)) = source.draw(|u| views::for_row(row, way, u))
        {
            oracles::check_row(row, &case, &layout)
                .unwrap_or_else(|mismatch| panic!("{}: {mismatch}", row.name()));
        }
    }
}

/// Runs every row of `mode` that this machine can run, through the row's own door and through a plan that chose it.
fn run_all(mode: PadMode) {
    let mut source = Source::new(&format!("registry {mode}"), CASES);
    let rows = || kernels::pad().iter().filter(move |row| row.mode() == mode);
    for row in rows() {
        for case in 0..source.cases() {
            run_otherwise(&mut source, row, case);
            let case = draw(&mut source, row);
            let plan = case.plan().unwrap_or_else(|error| panic!("{}: {case}: {error}", row.name()));
            assert!(generators::is_chosen(row, &plan), "{}: {case}: {plan:?}", row.name());
            assert_eq!((plan.axes().len(), plan.mode()), (row.rank(), row.mode()), "{}", row.name());
            if row.isa().available() {
                oracles::check_row(row, &case, &Layout::whole(plan.output_shape()))
                    .unwrap_or_else(|mismatch| panic!("{}: {mismatch}", row.name()));
            }
        }
    }
    for way in Way::ALL {
        let missed: Vec<_> =
            reach::missed(way).into_iter().filter(|row| row.mode() == mode).map(PadKernel::name).collect();
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

macro_rules! modes {
    ($($name:ident $mode:ident;)*) => {
        $(#[test] fn $name() { run_all(PadMode::$mode); })*
    };
}
modes! {
    constant_rows_are_run Constant;
    edge_rows_are_run Edge;
    reflect_rows_are_run Reflect;
    symmetric_rows_are_run Symmetric;
    wrap_rows_are_run Wrap;
}

fn distinct<K: Ord>(key: impl Fn(&'static PadKernel) -> Option<K>) -> usize {
    kernels::pad().iter().filter_map(key).collect::<BTreeSet<_>>().len()
}

#[test]
fn there_are_enough_rows() {
    let types = |bytes: bool| {
        distinct(move |row| {
            let dtype = row.dtype()?;
            let chosen = !bytes || matches!(dtype.element_size(), ElementSize::Bytes(_));
            chosen.then_some((row.rank(), row.mode().name(), dtype.name()))
        })
    };
    assert!(types(true) >= 6 * 5 * 20, "{}", types(true));
    assert!(types(false) >= 6 * 5 * 26, "{}", types(false));
    let portable =
        kernels::pad().iter().filter(|row| row.isa() == Isa::Portable && row.dtype().is_some()).count();
    assert!(portable >= 6 * 5 * 26, "{portable}");
}

/// The whole product is there: no type, width or instruction set lacks a rank or a mode that another has.
#[test]
fn there_are_no_holes() {
    let ranks = kernels::pad().iter().map(PadKernel::rank).max().expect("rows");
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for row in kernels::pad() {
        *counts.entry((row.isa(), format!("{:?} {:?}", row.dtype(), row.unit()))).or_default() += 1;
    }
    for (key, count) in counts {
        assert_eq!(count, ranks * PadMode::ALL.len(), "{key:?}");
    }
    for &dtype in DType::ALL {
        assert!(kernels::pad().iter().any(|row| row.dtype() == Some(dtype)), "{dtype}");
    }
    for unit in [1, 2, 4, 8, 16].map(Unit::Bytes).into_iter().chain([Unit::AnyBytes]) {
        assert!(kernels::pad().iter().any(|row| row.dtype().is_none() && row.unit() == unit), "{unit:?}");
    }
}

#[test]
fn names_say_what_rows_are() {
    assert_eq!(distinct(|row| Some(row.name())), kernels::pad().len(), "names are unique");
    for row in kernels::pad() {
        let element = match (row.dtype(), row.unit()) {
            (Some(dtype), _) => dtype.name().to_string(),
            (None, Unit::Bytes(bytes)) => format!("bytes{bytes}"),
            (None, _) => "bytes".to_string(),
        };
        let name = format!("r{}_{}_{element}_{}", row.rank(), row.mode(), row.isa());
        assert_eq!(row.name(), name);
        let unit = match row.dtype().map(DType::element_size) {
            Some(ElementSize::Bytes(bytes)) => Unit::Bytes(bytes),
            Some(ElementSize::Bits(_)) => Unit::Bits,
            Some(ElementSize::Cloned) => Unit::Value,
            None => row.unit(),
        };
        assert_eq!(row.unit(), unit, "{name}");
    }
}

/// A set that every machine of the target has is what plans use there.
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

/// A plan of one row fits the rows of other instruction sets and of wider keys, and no others.
#[test]
fn rows_fit_their_own_plans_only() {
    let mut source = Source::new("rows_fit_their_own_plans_only", 1);
    for row in kernels::pad().iter().step_by(7) {
        let case = draw(&mut source, row);
        let plan = case.plan().expect("valid");
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
                Kind::Raw(_) => true,
            };
            assert!(same_key && unit && dtype, "{} fits {case}", other.name());
        }
        let listed = oracles::fitting(&plan).count();
        assert_eq!(count, listed, "{case}");
        assert!(count >= 1, "{case}");
    }
}
