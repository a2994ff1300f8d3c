//! Computes statistics that combine one element after another: maximum, minimum, mean.
//!
//! A line is all positions along the padded axis, for one index of the other axes.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES, innermost};
use super::number::Number;
use super::{Computation, Job};
use crate::kernel::raw::get;

/// A statistic. Each element becomes a state, and states are joined into one. The state of a mean is a sum.
pub(super) trait Fold<T: Number>: Copy {
    type State: Copy;
    /// The number of states to which the elements of a line are distributed in turn (lanes).
    ///
    /// It is [`MOST_LANES`] if the order of elements does not matter. It is 1 if the order must be kept. Otherwise it is the
    /// number that numpy uses.
    const LANES: usize;
    /// The number of elements in a part of a line. The elements of each part are joined first. Then the states of the parts are
    /// joined, one after another.
    const CHUNK: usize = usize::MAX;

    fn of(computation: Computation) -> Self;
    fn first(self, value: T) -> Self::State;
    fn join(self, state: Self::State, other: Self::State) -> Self::State;
    /// Returns the statistic of `count` elements. There is at least one.
    fn finish(self, state: Self::State, count: usize) -> T;
}

/// The minimum or the maximum. Both use the same code, because the maximum is the minimum in reverse order (`is_turned`).
#[derive(Clone, Copy)]
pub(super) struct Extreme {
    is_turned: bool,
}

impl<T: Number> Fold<T> for Extreme {
    type State = T;
    const LANES: usize = if T::IN_ORDER { 1 } else { MOST_LANES };

    inline! {
        fn of(computation: Computation) -> Extreme {
            Extreme { is_turned: matches!(computation, Computation::Maximum | Computation::NanMaximum) }
        }
        fn first(self, value: T) -> T { value.turned(self.is_turned) }
        fn join(self, state: T, other: T) -> T { state.smaller(other) }
        fn finish(self, state: T, _: usize) -> T { state.turned(self.is_turned) }
    }
}

/// The mean. It adds in numpy's order, so every bit of the result is equal to numpy's.
#[derive(Clone, Copy)]
pub(super) struct Mean;

impl<T: Number> Fold<T> for Mean {
    type State = T::Sum;
    const LANES: usize = T::LANES;
    const CHUNK: usize = T::CHUNK;

    inline! {
        fn of(_: Computation) -> Mean { Mean }
        fn first(self, value: T) -> T::Sum { value.summand() }
        fn join(self, state: T::Sum, other: T::Sum) -> T::Sum { state + other }
        fn finish(self, state: T::Sum, count: usize) -> T { T::mean(state, count) }
    }
}

/// A statistic that ignores NaNs. Its state holds the joined state of the elements that are not NaN, and their number.
#[derive(Clone, Copy)]
pub(super) struct Present<F>(F);

impl<T: Number, F: Fold<T>> Fold<T> for Present<F> {
    /// If the number is 0, the first part of the pair has no meaning.
    type State = (F::State, usize);
    const LANES: usize = F::LANES;
    const CHUNK: usize = F::CHUNK;

    inline! {
        fn of(computation: Computation) -> Self { Present(F::of(computation)) }
        fn first(self, value: T) -> Self::State { (self.0.first(value), usize::from(!value.is_nan())) }
        fn join(self, one: Self::State, other: Self::State) -> Self::State {
            match (one, other) {
                ((_, 0), _) => other,
                (_, (_, 0)) => one,
                ((one, count), (other, more)) => (self.0.join(one, other), count + more),
            }
        }
        fn finish(self, (state, count): Self::State, _: usize) -> T {
            if count == 0 { T::of_none() } else { self.0.finish(state, count) }
        }
    }
}

/// The maximum number of lanes. Compilers unroll shorter loops, and do not vectorise unrolled loops.
pub(super) const MOST_LANES: usize = 64;

/// The maximum number of elements per lane in a block. As in numpy, a longer line is halved until each part is such a block.
const IN_LANE: usize = 16;

/// States that begin at a cache line. Loads and stores that cross cache lines take twice as long.
#[repr(align(64))]
struct Aligned<S>(S);

/// The number of rows that are combined per load and store of a state.
const ROWS: usize = 4;

/// Writes a statistic to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number, F: Fold<T>>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let (size, stride, fold) = (size_of::<T>() as isize, pass.stride, F::of(pass.row().computation));
    for side in job.sides().into_iter().flatten() {
        let count = side.count;
        // Short lines are processed together, position by position. A loop per line would cost more time than its few elements.
        let least = if F::LANES == MOST_LANES { 2 * MOST_LANES } else { F::LANES };
        let alone = innermost(pass) && (count >= least || pass.lines.is_empty());
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            let mut results = [const { MaybeUninit::<T>::uninit() }; MOST_LINES];
            let results = &mut results[..lines];
            // SAFETY: the contract of `Job` says that these lines have `count` elements from position `side.from` on.
            unsafe {
                let start = dst.offset(at + side.from as isize * stride);
                if count == 0 {
                    results.fill(MaybeUninit::new(T::of_none()));
                } else if alone && stride == size {
                    each_line(fold, start, size, count, step, results);
                } else if alone {
                    each_line(fold, start, stride, count, step, results);
                } else if step == size {
                    columns(fold, start, stride, count, size, results);
                } else {
                    columns(fold, start, stride, count, step, results);
                }
                // SAFETY: all results are written, and the positions belong to these lines.
                side.write(dst.offset(at), stride, step, results);
            }
        }
    }
}

/// Computes the statistics of several lines, one line after another.
///
/// # Safety
///
/// - Each line has `count` elements, at least one, `stride` bytes apart. Lines are `step` bytes apart, and there is one per
///   result.
#[inline(always)]
unsafe fn each_line<T: Number, F: Fold<T>>(
    fold: F,
    start: *const u8,
    stride: isize,
    count: usize,
    step: isize,
    results: &mut [MaybeUninit<T>],
) {
    for (line, result) in results.iter_mut().enumerate() {
        let mut state = None;
        for from in (0..count).step_by(F::CHUNK) {
            // SAFETY: the caller keeps the contract.
            let chunk = unsafe {
                let at = start.offset(line as isize * step + from as isize * stride);
                halves(fold, at, stride, F::CHUNK.min(count - from))
            };
            state = Some(state.map_or(chunk, |state| fold.join(state, chunk)));
        }
        result.write(fold.finish(state.expect("an element"), count));
    }
}

/// Combines the elements of a line as numpy does: it halves the line until the parts are blocks.
///
/// # Safety
///
/// - The contract of [`each_line`] holds for one line.
#[inline(always)]
unsafe fn halves<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    let is_free = F::LANES == 1 || F::LANES == MOST_LANES;
    let most = if is_free { usize::MAX } else { F::LANES * IN_LANE };
    if count <= most {
        // A short line is one block.
        // SAFETY: the caller keeps the contract.
        return unsafe { block(fold, start, stride, count) };
    }
    // A stack of unfinished halves: the state of the left half, if it is known, and the length of the right half.
    let mut begun = [(None, 0); usize::BITS as usize];
    let (mut depth, mut at, mut len) = (0, 0, count);
    loop {
        while len > most {
            let left = len / 2 / F::LANES * F::LANES;
            begun[depth] = (None, len - left);
            (depth, len) = (depth + 1, left);
        }
        // SAFETY: the caller keeps the contract. The blocks are consecutive parts of the line.
        let mut state = unsafe { block(fold, start.offset(at as isize * stride), stride, len) };
        at += len;
        loop {
            if depth == 0 {
                return state;
            }
            let half = &mut begun[depth - 1];
            let Some(left) = half.0 else {
                *half = (Some(state), half.1);
                len = half.1;
                break;
            };
            state = fold.join(left, state);
            depth -= 1;
        }
    }
}

/// Combines the elements of a block. They are divided into rows, and each row has one element for each lane.
///
/// # Safety
///
/// - The contract of [`each_line`] holds for one line.
#[inline(always)]
unsafe fn block<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    let is_free = F::LANES == MOST_LANES;
    // If the order does not matter, the first row begins at a cache line, because loads across two cache lines take longer.
    let unaligned = if is_free { start.addr().wrapping_neg() % 64 / size_of::<T>() } else { 0 };
    let head = if unaligned + F::LANES <= count { unaligned } else { 0 };
    let rows = (count - head) / F::LANES;
    let mut lanes = Aligned([const { MaybeUninit::uninit() }; MOST_LANES]);
    let lanes = &mut lanes.0;
    // SAFETY: the caller keeps the contract, and `join_rows` writes every lane.
    unsafe {
        let value = |index: usize| fold.first(get(start.offset(index as isize * stride)));
        let (mut state, done) = if rows == 0 || F::LANES == 1 {
            (value(0), 1)
        } else {
            let first = start.offset(head as isize * stride);
            join_rows(fold, first, F::LANES as isize * stride, rows, stride, &mut lanes[..F::LANES]);
            let (mut done, mut left) = (head + rows * F::LANES, F::LANES);
            if is_free {
                for others in [0..head, done..count] {
                    for (lane, index) in lanes.iter_mut().zip(others) {
                        lane.write(fold.join(lane.assume_init(), value(index)));
                    }
                }
                done = count;
            }
            // Each step combines neighbouring lanes, as numpy does. If the order does not matter, it combines the two halves of
            // the lanes instead, which vectors can do.
            while left > 1 {
                left /= 2;
                for lane in 0..left {
                    let (one, other) = if is_free { (lane, lane + left) } else { (2 * lane, 2 * lane + 1) };
                    lanes[lane].write(fold.join(lanes[one].assume_init(), lanes[other].assume_init()));
                }
            }
            (lanes[0].assume_init(), done)
        };
        for index in done..count {
            state = fold.join(state, value(index));
        }
        state
    }
}

/// Computes the statistics of several lines together, position by position.
///
/// # Safety
///
/// - The contract of [`each_line`] holds.
#[inline(always)]
unsafe fn columns<T: Number, F: Fold<T>>(
    fold: F,
    start: *const u8,
    stride: isize,
    count: usize,
    step: isize,
    results: &mut [MaybeUninit<T>],
) {
    let mut states = Aligned([const { MaybeUninit::<F::State>::uninit() }; MOST_LINES]);
    let states = &mut states.0[..results.len()];
    // SAFETY: the caller keeps the contract, and `join_rows` writes every state.
    unsafe {
        join_rows(fold, start, stride, count, step, states);
        for (state, result) in states.iter().zip(results) {
            result.write(fold.finish(state.assume_init(), count));
        }
    }
}

/// Combines rows into one state per column.
///
/// # Safety
///
/// - There is at least one row. Rows are `stride` bytes apart. Each has an element per state, `step` bytes apart.
#[inline(always)]
unsafe fn join_rows<T: Number, F: Fold<T>>(
    fold: F,
    start: *const u8,
    stride: isize,
    count: usize,
    step: isize,
    states: &mut [MaybeUninit<F::State>],
) {
    // SAFETY: the caller keeps the contract.
    let read = |row: usize, column: usize| unsafe {
        fold.first(get::<T>(start.offset(row as isize * stride + column as isize * step)))
    };
    for (column, state) in states.iter_mut().enumerate() {
        state.write(read(0, column));
    }
    let mut row = 1;
    while row < count {
        // SAFETY: the loop above has written every state.
        let states = states.iter_mut().map(|state| unsafe { state.assume_init_mut() }).enumerate();
        if count - row >= ROWS {
            for (column, state) in states {
                let [a, b, c, d] = [0, 1, 2, 3].map(|next| read(row + next, column));
                *state = if F::LANES == MOST_LANES {
                    // To join one row after another would take longer, because each join would wait for the one before it.
                    fold.join(*state, fold.join(fold.join(a, b), fold.join(c, d)))
                } else {
                    [a, b, c, d].into_iter().fold(*state, |state, next| fold.join(state, next))
                };
            }
            row += ROWS;
        } else {
            for (column, state) in states {
                *state = fold.join(*state, read(row, column));
            }
            row += 1;
        }
    }
}
