//! Requests: the numbers of elements to add to each axis, and the contents of the border. A plan checks a request for its shape.

mod pads;

use alloc::vec::Vec;
use core::fmt;

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::element::{Element, Tag};
pub use pads::Pads;

/// Decides which values the border contains.
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
    /// The border contains the fill.
    #[default]
    Constant,
    /// The border repeats the nearest element. Also called replicate.
    Edge,
    /// The border mirrors the data at its first and last element, several times if needed. OpenCV calls this mode
    /// `REFLECT_101`.
    Reflect,
    /// The border mirrors the data and repeats the outermost element, several times if needed. OpenCV calls this mode `REFLECT`.
    Symmetric,
    /// The border repeats the data. Also called circular or periodic.
    Wrap,
}

impl PadMode {
    /// Holds all five modes.
    pub const ALL: [PadMode; 5] =
        [PadMode::Constant, PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap];

    /// Returns the name of the mode in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            PadMode::Constant => "constant",
            PadMode::Edge => "edge",
            PadMode::Reflect => "reflect",
            PadMode::Symmetric => "symmetric",
            PadMode::Wrap => "wrap",
        }
    }

    /// Returns the [`Frame`] that applies if the spec has none: cropped for wrap, and uncropped for other modes.
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

/// Holds the modes of the two sides of an axis. A [`PadMode`] converts into an `AxisMode` that has this mode on both sides. A
/// pair `(low, high)` converts into one mode per side.
///
/// Each border depends on the data and on its own mode, but not on the mode of the opposite side.
///
/// | modes | `a b c` padded by 4 on both sides |
/// |---|---|
/// | wrap and edge | `c a b c  a b c  c c c c` |
/// | reflect and constant | `a b c b  a b c  . . . .` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AxisMode {
    /// The mode of the border before the first element.
    pub low: PadMode,
    /// The mode of the border after the last element.
    pub high: PadMode,
}

impl AxisMode {
    /// Returns the [`Frame`] that applies if the spec has none: the default frame of the mode on the side that `pad` extends.
    pub const fn default_frame(self, pad: AxisPad) -> Frame {
        if pad.low > 0 { self.low.default_frame() } else { self.high.default_frame() }
    }
}

impl From<PadMode> for AxisMode {
    fn from(mode: PadMode) -> Self {
        AxisMode { low: mode, high: mode }
    }
}

impl From<(PadMode, PadMode)> for AxisMode {
    fn from((low, high): (PadMode, PadMode)) -> Self {
        AxisMode { low, high }
    }
}

/// Holds the modes of a request. A [`PadMode`] converts into one mode for all sides. An array or a vector of modes, or of pairs
/// of modes, converts into one entry per axis, the outermost axis first.
///
/// A corner combines the modes of its axes, and the order of the axes does not matter. An element of a corner is fill if the
/// mode of any axis makes it fill.
///
/// ```
/// use pad_kernels::PadMode::{Constant, Edge, Wrap};
/// use pad_kernels::{AxisMode, PadSpec, pad};
/// // A map ends at the poles and is periodic in the other direction.
/// let spec = PadSpec::new([Edge, Wrap], [(1, 0), (1, 1)]);
/// assert_eq!(pad(&[1, 2, 3, 4, 5, 6], &[2, 3], &spec)?, [3, 1, 2, 3, 1, 3, 1, 2, 3, 1, 6, 4, 5, 6, 4]);
/// // A signal whose last value is replicated.
/// let spec = PadSpec::new([(Constant, Edge)], [(2, 2)]);
/// assert_eq!(pad(&[1, 2, 3], &[3], &spec)?, [0, 0, 1, 2, 3, 3, 3]);
/// // All entries of an array have one type. If one axis has two modes, this type is `AxisMode`.
/// let spec = PadSpec::new([AxisMode::from(Edge), (Constant, Edge).into()], 1);
/// assert_eq!(pad(&[1, 2], &[1, 2], &spec)?, [0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 2]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Modes {
    /// All sides of all axes have this mode.
    All(PadMode),
    /// Each axis has an entry, the outermost axis first.
    Each(Vec<AxisMode>),
}

impl Modes {
    /// Returns the modes of an axis, or `None` if there is no entry for it.
    pub fn of(&self, axis: usize) -> Option<AxisMode> {
        match self {
            Modes::All(mode) => Some(AxisMode::from(*mode)),
            Modes::Each(modes) => modes.get(axis).copied(),
        }
    }

    /// Returns the mode of all sides, or `None` if they differ.
    pub fn single(&self) -> Option<PadMode> {
        match self {
            Modes::All(mode) => Some(*mode),
            Modes::Each(modes) => {
                let AxisMode { low, .. } = *modes.first()?;
                modes.iter().all(|&mode| mode == AxisMode::from(low)).then_some(low)
            }
        }
    }

    /// Returns whether any side has this mode.
    pub fn contains(&self, mode: PadMode) -> bool {
        match self {
            Modes::All(all) => *all == mode,
            Modes::Each(modes) => modes.iter().any(|axis| axis.low == mode || axis.high == mode),
        }
    }
}

impl Default for Modes {
    fn default() -> Self {
        Modes::All(PadMode::default())
    }
}

impl PartialEq<PadMode> for Modes {
    fn eq(&self, mode: &PadMode) -> bool {
        self.single() == Some(*mode)
    }
}

impl From<PadMode> for Modes {
    fn from(mode: PadMode) -> Self {
        Modes::All(mode)
    }
}

impl<M: Into<AxisMode>> FromIterator<M> for Modes {
    fn from_iter<I: IntoIterator<Item = M>>(modes: I) -> Self {
        Modes::Each(modes.into_iter().map(Into::into).collect())
    }
}

impl<M: Into<AxisMode>, const N: usize> From<[M; N]> for Modes {
    fn from(modes: [M; N]) -> Self {
        modes.into_iter().collect()
    }
}

impl<M: Into<AxisMode>> From<Vec<M>> for Modes {
    fn from(modes: Vec<M>) -> Self {
        modes.into_iter().collect()
    }
}

impl<M: Into<AxisMode> + Copy> From<&[M]> for Modes {
    fn from(modes: &[M]) -> Self {
        modes.iter().copied().collect()
    }
}

/// Writes `edge`, or `[edge, wrap]` for two axes. An axis with two modes has a bar: `[edge, wrap|constant]`.
impl fmt::Display for Modes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes = match self {
            Modes::All(mode) => return mode.fmt(f),
            Modes::Each(modes) => modes,
        };
        f.write_str("[")?;
        for (axis, AxisMode { low, high }) in modes.iter().enumerate() {
            f.write_str(if axis > 0 { ", " } else { "" })?;
            write!(f, "{low}")?;
            if low != high {
                write!(f, "|{high}")?;
            }
        }
        f.write_str("]")
    }
}

/// Decides what a border contains if the width of the opposite side is negative.
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
    /// The border is made from the whole axis. It can contain elements that the negative width removes.
    Uncropped,
    /// The axis is cropped first. Then the border is made from the elements that remain.
    Cropped,
}

/// Says how many elements to add to one axis.
///
/// The library first inserts `interior` fill elements between each two neighbours. Then it adds `low` elements before the axis and `high`
/// elements after it. A negative number removes elements. Tuples `(low, high)` and `(low, high, interior)` convert into this type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct AxisPad {
    /// The number of elements to add before the first one. A negative number removes elements.
    pub low: i64,
    /// The number of elements to add after the last one. A negative number removes elements.
    pub high: i64,
    /// The number of fill elements to insert between each two neighbours.
    pub interior: u64,
}

impl AxisPad {
    /// Adds elements at both ends, and none between neighbours.
    pub const fn new(low: i64, high: i64) -> Self {
        AxisPad { low, high, interior: 0 }
    }

    /// Sets the number of fill elements between each two neighbours.
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

/// Writes `(low, high)`, or `(low, high, interior)` if `interior` is not 0.
impl fmt::Display for AxisPad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AxisPad { low, high, interior: 0 } => write!(f, "({low}, {high})"),
            AxisPad { low, high, interior } => write!(f, "({low}, {high}, {interior})"),
        }
    }
}

/// Holds the value of constant borders and of interior padding: one element, or one for each position of an axis.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fill {
    pub(crate) tag: Tag,
    pub(crate) bytes: SmallVec<[u8; 16]>,
    /// The axis whose positions have different elements, or `None` if all have the same one.
    pub(crate) axis: Option<usize>,
}

impl Fill {
    /// Makes a fill of `value`. It keeps all bits, such as NaN payloads and the sign of zero.
    pub fn of<T: Element>(value: T) -> Self {
        Fill {
            tag: Tag::of::<T>(),
            bytes: SmallVec::from_slice(crate::element::bytes_of(&value)),
            axis: None,
        }
    }

    /// Makes a fill with one value for each position of an axis without padding, such as one colour value per channel of an image.
    ///
    /// ```
    /// use pad_kernels::{Fill, PadMode, PadSpec, pad};
    /// let mut spec = PadSpec::new(PadMode::Constant, [(1, 0), (0, 0)]);
    /// // Adds a red pixel above an image of RGB pixels.
    /// spec.fill = Some(Fill::along(1, &[255u8, 0, 0]));
    /// assert_eq!(pad(&[1u8, 2, 3], &[1, 3], &spec)?, [255, 0, 0, 1, 2, 3]);
    /// // The axis may be any axis. Here, each of two planes gets a column of its own fill on the left.
    /// let spec = PadSpec::new(PadMode::Constant, [(0, 0), (1, 0)]).with_fill_along(0, &[8, 9]);
    /// assert_eq!(pad(&[1u8, 2, 3, 4], &[2, 2], &spec)?, [8, 1, 2, 9, 3, 4]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// The values may have another type than the data, as in [`PadSpec::constant`]. Elements of less than a byte, and elements that are
    /// cloned, cannot have a fill with one value per position.
    pub fn along<T: Element>(axis: usize, values: &[T]) -> Self {
        let bytes = values.iter().flat_map(|value| crate::element::bytes_of(value).iter().copied()).collect();
        Fill { tag: Tag::of::<T>(), bytes, axis: Some(axis) }
    }

    /// Reads the bytes of this fill as one element for each position of `axis`. See [`along`](Fill::along).
    ///
    /// ```
    /// use pad_kernels::{DType, Fill};
    /// assert_eq!(Fill::from_bytes(DType::U8, &[255, 0, 0]).along_axis(1), Fill::along(1, &[255u8, 0, 0]));
    /// ```
    #[must_use]
    pub fn along_axis(self, axis: usize) -> Self {
        Fill { axis: Some(axis), ..self }
    }

    /// Makes a fill from one element of `dtype`: bytes in native byte order, or the low bits of a byte for a smaller element.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Self {
        Fill { tag: Tag::DType(dtype), bytes: SmallVec::from_slice(bytes), axis: None }
    }

    /// Makes a fill from the bytes of an element without a type, for [`PadPlan::for_bytes`](crate::PadPlan::for_bytes).
    pub fn untyped(bytes: &[u8]) -> Self {
        Fill { tag: Tag::Bytes, bytes: SmallVec::from_slice(bytes), axis: None }
    }
}

/// Converts a value into a fill. A plan can convert it to the type of the data, as [`PadSpec::constant`] says.
impl<T: Element> From<T> for Fill {
    fn from(value: T) -> Self {
        Fill::of(value)
    }
}

/// Writes the type of the fill, and its bytes in hexadecimal.
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
        if let Some(axis) = self.axis {
            write!(f, " along axis {axis}")?;
        }
        f.write_str(")")
    }
}

/// Holds one value for each side of each axis. It consists of one pair for all axes, or of one pair per axis. Without pairs,
/// every side has the default.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct PerSide<T>(pub(crate) Vec<(T, T)>);

impl<T> Default for PerSide<T> {
    fn default() -> Self {
        PerSide(Vec::new())
    }
}

impl<T> PerSide<T> {
    /// Uses one value for all sides of all axes.
    pub fn all(value: T) -> Self
    where
        T: Clone,
    {
        PerSide([(value.clone(), value)].into())
    }

    /// Uses one value for the low sides of all axes, and one for the high sides.
    pub fn sides(low: impl Into<T>, high: impl Into<T>) -> Self {
        PerSide([(low.into(), high.into())].into())
    }

    /// Uses one pair of values per axis, the outermost axis first.
    pub fn axes<L: Into<T>, H: Into<T>>(axes: impl IntoIterator<Item = (L, H)>) -> Self {
        PerSide(axes.into_iter().map(|(low, high)| (low.into(), high.into())).collect())
    }

    /// Tells whether every side has the default.
    #[cfg(feature = "serde")]
    pub(crate) fn is_default(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the pair of an axis, or `None` if there is no pair for it.
    pub fn get(&self, axis: usize) -> Option<&(T, T)> {
        match &self.0[..] {
            [pair] => Some(pair),
            pairs => pairs.get(axis),
        }
    }
}

/// Describes a pad: the numbers of elements to add to all axes ([`Pads`]), the modes, and the fill.
///
/// The spec has no shape. [`pad`](crate::pad) and [`PadPlan::new`](crate::PadPlan::new) check the spec for a shape.
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad};
/// let spec = PadSpec::new(PadMode::Constant, [(0, 0), (1, 2)]).with_fill(9u8);
/// assert_eq!(pad(&[1u8, 2, 3, 4], &[2, 2], &spec)?, [9, 1, 2, 9, 9, 9, 3, 4, 9, 9]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PadSpec {
    pub(crate) axes: SmallVec<[AxisPad; 6]>,
    /// The mode of all sides, or a mode for each axis or each side.
    pub mode: Modes,
    /// The fill. If it is `None`, the fill is the zero of the element type.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fill: Option<Fill>,
    /// The frame for negative widths. If it is `None`, [`AxisMode::default_frame`] applies.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub frame: Option<Frame>,
    /// The sides whose borders hold negated copies. See [`with_negated`](PadSpec::with_negated).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "PerSide::is_default"))]
    pub negated: PerSide<bool>,
}

impl PadSpec {
    /// Makes a spec from one [`PadMode`] or [several modes](Modes), and from the elements to add ([`Pads`]).
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadSpec, pad};
    /// let everywhere = PadSpec::new(PadMode::Edge, 1);
    /// let columns = PadSpec::new(PadMode::Edge, [(0, 0), (2, 1)]);
    /// assert_eq!(pad(&[1, 2], &[1, 2], &everywhere)?, [1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2]);
    /// assert_eq!(pad(&[1, 2], &[1, 2], &columns)?, [1, 1, 1, 2, 2]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn new(mode: impl Into<Modes>, pads: impl Into<Pads>) -> Self {
        PadSpec {
            axes: pads.into().0,
            mode: mode.into(),
            fill: None,
            frame: None,
            negated: PerSide::default(),
        }
    }

    /// Makes a spec in mode constant with the fill `value`.
    ///
    /// The value may be a real number of another type than the data, if the type of the data can represent it exactly. For example,
    /// `0.0` (an `f64`) is valid for `f32` data, and `7` (an `i32`) for `u8` data. Errors are `0.1` for `f32` data and `-1` for `u8`
    /// data. The library does not convert from or to `bool` and types without a [`DType`], such as `usize`.
    ///
    /// ```
    /// use pad_kernels::{PadError, PadSpec, pad};
    /// assert_eq!(pad(&[1.5f32], &[1], &PadSpec::constant(1, 0.0))?, [0.0, 1.5, 0.0]);
    /// assert_eq!(pad(&[1u8], &[1], &PadSpec::constant(1, 255))?, [255, 1, 255]);
    /// assert!(matches!(pad(&[1u8], &[1], &PadSpec::constant(1, 256)), Err(PadError::FillType { .. })));
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn constant(pads: impl Into<Pads>, value: impl Into<Fill>) -> Self {
        PadSpec::new(PadMode::Constant, pads).with_fill(value)
    }

    /// Sets the fill of constant borders and of interior padding: a value as in [`constant`](PadSpec::constant), or bytes.
    pub fn with_fill(mut self, fill: impl Into<Fill>) -> Self {
        self.fill = Some(fill.into());
        self
    }

    /// Sets one fill value for each position of an axis. See [`Fill::along`].
    pub fn with_fill_along<T: Element>(mut self, axis: usize, values: &[T]) -> Self {
        self.fill = Some(Fill::along(axis, values));
        self
    }

    /// Sets the frame for negative widths.
    pub fn with_frame(mut self, frame: Frame) -> Self {
        self.frame = Some(frame);
        self
    }

    /// Makes a spec in mode symmetric that negates each mirror image, as the mode `antisymmetric` of PyWavelets does. PyWavelets multiplies
    /// by -1, so it keeps the sign of NaN, and zeros of complex numbers can have other signs.
    ///
    /// ```
    /// use pad_kernels::{PadSpec, pad};
    /// assert_eq!(pad(&[1, 2], &[2], &PadSpec::antisymmetric([(3, 4)]))?, [2, -2, -1, 1, 2, -2, -1, 1, 2]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn antisymmetric(pads: impl Into<Pads>) -> Self {
        PadSpec::new(PadMode::Symmetric, pads).with_negated(PerSide::all(true))
    }

    /// Sets the sides whose borders hold negated copies.
    ///
    /// The sign changes with each mirror image and each repetition of the data at one of these sides. The fill keeps its sign.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadSpec, computed::PerSide, pad};
    /// // A velocity changes its sign at walls across its direction. At walls along its direction, it keeps its sign.
    /// let walls = PadSpec::new(PadMode::Symmetric, [(0, 1), (1, 1)]);
    /// let along_rows = walls.with_negated(PerSide::axes([(false, false), (true, true)]));
    /// assert_eq!(pad(&[1.0, 2.0], &[1, 2], &along_rows)?, [-1.0, 1.0, 2.0, -2.0, -1.0, 1.0, 2.0, -2.0]);
    /// // A field changes its sign with each period.
    /// let round = PadSpec::new(PadMode::Wrap, [(0, 5)]).with_negated(PerSide::all(true));
    /// assert_eq!(pad(&[1, 2], &[2], &round)?, [1, 2, -1, -2, 1, 2, -1]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn with_negated(mut self, negated: PerSide<bool>) -> Self {
        self.negated = negated;
        self
    }

    /// Returns the elements to add: one entry per axis, the outermost axis first, or a single entry for all axes.
    pub fn axes(&self) -> &[AxisPad] {
        &self.axes
    }

    /// Tells whether the spec has one pad for all axes, or `rank` pads.
    #[inline(always)]
    pub(crate) fn is_for_rank(&self, rank: usize) -> bool {
        self.axes.len() == rank || self.axes.len() == 1
    }

    /// Returns the pad of an axis.
    #[inline(always)]
    pub(crate) fn pad(&self, axis: usize) -> AxisPad {
        self.axes[if self.axes.len() == 1 { 0 } else { axis }]
    }
}

/// Writes the mode and the pads, such as `[edge, wrap] [(0, 0), (1, 2)]`, then any fill, negated sides and frame.
impl fmt::Display for PadSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.mode)?;
        match &self.axes[..] {
            [pad] => write!(f, "{pad}")?,
            pads => {
                let pads: Vec<_> = pads.iter().map(|pad| alloc::format!("{pad}")).collect();
                write!(f, "[{}]", pads.join(", "))?;
            }
        }
        if let Some(fill) = &self.fill {
            write!(f, " with {fill:?}")?;
        }
        if self.negated.0.iter().any(|&(low, high)| low || high) {
            write!(f, ", negated {:?}", self.negated.0)?;
        }
        match self.frame {
            Some(Frame::Cropped) => f.write_str(", cropped"),
            Some(Frame::Uncropped) => f.write_str(", uncropped"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for PadSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PadSpec({self})")
    }
}
