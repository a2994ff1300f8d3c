//! The operators PAD, PADV2, MIRROR_PAD and DILATE of LiteRT, formerly TensorFlow Lite.
//!
//! This module follows the observed results of the built-in kernels of ai-edge-litert 2.3 (`pad.cc`, `mirror_pad.cc`,
//! `dilate.cc`). XNNPACK, which runs PAD of some types by default, gives the same results. Pads must not be negative, and
//! lengths must fit 32 bits.

use alloc::vec::Vec;

use crate::dialect::{
    Dialect, DialectError, check_count, check_int32, check_length, check_reach, padded, unsigned, word,
};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, PadMode, PadSpec, Pads};

const MODES: [(&str, PadMode); 2] = [("REFLECT", PadMode::Reflect), ("SYMMETRIC", PadMode::Symmetric)];

/// The maximum number of axes of PAD and PADV2.
const MAX_RANK: usize = 5;

/// Describes PAD, or PADV2 if it has a value. The rank is 0 to 5.
///
/// Tensors of `uint8`, `int8` and `int16` may be quantised. PAD then fills with the zero point, which represents the number 0.
///
/// ```
/// use pad_kernels::dialect::{Dialect, litert};
/// let node = litert::Pad::new(&[[1, 2]]).zero_point(-128);
/// assert_eq!(node.pad(&[1i8, 2], &[2])?, [-128, 1, 2, -128, -128]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// One pair per axis: the elements to add before and after it.
    pub paddings: &'a [[i64; 2]],
    /// The fill of PADV2, in the type of the data. All its bits are kept, although LiteRT replaces -0.0 by +0.0.
    pub constant_values: Option<Fill>,
    /// The zero point of input and output, if they are quantised. Types that cannot be quantised ignore it.
    pub zero_point: Option<i64>,
    /// The zero point of the fill, if the fill is quantised. It must be equal to the zero point of the output. For an output of
    /// `int8` or `int16` that is not quantised, it may be any number. LiteRT also requires equal scales, which this module does
    /// not know.
    pub value_zero_point: Option<i64>,
}

/// Describes MIRROR_PAD, for any number of axes.
///
/// A `REFLECT` border must be shorter than the axis. A `SYMMETRIC` border must not be longer than the axis. These limits hold
/// for all axes, even if their pads are 0.
///
/// ```
/// use pad_kernels::dialect::{Dialect, litert};
/// let node = litert::MirrorPad::new("SYMMETRIC", &[[1, 2]]);
/// assert_eq!(node.pad(&[1, 2, 3], &[3])?, [1, 1, 2, 3, 3, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPad<'a> {
    /// One pair per axis: the elements to add before and after it.
    pub paddings: &'a [[i64; 2]],
    /// `REFLECT` or `SYMMETRIC`.
    pub mode: &'a str,
    /// The zero point of input and output, if they are quantised. For `int16`, it must be 0. It does not change the result.
    pub zero_point: Option<i64>,
}

/// Describes DILATE, which inserts elements between neighbours and has no borders. The tensor must have at least one axis, and
/// no axis may be empty.
///
/// LiteRT crashes if an axis needs 2^31 bytes or more between two neighbours, even if its length is 1. This module has no such
/// limit.
///
/// ```
/// use pad_kernels::Fill;
/// use pad_kernels::dialect::{Dialect, litert};
/// let node = litert::Dilate::new(&[3], Fill::of(9));
/// assert_eq!(node.pad(&[1, 2], &[2])?, [1, 9, 9, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dilate<'a> {
    /// The distance between neighbours of each axis in the output. It must be at least 1.
    pub dilations: &'a [i64],
    /// The fill, in the type of the data. It is required.
    pub padding_value: Option<Fill>,
}

impl<'a> Pad<'a> {
    /// Makes a PAD for a tensor that is not quantised.
    pub fn new(paddings: &'a [[i64; 2]]) -> Self {
        Pad { paddings, constant_values: None, zero_point: None, value_zero_point: None }
    }

    /// Makes a PADV2 with this fill.
    #[must_use]
    pub fn constant_values(self, value: Fill) -> Self {
        Pad { constant_values: Some(value), ..self }
    }

    /// Sets the zero point of quantised tensors. It also becomes the zero point of the fill.
    #[must_use]
    pub fn zero_point(self, zero_point: i64) -> Self {
        Pad { zero_point: Some(zero_point), value_zero_point: Some(zero_point), ..self }
    }
}

impl<'a> MirrorPad<'a> {
    /// Makes a node in mode `mode` for a tensor that is not quantised.
    pub fn new(mode: &'a str, paddings: &'a [[i64; 2]]) -> Self {
        MirrorPad { paddings, mode, zero_point: None }
    }

    /// Sets the zero point of quantised tensors.
    #[must_use]
    pub fn zero_point(self, zero_point: i64) -> Self {
        MirrorPad { zero_point: Some(zero_point), ..self }
    }
}

impl<'a> Dilate<'a> {
    /// Makes a node that inserts `value` between neighbours.
    pub fn new(dilations: &'a [i64], value: Fill) -> Self {
        Dilate { dilations, padding_value: Some(value) }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        use DType::*;
        let mode = PadMode::Constant;
        if !matches!(dtype, F32 | F16 | BF16 | Bool | I8 | I16 | I32 | I64 | U8) {
            let system = if self.constant_values.is_some() { "LiteRT PADV2" } else { "LiteRT PAD" };
            return Err(DialectError::DType { system, dtype, mode: mode.name() });
        }
        if shape.len() > MAX_RANK {
            return Err(DialectError::Rank { rank: shape.len(), min: 0, max: MAX_RANK, mode: mode.name() });
        }
        let mut spec = PadSpec::new(mode, pads(self.paddings, shape, mode)?);
        let zero_point = self.zero_point.filter(|_| quantised(dtype));
        let value_zero_point = self.value_zero_point.filter(|_| quantised(dtype));
        spec.fill = match &self.constant_values {
            // Kernels of `int8` and `int16` check the fill only if the output is quantised.
            Some(_) if zero_point != value_zero_point && (zero_point.is_some() || dtype == U8) => {
                return Err(DialectError::ZeroPoint {
                    name: "constant_values",
                    zero_point: value_zero_point.unwrap_or(0),
                    dtype,
                });
            }
            Some(value) => Some(value.clone()),
            None => zero_point.map(|zero_point| zero(zero_point, dtype)).transpose()?,
        };
        Ok(spec)
    }
}

impl Dialect for MirrorPad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        use DType::*;
        let mode = word("mode", self.mode, &MODES)?;
        let takes = match dtype {
            Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | F16 | BF16 | F32 | F64 | C64 => true,
            F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 | F4E2M1 => false,
            I4 | U4 | I2 | U2 | C128 | String => false,
        };
        if !takes {
            return Err(DialectError::DType { system: "LiteRT MIRROR_PAD", dtype, mode: mode.name() });
        }
        if let Some(zero_point) = self.zero_point.filter(|&zero_point| dtype == I16 && zero_point != 0) {
            return Err(DialectError::ZeroPoint { name: "input", zero_point, dtype });
        }
        Ok(PadSpec::new(mode, pads(self.paddings, shape, mode)?))
    }
}

impl Dialect for Dilate<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        use DType::*;
        let mode = PadMode::Constant;
        let takes = match dtype {
            Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => true,
            F16 | BF16 | F32 | F64 | C64 | C128 => true,
            F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 | F4E2M1 => false,
            I4 | U4 | I2 | U2 | String => false,
        };
        if !takes {
            return Err(DialectError::DType { system: "LiteRT DILATE", dtype, mode: mode.name() });
        }
        if shape.is_empty() {
            return Err(DialectError::Rank { rank: 0, min: 1, max: usize::MAX, mode: mode.name() });
        }
        check_count("dilations", self.dilations.len(), shape.len())?;
        let Some(value) = &self.padding_value else {
            return Err(DialectError::ValueRequired { name: "padding_value" });
        };
        let mut axes = Vec::new();
        for (axis, (&dilation, &length)) in self.dilations.iter().zip(shape).enumerate() {
            let Ok(gap @ ..=0x7fff_fffe) = u64::try_from(i128::from(dilation) - 1) else {
                return Err(DialectError::OutOfRange {
                    name: "dilations",
                    axis,
                    value: dilation,
                    min: 1,
                    max: i64::from(i32::MAX),
                });
            };
            check_length(axis, length, 1, mode)?;
            check_int32(axis, length as i128 + (length as i128 - 1) * i128::from(gap))?;
            axes.push(AxisPad::new(0, 0).with_interior(gap));
        }
        let mut spec = PadSpec::new(mode, axes);
        spec.fill = Some(value.clone());
        Ok(spec)
    }
}

/// Tells whether tensors of this type can be quantised.
fn quantised(dtype: DType) -> bool {
    matches!(dtype, DType::U8 | DType::I8 | DType::I16)
}

/// Returns the zero point as an element.
fn zero(zero_point: i64, dtype: DType) -> Result<Fill, DialectError> {
    let fill = match dtype {
        DType::U8 => u8::try_from(zero_point).ok().map(Fill::of),
        DType::I8 => i8::try_from(zero_point).ok().map(Fill::of),
        _ => i16::try_from(zero_point).ok().map(Fill::of),
    };
    fill.ok_or(DialectError::ZeroPoint { name: "output", zero_point, dtype })
}

fn pads(paddings: &[[i64; 2]], shape: &[usize], mode: PadMode) -> Result<Pads, DialectError> {
    check_count("paddings", paddings.len(), shape.len())?;
    for (axis, (&row, &length)) in paddings.iter().zip(shape).enumerate() {
        for side in row {
            unsigned("paddings", axis, side)?;
        }
        if mode != PadMode::Constant {
            check_reach(axis, length, row.into(), mode)?;
        }
        check_int32(axis, padded(length, row.into()))?;
    }
    Ok(paddings.iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_points_fill_where_tensors_are_quantised() {
        let pad = |zero_point| Pad::new(&[[1, 0]]).zero_point(zero_point);
        assert_eq!(pad(255).pad(&[1u8], &[1]).unwrap(), [255, 1]);
        assert_eq!(pad(300).pad(&[1i16], &[1]).unwrap(), [300, 1]);
        assert_eq!(pad(300).pad(&[1i32], &[1]).unwrap(), [0, 1]);
        let refused = DialectError::ZeroPoint { name: "output", zero_point: 128, dtype: DType::I8 };
        assert_eq!(pad(128).pad(&[1i8], &[1]), Err(refused));
        // PADV2 has its own fill. It only requires equal zero points.
        let valued = pad(5).constant_values(Fill::of(7i8));
        assert_eq!(valued.pad(&[1i8], &[1]).unwrap(), [7, 1]);
        let other = Pad { value_zero_point: Some(6), ..valued };
        let refused = DialectError::ZeroPoint { name: "constant_values", zero_point: 6, dtype: DType::I8 };
        assert_eq!(other.pad(&[1i8], &[1]), Err(refused));
        let alone = Pad { zero_point: None, ..other };
        assert!(alone.spec(&[1], DType::I8).is_ok() && alone.spec(&[1], DType::I16).is_ok());
        assert!(matches!(alone.spec(&[1], DType::U8), Err(DialectError::ZeroPoint { zero_point: 6, .. })));
        // For `int16`, MIRROR_PAD requires the zero point 0.
        let mirror = |zero_point| MirrorPad::new("REFLECT", &[[0, 0]]).zero_point(zero_point);
        assert!(mirror(0).spec(&[1], DType::I16).is_ok());
        assert!(matches!(mirror(-1).spec(&[1], DType::I16), Err(DialectError::ZeroPoint { .. })));
        assert!(mirror(-1).spec(&[1], DType::I8).is_ok());
    }

    #[test]
    fn ranks_and_types() {
        let (rows, shape) = ([[0, 0]; 6], [1; 6]);
        assert!(Pad::new(&rows[..5]).spec(&shape[..5], DType::F32).is_ok());
        assert!(matches!(Pad::new(&rows).spec(&shape, DType::F32), Err(DialectError::Rank { max: 5, .. })));
        for (call, system) in
            [(Pad::new(&[]), "LiteRT PAD"), (Pad::new(&[]).constant_values(Fill::of(0.0)), "LiteRT PADV2")]
        {
            let refused = DialectError::DType { system, dtype: DType::F64, mode: "constant" };
            assert_eq!(call.spec(&[], DType::F64), Err(refused));
        }
        assert!(MirrorPad::new("SYMMETRIC", &rows).spec(&shape, DType::F32).is_ok());
        assert!(Dilate::new(&[1; 6], Fill::of(0.0f32)).spec(&shape, DType::F32).is_ok());
        let none = Dilate::new(&[], Fill::of(0.0f32)).spec(&[], DType::F32);
        assert!(matches!(none, Err(DialectError::Rank { rank: 0, min: 1, .. })));
        let count = |takes: &dyn Fn(DType) -> bool| DType::ALL.iter().filter(|&&dtype| takes(dtype)).count();
        assert_eq!(count(&|dtype| Pad::new(&[]).spec(&[], dtype).is_ok()), 9);
        assert_eq!(count(&|dtype| MirrorPad::new("REFLECT", &[]).spec(&[], dtype).is_ok()), 14);
        let dilate = |dtype| Dilate::new(&[1], Fill::from_bytes(dtype, &[])).spec(&[1], dtype).is_ok();
        assert_eq!(count(&dilate), 15);
    }

    #[test]
    fn dilations_are_checked() {
        let dilate =
            |dilation, length| Dilate::new(&[dilation], Fill::of(9)).output_shape(&[length], DType::I32);
        assert_eq!(dilate(1, 3).unwrap(), [3]);
        assert_eq!(dilate(4, 3).unwrap(), [9]);
        for value in [0, -1, i64::MIN, 1 << 31] {
            let refused =
                DialectError::OutOfRange { name: "dilations", axis: 0, value, min: 1, max: 0x7fff_ffff };
            assert_eq!(dilate(value, 3), Err(refused));
        }
        // On machines of 32 bits, this output is larger than memory.
        assert!(!matches!(dilate(0x3fff_ffff, 3), Err(DialectError::OutOfRange { .. })));
        assert!(matches!(dilate(0x4000_0000, 3), Err(DialectError::OutOfRange { value: 0x8000_0001, .. })));
        assert!(matches!(dilate(1, 0), Err(DialectError::AxisTooShort { length: 0, min: 1, .. })));
        let valueless = Dilate { padding_value: None, ..Dilate::new(&[1], Fill::of(0)) };
        assert_eq!(
            valueless.spec(&[1], DType::I32),
            Err(DialectError::ValueRequired { name: "padding_value" })
        );
    }

    #[test]
    fn mirrors_reach_once_and_lengths_fit_32_bits() {
        let mirror =
            |mode, row: [i64; 2]| MirrorPad::new(mode, &[row]).output_shape(&[3], DType::F32).is_ok();
        assert!(mirror("REFLECT", [2, 2]) && !mirror("REFLECT", [3, 0]));
        assert!(mirror("SYMMETRIC", [3, 3]) && !mirror("SYMMETRIC", [0, 4]) && !mirror("reflect", [0, 0]));
        let huge = |low| Pad::new(&[[low, 0]]).output_shape(&[1], DType::U8);
        assert_eq!(huge(0x7fff_fffe).unwrap(), [0x7fff_ffff]);
        assert!(matches!(huge(0x7fff_ffff), Err(DialectError::OutOfRange { value: 0x8000_0000, .. })));
        let negative = DialectError::NegativePad { name: "paddings", axis: 0, value: -1 };
        assert_eq!(huge(-1), Err(negative));
    }
}
