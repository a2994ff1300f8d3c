//! Runs plans on tensors behind pointers.

use std::ptr;

use pad_kernels::{
    BorderPlan, PadError, PadPlan,
    tensor::{RawInput, RawOutput},
};

#[cfg(all(unix, not(miri)))]
use crate::guard::GuardedRows;
use crate::views::{Placed, count};

/// Returns the offset in bytes of the first element of a tensor in its buffer, or `None` if the tensor has no elements. Checks
/// that the buffer of `bytes` bytes contains all elements.
fn first(shape: &[usize], size: usize, bytes: usize, placed: &Placed) -> Option<usize> {
    let reach = |(&length, &stride): (&usize, &isize)| (length as i128 - 1) * stride as i128;
    let reaches = || shape.iter().zip(&placed.strides).map(reach);
    let lowest = placed.offset as i128 + reaches().map(|reach| reach.min(0)).sum::<i128>();
    let highest = placed.offset as i128 + reaches().map(|reach| reach.max(0)).sum::<i128>();
    (count(shape) > 0).then(|| {
        assert!(lowest >= 0 && (highest + 1) * size as i128 <= bytes as i128, "outside of its buffer");
        placed.offset * size
    })
}

/// Describes a tensor with elements of `size` bytes in `dst`. If the tensor has no elements, its pointer is null.
fn output<'a>((dst, shape, placed): (&'a mut [u8], &'a [usize], &'a Placed), size: usize) -> RawOutput<'a> {
    let first = first(shape, size, dst.len(), placed);
    let pointer = first.map_or(ptr::null_mut(), |at| dst.as_mut_ptr().wrapping_add(at));
    // SAFETY: `first` checked that all elements lie in `dst`. The tensor borrows `dst` exclusively for `'a`.
    unsafe { RawOutput::new(pointer, size, shape, &placed.strides) }
}

/// Runs a plan on tensors with elements of `size` bytes. Each tensor has a buffer, a shape and a position.
pub fn run(
    plan: &PadPlan,
    size: usize,
    (src, shape, placed): (&[u8], &[usize], &Placed),
    to: (&mut [u8], &[usize], &Placed),
) -> Result<(), PadError> {
    let first = first(shape, size, src.len(), placed);
    let pointer = first.map_or(ptr::null(), |at| src.as_ptr().wrapping_add(at));
    // SAFETY: `first` checked that all elements lie in `src`. This function borrows `src` until the run ends.
    let input = unsafe { RawInput::new(pointer, size, shape, &placed.strides) };
    plan.run_raw(&input, output(to, size))
}

/// Writes the borders of a tensor with elements of `size` bytes.
pub fn borders(plan: &BorderPlan, size: usize, to: (&mut [u8], &[usize], &Placed)) -> Result<(), PadError> {
    plan.run_raw(output(to, size))
}

/// Runs a plan on a tensor in `memory`. Each row begins at byte `at` of a row of `memory`. The plan must have these strides.
#[cfg(all(unix, not(miri)))]
pub fn run_rows(plan: &PadPlan, size: usize, (memory, at): (&GuardedRows, usize), dst: &mut [u8]) {
    let (shape, out) = (plan.input_shape(), plan.output_shape());
    assert!(shape[0] <= memory.rows() && at + shape[1] * size <= memory.pitch() / 2, "outside of the rows");
    // SAFETY: rows of `memory` begin `pitch` bytes apart and have `pitch / 2` bytes each. The assertion checked that each row of
    // the tensor lies in one of them.
    let input = unsafe {
        RawInput::new(memory.as_ptr().add(at), size, shape, &[(memory.pitch() / size) as isize, 1])
    };
    let placed = Placed::row_major(out);
    plan.run_raw(&input, output((dst, out, &placed), size)).expect("a plan with strides of the rows");
}
