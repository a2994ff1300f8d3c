//! A case and options for it, drawn.

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::kernels::Streaming;

use super::choices::{CALLS, Call, ELEMENTS, Options, PARTS, Part, STREAMING, Threads, kernels};
use super::table::{Feature, SORTS, Sort};
use crate::case::Case;
use crate::generators;
use crate::views::{self, Window, whole};

/// What was chosen so far.
#[derive(Default)]
struct Chosen(Vec<Feature>);

impl Chosen {
    /// One of these that goes with what was chosen before.
    fn choose<T: Copy>(&mut self, from: &[T], of: fn(T) -> Feature, u: &mut Unstructured<'_>) -> Draw<T> {
        let fits = |&&choice: &&T| self.0.iter().all(|chosen| of(choice).excludes(*chosen).is_none());
        let possible: Vec<_> = from.iter().filter(fits).copied().collect();
        let choice = *u.choose(&possible)?;
        self.0.push(of(choice));
        Ok(choice)
    }
}

/// Draws a case and options for it: what there is to choose from the one, all that has a size from the other.
pub fn draw(choices: &mut Unstructured<'_>, u: &mut Unstructured<'_>) -> Draw<(Case, Options)> {
    let mut chosen = Chosen::default();
    let elements = chosen.choose(&ELEMENTS, Feature::Elements, choices)?;
    let call = chosen.choose(&CALLS, Feature::Call, choices)?;
    // Few that want to stream can.
    let streaming =
        chosen.choose(&[STREAMING, [Streaming::Always; 3]].concat(), Feature::Streaming, choices)?;
    let kernel = chosen.choose(&kernels(), Feature::Kernel, choices)?;
    let sort = chosen.choose(&SORTS, Feature::Threads, choices)?;
    let mut part = chosen.choose(&PARTS, Feature::Part, choices)?;
    let options_first = chosen.choose(&[false, true], Feature::OptionsFirst, choices)?;
    let threads = match sort {
        Sort::One => Threads::One,
        Sort::Pool => Threads::Pool(u.int_in_range(2..=3)?),
        Sort::Crumbs => Threads::Pieces(u.int_in_range(0..=63)?),
        Sort::Pieces => Threads::Pieces(u.int_in_range(64..=1000)?),
    };
    let case = generators::case_of(elements.kind(u)?, u)?;
    let (mut window, mut places) = (Vec::new(), None);
    if let (Ok(shape), Ok(plan)) = (case.output_shape(), case.plan()) {
        window = if part == Part::Whole { whole(&shape) } else { part_of(&shape, u)? };
        if part == Part::InPlace && window.iter().any(Range::is_empty) {
            // It has no first element that could be anywhere.
            part = Part::Box;
        }
        let strided =
            !matches!(call, Call::PadInto | Call::Pad) && (part == Part::InPlace || u.ratio(2, 3)?);
        if strided {
            let lengths = |window: &[Range<usize>]| window.iter().map(Range::len).collect::<Vec<_>>();
            let input = match part {
                Part::FromPart => lengths(&plan.input_region(&window).unwrap_or_default()),
                _ => case.shape.clone(),
            };
            let output = match part {
                Part::Box | Part::FromPart => lengths(&window),
                Part::Whole | Part::BoxOfView | Part::InPlace => shape,
            };
            // What may be streamed, or new, has no gaps.
            let output =
                if u.arbitrary()? { views::solid(&output, u)? } else { views::placed(&output, false, u)? };
            places = Some((views::placed(&input, true, u)?, output));
        }
    }
    let typed = elements.are_typed();
    Ok((case, Options { call, typed, streaming, kernel, threads, options_first, part, window, places }))
}

/// A box, in half of the axes a part of them.
fn part_of(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Window> {
    let mut range = |&length: &usize| {
        if u.arbitrary()? {
            return Ok(0..length);
        }
        let start = u.int_in_range(0..=length)?;
        // One in eight may be empty.
        let least = if u.ratio(1, 8)? { start } else { (start + 1).min(length) };
        Ok(start.min(length.saturating_sub(1))..u.int_in_range(least..=length)?)
    };
    shape.iter().map(&mut range).collect()
}
