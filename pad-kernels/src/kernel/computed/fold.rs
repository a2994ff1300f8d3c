//! Statistics that take one element after the other: maxima, minima, means.

use core::mem::MaybeUninit;
use core::ptr;

use super::lines::{APART, Group, Groups, NEIGHBOURS, Repeated, bundled};
use super::number::{Brain, Complex, Flag, Half, Number};
use super::{Borders, Computation, Job};

/// A statistic of numbers, with a state of up to three parts.
pub(super) trait Fold<T: Number>: Copy + From<Computation> {
    type Part: Copy;
    /// The parts of a state; the others are of no matter.
    const PARTS: usize;
    /// Whether the order of the elements makes a difference.
    const IN_ORDER: bool;

    fn first(self, value: T) -> [Self::Part; 3];
    fn next(self, state: [Self::Part; 3], value: T) -> [Self::Part; 3];
    /// The state of the elements of two.
    fn join(state: [Self::Part; 3], other: [Self::Part; 3]) -> [Self::Part; 3];
    /// The statistic of `count` elements, if the state tells it.
    fn finish(self, state: [Self::Part; 3], count: usize) -> Option<T>;
    /// The statistic of `count` elements if the state does not tell it, from the elements.
    fn again(count: usize, value: &dyn Fn(usize) -> T) -> T;
    /// The statistic of no elements.
    fn of_none() -> T;
}

/// Lanes of a line that lies in one piece: more than compilers unroll, for loops that they unroll they do not vectorise.
const LANES: usize = 64;

/// Elements from which a bundle of lines is worked on in lanes.
const IN_LANES: usize = 2 * LANES;

/// Neighbouring elements that are made in registers, and written together.
pub(super) const PIECE: usize = 8;

/// States of several lines, part by part.
struct States<P, const N: usize>([[MaybeUninit<P>; N]; 3]);

impl<P: Copy, const N: usize> States<P, N> {
    #[inline(always)]
    fn new() -> Self {
        States([[const { MaybeUninit::uninit() }; N]; 3])
    }

    #[inline(always)]
    fn set<T: Number, F: Fold<T, Part = P>>(&mut self, line: usize, state: [P; 3]) {
        for (parts, part) in self.0[..F::PARTS].iter_mut().zip(state) {
            parts[line].write(part);
        }
    }

    /// # Safety
    ///
    /// - The state of the line was set.
    #[inline(always)]
    unsafe fn get<T: Number, F: Fold<T, Part = P>>(&self, line: usize) -> [P; 3] {
        // SAFETY: the caller's; parts that were not set are not asked for.
        let part =
            |part: usize| unsafe { self.0[if part < F::PARTS { part } else { 0 }][line].assume_init() };
        [part(0), part(1), part(2)]
    }
}

/// Writes a statistic to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number, F: Fold<T>>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let &Borders::Statistic { low, high } = &pass.borders else { unreachable!("a statistic's borders") };
    let (size, fold) = (size_of::<T>(), F::from(pass.row().computation));
    // SAFETY: `Job`: elements of the pass are within the memory, and those of the middle written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // A copy: what is written through `dst` could be the pass, for all that the compiler knows.
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let same = low == high && low == pass.len;
    // Of each side the first element of the statistic, how many, and the positions to write: both at once if they are alike.
    let total = pass.low + pass.len + pass.high;
    let behind = pass.low + pass.len;
    let sides = [
        (pass.low, low, [(0, pass.low), if same { (behind, total) } else { (0, 0) }]),
        (behind - high, high, [(behind, total), (0, 0)]),
    ];
    let in_lanes = !F::IN_ORDER && bundled(pass, size) == Some(1);
    for (from, count, ranges) in &sides[..if same { 1 } else { 2 }] {
        let (from, count) = (position(*from), *count);
        if ranges.iter().all(|(begin, end)| begin == end) {
            continue;
        }
        let mut groups = Groups::of(pass, size, in_lanes && count >= IN_LANES);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    let mut results = [const { MaybeUninit::<T>::uninit() }; NEIGHBOURS];
                    let mut states = States::<F::Part, NEIGHBOURS>::new();
                    let lines = lines.min(NEIGHBOURS);
                    let at_from = at + from;
                    if count > 0 {
                        for line in 0..lines {
                            states.set::<T, F>(line, fold.first(read(at_from + (line * size) as isize)));
                        }
                        // SAFETY: `Job`; the states are set.
                        unsafe {
                            take::<T, F, NEIGHBOURS>(
                                fold,
                                &mut states,
                                dst.offset(at_from),
                                stride,
                                lines,
                                1..count,
                            )
                        };
                    }
                    for (line, result) in results[..lines].iter_mut().enumerate() {
                        result.write(match count {
                            0 => F::of_none(),
                            // SAFETY: there was a first element.
                            _ => match fold.finish(unsafe { states.get::<T, F>(line) }, count) {
                                Some(value) => value,
                                None => {
                                    let at = at_from + (line * size) as isize;
                                    F::again(count, &|index: usize| read(at + position(index)))
                                }
                            },
                        });
                    }
                    for &(begin, end) in ranges {
                        for index in begin..end {
                            // SAFETY: so many neighbouring lines have an element each at the position; the results are all written.
                            unsafe {
                                let to = dst.offset(at + position(index));
                                ptr::copy_nonoverlapping(results.as_ptr().cast::<u8>(), to, lines * size);
                            }
                        }
                    }
                }
                Group::Bundles(at, _, Repeated { count: lines, step }) => {
                    let rows = count / LANES;
                    for line in 0..lines as isize {
                        let at = at + line * step;
                        let element = |index: usize| read(at + from + (index * size) as isize);
                        let mut states = States::<F::Part, LANES>::new();
                        for lane in 0..LANES {
                            states.set::<T, F>(lane, fold.first(element(lane)));
                        }
                        let row = (LANES * size) as isize;
                        // SAFETY: `Job`; the states are set.
                        unsafe {
                            take::<T, F, LANES>(fold, &mut states, dst.offset(at + from), row, LANES, 1..rows)
                        };
                        let mut half = LANES / 2;
                        while half > 0 {
                            for lane in 0..half {
                                // SAFETY: as above.
                                let (one, other) =
                                    unsafe { (states.get::<T, F>(lane), states.get::<T, F>(lane + half)) };
                                states.set::<T, F>(lane, F::join(one, other));
                            }
                            half /= 2;
                        }
                        // SAFETY: as above.
                        let mut all = unsafe { states.get::<T, F>(0) };
                        for index in rows * LANES..count {
                            all = fold.next(all, element(index));
                        }
                        let value = match fold.finish(all, count) {
                            Some(value) => value,
                            None => F::again(count, &element),
                        };
                        for &(begin, end) in ranges {
                            // SAFETY: `Job`: positions of a line.
                            unsafe { fill(dst.offset(at + position(begin)), stride, end - begin, value) };
                        }
                    }
                }
                Group::Apart(lines) => {
                    let offsets = &groups.offsets;
                    let mut states = States::<F::Part, APART>::new();
                    let lines = lines.min(APART);
                    let mut values = [const { MaybeUninit::<T>::uninit() }; APART];
                    for index in 0..count {
                        let row = from + position(index);
                        for (value, at) in values[..lines].iter_mut().zip(offsets) {
                            value.write(read(at + row));
                        }
                        for (line, value) in values[..lines].iter().enumerate() {
                            // SAFETY: written just now.
                            let value = unsafe { value.assume_init() };
                            let state = match index {
                                0 => fold.first(value),
                                // SAFETY: set for the first element.
                                _ => fold.next(unsafe { states.get::<T, F>(line) }, value),
                            };
                            states.set::<T, F>(line, state);
                        }
                    }
                    for (line, &at) in offsets[..lines].iter().enumerate() {
                        let value = match count {
                            0 => F::of_none(),
                            // SAFETY: there was a first element.
                            _ => match fold.finish(unsafe { states.get::<T, F>(line) }, count) {
                                Some(value) => value,
                                None => F::again(count, &|index: usize| read(at + from + position(index))),
                            },
                        };
                        for &(begin, end) in ranges {
                            // SAFETY: `Job`: positions of a line.
                            unsafe { fill(dst.offset(at + position(begin)), stride, end - begin, value) };
                        }
                    }
                }
            }
        }
    }
}

/// Has the states of neighbouring lines take their elements of some rows, which are `step` bytes apart.
///
/// # Safety
///
/// - So many elements lie at each of the rows from `start` on.
/// - The states of so many lines are set.
#[inline(always)]
unsafe fn take<T: Number, F: Fold<T>, const N: usize>(
    fold: F,
    states: &mut States<F::Part, N>,
    start: *const u8,
    step: isize,
    lines: usize,
    rows: core::ops::Range<usize>,
) {
    // So many rows in one go: a state is loaded and stored once for all of them.
    const ROWS: usize = 4;
    // SAFETY: the caller's.
    let read = |row: usize, line: usize| unsafe {
        start.offset(row as isize * step).add(line * size_of::<T>()).cast::<T>().read_unaligned()
    };
    let mut row = rows.start;
    while row + ROWS <= rows.end {
        for line in 0..lines {
            // SAFETY: the caller's.
            let mut state = unsafe { states.get::<T, F>(line) };
            for next in row..row + ROWS {
                state = fold.next(state, read(next, line));
            }
            states.set::<T, F>(line, state);
        }
        row += ROWS;
    }
    for row in row..rows.end {
        for line in 0..lines {
            // SAFETY: the caller's.
            let state = unsafe { states.get::<T, F>(line) };
            states.set::<T, F>(line, fold.next(state, read(row, line)));
        }
    }
}

/// Writes a value to so many positions.
///
/// # Safety
///
/// - Each of `count` elements, the first at `to` and each `stride` bytes behind the one before, lies in memory that may be written.
#[inline(always)]
pub(super) unsafe fn fill<T: Number>(to: *mut u8, stride: isize, count: usize, value: T) {
    const CHUNK: usize = 16;
    let bytes = count * size_of::<T>();
    if stride == size_of::<T>() as isize && bytes >= CHUNK && CHUNK.is_multiple_of(size_of::<T>()) {
        let values = [value; CHUNK];
        let chunk = |at: usize| {
            // SAFETY: within the positions, which are neighbours. A chunk is whole elements, and more are there to copy from.
            unsafe { ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), to.add(at), CHUNK) }
        };
        let mut at = 0;
        while at + CHUNK < bytes {
            chunk(at);
            at += CHUNK;
        }
        chunk(bytes - CHUNK);
    } else {
        for index in 0..count {
            // SAFETY: the caller's.
            unsafe { to.offset(index as isize * stride).cast::<T>().write_unaligned(value) };
        }
    }
}

/// Numbers of which one is the smallest. A NaN is that.
pub(super) trait Ordered: Number {
    const IN_ORDER: bool = false;

    fn smaller(self, other: Self) -> Self;
    /// What has the place of the number in the order that is turned round, or the number. Turned twice it is itself.
    fn turned(self, is_turned: bool) -> Self;
}

/// The smallest number, or the largest: that is the smallest in the order that is turned round. Both are one kernel.
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
    type Part = T;
    const PARTS: usize = 1;
    const IN_ORDER: bool = T::IN_ORDER;

    #[inline(always)]
    fn first(self, value: T) -> [T; 3] {
        [value.turned(self.is_turned); 3]
    }

    #[inline(always)]
    fn next(self, [state, ..]: [T; 3], value: T) -> [T; 3] {
        [state.smaller(value.turned(self.is_turned)); 3]
    }

    #[inline(always)]
    fn join([state, ..]: [T; 3], [other, ..]: [T; 3]) -> [T; 3] {
        [state.smaller(other); 3]
    }

    #[inline(always)]
    fn finish(self, [value, ..]: [T; 3], _: usize) -> Option<T> {
        Some(value.turned(self.is_turned))
    }

    fn again(_: usize, _: &dyn Fn(usize) -> T) -> T {
        unreachable!("the state is the extreme")
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

/// The bits that either of two choices has, each of which is one number if it is smaller and else the other one: the same but for
/// zeros of both signs, of which it is the negative one, and for a NaN, which stays one.
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
        /// In the order of real parts, and of imaginary parts where those are equal. The first number with a NaN stays.
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
