//! The request for computed borders as the caller states it. It is not yet checked against a tensor.

use alloc::vec::Vec;

use crate::kernel::computed::Computation;
use crate::spec::{Fill, PerSide};

/// A request for borders that are computed, as those modes of `numpy.pad` are that are no [`PadMode`](crate::PadMode).
///
/// The semantics are those of numpy 2.4, axis by axis from the outermost: the borders of an axis are computed from all that lies
/// between them, the borders of the axes before it included. What is promised to the bit and what is not is said in the guide to
/// [computed borders](crate::guide::computed).
///
/// ```
/// use pad_kernels::computed::{ComputedSpec, PerSide, pad_computed};
/// let data = [1, 2, 3, 4, 5];
/// let ramp = ComputedSpec::linear_ramp([(2, 3)], PerSide::sides(5.0, -4.0));
/// assert_eq!(pad_computed(&data, &[5], &ramp)?, [5, 3, 1, 2, 3, 4, 5, 2, -1, -4]);
/// let mean = ComputedSpec::mean([(2, 1)]).with_stat_length(PerSide::all(Some(2)));
/// assert_eq!(pad_computed(&data, &[5], &mean)?, [2, 2, 1, 2, 3, 4, 5, 4]);
/// let odd = ComputedSpec::odd_reflect([(2, 3)]);
/// assert_eq!(pad_computed(&data, &[5], &odd)?, [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct ComputedSpec {
    /// Elements that are added before the first and after the last: one pair per axis, outermost first, or one pair for every axis.
    pub widths: Vec<(usize, usize)>,
    /// What they are.
    pub mode: ComputedMode,
}

/// What computed borders are made of.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ComputedMode {
    /// A constant for each side of each axis. Where axes meet, the constant is that of the last.
    Constants(PerSide<Fill>),
    /// A straight line from the end value, which is the outermost element, to the edge of the data.
    LinearRamp {
        /// Where ramps end; 0 if not given.
        ends: PerSide<EndValue>,
        /// What they are computed in.
        precision: RampPrecision,
    },
    /// The maximum of so many elements next to the border, or of the whole axis, as it is if no length is given.
    Maximum(PerSide<Option<usize>>),
    /// Their mean.
    Mean(PerSide<Option<usize>>),
    /// Their median.
    Median(PerSide<Option<usize>>),
    /// Their minimum.
    Minimum(PerSide<Option<usize>>),
    /// The maximum of those of them that are no NaN. NaN if all are.
    NanMaximum(PerSide<Option<usize>>),
    /// The mean of those of them that are no NaN.
    NanMean(PerSide<Option<usize>>),
    /// The median of those of them that are no NaN.
    NanMedian(PerSide<Option<usize>>),
    /// The minimum of those of them that are no NaN.
    NanMinimum(PerSide<Option<usize>>),
    /// Twice the edge less the mirror image about the edge.
    OddReflect,
    /// Twice the edge less the mirror image that repeats the edge.
    OddSymmetric,
    /// The straight line on through the last two elements; a single element is repeated. PyWavelets' `smooth`.
    Smooth,
    /// Nothing: the inside is written, and the borders are left as they are.
    Empty,
}

/// Where a ramp ends: a real number, or for complex data a complex one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndValue {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl From<f64> for EndValue {
    fn from(re: f64) -> Self {
        EndValue { re, im: 0.0 }
    }
}

impl From<(f64, f64)> for EndValue {
    fn from((re, im): (f64, f64)) -> Self {
        EndValue { re, im }
    }
}

/// What ramps are computed in before they are rounded to the type of the data.
///
/// numpy decides by the way in which its argument is written: end values that it takes as an array of one or two numbers are
/// of double precision, a list of pairs is in that of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RampPrecision {
    /// In double precision.
    #[default]
    Double,
    /// In that of the data; for integers and `bool` that is double precision, too.
    Data,
}

impl ComputedSpec {
    /// A request for `mode` with a pair of widths per axis, outermost first.
    pub fn new(mode: ComputedMode, widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec { widths: widths.into_iter().collect(), mode }
    }

    /// Borders of a constant for each side.
    ///
    /// ```
    /// use pad_kernels::{Fill, computed::{ComputedSpec, PerSide, pad_computed}};
    /// let values = PerSide::axes([(Fill::of(1), Fill::of(2)), (Fill::of(3), Fill::of(4))]);
    /// let spec = ComputedSpec::constants([(1, 0), (1, 1)], values);
    /// assert_eq!(pad_computed(&[7, 8], &[1, 2], &spec)?, [3, 1, 1, 4, 3, 7, 8, 4]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn constants(widths: impl IntoIterator<Item = (usize, usize)>, values: PerSide<Fill>) -> Self {
        ComputedSpec::new(ComputedMode::Constants(values), widths)
    }

    /// Requests borders of one constant on all sides.
    pub fn constant(widths: impl IntoIterator<Item = (usize, usize)>, value: impl Into<Fill>) -> Self {
        ComputedSpec::constants(widths, PerSide::all(value.into()))
    }

    /// Ramps to the end values.
    pub fn linear_ramp(widths: impl IntoIterator<Item = (usize, usize)>, ends: PerSide<EndValue>) -> Self {
        let precision = RampPrecision::Double;
        ComputedSpec::new(ComputedMode::LinearRamp { ends, precision }, widths)
    }

    /// The maximum of the whole axis.
    pub fn maximum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Maximum(PerSide::default()), widths)
    }

    /// The mean of the whole axis.
    pub fn mean(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Mean(PerSide::default()), widths)
    }

    /// The median of the whole axis.
    pub fn median(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Median(PerSide::default()), widths)
    }

    /// The minimum of the whole axis.
    pub fn minimum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Minimum(PerSide::default()), widths)
    }

    /// The maximum of the elements of the whole axis that are no NaN.
    pub fn nan_maximum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMaximum(PerSide::default()), widths)
    }

    /// The mean of the elements of the whole axis that are no NaN.
    ///
    /// ```
    /// use pad_kernels::computed::{ComputedSpec, pad_computed};
    /// let padded = pad_computed(&[1.0, f64::NAN, 4.0], &[3], &ComputedSpec::nan_mean([(1, 0)]))?;
    /// assert_eq!(padded[0], 2.5);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn nan_mean(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMean(PerSide::default()), widths)
    }

    /// The median of the elements of the whole axis that are no NaN.
    pub fn nan_median(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMedian(PerSide::default()), widths)
    }

    /// The minimum of the elements of the whole axis that are no NaN.
    pub fn nan_minimum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMinimum(PerSide::default()), widths)
    }

    /// Straight lines on through the last two elements.
    ///
    /// ```
    /// use pad_kernels::computed::{ComputedSpec, pad_computed};
    /// assert_eq!(pad_computed(&[1, 2, 4], &[3], &ComputedSpec::smooth([(2, 2)]))?, [-1, 0, 1, 2, 4, 6, 8]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn smooth(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Smooth, widths)
    }

    /// Odd reflections about the edges.
    pub fn odd_reflect(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::OddReflect, widths)
    }

    /// Odd reflections that repeat the edges.
    pub fn odd_symmetric(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::OddSymmetric, widths)
    }

    /// The inside alone.
    pub fn empty(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Empty, widths)
    }

    /// Sets how many elements next to each border a statistic reads; at most the whole axis, as for `None`. Other
    /// modes have no use for it.
    #[must_use]
    pub fn with_stat_length(mut self, lengths: PerSide<Option<usize>>) -> Self {
        use ComputedMode::{Maximum, Mean, Median, Minimum, NanMaximum, NanMean, NanMedian, NanMinimum};
        if let Maximum(own) | Mean(own) | Median(own) | Minimum(own) | NanMaximum(own) | NanMean(own)
        | NanMedian(own) | NanMinimum(own) = &mut self.mode
        {
            *own = lengths;
        }
        self
    }

    /// Sets the precision that ramps are computed in. Other modes have no use for it.
    #[must_use]
    pub fn with_precision(mut self, precision: RampPrecision) -> Self {
        if let ComputedMode::LinearRamp { precision: own, .. } = &mut self.mode {
            *own = precision;
        }
        self
    }
}

impl ComputedMode {
    /// The name of the mode in `numpy.pad`, in lower case; of the odd reflections with `odd_` before it. Statistics that leave out
    /// NaN have the names that are proposed there, and smooth borders that of PyWavelets.
    pub const fn name(&self) -> &'static str {
        match self {
            ComputedMode::Constants(_) => "constant",
            ComputedMode::LinearRamp { .. } => "linear_ramp",
            ComputedMode::Maximum(_) => "maximum",
            ComputedMode::Mean(_) => "mean",
            ComputedMode::Median(_) => "median",
            ComputedMode::Minimum(_) => "minimum",
            ComputedMode::NanMaximum(_) => "nanmax",
            ComputedMode::NanMean(_) => "nanmean",
            ComputedMode::NanMedian(_) => "nanmedian",
            ComputedMode::NanMinimum(_) => "nanmin",
            ComputedMode::OddReflect => "odd_reflect",
            ComputedMode::OddSymmetric => "odd_symmetric",
            ComputedMode::Smooth => "smooth",
            ComputedMode::Empty => "empty",
        }
    }

    /// What kernels compute for it, unless it copies alone.
    pub const fn computation(&self) -> Option<Computation> {
        match self {
            ComputedMode::Constants(_) | ComputedMode::Empty => None,
            ComputedMode::LinearRamp { .. } => Some(Computation::LinearRamp),
            ComputedMode::Maximum(_) => Some(Computation::Maximum),
            ComputedMode::Mean(_) => Some(Computation::Mean),
            ComputedMode::Median(_) => Some(Computation::Median),
            ComputedMode::Minimum(_) => Some(Computation::Minimum),
            ComputedMode::NanMaximum(_) => Some(Computation::NanMaximum),
            ComputedMode::NanMean(_) => Some(Computation::NanMean),
            ComputedMode::NanMedian(_) => Some(Computation::NanMedian),
            ComputedMode::NanMinimum(_) => Some(Computation::NanMinimum),
            ComputedMode::OddReflect | ComputedMode::OddSymmetric => Some(Computation::Odd),
            ComputedMode::Smooth => Some(Computation::Smooth),
        }
    }

    /// Returns the name of the mode's argument, and the number of given pairs.
    pub(super) fn argument(&self) -> (&'static str, usize) {
        match self {
            ComputedMode::Constants(values) => ("constants", values.0.len()),
            ComputedMode::LinearRamp { ends, .. } => ("end values", ends.0.len()),
            other => {
                other.lengths().map_or(("arguments", 0), |lengths| ("statistic lengths", lengths.0.len()))
            }
        }
    }

    /// Returns the number of elements per statistic, if the mode is a statistic.
    pub(super) fn lengths(&self) -> Option<&PerSide<Option<usize>>> {
        use ComputedMode::{Maximum, Mean, Median, Minimum, NanMaximum, NanMean, NanMedian, NanMinimum};
        match self {
            Maximum(lengths) | Mean(lengths) | Median(lengths) | Minimum(lengths) | NanMaximum(lengths)
            | NanMean(lengths) | NanMedian(lengths) | NanMinimum(lengths) => Some(lengths),
            _ => None,
        }
    }
}
