//! Sums and means of floats, in numpy's order of addition.

use super::formats::Format;

/// The number of elements that numpy converts at once, if it adds in another format.
const CONVERTED: usize = 8192;

/// Returns the sum of the numbers, rounded to `format` after every addition.
///
/// With `lanes`, the numbers are contiguous. numpy then halves them into blocks of at most `16 * lanes` numbers, distributes each
/// block to `lanes` partial sums, and adds the partial sums in pairs. If numpy converts the numbers first (`is_converted`), it
/// sums pieces of [`CONVERTED`] numbers separately. Without `lanes`, numpy adds one number after another. A sum starts with zero,
/// so a sum of negative zeros is positive.
pub(super) fn sum(format: Format, of: &[f64], lanes: Option<usize>, is_converted: bool) -> f64 {
    let add = |a: f64, b: f64| format.rounded(a + b);
    let one_by_one = |of: &[f64]| of.iter().copied().reduce(add).expect("a number");
    let sum = match lanes {
        None => one_by_one(of),
        Some(lanes) => {
            let chunk = if is_converted { CONVERTED } else { of.len() };
            let sums: Vec<f64> = of.chunks(chunk).map(|chunk| blocks(&add, chunk, lanes)).collect();
            one_by_one(&sums)
        }
    };
    0.0 + sum
}

fn blocks(add: &dyn Fn(f64, f64) -> f64, of: &[f64], lanes: usize) -> f64 {
    if of.len() > 16 * lanes {
        let half = of.len() / 2;
        let (first, last) = of.split_at(half - half % lanes);
        return add(blocks(add, first, lanes), blocks(add, last, lanes));
    }
    let whole = of.len() / lanes * lanes;
    let mut sums: Vec<f64> = (0..lanes.min(whole))
        .map(|lane| of[..whole].iter().copied().skip(lane).step_by(lanes).reduce(add).expect("a number"))
        .collect();
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|pair| add(pair[0], pair[1])).collect();
    }
    sums.extend(&of[whole..]);
    sums.into_iter().reduce(add).expect("a number")
}
