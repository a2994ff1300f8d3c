//! Tests of sides that negate elements: antisymmetric borders, and wrapped borders with negated elements.

use pad_kernels::computed::PerSide;
use pad_kernels::{PadMode, PadSpec, pad};

/// The sign changes each time that a position passes a negating side. Short examples follow the definition.
#[test]
fn signs_turn_at_every_passing() {
    let padded = |mode: PadMode, widths, negated| {
        let spec = PadSpec::new(mode, [widths]).with_negated(PerSide::axes([negated]));
        pad(&[1, 2, 3], &[3], &spec).expect("a padding")
    };
    let both = (true, true);
    assert_eq!(padded(PadMode::Symmetric, (4, 0), both), [3, -3, -2, -1, 1, 2, 3]);
    assert_eq!(padded(PadMode::Reflect, (5, 3), both), [-2, 1, 2, -3, -2, 1, 2, 3, -2, -1, 2]);
    assert_eq!(padded(PadMode::Wrap, (4, 4), both), [3, -1, -2, -3, 1, 2, 3, -1, -2, -3, 1]);
    assert_eq!(padded(PadMode::Edge, (2, 1), both), [-1, -1, 1, 2, 3, -3]);
    assert_eq!(padded(PadMode::Constant, (1, 1), both), [0, 1, 2, 3, 0]);
    // Only the low side negates. The elements that the high side mirrors keep their sign.
    assert_eq!(padded(PadMode::Symmetric, (3, 6), (true, false)), [-3, -2, -1, 1, 2, 3, 3, 2, 1, -1, -2, -3]);
    let single = PadSpec::new(PadMode::Reflect, [(2, 1)]).with_negated(PerSide::all(true));
    assert_eq!(pad(&[5], &[1], &single), Ok(vec![5, 5, 5, 5]));
    assert_eq!(pad(&[i8::MIN], &[1], &PadSpec::antisymmetric([(0, 1)])), Ok(vec![i8::MIN; 2]));
}
