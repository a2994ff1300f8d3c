//! Requests that give the lengths of the output. [`PadTo::resolve`] computes the numbers of elements to add.
//!
//! ```
//! use pad_kernels::pad_to::{AxisTo, PadTo, Position};
//! use pad_kernels::{PadMode, pad};
//!
//! // A list of three elements becomes one of five, with zeros at its end.
//! let to = PadTo::new(PadMode::Constant, [AxisTo::length(5).at(Position::Start)]);
//! assert_eq!(pad(&[1, 2, 3], &[3], &to.resolve(&[3])?)?, [1, 2, 3, 0, 0]);
//! # Ok::<(), pad_kernels::PadError>(())
//! ```

use smallvec::SmallVec;

use crate::dtype::ElementSize;
use crate::error::{Operand, PadError};
use crate::spec::{AxisPad, Fill, Modes, PadSpec, PerSide};

/// The largest length of an axis.
const LONGEST: usize = isize::MAX as usize;

/// Says how long an axis of the output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Size {
    /// The axis is as long as in the input.
    #[default]
    Keep,
    /// The axis has this length.
    Length(usize),
    /// The length is the smallest multiple of this number that is not shorter than the input.
    Multiple(usize),
}

/// Says where the input lies on a longer axis of the output. If the axis is cropped, the elements at this position remain.
///
/// | position | `a b c` padded to 6 elements | `a b c d e` cropped to 2 elements |
/// |---|---|---|
/// | start | `a b c . . .` | `a b` |
/// | center | `. a b c . .` | `b c` |
/// | center, odd before | `. . a b c .` | `c d` |
/// | end | `. . . a b c` | `d e` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Position {
    /// The input lies at the start. Elements are added or removed at the end.
    Start,
    /// The input lies in the middle. If the number of added or removed elements is odd, the end gets or loses one more.
    #[default]
    Center,
    /// The input lies in the middle. If the number of added or removed elements is odd, the start gets or loses one more.
    CenterOddBefore,
    /// The input lies at the end. Elements are added or removed at the start.
    End,
}

/// Says what to do with an input axis that is longer than the requested length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Longer {
    /// [`PadTo::resolve`] returns [`PadError::LongerAxis`].
    #[default]
    Error,
    /// The axis keeps its length.
    Keep,
    /// The axis is cropped to the requested length.
    Crop,
}

/// Holds the request for one axis. A number converts into a request for this length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct AxisTo {
    /// The length of the output.
    pub size: Size,
    /// The position of the input.
    pub position: Position,
    /// The action if the input is longer than the requested length.
    pub longer: Longer,
}

impl AxisTo {
    /// Requests an axis that keeps its length.
    pub const KEEP: AxisTo = AxisTo { size: Size::Keep, position: Position::Center, longer: Longer::Error };

    /// Requests an axis of this length, with the input in its middle.
    pub const fn length(length: usize) -> AxisTo {
        AxisTo { size: Size::Length(length), ..AxisTo::KEEP }
    }

    /// Requests an axis with the input in its middle. Its length is the smallest multiple of `number` that is not shorter than the input.
    pub const fn multiple(number: usize) -> AxisTo {
        AxisTo { size: Size::Multiple(number), ..AxisTo::KEEP }
    }

    /// Sets the position of the input.
    #[must_use]
    pub const fn at(self, position: Position) -> AxisTo {
        AxisTo { position, ..self }
    }

    /// Sets what to do if the input is longer than the requested length.
    #[must_use]
    pub const fn if_longer(self, longer: Longer) -> AxisTo {
        AxisTo { longer, ..self }
    }

    /// Computes the widths for an input axis of this length.
    fn resolve(self, axis: usize, length: usize) -> Result<AxisPad, PadError> {
        let target = match self.size {
            Size::Keep => length,
            Size::Length(length) if length > LONGEST => {
                let (operand, element_size) = (Operand::Output, ElementSize::Cloned);
                return Err(PadError::SizeOverflow { operand, axis, length, element_size });
            }
            Size::Length(target) => target,
            Size::Multiple(0) => return Err(PadError::ZeroMultiple { axis }),
            Size::Multiple(number) => {
                let overflow = PadError::MultipleOverflow { axis, length, number };
                length.checked_next_multiple_of(number).filter(|&target| target <= LONGEST).ok_or(overflow)?
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

/// Describes a pad by the lengths of the output: one [`AxisTo`] per axis, the modes, and the fill.
///
/// [`resolve`](PadTo::resolve) makes a [`PadSpec`] from it, for one shape.
///
/// ```
/// use pad_kernels::pad_to::{AxisTo, Longer, PadTo};
/// use pad_kernels::{PadMode, PadSpec};
/// // Height and width become multiples of 32. The number of channels stays the same.
/// let to = PadTo::new(PadMode::Constant, [AxisTo::multiple(32), AxisTo::multiple(32), AxisTo::KEEP]);
/// let spec = to.with_fill(114u8).resolve(&[427, 640, 3])?;
/// assert_eq!(spec, PadSpec::constant([(10, 11), (0, 0), (0, 0)], 114u8));
/// // Every signal gets 400 samples. Longer signals lose samples at both ends.
/// let to = PadTo::new(PadMode::Reflect, [AxisTo::length(400).if_longer(Longer::Crop)]);
/// assert_eq!(to.resolve(&[405])?.axes()[0], (-2, -3).into());
/// assert_eq!(to.resolve(&[399])?.axes()[0], (0, 1).into());
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PadTo {
    axes: SmallVec<[AxisTo; 6]>,
    /// The mode of all sides, or a mode for each axis or each side.
    pub mode: Modes,
    /// The fill. If it is `None`, the fill is the zero of the element type.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fill: Option<Fill>,
}

impl PadTo {
    /// Makes a request from one mode or [several modes](Modes), and from one entry per axis, the outermost axis first.
    pub fn new<A: Into<AxisTo>>(mode: impl Into<Modes>, axes: impl IntoIterator<Item = A>) -> PadTo {
        PadTo { axes: axes.into_iter().map(Into::into).collect(), mode: mode.into(), fill: None }
    }

    /// Sets the fill of constant borders.
    #[must_use]
    pub fn with_fill(self, fill: impl Into<Fill>) -> PadTo {
        PadTo { fill: Some(fill.into()), ..self }
    }

    /// Returns the entries, one per axis, the outermost axis first.
    pub fn axes(&self) -> &[AxisTo] {
        &self.axes
    }

    /// Computes the numbers of elements to add to an input of this shape.
    ///
    /// # Errors
    ///
    /// - [`PadError::ArgumentCount`]: The number of axes of the request differs from that of the shape.
    /// - [`PadError::LongerAxis`]: An axis is longer than the requested length, and its entry says [`Longer::Error`].
    /// - [`PadError::SizeOverflow`]: The requested length exceeds `isize::MAX`.
    /// - [`PadError::ZeroMultiple`], [`PadError::MultipleOverflow`]: An axis has to become a multiple of 0, or the next multiple
    ///   exceeds the largest length.
    pub fn resolve(&self, shape: &[usize]) -> Result<PadSpec, PadError> {
        if self.axes.len() != shape.len() {
            return Err(PadError::ArgumentCount {
                name: "lengths",
                given: self.axes.len(),
                shape: shape.len(),
            });
        }
        let width = |(axis, (to, &length)): (usize, (&AxisTo, &usize))| to.resolve(axis, length);
        let axes = self.axes.iter().zip(shape).enumerate().map(width).collect::<Result<_, _>>()?;
        let negated = PerSide::default();
        Ok(PadSpec { axes, mode: self.mode.clone(), fill: self.fill.clone(), frame: None, negated })
    }
}
