//! Tensors that do not lie row by row, and boxes of the output: where they are, drawn and run.
#![forbid(unsafe_code)]

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, PadError, PadMode, PadPlan, Strides, kernels::PadKernel};

use crate::case::{Case, Kind};
use crate::oracles::{Mismatch, Outcome, Run, Subject};
use crate::reach::Way;
use crate::{generators, reach};

/// A box: a range per axis.
pub type Window = Vec<Range<usize>>;

/// Where a tensor lies in its buffer, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The place of the first element.
    pub offset: usize,
    /// The way from an element to its neighbour, per axis.
    pub strides: Vec<isize>,
    /// The elements that the buffer has room for.
    pub room: usize,
}

impl Placed {
    /// Row by row, with nothing else in the buffer.
    pub fn row_major(shape: &[usize]) -> Placed {
        let mut step = 1isize;
        let mut strides = vec![0; shape.len()];
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            // Beside an empty axis others may be as long as numbers can say.
            step = step.wrapping_mul(length.max(1) as isize);
        }
        Placed { offset: 0, strides, room: count(shape) }
    }

    /// In the library's words.
    pub fn strides(&self) -> Strides {
        Strides::new(self.offset, self.strides.iter().copied())
    }

    /// The places of the elements of a box, in row-major order.
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

    /// A buffer of `junk`, and in it these elements of a tensor.
    pub(crate) fn spread(&self, shape: &[usize], size: usize, elements: &[u8], junk: u8) -> Vec<u8> {
        let mut buffer = vec![junk; self.room * size];
        for (slot, element) in self.slots(&whole(shape)).into_iter().zip(elements.chunks_exact(size)) {
            buffer[slot * size..][..size].copy_from_slice(element);
        }
        buffer
    }

    /// The elements of a tensor in a buffer of `junk`, or that something between them was written.
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

/// What of the output is written where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// A box, to memory of its own.
    Box,
    /// A box of a plan that was given strides before.
    BoxOfView,
    /// A box, from the part of the input that it needs.
    FromPart,
    /// A box, from the parts of the input that it takes.
    FromParts,
    /// A box, to its place in the whole.
    InPlace,
}

/// A part of the output, and where the tensors lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub part: Part,
    pub window: Window,
    /// Where the input, or the part of it that is needed, and the output lie. None if the plan is given no strides.
    pub places: Option<(Placed, Placed)>,
}

impl Layout {
    /// All of an output, row by row.
    pub fn whole(shape: &[usize]) -> Layout {
        Layout { part: Part::Whole, window: whole(shape), places: None }
    }

    /// A plan of the whole, for this part of it.
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

    /// The boxes of the input that are read, each with its place in the tensor that is given.
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

    /// The shapes of the tensor that is given and of the one that is written, for which places are drawn.
    pub(crate) fn shapes(&self, plan: &PadPlan) -> Result<[Vec<usize>; 2], PadError> {
        let input = match self.part {
            Part::FromPart => lengths(&plan.input_region(&self.window)?),
            Part::FromParts => plan.input_regions(&self.window)?.shape(),
            _ => plan.input_shape().to_vec(),
        };
        let is_alone = matches!(self.part, Part::Box | Part::FromPart | Part::FromParts);
        Ok([input, if is_alone { lengths(&self.window) } else { plan.output_shape().to_vec() }])
    }

    /// The way that this is a run of.
    pub(crate) fn way(&self) -> Way {
        match (self.part, &self.places) {
            (Part::Whole, None) => Way::Contiguous,
            (Part::Whole, Some(_)) => Way::Strided,
            _ => Way::Windowed,
        }
    }
}

/// How to look at a case: where its tensors lie, and the boxes that its output is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where the input lies. Elements may share a place.
    pub input: Placed,
    pub output: Placed,
    /// Boxes that have every element of the output in one of them.
    pub tiles: Vec<Window>,
}

/// The elements of a tensor.
pub(crate) fn count(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().product() }
}

/// All of a tensor.
pub(crate) fn whole(shape: &[usize]) -> Window {
    shape.iter().map(|&length| 0..length).collect()
}

pub(crate) fn lengths(window: &[Range<usize>]) -> Vec<usize> {
    window.iter().map(Range::len).collect()
}

/// Runs `case` as `view` says, in every way there is: as a whole between its strides, each tile on its own, from the
/// part of the input that it needs, and in its place; and all tiles one after the other into one buffer.
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
        // An empty box has no first element to stand anywhere.
        if tile.iter().any(Range::is_empty) { Ok(()) } else { run(Part::InPlace, tile, places()) }
    };
    run(Part::Whole, &whole, places())
        .and_then(|()| view.tiles.iter().try_for_each(tile))
        .and_then(|()| one_after_the_other(&subject, &view.tiles, view))
        .and_then(|()| one_after_the_other(&subject, &[whole], view))
        .map_err(|what| Mismatch::new(case, format_args!("{what}\n{view:?}")))?;
    Ok(Outcome::Ran)
}

/// Whether a box takes several parts of the input: no element more than it needs, and none twice. One part is that of
/// [`Part::FromPart`].
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
    // Signs that turn twice may be told as signs that turn.
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

/// Boxes written to their places in this order are the whole.
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
    let case = Case { paint: u.arbitrary()?, ..Case::new(kind, mode, shape, axes) };
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
    let lead = u.int_in_range(0..=70)?;
    let input = apart(&case.shape, order, (false, 9), (1, lead), u)?;
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
    let order = order(shape, u)?;
    apart(shape, order, (shares, 2), (step, lead), u)
}

/// Draws where a tensor may lie that fills its memory from the first element on: axes in any order and direction.
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

/// Draws the directions of axes in this order, behind `lead` elements and with neighbours `step` apart, perhaps with at most
/// `gaps` elements between rows.
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
            // It does not matter.
            strides[axis] = *u.choose(&[0, 1 << 16, 1 << (isize::BITS - 2), isize::MAX, isize::MIN])?;
        }
        step = step * shape[axis].max(1)
            + if gaps > 0 && u.ratio(1, 4)? { u.int_in_range(1..=gaps)? } else { 0 };
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

/// Draws a case that is `row`'s even where its tensors lie with gaps, or where only a box is written, and that layout.
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
        // Any layout twice, and then every simple one: a gap at one level, or all but one end of one axis.
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
            // Another row may fit better: units of a part of a row may be those of a word.
            let fits = layout.plan(&plan).is_ok_and(|plan| generators::is_chosen(row, &plan));
            if fits && (way == Way::Strided || layout.window != contiguous.window) {
                return Ok(Some((case, layout)));
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
