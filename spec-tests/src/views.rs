//! Generates random strides of tensors and random regions of the output. Runs cases (requests with their data) with them.

use std::ops::Range;

use anyhow::ensure;
use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{PadError, PadPlan, Strides};
use strum::{EnumIter, IntoEnumIterator as _};

use crate::case::Case;
use crate::oracles::{Outcome, Run, Subject, with_subject};
use crate::reach::Way;

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

    /// Moves the tensor so that its element with the lowest buffer index is the first of the buffer.
    pub(crate) fn begin(&mut self, shape: &[usize]) {
        let lowest = self.slots(&whole(shape)).into_iter().min().unwrap_or(0);
        (self.offset, self.room) = (self.offset - lowest, self.room - lowest);
    }

    /// Creates a buffer, fills it with the bytes `junk` again and again, and copies the elements of a tensor to their positions.
    pub(crate) fn spread(&self, shape: &[usize], size: usize, elements: &[u8], junk: &[u8]) -> Vec<u8> {
        let mut buffer: Vec<u8> = junk.iter().copied().cycle().take(self.room * size).collect();
        for (slot, element) in self.slots(&whole(shape)).into_iter().zip(elements.chunks_exact(size)) {
            buffer[slot * size..][..size].copy_from_slice(element);
        }
        buffer
    }
}

/// Which part of the output is written, from which input and to which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter)]
pub enum Part {
    Whole,
    /// Writes a region to separate memory.
    Box,
    /// Writes a region to contiguous memory, with a plan that got its strides before the region.
    BoxOfView,
    /// Writes a region to separate memory. The source tensor is the region of the input that contains all elements that are read.
    FromPart,
    /// Writes a region to separate memory. The source tensor consists of exactly the regions of the input that are read.
    FromParts,
    /// Writes a region to its position in the whole output.
    InPlace,
}

/// A region of the output, and the positions of the tensors in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub part: Part,
    pub window: Window,
    /// The positions of the source tensor and of the output. `None` if the plan has no strides.
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

    /// Returns each region of the input that is read, and the region of the source tensor that holds its elements.
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

    /// Returns the [`Way`] as which runs with this layout are counted.
    pub(crate) fn way(&self) -> Way {
        match (self.part, &self.places) {
            (Part::Whole, None) => Way::Contiguous,
            (Part::Whole, Some(_)) => Way::Strided,
            _ => Way::Windowed,
        }
    }
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

/// Runs `case` on every kernel with a random layout for each [`Part`].
pub fn check(case: &Case, u: &mut Unstructured<'_>) -> anyhow::Result<Outcome> {
    with_subject(case, |subject| {
        Part::iter().try_for_each(|part| check_layout(subject, &layout(&subject.plan, part, true, u)?))
    })
}

/// Runs `case` on every kernel with each of the layouts.
pub fn check_layouts(case: &Case, layouts: &[Layout]) -> anyhow::Result<Outcome> {
    with_subject(case, |subject| layouts.iter().try_for_each(|layout| check_layout(subject, layout)))
}

/// Runs `case` on every kernel with contiguous tensors, for one region of the output.
pub fn check_window(case: &Case, window: &[Range<usize>]) -> anyhow::Result<()> {
    let checked = with_subject(case, |subject| {
        let places = Some((Placed::row_major(&case.shape), Placed::row_major(&subject.map.shape)));
        [(Part::Box, None), (Part::FromPart, None), (Part::InPlace, places)].into_iter().try_for_each(
            |(part, places)| check_layout(subject, &Layout { part, window: window.to_vec(), places }),
        )
    });
    checked?.ran(case)
}

/// Runs a case on every kernel with `layout`.
fn check_layout(subject: &Subject<'_>, layout: &Layout) -> anyhow::Result<()> {
    if layout.part == Part::FromParts {
        check_parts(subject, &layout.window)?;
    }
    Run::new(subject, layout)?.on_every_kernel()
}

/// Checks that the regions of the input together contain every element that is read, each of them once, and no other elements. If
/// there is only one region, the plan must be equal to that of [`Part::FromPart`].
fn check_parts(subject: &Subject<'_>, window: &Window) -> anyhow::Result<()> {
    let Subject { case, plan, map, turned, .. } = subject;
    let of_parts = plan.window_from_regions(window)?;
    let parts = plan.input_regions(window)?;
    let numbers = Placed::row_major(&map.shape).slots(window);
    let read: Vec<Option<usize>> = numbers.iter().map(|&number| map.source[number]).collect();
    let mut taken: Vec<usize> = read.iter().copied().flatten().collect();
    taken.sort_unstable();
    taken.dedup();
    let input = Placed::row_major(&case.shape);
    let in_order: Vec<_> = parts.boxes().flat_map(|(from, _)| input.slots(&from)).collect();
    let mut told = in_order.clone();
    told.sort_unstable();
    let is_slice = parts.boxes().count() == 1 && read.iter().copied().eq(in_order.into_iter().map(Some));
    // Two negations of an element cancel. The library may still report that the region is no slice.
    let is_copy = is_slice && !numbers.iter().any(|&number| turned[number]);
    let told_slice = parts.is_slice() == is_copy || !parts.is_slice() && case.turns_signs();
    let about = || format!("the parts {parts:?} of {window:?}: {read:?} of {:?}", of_parts.input_shape());
    let same = told == taken && parts.is_empty() == taken.is_empty();
    ensure!(same, "{} are other elements than those that are read", about());
    let apart = parts.axes().all(|parts| parts.windows(2).all(|pair| pair[0].end < pair[1].start));
    ensure!(apart, "{} could be fewer", about());
    ensure!(parts.shape() == of_parts.input_shape(), "{} have another shape than the plan", about());
    ensure!(told_slice, "{} are a slice or not", about());
    let several = parts.axes().any(|parts| parts.len() != 1);
    let hull =
        |parts: &[Range<usize>]| parts.first().map_or(0..0, |first| first.start..parts[parts.len() - 1].end);
    let region = plan.input_region(window)?;
    let is_hull = parts
        .axes()
        .map(hull)
        .eq(region.iter().map(|part| if part.is_empty() { 0..0 } else { part.clone() }));
    ensure!(is_hull, "{} do not span {region:?}", about());
    let of_part = plan.window_from_region(window)?;
    ensure!(several || of_parts == of_part, "{} are one: {of_parts:?}, and not {of_part:?}", about());
    Ok(())
}

/// Generates the layout of a part of a plan's output. If `strided` is false, only [`Part::InPlace`] has strides.
pub(crate) fn layout(plan: &PadPlan, part: Part, strided: bool, u: &mut Unstructured<'_>) -> Draw<Layout> {
    let mut layout = Layout { part, ..Layout::whole(plan.output_shape()) };
    if part != Part::Whole {
        layout.window = window(plan.output_shape(), u)?;
    }
    if part == Part::InPlace && layout.window.iter().any(Range::is_empty) {
        // An empty region has no first element, so it has no position in the whole output.
        layout.part = Part::Box;
    }
    if layout.part == Part::InPlace || strided && u.ratio(2, 3)? {
        let [input, output] = layout.shapes(plan).unwrap_or_default();
        layout.places = Some((placed(&input, true, u)?, placed(&output, false, u)?));
    }
    Ok(layout)
}

/// Generates a region of the output. One of four regions may be shorter than the output on every axis, and the others on about
/// one axis.
fn window(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Window> {
    let whole = if u.ratio(1, 4)? { 0 } else { shape.len().saturating_sub(1) };
    let mut range = |&length: &usize| {
        if u.int_in_range(0..=whole)? > 0 {
            return Ok(0..length);
        }
        // Half of the ranges begin at the first or second position. The others begin anywhere.
        let start =
            if u.arbitrary()? { u.int_in_range(0..=length.min(1))? } else { u.int_in_range(0..=length)? };
        // One of eight ranges may be empty.
        let least = if u.ratio(1, 8)? { start } else { (start + 1).min(length) };
        Ok(start.min(length.saturating_sub(1))..u.int_in_range(least..=length)?)
    };
    shape.iter().map(&mut range).collect()
}

/// Generates a random position of a tensor. The axes have any order and direction, and unused elements may be before and
/// between the elements. If `shares` is true, an axis may have stride 0.
pub(crate) fn placed(shape: &[usize], shares: bool, u: &mut Unstructured<'_>) -> Draw<Placed> {
    if u.ratio(1, 6)? {
        return Ok(Placed::row_major(shape));
    }
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if u.arbitrary()? {
        for end in (2..=order.len()).rev() {
            order.swap(end - 1, u.choose_index(end)?);
        }
    }
    // Half of the outputs have no unused elements between those of the tensor. Streaming (non-temporal stores) and calls that
    // return new memory need outputs without them.
    let (mut step, lead, gaps) = match !shares && u.arbitrary()? {
        true => (1, 0, 0),
        false => (*u.choose(&[1, 1, 1, 1, 2, 3])?, *u.choose(&[0, 0, 1, 2, 3, 70])?, *u.choose(&[2, 2, 9])?),
    };
    let mut strides = vec![0; shape.len()];
    let (mut offset, mut last) = (lead, lead);
    for &axis in order.iter().rev() {
        let stride = if shares && u.ratio(1, 6)? { 0 } else { step };
        let reach = stride * shape[axis].saturating_sub(1);
        let backward = u.ratio(1, 4)?;
        offset += if backward { reach } else { 0 };
        last += reach;
        strides[axis] = if backward { -(stride as isize) } else { stride as isize };
        if (shape[axis] <= 1 || shape.contains(&0)) && u.ratio(1, 4)? {
            // An axis of at most one element may have any stride, and so may all axes of an empty tensor.
            strides[axis] = *u.choose(&[0, 1 << 16, 1 << (isize::BITS - 2), isize::MAX, isize::MIN])?;
        }
        step = step * shape[axis].max(1)
            + if gaps > 0 && u.ratio(1, 4)? { u.int_in_range(1..=gaps)? } else { 0 };
    }
    Ok(Placed { offset, strides, room: last + 1 + u.int_in_range(0..=4)? })
}
