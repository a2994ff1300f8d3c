//! Borders in place, drawn and held against the reference.
#![forbid(unsafe_code)]

use std::iter;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, BorderPlan, Fill, tensor::ElementSize};

use crate::case::{Case, Kind};
use crate::guard::Guarded;
use crate::oracles::Mismatch;
use crate::views::{self, Placed};
use crate::{convert, generators, reach, reference};

/// An array whose borders are to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The inside, and its padding, which has no negative widths and no gaps. Elements are moved as bytes.
    pub case: Case,
    /// The sides to be made.
    pub sides: Vec<(bool, bool)>,
    /// Where the array lies; row by row if nowhere else.
    pub placed: Option<Placed>,
}

/// Draws a request for elements of so many bytes, if there is one near to what was drawn.
pub fn request(size: usize, u: &mut Unstructured<'_>) -> Draw<Option<Request>> {
    let mut case = generators::case_of(Kind::Raw(size), u)?;
    for pad in &mut case.axes {
        *pad = AxisPad::new(pad.low.max(0), pad.high.max(0));
    }
    if case.fill.is_none() {
        case.fill = Some(vec![0xfe; size]);
    }
    let Ok(shape) = case.output_shape() else { return Ok(None) };
    if shape.iter().product::<usize>() > 2 * generators::MOST_ELEMENTS {
        reach::redrawn();
        return Ok(None);
    }
    let all = u.arbitrary()?;
    let sides = iter::repeat_with(|| Ok((all || u.arbitrary()?, all || u.arbitrary()?)));
    let sides = sides.take(shape.len()).collect::<Draw<_>>()?;
    let placed = if u.arbitrary()? { Some(views::placed(&shape, false, u)?) } else { None };
    Ok(Some(Request { case, sides, placed }))
}

/// Makes the borders in a buffer of junk that ends where no page is mapped, and in one that begins there.
pub fn check(request: &Request) -> Result<(), Mismatch> {
    let Request { case, sides, placed } = request;
    let ElementSize::Bytes(size) = case.kind.element_size() else { panic!("elements of bytes") };
    let modes = convert::modes(&case.mode, case.shape.len());
    let map = reference::borders(&case.shape, &convert::axes(&case.axes), &modes, sides);
    let lies = placed.clone().unwrap_or_else(|| Placed::row_major(&map.shape));
    let slots = lies.slots(&map.shape.iter().map(|&length| 0..length).collect::<Vec<_>>());

    let before = crate::case::paint(Kind::Raw(size), lies.room, case.paint);
    let fill = case.fill_bytes();
    let element = |slot: usize| slot * size..(slot + 1) * size;
    let mut expected = before.clone();
    for (number, (&slot, source)) in slots.iter().zip(&map.source).enumerate() {
        let of_position = case.coloured().map_or(0, |axis| map.filler_along(number, axis));
        let source =
            source.map_or(&fill[of_position * size..][..size], |source| &before[element(slots[source])]);
        expected[element(slot)].copy_from_slice(source);
    }

    let mut untyped = case.spec();
    let all = Fill::untyped(&fill);
    untyped.fill = Some(match case.coloured() {
        Some(axis) => all.along_axis(axis),
        None => all,
    });
    // Of elements that have a type, and of those of which only the size is known.
    let plans = [case.border_plan(), BorderPlan::for_bytes(&untyped, &case.shape, size)].map(|plan| {
        let mut plan = plan.and_then(|plan| plan.with_sides(sides.iter().copied()));
        if let Some(placed) = placed {
            plan = plan.and_then(|plan| plan.with_strides(&placed.strides()));
        }
        let plan = plan.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        assert_eq!((plan.input_shape(), plan.output_shape()), (&case.shape[..], &map.shape[..]), "{case}");
        plan
    });
    reach::accepted();
    let mut guarded = Guarded::new(before.len());
    for (at_end, typed) in [(false, true), (true, true), (true, false)] {
        let bytes = guarded.bytes_mut();
        let start = if at_end { bytes.len() - before.len() } else { 0 };
        let bytes = &mut bytes[start..start + before.len()];
        bytes.copy_from_slice(&before);
        let ran = if typed { case.run_borders(&plans[0], bytes) } else { plans[1].run_bytes(bytes) };
        ran.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        if let Some(at) = (0..before.len()).find(|&at| bytes[at] != expected[at]) {
            let (got, wanted) = (bytes[at], expected[at]);
            let told = format!("borders in place: byte {at} is {got}, not {wanted}\n{request:?}");
            return Err(Mismatch::of_call(case, told, "borders", "borders::check_all(&case)"));
        }
    }
    Ok(())
}

/// All sides of a case, contiguous.
pub fn check_all(case: &Case) -> Result<(), Mismatch> {
    let sides = vec![(true, true); case.shape.len()];
    check(&Request { case: case.clone(), sides, placed: None })
}

/// How many of the request's borders have elements, if any: what a test counts to know that it tests something.
pub fn made(request: &Request) -> usize {
    let Request { case, sides, .. } = request;
    let of_axis = |(pad, sides): (&AxisPad, &(bool, bool))| {
        usize::from(sides.0 && pad.low > 0) + usize::from(sides.1 && pad.high > 0)
    };
    case.axes.iter().zip(sides).map(of_axis).sum()
}
