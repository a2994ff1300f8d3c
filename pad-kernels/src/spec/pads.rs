//! The numbers of elements to add to all axes of a request.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::AxisPad;

/// Holds the numbers of elements to add to all axes. A single entry is for all axes, and a longer list has one entry per axis.
///
/// | written | meaning |
/// |---|---|
/// | `3` | 3 elements on both sides of every axis |
/// | `(1, 2)` | 1 element before and 2 after, on every axis |
/// | `[(1, 2)]` | 1 element before and 2 after, on every axis |
/// | `[(0, 0), (1, 2)]` | nothing on axis 0, 1 before and 2 after on axis 1 |
/// | `[(0, 0), (1, 2, 3)]` | nothing on axis 0, 1 before and 2 after on axis 1, and 3 between each two neighbours of axis 1 |
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad};
/// let spec = PadSpec::new(PadMode::Edge, 1);
/// assert_eq!(pad(&[1, 2], &[2], &spec)?, [1, 1, 2, 2]);
/// assert_eq!(pad(&[7], &[1, 1], &spec)?, [7; 9]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pads(pub(super) SmallVec<[AxisPad; 6]>);

impl From<i64> for Pads {
    fn from(width: i64) -> Self {
        AxisPad::new(width, width).into()
    }
}

impl From<AxisPad> for Pads {
    fn from(pad: AxisPad) -> Self {
        [pad].into()
    }
}

impl From<(i64, i64)> for Pads {
    fn from(pad: (i64, i64)) -> Self {
        AxisPad::from(pad).into()
    }
}

impl From<(i64, i64, u64)> for Pads {
    fn from(pad: (i64, i64, u64)) -> Self {
        AxisPad::from(pad).into()
    }
}

impl<A: Into<AxisPad>> FromIterator<A> for Pads {
    fn from_iter<I: IntoIterator<Item = A>>(axes: I) -> Self {
        Pads(axes.into_iter().map(Into::into).collect())
    }
}

impl<A: Into<AxisPad>, const N: usize> From<[A; N]> for Pads {
    fn from(axes: [A; N]) -> Self {
        axes.into_iter().collect()
    }
}

impl<A: Into<AxisPad>> From<Vec<A>> for Pads {
    fn from(axes: Vec<A>) -> Self {
        axes.into_iter().collect()
    }
}

impl<A: Into<AxisPad> + Copy> From<&[A]> for Pads {
    fn from(axes: &[A]) -> Self {
        axes.iter().copied().collect()
    }
}
