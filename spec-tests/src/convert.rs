//! Converts types of `pad-kernels` to types of the reference and back. The reference does not use `pad-kernels`.

use pad_kernels::pad_to::{Longer, Position};
use pad_kernels::{AxisMode, AxisPad, Frame, Modes, PadMode};

use crate::reference::{self, Mode, sizes};

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
words! { pad_mode: Mode PadMode: Constant Edge Reflect Symmetric Wrap }
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
