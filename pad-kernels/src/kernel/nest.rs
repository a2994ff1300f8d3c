//! What the generated loop nests are made of: a sink that output goes to in order, and rows for it.

use crate::kernel::cursor::{Border, Cursor, Run, source};
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

/// The runs of a row, where there are as few as in most: border, body, border.
struct Script {
    runs: [Run; 3],
    len: usize,
}

impl Script {
    #[inline(always)]
    fn new<M: Border>(axis: &Axis) -> Option<Script> {
        let mut script = Script { runs: [Run::Outside { count: 0 }; 3], len: 0 };
        let mut cursor = Cursor::<M>::new(axis);
        let mut left = axis.out;
        while left > 0 {
            let run = cursor.take(left);
            left -= run.count();
            *script.runs.get_mut(script.len)? = run;
            script.len += 1;
        }
        Some(script)
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
    axis: &Axis,
    (src, step): (isize, isize),
    (dst, dst_step): (isize, isize),
    count: usize,
) {
    let unit = sink.unit() as isize;
    let plain = axis.interior == 0 && axis.src_stride == unit && axis.dst_stride == unit;
    // SAFETY: the caller's bounds; the runs of the first row are those of every row.
    unsafe {
        if plain && M::MODE == PadMode::Constant && sink.sequential() {
            // One row's trailing and the next one's leading pad make one gap.
            let inside = axis.inside();
            let (head, body, tail) = (inside.start, inside.len(), axis.out - inside.end);
            sink.seek(dst);
            sink.fill(head * sink.unit());
            let from = src + (axis.start + axis.origin + head as i64) as isize * unit;
            sink.spread(from, step, count, body * sink.unit(), (tail + head) * sink.unit());
            sink.fill(tail * sink.unit());
            return;
        }
        let script = if plain { Script::new::<M>(axis) } else { None };
        let (mut src, mut dst) = (src, dst);
        for _ in 0..count {
            match &script {
                Some(script) => {
                    sink.seek(dst);
                    for &run in &script.runs[..script.len] {
                        match run {
                            Run::Outside { count } => sink.fill(count * sink.unit()),
                            Run::Forward { from, count } => sink.copy(src + from as isize * unit, count * sink.unit()),
                            Run::Backward { from, count } => sink.reverse(src + from as isize * unit, count),
                            Run::Hold { from, count } => sink.hold(src + from as isize * unit, count),
                        }
                    }
                }
                None => row::<M, S>(sink, axis, src, dst),
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
        Run::Forward { from, .. } => (from, (-from).rem_euclid(step), 1),
        Run::Backward { from, .. } => (from, from.rem_euclid(step), -1),
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
            let index = (from + direction * lead) / step;
            let stride = axis.src_stride * direction as isize;
            // A step that is longer than the row leaves one unit.
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            let (units, gap) = ((rest - 1) / step + 1, (step - 1).saturating_mul(unit));
            sink.spread(src + index as isize * axis.src_stride, stride, units, unit, gap);
            sink.fill((rest - 1) % step * unit);
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
