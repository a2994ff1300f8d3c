//! Converts types of `pad-kernels` to types of the reference and back. The reference does not use `pad-kernels`.

use pad_kernels::pad_to::{Longer, Position};
use pad_kernels::{
    AxisMode, AxisPad, Frame, Modes, PadError, PadMode,
    tensor::{ElementSize, Operand},
};

use crate::reference::{self, Mode, Refusal, sizes};

/// Generates a function that converts between an enum of the library and one of the reference with the variants `$word`.
macro_rules! words {
    ($name:ident: $From:ident $To:ty: $($word:ident)*) => {
        pub fn $name(word: $From) -> $To {
            match word {
                $($From::$word => <$To>::$word,)*
            }
        }
    };
}
words! { mode: PadMode Mode: Constant Edge Reflect Symmetric Wrap }
words! { frame: Frame reference::Frame: Uncropped Cropped }
words! { position: Position sizes::Position: Start Center CenterOddBefore End }
words! { longer: Longer sizes::Longer: Error Keep Crop }

/// Converts the modes of `rank` axes to the reference's type.
pub fn modes(modes: &Modes, rank: usize) -> Vec<reference::Sides> {
    let sides = |axis: AxisMode| reference::Sides { low: mode(axis.low), high: mode(axis.high) };
    match modes {
        Modes::All(all) => vec![reference::Sides::both(mode(*all)); rank],
        Modes::Each(each) => each.iter().copied().map(sides).collect(),
    }
}

pub fn axes(axes: &[AxisPad]) -> Vec<reference::AxisPad> {
    axes.iter()
        .map(|pad| reference::AxisPad { low: pad.low, high: pad.high, interior: pad.interior })
        .collect()
}

/// Converts an error of the library to the reference's refusal.
///
/// Returns `None` for errors about things that the reference does not have: fills, types, slices and instruction sets.
pub fn refusal(error: &PadError) -> Option<Refusal> {
    Some(match *error {
        PadError::AxisCount { spec, shape } => Refusal::AxisCount { axes: spec, rank: shape },
        PadError::ModeCount { modes, shape } => Refusal::ModeCount { modes, rank: shape },
        PadError::NegativeOutput { axis, .. } => Refusal::NegativeOutput { axis },
        PadError::AxisOverflow { axis, .. } => Refusal::Overflow { axis },
        PadError::EmptyWindow { axis, .. } => Refusal::EmptyWindow { axis },
        PadError::SizeOverflow { .. } => Refusal::TooLarge,
        _ => return None,
    })
}

/// Returns whether the details in an error are those of the request.
pub fn details_match(error: &PadError, shape: &[usize], axes: &[AxisPad], layout: ElementSize) -> bool {
    let same = |axis: usize, length: usize, pad: AxisPad| shape[axis] == length && axes[axis] == pad;
    match *error {
        PadError::AxisCount { spec, shape: rank } => spec == axes.len() && rank == shape.len(),
        PadError::NegativeOutput { axis, length, pad, output } => {
            let stretch = (length as i128 - 1).max(0) * i128::from(pad.interior) + length as i128;
            same(axis, length, pad) && output == stretch + i128::from(pad.low) + i128::from(pad.high)
        }
        PadError::AxisOverflow { axis, length, pad } | PadError::EmptyWindow { axis, length, pad, .. } => {
            same(axis, length, pad)
        }
        PadError::SizeOverflow { operand, axis, length, element_size: of_error } => {
            of_error == layout && axis < shape.len() && (operand == Operand::Output || shape[axis] == length)
        }
        _ => true,
    }
}
