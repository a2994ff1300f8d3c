//! Functions for the adjoints that [`fixed_pad!`](crate::fixed_pad) generates. They sum gradients.
//!
//! [`Terms`] lists, for each input element along an axis, the output positions that are copies of the element. For example, reflect mode
//! turns `[a b c]` into `[b a b c b]`. Then the gradient of `b` is the sum of the output's gradient at the positions 0, 2 and 4. A `const`
//! assertion checks that all positions lie on the axis. [`Places`] holds the positions of some elements. Only `Terms` makes such values, so
//! they are always valid.

use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::kernel::adjoint::number::{self, Number};

/// A number whose gradients can be summed.
#[diagnostic::on_unimplemented(
    message = "gradients of `{Self}` cannot be summed",
    label = "`adjoint` takes integers of 8 to 64 bits, floats of 16 to 64 bits and complex numbers"
)]
pub trait Summed: Element {
    /// The type of the sums.
    type Sum: Copy;

    /// The sum of no numbers.
    const NEUTRAL: Self::Sum;

    fn widen(self) -> Self::Sum;
    fn narrow(sum: Self::Sum) -> Self;
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
}

macro_rules! summed {
    ($($type:ty: $number:ident as $sum:ty),*) => {$(
        impl Summed for $type {
            type Sum = $sum;

            const NEUTRAL: $sum = number::$number::NEUTRAL;

            #[inline(always)]
            fn widen(self) -> $sum {
                number::$number::widen(self.to_ne_bytes())
            }

            #[inline(always)]
            fn narrow(sum: $sum) -> Self {
                <$type>::from_ne_bytes(number::$number::narrow(sum))
            }

            #[inline(always)]
            fn add(a: $sum, b: $sum) -> $sum {
                number::$number::add(a, b)
            }
        }
    )*};
}
summed! {
    u8: U8 as u8, u16: U16 as u16, u32: U32 as u32, u64: U64 as u64, f32: F32 as f32, f64: F64 as f64,
    i8: U8 as u8, i16: U16 as u16, i32: U32 as u32, i64: U64 as u64
}
#[cfg(feature = "half")]
summed! { half::f16: F16 as f32, half::bf16: BF16 as f32 }

#[cfg(feature = "num-complex")]
macro_rules! complex {
    ($($part:ty),*) => {$(
        /// Real and imaginary parts are summed separately.
        impl Summed for num_complex::Complex<$part> {
            type Sum = Self;

            const NEUTRAL: Self = Self { re: <$part>::NEUTRAL, im: <$part>::NEUTRAL };

            #[inline(always)]
            fn widen(self) -> Self {
                self
            }

            #[inline(always)]
            fn narrow(sum: Self) -> Self {
                sum
            }

            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                Self { re: a.re + b.re, im: a.im + b.im }
            }
        }
    )*};
}
#[cfg(feature = "num-complex")]
complex!(f32, f64);

/// The sums of `N` consecutive elements.
#[derive(Clone, Copy, Debug)]
pub struct Sums<E: Summed, const N: usize>([E::Sum; N]);

impl<E: Summed, const N: usize> Sums<E, N> {
    /// The sum of no numbers.
    #[inline(always)]
    fn new() -> Self {
        Sums([E::NEUTRAL; N])
    }

    #[inline(always)]
    fn add(&mut self, other: [E::Sum; N]) {
        for (sum, other) in self.0.iter_mut().zip(other) {
            *sum = E::add(*sum, other);
        }
    }
}

/// The output positions that are copies of some consecutive elements. Such elements are called a group.
///
/// Element `i` has `hold` equally spaced positions, and the first one is `at + i * step`. All of these positions occur `times`
/// times. [`Terms::new`] gets the distances.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    at: usize,
    step: isize,
    hold: usize,
    times: usize,
}

impl Term {
    /// Makes a term of a group.
    pub const fn new(at: usize, step: isize, hold: usize, times: usize) -> Term {
        Term { at, step, hold, times }
    }

    /// Tells whether the term has positions, and whether all positions of `count` elements lie on an axis of `out` positions.
    const fn is_on(self, out: usize, count: usize, (apart, period): (usize, usize)) -> bool {
        let Term { at, step, hold, times } = self;
        if count == 0 || hold == 0 || times == 0 {
            return false;
        }
        // The values are converted to `u128`, in which no product of two of them overflows.
        let (at, out) = (at as u128, out as u128);
        let across = step.unsigned_abs() as u128 * (count - 1) as u128;
        let (held, again) = ((hold - 1) as u128 * apart as u128, (times - 1) as u128 * period as u128);
        if at >= out || across >= out || held >= out || again >= out {
            return false;
        }
        let highest = if step > 0 { at + across } else { at };
        (step > 0 || at >= across) && highest + held + again < out
    }
}

/// The terms of a group, the distance of held positions (`apart`), and the distance of repetitions (`period`).
#[derive(Clone, Copy, Debug)]
struct List {
    terms: &'static [Term],
    apart: usize,
    period: usize,
    times: usize,
}

/// The terms of `COUNT` consecutive elements, along an output axis of `OUT` positions.
#[derive(Clone, Copy, Debug)]
pub struct Terms<const OUT: usize, const COUNT: usize>(List);

impl<const OUT: usize, const COUNT: usize> Terms<OUT, COUNT> {
    /// Returns the terms of a group. Held positions are `apart` positions apart, and repetitions are `period` positions apart.
    ///
    /// # Panics
    ///
    /// The call panics if a position is outside of the axis.
    pub const fn new(terms: &'static [Term], apart: usize, period: usize) -> Self {
        let (mut number, mut most) = (0, 0);
        while number < terms.len() {
            assert!(terms[number].is_on(OUT, COUNT, (apart, period)));
            let times = terms[number].times;
            if times > most {
                most = times;
            }
            number += 1;
        }
        Terms(List { terms, apart, period, times: most })
    }

    /// Calls `f` with each element and its positions.
    #[inline(always)]
    pub fn each<R>(&self, dst: &mut [R; COUNT], mut f: impl FnMut(Places<'_, OUT, 1>, &mut R)) {
        for (i, dst) in dst.iter_mut().enumerate() {
            f(Places { list: &self.0, i }, dst);
        }
    }

    /// Computes `LANES` elements at a time and writes them. `f` returns the sums of these elements. Some of the last elements may
    /// be written twice.
    #[inline(always)]
    pub fn write<const LANES: usize, E: Summed>(
        &self,
        dst: &mut [E; COUNT],
        f: impl Fn(Places<'_, OUT, LANES>) -> Sums<E, LANES>,
    ) {
        const { assert!(0 < LANES && LANES <= COUNT) };
        let mut i = 0;
        while i < COUNT {
            i = i.min(COUNT - LANES);
            let sums = f(Places { list: &self.0, i });
            for (dst, sum) in dst[i..i + LANES].iter_mut().zip(sums.0) {
                *dst = E::narrow(sum);
            }
            i += LANES;
        }
    }
}

/// The output positions of `LANES` consecutive elements, beginning with element `i`. All positions lie on an axis of `OUT` positions.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a, const OUT: usize, const LANES: usize> {
    list: &'a List,
    i: usize,
}

impl<const OUT: usize, const LANES: usize> Places<'_, OUT, LANES> {
    /// Calls `f` with each position of the first element, in ascending order, and with the step to the corresponding position of the next
    /// element.
    #[inline(always)]
    fn each(self, mut f: impl FnMut(usize, isize)) {
        let List { terms, apart, period, times } = *self.list;
        for time in 0..times {
            for term in terms.iter().filter(|term| time < term.times) {
                let at = term.at as isize + term.step * self.i as isize;
                let at = at as usize + time * period;
                for held in 0..term.hold {
                    f(at + held * apart, term.step);
                }
            }
        }
    }

    /// Returns the sums of these elements, from a row of the output.
    #[inline(always)]
    pub fn load<E: Summed>(self, row: &[E; OUT]) -> Sums<E, LANES> {
        let mut sums = Sums::new();
        self.each(|at, step| {
            let load = |lane: isize| {
                let at = at.wrapping_add_signed(step * lane);
                debug_assert!(at < OUT);
                // SAFETY: `Terms` has checked that the positions of these elements lie on the axis.
                unsafe { row.get_unchecked(at) }.widen()
            };
            // If the step is a constant, the compiler loads whole registers.
            sums.add(match step {
                1 => core::array::from_fn(|lane| {
                    debug_assert!(at + lane < OUT);
                    // SAFETY: `Terms` has checked that the positions of these elements lie on the axis.
                    unsafe { row.get_unchecked(at + lane) }.widen()
                }),
                _ => core::array::from_fn(|lane| load(lane as isize)),
            });
        });
        sums
    }
}

impl<const OUT: usize> Places<'_, OUT, 1> {
    /// Returns the sums of the results of `f` for the rows at these positions.
    #[inline(always)]
    pub fn fold<R, E: Summed, const N: usize>(
        self,
        rows: &[R; OUT],
        f: impl Fn(&R) -> Sums<E, N>,
    ) -> Sums<E, N> {
        let mut sums = Sums::new();
        self.each(|at, _| {
            debug_assert!(at < OUT);
            // SAFETY: `Terms` has checked that the positions of an element lie on the axis.
            sums.add(f(unsafe { rows.get_unchecked(at) }).0);
        });
        sums
    }
}

/// Copies elements that are `STEP` apart. With `BACK`, the copies are in reverse order.
#[inline(always)]
pub fn gather<const STEP: usize, const BACK: bool, E: Element, const N: usize, const LEN: usize>(
    src: &[E; LEN],
    dst: &mut [E; N],
) {
    const { assert!(N > 0 && (N - 1) * STEP + 1 == LEN) };
    for (i, dst) in dst.iter_mut().enumerate() {
        *dst = src[STEP * if BACK { N - 1 - i } else { i }];
    }
}

/// Runs the function for one item on every item of a batch of gradients.
///
/// # Errors
///
/// [`PadError::BatchLength`] if the output's gradient is not a whole number of items, and [`PadError::GradientLength`] if the
/// input's gradient has another number of items.
#[inline]
pub fn run_adjoint_batch<E, const OUT: usize, const IN: usize>(
    nest: impl Fn(&[E; OUT], &mut [E; IN]),
    grad_out: &[E],
    grad_in: &mut [E],
) -> Result<(), PadError> {
    // For `run_batch`, the output's gradient is the input. The error must therefore name the other operand, or the gradient.
    super::run_batch(nest, grad_out, grad_in).map_err(|error| match error {
        PadError::Length { operand, expected, got } => {
            let operand = if operand == Operand::Input { Operand::Output } else { Operand::Input };
            PadError::GradientLength { operand, expected, got }
        }
        PadError::BatchLength { name, item, got } => {
            let name = if name == "src" { "grad_out" } else { "grad_in" };
            PadError::BatchLength { name, item, got }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check does not overflow, even for the largest numbers.
    #[test]
    fn positions_lie_on_the_axis() {
        const LONG: usize = usize::MAX;
        for (term, apart) in [
            (Term::new(3, 1, 1, 1), (0, 0)),
            (Term::new(1, -1, 1, 1), (0, 0)),
            (Term::new(0, 1, 2, 1), (3, 0)),
            (Term::new(0, 1, 1, 2), (0, 3)),
            (Term::new(0, 1, 0, 1), (0, 0)),
            (Term::new(LONG, 1, 1, 1), (0, 0)),
            (Term::new(0, isize::MIN, 1, 1), (0, 0)),
            (Term::new(0, 1, LONG, LONG), (LONG, LONG)),
            (Term::new(0, 1, LONG, 1), (1 << (usize::BITS - 1), 0)),
            (Term::new(0, 1, 1, LONG), (0, LONG)),
        ] {
            assert!(!term.is_on(5, 3, apart), "{term:?} {apart:?}");
        }
        // If a term has no repetitions, any distance is valid. If there is one element, any step is valid.
        assert!(Term::new(2, 1, 1, 1).is_on(5, 3, (LONG, LONG)));
        assert!(Term::new(0, isize::MIN, 1, 1).is_on(1, 1, (0, 0)));
        assert!(Term::new(2, -1, 2, 2).is_on(5, 3, (1, 1)));
    }
}
