//! Requests for computed borders. A request is checked when a plan is made for a shape.

use alloc::vec::Vec;

use crate::kernel::computed::Computation;
use crate::spec::{Fill, PerSide};

/// Describes a pad with computed borders, in the modes of `numpy.pad` that [`PadMode`](crate::PadMode) does not have.
///
/// The results are those of numpy 2.4. The plan computes the borders of one axis after the other, the outermost axis first. The borders of
/// an axis also depend on the borders of the axes before it. The guide to [computed borders](crate::guide::computed) lists where results
/// can differ from numpy.
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
    /// The numbers of elements to add before the first element and after the last one. There is one pair per axis, the outermost axis
    /// first, or one pair for all axes.
    pub widths: Vec<(usize, usize)>,
    /// The mode, which says how to compute the borders.
    pub mode: ComputedMode,
}

/// Says how to compute the borders.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum ComputedMode {
    /// The border is a constant for each side of each axis. A corner gets the constant of the last axis.
    Constants(PerSide<Fill>),
    /// The border is a straight line from the end value, which is the outermost element, to the edge of the data.
    LinearRamp {
        /// The end values. The default is 0.
        #[cfg_attr(feature = "serde", serde(default))]
        ends: PerSide<EndValue>,
        /// The precision of the computation.
        #[cfg_attr(feature = "serde", serde(default))]
        precision: RampPrecision,
    },
    /// The border is the maximum of the given number of elements next to it. Without a number, it is the maximum of the whole
    /// axis.
    Maximum(PerSide<Option<usize>>),
    /// The border is the mean of the elements that [`Maximum`](Self::Maximum) would read.
    Mean(PerSide<Option<usize>>),
    /// The border is the median of the elements that [`Maximum`](Self::Maximum) would read.
    Median(PerSide<Option<usize>>),
    /// The border is the minimum of the elements that [`Maximum`](Self::Maximum) would read.
    Minimum(PerSide<Option<usize>>),
    /// The border is the maximum of the elements that [`Maximum`](Self::Maximum) would read, without NaN. If all elements are
    /// NaN, it is NaN.
    NanMaximum(PerSide<Option<usize>>),
    /// The border is the mean of the elements that [`Maximum`](Self::Maximum) would read, without NaN. If all elements are NaN,
    /// it is NaN.
    NanMean(PerSide<Option<usize>>),
    /// The border is the median of the elements that [`Maximum`](Self::Maximum) would read, without NaN. If all elements are NaN,
    /// it is NaN.
    NanMedian(PerSide<Option<usize>>),
    /// The border is the minimum of the elements that [`Maximum`](Self::Maximum) would read, without NaN. If all elements are
    /// NaN, it is NaN.
    NanMinimum(PerSide<Option<usize>>),
    /// Each border element is twice the edge element minus the mirrored element. The mirror is the one of mode reflect.
    OddReflect,
    /// Each border element is twice the edge element minus the mirrored element. The mirror is the one of mode symmetric.
    OddSymmetric,
    /// The border continues the straight line through the two outermost elements, as the mode `smooth` of PyWavelets does. A
    /// single element is repeated.
    Smooth,
    /// A run writes only the interior, and does not change the border.
    Empty,
}

/// Holds the end value of a ramp, a real or complex number. A complex number needs complex data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
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

/// Names the precision in which ramps are computed. The plan then rounds them to the type of the data.
///
/// In numpy, the form of the argument decides about the precision. One end value or two end values for all axes mean double
/// precision. A list of pairs means the precision of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RampPrecision {
    /// Ramps are computed in double precision.
    #[default]
    Double,
    /// Ramps are computed in the precision of the data. For integers and `bool`, this is double precision.
    Data,
}

impl ComputedSpec {
    /// Makes a request from a mode and one pair of widths per axis, the outermost axis first.
    pub fn new(mode: ComputedMode, widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec { widths: widths.into_iter().collect(), mode }
    }

    /// Requests a constant for each side of each axis.
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

    /// Requests one constant for all sides.
    pub fn constant(widths: impl IntoIterator<Item = (usize, usize)>, value: impl Into<Fill>) -> Self {
        ComputedSpec::constants(widths, PerSide::all(value.into()))
    }

    /// Requests ramps to these end values.
    pub fn linear_ramp(widths: impl IntoIterator<Item = (usize, usize)>, ends: PerSide<EndValue>) -> Self {
        let precision = RampPrecision::Double;
        ComputedSpec::new(ComputedMode::LinearRamp { ends, precision }, widths)
    }

    /// Requests the maximum of the whole axis.
    pub fn maximum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Maximum(PerSide::default()), widths)
    }

    /// Requests the mean of the whole axis.
    pub fn mean(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Mean(PerSide::default()), widths)
    }

    /// Requests the median of the whole axis.
    pub fn median(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Median(PerSide::default()), widths)
    }

    /// Requests the minimum of the whole axis.
    pub fn minimum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Minimum(PerSide::default()), widths)
    }

    /// Requests the maximum of the whole axis without NaN.
    pub fn nan_maximum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMaximum(PerSide::default()), widths)
    }

    /// Requests the mean of the whole axis without NaN.
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

    /// Requests the median of the whole axis without NaN.
    pub fn nan_median(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMedian(PerSide::default()), widths)
    }

    /// Requests the minimum of the whole axis without NaN.
    pub fn nan_minimum(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::NanMinimum(PerSide::default()), widths)
    }

    /// Requests borders that continue the straight line through the two outermost elements.
    ///
    /// ```
    /// use pad_kernels::computed::{ComputedSpec, pad_computed};
    /// assert_eq!(pad_computed(&[1, 2, 4], &[3], &ComputedSpec::smooth([(2, 2)]))?, [-1, 0, 1, 2, 4, 6, 8]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn smooth(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Smooth, widths)
    }

    /// Requests odd reflections with the mirror of mode reflect.
    pub fn odd_reflect(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::OddReflect, widths)
    }

    /// Requests odd reflections with the mirror of mode symmetric.
    pub fn odd_symmetric(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::OddSymmetric, widths)
    }

    /// Requests that only the interior is written.
    pub fn empty(widths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        ComputedSpec::new(ComputedMode::Empty, widths)
    }

    /// Sets the number of elements next to each border that a statistic reads. `None` means the whole axis. Other modes ignore
    /// the number.
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

    /// Sets the precision in which ramps are computed. Other modes ignore it.
    #[must_use]
    pub fn with_precision(mut self, precision: RampPrecision) -> Self {
        if let ComputedMode::LinearRamp { precision: own, .. } = &mut self.mode {
            *own = precision;
        }
        self
    }
}

impl ComputedMode {
    /// Returns the name of the mode in `numpy.pad`. Odd reflections are `odd_reflect` and `odd_symmetric`. Statistics without
    /// NaN have names such as `nanmean`, and smooth borders are `smooth`.
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

    /// Returns the computation of the mode, or `None` if the mode only copies.
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

    /// Returns the number of elements per statistic, or `None` if the mode is not a statistic.
    pub(super) fn lengths(&self) -> Option<&PerSide<Option<usize>>> {
        use ComputedMode::{Maximum, Mean, Median, Minimum, NanMaximum, NanMean, NanMedian, NanMinimum};
        match self {
            Maximum(lengths) | Mean(lengths) | Median(lengths) | Minimum(lengths) | NanMaximum(lengths)
            | NanMean(lengths) | NanMedian(lengths) | NanMinimum(lengths) => Some(lengths),
            _ => None,
        }
    }
}
