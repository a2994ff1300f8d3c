//! Writes borders in place for random requests, and compares the result with the reference.
#![forbid(unsafe_code)]

use std::iter;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, BorderPlan, Fill, tensor::ElementSize};

use crate::case::{Case, Kind, negate, paint};
use crate::guard::Guarded;
use crate::oracles::Mismatch;
use crate::views::{self, Placed};
use crate::{convert, generators, reach, reference};

/// A request to write the borders of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The shape of the interior, and its padding. The padding has no negative widths and no interior padding.
    pub case: Case,
    pub sides: Vec<(bool, bool)>,
    /// The position of the array in its buffer. `None` stands for contiguous rows.
    pub placed: Option<Placed>,
}

/// Generates a random request for elements without a `DType`, or for signed elements.
///
/// Returns `None` if the output would be refused or too large.
pub fn request(kind: Kind, u: &mut Unstructured<'_>) -> Draw<Option<Request>> {
    let mut case = generators::case_of(kind, u)?;
    for pad in &mut case.axes {
        *pad = AxisPad::new(pad.low.max(0), pad.high.max(0));
    }
    if case.fill.is_none() {
        case.fill = Some(vec![0xfe; kind.bytes(1)]);
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

/// Writes the borders in two buffers and compares them with the reference.
///
/// One buffer ends at a protected page, and the other begins after one. Before each run, they contain the same painted bytes.
pub fn check(request: &Request) -> Result<(), Mismatch> {
    let Request { case, sides, placed } = request;
    let ElementSize::Bytes(size) = case.kind.element_size() else { panic!("elements of bytes") };
    let modes = convert::modes(&case.mode, case.shape.len());
    let map = reference::borders(&case.shape, &convert::axes(&case.axes), &modes, sides);
    let lies = placed.clone().unwrap_or_else(|| Placed::row_major(&map.shape));
    let slots = lies.slots(&views::whole(&map.shape));
    let before = paint(case.kind, lies.room, case.paint);
    let fill = case.fill_bytes();
    let element = |slot: usize| slot * size..(slot + 1) * size;
    let mut expected = before.clone();
    // A side whose border is not written changes no signs.
    let turned = case.turned(&map, |axis, position| {
        let (low, length) = (case.axes[axis].low as usize, case.shape[axis]);
        if position < low { sides[axis].0 } else { position < low + length || sides[axis].1 }
    });
    for (number, (&slot, source)) in slots.iter().zip(&map.source).enumerate() {
        let of_position = case.coloured().map_or(0, |axis| map.filler_along(number, axis));
        let source =
            source.map_or(&fill[of_position * size..][..size], |source| &before[element(slots[source])]);
        expected[element(slot)].copy_from_slice(source);
        if turned[number] {
            negate(case.kind, &mut expected[element(slot)]);
        }
    }

    // One plan is for typed elements, the other for elements of which only the size is known.
    let mut plans = vec![case.border_plan()];
    if let Kind::Raw(_) = case.kind {
        let mut untyped = case.spec();
        let all = Fill::untyped(&fill);
        untyped.fill = Some(match case.coloured() {
            Some(axis) => all.along_axis(axis),
            None => all,
        });
        plans.push(BorderPlan::for_bytes(&untyped, &case.shape, size));
    }
    let mut guarded = Guarded::new(before.len());
    for (number, plan) in plans.into_iter().enumerate() {
        let plan =
            plan.and_then(|plan| plan.with_sides(sides.iter().copied())).and_then(|plan| match placed {
                Some(placed) => plan.with_strides(&placed.strides()),
                None => Ok(plan),
            });
        let plan = plan.map_err(|error| Mismatch::new(case, format_args!("{request:?}: {error}")))?;
        assert_eq!((plan.input_shape(), plan.output_shape()), (&case.shape[..], &map.shape[..]), "{case}");
        for at_end in [false, true] {
            let bytes = guarded.bytes_mut();
            let start = if at_end { bytes.len() - before.len() } else { 0 };
            let bytes = &mut bytes[start..start + before.len()];
            bytes.copy_from_slice(&before);
            let ran = if number == 0 { case.run_borders(&plan, bytes) } else { plan.run_bytes(bytes) };
            let found = match ran {
                Err(error) => error.to_string(),
                Ok(()) => match (0..before.len()).find(|&at| bytes[at] != expected[at]) {
                    Some(at) => format!("byte {at} is {}, not {}", bytes[at], expected[at]),
                    None => continue,
                },
            };
            return Err(Mismatch::new(case, format_args!("borders in place: {found}\n{request:?}")));
        }
    }
    reach::accepted();
    Ok(())
}

/// Checks the borders of all sides of `case` in contiguous memory.
pub fn check_all(case: &Case) -> Result<(), Mismatch> {
    let sides = vec![(true, true); case.shape.len()];
    check(&Request { case: case.clone(), sides, placed: None })
}

/// Counts the borders of the request that have elements. Tests use the count to check that they test something.
pub fn made(request: &Request) -> usize {
    let Request { case, sides, .. } = request;
    let of_axis = |(pad, sides): (&AxisPad, &(bool, bool))| {
        usize::from(sides.0 && pad.low > 0) + usize::from(sides.1 && pad.high > 0)
    };
    case.axes.iter().zip(sides).map(of_axis).sum()
}
