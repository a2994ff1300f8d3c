//! Everything that can be wrong with a request, one variant a rule.

use core::fmt;

use crate::dtype::{DType, ElementSize};
use crate::isa::Isa;
use crate::spec::{AxisPad, PadMode};

/// Which tensor an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The tensor that is padded.
    Input,
    /// The result.
    Output,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operand::Input => "input",
            Operand::Output => "output",
        })
    }
}

/// Why a request was refused. Nothing has been written when one is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PadError {
    /// The spec has another number of axes than the shape.
    AxisCount {
        /// Axes of the spec.
        spec: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// The spec has modes for another number of axes than the shape has.
    ModeCount {
        /// Axes that have modes.
        modes: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// More is removed from an axis than the axis and its padding hold.
    NegativeOutput {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its input length.
        length: usize,
        /// Its padding.
        pad: AxisPad,
        /// The output length that would result.
        output: i128,
    },
    /// An axis is longer than the length that the request states, and the request does not say what to do then.
    LongerAxis {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its input length.
        length: usize,
        /// The length asked for.
        target: usize,
    },
    /// The request asks for a multiple of 0, which is no length.
    ZeroMultiple {
        /// The axis, counted from the outermost.
        axis: usize,
    },
    /// The next multiple of a number is more than an axis can hold.
    MultipleOverflow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its input length.
        length: usize,
        /// The number.
        number: usize,
    },
    /// An axis' length after padding, or after opening the interior gaps, passes the largest a tensor can have.
    AxisOverflow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its input length.
        length: usize,
        /// Its padding.
        pad: AxisPad,
    },
    /// The tensor's size passes `isize::MAX` bytes, or for packed types that many bits. Axes of length 0 do not
    /// excuse the others.
    SizeOverflow {
        /// Input or output.
        operand: Operand,
        /// The axis, counted from the outermost, at which the running product passes the limit.
        axis: usize,
        /// The length of that axis.
        length: usize,
        /// How its elements lie in memory.
        element_size: ElementSize,
    },
    /// There is no element to extend an axis from.
    EmptyWindow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its input length.
        length: usize,
        /// Its padding.
        pad: AxisPad,
        /// The mode of the side that cannot be made, which is not constant.
        mode: PadMode,
        /// The output length that was asked for.
        output: usize,
    },
    /// The type has no zero to fill with, and no fill was given.
    FillRequired {
        /// The type's tag.
        dtype: Option<DType>,
    },
    /// A fill for `bool` is neither 0 nor 1.
    FillBool {
        /// The byte given.
        value: u8,
    },
    /// The fill is of another type or size than the data.
    FillType {
        /// The data's tag.
        dtype: Option<DType>,
        /// The data's bytes an element (1 for packed types).
        bytes: usize,
        /// The fill's tag.
        fill_dtype: Option<DType>,
        /// The fill's bytes.
        fill_bytes: usize,
    },
    /// Elements of no size cannot be padded.
    ZeroSized,
    /// The plan was made for another element type than it is run with.
    ElementType {
        /// The plan's tag.
        plan: Option<DType>,
        /// The plan's bytes an element; 0 for packed and for cloned elements.
        plan_bytes: usize,
        /// The tag it is run with.
        given: Option<DType>,
        /// The bytes an element it is run with.
        given_bytes: usize,
    },
    /// The plan moves bytes, and was run for cloned elements, or the other way round.
    Cloned {
        /// The plan's tag.
        plan: Option<DType>,
    },
    /// A slice is not as long as the shape says.
    Length {
        /// Input or output.
        operand: Operand,
        /// The length the plan needs, in the slice's own elements.
        expected: usize,
        /// The slice's length.
        got: usize,
    },
    /// The strides have another number of axes than the tensor.
    StrideCount {
        /// Input or output.
        operand: Operand,
        /// Axes of the strides.
        strides: usize,
        /// Axes of the tensor.
        shape: usize,
    },
    /// With these strides an element would lie before the buffer's start, or further than memory reaches.
    StrideRange {
        /// Input or output.
        operand: Operand,
        /// The axis, counted from the outermost, whose elements get there.
        axis: usize,
        /// Its stride in elements.
        stride: isize,
        /// Its length.
        length: usize,
    },
    /// The index has another number of axes than the strides.
    IndexCount {
        /// Axes of the index.
        index: usize,
        /// Axes of the strides.
        strides: usize,
    },
    /// The element at an index would lie before the buffer's start, or further than memory reaches.
    IndexRange {
        /// The place of the element at index 0 of every axis.
        offset: usize,
    },
    /// Two elements of the output could share a place.
    Overlap {
        /// The axis, counted from the outermost, whose stride does not pass over the axes with smaller ones.
        axis: usize,
        /// Its stride in elements.
        stride: isize,
        /// Its length.
        length: usize,
    },
    /// A tensor has another shape, or lies in other strides, than the plan was made for.
    OtherTensor {
        /// Input or output.
        operand: Operand,
        /// The first axis of another length or stride, counted from the outermost; 0 for another offset.
        axis: usize,
    },
    /// The output's strides leave places in the buffer that no element takes: it cannot be made as a whole.
    OutputHasHoles,
    /// Borders in place cannot remove elements of the inside, nor put fill between them.
    BorderInside {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its padding.
        pad: AxisPad,
    },
    /// There are sides to choose for another number of axes than there are.
    SideCount {
        /// Axes that have sides.
        sides: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// The box has another number of axes than the output.
    WindowCount {
        /// Axes of the box.
        window: usize,
        /// Axes of the output.
        shape: usize,
    },
    /// The box is not inside the output.
    WindowRange {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Start of the box.
        start: usize,
        /// End of the box.
        end: usize,
        /// The output's length.
        length: usize,
    },
    /// The kernel of the registry is for another plan than this.
    KernelMismatch {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// This machine does not have the instruction set, or the plan has no kernel for it.
    IsaUnavailable {
        /// The instruction set.
        isa: Isa,
    },
    /// An argument is given for another number of axes than the shape has.
    ArgumentCount {
        /// The argument.
        name: &'static str,
        /// Pairs that are given.
        given: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// Borders of these elements cannot be computed: they have no arithmetic, or are no whole bytes.
    NotComputed {
        /// The type's tag.
        dtype: Option<DType>,
    },
    /// There is no element to compute a border from.
    EmptyAxis {
        /// The axis, counted from the outermost, whose length is 0.
        axis: usize,
        /// Its padding.
        pad: AxisPad,
    },
    /// A statistic of no elements has no value.
    EmptyStatistic {
        /// The axis, counted from the outermost.
        axis: usize,
    },
    /// A complex end value for ramps of data that is not.
    EndValue {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The type of the data.
        dtype: DType,
    },
    /// The plan has borders to write, which cannot stay uninitialised.
    NotEmpty,
    /// Elements of this type cannot be added up, so nothing that pads them has an adjoint.
    NotSummable {
        /// The type's tag.
        dtype: Option<DType>,
    },
    /// Two elements of the input share a place, in whose gradient they would both be written.
    SharedInput {
        /// The axis, counted from the outermost, whose stride does not pass over the axes with smaller ones.
        axis: usize,
        /// Its stride in elements.
        stride: isize,
        /// Its length.
        length: usize,
    },
    /// A gradient is not as long as the tensor whose gradient it is.
    GradientLength {
        /// Of the input or of the output.
        operand: Operand,
        /// The length the tensor has, in the slice's own elements.
        expected: usize,
        /// The slice's length.
        got: usize,
    },
    /// The scratch memory is too short.
    Scratch {
        /// The bytes that are needed.
        needed: usize,
        /// The bytes that were given.
        got: usize,
    },
    /// The memory for the result could not be had.
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
}

impl fmt::Display for PadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = |dtype: Option<DType>| dtype.map_or("untagged", DType::name);
        match *self {
            PadError::AxisCount { spec, shape } => {
                write!(
                    f,
                    "the spec has {spec} axes, but the shape has {shape}: give one entry per axis, outermost \
                     first, and (0, 0) for an axis that is not padded"
                )
            }
            PadError::ModeCount { modes, shape } => write!(
                f,
                "the spec has modes for {modes} axes, but the shape has {shape}: give one mode for all of them, or one \
                 entry per axis, outermost first"
            ),
            PadError::NegativeOutput { axis, length, pad, output } => write!(
                f,
                "axis {axis}: length {length} with low {}, high {}, interior {} would become {output}: \
                 remove less, or check the order of the axes (axis 0 is the outermost)",
                pad.low, pad.high, pad.interior
            ),
            PadError::LongerAxis { axis, length, target } => write!(
                f,
                "axis {axis}: length {length} is more than the {target} asked for: ask for more, or choose Longer::Crop \
                 or Longer::Keep"
            ),
            PadError::ZeroMultiple { axis } => {
                write!(f, "axis {axis}: no length is a multiple of 0: give 1 or more")
            }
            PadError::MultipleOverflow { axis, length, number } => write!(
                f,
                "axis {axis}: the next multiple of {number} from length {length} on is more than an axis can hold"
            ),
            PadError::AxisOverflow { axis, length, pad } => write!(
                f,
                "axis {axis}: length {length} with low {}, high {}, interior {} is more than an axis can hold: add less",
                pad.low, pad.high, pad.interior
            ),
            PadError::SizeOverflow { operand, axis, length, element_size } => {
                write!(f, "the {operand} is larger than memory can be: with axis {axis} of length {length} ")?;
                let max = isize::MAX;
                match element_size {
                    ElementSize::Bytes(bytes) => write!(f, "it passes {max} bytes at {bytes} an element"),
                    ElementSize::Bits(bits) => write!(f, "it passes {max} bits at {bits} an element"),
                    ElementSize::Cloned => write!(f, "it passes {max} elements"),
                }
            }
            PadError::EmptyWindow { axis, length, pad, mode, output } => write!(
                f,
                "axis {axis}: mode {mode} has no element to make {output} from \
                 (length {length}, low {}, high {}): only constant mode can extend an empty axis",
                pad.low, pad.high
            ),
            PadError::FillRequired { dtype } => {
                write!(f, "{} elements have no zero to fill with: give a fill", tag(dtype))
            }
            PadError::FillBool { value } => write!(f, "the fill of a bool is 0 or 1, not {value}"),
            PadError::FillType { dtype, bytes, fill_dtype, fill_bytes } => write!(
                f,
                "the fill is {} of {fill_bytes} bytes, but the data is {} of {bytes}: give a fill of the data's type",
                tag(fill_dtype),
                tag(dtype)
            ),
            PadError::ZeroSized => f.write_str("elements of size 0 cannot be padded"),
            PadError::ElementType { plan, plan_bytes, given, given_bytes } => write!(
                f,
                "the plan was made for {} of {plan_bytes} bytes, but was run with {} of {given_bytes}: make one for \
                 this type",
                tag(plan),
                tag(given)
            ),
            PadError::Cloned { plan } => write!(
                f,
                "the plan for {} elements was run the wrong way: cloned elements and bytes have calls of their own",
                tag(plan)
            ),
            PadError::Length { operand: Operand::Input, expected, got } => write!(
                f,
                "the input slice has length {got}, but the plan's shape makes it {expected}: check the shape and the \
                 order of its axes"
            ),
            PadError::Length { operand: Operand::Output, expected, got } => write!(
                f,
                "the output slice has length {got}, but the result needs {expected}: allocate the plan's output_len, \
                 or output_bytes for run_bytes"
            ),
            PadError::StrideCount { operand, strides, shape } => {
                write!(f, "{strides} strides for an {operand} of {shape} axes: give one per axis, outermost first")
            }
            PadError::StrideRange { operand, axis, stride, length } => write!(
                f,
                "axis {axis} of the {operand}: with stride {stride} and length {length} an element would lie outside \
                 of the buffer; the offset is that of the element at index 0 of every axis, backward ones too"
            ),
            PadError::IndexCount { index, strides } => {
                write!(f, "an index of {index} axes for {strides} strides: give one per axis, outermost first")
            }
            PadError::IndexRange { offset } => {
                write!(f, "from offset {offset} on, the element at this index would lie outside of memory")
            }
            PadError::Overlap { axis, stride, length } => write!(
                f,
                "axis {axis} of the output: stride {stride} and length {length} let two elements share a place: \
                 give each its own"
            ),
            PadError::OtherTensor { operand, axis } => write!(
                f,
                "axis {axis} of the {operand} has another length or stride than the plan was made for: make one with the \
                 tensors' shape and Strides::spanning"
            ),
            PadError::OutputHasHoles => f.write_str(
                "the output's strides leave holes, which would stay uninitialised: run into an initialised slice",
            ),
            PadError::BorderInside { axis, pad } => write!(
                f,
                "axis {axis}: low {}, high {}, interior {} is no border in place: widths are not negative, and there is \
                 no interior padding",
                pad.low, pad.high, pad.interior
            ),
            PadError::SideCount { sides, shape } => write!(
                f,
                "sides of {sides} axes are chosen of an array that has {shape}: give (low, high) for each, outermost first"
            ),
            PadError::WindowCount { window, shape } => {
                write!(f, "a box of {window} axes in an output of {shape}: give one range per axis, outermost first")
            }
            PadError::WindowRange { axis, start, end, length } => {
                write!(f, "axis {axis}: the box {start}..{end} is not inside the output's 0..{length}")
            }
            PadError::KernelMismatch { kernel } => {
                write!(f, "kernel {kernel} is for another rank, mode or element than the plan's")
            }
            PadError::IsaUnavailable { isa } => {
                write!(f, "no kernel for this plan with {isa} can run on this machine: see Isa::available")
            }
            PadError::ArgumentCount { name, given, shape } => write!(
                f,
                "{name} are given for {given} axes, but the shape has {shape}: give one pair, or one per axis, \
                 outermost first"
            ),
            PadError::NotComputed { dtype } => write!(
                f,
                "borders of {} elements cannot be computed: convert the data, or copy borders by a PadSpec",
                tag(dtype)
            ),
            PadError::EmptyAxis { axis, pad } => write!(
                f,
                "axis {axis}: there is no element to compute a border from (length 0, low {}, high {}): only \
                 constants can extend an empty axis",
                pad.low, pad.high
            ),
            PadError::EmptyStatistic { axis } => {
                write!(f, "axis {axis}: a statistic of length 0 has no value to pad with: give 1 or more")
            }
            PadError::EndValue { axis, dtype } => {
                write!(f, "axis {axis}: the end value is complex, but the data is {dtype}: give a real one")
            }
            PadError::NotEmpty => {
                f.write_str("the plan writes borders: run it into an initialised slice, or into a new vector")
            }
            PadError::NotSummable { dtype } => write!(
                f,
                "{} elements cannot be added up: an adjoint is for integers of 8 to 64 bits, f16, bf16, f32, f64, c64 \
                 and c128",
                tag(dtype)
            ),
            PadError::SharedInput { axis, stride, length } => write!(
                f,
                "axis {axis} of the input: stride {stride} and length {length} let two elements share a place, which \
                 cannot hold both their gradients"
            ),
            PadError::GradientLength { operand, expected, got } => {
                write!(f, "the gradient of the {operand} has length {got}, but the {operand} has {expected}")
            }
            PadError::Scratch { needed, got } => {
                write!(f, "{got} bytes of scratch memory are too few: scratch_bytes says {needed}")
            }
            PadError::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes of output"),
        }
    }
}

impl core::error::Error for PadError {}
