//! Generates random strides of tensors and random regions of the output, and runs cases with them.
#![forbid(unsafe_code)]

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, PadError, PadMode, PadPlan, Strides, kernels::PadKernel};

use crate::case::{Case, Kind};
use crate::oracles::{Mismatch, Outcome, Run, Subject};
use crate::reach::Way;
use crate::{generators, reach};

/// A region of a tensor, as one range of positions per axis.
pub type Window = Vec<Range<usize>>;

/// The position of a tensor in its buffer. All numbers count elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The index of the first element.
    pub offset: usize,
    /// The distance from an element to its neighbour, per axis.
    pub strides: Vec<isize>,
    /// The length of the buffer.
    pub room: usize,
}

impl Placed {
    /// Creates the position of a contiguous tensor that fills its buffer.
    pub fn row_major(shape: &[usize]) -> Placed {
        let mut step = 1isize;
        let mut strides = vec![0; shape.len()];
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            // If one axis is empty, the other axes can have any length up to `usize::MAX`.
            step = step.wrapping_mul(length.max(1) as isize);
        }
        Placed { offset: 0, strides, room: count(shape) }
    }

    /// Converts the position to the library's type.
    pub fn strides(&self) -> Strides {
        Strides::new(self.offset, self.strides.iter().copied())
    }

    /// Returns the buffer indices of the elements of a region, in row-major order.
    pub(crate) fn slots(&self, window: &[Range<usize>]) -> Vec<usize> {
        let is_empty = window.iter().any(Range::is_empty);
        let mut slots = if is_empty { Vec::new() } else { vec![self.offset] };
        for (range, &stride) in window.iter().zip(&self.strides) {
            let mut along = Vec::with_capacity(slots.len() * range.len());
            for slot in slots {
                along.extend(range.clone().map(|i| (slot as isize + i as isize * stride) as usize));
            }
            slots = along;
        }
        slots
    }

    /// Creates a buffer of `junk` and copies the elements of a tensor to their positions.
    pub(crate) fn spread(&self, shape: &[usize], size: usize, elements: &[u8], junk: u8) -> Vec<u8> {
        let mut buffer = vec![junk; self.room * size];
        for (slot, element) in self.slots(&whole(shape)).into_iter().zip(elements.chunks_exact(size)) {
            buffer[slot * size..][..size].copy_from_slice(element);
        }
        buffer
    }

    /// Returns the elements of a tensor in a buffer of `junk`. Returns an error if other bytes of the buffer were written.
    pub(crate) fn gathered(
        &self,
        shape: &[usize],
        size: usize,
        mut buffer: Vec<u8>,
        junk: u8,
    ) -> Result<Vec<u8>, String> {
        let mut elements = Vec::new();
        for slot in self.slots(&whole(shape)) {
            elements.extend_from_slice(&buffer[slot * size..][..size]);
            buffer[slot * size..][..size].fill(junk);
        }
        match buffer.iter().all(|&byte| byte == junk) {
            true => Ok(elements),
            false => Err("what lies between the elements is written".to_string()),
        }
    }
}

/// The region of the output that is written, with its source and destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// Writes a region to separate memory.
    Box,
    /// Writes a region of a plan that already has strides.
    BoxOfView,
    /// Writes a region from the one region of the input that it needs.
    FromPart,
    /// Writes a region from exactly the regions of the input that it reads.
    FromParts,
    /// Writes a region to its position in the whole output.
    InPlace,
}

/// A region of the output, and the positions of the tensors in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub part: Part,
    pub window: Window,
    /// The positions of the input (or of the region that is needed) and of the output. `None` if the plan has no strides.
    pub places: Option<(Placed, Placed)>,
}

impl Layout {
    /// Creates the layout of a whole contiguous output.
    pub fn whole(shape: &[usize]) -> Layout {
        Layout { part: Part::Whole, window: whole(shape), places: None }
    }

    /// Converts a plan of the whole output to a plan of this region.
    pub fn plan(&self, plan: &PadPlan) -> Result<PadPlan, PadError> {
        let Layout { part, window, places } = self;
        let strided = |plan: PadPlan| match places {
            None => Ok(plan),
            Some((input, output)) if *part == Part::InPlace => {
                let start: Vec<_> = window.iter().map(|range| range.start).collect();
                plan.with_strides(&input.strides(), &output.strides().at(&start)?)
            }
            Some((input, output)) => plan.with_strides(&input.strides(), &output.strides()),
        };
        match part {
            Part::Whole => strided(plan.clone()),
            Part::Box | Part::InPlace => strided(plan.window(window)?),
            Part::BoxOfView => strided(plan.clone())?.window(window),
            Part::FromPart => strided(plan.window_from_region(window)?),
            Part::FromParts => strided(plan.window_from_regions(window)?),
        }
    }

    /// Returns the regions of the input that are read, each with its region of the tensor that is passed to the plan.
    pub(crate) fn read(&self, plan: &PadPlan) -> Result<Vec<(Window, Window)>, PadError> {
        Ok(match self.part {
            Part::FromPart => {
                let part = plan.input_region(&self.window)?;
                vec![(part.clone(), whole(&lengths(&part)))]
            }
            Part::FromParts => plan.input_regions(&self.window)?.boxes().collect(),
            _ => vec![(whole(plan.input_shape()), whole(plan.input_shape()))],
        })
    }

    /// Returns the shapes of the tensors that are passed as input and as output.
    pub(crate) fn shapes(&self, plan: &PadPlan) -> Result<[Vec<usize>; 2], PadError> {
        let input = match self.part {
            Part::FromPart => lengths(&plan.input_region(&self.window)?),
            Part::FromParts => plan.input_regions(&self.window)?.shape(),
            _ => plan.input_shape().to_vec(),
        };
        let is_alone = matches!(self.part, Part::Box | Part::FromPart | Part::FromParts);
        Ok([input, if is_alone { lengths(&self.window) } else { plan.output_shape().to_vec() }])
    }

    /// Returns the way under which runs with this layout are counted.
    pub(crate) fn way(&self) -> Way {
        match (self.part, &self.places) {
            (Part::Whole, None) => Way::Contiguous,
            (Part::Whole, Some(_)) => Way::Strided,
            _ => Way::Windowed,
        }
    }
}

/// The positions of the tensors of a case, and the regions into which its output is divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The position of the input. Several elements may share one index.
    pub input: Placed,
    pub output: Placed,
    /// Regions such that each element of the output is in exactly one of them.
    pub tiles: Vec<Window>,
}

/// Returns the number of elements of a tensor.
pub(crate) fn count(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().product() }
}

/// Returns the region that is the whole tensor.
pub(crate) fn whole(shape: &[usize]) -> Window {
    shape.iter().map(|&length| 0..length).collect()
}

pub(crate) fn lengths(window: &[Range<usize>]) -> Vec<usize> {
    window.iter().map(Range::len).collect()
}

/// Runs `case` in every way with the strides and tiles of `view`.
///
/// One run writes the whole output. Other runs write each tile alone, from the region of the input that it needs, and in place.
/// At last, all tiles are written to one buffer.
pub fn check(case: &Case, view: &View) -> Result<Outcome, Mismatch> {
    let subject = match Subject::new(case)? {
        Ok(subject) => subject,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    let whole = whole(subject.plan.output_shape());
    let places = || Some((view.input.clone(), view.output.clone()));
    let run = |part, window: &Window, places| {
        Run::new(&subject, &Layout { part, window: window.clone(), places })?.on_every_kernel()
    };
    let tile = |tile: &Window| {
        run(Part::Box, tile, None)?;
        run(Part::FromPart, tile, None)?;
        if takes_several_parts(&subject, tile)? {
            run(Part::FromParts, tile, None)?;
        }
        // An empty region has no first element, so it has no position in the output.
        if tile.iter().any(Range::is_empty) { Ok(()) } else { run(Part::InPlace, tile, places()) }
    };
    run(Part::Whole, &whole, places())
        .and_then(|()| view.tiles.iter().try_for_each(tile))
        .and_then(|()| one_after_the_other(&subject, &view.tiles, view))
        .and_then(|()| one_after_the_other(&subject, &[whole], view))
        .map_err(|what| Mismatch::new(case, format_args!("{what}\n{view:?}")))?;
    Ok(Outcome::Ran)
}

/// Returns whether a region reads several regions of the input.
///
/// Also checks that these regions have each element that is read exactly once, and no others. If there is only one region, the
/// plan must be equal to that of [`Part::FromPart`].
fn takes_several_parts(subject: &Subject<'_>, window: &Window) -> Result<bool, String> {
    let Subject { case, plan, map, turned, .. } = subject;
    let refused = |error: PadError| format!("refused: {error}");
    let of_parts = plan.window_from_regions(window).map_err(refused)?;
    let parts = plan.input_regions(window).map_err(refused)?;
    let numbers = Placed::row_major(&map.shape).slots(window);
    let read: Vec<Option<usize>> = numbers.iter().map(|&number| map.source[number]).collect();
    let mut taken: Vec<usize> = read.iter().copied().flatten().collect();
    taken.sort_unstable();
    taken.dedup();
    let input = Placed::row_major(&case.shape);
    let in_order: Vec<_> = parts.boxes().flat_map(|(from, _)| input.slots(&from)).collect();
    let mut told = in_order.clone();
    told.sort_unstable();
    if told != taken || parts.is_empty() != taken.is_empty() {
        return Err(format!("{window:?} takes {taken:?}, and its parts {parts:?} are {told:?}"));
    }
    if parts.axes().any(|parts| parts.windows(2).any(|pair| pair[0].end >= pair[1].start)) {
        return Err(format!("{window:?} has the parts {parts:?}, some of which could be one"));
    }
    if parts.shape() != of_parts.input_shape() {
        return Err(format!(
            "{window:?} of the parts {parts:?} is planned from {:?}",
            of_parts.input_shape()
        ));
    }
    let is_slice = parts.boxes().count() == 1 && read.iter().copied().eq(in_order.into_iter().map(Some));
    // Two negations of an element cancel. The library may still report that the region is no slice.
    let is_copy = is_slice && !numbers.iter().any(|&number| turned[number]);
    if parts.is_slice() != is_copy && (parts.is_slice() || !case.turns_signs()) {
        return Err(format!("{window:?} with the parts {parts:?} is made of {read:?}"));
    }
    let several = parts.axes().any(|parts| parts.len() != 1);
    let of_part = plan.window_from_region(window).map_err(refused)?;
    if several || of_parts == of_part {
        return Ok(several);
    }
    Err(format!("{window:?} of the one part {parts:?}: {of_parts:?}, and not {of_part:?}"))
}

/// Checks that writing all regions in place, in this order, gives the whole output.
fn one_after_the_other(subject: &Subject<'_>, tiles: &[Window], view: &View) -> Result<(), String> {
    let places = Some((view.input.clone(), view.output.clone()));
    let layout = Layout { places, ..Layout::whole(subject.plan.output_shape()) };
    let whole = Run::new(subject, &layout)?;
    let mut plans = Vec::new();
    for tile in tiles.iter().filter(|tile| !tile.iter().any(Range::is_empty)) {
        let tile = Layout { part: Part::InPlace, window: tile.clone(), ..layout.clone() };
        plans.push(tile.plan(&subject.plan).map_err(|error| format!("refused: {error}"))?);
    }
    whole.of_plans(&plans).map_err(|what| format!("tiles {tiles:?} are not the whole: {what}"))
}

/// Generates a random view of `case`. Returns `None` if the reference refuses the case.
pub fn view(case: &Case, u: &mut Unstructured<'_>) -> Draw<Option<View>> {
    let Ok(shape) = case.output_shape() else { return Ok(None) };
    let (input, output) = (placed(&case.shape, true, u)?, placed(&shape, false, u)?);
    Ok(Some(View { input, output, tiles: tiling(&shape, u)? }))
}

/// Generates a random case in which neighbours of an output row are not adjacent in the input, and the positions of its tensors.
/// The lengths of axes are near the sizes of the kernels' tiles.
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
    let case = Case { paint: u.arbitrary()?, ..Case::new(kind, mode, shape, axes) };
    let Ok(shape) = case.output_shape() else {
        let (input, output) = (Placed::row_major(&case.shape), Placed::row_major(&case.shape));
        return Ok((case, View { input, output, tiles: Vec::new() }));
    };
    // The last axis of the input must not be the one with the smallest stride.
    let mut order: Vec<usize> = (0..rank).collect();
    shuffle(&mut order, u)?;
    if order[rank - 1] == rank - 1 {
        order.swap(0, rank - 1);
    }
    let lead = u.int_in_range(0..=70)?;
    let input = apart(&case.shape, order, (false, 9), (1, lead), u)?;
    let output = placed(&shape, false, u)?;
    let tiles = vec![whole(&shape)];
    Ok((case, View { input, output, tiles }))
}

/// Generates a random position of a tensor. The axes have any order and direction, and unused elements may be before and
/// between the elements. If `shares` is true, an axis may have stride 0.
pub(crate) fn placed(shape: &[usize], shares: bool, u: &mut Unstructured<'_>) -> Draw<Placed> {
    if u.ratio(1, 6)? {
        return Ok(Placed::row_major(shape));
    }
    let step = *u.choose(&[1, 1, 1, 1, 2, 3])?;
    let lead = u.int_in_range(0..=3)?;
    let order = order(shape, u)?;
    apart(shape, order, (shares, 2), (step, lead), u)
}

/// Generates a random position of a tensor, without unused elements before or between its elements. The axes have any order
/// and direction.
pub(crate) fn solid(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Placed> {
    let order = order(shape, u)?;
    apart(shape, order, (false, 0), (1, 0), u)
}

fn order(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Vec<usize>> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if u.arbitrary()? {
        shuffle(&mut order, u)?;
    }
    Ok(order)
}

/// Generates a random position of a tensor with the axes in this order. The directions are random.
///
/// The tensor begins after `lead` elements, and the smallest distance is `step`. At most `gaps` elements are between rows.
fn apart(
    shape: &[usize],
    order: Vec<usize>,
    (shares, gaps): (bool, usize),
    (mut step, lead): (usize, usize),
    u: &mut Unstructured<'_>,
) -> Draw<Placed> {
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
            // An axis of at most one element may have any stride.
            strides[axis] = *u.choose(&[0, 1 << 16, 1 << (isize::BITS - 2), isize::MAX, isize::MIN])?;
        }
        step = step * shape[axis].max(1)
            + if gaps > 0 && u.ratio(1, 4)? { u.int_in_range(1..=gaps)? } else { 0 };
    }
    let room = lead + last + 1 + u.int_in_range(0..=4)?;
    Ok(Placed { offset: lead + offset, strides, room })
}

/// Divides a tensor into random regions in any order. Some may be empty.
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

/// Generates a random case and layout for which the library chooses the kernel `row`.
///
/// For [`Way::Strided`] the tensors have strides, and for [`Way::Windowed`] only a region is written.
/// Returns `None` if no attempt reaches the kernel.
pub fn for_row(row: &'static PadKernel, way: Way, u: &mut Unstructured<'_>) -> Draw<Option<(Case, Layout)>> {
    for _ in 0..8 {
        let case = generators::case_for_row(row, u)?;
        let (Ok(plan), Ok(shape)) = (case.plan(), case.output_shape()) else { continue };
        let contiguous = Layout::whole(&shape);
        if way == Way::Contiguous {
            return Ok(Some((case, contiguous)));
        }
        let simple = if way == Way::Strided { shape.len() + 1 } else { 2 * shape.len().max(1) };
        let first = u.choose_index(simple)?;
        // The first two attempts use random layouts. The others try all simple layouts: unused elements at one level, or
        // a region without one end of one axis.
        for attempt in 0..2 + simple {
            let of_simple = attempt.checked_sub(2).map(|attempt| (first + attempt) % simple);
            let mut layout = contiguous.clone();
            match (way, of_simple) {
                (Way::Strided, None) => {
                    layout.places = Some((placed(&case.shape, true, u)?, placed(&shape, false, u)?));
                }
                (Way::Strided, Some(level)) => {
                    layout.places = Some((gap(&case.shape, level, u)?, gap(&shape, level, u)?));
                }
                (_, None) => {
                    for range in &mut layout.window {
                        let third = range.end / 3;
                        *range = u.int_in_range(0..=third)?..u.int_in_range(range.end - third..=range.end)?;
                    }
                }
                (_, Some(end)) => match layout.window.get_mut(end / 2) {
                    Some(range) if range.end > 1 && end % 2 == 0 => range.start = 1,
                    Some(range) if range.end > 1 => range.end -= 1,
                    _ => continue,
                },
            }
            if way == Way::Windowed {
                layout.part = Part::Box;
            }
            // The library may choose another kernel for the layout, because the unit of a region may have another size.
            let fits = layout.plan(&plan).is_ok_and(|plan| generators::is_chosen(row, &plan));
            if fits && (way == Way::Strided || layout.window != contiguous.window) {
                return Ok(Some((case, layout)));
            }
        }
    }
    reach::redrawn();
    Ok(None)
}

/// Creates the position of a tensor whose axes from `level` on are contiguous, with unused elements after each such block.
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

    /// Checks that strides of every sort occur, that all indices are in the buffer, and that elements of outputs share no index.
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
                // The stride of axis 1 does not matter, because the axis has one element.
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
