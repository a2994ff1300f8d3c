//! What is asked for.

/// What borders are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Ramps, in double precision or in that of the data.
    Ramp {
        /// In double precision.
        double: bool,
    },
    /// The largest.
    Maximum,
    /// The mean.
    Mean,
    /// The middle one.
    Median,
    /// The smallest.
    Minimum,
    /// The largest of the elements that are no NaN; NaN if there is none.
    NanMaximum,
    /// The mean of them.
    NanMean,
    /// The middle one of them.
    NanMedian,
    /// The smallest of them.
    NanMinimum,
    /// The straight line through the two elements next to the border.
    Smooth,
    /// Odd reflections.
    Odd {
        /// Whether the edge is part of the image.
        repeats_edge: bool,
    },
    /// Constants.
    Constant,
    /// Nothing, here zeros.
    Empty,
}

/// A request, with one entry per axis in every list that its mode asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The mode.
    pub mode: Mode,
    /// Elements added before and after.
    pub widths: Vec<(usize, usize)>,
    /// Elements that statistics are made of, at most; none for all.
    pub lengths: Vec<(Option<usize>, Option<usize>)>,
    /// End values, real and imaginary.
    pub ends: Vec<([f64; 2], [f64; 2])>,
    /// Constants as bytes.
    pub constants: Vec<(Vec<u8>, Vec<u8>)>,
    /// Strides of the output, if it is not row-major.
    pub strides: Option<Vec<isize>>,
}
