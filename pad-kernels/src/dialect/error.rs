//! Defines the errors for calls that a framework refuses.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::dtype::DType;
use crate::error::{OR_EXACT, PadError};
use crate::names;
use crate::spec::{AxisPad, PadMode};

/// Says why a framework refuses a call. An error names attributes, inputs and modes as the framework does. It calls the fill "the fill",
/// and the two pads of an axis "low" and "high".
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum DialectError {
    /// The call breaks a rule that all frameworks share.
    Pad(PadError),
    /// The element type has no [`DType`], so no framework has rules for it.
    Untagged,
    /// The operator has no such version.
    Version {
        /// The framework.
        system: &'static str,
        /// The requested version.
        version: u32,
        /// The versions that exist.
        known: &'static str,
    },
    /// This version of the operator lacks an attribute, an input or a mode that other versions have.
    NotInVersion {
        /// The operator.
        system: &'static str,
        /// The attribute, input or mode.
        name: &'static str,
        /// The requested version.
        version: u32,
        /// The versions that have it.
        known: &'static str,
        /// The advice to the caller.
        instead: &'static str,
    },
    /// An attribute has a word that is not allowed.
    Word {
        /// The attribute.
        name: &'static str,
        /// The given value.
        given: String,
        /// The allowed words.
        known: Vec<&'static str>,
    },
    /// The call computes new values instead of copying elements, so it cannot be a [`PadSpec`](crate::PadSpec).
    Computes {
        /// The attribute.
        name: &'static str,
        /// The given value.
        given: String,
    },
    /// The length of a list is wrong.
    Count {
        /// The list.
        name: &'static str,
        /// The number of entries that it must have.
        expected: usize,
        /// The number of entries that it has.
        got: usize,
    },
    /// The call lists its axes, and the length of another list does not match.
    ListedCount {
        /// The list.
        name: &'static str,
        /// The number of entries that it must have.
        expected: usize,
        /// The number of entries that it has.
        got: usize,
    },
    /// A list of pairs has an odd number of entries, or too few or too many.
    Pairs {
        /// The list.
        name: &'static str,
        /// The axes of the pairs, in words.
        order: &'static str,
        /// The number of entries that it has.
        got: usize,
        /// The least number of entries.
        min: usize,
        /// The largest number of entries.
        max: usize,
    },
    /// A tensor of the call has a shape that is not allowed.
    Shape {
        /// The tensor.
        name: &'static str,
        /// The shape of the tensor.
        shape: Vec<usize>,
        /// The allowed shapes.
        expected: &'static str,
    },
    /// A pad is negative, and the framework does not allow it.
    NegativePad {
        /// The attribute or input.
        name: &'static str,
        /// The axis, counted from the outermost.
        axis: usize,
        /// The given value.
        value: i64,
    },
    /// A number for an axis is too small or too large.
    OutOfRange {
        /// The attribute or input, or "the padded length".
        name: &'static str,
        /// The axis, counted from the outermost.
        axis: usize,
        /// The given value, or the length after padding. A length beyond `i64` becomes the maximum.
        value: i64,
        /// The smallest allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
    },
    /// A zero point is not allowed for this type or this call.
    ZeroPoint {
        /// The name of the zero point.
        name: &'static str,
        /// The zero point.
        zero_point: i64,
        /// The type of the tensor.
        dtype: DType,
    },
    /// OpenCV has no such border type.
    BorderType {
        /// The given border type, without [`BORDER_ISOLATED`](super::opencv::BORDER_ISOLATED).
        given: i32,
    },
    /// Channels have different fills, but the image has too many channels for that.
    ChannelValues {
        /// The first channel whose fill differs from that of channel 0.
        channel: usize,
        /// The fill of this channel.
        value: f64,
        /// The fill of channel 0.
        first: f64,
    },
    /// A region is not inside its image.
    RegionOutside {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The start of the region.
        start: usize,
        /// The end of the region.
        end: usize,
        /// The length of the image.
        length: usize,
    },
    /// A call pads an isolated region on a side where the image continues. A [`PadSpec`](crate::PadSpec) cannot crop and pad the
    /// same side.
    IsolatedRegion {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The number of elements to add to the region.
        pad: i64,
        /// The distance between the edge of the region and that of the image.
        inside: usize,
    },
    /// The tensor does not have this axis.
    AxisOutOfRange {
        /// The axis in the call.
        axis: i64,
        /// The number of axes of the tensor.
        rank: usize,
    },
    /// An axis is listed more than once.
    RepeatedAxis {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The position of the repetition in the list.
        position: usize,
    },
    /// The framework does not pad this element type, at least in this mode or version.
    DType {
        /// The framework.
        system: &'static str,
        /// The element type.
        dtype: DType,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// The framework does not pad tensors of this rank in this mode, or with this number of pads.
    Rank {
        /// The number of axes of the tensor.
        rank: usize,
        /// The smallest allowed value.
        min: usize,
        /// The largest allowed value.
        max: usize,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// A border is longer than the framework allows for the length of the axis.
    PadTooLong {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis. If the framework crops first, this is the length after the crop.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
        /// The largest allowed pad per side. It is negative if even 0 is not allowed.
        max: i128,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// An axis is too short for the mode.
    AxisTooShort {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis. If the framework crops first, this is the length after the crop.
        length: usize,
        /// The smallest allowed value.
        min: usize,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// The framework has no gradient for this call.
    NoGradient {
        /// The framework.
        system: &'static str,
        /// The element type.
        dtype: DType,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// A crop removes more elements than the axis has. This is an error even if the other side adds elements.
    OverCrop {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// A padded axis has no elements in the output, and the framework does not allow this.
    EmptyOutput {
        /// The first axis without elements in the output, counted from the outermost.
        axis: usize,
        /// The length of the axis.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
        /// The name of the mode in the framework.
        mode: &'static str,
    },
    /// A value is missing, and it has no default.
    ValueRequired {
        /// The attribute or input.
        name: &'static str,
    },
    /// The framework does not allow this argument in this mode.
    ValueForbidden {
        /// The argument.
        name: &'static str,
        /// The name of the mode.
        mode: &'static str,
    },
    /// The value cannot be converted to the type of the data.
    ValueConversion {
        /// The value.
        value: f64,
        /// The element type.
        dtype: DType,
    },
}

impl DialectError {
    /// Replaces the name of a mode by the name that the framework uses.
    pub(super) fn in_words_of(mut self, words: &[(&'static str, PadMode)]) -> DialectError {
        if let DialectError::Pad(PadError::EmptyWindow { axis, mode, .. }) = self
            && !words.is_empty()
        {
            self = DialectError::AxisTooShort { axis, length: 0, min: 1, mode: mode.name() };
        }
        if let DialectError::DType { mode, .. }
        | DialectError::Rank { mode, .. }
        | DialectError::PadTooLong { mode, .. }
        | DialectError::AxisTooShort { mode, .. }
        | DialectError::NoGradient { mode, .. }
        | DialectError::EmptyOutput { mode, .. }
        | DialectError::ValueForbidden { mode, .. } = &mut self
            && let Some((word, _)) = words.iter().find(|(_, of_word)| of_word.name() == *mode)
        {
            *mode = word;
        }
        self
    }
}

impl From<PadError> for DialectError {
    fn from(error: PadError) -> Self {
        DialectError::Pad(error)
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DialectError::Pad(error @ PadError::FillType { .. }) => {
                f.write_str(error.to_string().trim_end_matches(OR_EXACT))
            }
            DialectError::Pad(error) => error.fmt(f),
            DialectError::Untagged => {
                f.write_str("no framework has this element type: use a PadSpec, or a type of DType")
            }
            DialectError::Version { system, version, known } => {
                write!(f, "{system} has no Pad of version {version}: use {known}")
            }
            DialectError::NotInVersion { system, name, version, known, instead } => {
                write!(f, "{system} has {name} {known}; the node is opset {version}: {instead}")
            }
            DialectError::Word { name, given, known } => {
                write!(f, "{name} \"{given}\" is unknown: ")?;
                match names::meant(given, known) {
                    Some(meant) => write!(f, "did you mean {meant}? Known are ")?,
                    None => f.write_str("use ")?,
                }
                names::list(f, known)
            }
            DialectError::Computes { name, given } => {
                write!(
                    f,
                    "{name} \"{given}\" makes new values, which no PadSpec does: ask for its computed_spec"
                )
            }
            DialectError::Count { name, expected, got }
            | DialectError::ListedCount { name, expected, got } => {
                let each =
                    if matches!(*name, "pads" | "paddings") { "a begin and an end" } else { "an entry" };
                write!(f, "{name} has {got} entries, but {expected} are needed: give {each} for every ")?;
                f.write_str(match self {
                    DialectError::ListedCount { .. } => "listed axis",
                    _ if ["pad", "Pad", "width"].iter().any(|word| name.contains(word)) => {
                        "axis; use 0 for axes without padding"
                    }
                    _ => "axis",
                })
            }
            DialectError::Pairs { name, order, got, min, max } => {
                write!(
                    f,
                    "{name} has {got} entries: give pairs of low and high, {order}, {min} to {max} entries in all"
                )
            }
            DialectError::Shape { name, shape, expected } => {
                write!(f, "{name} has shape {shape:?}: give it {expected}")
            }
            DialectError::NegativePad { name, axis, value } => {
                write!(f, "axis {axis}: {name} is {value}, but may not be negative")
            }
            DialectError::OutOfRange { name, axis, value, min, max } => {
                write!(f, "axis {axis}: {name} is {value}, but must be {min}")?;
                if min == max { Ok(()) } else { write!(f, " to {max}") }
            }
            DialectError::ZeroPoint { name, zero_point, dtype } => write!(
                f,
                "the zero point {zero_point} of {name} is none that {dtype} can have in this call: give the output's, \
                 in the range of its type, and 0 where int16 is mirrored"
            ),
            DialectError::BorderType { given } => {
                write!(f, "border type {given} is unknown: use 0 to 4, with 16 for BORDER_ISOLATED")
            }
            DialectError::ChannelValues { channel, value, first } => write!(
                f,
                "channel {channel} is filled with {value}, but channel 0 with {first}: OpenCV has one value for the channels of an \
                 image of more than four"
            ),
            DialectError::RegionOutside { axis, start, end, length } => write!(
                f,
                "axis {axis}: the region from {start} to {end} is not in an image of length {length}: give it a start, \
                 and an end that is not before it"
            ),
            DialectError::IsolatedRegion { axis, pad, inside } => write!(
                f,
                "axis {axis}: an isolated region {inside} inside its image is padded by {pad} on that side: pad a view of \
                 the region"
            ),
            DialectError::AxisOutOfRange { axis, rank } => {
                write!(f, "axis {axis} is not one of a tensor of rank {rank}: ")?;
                match rank.checked_sub(1) {
                    Some(last) => write!(f, "use -{rank} to {last}"),
                    None => f.write_str("it has none"),
                }
            }
            DialectError::RepeatedAxis { axis, position } => {
                write!(f, "axis {axis} is listed again at position {position} of axes: list each axis once")
            }
            DialectError::DType { system, dtype, mode } => {
                write!(f, "{system} does not pad {dtype} in mode {mode}: convert the data, or use a PadSpec")
            }
            DialectError::Rank { rank, min, max, mode } => {
                write!(f, "mode {mode} with these pads needs rank {min}")?;
                match *max {
                    usize::MAX => f.write_str(" or more")?,
                    max if max > *min => write!(f, " to {max}")?,
                    _ => {}
                }
                write!(f, ", but the tensor has rank {rank}")
            }
            DialectError::PadTooLong { axis, length, pad, max, mode } => {
                write!(f, "axis {axis}: mode {mode} ")?;
                match max {
                    ..0 => f.write_str("is not possible at all")?,
                    max => write!(f, "can add at most {max} on either side")?,
                }
                write!(f, " with length {length} (low {}, high {})", pad.low, pad.high)?;
                // A `PadSpec` has no such limit. If the request is possible, the message recommends a `PadSpec`.
                if *length > 0 {
                    f.write_str(": add less, or use a PadSpec, which has no such limit")
                } else {
                    Ok(())
                }
            }
            DialectError::AxisTooShort { axis, length, min, mode } => {
                write!(f, "axis {axis}: mode {mode} needs a length of at least {min}, not {length}")
            }
            DialectError::NoGradient { system, dtype, mode } => write!(
                f,
                "{system} has no gradient of padding {dtype} in mode {mode}: plan the call, and ask the plan for its \
                 adjoint"
            ),
            DialectError::OverCrop { axis, length, pad } => write!(
                f,
                "axis {axis}: low {} and high {} remove more than its length {length}: remove less",
                pad.low, pad.high
            ),
            DialectError::EmptyOutput { axis, length, pad, mode } => write!(
                f,
                "axis {axis}: mode {mode} may not empty the padded axes (length {length}, low {}, high {}): \
                 remove less",
                pad.low, pad.high
            ),
            DialectError::ValueRequired { name } => write!(f, "{name} has no default: give it"),
            DialectError::ValueForbidden { name, mode } => {
                write!(f, "{name} may not be given in mode {mode}: leave it out")
            }
            DialectError::ValueConversion { value, dtype } => {
                write!(f, "the value {value} does not convert to {dtype}: give one that does")
            }
        }
    }
}

/// Writes the error message.
impl fmt::Debug for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Fill;

    #[test]
    fn messages_name_axis_and_values_and_say_what_to_do() {
        let (axis, length, mode) = (1, 3, "reflect");
        let pad = AxisPad::new(3, -1);
        for (error, expected) in [
            (
                DialectError::PadTooLong { axis, length, pad, max: 2, mode },
                "axis 1: mode reflect can add at most 2 on either side with length 3 (low 3, high -1): add less, or use \
                 a PadSpec, which has no such limit",
            ),
            (
                DialectError::PadTooLong { axis, length: 0, pad: AxisPad::new(0, 0), max: -1, mode },
                "axis 1: mode reflect is not possible at all with length 0 (low 0, high 0)",
            ),
            (
                DialectError::Count { name: "paddings", expected: 4, got: 3 },
                "paddings has 3 entries, but 4 are needed: give a begin and an end for every axis; use 0 for axes without \
                 padding",
            ),
            (
                DialectError::Count { name: "dilations", expected: 2, got: 1 },
                "dilations has 1 entries, but 2 are needed: give an entry for every axis",
            ),
            (
                DialectError::ListedCount { name: "pads", expected: 2, got: 1 },
                "pads has 1 entries, but 2 are needed: give a begin and an end for every listed axis",
            ),
            (
                DialectError::Pairs { name: "pad", order: "the last axis first", got: 3, min: 0, max: 4 },
                "pad has 3 entries: give pairs of low and high, the last axis first, 0 to 4 entries in all",
            ),
            (
                DialectError::AxisTooShort { axis, length: 1, min: 2, mode },
                "axis 1: mode reflect needs a length of at least 2, not 1",
            ),
            (
                DialectError::Rank { rank: 9, min: 0, max: 8, mode },
                "mode reflect with these pads needs rank 0 to 8, but the tensor has rank 9",
            ),
            (
                DialectError::Rank { rank: 3, min: 2, max: 2, mode },
                "mode reflect with these pads needs rank 2, but the tensor has rank 3",
            ),
            (
                DialectError::Rank { rank: 0, min: 1, max: usize::MAX, mode },
                "mode reflect with these pads needs rank 1 or more, but the tensor has rank 0",
            ),
            (
                DialectError::Word { name: "mode", given: "warp".into(), known: ["edge", "wrap"].into() },
                "mode \"warp\" is unknown: use edge, wrap",
            ),
            (
                DialectError::AxisOutOfRange { axis: -4, rank: 3 },
                "axis -4 is not one of a tensor of rank 3: use -3 to 2",
            ),
            (
                DialectError::AxisOutOfRange { axis: 0, rank: 0 },
                "axis 0 is not one of a tensor of rank 0: it has none",
            ),
            (
                DialectError::OutOfRange { name: "dilations", axis, value: 0, min: 1, max: 9 },
                "axis 1: dilations is 0, but must be 1 to 9",
            ),
            (
                DialectError::OutOfRange { name: "stride", axis, value: 2, min: 1, max: 1 },
                "axis 1: stride is 2, but must be 1",
            ),
            (
                DialectError::BorderType { given: 5 },
                "border type 5 is unknown: use 0 to 4, with 16 for BORDER_ISOLATED",
            ),
            (
                DialectError::NotInVersion {
                    system: "ONNX Pad",
                    name: "input axes",
                    version: 13,
                    known: "from opset 18",
                    instead: "give pads for all axes",
                },
                "ONNX Pad has input axes from opset 18; the node is opset 13: give pads for all axes",
            ),
        ] {
            assert_eq!(error.to_string(), expected);
        }
        let fill = PadError::fill_type(&Fill::of(0i64), Some(DType::I32), 4);
        assert_eq!(
            DialectError::from(fill).to_string(),
            "the fill 0 is i64 (8 bytes), but the data is i32 (4 bytes): give a value of the type of the data"
        );
        let shared = DialectError::from(PadError::ZeroSized);
        assert_eq!(shared.to_string(), PadError::ZeroSized.to_string());
        assert!(core::error::Error::source(&shared).is_some());
    }
}
