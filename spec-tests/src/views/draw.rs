//! Where tensors lie and how outputs are cut, drawn.

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, PadMode, kernels::PadKernel};

use super::{Placed, View, Window, whole};
use crate::case::{Case, Kind};
use crate::{generators, reach};

/// Draws a view of `case`, if the reference has an output for it.
pub fn view(case: &Case, u: &mut Unstructured<'_>) -> Draw<Option<View>> {
    let Ok(shape) = case.output_shape() else { return Ok(None) };
    let (input, output) = (placed(&case.shape, true, u)?, placed(&shape, false, u)?);
    Ok(Some(View { input, output, tiles: tiling(&shape, u)? }))
}

/// Draws a case whose rows are columns of its input, of lengths around those of tiles, and where its tensors lie.
pub fn columns(kind: Kind, u: &mut Unstructured<'_>) -> Draw<(Case, View)> {
    const LENGTHS: [usize; 16] = [2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 129, 300];
    let most = generators::MOST_ELEMENTS;
    let rank = u.int_in_range(2..=4)?;
    let (mut shape, mut axes) = (Vec::new(), Vec::new());
    for _ in 0..rank {
        let left = most / shape.iter().product::<usize>().max(1);
        shape.push((*u.choose(&LENGTHS)?).min(left.max(1)));
        let interior = if u.ratio(1, 8)? { u.int_in_range(1..=2)? } else { 0 };
        let mut width = || if u.ratio(1, 3)? { Ok(0) } else { u.int_in_range(-1..=3) };
        let (low, high) = (width()?, width()?);
        axes.push(AxisPad { low, high, interior });
    }
    let mode = generators::modes(rank, u)?;
    if mode != PadMode::Constant && matches!(kind, Kind::Raw(_)) {
        axes.iter_mut().for_each(|pad| pad.interior = 0);
    }
    let case = Case { shape, axes, mode, frame: None, kind, fill: None, paint: u.arbitrary()? };
    let Ok(shape) = case.output_shape() else {
        let (input, output) = (Placed::row_major(&case.shape), Placed::row_major(&case.shape));
        return Ok((case, View { input, output, tiles: Vec::new() }));
    };
    // The last axis is not the one whose neighbours are neighbours in memory.
    let mut order: Vec<usize> = (0..rank).collect();
    shuffle(&mut order, u)?;
    if order[rank - 1] == rank - 1 {
        order.swap(0, rank - 1);
    }
    let mut input = Placed::row_major(&case.shape);
    let mut step = 1;
    for &axis in order.iter().rev() {
        let backward = u.ratio(1, 4)?;
        input.offset += if backward { step * (case.shape[axis] - 1) } else { 0 };
        input.strides[axis] = if backward { -(step as isize) } else { step as isize };
        step = step * case.shape[axis] + if u.ratio(1, 4)? { u.int_in_range(1..=9)? } else { 0 };
    }
    let lead = u.int_in_range(0..=70)?;
    input.offset += lead;
    input.room = lead + step;
    let output = placed(&shape, false, u)?;
    let tiles = vec![whole(&shape)];
    Ok((case, View { input, output, tiles }))
}

/// Draws where a tensor may lie: axes in any order and direction, gaps at any level; if `shares`, also axes on which
/// all elements are one.
pub(crate) fn placed(shape: &[usize], shares: bool, u: &mut Unstructured<'_>) -> Draw<Placed> {
    if u.ratio(1, 6)? {
        return Ok(Placed::row_major(shape));
    }
    let step = *u.choose(&[1, 1, 1, 1, 2, 3])?;
    let lead = u.int_in_range(0..=3)?;
    apart(shape, (shares, true), (step, lead), u)
}

/// Draws where a tensor may lie that fills its memory from the first element on: axes in any order and direction.
pub(crate) fn solid(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Placed> {
    apart(shape, (false, false), (1, 0), u)
}

/// Draws the order and the direction of axes, behind `lead` elements and with neighbours `step` apart, perhaps with gaps
/// between rows.
fn apart(
    shape: &[usize],
    (shares, gaps): (bool, bool),
    (mut step, lead): (usize, usize),
    u: &mut Unstructured<'_>,
) -> Draw<Placed> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if u.arbitrary()? {
        shuffle(&mut order, u)?;
    }
    let mut strides = vec![0; shape.len()];
    let (mut offset, mut last) = (0, 0);
    for &axis in order.iter().rev() {
        let stride = if shares && u.ratio(1, 6)? { 0 } else { step };
        let reach = stride * shape[axis].saturating_sub(1);
        let backward = u.ratio(1, 4)?;
        offset += if backward { reach } else { 0 };
        last += reach;
        strides[axis] = if backward { -(stride as isize) } else { stride as isize };
        if shape[axis] <= 1 && u.ratio(1, 8)? {
            // It does not matter.
            strides[axis] = *u.choose(&[0, 1 << 16, 1 << (isize::BITS - 2), isize::MAX, isize::MIN])?;
        }
        step = step * shape[axis].max(1) + if gaps && u.ratio(1, 4)? { u.int_in_range(1..=2)? } else { 0 };
    }
    let room = lead + last + 1 + u.int_in_range(0..=4)?;
    Ok(Placed { offset: lead + offset, strides, room })
}

/// Cuts a tensor into boxes, some of them empty, in any order.
pub(crate) fn tiling(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Vec<Window>> {
    let mut tiles = vec![whole(shape)];
    let cuts = if shape.is_empty() { 0 } else { u.int_in_range(0..=4)? };
    for _ in 0..cuts {
        let (tile, axis) = (u.choose_index(tiles.len())?, u.choose_index(shape.len())?);
        let range = tiles[tile][axis].clone();
        let cut = u.int_in_range(range.start..=range.end)?;
        let mut rest = tiles[tile].clone();
        tiles[tile][axis] = range.start..cut;
        rest[axis] = cut..range.end;
        tiles.push(rest);
    }
    shuffle(&mut tiles, u)?;
    Ok(tiles)
}

fn shuffle<T>(items: &mut [T], u: &mut Unstructured<'_>) -> Draw<()> {
    for end in (2..=items.len()).rev() {
        items.swap(end - 1, u.choose_index(end)?);
    }
    Ok(())
}

/// Draws a case that is `row`'s even where its tensors lie with gaps, and where they lie.
pub fn strided_for_row(
    row: &'static PadKernel,
    u: &mut Unstructured<'_>,
) -> Draw<Option<(Case, Placed, Placed)>> {
    for _ in 0..8 {
        let case = generators::case_for_row(row, u)?;
        let (Ok(plan), Ok(shape)) = (case.plan(), case.output_shape()) else { continue };
        let fits = |input: &Placed, output: &Placed| {
            let plan = plan.with_strides(&input.strides(), &output.strides());
            plan.is_ok_and(|plan| generators::is_chosen(row, &plan))
        };
        for _ in 0..2 {
            let (input, output) = (placed(&case.shape, true, u)?, placed(&shape, false, u)?);
            if fits(&input, &output) {
                return Ok(Some((case, input, output)));
            }
        }
        // A gap at one level leaves what lies inside of it, and outside, as it was.
        let levels = shape.len() + 1;
        let first = u.choose_index(levels)?;
        for level in (0..levels).map(|i| (first + i) % levels) {
            let (input, output) = (gap(&case.shape, level, u)?, gap(&shape, level, u)?);
            if fits(&input, &output) {
                return Ok(Some((case, input, output)));
            }
        }
    }
    reach::redrawn();
    Ok(None)
}

/// Row by row, but for a gap behind all that the axes from `level` on hold.
fn gap(shape: &[usize], level: usize, u: &mut Unstructured<'_>) -> Draw<Placed> {
    let gap = u.int_in_range(1..=2)?;
    let mut placed = Placed::row_major(shape);
    let inside: usize = shape[level..].iter().map(|&length| length.max(1)).product();
    let mut step = inside + gap;
    for axis in (0..level).rev() {
        placed.strides[axis] = step as isize;
        step *= shape[axis].max(1);
    }
    placed.offset = u.int_in_range(0..=2)?;
    placed.room = placed.offset + step;
    Ok(placed)
}

/// Draws a case that is `row`'s even where only a box of the output is written, and the box.
pub fn window_for_row(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Draw<Option<(Case, Window)>> {
    for _ in 0..8 {
        let case = generators::case_for_row(row, u)?;
        let (Ok(plan), Ok(shape)) = (case.plan(), case.output_shape()) else { continue };
        let fits = |window: &Window| {
            // Another row may fit better: units of a part of a row may be those of a word.
            *window != whole(&shape)
                && plan.window(window).is_ok_and(|plan| generators::is_chosen(row, &plan))
        };
        let any = shape.iter().map(|&length| {
            let start = u.int_in_range(0..=length / 3)?;
            Ok(start..u.int_in_range(length - length / 3..=length)?)
        });
        let any = any.collect::<Draw<Window>>()?;
        if fits(&any) {
            return Ok(Some((case, any)));
        }
        // All but one end of one axis.
        let ends = 2 * shape.len().max(1);
        let first = u.choose_index(ends)?;
        for end in (0..ends).map(|i| (first + i) % ends) {
            let mut window = whole(&shape);
            match window.get_mut(end / 2) {
                Some(range) if range.end > 1 && end % 2 == 0 => range.start = 1,
                Some(range) if range.end > 1 => range.end -= 1,
                _ => continue,
            }
            if fits(&window) {
                return Ok(Some((case, window)));
            }
        }
    }
    reach::redrawn();
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::generators::Source;

    #[test]
    fn tiles_are_a_partition() {
        let mut source = Source::of_seed(1, 200);
        let mut counts = BTreeSet::new();
        for _ in 0..source.cases() {
            let (shape, tiles) = source.draw(|u| {
                let shape: Vec<usize> =
                    (0..u.int_in_range(0..=3)?).map(|_| u.int_in_range(0..=5)).collect::<Draw<_>>()?;
                let tiles = tiling(&shape, u)?;
                Ok((shape, tiles))
            });
            let placed = Placed::row_major(&shape);
            let mut seen: Vec<usize> = tiles.iter().flat_map(|tile| placed.slots(tile)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..placed.room), "{shape:?} {tiles:?}");
            counts.insert(tiles.len());
        }
        assert!(counts.len() == 5, "{counts:?}");
    }

    /// Strides of every sort are drawn, all within the buffer, and no two elements of an output share a place.
    #[test]
    fn places_are_of_every_sort() {
        let mut source = Source::of_seed(2, 500);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let shape = [3, 1, 4];
        for _ in 0..source.cases() {
            for shares in [false, true] {
                let placed = source.draw(|u| placed(&shape, shares, u));
                let slots = placed.slots(&whole(&shape));
                assert!(slots.iter().all(|&slot| slot < placed.room), "{placed:?}");
                let distinct = slots.iter().collect::<BTreeSet<_>>().len();
                assert!(shares || distinct == slots.len(), "{placed:?}");
                // That of a single element does not matter.
                let strides = [placed.strides[0], placed.strides[2]];
                let sorts = [
                    ("row by row", placed == Placed::row_major(&shape)),
                    ("shared", strides.contains(&0)),
                    ("backward", strides.iter().any(|&stride| stride < 0)),
                    ("column by column", strides[0].abs() < strides[1].abs()),
                    ("spread", strides.iter().all(|stride| stride.abs() > 1)),
                    ("far", placed.strides[1] == isize::MIN),
                    ("holes", distinct == slots.len() && placed.room > slots.len() + 7),
                ];
                seen.extend(sorts.iter().filter(|(_, is)| *is).map(|(name, _)| name));
            }
        }
        assert_eq!(seen.len(), 7, "{seen:?}");
    }
}
