//! Prints a plan in one line of text.

use core::fmt;

use super::{AdjointPlan, BorderPlan, Executor, PadPlan};
use crate::dtype::ElementSize;
use crate::plan::Geometry;

/// Writes the element type and the shapes, such as `f32 [2, 3] -> [4, 5]`.
impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.dtype(), self.layout) {
            (Some(dtype), _) => write!(f, "{dtype}")?,
            (None, ElementSize::Bytes(bytes)) => write!(f, "elements of {bytes} bytes")?,
            (None, _) => f.write_str("cloned elements")?,
        }
        write!(f, " {:?} -> {:?}", self.input.shape, self.output.shape)
    }
}

/// Writes the element type, the shapes, the mode of the first border, and what runs.
///
/// An example is `f32 [2, 3] -> [4, 5], edge, r2_edge_bytes_avx2`.
impl fmt::Display for PadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.geometry)?;
        match self.executor() {
            Executor::Empty => f.write_str("nothing to write"),
            Executor::Copy => f.write_str("one copy"),
            Executor::Moves { kernel, count } => {
                write!(f, "{}, {count} moves of {}", self.mode(), kernel.name())
            }
            Executor::Nest(kernel) => write!(f, "{}, {}", self.mode(), kernel.name()),
            Executor::AnyRank => write!(f, "{}, any rank", self.mode()),
        }
    }
}

impl fmt::Debug for PadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PadPlan({self})")
    }
}

impl fmt::Debug for AdjointPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AdjointPlan({}, {})", self.geometry, self.kernel().name())
    }
}

impl fmt::Debug for BorderPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BorderPlan({}, {}, sides {:?})", self.geometry, self.spec, self.sides)
    }
}
