//! Checks that every value at which bugs are likely occurs often.

use std::collections::BTreeMap;

use super::axis::stretched;
use super::*;
use crate::case::Kind;
use crate::reference::Mode;

#[test]
#[cfg_attr(miri, ignore = "needs many cases")]
fn cases_are_where_bugs_live() {
    let mut source = Source::of_seed(2, 4000);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..source.cases() {
        let case = source.draw(case);
        if let Ok(plan) = case.plan() {
            assert!(plan.output_len() <= MOST_ELEMENTS && plan.output_bytes() <= MOST_BYTES, "{case}");
        }
        let mut see = |what: String| *seen.entry(what).or_default() += 1;
        see(format!("kind {}", case.kind));
        see(format!("rank {}", case.shape.len()));
        see(format!("mode {:?} {:?}", case.mode.single(), case.frame));
        for (&length, pad) in case.shape.iter().zip(&case.axes) {
            let d = stretched(length, pad.interior) as i64;
            see(format!("interior {}", pad.interior));
            // Count axes that are as long as a vector, or one element longer or shorter.
            let bits = i64::from(case.kind.bits());
            for (vector, off) in
                [16, 32, 64].into_iter().flat_map(|vector| [-1, 0, 1].map(|off| (vector, off)))
            {
                if (length as i64 - off) * bits == 8 * vector {
                    see(format!("vector of {vector} {off:+}"));
                }
            }
            for (name, side) in [("low", pad.low), ("high", pad.high)] {
                for periods in [1, 2, 4] {
                    let off = side - periods * d;
                    if d > 1 && off.abs() <= 1 {
                        see(format!("{name} by {periods} periods {off:+}"));
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
    assert!(seen.values().all(|&times| times >= 8), "{seen:#?}");
    // The terms are kinds, ranks, modes with frames, interior padding, vectors, periods, removed sides, short lengths and fills.
    let terms = [Kind::all().count(), MOST_AXES + 1, (Mode::ALL.len() + 1) * 3, 4, 9, 2 * 9, 2 * 2, 3, 3];
    assert_eq!(seen.len(), terms.iter().sum::<usize>(), "{seen:#?}");
}
