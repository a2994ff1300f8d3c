//! Statistics that ignore NaNs.

use super::Computation;
use super::fold::Fold;
use super::median::Ranked;

/// A statistic that ignores NaNs. Its state is the state of the other elements and their number.
#[derive(Clone, Copy)]
pub(super) struct Present<F>(F);

impl<F: From<Computation>> From<Computation> for Present<F> {
    #[inline(always)]
    fn from(computation: Computation) -> Self {
        Present(F::from(computation))
    }
}

/// Tells whether a number is NaN. A NaN is not equal to itself.
#[inline(always)]
#[expect(clippy::eq_op)]
pub(super) fn is_nan<T: PartialEq + Copy>(value: T) -> bool {
    value != value
}

impl<T: Ranked, F: Fold<T>> Fold<T> for Present<F> {
    /// If this number is 0, the first part has no meaning.
    type State = (F::State, usize);
    const LANES: usize = F::LANES;
    const CHUNK: usize = F::CHUNK;

    #[inline(always)]
    fn first(self, value: T) -> Self::State {
        (self.0.first(value), usize::from(!is_nan(value)))
    }

    #[inline(always)]
    fn join(self, one: Self::State, other: Self::State) -> Self::State {
        match (one, other) {
            ((_, 0), _) => other,
            (_, (_, 0)) => one,
            ((one, count), (other, more)) => (self.0.join(one, other), count + more),
        }
    }

    #[inline(always)]
    fn finish(self, (state, count): Self::State, _: usize) -> T {
        if count == 0 { T::of_none() } else { self.0.finish(state, count) }
    }

    fn of_none() -> T {
        F::of_none()
    }
}
