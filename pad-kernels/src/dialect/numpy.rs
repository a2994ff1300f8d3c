//! `numpy.pad` in all its modes except functions.
//!
//! This module follows `_arraypad_impl.py` of numpy 2.4. It accepts any element type. Modes that compute values accept numbers
//! and `bool`. Mode `empty` and different constants need elements of whole bytes.

use alloc::vec;
use alloc::vec::Vec;

use crate::computed::{ComputedMode, ComputedPlan, ComputedSpec, EndValue, PerSide, RampPrecision};
use crate::dialect::{
    Dialect, DialectError, check_count, check_fill, resolve, strict, unsigned, word, zeroed,
};
use crate::dtype::DType;
use crate::element::Element;
use crate::run::once;
use crate::spec::{AxisPad, Fill, PadMode, PadSpec};

/// The meaning of a mode's name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Copies(PadMode),
    LinearRamp,
    Maximum,
    Mean,
    Median,
    Minimum,
    Empty,
}

const MODES: [(&str, Mode); 11] = [
    ("constant", Mode::Copies(PadMode::Constant)),
    ("edge", Mode::Copies(PadMode::Edge)),
    ("linear_ramp", Mode::LinearRamp),
    ("maximum", Mode::Maximum),
    ("mean", Mode::Mean),
    ("median", Mode::Median),
    ("minimum", Mode::Minimum),
    ("reflect", Mode::Copies(PadMode::Reflect)),
    ("symmetric", Mode::Copies(PadMode::Symmetric)),
    ("wrap", Mode::Copies(PadMode::Wrap)),
    ("empty", Mode::Empty),
];

/// An argument with one value for each side of each axis, in one of the forms that numpy accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values<T> {
    /// `x`, for both sides of all axes.
    Scalar(T),
    /// `(before, after)` for all axes, or `(x,)` for both sides of all axes.
    List(Vec<T>),
    /// `((before, after), ...)` or `((x,), ...)`, with one row per axis or one row for all axes.
    Rows(Vec<Vec<T>>),
}

impl<T> From<T> for Values<T> {
    fn from(value: T) -> Self {
        Values::Scalar(value)
    }
}

impl<T: Clone> Values<T> {
    /// Returns one pair per axis, broadcast as in numpy.
    fn per_axis(&self, name: &'static str, rank: usize) -> Result<Vec<(T, T)>, DialectError> {
        const SHAPES: &str = "(), (1,), (2,), (1, 1), (1, 2), (rank, 1) or (rank, 2)";
        let refused = |shape: &[usize]| DialectError::Shape { name, shape: shape.into(), expected: SHAPES };
        let pair = |row: &[T], shape: &[usize]| match row {
            [both] => Ok((both.clone(), both.clone())),
            [before, after] => Ok((before.clone(), after.clone())),
            _ => Err(refused(shape)),
        };
        match self {
            Values::Scalar(both) => Ok(vec![(both.clone(), both.clone()); rank]),
            Values::List(sides) => Ok(vec![pair(sides, &[sides.len()])?; rank]),
            Values::Rows(rows) => {
                let shape = [rows.len(), rows.first().map_or(0, Vec::len)];
                let pairs = rows.iter().map(|row| pair(row, &[rows.len(), row.len()]));
                let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
                // Rows of different lengths are not an array. An empty list is an array of floats, which is an error.
                if rows.is_empty() || rows.iter().any(|row| row.len() != shape[1]) {
                    return Err(refused(&shape));
                }
                match &pairs[..] {
                    [pair] => Ok(vec![pair.clone(); rank]),
                    _ => check_count(name, pairs.len(), rank).map(|()| pairs),
                }
            }
        }
    }

    /// Tells whether numpy reads the argument as a list of Python numbers. Such numbers have no precision of their own, unlike those of an
    /// array.
    fn is_list(&self) -> bool {
        matches!(self, Values::Rows(rows) if rows.len() > 1)
    }
}

/// The argument `pad_width` in one of the forms that numpy accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PadWidth {
    /// `n`, for both sides of all axes.
    Scalar(i64),
    /// `(before, after)` for all axes, or `(n,)` for both sides of all axes.
    List(Vec<i64>),
    /// `((before, after), ...)` or `((n,), ...)`, with one row per axis or one row for all axes.
    Rows(Vec<Vec<i64>>),
    /// `{axis: (before, after), ...}`. For `{axis: n}`, write `(n, n)`. Negative axes count from the last axis. Axes without a key are not
    /// padded. If two keys name the same axis, the later key counts.
    Dict(Vec<(i64, (i64, i64))>),
}

impl From<i64> for PadWidth {
    fn from(width: i64) -> Self {
        PadWidth::Scalar(width)
    }
}

impl From<(i64, i64)> for PadWidth {
    fn from((before, after): (i64, i64)) -> Self {
        PadWidth::List([before, after].into())
    }
}

impl<const N: usize> From<[(i64, i64); N]> for PadWidth {
    fn from(rows: [(i64, i64); N]) -> Self {
        rows.as_slice().into()
    }
}

impl From<&[(i64, i64)]> for PadWidth {
    fn from(rows: &[(i64, i64)]) -> Self {
        PadWidth::Rows(rows.iter().map(|&(before, after)| [before, after].into()).collect())
    }
}

impl PadWidth {
    /// Returns one pad per axis, or an error if one of them is negative.
    pub(crate) fn pads(&self, name: &'static str, rank: usize) -> Result<Vec<AxisPad>, DialectError> {
        Ok(self.checked(name, rank)?.into_iter().map(AxisPad::from).collect())
    }

    /// Returns one pair of statistic lengths per axis, or an error if one of them is negative.
    fn lengths(&self, rank: usize) -> Result<PerSide<Option<usize>>, DialectError> {
        // A length that exceeds `usize` means the whole axis.
        let length = |length| Some(usize::try_from(length).unwrap_or(usize::MAX));
        let pairs = self.checked("stat_length", rank)?.into_iter();
        Ok(PerSide(pairs.map(|(before, after)| (length(before), length(after))).collect()))
    }

    /// Returns one pair per axis, or an error if a number of the argument is negative.
    fn checked(&self, name: &'static str, rank: usize) -> Result<Vec<(i64, i64)>, DialectError> {
        let pairs = self.per_axis(name, rank)?;
        // numpy checks the numbers before it broadcasts them, so it also checks them for an array without axes.
        let numbers = if rank == 0 { &self.per_axis(name, 1)? } else { &pairs };
        for (axis, &(before, after)) in numbers.iter().enumerate() {
            unsigned(name, axis, before)?;
            unsigned(name, axis, after)?;
        }
        Ok(pairs)
    }

    /// Returns one pair per axis, broadcast as in numpy.
    fn per_axis(&self, name: &'static str, rank: usize) -> Result<Vec<(i64, i64)>, DialectError> {
        match self {
            PadWidth::Scalar(both) => Ok(vec![(*both, *both); rank]),
            PadWidth::List(sides) => Values::List(sides.clone()).per_axis(name, rank),
            PadWidth::Rows(rows) => Values::Rows(rows.clone()).per_axis(name, rank),
            PadWidth::Dict(entries) => {
                // numpy turns the dict into a list of rows. If there are no axes, this list is empty.
                if rank == 0 {
                    return PadWidth::Rows(Vec::new()).per_axis(name, rank);
                }
                let mut pairs = vec![(0, 0); rank];
                for &(axis, pair) in entries {
                    pairs[resolve(axis, rank)?] = pair;
                }
                Ok(pairs)
            }
        }
    }
}

/// A call of `numpy.pad`.
///
/// Borders may have any length. The mode `reflect` repeats a single element. Only `constant` and `empty` can extend an axis
/// without elements.
///
/// - A call that copies and has a single fill is a [`PadSpec`]. Use [`Dialect::spec`] and [`Dialect::plan`].
/// - Any other call is a [`ComputedSpec`]. It computes values, has several different constants, or has mode `empty`. Use
///   [`computed_spec`](Pad::computed_spec) and [`computed_plan`](Pad::computed_plan).
/// - All other methods of [`Dialect`] accept both kinds of calls, except [`pad_cloned`](Dialect::pad_cloned) and
///   [`adjoint`](Dialect::adjoint). In mode `empty`, the border of a new vector is zero.
///
/// ```
/// use pad_kernels::dialect::{Dialect, numpy};
/// let call = numpy::Pad::new((1, 3)).mode("reflect");
/// assert_eq!(call.pad(&[1, 2, 3], &[3])?, [2, 1, 2, 3, 2, 1, 2]);
/// let call = numpy::Pad::new(numpy::PadWidth::Dict(vec![(-1, (0, 1))])).mode("wrap");
/// assert_eq!(call.pad(&[1, 2, 3, 4], &[2, 2])?, [1, 2, 1, 3, 4, 3]);
/// let call = numpy::Pad::new((2, 0)).mode("maximum").stat_length(2);
/// assert_eq!(call.pad(&[1, 2, 3], &[3])?, [2, 2, 1, 2, 3]);
/// let call = numpy::Pad::new(2).mode("reflect").reflect_type("odd");
/// assert_eq!(call.pad(&[1, 2, 3], &[3])?, [-1, 0, 1, 2, 3, 4, 5]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The elements to add to each side of each axis. They must not be negative.
    pub pad_width: PadWidth,
    /// The name of the mode. The default is `constant`.
    pub mode: Option<&'a str>,
    /// The fill, in the type of the data. The default is 0, or `"0"` for strings. In modes other than `constant`, this argument
    /// is an error.
    pub constant_values: Option<Values<Fill>>,
    /// `even` (default) or `odd`. numpy reads any other word as `even`, but this module returns an error. In modes other than `reflect`
    /// and `symmetric`, this argument is an error.
    pub reflect_type: Option<&'a str>,
    /// The number of elements next to a border that a statistic reads. The default is the whole axis. In modes other than
    /// `maximum`, `mean`, `median` and `minimum`, this argument is an error.
    pub stat_length: Option<PadWidth>,
    /// The end values of `linear_ramp`. The default is 0. In other modes, this argument is an error.
    pub end_values: Option<Values<EndValue>>,
}

impl<'a> Pad<'a> {
    /// Makes a call in mode `constant` with fill 0.
    pub fn new(pad_width: impl Into<PadWidth>) -> Self {
        Pad {
            pad_width: pad_width.into(),
            mode: None,
            constant_values: None,
            reflect_type: None,
            stat_length: None,
            end_values: None,
        }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// Sets `constant_values`, to one value or one value for each side.
    #[must_use]
    pub fn constant_values(self, values: impl Into<Values<Fill>>) -> Self {
        Pad { constant_values: Some(values.into()), ..self }
    }

    /// Sets `reflect_type`.
    #[must_use]
    pub fn reflect_type(self, reflect_type: &'a str) -> Self {
        Pad { reflect_type: Some(reflect_type), ..self }
    }

    /// Sets `stat_length`.
    #[must_use]
    pub fn stat_length(self, lengths: impl Into<PadWidth>) -> Self {
        Pad { stat_length: Some(lengths.into()), ..self }
    }

    /// Sets `end_values`.
    #[must_use]
    pub fn end_values(self, ends: impl Into<Values<EndValue>>) -> Self {
        Pad { end_values: Some(ends.into()), ..self }
    }

    /// Returns the mode, and true if `reflect_type` is `odd`. Returns an error if the call has an argument that this mode does
    /// not have.
    fn checked_mode(&self) -> Result<(Mode, bool), DialectError> {
        let name = self.mode.unwrap_or("constant");
        let mode = word("mode", name, &MODES)?;
        let known = MODES.iter().map(|(name, _)| *name).find(|known| *known == name).unwrap_or("constant");
        let statistic = matches!(mode, Mode::Maximum | Mode::Mean | Mode::Median | Mode::Minimum);
        let mirrors = matches!(mode, Mode::Copies(PadMode::Reflect | PadMode::Symmetric));
        for (name, is_given, may) in [
            ("constant_values", self.constant_values.is_some(), mode == Mode::Copies(PadMode::Constant)),
            ("reflect_type", self.reflect_type.is_some(), mirrors),
            ("stat_length", self.stat_length.is_some(), statistic),
            ("end_values", self.end_values.is_some(), mode == Mode::LinearRamp),
        ] {
            if is_given && !may {
                return Err(DialectError::ValueForbidden { name, mode: known });
            }
        }
        let odd = match self.reflect_type {
            Some(given) => word("reflect_type", given, &[("even", false), ("odd", true)])?,
            None => false,
        };
        Ok((mode, odd))
    }

    /// Returns the request as a [`ComputedSpec`], or `None` if the call is a [`PadSpec`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Dialect::spec`].
    pub fn computed_spec(&self, shape: &[usize]) -> Result<Option<ComputedSpec>, DialectError> {
        let pads = self.pad_width.pads("pad_width", shape.len())?;
        let (mode, odd) = self.checked_mode()?;
        // If the array has no elements, numpy does not check `end_values` and `stat_length`.
        let is_empty = shape.contains(&0);
        let mode = match mode {
            Mode::Copies(PadMode::Constant) => {
                let Some(values) = &self.constant_values else { return Ok(None) };
                let values = values.per_axis("constant_values", shape.len())?;
                if values.iter().all(|(before, after)| before == after && *before == values[0].0) {
                    return Ok(None);
                }
                ComputedMode::Constants(PerSide(values))
            }
            Mode::Copies(PadMode::Reflect) if odd => ComputedMode::OddReflect,
            Mode::Copies(PadMode::Symmetric) if odd => ComputedMode::OddSymmetric,
            Mode::Copies(_) => return Ok(None),
            Mode::Empty => ComputedMode::Empty,
            Mode::LinearRamp => {
                let (mut ends, mut precision) = (PerSide::default(), RampPrecision::Double);
                if let Some(values) = self.end_values.as_ref().filter(|_| !is_empty) {
                    ends = PerSide(values.per_axis("end_values", shape.len())?);
                    if values.is_list() {
                        precision = RampPrecision::Data;
                    }
                }
                ComputedMode::LinearRamp { ends, precision }
            }
            statistic => {
                let lengths = match self.stat_length.as_ref().filter(|_| !is_empty) {
                    Some(lengths) => lengths.lengths(shape.len())?,
                    None => PerSide::default(),
                };
                match statistic {
                    Mode::Maximum => ComputedMode::Maximum(lengths),
                    Mode::Mean => ComputedMode::Mean(lengths),
                    Mode::Median => ComputedMode::Median(lengths),
                    _ => ComputedMode::Minimum(lengths),
                }
            }
        };
        // Widths are not negative. If a width exceeds `usize`, the plan refuses it.
        let width = |side: i64| usize::try_from(side).unwrap_or(usize::MAX);
        Ok(Some(ComputedSpec::new(mode, pads.iter().map(|pad| (width(pad.low), width(pad.high))))))
    }

    /// Makes a plan for computed borders, or returns `None` if the call is a [`PadSpec`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`computed_spec`](Pad::computed_spec) and of [`ComputedPlan::for_dtype`].
    pub fn computed_plan(&self, shape: &[usize], dtype: DType) -> Result<Option<ComputedPlan>, DialectError> {
        let Some(spec) = self.computed_spec(shape)? else { return Ok(None) };
        if let ComputedMode::Constants(values) = &spec.mode {
            values
                .0
                .iter()
                .flat_map(|(low, high)| [low, high])
                .try_for_each(|fill| check_fill(fill, dtype))?;
        }
        Ok(Some(ComputedPlan::for_dtype(&spec, shape, dtype)?))
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        if let Some(computed) = self.computed_spec(shape)? {
            return Err(DialectError::Computes { name: "mode", given: computed.mode.name().into() });
        }
        let (mode, _) = self.checked_mode()?;
        let Mode::Copies(mode) = mode else { unreachable!("all others are computed") };
        let mut spec = PadSpec::new(mode, self.pad_width.pads("pad_width", shape.len())?);
        spec.fill = match &self.constant_values {
            Some(values) => {
                let scalar = match values {
                    Values::Scalar(value) => Some(value),
                    Values::List(values) => values.first(),
                    Values::Rows(rows) => rows.first().and_then(|row| row.first()),
                };
                scalar.cloned()
            }
            None => None,
        };
        Ok(spec)
    }

    fn text_fill(&self) -> &'static str {
        "0"
    }

    fn output_shape(&self, shape: &[usize], dtype: DType) -> Result<Vec<usize>, DialectError> {
        match self.computed_plan(shape, dtype)? {
            Some(plan) => Ok(plan.output_shape().to_vec()),
            None => Ok(self.plan(shape, dtype)?.output_shape().to_vec()),
        }
    }

    fn pad<T: Element>(&self, src: &[T], shape: &[usize]) -> Result<Vec<T>, DialectError> {
        let dtype = T::DTYPE.ok_or(DialectError::Untagged)?;
        match self.computed_plan(shape, dtype)? {
            Some(plan) => Ok(plan.to_vec(src)?),
            None => Ok(once::pad(src, shape, &strict(self, shape, dtype)?)?),
        }
    }

    fn pad_bytes(&self, src: &[u8], shape: &[usize], dtype: DType) -> Result<Vec<u8>, DialectError> {
        match self.computed_plan(shape, dtype)? {
            Some(plan) => {
                let mut dst = zeroed(plan.output_bytes())?;
                plan.run_bytes(src, &mut dst)?;
                Ok(dst)
            }
            None => Ok(once::pad_bytes(src, shape, dtype, &strict(self, shape, dtype)?)?),
        }
    }

    fn pad_into<T: Element>(&self, src: &[T], shape: &[usize], dst: &mut [T]) -> Result<(), DialectError> {
        let dtype = T::DTYPE.ok_or(DialectError::Untagged)?;
        match self.computed_plan(shape, dtype)? {
            Some(plan) => Ok(plan.run(src, dst)?),
            None => Ok(once::pad_into(src, shape, &strict(self, shape, dtype)?, dst)?),
        }
    }

    fn pad_bytes_into(
        &self,
        src: &[u8],
        shape: &[usize],
        dtype: DType,
        dst: &mut [u8],
    ) -> Result<(), DialectError> {
        match self.computed_plan(shape, dtype)? {
            Some(plan) => Ok(plan.run_bytes(src, dst)?),
            None => Ok(once::pad_bytes_into(src, shape, dtype, &strict(self, shape, dtype)?, dst)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::error::PadError;

    fn rows(rows: &[&[i64]]) -> PadWidth {
        PadWidth::Rows(rows.iter().map(|row| row.to_vec()).collect())
    }

    #[test]
    fn widths_broadcast() {
        let list = |sides: &[i64]| PadWidth::List(sides.to_vec());
        let dict = |entries: &[(i64, (i64, i64))]| PadWidth::Dict(entries.to_vec());
        for (width, expected) in [
            (1.into(), [(1, 1), (1, 1)]),
            (list(&[1]), [(1, 1), (1, 1)]),
            ((1, 2).into(), [(1, 2), (1, 2)]),
            (rows(&[&[1]]), [(1, 1), (1, 1)]),
            (rows(&[&[1, 2]]), [(1, 2), (1, 2)]),
            (rows(&[&[1], &[2]]), [(1, 1), (2, 2)]),
            ([(1, 2), (3, 4)].into(), [(1, 2), (3, 4)]),
            (dict(&[]), [(0, 0), (0, 0)]),
            (dict(&[(1, (1, 2))]), [(0, 0), (1, 2)]),
            (dict(&[(-2, (1, 2))]), [(1, 2), (0, 0)]),
            (dict(&[(1, (1, 2)), (-1, (3, 3))]), [(0, 0), (3, 3)]),
        ] {
            assert_eq!(width.per_axis("pad_width", 2), Ok(expected.to_vec()), "{width:?}");
        }
        for width in [list(&[]), list(&[1, 2, 3]), rows(&[]), rows(&[&[]]), rows(&[&[1, 2, 3]])] {
            assert!(matches!(width.per_axis("pad_width", 2), Err(DialectError::Shape { .. })), "{width:?}");
        }
        let ragged = rows(&[&[1], &[1, 2]]);
        assert!(matches!(ragged.per_axis("pad_width", 2), Err(DialectError::Shape { .. })));
        let count = |expected, got| Err(DialectError::Count { name: "pad_width", expected, got });
        assert_eq!(rows(&[&[1], &[2]]).per_axis("pad_width", 1), count(1, 2));
        assert_eq!(rows(&[&[1, 1], &[2, 2]]).per_axis("pad_width", 3), count(3, 2));
        assert_eq!(
            dict(&[(2, (0, 0))]).per_axis("pad_width", 2),
            Err(DialectError::AxisOutOfRange { axis: 2, rank: 2 })
        );
        assert_eq!(
            dict(&[(-3, (0, 0))]).per_axis("pad_width", 2),
            Err(DialectError::AxisOutOfRange { axis: -3, rank: 2 })
        );
    }

    #[test]
    fn without_axes_only_what_broadcasts_is_taken() {
        for width in [PadWidth::Scalar(1), (1, 2).into(), [(1, 2)].into()] {
            assert_eq!(Pad::new(width).pad(&[7], &[]).unwrap(), [7]);
        }
        for width in [PadWidth::List(Vec::new()), rows(&[]), PadWidth::Dict(Vec::new())] {
            assert!(matches!(Pad::new(width).pad(&[7], &[]), Err(DialectError::Shape { .. })));
        }
    }

    #[test]
    fn widths_are_not_negative() {
        let negative = |axis, value| Err(DialectError::NegativePad { name: "pad_width", axis, value });
        assert_eq!(Pad::new(-1).spec(&[3], DType::U8), negative(0, -1));
        assert_eq!(Pad::new([(0, 0), (1, -2)]).spec(&[3, 3], DType::U8), negative(1, -2));
        for width in [(-1).into(), (0, -1).into(), [(-1, 0)].into(), rows(&[&[-1]])] {
            assert_eq!(Pad::new(width).spec(&[], DType::U8), negative(0, -1));
        }
        let refused = DialectError::NegativePad { name: "stat_length", axis: 0, value: -1 };
        assert_eq!(Pad::new(1).mode("mean").stat_length((1, -1)).computed_spec(&[]), Err(refused));
    }

    #[test]
    fn borders_of_any_length() {
        let pad = |mode, low, high, d: usize| Pad::new((low, high)).mode(mode).pad(&[1, 2, 3][..d], &[d]);
        assert_eq!(pad("reflect", 1, 8, 3).unwrap(), [2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3]);
        assert_eq!(pad("symmetric", 1, 5, 2).unwrap(), [1, 1, 2, 2, 1, 1, 2, 2]);
        assert_eq!(pad("wrap", 1, 3, 2).unwrap(), [2, 1, 2, 1, 2, 1]);
        assert_eq!(pad("reflect", 2, 2, 1).unwrap(), [1; 5]);
        assert_eq!(pad("constant", 1, 1, 0).unwrap(), [0, 0]);
        for mode in ["edge", "reflect", "symmetric", "wrap"] {
            assert!(pad(mode, 0, 0, 0).unwrap().is_empty());
            assert!(matches!(pad(mode, 0, 1, 0), Err(DialectError::Pad(PadError::EmptyWindow { .. }))));
            let other = Pad::new([(0, 0), (1, 1)]).mode(mode);
            assert_eq!(other.output_shape(&[0, 3], DType::U8).unwrap(), [0, 5]);
        }
    }

    #[test]
    fn arguments_belong_to_their_modes() {
        let spec = |call: Pad| call.spec(&[3], DType::I32);
        let call = |mode| Pad::new(1).mode(mode);
        assert!(spec(Pad::new(1).constant_values(Fill::of(1))).is_ok());
        for mode in ["edge", "reflect", "symmetric", "wrap"] {
            let refused = spec(call(mode).constant_values(Fill::of(1)));
            assert_eq!(refused, Err(DialectError::ValueForbidden { name: "constant_values", mode }));
            let even = spec(call(mode).reflect_type("even"));
            assert_eq!(even.is_ok(), mode == "reflect" || mode == "symmetric");
        }
        assert!(matches!(spec(call("reflect").reflect_type("odd")), Err(DialectError::Computes { .. })));
        assert!(matches!(spec(call("reflect").reflect_type("new")), Err(DialectError::Word { .. })));
        for mode in ["linear_ramp", "maximum", "mean", "median", "minimum", "empty"] {
            assert!(matches!(spec(call(mode)), Err(DialectError::Computes { .. })));
            assert!(call(mode).computed_spec(&[3]).unwrap().is_some());
            let statistic = !matches!(mode, "linear_ramp" | "empty");
            assert_eq!(call(mode).stat_length(1).computed_spec(&[3]).is_ok(), statistic, "{mode}");
            let ramp = mode == "linear_ramp";
            assert_eq!(
                call(mode).end_values(EndValue::from(1.0)).computed_spec(&[3]).is_ok(),
                ramp,
                "{mode}"
            );
        }
        assert!(matches!(spec(call("circular")), Err(DialectError::Word { .. })));
    }

    #[test]
    fn constants_are_not_converted() {
        let sides = Values::List(vec![Fill::of(1.0), Fill::of(2.0)]);
        let refused = Pad::new(1).constant_values(sides).pad(&[5f32], &[1]);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::FillType { .. }))));
        let sides = Values::List(vec![Fill::of(1f32), Fill::of(2f32)]);
        assert_eq!(Pad::new(1).constant_values(sides).pad(&[5f32], &[1]).unwrap(), [1.0, 5.0, 2.0]);
    }

    #[test]
    fn text_is_padded_with_the_digit_zero() {
        let call = Pad::new(1);
        let words = ["a".to_string()];
        assert_eq!(call.pad_cloned(&words, &[1], &call.text_fill().to_string()).unwrap(), ["0", "a", "0"]);
    }
}
