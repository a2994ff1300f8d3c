//! The walk in output order, in safe code: what each output element is, for any rank and any type.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use crate::error::PadError;
use crate::kernel::Entry;
use crate::kernel::cursor::{Border, Constant, Cursor, Edge, Reflect, Run, Symmetric, Wrap, source};
use crate::plan::PadPlan;
use crate::plan::axis::Axis;
use crate::spec::PadMode;

/// Output elements next to each other on the innermost axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Offset of the first in the destination.
    pub(crate) dst: isize,
    /// From one to the next in the destination.
    pub(crate) dst_stride: isize,
    /// Offset in the source of what the first is, or `None` if all are fill.
    pub(crate) src: Option<isize>,
    /// From one to the next in the source.
    pub(crate) src_stride: isize,
    /// How many.
    pub(crate) count: usize,
}

/// Visits the output of axes from a source and a destination offset on, in output order.
pub(crate) type Walk = fn(&[Axis], isize, isize, &mut dyn FnMut(Piece));

/// The walk of a mode.
pub(crate) fn walk(mode: PadMode) -> Walk {
    match mode {
        PadMode::Constant => walk_axes::<Constant>,
        PadMode::Edge => walk_axes::<Edge>,
        PadMode::Reflect => walk_axes::<Reflect>,
        PadMode::Symmetric => walk_axes::<Symmetric>,
        PadMode::Wrap => walk_axes::<Wrap>,
    }
}

/// The walk of mode `M`.
pub(crate) fn walk_axes<M: Border>(axes: &[Axis], src: isize, dst: isize, visit: &mut dyn FnMut(Piece)) {
    visit_axes::<M>(axes, Some(src), dst, visit);
}

fn visit_axes<M: Border>(axes: &[Axis], src: Option<isize>, dst: isize, visit: &mut dyn FnMut(Piece)) {
    let Some((axis, inner)) = axes.split_first() else { return };
    if inner.is_empty() {
        return visit_row::<M>(axis, src, dst, visit);
    }
    let mut cursor = Cursor::<M>::new(axis);
    let mut at = dst;
    for _ in 0..axis.out {
        let offset = cursor.next();
        visit_axes::<M>(inner, src.zip(offset).map(|(src, offset)| src + offset), at, visit);
        at = at.wrapping_add(axis.dst_stride);
    }
}

fn visit_row<M: Border>(axis: &Axis, src: Option<isize>, dst: isize, visit: &mut dyn FnMut(Piece)) {
    let mut piece = Piece { dst, dst_stride: axis.dst_stride, src: None, src_stride: 0, count: axis.out };
    let Some(src) = src else { return visit(piece) };
    let mut cursor = Cursor::<M>::new(axis);
    let mut left = axis.out;
    while left > 0 {
        // With gaps one at a time: this walk is short before it is fast.
        let run = cursor.take(planted!("cloned-gaps", if axis.interior > 0 { 1 } else { left }, left));
        let (from, direction) = match run {
            Run::Outside { .. } => (None, 0),
            Run::Forward { from, .. } => (Some(from), 1),
            Run::Backward { from, .. } => (Some(from), planted!("cloned-mirror", -1, 1)),
            Run::Hold { from, .. } => (Some(from), 0),
        };
        piece.count = run.count();
        piece.src = from.and_then(|u| source(u, axis.step())).map(|index| src + index * axis.src_stride);
        piece.src_stride = axis.src_stride * direction;
        visit(piece);
        left -= piece.count;
        piece.dst = piece.dst.wrapping_add(axis.dst_stride.wrapping_mul(piece.count as isize));
    }
}

/// Runs the plan's walk: its kernel's, or the mode's own for more axes than kernels have.
fn run_walk(plan: &PadPlan, visit: &mut dyn FnMut(Piece)) {
    if plan.is_empty() {
        return;
    }
    let walk = match plan.kernel().map(|row| row.entry) {
        Some(Entry::Cloned(walk)) => walk,
        _ => walk(plan.nest.mode),
    };
    walk(&plan.nest.axes, plan.nest.src, plan.nest.dst, visit);
}

/// Clones into `dst`, element by element. The caller has checked the lengths.
pub(crate) fn run<T: Clone>(plan: &PadPlan, src: &[T], fill: &T, dst: &mut [T]) {
    run_walk(plan, &mut |piece| {
        each(piece, |to, from| {
            for i in 0..plan.nest.unit {
                dst[to as usize + i].clone_from(from.map_or(fill, |from| &src[from as usize + i]));
            }
        });
    });
}

/// Clones into a new vector. The caller has checked the lengths.
pub(crate) fn to_vec<T: Clone>(plan: &PadPlan, src: &[T], fill: &T) -> Result<Vec<T>, PadError> {
    let mut dst = Vec::new();
    let out_of_memory = PadError::OutOfMemory { bytes: plan.output_len().saturating_mul(size_of::<T>()) };
    dst.try_reserve_exact(plan.output_len()).map_err(|_| out_of_memory)?;
    run_walk(plan, &mut |piece| {
        each(piece, |_, from| {
            dst.extend(
                (0..plan.nest.unit).map(|i| from.map_or(fill, |from| &src[from as usize + i]).clone()),
            );
        });
    });
    Ok(dst)
}

/// The elements of a piece: destination and source offset of each.
pub(crate) fn each(piece: Piece, mut visit: impl FnMut(isize, Option<isize>)) {
    let Piece { mut dst, dst_stride, mut src, src_stride, count } = piece;
    for _ in 0..count {
        visit(dst, src);
        dst = dst.wrapping_add(dst_stride);
        src = src.map(|src| src.wrapping_add(src_stride));
    }
}
