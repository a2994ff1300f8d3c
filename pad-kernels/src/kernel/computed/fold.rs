//! Statistics that take one element after the other: maxima, minima, means.

use core::mem::MaybeUninit;
use core::ptr;

use super::lines::{APART, Group, Groups, NEIGHBOURS, Walk};
use super::number::{Brain, Complex, Flag, Half, Number};
use super::{Borders, Job};

/// A statistic of numbers, with a state of up to three parts.
pub(super) trait Fold<T: Number> {
    type Part: Copy;
    /// The parts of a state; the others are of no matter.
    const PARTS: usize;
    /// Whether the order of the elements makes a difference.
    const IN_ORDER: bool;

    fn first(value: T) -> [Self::Part; 3];
    fn next(state: [Self::Part; 3], value: T) -> [Self::Part; 3];
    /// The state of the elements of two.
    fn join(state: [Self::Part; 3], other: [Self::Part; 3]) -> [Self::Part; 3];
    /// The statistic of `count` elements, of which `value` gives each again.
    fn finish(state: [Self::Part; 3], count: usize, value: &dyn Fn(usize) -> T) -> T;
    /// The statistic of no elements.
    fn of_none() -> T;
}

/// Lanes of a line that lies in one piece: more than compilers unroll, for loops that they unroll they do not vectorise.
const LANES: usize = 64;

/// Elements from which a line is worked on in lanes.
const IN_LANES: usize = 2 * LANES;

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
    let size = size_of::<T>();
    // SAFETY: `Job`: elements of the pass are within the memory, and those of the middle written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    let position = |index: usize| index as isize * pass.stride;
    let same = low == high && low == pass.len;
    // Of each side the first element of the statistic, how many, and the positions to write: both at once if they are alike.
    let total = pass.low + pass.len + pass.high;
    let behind = pass.low + pass.len;
    let sides = [
        (pass.low, low, [(0, pass.low), if same { (behind, total) } else { (0, 0) }]),
        (behind - high, high, [(behind, total), (0, 0)]),
    ];
    let in_lanes = |count: usize| !F::IN_ORDER && pass.stride == size as isize && count >= IN_LANES;
    for (from, count, ranges) in &sides[..if same { 1 } else { 2 }] {
        let (from, count) = (position(*from), *count);
        if ranges.iter().all(|(begin, end)| begin == end) {
            continue;
        }
        if in_lanes(count) {
            let mut walk = Walk::new(pass.start, &pass.lines);
            while let Some(at) = walk.next() {
                let element = |index: usize| read(at + from + (index * size) as isize);
                let mut states = States::<F::Part, LANES>::new();
                for lane in 0..LANES {
                    states.set::<T, F>(lane, F::first(element(lane)));
                }
                let rows = count / LANES;
                // SAFETY: `Job`; the states are set.
                unsafe {
                    take::<T, F, LANES>(
                        &mut states,
                        dst.offset(at + from),
                        (LANES * size) as isize,
                        LANES,
                        1..rows,
                    )
                };
                // SAFETY: as above.
                let mut all = unsafe { states.get::<T, F>(0) };
                for lane in 1..LANES {
                    // SAFETY: as above.
                    all = F::join(all, unsafe { states.get::<T, F>(lane) });
                }
                for index in rows * LANES..count {
                    all = F::next(all, element(index));
                }
                let value = F::finish(all, count, &element);
                for &(begin, end) in ranges {
                    // SAFETY: `Job`: positions of a line.
                    unsafe { fill(dst.offset(at + position(begin)), pass.stride, end - begin, value) };
                }
            }
            continue;
        }
        let mut groups = Groups::of(pass, size);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    let mut results = [const { MaybeUninit::<T>::uninit() }; NEIGHBOURS];
                    let mut states = States::<F::Part, NEIGHBOURS>::new();
                    let lines = lines.min(NEIGHBOURS);
                    let at_from = at + from;
                    if count > 0 {
                        for line in 0..lines {
                            states.set::<T, F>(line, F::first(read(at_from + (line * size) as isize)));
                        }
                        // SAFETY: `Job`; the states are set.
                        unsafe {
                            take::<T, F, NEIGHBOURS>(
                                &mut states,
                                dst.offset(at_from),
                                pass.stride,
                                lines,
                                1..count,
                            )
                        };
                    }
                    for (line, result) in results[..lines].iter_mut().enumerate() {
                        result.write(match count {
                            0 => F::of_none(),
                            _ => {
                                let again =
                                    |index: usize| read(at_from + (line * size) as isize + position(index));
                                // SAFETY: there was a first element.
                                F::finish(unsafe { states.get::<T, F>(line) }, count, &again)
                            }
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
                Group::Apart(lines) => {
                    let offsets = &groups.offsets;
                    let mut states = States::<F::Part, APART>::new();
                    let lines = lines.min(APART);
                    for index in 0..count {
                        let row = from + position(index);
                        // The lines that are not there are like the first.
                        let values: [T; APART] = core::array::from_fn(|line| read(offsets[line] + row));
                        for (line, value) in values.into_iter().enumerate() {
                            let state = match index {
                                0 => F::first(value),
                                // SAFETY: set for the first element.
                                _ => F::next(unsafe { states.get::<T, F>(line) }, value),
                            };
                            states.set::<T, F>(line, state);
                        }
                    }
                    for (line, &at) in offsets[..lines].iter().enumerate() {
                        let value = match count {
                            0 => F::of_none(),
                            _ => {
                                let again = |index: usize| read(at + from + position(index));
                                // SAFETY: there was a first element.
                                F::finish(unsafe { states.get::<T, F>(line) }, count, &again)
                            }
                        };
                        for &(begin, end) in ranges {
                            // SAFETY: `Job`: positions of a line.
                            unsafe {
                                fill(dst.offset(at + position(begin)), pass.stride, end - begin, value)
                            };
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
                state = F::next(state, read(next, line));
            }
            states.set::<T, F>(line, state);
        }
        row += ROWS;
    }
    for row in row..rows.end {
        for line in 0..lines {
            // SAFETY: the caller's.
            let state = unsafe { states.get::<T, F>(line) };
            states.set::<T, F>(line, F::next(state, read(row, line)));
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

/// The largest or the smallest number. A NaN is either.
pub(super) trait Extreme: Number {
    const IN_ORDER: bool = false;

    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

pub(super) struct Maximum;
pub(super) struct Minimum;

macro_rules! extremes {
    ($($fold:ident: $function:ident),*) => {$(
        impl<T: Extreme> Fold<T> for $fold {
            type Part = T;
            const PARTS: usize = 1;
            const IN_ORDER: bool = T::IN_ORDER;

            #[inline(always)]
            fn first(value: T) -> [T; 3] {
                [value; 3]
            }

            #[inline(always)]
            fn next([state, ..]: [T; 3], value: T) -> [T; 3] {
                [state.$function(value); 3]
            }

            #[inline(always)]
            fn join([state, ..]: [T; 3], [other, ..]: [T; 3]) -> [T; 3] {
                [state.$function(other); 3]
            }

            #[inline(always)]
            fn finish([state, ..]: [T; 3], _: usize, _: &dyn Fn(usize) -> T) -> T {
                state
            }

            fn of_none() -> T {
                unreachable!("a plan refuses extremes of nothing")
            }
        }
    )*};
}
extremes!(Maximum: larger, Minimum: smaller);

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Extreme for $type {
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Extreme for Flag {
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Flag::new(self.get() || other.get())
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Flag::new(self.get() && other.get())
    }
}

/// Of floats that are equal, as zeros of both signs are, the bits that either has: in any order the same. Those of a NaN and another
/// number are a NaN.
macro_rules! floats {
    ($($type:ty, $sign:literal, $value:ident => $number:expr;)*) => {$(
        impl Extreme for $type {
            /// The minimum of the numbers of other signs.
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                let turned = |number: Self| <$type>::from_bits(number.to_bits() ^ $sign);
                turned(turned(self).smaller(turned(other)))
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                let number = |$value: $type| $number;
                let (a, b) = (number(self), number(other));
                let either = <$type>::from_bits(self.to_bits() | other.to_bits());
                let unless_less = if b < a { other } else { either };
                if a < b { self } else { unless_less }
            }
        }
    )*};
}
floats! {
    f64, 0x8000_0000_0000_0000, value => value;
    f32, 0x8000_0000, value => value;
    Half, 0x8000, value => value.widen();
    Brain, 0x8000, value => value.widen();
}

macro_rules! complex {
    ($($type:ty),*) => {$(
        /// In the order of real parts, and of imaginary parts where those are equal. The first number with a NaN stays.
        impl Extreme for Complex<$type> {
            const IN_ORDER: bool = true;

            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                let (a, b) = (self, other);
                let first = a.re > b.re && !a.im.is_nan() && !b.im.is_nan() || a.re == b.re && a.im >= b.im;
                if a.re.is_nan() || a.im.is_nan() || first { a } else { b }
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
