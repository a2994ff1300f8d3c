//! Statistics of the elements that are no NaN.

use core::cell::Cell;

use super::Computation;
use super::fold::Fold;
use super::median::Ranked;

/// A statistic that passes over NaNs: the state is that of the others, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct Present<F>(F);

impl<F: From<Computation>> From<Computation> for Present<F> {
    #[inline(always)]
    fn from(computation: Computation) -> Self {
        Present(F::from(computation))
    }
}

/// Whether a number is none: it is not equal to itself.
#[inline(always)]
#[expect(clippy::eq_op)]
pub(super) fn is_nan<T: PartialEq + Copy>(value: T) -> bool {
    value != value
}

/// A state and its count. The state of none is no matter.
#[inline(always)]
fn counted<P: Copy>(state: [P; 3], count: usize) -> [(P, usize); 3] {
    state.map(|part| (part, count))
}

#[inline(always)]
fn state<P: Copy>(counted: [(P, usize); 3]) -> ([P; 3], usize) {
    (counted.map(|(part, _)| part), counted[0].1)
}

impl<T: Ranked, F: Fold<T>> Fold<T> for Present<F> {
    type Part = (F::Part, usize);
    const PARTS: usize = F::PARTS;
    const IN_ORDER: bool = F::IN_ORDER;

    #[inline(always)]
    fn first(self, value: T) -> [Self::Part; 3] {
        counted(self.0.first(value), usize::from(!is_nan(value)))
    }

    #[inline(always)]
    fn next(self, before: [Self::Part; 3], value: T) -> [Self::Part; 3] {
        match state(before) {
            _ if is_nan(value) => before,
            (_, 0) => counted(self.0.first(value), 1),
            (state, count) => counted(self.0.next(state, value), count + 1),
        }
    }

    #[inline(always)]
    fn join(one: [Self::Part; 3], other: [Self::Part; 3]) -> [Self::Part; 3] {
        match (state(one), state(other)) {
            ((_, 0), _) => other,
            (_, (_, 0)) => one,
            ((one, count), (other, more)) => counted(F::join(one, other), count + more),
        }
    }

    #[inline(always)]
    fn finish(self, all: [Self::Part; 3], _: usize) -> Option<T> {
        match state(all) {
            (_, 0) => Some(T::of_none()),
            (state, count) => self.0.finish(state, count),
        }
    }

    fn again(count: usize, value: &dyn Fn(usize) -> T) -> T {
        let present = (0..count).filter(|&index| !is_nan(value(index))).count();
        // The next one and where it lies, for elements are asked for in order.
        let next = Cell::new((0, 0));
        F::again(present, &|index| {
            let (mut number, mut at) = next.get();
            if number > index {
                (number, at) = (0, 0);
            }
            loop {
                let element = value(at);
                at += 1;
                if is_nan(element) {
                    continue;
                }
                number += 1;
                if number > index {
                    next.set((number, at));
                    return element;
                }
            }
        })
    }

    fn of_none() -> T {
        F::of_none()
    }
}
