//! Requests by size: the caller states the lengths of the output, and [`PadTo::resolve`] computes the widths.
//!
//! ```
//! use pad_kernels::pad_to::{AxisTo, PadTo, Position};
//! use pad_kernels::{PadMode, pad};
//!
//! // A list of three becomes one of five, with zeros at its end.
//! let to = PadTo::new(PadMode::Constant, [AxisTo::length(5).at(Position::Start)]);
//! assert_eq!(pad(&[1, 2, 3], &[3], &to.resolve(&[3])?)?, [1, 2, 3, 0, 0]);
//! # Ok::<(), pad_kernels::PadError>(())
//! ```

use smallvec::SmallVec;

use crate::error::PadError;
use crate::spec::{AxisPad, Fill, Modes, PadSpec, PerSide};

/// The length that an axis of the output has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Size {
    /// The length of the input.
    #[default]
    Keep,
    /// This length.
    Length(usize),
    /// The least multiple of this number that holds the input.
    Multiple(usize),
}

/// Where the input lies in a longer axis of the output. A cropped axis keeps the part that lies there.
///
/// | position | `a b c` in six | two of `a b c d e` |
/// |---|---|---|
/// | start | `a b c . . .` | `a b` |
/// | center | `. a b c . .` | `b c` |
/// | center, odd before | `. . a b c .` | `c d` |
/// | end | `. . . a b c` | `d e` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Position {
    /// At the start: elements are added, or removed, at the end.
    Start,
    /// In the middle. If the number of elements is odd, one more of them is added or removed at the end.
    #[default]
    Center,
    /// In the middle. If the number of elements is odd, one more of them is added or removed at the start.
    CenterOddBefore,
    /// At the end: elements are added, or removed, at the start.
    End,
}

/// The handling of an input axis that is longer than the length asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Longer {
    /// [`PadTo::resolve`] fails with [`PadError::LongerAxis`].
    #[default]
    Error,
    /// The axis keeps its length.
    Keep,
    /// The axis is cropped to the length asked for.
    Crop,
}

/// The request for one axis: a size, a position, and the handling of a longer input. A number converts into that length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct AxisTo {
    /// The length of the output.
    pub size: Size,
    /// Where the input lies in it.
    pub position: Position,
    /// The handling of a longer input.
    pub longer: Longer,
}

impl AxisTo {
    /// An axis that keeps its length.
    pub const KEEP: AxisTo = AxisTo { size: Size::Keep, position: Position::Center, longer: Longer::Error };

    /// An axis of this length, with the input in its middle.
    pub const fn length(length: usize) -> AxisTo {
        AxisTo { size: Size::Length(length), ..AxisTo::KEEP }
    }

    /// An axis as long as the least multiple of `number` that holds the input, with the input in its middle.
    pub const fn multiple(number: usize) -> AxisTo {
        AxisTo { size: Size::Multiple(number), ..AxisTo::KEEP }
    }

    /// Sets the position of the input.
    #[must_use]
    pub const fn at(self, position: Position) -> AxisTo {
        AxisTo { position, ..self }
    }

    /// Sets the handling of a longer input.
    #[must_use]
    pub const fn if_longer(self, longer: Longer) -> AxisTo {
        AxisTo { longer, ..self }
    }

    /// Computes the widths for an input axis of this length.
    fn resolve(self, axis: usize, length: usize) -> Result<AxisPad, PadError> {
        let target = match self.size {
            Size::Keep => length,
            Size::Length(target) => target,
            Size::Multiple(0) => return Err(PadError::ZeroMultiple { axis }),
            Size::Multiple(number) => {
                let overflow = PadError::MultipleOverflow { axis, length, number };
                length.checked_next_multiple_of(number).ok_or(overflow)?
            }
        };
        let target = match self.longer {
            Longer::Error if target < length => {
                return Err(PadError::LongerAxis { axis, length, target });
            }
            Longer::Keep => target.max(length),
            _ => target,
        };
        let total = target.abs_diff(length);
        let low = match self.position {
            Position::Start => 0,
            Position::Center => total / 2,
            Position::CenterOddBefore => total.div_ceil(2),
            Position::End => total,
        };
        // If the width exceeds `i64`, the plan reports an error.
        let width = |count: usize| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            if target < length { -count } else { count }
        };
        Ok(AxisPad::new(width(low), width(total - low)))
    }
}

impl From<usize> for AxisTo {
    fn from(length: usize) -> Self {
        AxisTo::length(length)
    }
}

/// A request by size: one [`AxisTo`] per axis, a mode or some, and a fill.
///
/// [`resolve`](PadTo::resolve) turns it into a [`PadSpec`] for one shape. Plans, windows, gradients and all else then work
/// as for any spec.
///
/// ```
/// use pad_kernels::pad_to::{AxisTo, Longer, PadTo};
/// use pad_kernels::{PadMode, PadSpec};
/// // Height and width become multiples of 32, and the three channels stay.
/// let to = PadTo::new(PadMode::Constant, [AxisTo::multiple(32), AxisTo::multiple(32), AxisTo::KEEP]);
/// let spec = to.with_fill(114u8).resolve(&[427, 640, 3])?;
/// assert_eq!(spec, PadSpec::constant([(10, 11), (0, 0), (0, 0)], 114u8));
/// // 400 samples: longer signals lose both ends.
/// let to = PadTo::new(PadMode::Reflect, [AxisTo::length(400).if_longer(Longer::Crop)]);
/// assert_eq!(to.resolve(&[405])?.axes()[0], (-2, -3).into());
/// assert_eq!(to.resolve(&[399])?.axes()[0], (0, 1).into());
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PadTo {
    axes: SmallVec<[AxisTo; 6]>,
    /// The mode, or the modes, of the spec.
    pub mode: Modes,
    /// The fill of the spec; if absent the type's zero.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fill: Option<Fill>,
}

impl PadTo {
    /// Makes a request for a mode, or for [some](Modes), with one entry per axis, outermost first.
    pub fn new<A: Into<AxisTo>>(mode: impl Into<Modes>, axes: impl IntoIterator<Item = A>) -> PadTo {
        PadTo { axes: axes.into_iter().map(Into::into).collect(), mode: mode.into(), fill: None }
    }

    /// Sets the fill of constant borders.
    #[must_use]
    pub fn with_fill(self, fill: impl Into<Fill>) -> PadTo {
        PadTo { fill: Some(fill.into()), ..self }
    }

    /// One entry per axis, outermost first.
    pub fn axes(&self) -> &[AxisTo] {
        &self.axes
    }

    /// Computes the widths for an input of `shape`.
    ///
    /// # Errors
    ///
    /// - [`PadError::AxisCount`]: the request has another number of axes than the shape.
    /// - [`PadError::LongerAxis`]: an axis is longer than its length, and the request says [`Longer::Error`].
    /// - [`PadError::ZeroMultiple`], [`PadError::MultipleOverflow`]: an axis has no such multiple.
    pub fn resolve(&self, shape: &[usize]) -> Result<PadSpec, PadError> {
        if self.axes.len() != shape.len() {
            return Err(PadError::AxisCount { spec: self.axes.len(), shape: shape.len() });
        }
        let width = |(axis, (to, &length)): (usize, (&AxisTo, &usize))| to.resolve(axis, length);
        let axes = self.axes.iter().zip(shape).enumerate().map(width).collect::<Result<_, _>>()?;
        let negated = PerSide::default();
        Ok(PadSpec { axes, mode: self.mode.clone(), fill: self.fill.clone(), frame: None, negated })
    }
}
