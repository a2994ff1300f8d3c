//! Makes a plan and runs it in one call. Small contiguous tensors get a smaller plan, because the full plan takes longer than the
//! padding itself.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::dtype::{DType, ElementSize};
use crate::element::{Element, Elements};
use crate::error::PadError;
use crate::kernel::slices::{as_bytes, as_uninit, as_uninit_bytes, new_vec, written};
use crate::kernel::small::write_small;
use crate::plan::fill_element;
use crate::plan::small::Small;
use crate::run::PadPlan;
use crate::spec::{AxisPad, Fill, PadSpec};

/// Pads `src` into `dst`.
pub(crate) fn pad_into<T: Element>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    dst: &mut [T],
) -> Result<(), PadError> {
    let lengths = (size_of_val(src), Some(size_of_val(dst)));
    let write = |small: &Small, fill: Option<&[u8]>| {
        write_small(small, fill, as_bytes(src), as_uninit_bytes(as_uninit(dst)));
    };
    match small(spec, shape, Elements::of::<T>(), lengths, write) {
        Some(()) => Ok(()),
        None => PadPlan::blank().once(spec, shape, Elements::of::<T>())?.run(src, dst),
    }
}

/// Pads `src` into a new vector.
pub(crate) fn pad<T: Element>(src: &[T], shape: &[usize], spec: &PadSpec) -> Result<Vec<T>, PadError> {
    let write = |small: &Small, fill: Option<&[u8]>| {
        let write = |dst: &mut [_]| Ok(write_small(small, fill, as_bytes(src), as_uninit_bytes(dst)));
        new_vec(small.dst_len / size_of::<T>(), false, write)
    };
    match small(spec, shape, Elements::of::<T>(), (size_of_val(src), None), write) {
        Some(made) => made,
        None => PadPlan::blank().once(spec, shape, Elements::of::<T>())?.to_vec(src),
    }
}

/// Pads `src`, the bytes of elements of type `dtype`, into `dst`.
pub(crate) fn pad_bytes_into(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
    dst: &mut [u8],
) -> Result<(), PadError> {
    let lengths = (src.len(), Some(dst.len()));
    let write = |small: &Small, fill: Option<&[u8]>| {
        write_small(small, fill, src, as_uninit(dst));
    };
    match small(spec, shape, Elements::of_dtype(dtype), lengths, write) {
        Some(()) => Ok(()),
        None => PadPlan::blank().once(spec, shape, Elements::of_dtype(dtype))?.run_bytes(src, dst),
    }
}

/// Pads `src` into uninitialised memory, and returns that memory initialised. The return value costs 80 instructions, so [`pad_bytes_into`]
/// does not use this function.
pub(crate) fn pad_bytes_into_uninit<'a>(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
    dst: &'a mut [MaybeUninit<u8>],
) -> Result<&'a mut [u8], PadError> {
    let lengths = (src.len(), Some(dst.len()));
    let write = |small: &Small, fill: Option<&[u8]>| write_small(small, fill, src, &mut *dst);
    match small(spec, shape, Elements::of_dtype(dtype), lengths, write) {
        Some(bytes) => Ok(written(dst, bytes)),
        None => PadPlan::blank().once(spec, shape, Elements::of_dtype(dtype))?.run_bytes_uninit(src, dst),
    }
}

/// Pads `src`, the bytes of elements of type `dtype`, into a new vector of bytes.
pub(crate) fn pad_bytes(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
) -> Result<Vec<u8>, PadError> {
    let write = |small: &Small, fill: Option<&[u8]>| {
        new_vec(small.dst_len, false, |dst| Ok(write_small(small, fill, src, dst)))
    };
    match small(spec, shape, Elements::of_dtype(dtype), (src.len(), None), write) {
        Some(made) => made,
        None => PadPlan::blank().once(spec, shape, Elements::of_dtype(dtype))?.to_vec_bytes(src),
    }
}

/// Calls `write` if the tensor is small, and if input and output have the right lengths in bytes. Otherwise returns `None`. Then
/// the caller makes the full plan, which pads the tensor or reports the error.
#[inline(always)]
fn small<R>(
    spec: &PadSpec,
    shape: &[usize],
    elements: Elements,
    (src, dst): (usize, Option<usize>),
    write: impl FnOnce(&Small, Option<&[u8]>) -> R,
) -> Option<R> {
    let ElementSize::Bytes(mut bytes) = elements.layout else { return None };
    let mut small = Small::new(bytes);
    small.plan(spec, shape)?;
    if src != small.src_len || dst.is_some_and(|dst| dst != small.dst_len) {
        return None;
    }
    // A fill with one value per position of the innermost axis is the same as one fill element that is a whole row long.
    if let Some(Fill { axis: Some(axis), .. }) = &spec.fill {
        let length = shape.get(*axis).filter(|_| *axis + 1 == shape.len())?;
        bytes *= if spec.pad(*axis) == AxisPad::default() { length } else { return None };
    }
    Some(write(&small, fill_element(spec, elements, bytes).ok()?))
}
