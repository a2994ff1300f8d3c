//! WebNN's `pad`, a method of `MLGraphBuilder`.
//!
//! This module follows the Editor's Draft of 2026. No engine was tested. For `uint32`, the draft converts a number to a signed integer, but
//! this module converts it to an unsigned one. Scalars are copied, as in the test suite of the draft.

use crate::dialect::convert::{fill_cast, fill_cast_integer};
use crate::dialect::{
    Dialect, DialectError, check_int32, check_length, check_reach, padded, unsigned, word, zip_pads,
};
use crate::dtype::DType;
use crate::spec::{Fill, PadMode, PadSpec};

const MODES: [(&str, PadMode); 3] =
    [("constant", PadMode::Constant), ("edge", PadMode::Edge), ("reflection", PadMode::Reflect)];

/// An `MLNumber`, which is a number or a bigint of JavaScript.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A JavaScript number.
    Number(f64),
    /// A JavaScript bigint. If it has more than 128 bits, pass the nearest number of 128 bits, which has the same result.
    BigInt(i128),
}

/// Describes a call of `pad`. No axis may be empty, and lengths must fit the type `long`.
///
/// ```
/// use pad_kernels::dialect::{Dialect, webnn};
/// let call = webnn::Pad::new(&[1], &[2]).value(webnn::Number::Number(300.0));
/// assert_eq!(call.pad(&[1u8, 2], &[2])?, [255, 1, 2, 255, 255]);
/// let call = webnn::Pad::new(&[2], &[1]).mode("reflection");
/// assert_eq!(call.pad(&[1u8, 2, 3], &[3])?, [3, 2, 1, 2, 3, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The elements to add before the first one of each axis, each an `unsigned long`.
    pub beginning_padding: &'a [i64],
    /// The elements to add after the last one of each axis, each an `unsigned long`.
    pub ending_padding: &'a [i64],
    /// `constant`, `edge` or `reflection`. A `reflection` border must be shorter than the axis.
    pub mode: &'a str,
    /// The fill, which is cast to the type of the data. For a float type, it is rounded to the nearest even number, and a NaN loses its
    /// payload. For an integer type, it is rounded and clamped to the range of the type, and NaN becomes 0.
    pub value: Number,
}

impl<'a> Pad<'a> {
    /// Makes a call in mode `constant` with fill zero.
    pub fn new(beginning_padding: &'a [i64], ending_padding: &'a [i64]) -> Self {
        Pad { beginning_padding, ending_padding, mode: "constant", value: Number::Number(0.0) }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode, ..self }
    }

    /// Sets `value`, the fill.
    #[must_use]
    pub fn value(self, value: Number) -> Self {
        Pad { value, ..self }
    }
}

impl Dialect for Pad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        use DType::*;
        let mode = word("mode", self.mode, &MODES)?;
        if !matches!(dtype, F32 | F16 | I32 | U32 | I64 | U64 | I8 | U8) {
            return Err(DialectError::DType { system: "WebNN", dtype, mode: mode.name() });
        }
        let beginning = ("beginningPadding", self.beginning_padding);
        let pads = zip_pads(beginning, ("endingPadding", self.ending_padding), shape.len())?;
        for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
            unsigned("beginningPadding", axis, pad.low)?;
            unsigned("endingPadding", axis, pad.high)?;
            check_length(axis, length, 1, mode)?;
            if mode == PadMode::Reflect {
                check_reach(axis, length, pad, mode)?;
            }
            check_int32(axis, padded(length, pad))?;
        }
        let mut spec = PadSpec::new(mode, pads);
        if mode == PadMode::Constant {
            spec.fill = Some(self.fill(dtype));
        }
        Ok(spec)
    }
}

impl Pad<'_> {
    fn fill(&self, dtype: DType) -> Fill {
        match self.value {
            Number::Number(number) => fill_cast(number, dtype),
            Number::BigInt(integer) => fill_cast_integer(integer, dtype),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cast() {
        let fill = |value, dtype| {
            Pad::new(&[0], &[0]).value(Number::Number(value)).spec(&[1], dtype).map(|spec| spec.fill)
        };
        let half = |bits: u16| Fill::from_bytes(DType::F16, &bits.to_ne_bytes());
        for (dtype, value, expected) in [
            (DType::U8, 2.5, Fill::of(2u8)),
            (DType::U8, 3.5, Fill::of(4u8)),
            (DType::U8, -1.0, Fill::of(0u8)),
            (DType::I8, -1e300, Fill::of(i8::MIN)),
            (DType::I32, f64::NAN, Fill::of(0i32)),
            (DType::U32, f64::INFINITY, Fill::of(u32::MAX)),
            (DType::I64, 1e19, Fill::of(i64::MAX)),
            (DType::U64, 1e20, Fill::of(u64::MAX)),
            (DType::F32, 1e39, Fill::of(f32::INFINITY)),
            (DType::F32, f64::NAN, Fill::of(f32::NAN)),
            // A NaN loses its sign and its payload.
            (DType::F32, f64::from_bits(0xfff8_0000_2000_0000), Fill::of(f32::NAN)),
            (DType::F16, 65519.99, half(0x7bff)),
            (DType::F16, 65520.0, half(0x7c00)),
            // The value is rounded once. If it were first rounded to `f32`, it would become a tie, and then 1.
            (DType::F16, 1.000_488_281_250_909_5, half(0x3c01)),
            (DType::F16, -1e-9, half(0x8000)),
        ] {
            assert_eq!(fill(value, dtype), Ok(Some(expected)), "{dtype} {value:e}");
        }
        let big = |value| Pad::new(&[1], &[0]).value(Number::BigInt(value));
        assert_eq!(big(i128::MIN).pad(&[1i64], &[1]).unwrap(), [i64::MIN, 1]);
        assert_eq!(big((1 << 53) + 1).pad(&[1u64], &[1]).unwrap(), [(1 << 53) + 1, 1]);
        assert_eq!(big(1 << 80).pad(&[1.0f32], &[1]).unwrap(), [(1u128 << 80) as f32, 1.0]);
    }

    #[test]
    fn rules() {
        let pad = |mode, begin, end, length| {
            Pad::new(&[begin], &[end]).mode(mode).output_shape(&[length], DType::F32)
        };
        assert_eq!(pad("reflection", 2, 2, 3).unwrap(), [7]);
        assert!(matches!(pad("reflection", 3, 0, 3), Err(DialectError::PadTooLong { max: 2, .. })));
        assert!(matches!(pad("constant", 0, 0, 0), Err(DialectError::AxisTooShort { min: 1, .. })));
        assert!(matches!(pad("edge", -1, 0, 3), Err(DialectError::NegativePad { .. })));
        let long = pad("edge", 0, i64::from(i32::MAX), 1);
        assert!(matches!(
            long,
            Err(DialectError::OutOfRange { name: "the padded length", value: 0x8000_0000, .. })
        ));
        assert!(matches!(pad("symmetric", 0, 0, 1), Err(DialectError::Word { .. })));
        assert!(matches!(Pad::new(&[], &[]).spec(&[], DType::F64), Err(DialectError::DType { .. })));
        assert_eq!(Pad::new(&[], &[]).pad(&[7u8], &[]).unwrap(), [7]);
    }
}
