//! Defines the errors of methods that pad arrays.

use alloc::vec::Vec;
use core::fmt;

use crate::dialect::DialectError;
use crate::error::PadError;

/// Says why an array cannot be padded. A call that returns an error has written nothing.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum PadArrayError {
    /// The number of widths is not the number of axes, or a width is negative.
    Width(DialectError),
    /// NumPy refuses the call.
    Call(DialectError),
    /// The request is impossible.
    Pad(PadError),
    /// The array has another shape than the plan needs.
    InputShape {
        /// The shape of the plan.
        expected: Vec<usize>,
        /// The shape of the array.
        got: Vec<usize>,
    },
    /// The array is too short to contain its borders.
    Narrow {
        /// The axis.
        axis: usize,
        /// The length of the axis.
        length: usize,
        /// The sum of the widths of its two borders.
        borders: i128,
    },
    /// The output has another shape than the result.
    OutputShape {
        /// The shape of the result.
        expected: Vec<usize>,
        /// The shape of the output.
        got: Vec<usize>,
    },
}

impl From<PadError> for PadArrayError {
    fn from(error: PadError) -> Self {
        PadArrayError::Pad(error)
    }
}

impl fmt::Display for PadArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PadArrayError::Width(error @ DialectError::NegativePad { .. }) => {
                write!(f, "{error}: use pad_with_spec to remove elements")
            }
            PadArrayError::Width(error) | PadArrayError::Call(error) => error.fmt(f),
            PadArrayError::Pad(error) => error.fmt(f),
            PadArrayError::InputShape { expected, got } => {
                write!(f, "the plan was made for shape {expected:?}, but the array has {got:?}")
            }
            PadArrayError::Narrow { axis, length, borders } => {
                write!(
                    f,
                    "axis {axis} has length {length}, which leaves no element inside borders of {borders}"
                )
            }
            PadArrayError::OutputShape { expected, got } => {
                write!(f, "the result has shape {expected:?}, but the output has {got:?}")
            }
        }
    }
}

/// Writes the message.
impl fmt::Debug for PadArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for PadArrayError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PadArrayError::Width(error) | PadArrayError::Call(error) => Some(error),
            PadArrayError::Pad(error) => Some(error),
            PadArrayError::InputShape { .. }
            | PadArrayError::Narrow { .. }
            | PadArrayError::OutputShape { .. } => None,
        }
    }
}
