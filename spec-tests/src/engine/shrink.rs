//! Steps of the search for the smallest case: each derives smaller calls from a call.
//!
//! Steps only propose calls. The search drops a call if the engine's answer to it does not differ in the same way.

use std::ops::Range;

use serde_json::{Value, json};

use crate::rules::Type;
use crate::vectors::Case;

/// Arguments that repeat the widths. If a call has one of them, its lists of widths cannot change alone.
const SPOKEN: [&str; 3] = ["pad", "pad_width", "pads_shape"];

/// The types that are easiest to read, the easiest first. All other types come after them.
const EASY: [&str; 3] = ["float32", "int32", "uint8"];

/// Outputs of at most this number of elements count as equally small.
const SMALL: u128 = 64;

/// A function that returns smaller calls, in the order in which to try them.
pub(super) type Step = fn(&Case) -> Vec<Case>;

/// All steps, in the order in which the search takes them.
pub(super) const STEPS: [Step; 9] = [
    without_fields,
    without_axes,
    shorter_axes,
    narrower,
    of_both_sides,
    shorter_with_widths,
    simpler_words,
    easier_type,
    plain_elements,
];

/// Returns the size of a call as a tuple, whose earlier fields matter more. The fields are the rank, the optional fields, the
/// output, the widths, the lengths, and the borders at the start. The mode, type, value and unusual elements follow.
pub(super) fn size(case: &Case) -> impl Ord + use<> {
    let given = [case.frame.is_some(), case.interior.is_some(), case.npad.is_some(), case.axes.is_some()];
    let negative = case.axes.iter().flatten().filter(|&&axis| axis < 0).count();
    let optional = given.into_iter().filter(|&given| given).count() + negative + case.args.len();
    let lists = [Some(&case.low), Some(&case.high), case.interior.as_ref()];
    let widths = lists.iter().flatten().flat_map(|widths| widths.iter());
    let widths = widths.map(|width| u128::from(width.unsigned_abs())).sum::<u128>();
    let width = |list: usize, axis: usize| {
        i128::from(lists[list].and_then(|widths| widths.get(axis)).copied().unwrap_or(0))
    };
    // The approximate number of elements of the output.
    let output = |axis: usize| {
        let length = case.shape[axis] as i128;
        let gaps = (length - 1).max(0).saturating_mul(width(2, axis));
        (length + gaps + width(0, axis) + width(1, axis)).max(0) as u128
    };
    let output = (0..case.shape.len()).map(output).fold(1, u128::saturating_mul).max(SMALL);
    let length = case.shape.iter().map(|&length| length as u128).sum::<u128>();
    let turned = case.low.iter().zip(&case.high).filter(|(low, high)| **low != 0 && **high == 0).count();
    let value = case
        .value
        .as_ref()
        .map_or(0, |value| 1 + values(case).iter().take_while(|plain| *plain != value).count());
    let odd =
        case.data.iter().enumerate().filter(|&(i, value)| Some(value) != plain(case, i).as_ref()).count();
    let mode = case.mode != "constant";
    (case.shape.len(), optional, output, widths, length, turned, mode, ease(case), value, odd)
}

fn changed(case: &Case, change: impl FnOnce(&mut Case)) -> Case {
    let mut case = case.clone();
    change(&mut case);
    case
}

/// Returns calls without one of the optional fields.
fn without_fields(case: &Case) -> Vec<Case> {
    let without: [fn(&mut Case); 3] =
        [|case| case.frame = None, |case| case.interior = None, |case| case.npad = None];
    let mut smaller: Vec<Case> = without.into_iter().map(|without| changed(case, without)).collect();
    smaller.extend(case.args.keys().map(|name| changed(case, |case| drop(case.args.shift_remove(name)))));
    // Write a width for every axis instead of a list of axes, or make the axes nonnegative.
    smaller.extend(case.clone().spread());
    let rank = case.shape.len();
    let axes = case.axes.iter().flatten().map(|&axis| place(axis, rank)).collect::<Option<Vec<_>>>();
    smaller.extend(
        axes.filter(|_| case.axes.is_some()).map(|axes| {
            changed(case, |case| case.axes = Some(axes.iter().map(|&axis| axis as i64).collect()))
        }),
    );
    smaller
}

/// Returns calls without one of the axes. At least one axis remains, because scalars are a class of their own.
fn without_axes(case: &Case) -> Vec<Case> {
    if is_spoken(case) || case.shape.len() < 2 {
        return Vec::new();
    }
    let ends = (0..case.shape.len()).flat_map(|axis| [(axis, 0), (axis, case.shape[axis].saturating_sub(1))]);
    ends.filter_map(|(axis, at)| without_axis(case, axis, at)).collect()
}

/// Returns the call without an axis, with the elements at index `at` of this axis.
fn without_axis(case: &Case, axis: usize, at: usize) -> Option<Case> {
    let mut smaller = cut(case, axis, at..at + 1).or_else(|| refilled(case, axis))?;
    let rank = smaller.shape.len();
    smaller.shape.remove(axis);
    // Find the axis of each width, and renumber the remaining axes. Negative axes stay negative.
    let mut places: Vec<usize> = (0..rank).collect();
    if let Some(axes) = &mut smaller.axes {
        places = axes.iter().map(|&axis| place(axis, rank)).collect::<Option<Vec<_>>>()?;
        let kept = axes.iter().zip(&places).filter(|&(_, &place)| place != axis);
        let renumbered = kept.map(|(&written, &place)| match (written < 0, place > axis) {
            (false, true) => written - 1,
            (true, false) => written + 1,
            _ => written,
        });
        *axes = renumbered.collect();
    }
    for widths in lists(&mut smaller).into_iter().flatten() {
        let mut places = places.iter();
        widths.retain(|_| places.next() != Some(&axis));
    }
    if let Some(named) = smaller.npad.filter(|named| axis + named >= rank) {
        smaller.npad = Some(named.checked_sub(1)?);
    }
    Some(smaller)
}

/// If this axis is empty and the others are not too long, returns the call with new data for the other axes.
fn refilled(case: &Case, axis: usize) -> Option<Case> {
    let others = case.shape[..axis].iter().chain(&case.shape[axis + 1..]);
    let left = others.copied().try_fold(1, usize::checked_mul);
    let left = left.filter(|&left| case.shape[axis] == 0 && left < 1 << 12)?;
    let data = (0..left).map(|i| plain(case, i)).collect::<Option<_>>()?;
    Some(Case { data, ..case.clone() })
}

/// Returns calls with one of the axes shorter, but not empty.
fn shorter_axes(case: &Case) -> Vec<Case> {
    let mut smaller = Vec::new();
    for (axis, &length) in case.shape.iter().enumerate() {
        let lengths =
            [1, length / 2, length.saturating_sub(1)].into_iter().filter(|&new| 0 < new && new < length);
        let kept = lengths.flat_map(|new| [0..new, length - new..length]);
        smaller.extend(kept.filter_map(|kept| cut(case, axis, kept)));
    }
    smaller
}

/// Returns calls with an axis shorter by one, and with one or both of its widths nearer to 0 by one.
fn shorter_with_widths(case: &Case) -> Vec<Case> {
    let mut smaller = Vec::new();
    for (axis, &length) in case.shape.iter().enumerate().filter(|&(_, &length)| length > 1) {
        for (low, high) in [(1, 0), (0, 1), (1, 1)] {
            smaller.extend(cut(case, axis, 0..length - 1).map(|mut case| {
                for (widths, by) in [(&mut case.low, low), (&mut case.high, high)] {
                    widths.get_mut(axis).into_iter().for_each(|width| *width -= by * width.signum());
                }
                case
            }));
        }
    }
    if is_spoken(case) || case.axes.is_some() { Vec::new() } else { smaller }
}

/// Returns calls with one of the widths nearer to 0.
fn narrower(case: &Case) -> Vec<Case> {
    let mut smaller = Vec::new();
    for (list, widths) in lists(&mut case.clone()).into_iter().enumerate() {
        for (i, &mut width) in widths.into_iter().flatten().enumerate() {
            for less in parts(width) {
                let mut case = case.clone();
                lists(&mut case)[list].as_mut().expect("as before")[i] = width - less;
                smaller.push(case);
            }
        }
    }
    if is_spoken(case) { Vec::new() } else { smaller }
}

/// Returns calls with other widths on both sides of an axis: both nearer to 0 by the same amount, or both swapped.
fn of_both_sides(case: &Case) -> Vec<Case> {
    let mut smaller = Vec::new();
    let sides: Vec<(i64, i64)> = case.low.iter().copied().zip(case.high.iter().copied()).collect();
    for (i, &(low, high)) in sides.iter().enumerate() {
        let opposed = low.signum() * high.signum();
        let shorter = if low.unsigned_abs() < high.unsigned_abs() { low } else { opposed * high };
        let less = parts(if opposed == 0 { 0 } else { shorter }).map(|by| (low - by, high - opposed * by));
        smaller.extend(
            less.chain([(high, low)])
                .map(|(low, high)| changed(case, |case| (case.low[i], case.high[i]) = (low, high))),
        );
    }
    if is_spoken(case) || case.low.len() != case.high.len() { Vec::new() } else { smaller }
}

/// Returns amounts to subtract from a width: the whole width, half of it, a quarter, and so on.
fn parts(width: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(width), |part| Some(part / 2)).take_while(|&part| part != 0)
}

/// Returns calls with the simplest mode, without the value, or with a simpler value.
fn simpler_words(case: &Case) -> Vec<Case> {
    let mut smaller = vec![changed(case, |case| case.mode = "constant".into())];
    if case.value.is_some() {
        let values = values(case).into_iter().map(Some);
        smaller.extend([None].into_iter().chain(values).map(|value| Case { value, ..case.clone() }));
    }
    smaller
}

/// Returns calls with elements of a type that is easier to read.
fn easier_type(case: &Case) -> Vec<Case> {
    let mut smaller = Vec::new();
    for name in &EASY[..ease(case).min(EASY.len())] {
        let easier = changed(case, |case| case.dtype = (*name).to_string());
        let data = (0..case.data.len()).filter_map(|i| plain(&easier, i)).collect();
        let easier = Case { data, ..easier };
        match case.value {
            Some(_) => smaller.extend(
                values(&easier).into_iter().map(|value| Case { value: Some(value), ..easier.clone() }),
            ),
            None => smaller.push(easier),
        }
    }
    smaller
}

/// Returns a call with plain elements only, and calls with one more plain element.
fn plain_elements(case: &Case) -> Vec<Case> {
    let Some(all) = (0..case.data.len()).map(|i| plain(case, i)).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let odd = (0..all.len()).filter(|&i| case.data[i] != all[i]);
    let one = odd.map(|i| changed(case, |case| case.data[i] = all[i].clone()));
    [Case { data: all.clone(), ..case.clone() }].into_iter().chain(one).collect()
}

/// Returns the plain element for index `i`: a small number that differs from its neighbours, if the type allows it.
fn plain(case: &Case, i: usize) -> Option<Value> {
    let count = |most: usize| 1 + i % most;
    Some(match Type::from_name(&case.dtype)? {
        Type::String => json!(char::from(b'a' + (i % 26) as u8).to_string()),
        Type::Bool => json!(count(2) % 2),
        Type::Int2 => json!(1),
        Type::Uint2 => json!(count(3)),
        Type::Int4 => json!(count(7)),
        Type::Uint4 => json!(count(15)),
        Type::Float4e2m1 => json!([1, 2, 3, 4, 6][i % 5]),
        Type::Float8e8m0 => json!({ "bits": format!("{:#04x}", 0x7e + count(100)) }),
        Type::Complex64 | Type::Complex128 => json!([count(99), 0]),
        element => {
            json!(count(if element.bits() == 8 && element.name().starts_with("float") { 8 } else { 99 }))
        }
    })
}

/// Returns simple fill values, the simplest first.
fn values(case: &Case) -> Vec<Value> {
    let zero = match Type::from_name(&case.dtype) {
        Some(Type::String) => Some(json!("")),
        Some(Type::Float8e8m0) | None => None,
        Some(Type::Complex64 | Type::Complex128) => Some(json!([0, 0])),
        Some(_) => Some(json!(0)),
    };
    zero.into_iter().chain(plain(case, 8)).collect()
}

/// Returns the call with a part of one of its axes. Returns `None` if the axis is too short, or if the number of elements does
/// not fit the shape.
fn cut(case: &Case, axis: usize, part: Range<usize>) -> Option<Case> {
    let (inner, length) = (case.shape[axis + 1..].iter().product::<usize>(), case.shape[axis]);
    if length < part.end || case.shape.iter().product::<usize>() != case.data.len() {
        return None;
    }
    let kept = case.data.iter().enumerate().filter(|(i, _)| part.contains(&(i / inner % length)));
    let data = kept.map(|(_, value)| value.clone()).collect();
    Some(changed(&Case { data, ..case.clone() }, |case| case.shape[axis] = part.len()))
}

fn lists(case: &mut Case) -> [Option<&mut Vec<i64>>; 3] {
    [Some(&mut case.low), Some(&mut case.high), case.interior.as_mut()]
}

/// Returns whether an argument of the call repeats the widths.
fn is_spoken(case: &Case) -> bool {
    SPOKEN.iter().any(|name| case.args.contains_key(*name))
}

/// Returns how many types are easier to read than the type of the call.
fn ease(case: &Case) -> usize {
    EASY.iter().position(|&easy| easy == case.dtype).unwrap_or(EASY.len())
}

/// Returns the axis as a nonnegative index, or `None` if it does not exist.
fn place(axis: i64, rank: usize) -> Option<usize> {
    let place = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(place).ok().filter(|&place| place < rank)
}
