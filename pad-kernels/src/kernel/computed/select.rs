//! Selects keys by their ranks, which are positions in sorted order, counted from 0. The loops have no branches that depend on
//! single keys, so the compiler can vectorise them.

use core::slice;

/// The minimum number of keys for which a sample is sorted.
const LEAST_SAMPLED: usize = 128;

/// The maximum number of keys in the sample.
const MOST_SAMPLES: usize = 1024;

/// The number of keys per block. A block is counted in 8 bits, because vectors compare small keys faster if counters are small.
const BLOCK: usize = 128;

/// Returns the keys with the ranks `lower` and `upper`, which are equal or consecutive.
///
/// The function counts the keys below and above some pivots, which come from a sorted sample of the keys. Only the keys between
/// two close pivots are copied and searched.
///
/// # Safety
///
/// - `copies` has room for `count` keys, and `key` does not read them.
#[inline(always)]
pub(super) unsafe fn select<K: Ord + Copy, W: Ord + Copy + From<K>>(
    count: usize,
    key: impl Fn(usize) -> K,
    copies: *mut K,
    (lower, upper): (usize, usize),
) -> (K, K) {
    let size = if count < LEAST_SAMPLED { 0 } else { (count / 16).min(MOST_SAMPLES) };
    // SAFETY: the caller promises that `copies` has room for `count` keys. There are fewer samples than keys.
    let sample = unsafe {
        for index in 0..size {
            // A multiplicative hash spreads the positions, so they do not follow a pattern of the keys.
            let hash = (index as u32).wrapping_mul(0x9e37_79b9);
            copies.add(index).write(key(((u128::from(hash) * count as u128) >> 32) as usize));
        }
        slice::from_raw_parts_mut(copies, size)
    };
    sample.sort_unstable();
    // The words of the searched keys are equal to `tied`, if it is set. Otherwise, they lie above `low` and below `high`, if set.
    // `before` counts the keys below that range, and `begin..end` are the samples in it. The first step is 2.4 standard
    // deviations of the number of samples below the median.
    let (mut low, mut high, mut tied, mut before) = (None, None, None, 0);
    let (mut begin, mut end, mut next) = (0, size, lower * size / count);
    let mut step = (size * 3 / 2).isqrt();
    // Keys of one byte have few different values, so the loop continues until it has found the keys by counting alone.
    let near = if size_of::<K>() == 1 { 0 } else { step };
    while begin < end && (end - begin > near || low.is_none() || high.is_none()) {
        let pivot = sample[next];
        let word = W::from(pivot);
        let (less, upto) = ranks(count, |index| W::from(key(index)), word);
        if upper < less {
            (high, end) = (Some(word), sample.partition_point(|&key| W::from(key) < word));
        } else if lower >= upto {
            (low, begin, before) = (Some(word), sample.partition_point(|&key| W::from(key) <= word), upto);
        } else if lower < less || upper >= upto {
            // The two keys have different words, one of which is the pivot's. The lower key is the highest of `lows`.
            let is_low = |&key: &K| W::from(key) < word || lower >= less && W::from(key) == word;
            let (lows, highs) = ((0..count).map(&key).filter(is_low), (0..count).map(&key));
            return (lows.max().unwrap_or(pivot), highs.filter(|key| !is_low(key)).min().unwrap_or(pivot));
        } else if size_of::<K>() == size_of::<W>() {
            return (pivot, pivot);
        } else {
            (tied, before) = (Some(word), less);
            break;
        }
        next = match (low, high) {
            (Some(_), Some(_)) => begin.midpoint(end),
            (Some(_), None) => (begin + step).min(end.saturating_sub(1)),
            _ => end.saturating_sub(step).max(begin),
        };
        step *= 2;
    }
    let is_between = |key| {
        let word = W::from(key);
        let is_between = low.is_none_or(|low| low < word) & high.is_none_or(|high| word < high);
        tied.map_or(is_between, |tied| tied == word)
    };
    let mut kept = 0;
    for first in (0..count).step_by(BLOCK) {
        let block = first..count.min(first + BLOCK);
        if size > 0 && block.clone().map(|index| u8::from(is_between(key(index)))).sum::<u8>() == 0 {
            continue;
        }
        for key in block.map(&key) {
            // SAFETY: fewer than `count` keys have been kept, and the caller promises that `copies` has room for `count` keys.
            unsafe { copies.add(kept).write(key) };
            kept += usize::from(is_between(key));
        }
    }
    // SAFETY: the loop has written these keys.
    let keys = unsafe { slice::from_raw_parts_mut(copies, kept) };
    select_in(keys, lower - before, upper - before)
}

/// Counts the keys that are less than a pivot, and the keys that are at most the pivot.
#[inline(always)]
pub(super) fn ranks<K: Ord + Copy>(count: usize, key: impl Fn(usize) -> K, pivot: K) -> (usize, usize) {
    let (mut less, mut upto) = (0, 0);
    for first in (0..count).step_by(BLOCK) {
        let (mut some, mut more) = (0u8, 0u8);
        for index in first..count.min(first + BLOCK) {
            let key = key(index);
            some += u8::from(key < pivot);
            more += u8::from(key <= pivot);
        }
        (less, upto) = (less + usize::from(some), upto + usize::from(more));
    }
    (less, upto)
}

/// Returns the keys that have the ranks `lower` and `upper` in a slice. The ranks are equal or consecutive.
#[inline(never)]
fn select_in<K: Ord + Copy>(keys: &mut [K], lower: usize, upper: usize) -> (K, K) {
    let (before, &mut high, _) = keys.select_nth_unstable(upper);
    let low = before.iter().max().filter(|_| lower < upper);
    (low.copied().unwrap_or(high), high)
}

/// Sorts every column with Batcher's merge exchange. The algorithm compares the same pairs of rows whatever the keys are.
#[inline(always)]
pub(super) fn sort_columns<K: Ord + Copy, const N: usize>(keys: &mut [[K; N]]) {
    // Each column holds a line of the tensor. Lines are often constant or sorted already, or in reverse order.
    if keys.windows(2).all(|rows| rows[0].iter().zip(&rows[1]).all(|(key, next)| key <= next)) {
        return;
    }
    if keys.windows(2).all(|rows| rows[0].iter().zip(&rows[1]).all(|(key, next)| key >= next)) {
        return keys.reverse();
    }
    let half = keys.len().next_power_of_two() / 2;
    let mut p = half;
    while p > 0 {
        let (mut q, mut r, mut apart) = (half, 0, p);
        loop {
            // Compares every second run of `p` rows with the run that begins `apart` rows later. `p` is at most `apart`.
            for first in (r..keys.len() - apart).step_by(2 * p) {
                let (rows, others) = keys[first..].split_at_mut(apart);
                let pairs = rows[..p].as_flattened_mut().iter_mut().zip(others.as_flattened_mut());
                for (key, other) in pairs {
                    (*key, *other) = ((*key).min(*other), (*key).max(*other));
                }
            }
            if q == p {
                break;
            }
            (apart, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::number::Pair;
    use super::*;

    /// Selects keys with low, middle and high ranks, and compares them with the keys of a sorted copy.
    fn check<K: Ord + Copy + core::fmt::Debug, W: Ord + Copy + From<K>>(keys: &[K]) {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable();
        let (count, mut copies) = (keys.len(), Vec::with_capacity(keys.len()));
        for upper in [0, 1, count / 3, count / 2, count - 1] {
            for lower in [upper, upper.saturating_sub(1)] {
                // SAFETY: the vector has room for all keys.
                let found = unsafe {
                    select::<K, W>(count, |index| keys[index], copies.as_mut_ptr(), (lower, upper))
                };
                assert_eq!(found, (sorted[lower], sorted[upper]), "{lower} {upper} of {keys:?}");
            }
        }
    }

    #[test]
    fn keys_have_the_ranks_of_a_sorted_copy() {
        let lengths: &[u32] = if cfg!(miri) { &[2, 300] } else { &[2, 127, 128, 1000, 20_000, 70_000] };
        for &len in lengths {
            let random = |index: u32| index.wrapping_mul(0x2545_f491) >> 7;
            for values in [2, 5, 200, u32::MAX] {
                let pair = |index: u32| Pair((random(index) % values % 7).into(), (index % values).into());
                check::<_, u32>(&(0..len).map(|index| random(index) % values).collect::<Vec<_>>());
                check::<_, i8>(&(0..len).map(|index| (random(index) % values) as i8).collect::<Vec<_>>());
                check::<_, i64>(&(0..len).map(pair).collect::<Vec<_>>());
                check::<_, u16>(&(0..len).rev().map(|index| (index / 3 % values) as u16).collect::<Vec<_>>());
            }
        }
    }
}
