//! Smaller calls of a call: the steps that a search for the smallest case that still differs may take.
//!
//! Steps only propose; many of the calls that they make are refused by the rules, and the search drops them.

use std::ops::Range;

use serde_json::{Value, json};

use crate::rules::Type;
use crate::vectors::Case;

/// Arguments that say the widths once more, so that the lists cannot be changed alone.
const SPOKEN: [&str; 3] = ["pad", "pad_width", "pads_shape"];

/// Types by how easily they are read; all others come after these.
const EASY: [&str; 3] = ["float32", "int32", "uint8"];

/// Outputs of so many elements are small enough not to be told apart.
const SMALL: u128 = 64;

/// A step: smaller calls, to be tried in this order.
pub(super) type Step = fn(&Case) -> Vec<Case>;

/// All steps, in the order in which they are taken.
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

/// How large a call is: rank, fields that need not be there, output, widths, lengths, borders that are not at the end, mode, type,
/// value, and elements that are not plain. Compared in this order.
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
    // About how many elements the output has.
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

/// Without something that need not be said.
fn without_fields(case: &Case) -> Vec<Case> {
    let without: [fn(&mut Case); 3] =
        [|case| case.frame = None, |case| case.interior = None, |case| case.npad = None];
    let mut smaller: Vec<Case> = without.into_iter().map(|without| changed(case, without)).collect();
    smaller.extend(case.args.keys().map(|name| changed(case, |case| drop(case.args.shift_remove(name)))));
    // The widths of all axes in their place, or the axes counted from the front.
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

/// Without one of the axes. A scalar is a class of its own.
fn without_axes(case: &Case) -> Vec<Case> {
    if is_spoken(case) || case.shape.len() < 2 {
        return Vec::new();
    }
    let ends = (0..case.shape.len()).flat_map(|axis| [(axis, 0), (axis, case.shape[axis].saturating_sub(1))]);
    ends.filter_map(|(axis, at)| without_axis(case, axis, at)).collect()
}

/// Without an axis, and with the elements that are there on it.
fn without_axis(case: &Case, axis: usize, at: usize) -> Option<Case> {
    let mut smaller = cut(case, axis, at..at + 1).or_else(|| refilled(case, axis))?;
    let rank = smaller.shape.len();
    smaller.shape.remove(axis);
    // The place of each width, and the axes as they were written, but for the one that is gone.
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

/// The elements of what is left without this axis, if the data are none for lack of it.
fn refilled(case: &Case, axis: usize) -> Option<Case> {
    let others = case.shape[..axis].iter().chain(&case.shape[axis + 1..]);
    let left = others.copied().try_fold(1, usize::checked_mul);
    let left = left.filter(|&left| case.shape[axis] == 0 && left < 1 << 12)?;
    let data = (0..left).map(|i| plain(case, i)).collect::<Option<_>>()?;
    Some(Case { data, ..case.clone() })
}

/// With one of the axes shorter, but not empty.
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

/// With an axis shorter by one, and the widths that belong to it too.
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

/// With one of the widths nearer to nothing.
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

/// With other widths on both sides of an axis: as much less on both, less cut off on one side and less padded on the other, or the
/// border at the other end.
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

/// What a width can be made smaller by: all of it, half of it, a quarter, and so on.
fn parts(width: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(width), |part| Some(part / 2)).take_while(|&part| part != 0)
}

/// With the simplest mode, without the value, or with a simpler one.
fn simpler_words(case: &Case) -> Vec<Case> {
    let mut smaller = vec![changed(case, |case| case.mode = "constant".into())];
    if case.value.is_some() {
        let values = values(case).into_iter().map(Some);
        smaller.extend([None].into_iter().chain(values).map(|value| Case { value, ..case.clone() }));
    }
    smaller
}

/// With elements of an easier type.
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

/// With plain elements, or one more of them.
fn plain_elements(case: &Case) -> Vec<Case> {
    let Some(all) = (0..case.data.len()).map(|i| plain(case, i)).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let odd = (0..all.len()).filter(|&i| case.data[i] != all[i]);
    let one = odd.map(|i| changed(case, |case| case.data[i] = all[i].clone()));
    [Case { data: all.clone(), ..case.clone() }].into_iter().chain(one).collect()
}

/// The element at this place of data that nothing depends on: numbers that tell places apart.
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

/// Values to fill with, the simplest first.
fn values(case: &Case) -> Vec<Value> {
    let zero = match Type::from_name(&case.dtype) {
        Some(Type::String) => Some(json!("")),
        Some(Type::Float8e8m0) | None => None,
        Some(Type::Complex64 | Type::Complex128) => Some(json!([0, 0])),
        Some(_) => Some(json!(0)),
    };
    zero.into_iter().chain(plain(case, 8)).collect()
}

/// The call with a part of one of its axes. `None` if it is not that long, or if the data are not as many as the shape says.
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

/// Whether an argument says the widths, too.
fn is_spoken(case: &Case) -> bool {
    SPOKEN.iter().any(|name| case.args.contains_key(*name))
}

/// How many types are easier to read than the call's.
fn ease(case: &Case) -> usize {
    EASY.iter().position(|&easy| easy == case.dtype).unwrap_or(EASY.len())
}

/// The axis counted from the front, if there is one.
fn place(axis: i64, rank: usize) -> Option<usize> {
    let place = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(place).ok().filter(|&place| place < rank)
}
