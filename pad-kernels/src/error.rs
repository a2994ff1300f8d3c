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
///
/// Debug output is the message, too, so that a program whose `main` returns the error tells the user what to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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
    /// The fill has one element for each position of an axis that there is not.
    FillAxis {
        /// The axis.
        axis: usize,
        /// Axes of the shape.
        shape: usize,
    },
    /// The fill has another number of elements than its axis has positions.
    FillCount {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its length.
        length: usize,
        /// Elements of the fill.
        fills: usize,
    },
    /// The axis for each of whose positions there is a fill is padded itself.
    FillPadded {
        /// The axis, counted from the outermost.
        axis: usize,
        /// Its padding.
        pad: AxisPad,
    },
    /// There is a fill for each position of an axis, where one fill is taken: for packed and for cloned elements, and for constants of
    /// computed borders.
    FillAlong {
        /// The axis, counted from the outermost.
        axis: usize,
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
    /// The plan is for values that are cloned, and was run on bytes.
    Cloned {
        /// The plan's tag.
        plan: Option<DType>,
    },
    /// The plan copies bytes, and was run on values that are cloned.
    NotCloned {
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
    /// Rows along more axes than the output has.
    RowAxes {
        /// The axes asked for.
        axes: usize,
        /// Axes of the output.
        shape: usize,
    },
    /// The buffer is not as long as a row.
    RowLength {
        /// The axes of a row.
        axes: usize,
        /// The length of a row.
        expected: usize,
        /// The buffer's length.
        got: usize,
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
    /// Elements of this type cannot be added up, so nothing that pads them has an adjoint.
    NotSummable {
        /// The type's tag.
        dtype: Option<DType>,
    },
    /// Borders of this mode are not linear in the data, so that there is no adjoint.
    NotLinear {
        /// The mode's name.
        mode: &'static str,
    },
    /// Elements of this type have no negative numbers, so that no side can turn their sign.
    NotNegatable {
        /// The type's tag.
        dtype: Option<DType>,
    },
    /// Sides that turn signs do not go with interior padding.
    NegatedInterior {
        /// The axis with interior padding, counted from the outermost.
        axis: usize,
        /// Its padding.
        pad: AxisPad,
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
        let tag = |dtype: Option<DType>| dtype.map_or("a type without a DType", DType::name);
        match *self {
            PadError::AxisCount { spec, shape } => {
                write!(
                    f,
                    "the spec has pads for {spec} axes, but the shape has {shape}: give one pad for all axes, or one entry \
                     per axis, outermost first, with (0, 0) for an axis that is not padded"
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
                    ElementSize::Bytes(bytes) => write!(f, "it passes {max} bytes at {bytes} per element"),
                    ElementSize::Bits(bits) => write!(f, "it passes {max} bits at {bits} per element"),
                    ElementSize::Cloned => write!(f, "it passes {max} elements"),
                }
            }
            PadError::EmptyWindow { axis, length, pad, mode, output } if length > 0 => {
                let removes = match (pad.low < 0, pad.high < 0) {
                    (true, false) => "the low pad removes",
                    (false, true) => "the high pad removes",
                    _ => "the pads remove",
                };
                write!(
                    f,
                    "axis {axis}: {removes} all {length} elements (low {}, high {}), and mode {mode} has none left to make \
                     {output} from: remove less, or use constant mode",
                    pad.low, pad.high
                )
            }
            PadError::EmptyWindow { axis, length, pad, mode, output } => write!(
                f,
                "axis {axis}: mode {mode} has no element to make {output} from \
                 (length {length}, low {}, high {}): only constant mode can extend an empty axis",
                pad.low, pad.high
            ),
            PadError::FillRequired { dtype } => {
                write!(f, "{} has no zero to fill with: give a fill", tag(dtype))
            }
            PadError::FillBool { value } => write!(f, "the fill of a bool is 0 or 1, not {value}"),
            PadError::FillType { dtype, bytes, fill_dtype, fill_bytes } => write!(
                f,
                "the fill is {} ({fill_bytes} bytes) and not a value of {} ({bytes} bytes), the type of the data: give a value \
                 that this type holds",
                tag(fill_dtype),
                tag(dtype)
            ),
            PadError::FillAxis { axis, shape } => {
                write!(f, "the fill is along axis {axis}, but the shape has {shape} axes: count them from 0")
            }
            PadError::FillCount { axis, length, fills } => write!(
                f,
                "the fill has {fills} elements along axis {axis}, but the axis has length {length}: give one for each position"
            ),
            PadError::FillPadded { axis, pad } => write!(
                f,
                "axis {axis} has a fill for each position, and is padded itself (low {}, high {}, interior {}): pad it in a \
                 call of its own",
                pad.low, pad.high, pad.interior
            ),
            PadError::FillAlong { axis } => write!(
                f,
                "one fill for each position of axis {axis} is for elements of whole bytes, and not for constants of computed \
                 borders: give one fill"
            ),
            PadError::ZeroSized => f.write_str("elements of size 0 cannot be padded"),
            PadError::ElementType { plan, plan_bytes, given, given_bytes } => write!(
                f,
                "the plan was made for {} ({plan_bytes} bytes), but was run with {} ({given_bytes} bytes): make a plan for \
                 this type",
                tag(plan),
                tag(given)
            ),
            PadError::Cloned { plan } => write!(
                f,
                "this plan clones elements of {}: call run_cloned or to_vec_cloned, or make a plan for a type of bytes",
                tag(plan)
            ),
            PadError::NotCloned { plan } => write!(
                f,
                "this plan copies the bytes of {}: call run, or make the plan with PadPlan::for_cloned",
                tag(plan)
            ),
            PadError::Length { operand: Operand::Input, expected, got } => write!(
                f,
                "the input slice has length {got}, but its shape needs {expected}: check the shape and the order of its axes"
            ),
            PadError::Length { operand: Operand::Output, expected, got } => write!(
                f,
                "the output slice has length {got}, but the result needs {expected}: give a slice of that length"
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
                "axis {axis}: low {}, high {}, interior {} is no border in place: give widths of 0 or more, and no interior \
                 padding",
                pad.low, pad.high, pad.interior
            ),
            PadError::SideCount { sides, shape } => write!(
                f,
                "sides of {sides} axes are chosen of an array that has {shape}: give (low, high) for each, outermost first"
            ),
            PadError::WindowCount { window, shape } => {
                write!(f, "a box of {window} axes in an output of {shape}: give one range per axis, outermost first")
            }
            PadError::WindowRange { axis, start, end, .. } if start > end => {
                write!(f, "axis {axis}: the box {start}..{end} starts after its end: give the start first")
            }
            PadError::WindowRange { axis, start, end, length } => {
                write!(f, "axis {axis}: the box {start}..{end} is not inside the output's 0..{length}")
            }
            PadError::RowAxes { axes, shape } => {
                write!(f, "rows along the last {axes} axes of an output that has {shape}: ask for fewer")
            }
            PadError::RowLength { axes, expected, got } => write!(
                f,
                "the buffer has length {got}, but a row along the last {axes} axes has {expected}: give a buffer of that length"
            ),
            PadError::KernelMismatch { kernel } => {
                write!(f, "kernel {kernel} is for another rank, mode or element than the plan's")
            }
            PadError::IsaUnavailable { isa } => {
                if isa.available() {
                    write!(f, "there is no kernel for {isa} that runs this plan: use another instruction set")
                } else {
                    write!(f, "this CPU does not support {isa}: use an instruction set that is Isa::available")
                }
            }
            PadError::ArgumentCount { name, given, shape } => write!(
                f,
                "{name} are given for {given} axes, but the shape has {shape}: give one pair, or one per axis, \
                 outermost first"
            ),
            PadError::NotComputed { dtype } => write!(
                f,
                "borders of {} cannot be computed: convert the data, or copy borders by a PadSpec",
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
            PadError::NotSummable { dtype } => write!(
                f,
                "elements of {} cannot be added up: an adjoint is for integers of 8 to 64 bits, f16, bf16, f32, f64, c64 \
                 and c128",
                tag(dtype)
            ),
            PadError::NotLinear { mode } => write!(
                f,
                "borders of mode {mode} have no adjoint: odd reflections and smooth borders have one, and all that a PadSpec says"
            ),
            PadError::NotNegatable { dtype } => write!(
                f,
                "{} elements cannot be negated: signs turn for signed integers of 8 to 64 bits, f16, bf16, f32, f64, c64 and c128",
                tag(dtype)
            ),
            PadError::NegatedInterior { axis, pad } => write!(
                f,
                "axis {axis}: interior padding of {} does not go with sides that turn signs: insert it in a call of its own",
                pad.interior
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

impl fmt::Debug for PadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for PadError {}
