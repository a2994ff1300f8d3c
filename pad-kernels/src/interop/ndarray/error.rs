//! Errors of padding an array.

use alloc::vec::Vec;
use core::fmt;

use crate::dialect::DialectError;
use crate::error::PadError;

/// Why an array was not padded.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum PadArrayError {
    /// The number of widths does not fit the number of axes, or one width is negative.
    Width(DialectError),
    /// NumPy refuses such a call.
    Call(DialectError),
    /// The request cannot be fulfilled.
    Pad(PadError),
    /// The array has another shape than the plan was made for.
    InputShape {
        /// The plan's shape.
        expected: Vec<usize>,
        /// The array's shape.
        got: Vec<usize>,
    },
    /// The array is too short to contain its borders.
    Narrow {
        /// The axis.
        axis: usize,
        /// Its length.
        length: usize,
        /// What its two borders come to.
        borders: i128,
    },
    /// The output has another shape than the result.
    OutputShape {
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's shape.
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
                write!(f, "{error}: pad_with_spec takes requests that remove")
            }
            PadArrayError::Width(error) | PadArrayError::Call(error) => error.fmt(f),
            PadArrayError::Pad(error) => error.fmt(f),
            PadArrayError::InputShape { expected, got } => {
                write!(f, "the plan was made for shape {expected:?}, but the array has {got:?}")
            }
            PadArrayError::Narrow { axis, length, borders } => {
                write!(f, "axis {axis} has length {length}, which leaves no room for borders of {borders}")
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
