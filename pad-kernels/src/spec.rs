//! What to pad: the request as the caller states it, not yet checked against a tensor.

use core::fmt;

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::element::{Element, Tag};

/// Where elements beyond the data come from.
///
/// | mode | `a b c` padded by 4 on both sides |
/// |---|---|
/// | constant | `. . . .  a b c  . . . .` |
/// | edge | `a a a a  a b c  c c c c` |
/// | reflect | `a b c b  a b c  b a b c` |
/// | symmetric | `c c b a  a b c  c b a a` |
/// | wrap | `c a b c  a b c  a b c a` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum PadMode {
    /// The fill element.
    #[default]
    Constant,
    /// The nearest element of the data. Also called replicate.
    Edge,
    /// The data mirrored about its first and last element, as often as needed. OpenCV's `REFLECT_101`.
    Reflect,
    /// The data mirrored about its outer edges, as often as needed. OpenCV's `REFLECT`.
    Symmetric,
    /// The data repeated. Also called circular or periodic.
    Wrap,
}

impl PadMode {
    /// All five modes.
    pub const ALL: [PadMode; 5] =
        [PadMode::Constant, PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap];

    /// The mode's name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            PadMode::Constant => "constant",
            PadMode::Edge => "edge",
            PadMode::Reflect => "reflect",
            PadMode::Symmetric => "symmetric",
            PadMode::Wrap => "wrap",
        }
    }

    /// The reading of negative sides used where the spec names none: cropped for wrap, which no system
    /// reads otherwise, and uncropped for the rest.
    pub const fn default_frame(self) -> Frame {
        match self {
            PadMode::Wrap => Frame::Cropped,
            _ => Frame::Uncropped,
        }
    }
}

impl fmt::Display for PadMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a negative pad is read where the other side, or a border mode, makes a difference.
///
/// ```
/// use pad_kernels::{Frame, PadMode, PadSpec, pad};
/// let data = [1, 2, 3, 4, 5, 6];
/// let spec = PadSpec::new(PadMode::Reflect, [(-2, 5)]);
/// let seen = pad(&data, &[6], &spec.clone().with_frame(Frame::Uncropped))?;
/// assert_eq!(seen, [3, 4, 5, 6, 5, 4, 3, 2, 1]);
/// let gone = pad(&data, &[6], &spec.with_frame(Frame::Cropped))?;
/// assert_eq!(gone, [3, 4, 5, 6, 5, 4, 3, 4, 5]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Frame {
    /// Borders count in the original axis: what a negative pad removes can still be mirrored back in.
    Uncropped,
    /// The axis is cropped first, and what remains is padded.
    Cropped,
}

/// The padding of one axis, in elements.
///
/// Gaps are opened between the elements first; `low` and `high` then extend, or if negative cut, the
/// result. `(low, high)` and `(low, high, interior)` convert into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct AxisPad {
    /// Elements added before the first, or removed if negative.
    pub low: i64,
    /// Elements added after the last, or removed if negative.
    pub high: i64,
    /// Fill elements inserted between each two neighbours.
    pub interior: u64,
}

impl AxisPad {
    /// Padding at both ends and none between the elements.
    pub const fn new(low: i64, high: i64) -> Self {
        AxisPad { low, high, interior: 0 }
    }

    /// The same with `interior` fill elements between each two neighbours.
    pub const fn with_interior(self, interior: u64) -> Self {
        AxisPad { interior, ..self }
    }
}

impl From<(i64, i64)> for AxisPad {
    fn from((low, high): (i64, i64)) -> Self {
        AxisPad::new(low, high)
    }
}

impl From<[i64; 2]> for AxisPad {
    fn from([low, high]: [i64; 2]) -> Self {
        AxisPad::new(low, high)
    }
}

impl From<(i64, i64, u64)> for AxisPad {
    fn from((low, high, interior): (i64, i64, u64)) -> Self {
        AxisPad { low, high, interior }
    }
}

/// The element that constant borders and interior gaps are made of, as bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fill {
    pub(crate) tag: Tag,
    pub(crate) bytes: SmallVec<[u8; 16]>,
}

impl Fill {
    /// The bits of `value`: NaN payloads and the sign of zero survive.
    pub fn of<T: Element>(value: T) -> Self {
        Fill { tag: Tag::of::<T>(), bytes: SmallVec::from_slice(crate::element::bytes_of(&value)) }
    }

    /// One element of `dtype` as bytes in native byte order. A packed element stands in the low bits of one byte.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Self {
        Fill { tag: Tag::DType(dtype), bytes: SmallVec::from_slice(bytes) }
    }
}

impl fmt::Debug for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fill(")?;
        if let Some(dtype) = self.tag.dtype() {
            write!(f, "{dtype} ")?;
        }
        f.write_str("0x")?;
        for byte in &self.bytes {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// A padding request: one [`AxisPad`] per axis, a mode, a fill and the reading of negative pads.
///
/// Nothing is checked until it meets a shape in [`PadPlan::new`](crate::PadPlan::new).
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad};
/// let spec = PadSpec::new(PadMode::Constant, [(0, 0), (1, 2)]).with_fill(9u8);
/// assert_eq!(pad(&[1u8, 2, 3, 4], &[2, 2], &spec)?, [9, 1, 2, 9, 9, 9, 3, 4, 9, 9]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PadSpec {
    pub(crate) axes: SmallVec<[AxisPad; 6]>,
    /// Where elements beyond the data come from.
    pub mode: PadMode,
    /// The fill; if absent the type's zero.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fill: Option<Fill>,
    /// How negative pads are read; if absent [`PadMode::default_frame`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub frame: Option<Frame>,
}

impl PadSpec {
    /// A request for `mode` with one entry per axis, outermost first.
    pub fn new<A: Into<AxisPad>>(mode: PadMode, axes: impl IntoIterator<Item = A>) -> Self {
        PadSpec { axes: axes.into_iter().map(Into::into).collect(), mode, fill: None, frame: None }
    }

    /// Constant borders of `value`.
    pub fn constant<T: Element, A: Into<AxisPad>>(axes: impl IntoIterator<Item = A>, value: T) -> Self {
        PadSpec::new(PadMode::Constant, axes).with_fill(value)
    }

    /// The same with `value` for constant borders and for interior gaps.
    pub fn with_fill<T: Element>(mut self, value: T) -> Self {
        self.fill = Some(Fill::of(value));
        self
    }

    /// The same with a fill given as one element of `dtype` in bytes; see [`Fill::from_bytes`].
    pub fn with_fill_bytes(mut self, dtype: DType, bytes: &[u8]) -> Self {
        self.fill = Some(Fill::from_bytes(dtype, bytes));
        self
    }

    /// The same with negative pads read in `frame`.
    pub fn with_frame(mut self, frame: Frame) -> Self {
        self.frame = Some(frame);
        self
    }

    /// One entry per axis, outermost first.
    pub fn axes(&self) -> &[AxisPad] {
        &self.axes
    }

    /// The reading of negative pads that applies.
    pub fn frame(&self) -> Frame {
        self.frame.unwrap_or(self.mode.default_frame())
    }
}
