//! Calls that plan and run at once. Small tensors of contiguous elements need no plan, which takes longer than to write them.

use alloc::vec::Vec;

use crate::dtype::{DType, Layout};
use crate::element::{Element, Tag};
use crate::error::PadError;
use crate::kernel::slices::{as_bytes, as_uninit, as_uninit_bytes, new_vec};
use crate::kernel::small::write_small;
use crate::plan::pattern;
use crate::plan::pattern::Pattern;
use crate::plan::small::Small;
use crate::run::PadPlan;
use crate::spec::PadSpec;

/// Pads `src` into `dst`.
pub(crate) fn pad_into<T: Element>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    dst: &mut [T],
) -> Result<(), PadError> {
    match small::<T>(spec, shape) {
        Some((small, fill)) if small.takes(size_of_val(src), size_of_val(dst)) => {
            write_small(&small, &fill, as_bytes(src), as_uninit_bytes(as_uninit(dst)));
            Ok(())
        }
        _ => PadPlan::blank().once::<T>(spec, shape)?.run(src, dst),
    }
}

/// Pads `src` into a new vector.
pub(crate) fn pad<T: Element>(src: &[T], shape: &[usize], spec: &PadSpec) -> Result<Vec<T>, PadError> {
    match small::<T>(spec, shape) {
        Some((small, fill)) if small.takes(size_of_val(src), small.dst_len) => {
            let write = |dst: &mut [_]| Ok(write_small(&small, &fill, as_bytes(src), as_uninit_bytes(dst)));
            new_vec(small.dst_len / size_of::<T>(), false, write)
        }
        _ => PadPlan::blank().once::<T>(spec, shape)?.to_vec(src),
    }
}

/// Pads `src`, elements of type `dtype` held as bytes, into `dst`.
pub(crate) fn pad_bytes_into(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
    dst: &mut [u8],
) -> Result<(), PadError> {
    match small_of(spec, shape, Tag::DType(dtype), dtype.has_zero(), dtype.layout()) {
        Some((small, fill)) if small.takes(src.len(), dst.len()) => {
            write_small(&small, &fill, src, as_uninit(dst));
            Ok(())
        }
        _ => PadPlan::blank().once_for_dtype(spec, shape, dtype)?.run_bytes(src, dst),
    }
}

fn small<T: Element>(spec: &PadSpec, shape: &[usize]) -> Option<(Small, Pattern)> {
    small_of(spec, shape, Tag::of::<T>(), T::HAS_ZERO, Layout::Bytes(size_of::<T>()))
}

/// The plan of a small tensor and its fill. What breaks a rule has none: the full plan tells the rule.
#[inline(always)]
fn small_of(
    spec: &PadSpec,
    shape: &[usize],
    tag: Tag,
    has_zero: bool,
    layout: Layout,
) -> Option<(Small, Pattern)> {
    let Layout::Bytes(bytes) = layout else { return None };
    let small = Small::new(spec, shape, bytes)?;
    Some((small, pattern(spec, tag, has_zero, layout).ok()?))
}
