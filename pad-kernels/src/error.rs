//! Errors of requests. Each rule of the library has a variant.

mod text;

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
