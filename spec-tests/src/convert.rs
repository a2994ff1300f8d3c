//! Between the words of `pad-kernels` and those of the reference, which knows nothing of them.
#![forbid(unsafe_code)]

use pad_kernels::{
    AxisMode, AxisPad, Frame, Modes, PadError, PadMode,
    tensor::{ElementSize, Operand},
};

use crate::reference::{self, Refusal};

/// Two functions between the library's and the reference's words, which are the same.
macro_rules! words {
    ($to:ident $from:ident $Ours:ident $Theirs:ident: $($word:ident)*) => {
        #[doc = concat!("The reference's word for a ", stringify!($Theirs), ".")]
        pub fn $to(word: $Ours) -> reference::$Theirs {
            match word {
                $($Ours::$word => reference::$Theirs::$word,)*
            }
        }

        #[doc = concat!("The library's word for a ", stringify!($Theirs), " of the reference.")]
        pub fn $from(word: reference::$Theirs) -> $Ours {
            match word {
                $(reference::$Theirs::$word => $Ours::$word,)*
            }
        }
    };
}
words! { mode mode_of_reference PadMode Mode: Constant Edge Reflect Symmetric Wrap }
words! { frame frame_of_reference Frame Frame: Uncropped Cropped }

/// The reference's words for the modes of `rank` axes.
pub fn modes(modes: &Modes, rank: usize) -> Vec<reference::Sides> {
    let sides = |axis: AxisMode| reference::Sides { low: mode(axis.low), high: mode(axis.high) };
    match modes {
        Modes::All(all) => vec![reference::Sides::both(mode(*all)); rank],
        Modes::Each(each) => each.iter().copied().map(sides).collect(),
    }
}

/// The reference's paddings.
pub fn axes(axes: &[AxisPad]) -> Vec<reference::AxisPad> {
    axes.iter()
        .map(|pad| reference::AxisPad { low: pad.low, high: pad.high, interior: pad.interior })
        .collect()
}

/// The library's paddings.
pub fn axes_of_reference(axes: &[reference::AxisPad]) -> Vec<AxisPad> {
    axes.iter().map(|pad| AxisPad { low: pad.low, high: pad.high, interior: pad.interior }).collect()
}

/// What the reference counts sizes in: bits an element.
///
/// Values that are cloned count as one byte each, because the limit for them is `isize::MAX` values.
pub fn element_bits(layout: ElementSize) -> u32 {
    match layout {
        ElementSize::Bytes(bytes) => 8 * u32::try_from(bytes).expect("an element of a sensible size"),
        ElementSize::Bits(bits) => bits as u32,
        ElementSize::Cloned => 8,
    }
}

/// The reference's refusal that an error stands for; `None` for errors that speak of things the reference does not
/// know: fills, types, slices and instruction sets.
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

/// Whether the details an error carries are those of the request it was returned for.
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
