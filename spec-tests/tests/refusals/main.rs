//! Bad input: each kind gives the right error with the right numbers, says so in words, writes nothing and does not
//! panic.

mod axes;
mod computed;
mod dialects;
mod elements;
mod places;
mod runs;
mod sizes;

use pad_kernels::{AxisPad, PadError, PadMode, PadPlan, PadSpec};

const JUNK: u8 = 0xd7;

/// `result` is `error`, and its text has all of `words`.
fn refused<T: std::fmt::Debug>(result: Result<T, PadError>, error: PadError, words: &[&str]) {
    let got = result.expect_err("bad input");
    assert_eq!(got, error);
    let text = got.to_string();
    for word in words {
        assert!(text.contains(word), "{text:?} does not say {word:?}");
    }
    // One sentence for a log, and an error like any other.
    assert!(!text.contains('\n') && !text.ends_with('.'), "{text:?}");
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(got);
    assert_eq!(error.to_string(), text);
}

fn spec<A: Into<AxisPad>, const N: usize>(mode: PadMode, axes: [A; N]) -> PadSpec {
    PadSpec::new(mode, axes)
}

fn plan_u8(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
    PadPlan::new::<u8>(spec, shape)
}

fn interior(interior: u64) -> AxisPad {
    AxisPad::new(0, 0).with_interior(interior)
}
