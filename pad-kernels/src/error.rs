//! The errors of requests, plans and runs.

mod text;

use core::fmt;

pub(crate) use text::OR_EXACT;

use crate::dtype::{DType, ElementSize};
use crate::isa::Isa;
use crate::spec::{AxisPad, Fill, PadMode};

/// Names the tensor that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The tensor to pad.
    Input,
    /// The padded tensor.
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

/// Says why a request is impossible, or why a call cannot run. A call that returns an error has not written anything.
///
/// `Debug` writes the same message as `Display`. A program whose `main` returns the error therefore prints the message.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PadError {
    /// The number of axes of the spec differs from that of the shape.
    AxisCount {
        /// The number of axes of the spec.
        spec: usize,
        /// The number of axes of the shape.
        shape: usize,
    },
    /// The spec lists modes for single axes, and the list does not have as many entries as the shape has axes.
    ModeCount {
        /// The number of entries in the list of modes.
        modes: usize,
        /// The number of axes of the shape.
        shape: usize,
    },
    /// Negative widths remove more elements from an axis than it has.
    NegativeOutput {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis in the input.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
        /// The length that the output would have.
        output: i128,
    },
    /// An axis is longer than the requested length, and the request does not say whether to crop it.
    LongerAxis {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis in the input.
        length: usize,
        /// The requested length.
        target: usize,
    },
    /// The request asks for a length that is a multiple of 0.
    ZeroMultiple {
        /// The axis, counted from the outermost.
        axis: usize,
    },
    /// The next multiple of the requested number exceeds the largest length of an axis.
    MultipleOverflow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis in the input.
        length: usize,
        /// The number of which the length should be a multiple.
        number: usize,
    },
    /// The length of an axis after padding, or after interior padding, exceeds the largest length of an axis.
    AxisOverflow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis in the input.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// A tensor has more than `isize::MAX` bytes. If an element has less than a byte, the limit is `isize::MAX` bits.
    ///
    /// This error also occurs for an empty tensor, if the product of its other lengths is too large.
    SizeOverflow {
        /// The tensor that the error is about.
        operand: Operand,
        /// The axis, counted from the outermost, at which the product of the lengths exceeds the limit.
        axis: usize,
        /// The length of that axis.
        length: usize,
        /// The size of an element of the tensor.
        element_size: ElementSize,
    },
    /// An axis has no element that the border could repeat.
    EmptyWindow {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis in the input.
        length: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
        /// The mode of the border that cannot be made.
        mode: PadMode,
        /// The requested output length.
        output: usize,
    },
    /// The request has no fill, and the element type has no zero.
    FillRequired {
        /// The element type, or `None` if it has no [`DType`].
        dtype: Option<DType>,
    },
    /// The fill of a `bool` tensor is neither 0 nor 1.
    FillBool {
        /// The byte of the fill.
        value: u8,
    },
    /// The fill has another type or size than the data. The type of the data cannot represent it exactly, or the call is one of a
    /// framework, which converts no fill.
    FillType {
        /// The element type of the data, or `None` if it has no [`DType`].
        dtype: Option<DType>,
        /// The bytes per element of the data. This is 1 for elements of less than a byte, and 0 for cloned elements.
        bytes: usize,
        /// The type of the fill, or `None` if it has no [`DType`].
        fill_dtype: Option<DType>,
        /// The number of bytes of the fill.
        fill_bytes: usize,
        /// The first 8 bytes of the fill, in the byte order of the machine. Zeros follow a shorter fill.
        fill_bits: u64,
    },
    /// The fill has one value for each position of an axis that the shape does not have.
    FillAxis {
        /// The axis.
        axis: usize,
        /// The number of axes of the shape.
        shape: usize,
    },
    /// The number of values in the fill differs from the length of its axis.
    FillCount {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The length of the axis.
        length: usize,
        /// The number of values in the fill.
        fills: usize,
    },
    /// The fill has one value for each position of an axis, and this axis is padded.
    FillPadded {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// The fill has one value for each position of an axis, but the call allows only a single fill.
    ///
    /// This error occurs for elements of less than a byte, for cloned elements, and for constants of computed borders.
    FillAlong {
        /// The axis, counted from the outermost.
        axis: usize,
    },
    /// The elements have a size of 0 bytes.
    ZeroSized,
    /// The element type of the call differs from that of the plan.
    ElementType {
        /// The element type of the plan, or `None` if it has no [`DType`].
        plan: Option<DType>,
        /// The bytes per element of the plan. This is 0 for elements of less than a byte.
        plan_bytes: usize,
        /// The element type of the call, or `None` if it has no [`DType`].
        given: Option<DType>,
        /// The bytes per element of the call.
        given_bytes: usize,
    },
    /// The call copies bytes, but the plan is for values that are cloned.
    Cloned {
        /// The element type of the plan, or `None` if it has no [`DType`].
        plan: Option<DType>,
    },
    /// The call passes values that are cloned, but the plan copies bytes.
    NotCloned {
        /// The element type of the plan, or `None` if it has no [`DType`].
        plan: Option<DType>,
    },
    /// The length of a slice is not the length that the plan needs.
    Length {
        /// The tensor that the error is about.
        operand: Operand,
        /// The length that the plan needs, in elements of the slice.
        expected: usize,
        /// The length of the slice.
        got: usize,
    },
    /// The number of axes of the strides differs from that of the tensor.
    StrideCount {
        /// The tensor that the error is about.
        operand: Operand,
        /// The number of axes of the strides.
        strides: usize,
        /// The number of axes of the tensor.
        shape: usize,
    },
    /// With these strides, an element would lie before the start of the buffer, or beyond the largest address.
    StrideRange {
        /// The tensor that the error is about.
        operand: Operand,
        /// The axis, counted from the outermost, whose stride leads out of the range.
        axis: usize,
        /// The stride of the axis in elements.
        stride: isize,
        /// The length of the axis.
        length: usize,
    },
    /// The number of axes of the index differs from that of the strides.
    IndexCount {
        /// The number of axes of the index.
        index: usize,
        /// The number of axes of the strides.
        strides: usize,
    },
    /// The element at an index, or the first element of a strided tensor, would lie before the start of the buffer, or beyond the
    /// largest address.
    IndexRange {
        /// The position of the element with index 0 on every axis.
        offset: usize,
    },
    /// Two elements of the output could have the same position in memory.
    Overlap {
        /// The axis, counted from the outermost, whose stride is shorter than the extent of the axes with smaller strides.
        axis: usize,
        /// The stride of the axis in elements.
        stride: isize,
        /// The length of the axis.
        length: usize,
    },
    /// A tensor has another shape or other strides than the plan needs.
    OtherTensor {
        /// The tensor that the error is about.
        operand: Operand,
        /// The first axis with another length or stride, counted from the outermost. This is 0 if only the offset differs.
        axis: usize,
    },
    /// The strides of the output leave holes between its elements, but the call must initialise the whole buffer.
    OutputHasHoles,
    /// A plan that writes only borders has a negative width or interior padding, which would change the interior.
    BorderInside {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// A plan that writes only borders does not support the element type: its elements have less than a byte, or are cloned.
    BorderType {
        /// The element type.
        dtype: DType,
    },
    /// The list of sides to write, with one pair per axis, does not have as many pairs as the shape has axes.
    SideCount {
        /// The number of pairs in the list of sides.
        sides: usize,
        /// The number of axes of the shape.
        shape: usize,
    },
    /// The number of axes of the region differs from that of the output.
    WindowCount {
        /// The number of axes of the region.
        window: usize,
        /// The number of axes of the output.
        shape: usize,
    },
    /// The region is not inside the output.
    WindowRange {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The start of the region.
        start: usize,
        /// The end of the region.
        end: usize,
        /// The length of the axis in the output.
        length: usize,
    },
    /// The call requests rows of more axes than the output has.
    RowAxes {
        /// The requested number of axes.
        axes: usize,
        /// The number of axes of the output.
        shape: usize,
    },
    /// The length of the buffer is not that of a row.
    RowLength {
        /// The number of axes of a row.
        axes: usize,
        /// The length of a row.
        expected: usize,
        /// The length of the buffer.
        got: usize,
    },
    /// The kernel cannot run this plan.
    KernelMismatch {
        /// The name of the kernel.
        kernel: &'static str,
    },
    /// The machine does not have the instruction set, or no kernel for this set can run the plan.
    IsaUnavailable {
        /// The instruction set.
        isa: Isa,
    },
    /// The number of pairs in an argument differs from the number of axes of the shape.
    ArgumentCount {
        /// The name of the argument.
        name: &'static str,
        /// The number of pairs in the argument.
        given: usize,
        /// The number of axes of the shape.
        shape: usize,
    },
    /// Borders of this element type cannot be computed, because the type has no arithmetic, or less than a byte per element.
    NotComputed {
        /// The element type, or `None` if it has no [`DType`].
        dtype: Option<DType>,
    },
    /// An axis has no element from which the border could be computed.
    EmptyAxis {
        /// The axis, counted from the outermost, whose length is 0.
        axis: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// The border would be a statistic of no elements.
    EmptyStatistic {
        /// The axis, counted from the outermost.
        axis: usize,
    },
    /// The end value of a ramp is complex, and the data is real.
    EndValue {
        /// The axis, counted from the outermost.
        axis: usize,
        /// The type of the data.
        dtype: DType,
    },
    /// Elements of this type cannot be summed, so the plan has no adjoint.
    NotSummable {
        /// The element type, or `None` if it has no [`DType`].
        dtype: Option<DType>,
    },
    /// Borders of this mode are not a linear function of the data, so the plan has no adjoint.
    NotLinear {
        /// The name of the mode.
        mode: &'static str,
    },
    /// The spec negates sides, and the element type has no negative numbers.
    NotNegatable {
        /// The element type, or `None` if it has no [`DType`].
        dtype: Option<DType>,
    },
    /// The spec negates sides, and an axis has interior padding.
    NegatedInterior {
        /// The axis with interior padding, counted from the outermost.
        axis: usize,
        /// The elements to add to the axis.
        pad: AxisPad,
    },
    /// Two elements of the input have the same position in memory, so their gradients would overwrite each other.
    SharedInput {
        /// The axis, counted from the outermost, whose stride is shorter than the extent of the axes with smaller strides.
        axis: usize,
        /// The stride of the axis in elements.
        stride: isize,
        /// The length of the axis.
        length: usize,
    },
    /// The length of a gradient is not that of its tensor.
    GradientLength {
        /// The tensor whose gradient the slice holds.
        operand: Operand,
        /// The length of the tensor, in elements of the slice.
        expected: usize,
        /// The length of the slice.
        got: usize,
    },
    /// The length of a batch is no multiple of the length of an item.
    BatchLength {
        /// The name of the argument.
        name: &'static str,
        /// The number of elements of an item.
        item: usize,
        /// The length of the slice.
        got: usize,
    },
    /// The length of the gradient of the fill is not that of one element.
    FillLength {
        /// The bytes per element.
        expected: usize,
        /// The length of the slice.
        got: usize,
    },
    /// The scratch memory is too small.
    Scratch {
        /// The number of bytes that the call needs.
        needed: usize,
        /// The number of bytes of the given memory.
        got: usize,
    },
    /// The memory for the result could not be allocated.
    OutOfMemory {
        /// The requested number of bytes.
        bytes: usize,
    },
}

impl PadError {
    /// Returns the error for a fill that the data cannot have.
    pub(crate) fn fill_type(fill: &Fill, dtype: Option<DType>, bytes: usize) -> PadError {
        let mut bits = [0; 8];
        bits.iter_mut().zip(&fill.bytes).for_each(|(to, from)| *to = *from);
        let (fill_dtype, fill_bytes) = (fill.tag.dtype(), fill.bytes.len());
        PadError::FillType { dtype, bytes, fill_dtype, fill_bytes, fill_bits: u64::from_ne_bytes(bits) }
    }
}
