//! Statistics that combine one element after another: maximum, minimum, mean.
//!
//! A line is all positions along the padded axis, for one index of the other axes.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES, innermost};
use super::number::{Brain, Complex, Flag, Half, Number};
use super::{Computation, Job};

/// A statistic. It joins elements to a state. For example, the state of a mean is a sum.
pub(super) trait Fold<T: Number>: Copy + From<Computation> {
    type State: Copy;
    /// The number of states per line. The elements of a line are distributed to these states in turn, and each state is called a lane.
    ///
    /// It is [`MOST_LANES`] if the order of the additions does not matter, and 1 if their order must be kept. Otherwise it is numpy's
    /// number.
    const LANES: usize;
    /// The length of the parts of a line. Each part is combined separately. Then the states of the parts are combined in order.
    const CHUNK: usize = usize::MAX;

    fn first(self, value: T) -> Self::State;
    fn join(self, state: Self::State, other: Self::State) -> Self::State;
    /// Returns the statistic of `count` elements. There is at least one.
    fn finish(self, state: Self::State, count: usize) -> T;
    /// Returns the statistic of no elements.
    fn of_none() -> T;
}

/// The maximum number of lanes. Compilers unroll shorter loops, but they do not vectorise unrolled loops.
pub(super) const MOST_LANES: usize = 64;

/// The maximum number of elements per lane in a block. As in numpy, a longer line is halved until each part is a block.
const IN_LANE: usize = 16;

/// The number of positions for which the state of a line is loaded and stored once.
const ROWS: usize = 4;

/// Writes a statistic to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number, F: Fold<T>>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let (size, fold) = (size_of::<T>(), F::from(pass.row().computation));
    let stride = pass.stride;
    let is_inner = innermost(pass);
    for side in job.sides().into_iter().flatten() {
        let (from, count) = (side.from as isize * stride, side.count);
        // Short lines are combined position by position, because a loop per line would cost more than its elements.
        let least = if F::LANES == MOST_LANES { 2 * MOST_LANES } else { F::LANES };
        let alone = is_inner && (count >= least || pass.lines.is_empty());
        let mut groups = Groups::of(pass, size);
        while let Some(Group { at, lines, step }) = groups.next() {
            let mut results = [const { MaybeUninit::<T>::uninit() }; MOST_LINES];
            let results = &mut results[..lines];
            // SAFETY: the contract of `Job` says that each of these lines has `count` elements.
            unsafe {
                let start = dst.offset(at + from);
                if count == 0 {
                    results.fill(MaybeUninit::new(F::of_none()));
                } else if alone && stride == size as isize {
                    each_line(fold, start, size as isize, count, step, results);
                } else if alone {
                    each_line(fold, start, stride, count, step, results);
                } else if step == size as isize {
                    columns(fold, start, stride, count, size as isize, results);
                } else {
                    columns(fold, start, stride, count, step, results);
                }
                // SAFETY: the results are written, and the positions belong to these lines.
                side.write(dst.offset(at), stride, step, results);
            }
        }
    }
}

/// Computes the statistics of several lines, one line after another.
///
/// # Safety
///
/// - Each line has `count` elements, at least one, which are `stride` bytes apart. Lines are `step` bytes apart, and there is one result
///   per line.
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

/// Combines the elements of a line as numpy does: the function halves the line until the parts are blocks.
///
/// # Safety
///
/// - The contract of [`each_line`] holds for one line.
#[inline(always)]
unsafe fn halves<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    let is_free = F::LANES == 1 || F::LANES == MOST_LANES;
    let most = if is_free { usize::MAX } else { F::LANES * IN_LANE };
    // A stack of unfinished halves. An entry holds the state of the left half, if it is known, and the length of the right half.
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

/// Combines the elements of a block, which are distributed to lanes.
///
/// # Safety
///
/// - The contract of [`each_line`] holds for one line.
#[inline(always)]
unsafe fn block<T: Number, F: Fold<T>>(fold: F, start: *const u8, stride: isize, count: usize) -> F::State {
    // SAFETY: the caller keeps the contract.
    let read = |index: usize| unsafe { start.offset(index as isize * stride).cast::<T>().read_unaligned() };
    let rows = count / F::LANES;
    let (mut state, done) = if rows == 0 || F::LANES == 1 {
        (fold.first(read(0)), 1)
    } else {
        let mut lanes = [fold.first(read(0)); MOST_LANES];
        for (lane, state) in lanes[..F::LANES].iter_mut().enumerate() {
            *state = fold.first(read(lane));
        }
        for row in 1..rows {
            // The loop changes a copy. If it changed the states in place, compilers would store them one by one.
            let mut next = lanes;
            for (lane, state) in next[..F::LANES].iter_mut().enumerate() {
                *state = fold.join(lanes[lane], fold.first(read(row * F::LANES + lane)));
            }
            lanes = next;
        }
        // Each step combines neighbouring lanes.
        let mut left = F::LANES;
        while left > 1 {
            left /= 2;
            for lane in 0..left {
                lanes[lane] = fold.join(lanes[2 * lane], lanes[2 * lane + 1]);
            }
        }
        (lanes[0], rows * F::LANES)
    };
    for index in done..count {
        state = fold.join(state, fold.first(read(index)));
    }
    state
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
    let lines = results.len();
    // SAFETY: the caller keeps the contract.
    let read = |row: usize, line: usize| unsafe {
        start.offset(row as isize * stride + line as isize * step).cast::<T>().read_unaligned()
    };
    let mut states = [const { MaybeUninit::<F::State>::uninit() }; MOST_LINES];
    let states = &mut states[..lines];
    for (line, state) in states.iter_mut().enumerate() {
        state.write(fold.first(read(0, line)));
    }
    let mut row = 1;
    while row < count {
        let rows = if count - row >= ROWS { ROWS } else { 1 };
        for (line, state) in states.iter_mut().enumerate() {
            // SAFETY: the loop above has written every state.
            let mut joined = unsafe { state.assume_init() };
            if rows == ROWS {
                for next in row..row + ROWS {
                    joined = fold.join(joined, fold.first(read(next, line)));
                }
            } else {
                joined = fold.join(joined, fold.first(read(row, line)));
            }
            state.write(joined);
        }
        row += rows;
    }
    for (state, result) in states.iter().zip(results) {
        // SAFETY: the loop above has written every state.
        result.write(fold.finish(unsafe { state.assume_init() }, count));
    }
}

/// A number type with an order. A NaN is smaller than any number.
pub(super) trait Ordered: Number {
    const IN_ORDER: bool = false;

    fn smaller(self, other: Self) -> Self;
    /// Returns the number that has the opposite rank, if `is_turned`, and otherwise `self`. Two reversals cancel each other.
    fn turned(self, is_turned: bool) -> Self;
}

/// The minimum, or the maximum, which is the minimum in reverse order. One kernel serves both.
#[derive(Clone, Copy)]
pub(super) struct Extreme {
    is_turned: bool,
}

impl From<Computation> for Extreme {
    #[inline(always)]
    fn from(computation: Computation) -> Extreme {
        Extreme { is_turned: matches!(computation, Computation::Maximum | Computation::NanMaximum) }
    }
}

impl<T: Ordered> Fold<T> for Extreme {
    type State = T;
    const LANES: usize = if T::IN_ORDER { 1 } else { MOST_LANES };

    #[inline(always)]
    fn first(self, value: T) -> T {
        value.turned(self.is_turned)
    }

    #[inline(always)]
    fn join(self, state: T, other: T) -> T {
        state.smaller(other)
    }

    #[inline(always)]
    fn finish(self, state: T, _: usize) -> T {
        state.turned(self.is_turned)
    }

    fn of_none() -> T {
        unreachable!("a plan refuses extremes of nothing")
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline(always)]
            fn turned(self, is_turned: bool) -> Self {
                self ^ <$type>::from(is_turned).wrapping_neg()
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Ordered for Flag {
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Flag::new(self.get() && other.get())
    }

    #[inline(always)]
    fn turned(self, is_turned: bool) -> Self {
        Flag::new(self.get() != is_turned)
    }
}

/// Implements the minimum without branches, as the bitwise "or" of two selections.
///
/// Each selection is the smaller number, except in two cases. If both numbers are zeros, the negative one wins. A NaN stays a NaN.
macro_rules! floats {
    ($($type:ty, $bits:ty, $value:ident => $number:expr;)*) => {$(
        impl Ordered for $type {
            #[inline(always)]
            fn turned(self, is_turned: bool) -> Self {
                <$type>::from_bits(self.to_bits() ^ <$bits>::from(is_turned) << (<$bits>::BITS - 1))
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                let number = |$value: $type| $number;
                let (a, b) = (number(self), number(other));
                let (one, another) = (if a < b { self } else { other }, if b < a { other } else { self });
                <$type>::from_bits(one.to_bits() | another.to_bits())
            }
        }
    )*};
}
floats! {
    f64, u64, value => value;
    f32, u32, value => value;
    Half, u16, value => value.widen();
    Brain, u16, value => value.widen();
}

macro_rules! complex {
    ($($type:ty),*) => {$(
        /// Compares the real parts, and the imaginary parts if the real parts are equal. The first number with a NaN wins.
        impl Ordered for Complex<$type> {
            const IN_ORDER: bool = true;

            #[inline(always)]
            fn turned(self, is_turned: bool) -> Self {
                Complex { re: self.re.turned(is_turned), im: self.im.turned(is_turned) }
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                let (a, b) = (self, other);
                let first = a.re < b.re && !a.im.is_nan() && !b.im.is_nan() || a.re == b.re && a.im <= b.im;
                if a.re.is_nan() || a.im.is_nan() || first { a } else { b }
            }
        }
    )*};
}
complex!(f64, f32);
