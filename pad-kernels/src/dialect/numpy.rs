//! `numpy.pad`, the five modes whose elements are those of the data or a constant.
//!
//! Source: `_arraypad_impl.py` of numpy 2.4 (before 2.1 numpy is not periodic where a border passes the length of the
//! data). Any element type.

use alloc::vec;
use alloc::vec::Vec;

use crate::dialect::{Dialect, DialectError, check_count, resolve, unsigned, word};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, PadMode, PadSpec};

const MODES: [(&str, PadMode); 5] = [
    ("constant", PadMode::Constant),
    ("edge", PadMode::Edge),
    ("reflect", PadMode::Reflect),
    ("symmetric", PadMode::Symmetric),
    ("wrap", PadMode::Wrap),
];

/// Modes that make values which are not in the data, or none.
const COMPUTED: [&str; 6] = ["linear_ramp", "maximum", "mean", "median", "minimum", "empty"];

/// `pad_width` as it is written: an array of up to two axes, which is broadcast to one row of before and after per
/// axis, or a dict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PadWidth {
    /// `n`: both sides of all axes.
    Scalar(i64),
    /// `(n,)`, as a scalar, or `(before, after)`, for all axes.
    List(Vec<i64>),
    /// `((before, after), ...)` or `((n,), ...)`: one row per axis, or one row for all.
    Rows(Vec<Vec<i64>>),
    /// `{axis: (before, after), ...}`; for `{axis: n}` give `(n, n)`. Negative axes count from the last; axes not named
    /// are not padded; of two keys that name the same axis the later one counts.
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
    /// One entry per axis, none negative.
    pub(crate) fn pads(&self, rank: usize) -> Result<Vec<AxisPad>, DialectError> {
        let pairs = self.per_axis(rank)?;
        for (axis, &(before, after)) in pairs.iter().enumerate() {
            unsigned("pad_width", axis, before)?;
            unsigned("pad_width", axis, after)?;
        }
        Ok(pairs.into_iter().map(AxisPad::from).collect())
    }

    /// One entry per axis, as numpy broadcasts.
    fn per_axis(&self, rank: usize) -> Result<Vec<(i64, i64)>, DialectError> {
        const NAME: &str = "pad_width";
        const SHAPES: &str = "(), (1,), (2,), (1, 1), (1, 2), (rank, 1) or (rank, 2)";
        match self {
            PadWidth::Scalar(both) => Ok(vec![(*both, *both); rank]),
            PadWidth::List(sides) => match **sides {
                [both] => Ok(vec![(both, both); rank]),
                [before, after] => Ok(vec![(before, after); rank]),
                _ => Err(DialectError::Shape { name: NAME, shape: [sides.len()].into(), expected: SHAPES }),
            },
            PadWidth::Rows(rows) => {
                let pairs = rows.iter().map(|row| match **row {
                    [both] => Ok((both, both)),
                    [before, after] => Ok((before, after)),
                    _ => Err(DialectError::Shape {
                        name: NAME,
                        shape: [rows.len(), row.len()].into(),
                        expected: SHAPES,
                    }),
                });
                let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
                let columns = rows.first().map_or(0, Vec::len);
                // Rows of different lengths are no array, and an empty list is one of floats.
                if rows.is_empty() || rows.iter().any(|row| row.len() != columns) {
                    let shape = [rows.len(), columns].into();
                    return Err(DialectError::Shape { name: NAME, shape, expected: SHAPES });
                }
                match pairs[..] {
                    [pair] => Ok(vec![pair; rank]),
                    _ => check_count(NAME, pairs.len(), rank).map(|()| pairs),
                }
            }
            PadWidth::Dict(entries) => {
                // What it stands for is a list of rows, and without axes that is an empty one.
                if rank == 0 {
                    return PadWidth::Rows(Vec::new()).per_axis(rank);
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
/// Borders may be of any length; `reflect` of a single element repeats it; an axis without elements can be extended in
/// constant mode only.
///
/// numpy writes its borders axis by axis, which makes no difference in these modes. It has more that compute new values
/// (`linear_ramp`, `mean` and others, odd reflection, a callable) or other constants on each side; these are refused.
///
/// ```
/// use pad_kernels::dialect::{Dialect, numpy};
/// let call = numpy::Pad::new((1, 3)).mode("reflect");
/// assert_eq!(call.pad(&[1, 2, 3], &[3])?, [2, 1, 2, 3, 2, 1, 2]);
/// let call = numpy::Pad::new(numpy::PadWidth::Dict(vec![(-1, (0, 1))])).mode("wrap");
/// assert_eq!(call.pad(&[1, 2, 3, 4], &[2, 2])?, [1, 2, 1, 3, 4, 3]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// How many elements each side of each axis gets; not negative.
    pub pad_width: PadWidth,
    /// `constant` (default), `edge`, `reflect`, `symmetric` or `wrap`.
    pub mode: Option<&'a str>,
    /// The scalar of constant mode, already of the type of the data (numpy casts it as C does); 0 if not given, which in
    /// text is `"0"`. An error in other modes.
    pub constant_values: Option<Fill>,
    /// `even` (default), in the modes `reflect` and `symmetric`; an error in other modes.
    pub reflect_type: Option<&'a str>,
}

impl<'a> Pad<'a> {
    /// A call in constant mode with 0.
    pub fn new(pad_width: impl Into<PadWidth>) -> Self {
        Pad { pad_width: pad_width.into(), mode: None, constant_values: None, reflect_type: None }
    }

    /// The same in `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// The same with a value for constant mode.
    #[must_use]
    pub fn constant_values(self, value: Fill) -> Self {
        Pad { constant_values: Some(value), ..self }
    }

    /// The same with `reflect_type`.
    #[must_use]
    pub fn reflect_type(self, reflect_type: &'a str) -> Self {
        Pad { reflect_type: Some(reflect_type), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        let name = self.mode.unwrap_or("constant");
        if COMPUTED.contains(&name) {
            return Err(DialectError::Computes { name: "mode", given: name.into() });
        }
        let mode = word("mode", name, &MODES)?;
        if self.constant_values.is_some() && mode != PadMode::Constant {
            return Err(DialectError::ValueForbidden { name: "constant_values", mode });
        }
        if let Some(reflect_type) = self.reflect_type {
            if !matches!(mode, PadMode::Reflect | PadMode::Symmetric) {
                return Err(DialectError::ValueForbidden { name: "reflect_type", mode });
            }
            if word("reflect_type", reflect_type, &[("even", false), ("odd", true)])? {
                return Err(DialectError::Computes { name: "reflect_type", given: reflect_type.into() });
            }
        }
        let mut spec = PadSpec::new(mode, self.pad_width.pads(shape.len())?);
        spec.fill = self.constant_values.clone();
        Ok(spec)
    }

    fn text_fill(&self) -> &'static str {
        "0"
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
            assert_eq!(width.per_axis(2), Ok(expected.to_vec()), "{width:?}");
        }
        for width in [list(&[]), list(&[1, 2, 3]), rows(&[]), rows(&[&[]]), rows(&[&[1, 2, 3]])] {
            assert!(matches!(width.per_axis(2), Err(DialectError::Shape { .. })), "{width:?}");
        }
        let ragged = rows(&[&[1], &[1, 2]]);
        assert!(matches!(ragged.per_axis(2), Err(DialectError::Shape { .. })));
        let count = |expected, got| Err(DialectError::Count { name: "pad_width", expected, got });
        assert_eq!(rows(&[&[1], &[2]]).per_axis(1), count(1, 2));
        assert_eq!(rows(&[&[1, 1], &[2, 2]]).per_axis(3), count(3, 2));
        assert_eq!(dict(&[(2, (0, 0))]).per_axis(2), Err(DialectError::AxisOutOfRange { axis: 2, rank: 2 }));
        assert_eq!(
            dict(&[(-3, (0, 0))]).per_axis(2),
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
            assert!(matches!(refused, Err(DialectError::ValueForbidden { name: "constant_values", .. })));
            let even = spec(call(mode).reflect_type("even"));
            assert_eq!(even.is_ok(), mode == "reflect" || mode == "symmetric");
        }
        assert!(matches!(spec(call("reflect").reflect_type("odd")), Err(DialectError::Computes { .. })));
        assert!(matches!(spec(call("reflect").reflect_type("new")), Err(DialectError::Word { .. })));
        for mode in COMPUTED {
            assert!(matches!(spec(call(mode)), Err(DialectError::Computes { .. })));
        }
        assert!(matches!(spec(call("circular")), Err(DialectError::Word { .. })));
    }

    #[test]
    fn text_is_padded_with_the_digit_zero() {
        let call = Pad::new(1);
        let words = ["a".to_string()];
        assert_eq!(call.pad_cloned(&words, &[1], &call.text_fill().to_string()).unwrap(), ["0", "a", "0"]);
    }
}
