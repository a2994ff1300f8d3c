//! Pads as a framework does, with its names, defaults, order of pads, element types, limits and errors.
//!
//! Each type in this module describes a call of one framework. The trait [`Dialect`] has the methods to run it. [`Dialect::pad`] returns
//! the padded data, [`Dialect::plan`] a plan, [`Dialect::output_shape`] the output shape, and [`Dialect::spec`] the request as a
//! [`PadSpec`]. If the framework would refuse the call, these methods return an error.
//!
//! | framework | types |
//! |---|---|
//! | nGraph | [`ngraph::PadV0Interior`], [`ngraph::PadV0`], [`ngraph::PadV1`] |
//! | OpenVINO | [`openvino::Pad`] (Pad-1 and Pad-12) |
//! | ONNX | [`onnx::Pad`] (opsets 1 to 28, by the rules of the specification, of onnxruntime, or of the next reference evaluator) |
//! | XLA, StableHLO, jax.lax | [`xla::Pad`] |
//! | NumPy | [`numpy::Pad`] |
//! | PyTorch | [`torch::Pad`] |
//! | TensorFlow | [`tensorflow::Pad`], [`tensorflow::MirrorPad`] |
//! | LiteRT (TensorFlow Lite) | [`litert::Pad`], [`litert::MirrorPad`], [`litert::Dilate`] |
//! | OpenCV | [`opencv::CopyMakeBorder`] |
//! | `scipy.ndimage` | [`scipy::Pad`] |
//! | WebNN | [`webnn::Pad`] |
//! | Core ML | [`coreml::Pad`] |
//! | TensorRT | [`tensorrt::Slice`] |
//!
//! All pads count elements, and axis 0 is the outermost axis. The documentation of each module names the version of the
//! framework that the module follows. It also says what the module does where the documents of the framework leave something
//! open. The page [`disagreements`] shows calls to which frameworks give different answers.

mod convert;
pub mod coreml;
mod error;
pub mod litert;
pub mod ngraph;
pub mod numpy;
pub mod onnx;
pub mod opencv;
pub mod openvino;
pub mod scipy;
pub mod tensorflow;
pub mod tensorrt;
pub mod torch;
pub mod webnn;
pub mod xla;

// This module is a page of documentation. It has no code.
#[cfg(doc)]
#[doc = include_str!("disagreements.md")]
pub mod disagreements {}

use alloc::vec::Vec;

use crate::dtype::DType;
use crate::element::Element;
use crate::error::PadError;
use crate::run::{AdjointPlan, PadPlan, once};
use crate::spec::{AxisPad, Fill, PadMode, PadSpec};

pub use error::DialectError;

/// A pad call of a framework, with the methods that run it.
///
/// ```
/// use pad_kernels::DType;
/// use pad_kernels::dialect::{Dialect, openvino};
/// let node = openvino::Pad::new(12, "reflect", &[0, 2], &[-1, 1]);
/// assert_eq!(node.output_shape(&[3, 4], DType::F32)?, [2, 7]);
/// assert_eq!(node.pad(&[1, 2, 3, 4, 5, 6], &[2, 3])?, [3, 2, 1, 2, 3, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
pub trait Dialect {
    /// Checks the call by the rules of the framework, and returns the request as a [`PadSpec`].
    ///
    /// This method does not check the rules that all frameworks share, such as those about the output length and the type of the fill. All
    /// other methods check these rules.
    ///
    /// # Errors
    ///
    /// Returns a [`DialectError`] if the framework refuses the call.
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError>;

    /// Returns the names of the modes in this framework. Error texts use these names.
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &[]
    }

    /// Returns the default fill for strings.
    fn text_fill(&self) -> &'static str {
        ""
    }

    /// Makes a plan for a tensor with this shape and element type.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`spec`](Dialect::spec) and of [`PadPlan::for_dtype`].
    fn plan(&self, shape: &[usize], dtype: DType) -> Result<PadPlan, DialectError> {
        named(self, PadPlan::for_dtype(&strict(self, shape, dtype)?, shape, dtype))
    }

    /// Checks that the framework has a gradient for calls with this mode and element type. Most frameworks have none.
    ///
    /// # Errors
    ///
    /// Returns [`DialectError::NoGradient`] if the framework has no such gradient.
    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        Err(DialectError::NoGradient { system: "this framework", dtype, mode: mode.name() })
    }

    /// Makes a plan that computes gradients, if the framework has a gradient for the call.
    ///
    /// PyTorch, `jax.lax.pad`, TensorFlow and onnxruntime have gradients. The order and the precision of the sums are those of
    /// [`AdjointPlan`]. They can differ from those of the framework.
    ///
    /// ```
    /// use pad_kernels::DType;
    /// use pad_kernels::dialect::{Dialect, tensorflow};
    /// let call = tensorflow::Pad::new(&[[2, 0]]).mode("SYMMETRIC");
    /// let mut gradient = [0.0f32; 3];
    /// call.adjoint(&[3], DType::F32)?.run(&[1.0, 2.0, 3.0, 4.0, 5.0], &mut gradient)?;
    /// assert_eq!(gradient, [2.0 + 3.0, 1.0 + 4.0, 5.0]);
    /// assert!(call.adjoint(&[3], DType::I32).is_err());
    /// # Ok::<(), pad_kernels::dialect::DialectError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan) and [`PadPlan::adjoint`], and [`DialectError::NoGradient`] if the
    /// framework has no gradient for the call.
    fn adjoint(&self, shape: &[usize], dtype: DType) -> Result<AdjointPlan, DialectError> {
        let spec = strict(self, shape, dtype)?;
        // In every framework, a call has a single mode.
        self.check_gradient(dtype, spec.mode.single().unwrap_or_default())
            .map_err(|error| error.in_words_of(self.words()))?;
        named(self, PadPlan::for_dtype(&spec, shape, dtype).and_then(|plan| plan.adjoint()))
    }

    /// Returns the shape of the result. The call needs no data.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan).
    fn output_shape(&self, shape: &[usize], dtype: DType) -> Result<Vec<usize>, DialectError> {
        Ok(self.plan(shape, dtype)?.output_shape().to_vec())
    }

    /// Pads `src`, a contiguous tensor of shape `shape`, and returns the result in a new vector.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan) and [`PadPlan::to_vec`], and [`DialectError::Untagged`] if `T` has no
    /// [`DType`].
    fn pad<T: Element>(&self, src: &[T], shape: &[usize]) -> Result<Vec<T>, DialectError>
    where
        Self: Sized,
    {
        let dtype = T::DTYPE.ok_or(DialectError::Untagged)?;
        named(self, once::pad(src, shape, &strict(self, shape, dtype)?))
    }

    /// Pads `src`, a contiguous tensor of shape `shape`, and writes the result to `dst`.
    ///
    /// ```
    /// use pad_kernels::dialect::{Dialect, torch};
    /// let mut dst = [0.0f32; 5];
    /// torch::Pad::new(&[1, 1]).mode("circular").pad_into(&[1.0, 2.0, 3.0], &[1, 3], &mut dst)?;
    /// assert_eq!(dst, [3.0, 1.0, 2.0, 3.0, 1.0]);
    /// # Ok::<(), pad_kernels::dialect::DialectError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](Dialect::pad), and [`PadError::Length`] if `dst` has another length than the result.
    fn pad_into<T: Element>(&self, src: &[T], shape: &[usize], dst: &mut [T]) -> Result<(), DialectError>
    where
        Self: Sized,
    {
        let dtype = T::DTYPE.ok_or(DialectError::Untagged)?;
        named(self, once::pad_into(src, shape, &strict(self, shape, dtype)?, dst))
    }

    /// Pads the bytes of a tensor, and returns the bytes of the result in a new vector.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan) and [`PadPlan::to_vec_bytes`].
    fn pad_bytes(&self, src: &[u8], shape: &[usize], dtype: DType) -> Result<Vec<u8>, DialectError> {
        named(self, once::pad_bytes(src, shape, dtype, &strict(self, shape, dtype)?))
    }

    /// Pads the bytes of a tensor, and writes the bytes of the result to `dst`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan) and [`PadPlan::run_bytes`].
    fn pad_bytes_into(
        &self,
        src: &[u8],
        shape: &[usize],
        dtype: DType,
        dst: &mut [u8],
    ) -> Result<(), DialectError> {
        named(self, once::pad_bytes_into(src, shape, dtype, &strict(self, shape, dtype)?, dst))
    }

    /// Pads strings ([`DType::String`]) of any type that can be cloned, and returns the result in a new vector.
    ///
    /// `fill` is the fill. If the call does not name a fill, pass [`text_fill`](Dialect::text_fill).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`plan`](Dialect::plan) and [`PadPlan::to_vec_cloned`].
    fn pad_cloned<'a, T: Clone + 'a>(
        &self,
        src: &[T],
        shape: &[usize],
        fill: impl Into<Option<&'a T>>,
    ) -> Result<Vec<T>, DialectError>
    where
        Self: Sized,
    {
        Ok(self.plan(shape, DType::String)?.to_vec_cloned(src, fill)?)
    }
}

/// Returns the request of a call. The fill must have the type of the data. If a framework converts it, `spec` has done so.
fn strict<D: Dialect + ?Sized>(call: &D, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
    let spec = call.spec(shape, dtype).map_err(|error| error.in_words_of(call.words()))?;
    spec.fill.iter().try_for_each(|fill| check_fill(fill, dtype))?;
    Ok(spec)
}

/// Converts the error of a plan. The new error has the framework's name of the mode.
fn named<D: Dialect + ?Sized, T>(call: &D, result: Result<T, PadError>) -> Result<T, DialectError> {
    result.map_err(|error| DialectError::from(error).in_words_of(call.words()))
}

/// Checks that a fill does not need a conversion.
fn check_fill(fill: &Fill, dtype: DType) -> Result<(), DialectError> {
    if fill.converted(dtype).is_none() {
        return Ok(());
    }
    Err(DialectError::Pad(PadError::fill_type(fill, Some(dtype), dtype.element_size().bytes(1))))
}

/// Allocates zeroed bytes.
fn zeroed(bytes: usize) -> Result<Vec<u8>, PadError> {
    let mut new = Vec::new();
    new.try_reserve_exact(bytes).map_err(|_| PadError::OutOfMemory { bytes })?;
    new.resize(bytes, 0);
    Ok(new)
}

/// Looks up the string `given` of the argument `name` in the table `known`. Returns an error if the word is not allowed.
fn word<T: Copy>(name: &'static str, given: &str, known: &[(&'static str, T)]) -> Result<T, DialectError> {
    known.iter().find(|(word, _)| *word == given).map(|&(_, meaning)| meaning).ok_or_else(|| {
        DialectError::Word { name, given: given.into(), known: known.iter().map(|&(word, _)| word).collect() }
    })
}

/// Looks up a string as `word` does, in upper or lower case.
fn word_in_any_case<T: Copy>(
    name: &'static str,
    given: &str,
    known: &[(&'static str, T)],
) -> Result<T, DialectError> {
    let same = known.iter().map(|&(word, _)| word).find(|word| word.eq_ignore_ascii_case(given));
    word(name, same.unwrap_or(given), known)
}

/// Checks that the framework has a gradient for this type and mode. `modes` lists the modes with gradients. In all frameworks
/// with gradients, the types are floats of 16 bits or more, and complex numbers.
fn check_differentiable(
    system: &'static str,
    dtype: DType,
    mode: PadMode,
    modes: &[PadMode],
) -> Result<(), DialectError> {
    use DType::{BF16, C64, C128, F16, F32, F64};
    if matches!(dtype, F16 | BF16 | F32 | F64 | C64 | C128) && modes.contains(&mode) {
        return Ok(());
    }
    Err(DialectError::NoGradient { system, dtype, mode: mode.name() })
}

/// Checks that a list has one entry per axis.
fn check_count(name: &'static str, got: usize, expected: usize) -> Result<(), DialectError> {
    if got == expected { Ok(()) } else { Err(DialectError::Count { name, expected, got }) }
}

/// Checks that a list has one entry, or two, per axis that the call lists in `axes`, or per axis of the tensor.
fn check_listed(
    name: &'static str,
    got: usize,
    expected: usize,
    axes: Option<&[i64]>,
) -> Result<(), DialectError> {
    match check_count(name, got, expected) {
        Err(_) if axes.is_some() => Err(DialectError::ListedCount { name, expected, got }),
        checked => checked,
    }
}

/// Combines lists of low and high pads, with one entry per axis.
fn zip_pads(
    (low_name, low): (&'static str, &[i64]),
    (high_name, high): (&'static str, &[i64]),
    rank: usize,
) -> Result<Vec<AxisPad>, DialectError> {
    check_count(low_name, low.len(), rank)?;
    check_count(high_name, high.len(), rank)?;
    Ok(low.iter().zip(high).map(|(&low, &high)| AxisPad::new(low, high)).collect())
}

/// Converts a pad or width that must not be negative.
fn unsigned(name: &'static str, axis: usize, value: i64) -> Result<u64, DialectError> {
    u64::try_from(value).map_err(|_| DialectError::NegativePad { name, axis, value })
}

/// Checks that a list has no negative entry.
fn check_unsigned(name: &'static str, values: &[i64]) -> Result<(), DialectError> {
    values.iter().enumerate().try_for_each(|(axis, &value)| unsigned(name, axis, value).map(drop))
}

/// Adds a list of interior widths, with one entry per axis.
fn add_interior(pads: &mut [AxisPad], name: &'static str, interior: &[i64]) -> Result<(), DialectError> {
    check_count(name, interior.len(), pads.len())?;
    for (axis, (pad, &value)) in pads.iter_mut().zip(interior).enumerate() {
        pad.interior = unsigned(name, axis, value)?;
    }
    Ok(())
}

/// Resolves an axis number. A negative number counts from the last axis.
fn resolve(axis: i64, rank: usize) -> Result<usize, DialectError> {
    let from_first = if axis < 0 { i128::from(axis) + rank as i128 } else { i128::from(axis) };
    usize::try_from(from_first)
        .ok()
        .filter(|&axis| axis < rank)
        .ok_or(DialectError::AxisOutOfRange { axis, rank })
}

/// Tells whether a pad adds elements to an axis.
fn extends(pad: AxisPad) -> bool {
    pad.low > 0 || pad.high > 0
}

/// Returns the length of an axis after negative pads have cropped it.
fn cropped(length: usize, pad: AxisPad) -> usize {
    let crop = |side: i64| usize::try_from(side.min(0).unsigned_abs()).unwrap_or(usize::MAX);
    length.saturating_sub(crop(pad.low)).saturating_sub(crop(pad.high))
}

/// Returns the length of an axis after padding without interior padding.
fn padded(length: usize, pad: AxisPad) -> i128 {
    length as i128 + i128::from(pad.low) + i128::from(pad.high)
}

/// Checks that a border does not need a second reflection or period. Some frameworks have this limit.
fn check_reach(axis: usize, length: usize, pad: AxisPad, mode: PadMode) -> Result<(), DialectError> {
    let max = length as i128 - i128::from(mode == PadMode::Reflect);
    if i128::from(pad.low.max(pad.high)) > max {
        return Err(DialectError::PadTooLong { axis, length, pad, max, mode: mode.name() });
    }
    Ok(())
}

/// Checks that the length of an axis after padding fits a signed integer of 32 bits. Some frameworks count in 32 bits.
fn check_int32(axis: usize, length: i128) -> Result<(), DialectError> {
    let max = i32::MAX.into();
    if length > i128::from(max) {
        let value = i64::try_from(length).unwrap_or(i64::MAX);
        return Err(DialectError::OutOfRange { name: "the padded length", axis, value, min: 0, max });
    }
    Ok(())
}

/// Checks that an axis has the `min` elements that `mode` needs.
fn check_length(axis: usize, length: usize, min: usize, mode: PadMode) -> Result<(), DialectError> {
    if length < min {
        Err(DialectError::AxisTooShort { axis, length, min, mode: mode.name() })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_ask_gives_the_same() {
        let call = numpy::Pad::new((1, 2)).constant_values(Fill::of(9u8));
        let expected = [9, 1, 2, 9, 9];
        assert_eq!(call.pad(&[1u8, 2], &[2]).unwrap(), expected);
        assert_eq!(call.pad_bytes(&[1, 2], &[2], DType::U8).unwrap(), expected);
        assert_eq!(call.output_shape(&[2], DType::U8).unwrap(), [5]);
        let (mut dst, mut bytes) = ([0; 5], [0; 5]);
        call.pad_into(&[1u8, 2], &[2], &mut dst).unwrap();
        call.pad_bytes_into(&[1, 2], &[2], DType::U8, &mut bytes).unwrap();
        assert_eq!((dst, bytes), (expected, expected));
        assert!(call.pad_into(&[1u8, 2], &[2], &mut dst[1..]).is_err());
        let plan = call.plan(&[2], DType::U8).unwrap();
        assert_eq!(plan.to_vec(&[1u8, 2]).unwrap(), expected);
        assert_eq!(crate::pad(&[1u8, 2], &[2], &call.spec(&[2], DType::U8).unwrap()).unwrap(), expected);
        let object: &dyn Dialect = &call;
        assert_eq!(object.pad_bytes(&[1, 2], &[2], DType::U8).unwrap(), expected);
        // `numpy::Pad` has its own versions of these methods, because it has modes that compute. `tensorflow::Pad` has the
        // default versions.
        let call = tensorflow::Pad::new(&[[1, 2]]);
        let expected = [0, 1, 2, 0, 0];
        let (mut dst, mut bytes) = ([7; 5], [7; 5]);
        call.pad_into(&[1u8, 2], &[2], &mut dst).unwrap();
        call.pad_bytes_into(&[1, 2], &[2], DType::U8, &mut bytes).unwrap();
        assert_eq!((dst, bytes), (expected, expected));
        assert!(call.pad_into(&[1u8, 2], &[2], &mut dst[1..]).is_err());
    }

    #[test]
    fn packed_types_and_types_without_a_tag() {
        let call = numpy::Pad::new((1, 0));
        assert_eq!(call.pad_bytes(&[0x21, 0x03], &[3], DType::U4).unwrap(), [0x10, 0x32]);
        assert_eq!(call.pad(&[1u128], &[1]), Err(DialectError::Untagged));
        let text = call.pad_bytes(&[], &[1], DType::String);
        assert_eq!(text, Err(DialectError::Pad(PadError::Cloned { plan: Some(DType::String) })));
    }

    #[test]
    fn sizes_are_checked() {
        let call = tensorflow::Pad::new(&[[0, i64::MAX]]);
        let refused = call.output_shape(&[1], DType::U8);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::AxisOverflow { .. }))));
        let node = openvino::Pad::new(12, "edge", &[0], &[i64::MAX]);
        let refused = node.output_shape(&[1], DType::U8);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::AxisOverflow { .. }))));
    }

    #[test]
    fn axes_resolve_and_crops_saturate() {
        for (axis, rank, expected) in [(0, 1, Some(0)), (-1, 3, Some(2)), (-3, 3, Some(0)), (2, 3, Some(2))] {
            assert_eq!(resolve(axis, rank).ok(), expected);
        }
        for (axis, rank) in [(0, 0), (-1, 0), (3, 3), (-4, 3), (i64::MIN, 3), (i64::MAX, 3)] {
            assert_eq!(resolve(axis, rank), Err(DialectError::AxisOutOfRange { axis, rank }));
        }
        for (low, high, left) in [(0, 0, 6), (1, -2, 4), (-3, -3, 0), (-4, -3, 0), (i64::MIN, i64::MIN, 0)] {
            assert_eq!(cropped(6, AxisPad::new(low, high)), left);
        }
    }
}
