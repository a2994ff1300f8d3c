//! The boundary modes of `scipy.ndimage` as pads.
//!
//! This module follows the results of scipy 1.17. A filter such as `generic_filter1d` reads an array with a border. An interpolation such
//! as `map_coordinates` at order 0 reads elements around the array. scipy converts every element to a `double`, which changes integers
//! beyond 2^53, NaNs and, in interpolation, the sign of zero. This module copies elements exactly.

use core::slice::from_ref;

use crate::dialect::convert::{fill_exact, fill_rounded};
use crate::dialect::{Dialect, DialectError, check_count, extends, unsigned, word};
use crate::dtype::DType;
use crate::spec::{Frame, PadMode, PadSpec};

/// The names of the modes in both families. Only filters have `wrap`. In interpolation, this mode lets the ends of the array overlap by one
/// element, and no mode of this library does so.
const MODES: [(&str, PadMode); 8] = [
    ("reflect", PadMode::Symmetric),
    ("grid-mirror", PadMode::Symmetric),
    ("constant", PadMode::Constant),
    ("grid-constant", PadMode::Constant),
    ("nearest", PadMode::Edge),
    ("mirror", PadMode::Reflect),
    ("grid-wrap", PadMode::Wrap),
    ("wrap", PadMode::Wrap),
];

/// Names a family of functions of `scipy.ndimage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Filters, such as `correlate`, `uniform_filter` and `generic_filter1d`. For filters, negative pads and complex numbers are errors.
    #[default]
    Filter,
    /// Interpolations, such as `map_coordinates`, `shift` and `affine_transform`, at order 0 and at whole positions. Pads may be negative.
    /// Borders can still contain the cropped elements.
    Interpolation,
}

/// Describes the padded array that a function of scipy reads. A border may have any length. The array must have at least one
/// axis.
///
/// ```
/// use pad_kernels::dialect::{Dialect, scipy};
/// let seen = scipy::Pad::new("mirror", &[[2, 1]]);
/// assert_eq!(seen.pad(&[1, 2, 3], &[3])?, [3, 2, 1, 2, 3, 2]);
/// // Other names differ from numpy, too.
/// let seen = scipy::Pad::new("reflect", &[[2, 1]]);
/// assert_eq!(seen.pad(&[1, 2, 3], &[3])?, [2, 1, 1, 2, 3, 3]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// `reflect`, `grid-mirror`, `constant`, `grid-constant`, `nearest`, `mirror`, `grid-wrap`, or `wrap` for filters.
    pub mode: &'a str,
    /// One pair per axis: the elements to add before and after it.
    pub pad_width: &'a [[i64; 2]],
    /// The fill of the constant modes. For integers, interpolation rounds it to the nearest integer, with halves away from zero, and clamps
    /// it to the range of the type. NaN, and numbers above the range of a 64-bit type, are errors. For `bool`, only 0 and 1 are allowed. In a
    /// filter, the type must be able to represent the fill. If no pad is positive, any fill is allowed.
    pub cval: f64,
    /// The family of the function.
    pub family: Family,
}

impl<'a> Pad<'a> {
    /// Describes the array that a filter reads, with fill zero.
    pub fn new(mode: &'a str, pad_width: &'a [[i64; 2]]) -> Self {
        Pad { mode, pad_width, cval: 0.0, family: Family::Filter }
    }

    /// Sets `cval`, the fill.
    #[must_use]
    pub fn cval(self, cval: f64) -> Self {
        Pad { cval, ..self }
    }

    /// Sets the family of functions.
    #[must_use]
    pub fn family(self, family: Family) -> Self {
        Pad { family, ..self }
    }
}

impl Dialect for Pad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        // Several words name one mode. Errors use the word of the call.
        MODES.iter().find(|(name, _)| *name == self.mode).map_or(&[], from_ref)
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let filter = self.family == Family::Filter;
        let mode = word("mode", self.mode, if filter { &MODES } else { &MODES[..7] })?;
        let name = self.words().first().map_or("", |&(name, _)| name);
        if !takes(dtype, self.family) {
            let system = if filter { "scipy's filters" } else { "scipy's interpolation" };
            return Err(DialectError::DType { system, dtype, mode: name });
        }
        if shape.is_empty() {
            return Err(DialectError::Rank { rank: 0, min: 1, max: usize::MAX, mode: name });
        }
        check_count("pad_width", self.pad_width.len(), shape.len())?;
        for (axis, row) in self.pad_width.iter().enumerate().filter(|_| filter) {
            for &side in row {
                unsigned("pad_width", axis, side)?;
            }
        }
        let mut spec = PadSpec::new(mode, self.pad_width).with_frame(Frame::Uncropped);
        if mode == PadMode::Constant && spec.axes.iter().copied().any(extends) {
            let convert = if filter { fill_exact } else { fill_rounded };
            let fill = convert(self.cval, dtype);
            spec.fill = Some(fill.ok_or(DialectError::ValueConversion { value: self.cval, dtype })?);
        }
        Ok(spec)
    }
}

fn takes(dtype: DType, family: Family) -> bool {
    use DType::*;
    match dtype {
        Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | F32 | F64 => true,
        C64 | C128 => family == Family::Interpolation,
        F16 | BF16 | F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 | F4E2M1 => false,
        I4 | U4 | I2 | U2 | String => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_scipys_own() {
        for (name, expected) in [
            ("reflect", [2, 1, 1, 2, 3, 3]),
            ("grid-mirror", [2, 1, 1, 2, 3, 3]),
            ("constant", [9, 9, 1, 2, 3, 9]),
            ("grid-constant", [9, 9, 1, 2, 3, 9]),
            ("nearest", [1, 1, 1, 2, 3, 3]),
            ("mirror", [3, 2, 1, 2, 3, 2]),
            ("grid-wrap", [2, 3, 1, 2, 3, 1]),
            ("wrap", [2, 3, 1, 2, 3, 1]),
        ] {
            let pad = Pad::new(name, &[[2, 1]]).cval(9.0);
            assert_eq!(pad.pad(&[1, 2, 3], &[3]).unwrap(), expected, "{name}");
            let other = pad.family(Family::Interpolation).pad(&[1, 2, 3], &[3]);
            assert_eq!(other.is_ok(), name != "wrap", "{name}");
        }
        assert!(matches!(Pad::new("edge", &[]).spec(&[], DType::F32), Err(DialectError::Word { .. })));
    }

    #[test]
    fn interpolation_looks_at_any_position() {
        let pad = |mode, row: [i64; 2]| {
            Pad::new(mode, &[row]).family(Family::Interpolation).pad(&[1, 2, 3, 4], &[4])
        };
        assert_eq!(pad("grid-wrap", [-2, 3]).unwrap(), [3, 4, 1, 2, 3]);
        assert_eq!(pad("reflect", [-5, 3]).unwrap(), [3, 2]);
        let refused = DialectError::NegativePad { name: "pad_width", axis: 0, value: -1 };
        assert_eq!(Pad::new("wrap", &[[1, -1]]).pad(&[1], &[1]), Err(refused));
    }

    #[test]
    fn values_convert_by_family() {
        let fill = |family, cval, dtype| {
            Pad::new("constant", &[[0, 1]]).cval(cval).family(family).spec(&[1], dtype).map(|spec| spec.fill)
        };
        use crate::spec::Fill;
        assert_eq!(fill(Family::Interpolation, 2.5, DType::U8), Ok(Some(Fill::of(3u8))));
        assert_eq!(fill(Family::Interpolation, -2.5, DType::I8), Ok(Some(Fill::of(-3i8))));
        assert_eq!(fill(Family::Interpolation, 300.0, DType::U8), Ok(Some(Fill::of(255u8))));
        let refused = |value, dtype| Err(DialectError::ValueConversion { value, dtype });
        assert_eq!(fill(Family::Filter, 2.5, DType::U8), refused(2.5, DType::U8));
        assert_eq!(fill(Family::Filter, 2.0, DType::U8), Ok(Some(Fill::of(2u8))));
        assert_eq!(fill(Family::Interpolation, 0.5, DType::Bool), refused(0.5, DType::Bool));
        assert_eq!(Pad::new("constant", &[[0, 0]]).cval(2.5).pad(&[1u8], &[1]).unwrap(), [1]);
    }

    #[test]
    fn types_and_ranks() {
        let count = |family| DType::ALL.iter().filter(|&&dtype| takes(dtype, family)).count();
        assert_eq!((count(Family::Filter), count(Family::Interpolation)), (11, 13));
        assert!(matches!(Pad::new("wrap", &[]).spec(&[], DType::F32), Err(DialectError::Rank { .. })));
        for mode in MODES.map(|(name, _)| name) {
            let refused = DialectError::DType { system: "scipy's filters", dtype: DType::F16, mode };
            assert_eq!(Pad::new(mode, &[[1, 1]]).spec(&[3], DType::F16), Err(refused));
        }
        for mode in ["reflect", "grid-mirror", "nearest", "wrap"] {
            let refused = DialectError::AxisTooShort { axis: 0, length: 0, min: 1, mode };
            assert_eq!(Pad::new(mode, &[[1, 1]]).pad::<u8>(&[], &[0]), Err(refused));
        }
        let count = Err(DialectError::Count { name: "pad_width", expected: 2, got: 1 });
        assert_eq!(Pad::new("wrap", &[[0, 0]]).spec(&[1, 1], DType::F32), count);
    }
}
