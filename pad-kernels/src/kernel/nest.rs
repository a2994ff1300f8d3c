//! What the generated loop nests are made of: a sink that output goes to in order, and rows for it.

use core::marker::PhantomData;

use crate::kernel::cursor::{Border, Cursor, Run, Stretch, div_rem, source};
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

    /// `count >= 1` units `stride` apart in the source, to places from `at` on that are `at_stride` apart.
    unsafe fn scatter(&mut self, from: isize, stride: isize, at: isize, at_stride: isize, count: usize);

    /// Cells of the source with fill between them.
    unsafe fn cells(&mut self, grid: &Grid);

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

    /// Has these atoms of the source, if they are there, brought into the cache.
    fn prefetch(&self, from: isize, atoms: usize);

    /// Writes what is only noted so far.
    unsafe fn finish(&mut self);
}

/// Lines of cells: `cells >= 1` times `atoms` atoms of the source, `stride` apart, with `gap` of fill between each two; and
/// that in `lines >= 1` lines, whose sources are `line_stride` apart, with `line_gap` of fill between each two.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) from: isize,
    pub(super) cells: usize,
    pub(super) stride: isize,
    pub(super) atoms: usize,
    pub(super) gap: usize,
    pub(super) lines: usize,
    pub(super) line_stride: isize,
    pub(super) line_gap: usize,
}

impl Grid {
    /// A single line.
    #[inline(always)]
    fn line_of(from: isize, cells: usize, stride: isize, atoms: usize, gap: usize) -> Grid {
        Grid { from, cells, stride, atoms, gap, lines: 1, line_stride: 0, line_gap: 0 }
    }

    /// The atoms of the output that a line takes, without the gap behind it.
    #[inline(always)]
    pub(super) fn line(&self) -> usize {
        self.cells * (self.atoms + self.gap) - self.gap
    }
}

/// One row of any shape: all of the innermost axis.
///
/// # Safety
///
/// - Every source and destination offset that `axis` reaches from `src` and `dst`, plus one unit, is in bounds.
#[inline(never)]
unsafe fn row<M: Border, S: Sink>(sink: &mut S, axis: &Axis, src: isize, dst: isize) {
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
    shape: RowShape,
    mode: PhantomData<M>,
}

enum RowShape {
    /// Fill, cells of the source with fill between them, fill: every row of constant mode. All in atoms.
    Cells { head: usize, from: isize, count: usize, atoms: usize, gap: usize, tail: usize },
    /// A body between two borders that come from the source.
    Bordered(Parts),
    /// More runs than that, gaps in the borders, or neighbours that are none in the source or destination.
    Other,
}

/// A row as a body, which is a run upwards, between two borders, without fill.
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
            // Constant mode has cells instead.
            Run::Outside { count } => Part { from: 0, direction: 0, units: count },
            Run::Forward { from, count } => Part { from, direction: 1, units: count },
            Run::Backward { from, count } => Part { from, direction: -1, units: count },
            Run::Hold { from, count } => Part { from, direction: 0, units: count },
        }
    }

    /// The lowest coordinate.
    #[inline(always)]
    fn lowest(self) -> i64 {
        if self.direction < 0 { self.from + 1 - self.units as i64 } else { self.from }
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
    /// The rows of `axis` for a sink of such units.
    #[inline(never)]
    pub(super) fn new(axis: &'a Axis, unit: usize) -> Self {
        let neighbours = axis.src_stride == unit as isize && axis.dst_stride == unit as isize;
        let shape = match M::MODE {
            _ if !neighbours => RowShape::Other,
            PadMode::Constant => RowShape::cells(axis, unit),
            _ if axis.interior > 0 => RowShape::Other,
            _ => Parts::new::<M>(axis).map_or(RowShape::Other, RowShape::Bordered),
        };
        RowPlan { axis, shape, mode: PhantomData }
    }
}

/// An axis of constant mode: fill, elements with gaps between them, fill. All but `first` counts positions.
#[derive(Clone, Copy)]
struct Level {
    head: usize,
    /// The source index of the first element.
    first: isize,
    count: usize,
    gap: usize,
    tail: usize,
}

impl Level {
    #[inline(always)]
    fn new(axis: &Axis) -> Level {
        let inside = axis.inside();
        let (head, body, tail) = (inside.start, inside.len(), axis.out - inside.end);
        let first = axis.start + axis.origin + head as i64;
        if axis.interior == 0 {
            return Level { head, first: first as isize, count: body, gap: 0, tail };
        }
        let step = axis.step();
        let (index, past) = div_rem(first, step);
        let (index, lead) = if past == 0 {
            (index, 0)
        } else {
            (index + 1, planted!("gap-phase-of-a-row", step - past, past))
        };
        // A gap may be longer than the axis.
        let lead = usize::try_from(lead).map_or(body, |lead| lead.min(body));
        let rest = body - lead;
        let (gaps, after) = if rest == 0 { (0, 0) } else { div_rem(rest as i64 - 1, step) };
        Level {
            head: head + lead,
            first: index as isize,
            count: if rest == 0 { 0 } else { gaps as usize + 1 },
            // A single element's step may be longer than memory.
            gap: if gaps == 0 { 0 } else { (step - 1) as usize },
            tail: after as usize + tail,
        }
    }
}

impl RowShape {
    /// The cells of a row of constant mode.
    #[inline(always)]
    fn cells(axis: &Axis, unit: usize) -> RowShape {
        let Level { head, first, count, gap, tail } = Level::new(axis);
        // Without gaps the elements are one cell.
        let (count, atoms) = if axis.interior == 0 { (1, count * unit) } else { (count, unit) };
        let from = first * unit as isize;
        RowShape::Cells { head: head * unit, from, count, atoms, gap: gap * unit, tail: tail * unit }
    }
}

/// `count` planes of `axis` and the rows inside it, whose sources are `step` apart, with `between` atoms of fill between each
/// two: all in one go, if the sink is sequential and each row is one cell. Whether it was.
///
/// # Safety
///
/// - As for [`rows`], for all of `axis` in every plane.
#[inline(always)]
pub(super) unsafe fn planes<M: Border, S: Sink>(
    sink: &mut S,
    axis: &Axis,
    row_plan: &RowPlan<'_, M>,
    (src, step): (isize, isize),
    dst: isize,
    count: usize,
    between: usize,
) -> bool {
    if M::MODE != PadMode::Constant || !sink.sequential() {
        return false;
    }
    let &RowShape::Cells { head, from, count: 1, atoms, tail, .. } = &row_plan.shape else { return false };
    let level = Level::new(axis);
    if atoms == 0 || level.count == 0 {
        return false;
    }
    // SAFETY: the caller's bounds. Trailing and leading pads, and rows of fill, make one gap.
    unsafe {
        let row = axis.dst_stride as usize;
        let (lead, trail) = (level.head * row + head, level.tail * row + tail);
        sink.seek(dst);
        sink.fill(lead);
        sink.cells(&Grid {
            from: src + level.first * axis.src_stride + from,
            cells: level.count,
            stride: axis.src_stride,
            atoms,
            gap: tail + level.gap * row + head,
            lines: count,
            line_stride: step,
            line_gap: trail + between + lead,
        });
        sink.fill(trail);
    }
    true
}

/// `count` rows whose sources are `step` and whose destinations are `dst_step` apart, with `between` atoms of fill between
/// each two if the sink is sequential.
///
/// # Safety
///
/// - As for [`row`], for every row, and the fill lies within the destination.
#[inline(always)]
pub(super) unsafe fn rows<M: Border, S: Sink>(
    sink: &mut S,
    row_plan: &RowPlan<'_, M>,
    (mut src, step): (isize, isize),
    (mut dst, dst_step): (isize, isize),
    count: usize,
    between: usize,
) {
    let axis = row_plan.axis;
    let unit = sink.unit();
    // SAFETY: the caller's bounds; the shape of one row is that of every row.
    unsafe {
        match &row_plan.shape {
            // One row's trailing and the next one's leading pad make one gap.
            &RowShape::Cells { head, from, count: cells, atoms, gap, tail }
                if sink.sequential() && cells > 0 && atoms > 0 =>
            {
                let (from, line_gap) = (src + from, tail + between + head);
                sink.seek(dst);
                sink.fill(head);
                let stride = unit as isize;
                sink.cells(&Grid {
                    from,
                    cells,
                    stride,
                    atoms,
                    gap,
                    lines: count,
                    line_stride: step,
                    line_gap,
                });
                sink.fill(tail);
            }
            // Rows of fill alone, as between the elements of a dilated axis.
            RowShape::Cells { .. } if sink.sequential() => {
                sink.seek(dst);
                sink.fill(count * (axis.out * unit + between) - between);
            }
            &RowShape::Cells { head, from, count: cells, atoms, gap, tail } => {
                for _ in 0..count {
                    sink.seek(dst);
                    sink.fill(head);
                    if cells > 0 && atoms > 0 {
                        sink.cells(&Grid::line_of(src + from, cells, unit as isize, atoms, gap));
                    }
                    sink.fill(tail);
                    src = src.wrapping_add(step);
                    dst = dst.wrapping_add(dst_step);
                }
            }
            RowShape::Bordered(parts) => {
                debug_assert_eq!(between, 0, "only constant mode leaves gaps to the caller");
                let mut done = 0;
                if sink.sequential() {
                    sink.seek(dst);
                    done = sink.bordered(parts, src, step, axis.out * unit, count);
                    src = src.wrapping_add(step.wrapping_mul(done as isize));
                    dst = dst.wrapping_add(dst_step.wrapping_mul(done as isize));
                }
                // A leading border may come from the far end of its row, where nothing was read yet. 130 MiB of rows of 4 KiB
                // streamed at 0.97 of memcpy's speed instead of 0.84 wrapped, at 1.0 instead of 0.91 mirrored (Skylake).
                let (head, head_atoms) =
                    (parts.head.lowest() as isize * unit as isize, parts.head.units * unit);
                for _ in done..count {
                    sink.seek(dst);
                    sink.prefetch(src.wrapping_add(step.wrapping_add(head)), head_atoms);
                    for part in [parts.head, parts.body, parts.tail] {
                        if part.units > 0 {
                            let from = src + part.from as isize * unit as isize;
                            ranged(sink, from, part.direction as isize, part.units);
                        }
                    }
                    src = src.wrapping_add(step);
                    dst = dst.wrapping_add(dst_step);
                }
            }
            RowShape::Other => {
                for i in 0..count {
                    if i > 0 {
                        sink.fill(between);
                    }
                    row::<M, S>(sink, axis, src, dst);
                    src = src.wrapping_add(step);
                    dst = dst.wrapping_add(dst_step);
                }
            }
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
            _ => planted!(
                "mirrored-run-forward",
                sink.reverse(from, count),
                sink.copy(from - (count as isize - 1) * sink.unit() as isize, count * sink.unit())
            ),
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
        Run::Backward { from, .. } => (
            from,
            planted!("gap-phase-of-a-mirror", div_rem(from, step).1, (step - div_rem(from, step).1) % step),
            -1,
        ),
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
            // A single cell's step may be longer than memory.
            let gap = if gaps == 0 { 0 } else { (step - 1) as usize * unit };
            let from = src + index as isize * axis.src_stride;
            sink.cells(&Grid::line_of(from, gaps as usize + 1, stride, unit, gap));
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
    let mut cursor = Cursor::<M>::new(axis);
    let (mut at, mut left) = (dst, axis.out);
    while left > 0 {
        let Stretch { from, step, count, .. } = cursor.stretch(left, false);
        // SAFETY: the caller's bounds.
        unsafe {
            match from {
                Some(from) => sink.scatter(src + from, step, at, axis.dst_stride, count),
                None => fill_rows(sink, axis, &[], at, count),
            }
        }
        at = at.wrapping_add(axis.dst_stride.wrapping_mul(count as isize));
        left -= count;
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
