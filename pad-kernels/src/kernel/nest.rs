//! What the generated loop nests are made of: a sink that output goes to in order, and rows for it.

use core::marker::PhantomData;

use crate::kernel::cursor::{Border, Cursor, Run, div_rem, source};
use crate::plan::axis::Axis;
use crate::spec::PadMode;

/// Where the output goes: a position in the destination, and the moves that go on from it.
///
/// Offsets and lengths count atoms: bytes for a sink of bytes, bits for a sink of bits. Fill is only noted, and
/// written with the next move, so that a trailing pad, whole rows of fill and the next leading pad become one.
///
/// The contract of the unsafe methods:
/// - What is read, `atoms` or `units` from `from` in the direction of the move, lies within the source.
/// - What is written lies within the destination: from the position on, and of fill also when it is written.
pub(super) trait Sink {
    /// Atoms of a unit.
    fn unit(&self) -> usize;

    /// Whether the destination is written from front to back without holes.
    fn sequential(&self) -> bool;

    /// Goes to `at`.
    unsafe fn seek(&mut self, at: isize);

    /// Fill.
    unsafe fn fill(&mut self, atoms: usize);

    /// A run of the source.
    unsafe fn copy(&mut self, from: isize, atoms: usize);

    /// Units of the source, each before the last.
    unsafe fn reverse(&mut self, from: isize, units: usize);

    /// One unit of the source, repeated.
    unsafe fn hold(&mut self, from: isize, units: usize);

    /// `count >= 1` cells of `atoms` of the source, `stride` apart, with `gap` of fill between each two.
    unsafe fn spread(&mut self, from: isize, stride: isize, count: usize, atoms: usize, gap: usize);

    /// As many as it can, up to `count`, of rows of `atoms` atoms whose sources are `step` apart from `src`, by `parts`
    /// without fill and at the position; how many that were.
    unsafe fn bordered(
        &mut self,
        parts: &Parts,
        src: isize,
        step: isize,
        atoms: usize,
        count: usize,
    ) -> usize;

    /// Writes what is only noted so far.
    unsafe fn finish(&mut self);
}

/// One row: all of the innermost axis.
///
/// # Safety
///
/// - Every source and destination offset that `axis` reaches from `src` and `dst`, plus one unit, is in bounds.
#[inline(always)]
pub(super) unsafe fn row<M: Border, S: Sink>(sink: &mut S, axis: &Axis, src: isize, dst: isize) {
    let unit = sink.unit() as isize;
    // SAFETY: the caller's bounds; a run of an axis with neighbouring units covers these offsets and no more.
    unsafe {
        let stride = axis.src_stride;
        if axis.dst_stride != unit || (stride != unit && stride != -unit && stride != 0) {
            return scattered_row::<M, S>(sink, axis, src, dst);
        }
        sink.seek(dst);
        let mut cursor = Cursor::<M>::new(axis);
        let mut left = axis.out;
        while left > 0 {
            let run = cursor.take(left);
            left -= run.count();
            match run {
                Run::Outside { count } => sink.fill(count * sink.unit()),
                run if axis.interior > 0 => dilated(sink, axis, run, src),
                Run::Forward { from, count } => ranged(sink, src + from as isize * stride, stride, count),
                Run::Backward { from, count } => ranged(sink, src + from as isize * stride, -stride, count),
                Run::Hold { from, count } => sink.hold(src + from as isize * stride, count),
            }
        }
    }
}

/// What all rows of a run of the kernel have in common, worked out once.
pub(super) struct RowPlan<'a, M> {
    axis: &'a Axis,
    parts: Option<Parts>,
    mode: PhantomData<M>,
}

/// A row as a body, which is a run upwards, between two borders. Borders are fill in constant mode.
pub(super) struct Parts {
    pub(super) head: Part,
    pub(super) body: Part,
    pub(super) tail: Part,
    /// Behind the highest coordinate of them all.
    pub(super) end: i64,
}

/// Units from a coordinate upwards (1), downwards (-1) or all the same (0).
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) from: i64,
    pub(super) direction: i64,
    pub(super) units: usize,
}

impl Part {
    #[inline(always)]
    fn of(run: Run) -> Part {
        match run {
            Run::Outside { count } => Part { from: 0, direction: 0, units: count },
            Run::Forward { from, count } => Part { from, direction: 1, units: count },
            Run::Backward { from, count } => Part { from, direction: -1, units: count },
            Run::Hold { from, count } => Part { from, direction: 0, units: count },
        }
    }

    /// Behind the highest coordinate.
    #[inline(always)]
    fn end(self) -> i64 {
        if self.direction > 0 { self.from + self.units as i64 } else { self.from + i64::from(self.units > 0) }
    }
}

impl Parts {
    /// The parts of a row that has at most one run on either side of its longest upwards.
    #[inline(always)]
    fn new<M: Border>(axis: &Axis) -> Option<Parts> {
        const NONE: Part = Part { from: 0, direction: 0, units: 0 };
        let mut cursor = Cursor::<M>::new(axis);
        let mut left = axis.out;
        let mut next = || {
            if left == 0 {
                return NONE;
            }
            let run = cursor.take(left);
            left -= run.count();
            Part::of(run)
        };
        let (first, second, third) = (next(), next(), next());
        if left > 0 {
            return None;
        }
        let no_head = third.units == 0 && first.direction == 1 && first.units >= second.units;
        let (head, body, tail) = if no_head { (NONE, first, second) } else { (first, second, third) };
        let end = body.end().max(head.end()).max(tail.end());
        (body.direction == 1).then_some(Parts { head, body, tail, end })
    }
}

impl<'a, M: Border> RowPlan<'a, M> {
    /// The rows of `axes`, the innermost of them, for a sink of such units.
    #[inline(always)]
    pub(super) fn new(axes: &'a [Axis; 2], unit: usize) -> Self {
        let axis = &axes[1];
        let unit = unit as isize;
        let plain = axis.interior == 0 && axis.src_stride == unit && axis.dst_stride == unit;
        RowPlan { axis, parts: if plain { Parts::new::<M>(axis) } else { None }, mode: PhantomData }
    }
}

/// `count` rows whose sources are `step` and whose destinations are `dst_step` apart.
///
/// # Safety
///
/// - As for [`row`], for every row.
#[inline(always)]
pub(super) unsafe fn rows<M: Border, S: Sink>(
    sink: &mut S,
    row_plan: &RowPlan<'_, M>,
    (src, step): (isize, isize),
    (dst, dst_step): (isize, isize),
    count: usize,
) {
    let axis = row_plan.axis;
    let unit = sink.unit();
    let (mut src, mut dst) = (src, dst);
    // SAFETY: the caller's bounds; the parts of one row are those of every row.
    unsafe {
        let Some(Parts { head, body, tail, .. }) = &row_plan.parts else {
            for _ in 0..count {
                row::<M, S>(sink, axis, src, dst);
                src = src.wrapping_add(step);
                dst = dst.wrapping_add(dst_step);
            }
            return;
        };
        if M::MODE == PadMode::Constant && sink.sequential() {
            // One row's trailing and the next one's leading pad make one gap.
            sink.seek(dst);
            sink.fill(head.units * unit);
            let from = src + body.from as isize * unit as isize;
            sink.spread(from, step, count, body.units * unit, (tail.units + head.units) * unit);
            sink.fill(tail.units * unit);
            return;
        }
        let mut done = 0;
        if let Some(parts) = row_plan.parts.as_ref().filter(|_| sink.sequential()) {
            sink.seek(dst);
            done = sink.bordered(parts, src, step, axis.out * unit, count);
            src = src.wrapping_add(step.wrapping_mul(done as isize));
            dst = dst.wrapping_add(dst_step.wrapping_mul(done as isize));
        }
        for _ in done..count {
            sink.seek(dst);
            for part in [head, body, tail] {
                if M::MODE == PadMode::Constant && part.direction == 0 {
                    sink.fill(part.units * unit);
                } else if part.units > 0 {
                    let from = src + part.from as isize * unit as isize;
                    ranged(sink, from, part.direction as isize, part.units);
                }
            }
            src = src.wrapping_add(step);
            dst = dst.wrapping_add(dst_step);
        }
    }
}

/// `count` units from `from`, each `stride` after the last: a unit up, a unit down, or none.
///
/// # Safety
///
/// - They lie within the source, and so many more within the destination.
#[inline(always)]
unsafe fn ranged<S: Sink>(sink: &mut S, from: isize, stride: isize, count: usize) {
    // SAFETY: the caller's.
    unsafe {
        match stride {
            1.. => sink.copy(from, count * sink.unit()),
            0 => sink.hold(from, count),
            _ => sink.reverse(from, count),
        }
    }
}

/// A run over an axis with gaps.
///
/// # Safety
///
/// - As for [`row`].
unsafe fn dilated<S: Sink>(sink: &mut S, axis: &Axis, run: Run, src: isize) {
    let (unit, step) = (sink.unit(), axis.step());
    // The first coordinate with an element is `lead` further in the direction of the run.
    let (from, lead, direction) = match run {
        Run::Outside { .. } => return,
        Run::Forward { from, .. } => match div_rem(from, step).1 {
            0 => (from, 0, 1),
            past => (from, step - past, 1),
        },
        Run::Backward { from, .. } => (from, div_rem(from, step).1, -1),
        Run::Hold { from, count } => {
            // SAFETY: the caller's bounds.
            return unsafe {
                match source(from, step) {
                    Some(index) => sink.hold(src + index * axis.src_stride, count),
                    None => sink.fill(count * unit),
                }
            };
        }
    };
    let count = run.count();
    let short_lead = usize::try_from(lead).map_or(count, |lead| lead.min(count));
    // SAFETY: the caller's bounds; the units are those whose coordinates are multiples of the step.
    unsafe {
        sink.fill(short_lead * unit);
        let rest = count - short_lead;
        if rest > 0 {
            let index = div_rem(from + direction * lead, step).0;
            let stride = axis.src_stride * direction as isize;
            let (gaps, after) = div_rem(rest as i64 - 1, step);
            // A step that is longer than the row has no gap.
            let gap = usize::try_from(step - 1).unwrap_or(usize::MAX).saturating_mul(unit);
            sink.spread(src + index as isize * axis.src_stride, stride, gaps as usize + 1, unit, gap);
            sink.fill(after as usize * unit);
        }
    }
}

/// A row whose units are not neighbours in the source or the destination.
///
/// # Safety
///
/// - As for [`row`].
unsafe fn scattered_row<M: Border, S: Sink>(sink: &mut S, axis: &Axis, src: isize, dst: isize) {
    let unit = sink.unit();
    let mut cursor = Cursor::<M>::new(axis);
    let mut at = dst;
    for _ in 0..axis.out {
        // SAFETY: the caller's bounds.
        unsafe {
            sink.seek(at);
            match cursor.next() {
                Some(from) => sink.copy(src + from, unit),
                None => sink.fill(unit),
            }
        }
        at = at.wrapping_add(axis.dst_stride);
    }
}

/// Fill for `count` positions of `axis`, and all of `inner` in each, from `at` on.
///
/// # Safety
///
/// - As for [`fill_block`], for every position.
pub(super) unsafe fn fill_rows<S: Sink>(sink: &mut S, axis: &Axis, inner: &[Axis], at: isize, count: usize) {
    // SAFETY: the caller's bounds. Of a sequential output the positions are one block.
    unsafe {
        if sink.sequential() {
            return fill_block(sink, inner, at, axis.dst_stride * count as isize);
        }
        let mut at = at;
        for _ in 0..count {
            fill_block(sink, inner, at, axis.dst_stride);
            at = at.wrapping_add(axis.dst_stride);
        }
    }
}

/// Fill for all of `axes`, at `at`; `atoms` of it if the destination is sequential.
///
/// # Safety
///
/// - Every destination offset that `axes` reach from `at`, plus one unit, is in bounds.
/// - If the sink is sequential, `axes` cover `atoms` atoms.
pub(super) unsafe fn fill_block<S: Sink>(sink: &mut S, axes: &[Axis], at: isize, atoms: isize) {
    // SAFETY: the caller's bounds, for this block or for each of its rows.
    unsafe {
        match axes {
            _ if sink.sequential() => {
                sink.seek(at);
                sink.fill(atoms as usize);
            }
            [] => {
                sink.seek(at);
                sink.fill(sink.unit());
            }
            [axis, inner @ ..] => {
                let mut at = at;
                for _ in 0..axis.out {
                    fill_block(sink, inner, at, axis.dst_stride);
                    at = at.wrapping_add(axis.dst_stride);
                }
            }
        }
    }
}
