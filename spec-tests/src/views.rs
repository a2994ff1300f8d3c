//! Tensors that do not lie row by row, and boxes of the output, against the reference.
//!
//! What a run has to do is told slot by slot of the destination: kept, fill, or an element of the source. So it is seen
//! too when a run writes between the elements, or into the tile of another.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, Isa, Layout, PadError, PadMode, PadPlan, Row, Strides};

use crate::case::{Case, Kind, paint};
use crate::generators;
use crate::oracles::{self, Junk, Mismatch, Outcome, Place};
use crate::reach::{self, Way};
use crate::reference::Map;

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
        let mut step = 1;
        let mut strides = vec![0; shape.len()];
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            step *= length.max(1) as isize;
        }
        Placed { offset: 0, strides, room: shape.iter().product() }
    }

    /// The expression that makes it.
    pub(crate) fn as_source(&self) -> String {
        let Placed { offset, strides, room } = self;
        format!("Placed {{ offset: {offset}, strides: vec!{strides:?}, room: {room} }}")
    }

    /// In the library's words.
    pub fn strides(&self) -> Strides {
        Strides::new(self.offset, self.strides.iter().copied())
    }

    /// The places of the elements of a box, in row-major order.
    pub(crate) fn slots(&self, window: &[Range<usize>]) -> Vec<usize> {
        let mut slots = vec![self.offset];
        for (range, &stride) in window.iter().zip(&self.strides) {
            let mut along = Vec::with_capacity(slots.len() * range.len());
            for slot in slots {
                along.extend(range.clone().map(|i| (slot as isize + i as isize * stride) as usize));
            }
            slots = along;
        }
        slots
    }
}

/// How to look at a case: where its tensors lie, and the boxes that its output is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where the input lies. Elements may share a place.
    pub input: Placed,
    /// Where the output lies.
    pub output: Placed,
    /// Boxes that have every element of the output in one of them.
    pub tiles: Vec<Window>,
}

impl View {
    /// The expression that makes it.
    fn as_source(&self) -> String {
        let tiles: Vec<_> = self.tiles.iter().map(|tile| format!("vec!{tile:?}")).collect();
        let (input, output, tiles) = (self.input.as_source(), self.output.as_source(), tiles.join(", "));
        format!("View {{ input: {input}, output: {output}, tiles: vec![{tiles}] }}")
    }
}

/// All of a tensor.
pub(crate) fn whole(shape: &[usize]) -> Window {
    shape.iter().map(|&length| 0..length).collect()
}

/// Draws a view of `case`, if the reference has an output for it.
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn view(case: &Case, u: &mut Unstructured<'_>) -> Draw<Option<View>> {
    let Ok(shape) = case.output_shape() else { return Ok(None) };
    let (input, output) = (placed(&case.shape, true, u)?, placed(&shape, false, u)?);
    Ok(Some(View { input, output, tiles: tiling(&shape, u)? }))
}

/// Draws a case whose rows are columns of its input, of lengths around those of tiles, and where its tensors lie.
///
/// # Errors
///
/// None, as for [`generators::case`].
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
        step = step * shape[axis].max(1) + if gaps && u.ratio(1, 4)? { u.int_in_range(1..=2)? } else { 0 };
    }
    let room = lead + last + 1 + u.int_in_range(0..=4)?;
    Ok(Placed { offset: lead + offset, strides, room })
}

/// Cuts a tensor into boxes, some of them empty, in any order.
fn tiling(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Vec<Window>> {
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
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn strided_for_row(row: &'static Row, u: &mut Unstructured<'_>) -> Draw<Option<(Case, Placed, Placed)>> {
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
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn window_for_row(row: &'static Row, u: &mut Unstructured<'_>) -> Draw<Option<(Case, Window)>> {
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

/// Runs `case` as `view` says, in every way there is: as a whole between its strides, each tile on its own, from the
/// part of the input that it needs, and in its place; and all tiles one after the other into one buffer.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check(case: &Case, view: &View) -> Result<Outcome, Mismatch> {
    let subject = match Subject::new(case)? {
        Ok(subject) => subject,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    let whole = [whole(subject.plan.output_shape())];
    let tiles = || view.tiles.iter();
    subject
        .strided(&view.input, &view.output, None)
        .and_then(|()| tiles().try_for_each(|tile| subject.window(tile, None)))
        .and_then(|()| tiles().try_for_each(|tile| subject.part(tile)))
        .and_then(|()| tiles().try_for_each(|tile| subject.parts(tile)))
        .and_then(|()| tiles().try_for_each(|tile| subject.in_place(tile, view)))
        .and_then(|()| subject.one_after_the_other(&view.tiles, view))
        .and_then(|()| subject.one_after_the_other(&whole, view))
        .map_err(|what| {
            let call = format!("views::check(&case, &{})", view.as_source());
            Mismatch::of_call(case, what, "views::{self, Placed, View}", &call)
        })?;
    Ok(Outcome::Ran)
}

/// Runs `case` on `row` alone, with its tensors where they are said to lie.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check_row_strided(
    row: &'static Row,
    case: &Case,
    input: &Placed,
    output: &Placed,
) -> Result<(), Mismatch> {
    let found = of_row(case, |subject| subject.strided(input, output, Some(row)));
    found.map_err(|what| {
        let view = View { input: input.clone(), output: output.clone(), tiles: Vec::new() };
        let call = format!("views::check(&case, &{})", view.as_source());
        Mismatch::of_call(case, what, "views::{self, Placed, View}", &call)
    })
}

/// Runs a box of `case` on `row` alone.
///
/// # Errors
///
/// The first difference from the reference.
pub fn check_row_window(row: &'static Row, case: &Case, window: &Window) -> Result<(), Mismatch> {
    let found = of_row(case, |subject| subject.window(window, Some(row)));
    found.map_err(|what| {
        let (input, output) = (Placed::row_major(&case.shape), case.output_shape().unwrap_or_default());
        let view = View { input, output: Placed::row_major(&output), tiles: vec![window.clone()] };
        let call = format!("views::check(&case, &{})", view.as_source());
        Mismatch::of_call(case, what, "views::{self, Placed, View}", &call)
    })
}

fn of_row(case: &Case, run: impl FnOnce(&Subject<'_>) -> Result<(), String>) -> Result<(), String> {
    match Subject::new(case).map_err(|mismatch| mismatch.to_string())? {
        Ok(subject) => run(&subject),
        Err(error) => Err(format!("is refused: {error}")),
    }
}

/// What is to stand in a slot of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Kept,
    Fill,
    /// The element in this slot of the source.
    From(usize),
}

impl Slot {
    fn source(self) -> Option<usize> {
        match self {
            Slot::From(source) => Some(source),
            Slot::Kept | Slot::Fill => None,
        }
    }
}

/// Elements, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Bytes(Kind, Vec<u8>),
    Texts(Vec<String>),
}

impl Buffer {
    pub(crate) fn new(case: &Case, colour: u8, room: usize) -> Buffer {
        match case.kind.layout() {
            Layout::Cloned => Buffer::Texts((0..room).map(|i| format!("{colour}-{i}")).collect()),
            _ => Buffer::Bytes(case.kind, paint(case.kind, room, colour)),
        }
    }

    /// The same after the slots were written with elements of `source` and with fill.
    pub(crate) fn drawn(mut self, slots: &[Slot], source: &Buffer, fill: &Buffer) -> Buffer {
        if let (Buffer::Bytes(kind, to), Buffer::Bytes(_, source), Buffer::Bytes(_, fill)) =
            (&mut self, source, fill)
            && let Layout::Bytes(size) = kind.layout()
        {
            for (slot, to) in slots.iter().zip(to.chunks_exact_mut(size)) {
                match slot {
                    Slot::Kept => {}
                    Slot::Fill => to.copy_from_slice(fill),
                    Slot::From(from) => to.copy_from_slice(&source[from * size..][..size]),
                }
            }
            return self;
        }
        for (at, &slot) in slots.iter().enumerate() {
            match slot {
                Slot::Kept => {}
                Slot::Fill => self.put(at, fill, 0),
                Slot::From(from) => self.put(at, source, from),
            }
        }
        self
    }

    fn put(&mut self, at: usize, source: &Buffer, from: usize) {
        match (self, source) {
            (Buffer::Texts(to), Buffer::Texts(source)) => to[at].clone_from(&source[from]),
            (Buffer::Bytes(kind, to), Buffer::Bytes(_, source)) => match kind.layout() {
                Layout::Bits(bits) => {
                    let (byte, shift, mask) = (at * bits / 8, at * bits % 8, (1 << bits) - 1);
                    let field = source[from * bits / 8] >> (from * bits % 8) & mask;
                    to[byte] = to[byte] & !(mask << shift) | field << shift;
                }
                Layout::Bytes(_) | Layout::Cloned => unreachable!("bits"),
            },
            _ => unreachable!("buffers of one kind"),
        }
    }
}

/// A case with its plan and the reference's answer.
pub(crate) struct Subject<'a> {
    pub(crate) case: &'a Case,
    pub(crate) plan: PadPlan,
    pub(crate) map: Map,
    pub(crate) fill: Buffer,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(case: &'a Case) -> Result<Result<Subject<'a>, PadError>, Mismatch> {
        let fill = match case.kind.layout() {
            Layout::Cloned => Buffer::Texts(vec![Case::TEXT_FILL.to_string()]),
            _ => Buffer::Bytes(case.kind, case.fill_bytes()),
        };
        let planned = oracles::planned(case)?;
        Ok(planned.map(|(plan, map)| Subject { case, plan, map, fill }))
    }

    fn input(&self, room: usize) -> Buffer {
        Buffer::new(self.case, self.case.paint, room)
    }

    /// What is to stand in a buffer of `room` elements after the elements of `window` were written to the slots `to`,
    /// where the input's elements are in the slots `from`.
    pub(crate) fn slots(
        &self,
        window: &[Range<usize>],
        to: &[usize],
        from: &[usize],
        room: usize,
    ) -> Vec<Slot> {
        let mut slots = vec![Slot::Kept; room];
        let numbers = Placed::row_major(&self.map.shape).slots(window);
        for (number, &to) in numbers.into_iter().zip(to) {
            slots[to] = self.map.source[number].map_or(Slot::Fill, |source| Slot::From(from[source]));
        }
        slots
    }

    /// The whole, between these strides.
    fn strided(&self, input: &Placed, output: &Placed, row: Option<&'static Row>) -> Result<(), String> {
        let plan = self.plan.with_strides(&input.strides(), &output.strides()).map_err(refused)?;
        let window = whole(&self.map.shape);
        let (from, to) = (input.slots(&whole(&self.case.shape)), output.slots(&window));
        let slots = self.slots(&window, &to, &from, output.room);
        let source = self.input(input.room);
        self.run(Way::Strided, &plan, row, &source, &slots, &source)
    }

    /// A box, into a buffer of its own.
    fn window(&self, window: &Window, row: Option<&'static Row>) -> Result<(), String> {
        let plan = self.plan.window(window).map_err(refused)?;
        let (source, slots) = self.alone(window);
        self.run(Way::Windowed, &plan, row, &source, &slots, &source)
    }

    /// A box, from the part of the input that it needs.
    fn part(&self, window: &Window) -> Result<(), String> {
        let plan = self.plan.window_of_part(window).map_err(refused)?;
        let part = self.plan.source_window(window).map_err(refused)?;
        if part.iter().zip(&self.case.shape).any(|(range, &length)| range.end > length) {
            return Err(format!("the source of {window:?} is {part:?}, which is not in the input"));
        }
        let (source, slots) = self.alone(window);
        let taken: Vec<_> =
            Placed::row_major(&self.case.shape).slots(&part).into_iter().map(Slot::From).collect();
        let part = Buffer::new(self.case, 0, taken.len()).drawn(&taken, &source, &self.fill);
        self.run(Way::Windowed, &plan, None, &part, &slots, &source)
    }

    /// A box, from the parts of the input that it takes: no element more, and none twice.
    fn parts(&self, window: &Window) -> Result<(), String> {
        let plan = self.plan.window_of_parts(window).map_err(refused)?;
        let parts = self.plan.source_parts(window).map_err(refused)?;
        let (source, slots) = self.alone(window);
        let taken: BTreeSet<usize> = slots.iter().filter_map(|slot| slot.source()).collect();
        let boxes = || parts.boxes();
        let told = boxes().flat_map(|(from, _)| Placed::row_major(&self.case.shape).slots(&from));
        let mut told: Vec<usize> = told.collect();
        told.sort_unstable();
        if !told.iter().eq(&taken) || parts.is_empty() != taken.is_empty() {
            return Err(format!("{window:?} takes {taken:?}, and its parts {parts:?} are {told:?}"));
        }
        if parts.axes().any(|parts| parts.windows(2).any(|pair| pair[0].end >= pair[1].start)) {
            return Err(format!("{window:?} has the parts {parts:?}, some of which could be one"));
        }
        let lengths = parts.shape();
        if lengths != plan.input_shape() {
            return Err(format!(
                "{window:?} of the parts {parts:?} is planned from {:?}",
                plan.input_shape()
            ));
        }
        let of_parts = Placed::row_major(&lengths);
        let mut taken = vec![Slot::Kept; of_parts.room];
        for (from, to) in boxes() {
            let from = Placed::row_major(&self.case.shape).slots(&from);
            for (from, to) in from.into_iter().zip(of_parts.slots(&to)) {
                taken[to] = Slot::From(from);
            }
        }
        if parts.is_slice() != (slots == taken && boxes().count() == 1) {
            return Err(format!("{window:?} with the parts {parts:?} is made of {slots:?}"));
        }
        let part = Buffer::new(self.case, 0, taken.len()).drawn(&taken, &source, &self.fill);
        self.run(Way::Windowed, &plan, None, &part, &slots, &source)
    }

    /// The contiguous input, and what a contiguous output of `window` has to hold.
    fn alone(&self, window: &Window) -> (Buffer, Vec<Slot>) {
        let count = window.iter().map(Range::len).product();
        let (from, to): (Vec<_>, Vec<_>) = ((0..self.plan.input_len()).collect(), (0..count).collect());
        (self.input(from.len()), self.slots(window, &to, &from, count))
    }

    /// A box, written to its place in the whole.
    fn in_place(&self, window: &Window, view: &View) -> Result<(), String> {
        let Some(plan) = self.tile(window, view)? else { return Ok(()) };
        let (from, to) = (view.input.slots(&whole(&self.case.shape)), view.output.slots(window));
        let slots = self.slots(window, &to, &from, view.output.room);
        let source = self.input(view.input.room);
        self.run(Way::Windowed, &plan, None, &source, &slots, &source)
    }

    /// The plan that writes a box to its place; none for an empty one, which has no first element to stand anywhere.
    fn tile(&self, window: &Window, view: &View) -> Result<Option<PadPlan>, String> {
        if window.iter().any(Range::is_empty) {
            return Ok(None);
        }
        let start: Vec<_> = window.iter().map(|range| range.start).collect();
        let output = view.output.strides().at(&start).map_err(refused)?;
        let plan =
            self.plan.window(window).and_then(|plan| plan.with_strides(&view.input.strides(), &output));
        plan.map(Some).map_err(refused)
    }

    /// Boxes written to their places in this order are the whole.
    fn one_after_the_other(&self, tiles: &[Window], view: &View) -> Result<(), String> {
        let window = whole(&self.map.shape);
        let (from, to) = (view.input.slots(&whole(&self.case.shape)), view.output.slots(&window));
        let slots = self.slots(&window, &to, &from, view.output.room);
        let source = self.input(view.input.room);
        let before = Buffer::new(self.case, !self.case.paint, view.output.room);
        let want = before.clone().drawn(&slots, &source, &self.fill);
        let mut got = before.clone();
        for tile in tiles {
            let Some(plan) = self.tile(tile, view)? else { continue };
            reach::ran(Way::Windowed, plan.kernel());
            match (&source, &mut got, &self.fill) {
                (Buffer::Bytes(_, source), Buffer::Bytes(_, got), _) => plan.run_bytes(source, got),
                (Buffer::Texts(source), Buffer::Texts(got), Buffer::Texts(fill)) => {
                    plan.run_cloned(source, &fill[0], got)
                }
                _ => unreachable!("buffers of one kind"),
            }
            .map_err(refused)?;
        }
        if let (Buffer::Bytes(kind, got), Buffer::Bytes(_, before)) = (&mut got, &before) {
            keep_tail(*kind, &slots, got, before);
        }
        if got == want {
            return Ok(());
        }
        Err(format!("tiles {tiles:?} are not the whole\n  got  {got:?}\n  want {want:?}"))
    }

    /// Runs `plan` on `source` with every kernel there is, or `row` alone; `slots` are filled from `data`.
    fn run(
        &self,
        way: Way,
        plan: &PadPlan,
        row: Option<&'static Row>,
        source: &Buffer,
        slots: &[Slot],
        data: &Buffer,
    ) -> Result<(), String> {
        let before = Buffer::new(self.case, !self.case.paint, slots.len());
        let want = before.clone().drawn(slots, data, &self.fill);
        let mut plans: Vec<_> = match row {
            Some(row) => plan.clone().with_isa(row.isa()).into_iter().collect(),
            None => Isa::ALL.iter().filter_map(|&isa| plan.clone().with_isa(isa).ok()).collect(),
        };
        if row.is_none() {
            plans.push(plan.clone().with_generic_kernel());
        }
        let told = |kernel: Option<&Row>, what: &dyn fmt::Display| {
            format!("{way:?}, {}: {what}\n  {plan:?}", kernel.map_or("any-rank kernel", Row::name))
        };
        match (source, before, want, &self.fill) {
            (Buffer::Texts(source), Buffer::Texts(before), Buffer::Texts(want), Buffer::Texts(fill)) => {
                for plan in plans {
                    let mut got = before.clone();
                    reach::ran(way, plan.kernel());
                    let ran = plan.run_cloned(source, &fill[0], &mut got);
                    if ran.is_err() || got != want {
                        return Err(told(plan.kernel(), &format_args!("{ran:?} {got:?}, not {want:?}")));
                    }
                }
                Ok(())
            }
            (Buffer::Bytes(kind, source), Buffer::Bytes(_, before), Buffer::Bytes(_, want), _) => {
                let written = written(*kind, slots);
                let junk = Junk::where_written(&want, &written);
                // Those of one row are many cases, which together come to all places.
                let all = [&[Place::End, Place::Odd][..], &[Place::Start]];
                let places = row.map_or(all, |_| Place::two_of(self.case));
                let observe = |kernel: Option<&'static Row>, run: &Entry<'_>| {
                    for (places, junk) in places.into_iter().zip(&junk) {
                        for &place in places {
                            reach::ran(way, kernel);
                            let run = |src: &[u8], dst: &mut [u8]| {
                                run(src, dst).map(|()| keep_tail(*kind, slots, dst, &before))
                            };
                            let seen = oracles::observe(place, junk, source, run);
                            seen.map_err(|what| told(kernel, &what))?;
                        }
                    }
                    Ok(())
                };
                // A row alone is run through its own door or through a plan that chose it.
                let row_door = self.case.paint.is_multiple_of(2);
                if row.is_none() || !row_door {
                    for plan in &plans {
                        observe(plan.kernel(), &|src, dst| plan.run_bytes(src, dst))?;
                    }
                }
                let rows = match row {
                    Some(row) if row_door => vec![row],
                    Some(_) => Vec::new(),
                    None => oracles::fitting(plan).filter(|row| row.isa().available()).collect(),
                };
                rows.into_iter().try_for_each(|row| observe(Some(row), &|src, dst| row.run(plan, src, dst)))
            }
            _ => unreachable!("buffers of one kind"),
        }
    }
}

/// A way to run bytes.
type Entry<'a> = dyn Fn(&[u8], &mut [u8]) -> Result<(), PadError> + 'a;

/// The bits that runs have to write.
pub(crate) fn written(kind: Kind, slots: &[Slot]) -> Vec<u8> {
    if let Layout::Bytes(size) = kind.layout() {
        let mut written = Vec::with_capacity(slots.len() * size);
        for &slot in slots {
            written.resize(written.len() + size, if slot == Slot::Kept { 0 } else { 0xff });
        }
        return written;
    }
    let one = Buffer::Bytes(kind, vec![0xff; kind.bytes(1)]);
    let fills: Vec<_> = slots
        .iter()
        .map(|&slot| match slot {
            Slot::Kept => Slot::Kept,
            _ => Slot::Fill,
        })
        .collect();
    match Buffer::Bytes(kind, vec![0; kind.bytes(slots.len())]).drawn(&fills, &one, &one) {
        Buffer::Bytes(_, written) => written,
        Buffer::Texts(_) => unreachable!("bytes"),
    }
}

/// The bits behind the last element of a packed output are nobody's if the buffer holds nothing else: there a run may
/// write zeros, and this puts back what was there.
pub(crate) fn keep_tail(kind: Kind, slots: &[Slot], got: &mut [u8], before: &[u8]) {
    let Layout::Bits(bits) = kind.layout() else { return };
    let used = slots.len() * bits % 8;
    if let (Some(last), Some(before), 1..) = (got.last_mut(), before.last(), used)
        && !slots.contains(&Slot::Kept)
    {
        let unused = u8::MAX << used;
        if *last & unused == 0 {
            *last |= before & unused;
        }
    }
}

fn refused(error: PadError) -> String {
    format!("refused: {error}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pad_kernels::{DType, registry};

    use super::*;
    use crate::generators::Source;

    fn case(kind: Kind) -> Case {
        Case {
            shape: vec![2, 3],
            axes: vec![AxisPad::new(0, 1), AxisPad::new(1, 1)],
            mode: PadMode::Edge.into(),
            frame: None,
            kind,
            fill: None,
            paint: 3,
        }
    }

    #[test]
    fn slots_are_where_strides_lead() {
        let placed = Placed { offset: 5, strides: vec![10, -2], room: 30 };
        assert_eq!(placed.slots(&[1..3, 0..3]), [15, 13, 11, 25, 23, 21]);
        assert_eq!(Placed::row_major(&[2, 3]).slots(&[0..2, 1..3]), [1, 2, 4, 5]);
        assert_eq!(Placed::row_major(&[]).slots(&[]), [0]);
        assert_eq!(Placed::row_major(&[2, 0]).slots(&[0..2, 0..0]), [0; 0]);
    }

    #[test]
    fn drawing_is_by_element() {
        let slots = [Slot::Fill, Slot::Kept, Slot::From(2)];
        let drawn = |kind: Kind, before: &[u8], source: &[u8], fill: &[u8]| {
            let [before, source, fill] =
                [before, source, fill].map(|bytes| Buffer::Bytes(kind, bytes.to_vec()));
            before.drawn(&slots, &source, &fill)
        };
        let u16s = Kind::Tagged(DType::U16);
        let want = Buffer::Bytes(u16s, vec![8, 9, 0, 0, 5, 6]);
        assert_eq!(drawn(u16s, &[0; 6], &[1, 2, 3, 4, 5, 6], &[8, 9]), want);
        let u4s = Kind::Tagged(DType::U4);
        assert_eq!(drawn(u4s, &[0xee, 0xee], &[0x21, 0x43], &[7]), Buffer::Bytes(u4s, vec![0xe7, 0xe3]));
        assert_eq!(written(u4s, &slots), [0x0f, 0x0f]);
        assert_eq!(written(Kind::Tagged(DType::I2), &slots), [0b11_00_11]);
    }

    #[test]
    fn tail_of_a_buffer_may_become_zero() {
        let kept = |slots: &[Slot], mut got: [u8; 1]| {
            keep_tail(Kind::Tagged(DType::I2), slots, &mut got, &[0x90]);
            got
        };
        assert_eq!(kept(&[Slot::Fill; 2], [0x01]), [0x91]);
        assert_eq!(kept(&[Slot::Fill; 2], [0x51]), [0x51]);
        assert_eq!(kept(&[Slot::Fill, Slot::Fill, Slot::Kept], [0x01]), [0x01]);
        assert_eq!(kept(&[Slot::Fill; 4], [0x01]), [0x01]);
    }

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
                let strides = &placed.strides;
                let sorts = [
                    ("row by row", placed == Placed::row_major(&shape)),
                    ("shared", strides.contains(&0)),
                    ("backward", strides.iter().any(|&stride| stride < 0)),
                    ("column by column", strides[0].abs() < strides[2].abs()),
                    ("spread", strides.iter().all(|stride| stride.abs() > 1)),
                    ("holes", distinct == slots.len() && placed.room > slots.len() + 7),
                ];
                seen.extend(sorts.iter().filter(|(_, is)| *is).map(|(name, _)| name));
            }
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn rows_have_strided_and_windowed_cases() {
        let mut source = Source::of_seed(3, 0);
        let mut missed = Vec::new();
        for row in registry().iter().step_by(if cfg!(miri) { 97 } else { 3 }) {
            let strided = source.draw(|u| strided_for_row(row, u));
            let windowed = source.draw(|u| window_for_row(row, u));
            if strided.is_none() || windowed.is_none() {
                missed.push(row.name());
            }
        }
        assert!(missed.len() * 50 <= registry().len() / 3, "{missed:?}");
    }

    /// The whole way: a plan between other strides than the slots are for.
    #[test]
    fn elements_in_the_wrong_place_are_found() {
        for dtype in [DType::U16, DType::I4, DType::String] {
            let case = case(Kind::Tagged(dtype));
            let right = View {
                input: Placed { offset: 0, strides: vec![1, 2], room: 6 },
                output: Placed { offset: 1, strides: vec![7, 1], room: 21 },
                tiles: vec![vec![0..3, 0..2], vec![0..3, 2..5]],
            };
            assert_eq!(check(&case, &right), Ok(Outcome::Ran));
            let subject = Subject::new(&case).expect("agreed").expect("valid");
            let plan = |view: &View| {
                subject.plan.with_strides(&view.input.strides(), &view.output.strides()).expect("valid")
            };
            let window = whole(&[3, 5]);
            let (from, to) = (right.input.slots(&whole(&[2, 3])), right.output.slots(&window));
            let slots = subject.slots(&window, &to, &from, 21);
            let source = subject.input(6);
            let run = |plan: &PadPlan| subject.run(Way::Strided, plan, None, &source, &slots, &source);
            assert_eq!(run(&plan(&right)), Ok(()));
            let mut wrong = right.clone();
            wrong.input.strides = vec![3, 1];
            assert!(run(&plan(&wrong)).is_err(), "{dtype}");
            wrong = right.clone();
            wrong.output.strides = vec![6, 1];
            assert!(run(&plan(&wrong)).is_err(), "{dtype}");
            // Tiles that leave something out.
            let short = [vec![0..3, 0..2], vec![0..3, 2..4]];
            let found = subject.one_after_the_other(&short, &right);
            assert!(found.is_err_and(|what| what.contains("are not the whole")), "{dtype}");
        }
    }

    #[test]
    fn view_is_told_as_source() {
        let view = View {
            input: Placed { offset: 1, strides: vec![-1], room: 2 },
            output: Placed::row_major(&[4]),
            tiles: vec![vec![0..1], vec![1..4]],
        };
        let source = "View { input: Placed { offset: 1, strides: vec![-1], room: 2 }, \
                      output: Placed { offset: 0, strides: vec![1], room: 4 }, tiles: vec![vec![0..1], vec![1..4]] }";
        assert_eq!(view.as_source(), source);
    }
}
