//! What a system refuses, one variant a rule.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::dtype::DType;
use crate::error::PadError;
use crate::spec::{AxisPad, PadMode};

/// Why a system refuses a request. Names are those of the system's own attributes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DialectError {
    /// A rule that all systems share.
    Pad(PadError),
    /// The element type has no [`DType`], so no system has a rule for it.
    Untagged,
    /// The system has no such version of the operator.
    Version {
        /// The system.
        system: &'static str,
        /// The version asked for.
        version: u32,
        /// The versions there are.
        known: &'static str,
    },
    /// An attribute or input that this version of the operator does not have.
    NotInVersion {
        /// The attribute or input.
        name: &'static str,
        /// The version asked for.
        version: u32,
        /// The versions that have it.
        versions: &'static str,
    },
    /// A word that is none of those an attribute may be.
    Word {
        /// The attribute.
        name: &'static str,
        /// What was given.
        given: String,
        /// What it may be.
        known: &'static [&'static str],
    },
    /// Something that the system has and this crate has not.
    Unsupported {
        /// The attribute.
        name: &'static str,
        /// What was given.
        given: String,
    },
    /// A list is not as long as it must be.
    Count {
        /// The list.
        name: &'static str,
        /// How long it must be.
        expected: usize,
        /// How long it is.
        got: usize,
    },
    /// A list of pairs is of odd length, or has more pairs than there are axes.
    Pairs {
        /// The list.
        name: &'static str,
        /// How long it is.
        got: usize,
        /// How long it may be at most.
        max: usize,
    },
    /// A tensor of the call has a shape that it must not have.
    Shape {
        /// The tensor.
        name: &'static str,
        /// Its shape.
        shape: Vec<usize>,
        /// The shapes it may have.
        expected: &'static str,
    },
    /// A pad, width or gap is negative that must not be.
    NegativePad {
        /// The attribute.
        name: &'static str,
        /// The axis, counted from the outermost.
        axis: usize,
        /// What was given.
        value: i64,
    },
    /// An axis that the tensor does not have.
    AxisOutOfRange {
        /// The axis as given.
        axis: i64,
        /// The tensor's rank.
        rank: usize,
    },
    /// An axis is listed more than once.
    RepeatedAxis {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its last place in the list.
        position: usize,
    },
    /// The system does not pad this type, or not in this mode.
    DType {
        /// The type.
        dtype: DType,
        /// The mode.
        mode: PadMode,
        /// Who does not.
        system: &'static str,
    },
    /// The system does not pad tensors of this rank, or not in this mode.
    Rank {
        /// The tensor's rank.
        rank: usize,
        /// The least it may be.
        min: usize,
        /// The most it may be.
        max: usize,
        /// The mode.
        mode: PadMode,
    },
    /// A pad is longer than the mode may take from an axis.
    PadTooLong {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its length, in systems that crop first what is left of it.
        length: usize,
        /// Its padding.
        pad: AxisPad,
        /// The longest that either pad may be.
        max: i128,
        /// The mode.
        mode: PadMode,
    },
    /// An axis is too short for the mode.
    AxisTooShort {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its length, in systems that crop first what is left of it.
        length: usize,
        /// The least it may be.
        min: usize,
        /// The mode.
        mode: PadMode,
    },
    /// More is removed from an axis than it holds.
    OverCrop {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its length.
        length: usize,
        /// Its padding.
        pad: AxisPad,
    },
    /// Nothing would be left of the padded axes.
    EmptyOutput {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its length.
        length: usize,
        /// Its padding.
        pad: AxisPad,
        /// The mode.
        mode: PadMode,
    },
    /// The system has no default for the value.
    ValueRequired {
        /// The value's name.
        name: &'static str,
    },
    /// The mode takes no such argument.
    ValueForbidden {
        /// The argument.
        name: &'static str,
        /// The mode.
        mode: PadMode,
    },
    /// The value cannot be converted to the type of the data.
    ValueConversion {
        /// The value.
        value: f64,
        /// The type.
        dtype: DType,
    },
}

impl From<PadError> for DialectError {
    fn from(error: PadError) -> Self {
        DialectError::Pad(error)
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl core::error::Error for DialectError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            DialectError::Pad(error) => Some(error),
            _ => None,
        }
    }
}
