//! The requests for computed borders.

/// The computation of borders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Ramps, in double precision or in that of the data.
    Ramp {
        /// Whether ramps are computed in double precision.
        double: bool,
    },
    /// A statistic of the elements, or of those that are not NaN. If all elements are NaN, so is the statistic.
    Statistic {
        of: Statistic,
        skips_nan: bool,
    },
    /// The straight line through the two elements next to the border.
    Smooth,
    /// Odd reflections.
    Odd {
        /// Whether the reflection repeats the edge.
        repeats_edge: bool,
    },
    Constant,
    /// Unspecified elements, here zeros.
    Empty,
}

/// A statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    Maximum,
    Mean,
    Median,
    Minimum,
}

/// The reason why an axis cannot be padded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// An axis without elements is extended.
    EmptyAxis,
    /// An extreme of no elements is requested, or another statistic of no integers is needed.
    EmptyStatistic,
    /// An end value is complex, and the data is real.
    ComplexEnd,
}

/// A request. Each list that its mode uses has one entry per axis.
#[derive(Clone, Debug)]
pub struct Request {
    pub mode: Mode,
    /// The number of elements before and after the input, per axis.
    pub widths: Vec<(usize, usize)>,
    /// The maximum number of elements per statistic, or `None` for all.
    pub lengths: Vec<(Option<usize>, Option<usize>)>,
    /// The end values of ramps before and after the input: real and imaginary part.
    pub ends: Vec<([f64; 2], [f64; 2])>,
    /// The constants as bytes.
    pub constants: Vec<(Vec<u8>, Vec<u8>)>,
    /// The strides of the output, if it is not row-major.
    pub strides: Option<Vec<isize>>,
}
