//! Writes borders in place for random requests, and compares the result with the reference.

use std::iter;

use anyhow::{Context as _, Result, bail};
use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AxisPad, BorderPlan, tensor::ElementSize};

use crate::case::{Case, Kind, elements, negate, paint, with_type};
use crate::guard::Guarded;
use crate::reference::copy;
use crate::views::{self, Placed};
use crate::{generators, pointers, reach};

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

/// Writes the borders in several ways and compares them with the reference.
///
/// The buffer begins after a protected page or ends at one. Before each run, it contains the same painted bytes.
pub fn check(request: &Request) -> Result<()> {
    let Request { case, sides, placed } = request;
    let ElementSize::Bytes(size) = case.kind.element_size() else { panic!("elements of bytes") };
    let map = case.request().borders(sides);
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
        let of_position = case.coloured().map_or(0, |axis| map.fill_along(number, axis));
        match *source {
            Some(source) => copy(&mut expected, slot, &before, slots[source], case.kind.bits()),
            None => copy(&mut expected, slot, &fill, of_position, case.kind.bits()),
        }
        if turned[number] {
            negate(case.kind, &mut expected[element(slot)]);
        }
    }

    let spec = case.spec();
    let plan = match case.kind {
        Kind::Tagged(dtype) => BorderPlan::for_dtype(&spec, &case.shape, dtype),
        Kind::Raw(size) => BorderPlan::for_bytes(&spec, &case.shape, size),
        Kind::Array(_) => {
            with_type!(case.kind, T => BorderPlan::new::<T>(&spec, &case.shape)).expect("a listed size")
        }
    };
    let about = || format!("borders in place: {request:?}");
    let mut plan = plan.and_then(|plan| plan.with_sides(sides.iter().copied())).with_context(about)?;
    if let Some(placed) = placed {
        plan = plan.with_strides(&placed.strides()).with_context(about)?;
    }
    assert_eq!((plan.input_shape(), plan.output_shape()), (&case.shape[..], &map.shape[..]), "{case}");
    let mut guarded = Guarded::new(before.len());
    let lowest = slots.iter().min().copied().unwrap_or(0);
    for (at_end, by_pointer) in [(false, false), (true, false), (true, true)] {
        // The memory of a tensor behind a pointer begins with the element of the lowest address.
        if by_pointer && lowest > 0 {
            continue;
        }
        let bytes = guarded.bytes_mut();
        let start = if at_end { bytes.len() - before.len() } else { 0 };
        let bytes = &mut bytes[start..start + before.len()];
        bytes.copy_from_slice(&before);
        let typed = |bytes: &mut [u8]| {
            with_type!(case.kind, T => {
                let mut numbers = elements::<T>(bytes);
                plan.run(&mut numbers).map(|()| bytes.copy_from_slice(bytemuck::cast_slice(&numbers)))
            })
        };
        let ran = match by_pointer {
            true => pointers::borders(&plan, size, (bytes, &map.shape, &lies)),
            false => typed(bytes).unwrap_or_else(|| plan.run_bytes(bytes)),
        };
        ran.with_context(about)?;
        if let Some(at) = (0..before.len()).find(|&at| bytes[at] != expected[at]) {
            bail!("{}\nbyte {at} is {}, not {}", about(), bytes[at], expected[at]);
        }
    }
    reach::accepted();
    Ok(())
}
