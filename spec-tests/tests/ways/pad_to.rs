//! Requests by size agree with the rules of other libraries for every short axis, and with the reference for random requests.

use itertools::iproduct;
use pad_kernels::pad_to::{AxisTo, Longer, PadTo, Position, Size};
use pad_kernels::{AxisPad, PadError, PadMode};
use spec_tests::generators::Source;
use spec_tests::oracles::Outcome;
use spec_tests::sizes;

fn resolve(length: usize, to: AxisTo) -> Result<AxisPad, PadError> {
    Ok(PadTo::new(PadMode::Constant, [to]).resolve(&[length])?.axes()[0])
}

/// albumentations' `PadIfNeeded` extends smaller images to a length or to a multiple, and keeps larger ones.
#[test]
fn images_are_padded_as_albumentations_pads_them() {
    for (length, target) in iproduct!(0..=20, 1..=20) {
        let divided = if length % target > 0 { target - length % target } else { 0 };
        let sizes =
            [(Size::Length(target), target.saturating_sub(length)), (Size::Multiple(target), divided)];
        for ((size, added), position) in iproduct!(sizes, [Position::Start, Position::Center, Position::End])
        {
            // albumentations calls the first position "top_left" and its default "center".
            let (added, centered) = (added as i64, (added as f64 / 2.0) as i64);
            let low = match position {
                Position::Start => 0,
                Position::End => added,
                _ => centered,
            };
            let to = AxisTo { size, position, longer: Longer::Keep };
            assert_eq!(resolve(length, to), Ok((low, added - low).into()), "{length} {to:?}");
        }
    }
}

/// librosa's `fix_length` cuts or extends the end; its `pad_center` extends both ends and refuses longer signals.
#[test]
fn signals_are_padded_as_librosa_pads_them() {
    for (length, size) in iproduct!(0..=20, 0..=20) {
        let fixed = AxisTo::length(size).at(Position::Start).if_longer(Longer::Crop);
        assert_eq!(resolve(length, fixed), Ok((0, size as i64 - length as i64).into()));
        let centered = resolve(length, AxisTo::length(size));
        let lpad = (size as i64 - length as i64).div_euclid(2);
        if lpad < 0 {
            assert_eq!(centered, Err(PadError::LongerAxis { axis: 0, length, target: size }));
        } else {
            assert_eq!(centered, Ok((lpad, size as i64 - length as i64 - lpad).into()));
        }
    }
}

#[test]
fn random_requests() {
    let outcomes = Source::check("random_requests", 3000, |_, u| sizes::check(&sizes::draw(u)?));
    let refused: std::collections::BTreeSet<_> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Ran => None,
            Outcome::Refused(error) => Some(spec_tests::reach::Refuses::variant(error)),
        })
        .collect();
    Outcome::most_ran(&outcomes, 50);
    for error in ["ArgumentCount", "LongerAxis", "ZeroMultiple", "MultipleOverflow", "SizeOverflow"] {
        assert!(cfg!(miri) || refused.contains(error), "{error}: {refused:?}");
    }
}
