//! Smaller calls of a call: the steps that a search for the smallest case that still differs may take.
//!
//! A call is what an engine is told of a case, as the format has it. Steps only propose; many of the calls that they make
//! are refused by the rules, and the search drops them.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::rules::Type;

pub(super) type Call = Map<String, Value>;

/// The lists of widths.
const WIDTHS: [&str; 3] = ["low", "high", "interior"];

/// Arguments that say the widths once more, so that the lists cannot be changed alone.
const SPOKEN: [&str; 3] = ["pad", "pad_width", "pads_shape"];

/// Types by how easily they are read; all others come after these.
const EASY: [&str; 3] = ["float32", "int32", "uint8"];

/// Fields that need not be there.
const OPTIONAL: [&str; 4] = ["frame", "interior", "npad", "axes"];

/// Outputs of so many elements are small enough not to be told apart.
const SMALL: u128 = 64;

/// A step: smaller calls, to be tried in this order.
pub(super) type Step = fn(&Call) -> Vec<Call>;

/// All steps, in the order in which they are taken.
pub(super) const STEPS: [Step; 13] = [
    without_fields,
    without_axes,
    shorter_axes,
    narrower,
    narrower_alike,
    shifted,
    both,
    turned,
    constant,
    nearer_value,
    easier_type,
    plain_data,
    plain_elements,
];

/// How large a call is: rank, fields that need not be there, output, widths, lengths, borders
/// that are not at the end, mode, type, value, and elements that are not plain.
/// Compared in this order.
pub(super) fn size(call: &Call) -> impl Ord + use<> {
    let shape = lengths(call);
    let optional = OPTIONAL.iter().filter(|&&field| call.contains_key(field)).count();
    let negative = numbers(call, "axes").iter().filter(|&&axis| axis < 0).count();
    let arguments = call.get("args").and_then(Value::as_object).map_or(0, Map::len);
    let widths = WIDTHS
        .iter()
        .flat_map(|list| numbers(call, list))
        .map(|width| u128::from(width.unsigned_abs()))
        .sum::<u128>();
    let length = shape.iter().map(|&length| length as u128).sum::<u128>();
    let value = match (call.get("value"), element(call)) {
        (None, _) => 0,
        (Some(value), Some(element)) => {
            1 + values(element).iter().take_while(|&plain| plain != value).count()
        }
        (Some(_), None) => usize::MAX,
    };
    let odd = match element(call) {
        Some(element) => {
            data(call).iter().enumerate().filter(|&(i, value)| *value != plain(element, i)).count()
        }
        None => 0,
    };
    let mode = call.get("mode") != Some(&json!("constant"));
    let turned = numbers(call, "low")
        .iter()
        .zip(numbers(call, "high"))
        .filter(|(low, high)| **low != 0 && *high == 0)
        .count();
    let output = output(call).max(SMALL);
    (
        shape.len(),
        optional + negative + arguments,
        output,
        widths,
        length,
        turned,
        mode,
        ease(call),
        value,
        odd,
    )
}

/// How many elements the output has, about.
fn output(call: &Call) -> u128 {
    let shape = lengths(call);
    let widths = WIDTHS.map(|list| numbers(call, list));
    let width = |list: usize, axis: usize| i128::from(widths[list].get(axis).copied().unwrap_or(0));
    let length = |axis: usize| {
        let length = shape[axis] as i128;
        length + (length - 1).max(0).saturating_mul(width(2, axis)) + width(0, axis) + width(1, axis)
    };
    (0..shape.len()).map(|axis| length(axis).max(0) as u128).fold(1, u128::saturating_mul)
}

/// Without something that need not be said.
fn without_fields(call: &Call) -> Vec<Call> {
    let mut smaller: Vec<Call> = OPTIONAL
        .iter()
        .filter(|&&field| call.contains_key(field))
        .map(|field| changed(call, |call| drop(call.shift_remove(*field))))
        .collect();
    let arguments = call.get("args").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    smaller.extend(arguments.map(|name| {
        changed(call, |call| {
            if let Some(Value::Object(arguments)) = call.get_mut("args") {
                arguments.shift_remove(name);
                if arguments.is_empty() {
                    call.shift_remove("args");
                }
            }
        })
    }));
    let rank = lengths(call).len();
    let axes = numbers(call, "axes").into_iter().map(|axis| place(axis, rank)).collect::<Option<Vec<_>>>();
    if let Some(axes) = axes.filter(|_| call.contains_key("axes")) {
        // The widths of all axes in their place, or the axes counted from the front.
        smaller.push(changed(call, |call| {
            for list in WIDTHS {
                let mut spread = vec![0; rank];
                axes.iter().zip(numbers(call, list)).for_each(|(&axis, width)| spread[axis] = width);
                if let Some(widths) = call.get_mut(list) {
                    *widths = json!(spread);
                }
            }
            call.shift_remove("axes");
        }));
        smaller.push(changed(call, |call| call["axes"] = json!(axes)));
    }
    smaller
}

/// Without one of the axes.
fn without_axes(call: &Call) -> Vec<Call> {
    let shape = lengths(call);
    // A scalar is a class of its own.
    if spoken(call) || shape.len() < 2 {
        return Vec::new();
    }
    let ends = (0..shape.len()).flat_map(|axis| [(axis, 0), (axis, shape[axis].saturating_sub(1))]);
    ends.filter_map(|(axis, at)| without_axis(call, &shape, axis, at)).collect()
}

/// The elements of what is left without this axis, if the data are none for lack of it.
fn refilled(call: &Call, shape: &[usize], axis: usize) -> Option<Call> {
    let element = element(call)?;
    let left = shape[..axis]
        .iter()
        .chain(&shape[axis + 1..])
        .try_fold(1usize, |count, &length| count.checked_mul(length));
    let left = left.filter(|&left| shape[axis] == 0 && left < 1 << 12)?;
    Some(changed(call, |call| call["data"] = (0..left).map(|i| plain(element, i)).collect()))
}

/// Without an axis, and with the elements that are there on it.
fn without_axis(call: &Call, shape: &[usize], axis: usize, at: usize) -> Option<Call> {
    let mut smaller = cut(call, shape, axis, at..at + 1).or_else(|| refilled(call, shape, axis))?;
    let mut left = shape.to_vec();
    left.remove(axis);
    smaller["shape"] = json!(left);
    let axes = call.contains_key("axes").then(|| numbers(call, "axes"));
    let mut places = Vec::new();
    if let Some(axes) = &axes {
        places = axes.iter().map(|&axis| place(axis, shape.len())).collect::<Option<Vec<_>>>()?;
        // As they were written, but for the one that is gone.
        let renumbered = axes.iter().zip(&places).filter(|&(_, &place)| place != axis);
        let renumbered = renumbered.map(|(&written, &place)| match (written < 0, place > axis) {
            (false, true) => written - 1,
            (true, false) => written + 1,
            _ => written,
        });
        smaller["axes"] = json!(renumbered.collect::<Vec<_>>());
    }
    for list in WIDTHS.iter().filter(|&&list| call.contains_key(list)) {
        let widths = numbers(call, list).into_iter().enumerate();
        let kept =
            widths.filter(|&(i, _)| if axes.is_some() { places.get(i) != Some(&axis) } else { i != axis });
        smaller[*list] = json!(kept.map(|(_, width)| width).collect::<Vec<_>>());
    }
    if let Some(named) = call.get("npad").and_then(Value::as_u64)
        && axis as u64 + named >= shape.len() as u64
    {
        smaller["npad"] = json!(named.checked_sub(1)?);
    }
    Some(smaller)
}

/// With one of the axes shorter, but not empty.
fn shorter_axes(call: &Call) -> Vec<Call> {
    let shape = lengths(call);
    let shorter = |(axis, &length): (usize, &usize)| {
        let lengths = [1, length / 2, length.saturating_sub(1)];
        let lengths = lengths.into_iter().filter(move |&new| 0 < new && new < length);
        lengths.flat_map(move |new| [(axis, 0..new), (axis, length - new..length)])
    };
    shape
        .iter()
        .enumerate()
        .flat_map(shorter)
        .filter_map(|(axis, kept)| cut(call, &shape, axis, kept))
        .collect()
}

/// With one of the widths nearer to nothing.
fn narrower(call: &Call) -> Vec<Call> {
    let mut smaller = Vec::new();
    if spoken(call) {
        return smaller;
    }
    for list in WIDTHS {
        for (i, &width) in numbers(call, list).iter().enumerate() {
            smaller
                .extend(parts(width).map(|less| changed(call, |call| call[list][i] = json!(width - less))));
        }
    }
    smaller
}

/// With other widths on both sides of an axis.
fn of_sides(call: &Call, change: impl Fn(i64, i64) -> Vec<(i64, i64)>) -> Vec<Call> {
    let (low, high) = (numbers(call, "low"), numbers(call, "high"));
    if spoken(call) || low.len() != high.len() {
        return Vec::new();
    }
    let sides = low.iter().zip(&high).enumerate();
    let new = sides.flat_map(|(i, (&low, &high))| change(low, high).into_iter().map(move |new| (i, new)));
    let changed = new.map(|(i, (low, high))| {
        changed(call, |call| (call["low"][i], call["high"][i]) = (json!(low), json!(high)))
    });
    changed.collect()
}

/// With less cut off on one side of an axis, and less padded on the other.
fn shifted(call: &Call) -> Vec<Call> {
    of_sides(call, |low, high| match low.signum() * high.signum() {
        -1 => {
            let shorter = if low.unsigned_abs() < high.unsigned_abs() { low } else { -high };
            parts(shorter).map(|by| (low - by, high + by)).collect()
        }
        _ => Vec::new(),
    })
}

/// With as much less on both sides of an axis.
fn narrower_alike(call: &Call) -> Vec<Call> {
    of_sides(call, |low, high| match low.signum() * high.signum() {
        1 => {
            let shorter = if low.unsigned_abs() < high.unsigned_abs() { low } else { high };
            parts(shorter).map(|by| (low - by, high - by)).collect()
        }
        _ => Vec::new(),
    })
}

/// What a width can be made smaller by: all of it, half of it, a quarter, and so on.
fn parts(width: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(width), |part| Some(part / 2)).take_while(|&part| part != 0)
}

/// With the border at the other end of an axis.
fn turned(call: &Call) -> Vec<Call> {
    of_sides(call, |low, high| vec![(high, low)])
}

/// With the simplest mode.
fn constant(call: &Call) -> Vec<Call> {
    vec![changed(call, |call| call["mode"] = json!("constant"))]
}

/// With an axis shorter by one, and the widths that belong to it too.
fn both(call: &Call) -> Vec<Call> {
    let shape = lengths(call);
    let mut smaller = Vec::new();
    if spoken(call) || call.contains_key("axes") {
        return smaller;
    }
    for (axis, &length) in shape.iter().enumerate().filter(|&(_, &length)| length > 1) {
        for lists in [&["low"][..], &["high"], &["low", "high"]] {
            let Some(mut shorter) = cut(call, &shape, axis, 0..length - 1) else { continue };
            for &list in lists {
                let mut widths = numbers(call, list);
                if let Some(width) = widths.get_mut(axis) {
                    *width -= width.signum();
                }
                shorter[list] = json!(widths);
            }
            smaller.push(shorter);
        }
    }
    smaller
}

/// Without the value, or with a simpler one.
fn nearer_value(call: &Call) -> Vec<Call> {
    let (Some(element), true) = (element(call), call.contains_key("value")) else { return Vec::new() };
    let mut smaller = vec![changed(call, |call| drop(call.shift_remove("value")))];
    smaller.extend(values(element).into_iter().map(|value| changed(call, |call| call["value"] = value)));
    smaller
}

/// With elements of an easier type.
fn easier_type(call: &Call) -> Vec<Call> {
    let mut smaller = Vec::new();
    for name in &EASY[..ease(call).min(EASY.len())] {
        let element = Type::from_name(name).expect("the name of a type");
        let easier = changed(call, |call| {
            call["dtype"] = json!(name);
            call["data"] = (0..data(call).len()).map(|i| plain(element, i)).collect();
        });
        if call.contains_key("value") {
            smaller.extend(
                values(element).into_iter().map(|value| changed(&easier, |call| call["value"] = value)),
            );
        } else {
            smaller.push(easier);
        }
    }
    smaller
}

/// With plain elements.
fn plain_data(call: &Call) -> Vec<Call> {
    let Some(element) = element(call) else { return Vec::new() };
    vec![changed(call, |call| call["data"] = (0..data(call).len()).map(|i| plain(element, i)).collect())]
}

/// With one more plain element.
fn plain_elements(call: &Call) -> Vec<Call> {
    let Some(element) = element(call) else { return Vec::new() };
    let odd = data(call).iter().enumerate().filter(|&(i, value)| *value != plain(element, i));
    odd.map(|(i, _)| changed(call, |call| call["data"][i] = plain(element, i))).collect()
}

/// The element at this place of data that nothing depends on: numbers that tell places apart.
fn plain(element: Type, i: usize) -> Value {
    let count = |most: usize| 1 + i % most;
    match element {
        Type::String => json!(char::from(b'a' + (i % 26) as u8).to_string()),
        Type::Bool => json!(count(2) % 2),
        Type::Int2 => json!(count(1)),
        Type::Uint2 => json!(count(3)),
        Type::Int4 => json!(count(7)),
        Type::Uint4 => json!(count(15)),
        Type::Float4e2m1 => json!([1, 2, 3, 4, 6][i % 5]),
        Type::Float8e8m0 => json!({ "bits": format!("{:#04x}", 0x7e + count(100)) }),
        Type::Float8e4m3fn | Type::Float8e4m3fnuz | Type::Float8e5m2 | Type::Float8e5m2fnuz => {
            json!(count(8))
        }
        Type::Complex64 | Type::Complex128 => json!([count(99), 0]),
        _ => json!(count(99)),
    }
}

/// Values to fill with, the simplest first.
fn values(element: Type) -> Vec<Value> {
    let zero = match element {
        Type::String => json!(""),
        Type::Float8e8m0 => return vec![plain(element, 8)],
        Type::Complex64 | Type::Complex128 => json!([0, 0]),
        _ => json!(0),
    };
    vec![zero, plain(element, 8)]
}

/// The call with a part of one of its axes. `None` if it is not that long, or if the data are not as many as the shape says.
fn cut(call: &Call, shape: &[usize], axis: usize, part: Range<usize>) -> Option<Call> {
    let data = data(call);
    let (inner, length) = (shape[axis + 1..].iter().product::<usize>(), shape[axis]);
    if length < part.end || shape.iter().product::<usize>() != data.len() {
        return None;
    }
    let mut shape = shape.to_vec();
    shape[axis] = part.len();
    let kept = data
        .iter()
        .enumerate()
        .filter(|(i, _)| part.contains(&(i / inner % length)))
        .map(|(_, value)| value.clone());
    let kept: Value = kept.collect();
    Some(changed(call, |call| {
        call["shape"] = json!(shape);
        call["data"] = kept;
    }))
}

fn changed(call: &Call, change: impl FnOnce(&mut Call)) -> Call {
    let mut call = call.clone();
    change(&mut call);
    call
}

/// Whether an argument says the widths, too.
fn spoken(call: &Call) -> bool {
    SPOKEN.iter().any(|name| call.get("args").is_some_and(|arguments| arguments.get(name).is_some()))
}

fn element(call: &Call) -> Option<Type> {
    Type::from_name(call.get("dtype")?.as_str()?)
}

/// How many types are easier to read than the call's.
fn ease(call: &Call) -> usize {
    let name = call.get("dtype").and_then(Value::as_str).unwrap_or_default();
    EASY.iter().position(|&easy| easy == name).unwrap_or(EASY.len())
}

fn lengths(call: &Call) -> Vec<usize> {
    numbers(call, "shape").into_iter().map(|length| usize::try_from(length).unwrap_or(usize::MAX)).collect()
}

fn numbers(call: &Call, list: &str) -> Vec<i64> {
    call.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64).collect()
}

fn data(call: &Call) -> &[Value] {
    call.get("data").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The axis counted from the front, if there is one.
fn place(axis: i64, rank: usize) -> Option<usize> {
    let place = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(place).ok().filter(|&place| place < rank)
}
