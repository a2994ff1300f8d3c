//! Tensors that do not lie row by row, and boxes of the output, against the reference.
//!
//! What a run has to do is told slot by slot of the destination: kept, fill, or an element of the source. So it is seen
//! too when a run writes between the elements, or into the tile of another.
#![forbid(unsafe_code)]

mod draw;
mod subject;

use std::ops::Range;

use pad_kernels::{Strides, kernels::PadKernel};

use crate::case::Case;
use crate::oracles::{Mismatch, Outcome};

pub use draw::{columns, strided_for_row, view, window_for_row};
pub(crate) use draw::{placed, solid, tiling};
pub(crate) use subject::{Buffer, Subject, keep_tail, written};

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

/// Runs `case` as `view` says, in every way there is: as a whole between its strides, each tile on its own, from the
/// part of the input that it needs, and in its place; and all tiles one after the other into one buffer.
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
pub fn check_row_strided(
    row: &'static PadKernel,
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
pub fn check_row_window(row: &'static PadKernel, case: &Case, window: &Window) -> Result<(), Mismatch> {
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
