//! Requests by size: the widths of one axis.
//!
//! 11. **Size.** The output length of an axis of length `d` is `d` (kept), a number, or `m ceil(d / m)` for multiples of `m`.
//!     If it is below `d` the request is refused, the axis keeps `d`, or it is cropped.
//! 12. **Position.** With `t = out - d`, `low` is `0` at the start, `t` at the end, and in the middle `t / 2`, rounded towards
//!     zero, or away from it if the odd element is to be before. `high = t - low`.

/// The length of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// That of the input.
    Keep,
    /// A number.
    Length(usize),
    /// A multiple of a number.
    Multiple(usize),
}

/// Where the input lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// At the start.
    Start,
    /// In the middle, the odd element behind.
    Center,
    /// In the middle, the odd element before.
    CenterOddBefore,
    /// At the end.
    End,
}

/// What happens to longer inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Longer {
    /// They are refused.
    Error,
    /// They keep their length.
    Keep,
    /// They are cropped.
    Crop,
}

/// Why there are no widths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoWidths {
    /// The input is longer than this.
    Longer(usize),
    /// Multiples of 0.
    ZeroMultiple,
    /// The multiple does not fit `usize`.
    Overflow,
}

/// Formulas 11 and 12: the two widths.
///
/// # Errors
///
/// The rule that refuses the request.
pub fn widths(d: usize, size: Size, position: Position, longer: Longer) -> Result<(i128, i128), NoWidths> {
    let mut out = match size {
        Size::Keep => d as i128,
        Size::Length(out) => out as i128,
        Size::Multiple(0) => return Err(NoWidths::ZeroMultiple),
        Size::Multiple(m) => (d as i128 + m as i128 - 1) / m as i128 * m as i128,
    };
    if out > usize::MAX as i128 {
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
