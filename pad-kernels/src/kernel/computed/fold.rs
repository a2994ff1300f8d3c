//! Computes statistics that combine one element after another: maximum, minimum, mean.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::Number;
use super::{Computation, Job};
use crate::kernel::raw::get;

/// A statistic. Each element becomes a state, and states are joined into one. The state of a mean is a sum.
pub(super) trait Fold<T: Number>: Copy {
    type State: Copy;
    /// The number of numpy's lanes, which are independent states. Element `i` of a block is joined to lane `i % lanes`. It is
    /// `None` if the order of elements does not matter.
    const ORDER: Option<usize>;
    /// The number of lanes that this code uses.
    const LANES: usize = match Self::ORDER {
        Some(lanes) => lanes,
        None if size_of::<T>() < 4 => MOST_LANES,
        None => ROW_BYTES / size_of::<T>(),
    };
    /// The number of elements in a part of a line. The elements of each part are joined first. Then the states of the parts are
    /// joined, one after another.
    const CHUNK: usize = usize::MAX;
    /// Tells whether there is separate code for contiguous elements, which compilers can vectorise.
    const IS_VECTOR: bool = true;

    fn of(computation: Computation) -> Self;
    fn first(self, value: T) -> Self::State;
    fn join(self, state: Self::State, other: Self::State) -> Self::State;
    /// Returns the first of the iterator's states that has the same rank as `state`. All of these states were joined to `state`.
    #[inline(always)]
    fn earliest(self, state: Self::State, _: impl Iterator<Item = Self::State>) -> Self::State {
        state
    }
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
    const ORDER: Option<usize> = None;

    inline! {
        fn of(computation: Computation) -> Extreme {
            Extreme { is_turned: matches!(computation, Computation::Maximum | Computation::NanMaximum) }
        }
        fn first(self, value: T) -> T { value.turned(self.is_turned) }
        fn join(self, state: T, other: T) -> T { state.smaller(other) }
        fn earliest(self, state: T, mut states: impl Iterator<Item = T>) -> T {
            let is_same = |other: &T| *other == state || other.is_nan();
            if state.is_ambiguous() { states.find(is_same).unwrap_or(state) } else { state }
        }
        fn finish(self, state: T, _: usize) -> T { state.turned(self.is_turned) }
    }
}

/// The mean. It adds in numpy's order, so every bit of the result is equal to numpy's.
#[derive(Clone, Copy)]
pub(super) struct Mean;

impl<T: Number> Fold<T> for Mean {
    type State = T::Sum;
    const ORDER: Option<usize> = T::LANES;
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
    const ORDER: Option<usize> = F::ORDER;
    const CHUNK: usize = F::CHUNK;
    const IS_VECTOR: bool = false;

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
        fn earliest(self, state: Self::State, states: impl Iterator<Item = Self::State>) -> Self::State {
            (self.0.earliest(state.0, states.filter(|state| state.1 > 0).map(|state| state.0)), state.1)
        }
        fn finish(self, (state, count): Self::State, _: usize) -> T {
            if count == 0 { T::of_none() } else { self.0.finish(state, count) }
        }
    }
}

/// The maximum number of lanes. Compilers unroll loops over fewer small elements, and do not vectorise unrolled loops.
const MOST_LANES: usize = 64;

/// The bytes of a row, which has one element per lane. Hardware prefetchers do not follow longer rows.
const ROW_BYTES: usize = 256;

/// The maximum number of elements per lane in a block. As in numpy, a longer line is halved until each part fits a block.
const IN_LANE: usize = 16;

/// The number of rows that are joined to a state between the load and the store of this state.
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
        let least = F::ORDER.unwrap_or(2 * MOST_LANES);
        let is_closer = |&(_, step): &(usize, isize)| stride.unsigned_abs() <= step.unsigned_abs();
        let is_alone = pass.lines.last().is_none_or(|lines| count >= least && is_closer(lines));
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            let mut results = [const { MaybeUninit::<T>::uninit() }; MOST_LINES];
            let results = &mut results[..lines];
            // SAFETY: the contract of `Job` says that these lines have `count` elements from position `side.from` on.
            unsafe {
                let start = dst.offset(at + side.from as isize * stride);
                if count == 0 {
                    results.fill(MaybeUninit::new(T::of_none()));
                } else if F::IS_VECTOR && is_alone && stride == size {
                    lines_of((fold, true, count), start, (size, step), results);
                } else if F::IS_VECTOR && !is_alone && step == size {
                    lines_of((fold, false, count), start, (stride, size), results);
                } else {
                    lines_of((fold, is_alone, count), start, (stride, step), results);
                }
                // SAFETY: all results are written, and the positions belong to these lines.
                side.write(dst.offset(at), stride, step, results);
            }
        }
    }
}

/// Computes the statistics of several lines, one line after another (`is_alone`) or position by position.
///
/// # Safety
///
/// - Each line has `count` elements, which are `stride` bytes apart. `count` is at least 1.
/// - Lines are `step` bytes apart, and there is one per result.
#[inline(always)]
unsafe fn lines_of<T: Number, F: Fold<T>>(
    (fold, is_alone, count): (F, bool, usize),
    start: *const u8,
    (stride, step): (isize, isize),
    results: &mut [MaybeUninit<T>],
) {
    let mut states = [const { MaybeUninit::<F::State>::uninit() }; MOST_LINES];
    let states = &mut states[..results.len()];
    // SAFETY: the caller promises that every line has `count` elements. Every state is written before it is read.
    unsafe {
        if is_alone {
            for (line, state) in states.iter_mut().enumerate() {
                for from in (0..count).step_by(F::CHUNK) {
                    let at = start.offset(line as isize * step + from as isize * stride);
                    let chunk = halves(fold, at, stride, F::CHUNK.min(count - from));
                    state.write(if from == 0 { chunk } else { fold.join(state.assume_init(), chunk) });
                }
            }
        } else {
            join_rows(fold, start, stride, count, step, states);
        }
        for (state, result) in states.iter().zip(results) {
            result.write(fold.finish(state.assume_init(), count));
        }
    }
}

/// Combines the elements of a line in numpy's order: halves the line until each part fits a block, then joins the blocks' states.
///
/// # Safety
///
/// - The contract of [`lines_of`] holds for one line.
#[inline(always)]
unsafe fn halves<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    let most = if F::ORDER.is_none() { usize::MAX } else { F::LANES * IN_LANE };
    // `parts` is a stack: the lengths of the parts that are not yet combined. A length of 0 means: join the last two states.
    let mut parts = [const { MaybeUninit::uninit() }; 2 * usize::BITS as usize];
    let mut states = [const { MaybeUninit::uninit() }; usize::BITS as usize];
    let (mut waiting, mut known, mut at) = (1, 0, 0);
    parts[0].write(count);
    while waiting > 0 {
        // SAFETY: the first `waiting` lengths are written.
        let len = unsafe { parts[waiting - 1].assume_init() };
        if len > most {
            let half = len / 2 / F::LANES * F::LANES;
            parts[waiting - 1..][..3].copy_from_slice(&[0, len - half, half].map(MaybeUninit::new));
            waiting += 2;
            continue;
        }
        waiting -= 1;
        // SAFETY: the caller promises `count` elements. The blocks are consecutive parts of them, and each writes a state.
        unsafe {
            if len > 0 {
                states[known].write(block(fold, start.offset(at as isize * stride), stride, len));
                (at, known) = (at + len, known + 1);
            } else {
                known -= 1;
                let joined = fold.join(states[known - 1].assume_init(), states[known].assume_init());
                states[known - 1].write(joined);
            }
        }
    }
    // SAFETY: the states of all blocks are joined to the first one.
    unsafe { states[0].assume_init() }
}

/// Combines the elements of a block. They are divided into rows, and each row has one element for each lane.
///
/// # Safety
///
/// - The contract of [`lines_of`] holds for one line.
#[inline(always)]
unsafe fn block<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    let is_free = F::ORDER.is_none();
    let rows = count / F::LANES;
    let mut lanes = [const { MaybeUninit::uninit() }; MOST_LANES];
    // SAFETY: the caller promises that the block has `count` elements, and `join_rows` writes every lane.
    unsafe {
        let value = |index: usize| fold.first(get(start.offset(index as isize * stride)));
        let (mut state, done) = if rows == 0 {
            (value(0), 1)
        } else {
            join_rows(fold, start, F::LANES as isize * stride, rows, stride, &mut lanes[..F::LANES]);
            let mut left = F::LANES;
            // Each step combines neighbouring lanes, as numpy does. If the order does not matter, it combines the two halves of
            // the lanes instead, which vectors can do.
            while left > 1 {
                left /= 2;
                for lane in 0..left {
                    let (one, other) = if is_free { (lane, lane + left) } else { (2 * lane, 2 * lane + 1) };
                    lanes[lane].write(fold.join(lanes[one].assume_init(), lanes[other].assume_init()));
                }
            }
            (lanes[0].assume_init(), rows * F::LANES)
        };
        for index in done..count {
            state = fold.join(state, value(index));
        }
        fold.earliest(state, (0..count).map(value))
    }
}

/// Combines rows into one state per column.
///
/// # Safety
///
/// - There is at least one row. Rows are `stride` bytes apart. A row has one element per state, and they are `step` bytes apart.
#[inline(always)]
unsafe fn join_rows<T: Number, F: Fold<T>>(
    fold: F,
    start: *const u8,
    stride: isize,
    count: usize,
    step: isize,
    states: &mut [MaybeUninit<F::State>],
) {
    // SAFETY: the caller promises `count` rows with one element per state.
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
                *state = if F::ORDER.is_none() {
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
