//! Computes the widths of one axis from the output length that a request asks for.
//!
//! 11. **Size.** The output length of an axis of length `d` is `d` (kept), a number, or `m ceil(d / m)` for multiples of `m`. If
//!     the output is shorter than the input, the request is refused, the axis keeps length `d`, or it is cropped.
//! 12. **Position.** With `t = out - d`, `low` is `0` at the start, `t` at the end, and `t / 2` in the middle. The quotient is
//!     rounded towards zero, or away from zero if the odd element comes before the input. `high = t - low`.

/// The requested length of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Keep,
    Length(usize),
    /// The next multiple of this number.
    Multiple(usize),
}

/// The position of the input in the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    Start,
    /// In the middle. An odd element comes after the input.
    Center,
    /// In the middle. An odd element comes before the input.
    CenterOddBefore,
    End,
}

/// The handling of longer inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Longer {
    Error,
    Keep,
    Crop,
}

/// The reason why there are no widths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoWidths {
    /// The input is longer than this length.
    Longer(usize),
    /// The request asks for multiples of 0.
    ZeroMultiple,
    /// The length does not fit `isize`.
    Overflow,
}

/// Formulas 11 and 12: returns the widths `low` and `high`, or the reason why the request has none.
pub fn widths(d: usize, size: Size, position: Position, longer: Longer) -> Result<(i128, i128), NoWidths> {
    let mut out = match size {
        Size::Keep => d as i128,
        Size::Length(out) => out as i128,
        Size::Multiple(0) => return Err(NoWidths::ZeroMultiple),
        Size::Multiple(m) => (d as i128 + m as i128 - 1) / m as i128 * m as i128,
    };
    if size != Size::Keep && out > isize::MAX as i128 {
        return Err(NoWidths::Overflow);
    }
    if out < d as i128 {
        match longer {
            Longer::Error => return Err(NoWidths::Longer(out as usize)),
            Longer::Keep => out = d as i128,
            Longer::Crop => {}
        }
    }
    let t = out - d as i128;
    let low = match position {
        Position::Start => 0,
        Position::Center => t / 2,
        Position::CenterOddBefore => t / 2 + t % 2,
        Position::End => t,
    };
    Ok((low, t - low))
}
