//! Tests that the generators produce all values that they should produce.

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::Unstructured;
use pad_kernels::{Frame, PadMode, kernels};

use super::axis::stretched;
use super::*;
use crate::case::Kind;

const CASES: usize = if cfg!(miri) { 50 } else { 4000 };

#[test]
fn nearly_all_cases_run() {
    let mut source = Source::of_seed(1, CASES);
    let (mut refused, mut empty, mut elements) = (0, 0, 0);
    for _ in 0..source.cases() {
        let case = source.draw(case);
        match case.plan() {
            Ok(plan) => {
                assert!(plan.output_len() <= MOST_ELEMENTS, "{case}: {}", plan.output_len());
                assert!(plan.output_bytes() <= MOST_BYTES, "{case}: {}", plan.output_bytes());
                empty += usize::from(plan.is_empty());
                elements += plan.output_len();
            }
            Err(_) => refused += 1,
        }
    }
    println!("{refused} refused, {empty} empty of {CASES}; {} elements on average", elements / CASES);
    assert!(refused * 100 <= CASES, "{refused} refused");
    assert!(empty * 10 <= CASES, "{empty} empty");
}

#[test]
fn no_bytes_are_a_case_too() {
    for bytes in [&[][..], &[0; 3], &[255; 40]] {
        let case = case(&mut Unstructured::new(bytes)).expect("a case");
        assert!(case.plan().is_ok(), "{case}");
        let wild = wild(&mut Unstructured::new(bytes)).expect("a request");
        assert!(wild.axes.len() <= MOST_AXES + 1);
        for row in kernels::pad() {
            let case = case_for_row(row, &mut Unstructured::new(bytes)).expect("a case");
            let plan = case.plan().expect("a valid request");
            assert!(is_chosen(row, &plan), "{}: {case}", row.name());
        }
    }
}

/// Checks that every value at which bugs are likely occurs often.
#[test]
#[cfg_attr(miri, ignore = "needs many cases")]
fn cases_are_where_bugs_live() {
    let mut source = Source::of_seed(2, CASES);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..source.cases() {
        let case = source.draw(case);
        let mut see = |what: String| *seen.entry(what).or_default() += 1;
        see(format!("kind {}", case.kind));
        see(format!("rank {}", case.shape.len()));
        match case.mode.single() {
            Some(mode) => see(format!("mode {mode:?} {:?}", case.frame)),
            None => see(format!("modes {:?}", case.frame)),
        }
        for (&length, pad) in case.shape.iter().zip(&case.axes) {
            let d = stretched(length, pad.interior) as i64;
            see(format!("interior {}", pad.interior));
            for vector in [16, 32, 64] {
                for off in [-1, 0, 1] {
                    let bits = length as i64 * i64::from(case.kind.bits());
                    if bits == 8 * vector + off * i64::from(case.kind.bits()) {
                        see(format!("vector of {vector} {off:+}"));
                    }
                }
            }
            for (name, side) in [("low", pad.low), ("high", pad.high)] {
                for (what, at) in [("one", d), ("two", 2 * d), ("four", 4 * d)] {
                    if d > 1 && (side - at).abs() <= 1 {
                        see(format!("{name} by {what} {}", side - at));
                    }
                }
                if side < 0 {
                    see(format!("{name} removes {}", if side < -d { "too much" } else { "some" }));
                }
            }
            if length <= 2 {
                see(format!("length {length}"));
            }
        }
        let zero = case.fill.as_ref().map(|fill| fill.iter().all(|&byte| byte == 0));
        see(format!("zero fill {zero:?}"));
    }
    let mut expected: BTreeSet<String> = BTreeSet::new();
    expected.extend(Kind::all().map(|kind| format!("kind {kind}")));
    expected.extend((0..=MOST_AXES).map(|rank| format!("rank {rank}")));
    for mode in PadMode::ALL {
        for frame in [None, Some(Frame::Uncropped), Some(Frame::Cropped)] {
            expected.insert(format!("mode {mode:?} {frame:?}"));
            expected.insert(format!("modes {frame:?}"));
        }
    }
    expected.extend((0..=3).map(|interior| format!("interior {interior}")));
    expected.extend((0..=2).map(|length| format!("length {length}")));
    for off in [-1, 0, 1] {
        expected.extend([16, 32, 64].map(|vector| format!("vector of {vector} {off:+}")));
        for name in ["low", "high"] {
            expected.extend(["one", "two", "four"].map(|what| format!("{name} by {what} {off}")));
        }
    }
    for name in ["low", "high"] {
        expected.extend(["some", "too much"].map(|what| format!("{name} removes {what}")));
    }
    expected.extend([None, Some(true), Some(false)].map(|zero| format!("zero fill {zero:?}")));
    for what in expected {
        let times = seen.get(&what).copied().unwrap_or(0);
        assert!(times >= 8, "{what}: {times} times\n{seen:#?}");
    }
}
