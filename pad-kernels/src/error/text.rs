//! The texts of [`PadError`].

use core::fmt;

use super::{Operand, PadError};
use crate::dtype::{DType, ElementSize};
use crate::exact::Number;

/// The advice for calls that convert an exact fill. Calls of frameworks do not.
pub(crate) const OR_EXACT: &str = ", or a number that this type holds exactly";

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
            PadError::FillType { bytes: 0, fill_dtype, .. } => write!(
                f,
                "the spec has a fill of {}, but the elements are cloned: leave it out, and pass the fill as an argument of the call",
                tag(fill_dtype)
            ),
            PadError::FillType { dtype, bytes, fill_dtype, fill_bytes, fill_bits } => {
                f.write_str("the fill ")?;
                let number = |dtype| Number::of(dtype, fill_bits.to_ne_bytes().get(..fill_bytes)?);
                match fill_dtype.and_then(number) {
                    Some(Number::Integer(value)) => write!(f, "{value} ")?,
                    Some(Number::Float(value)) => write!(f, "{value:?} ")?,
                    None => {}
                }
                write!(
                    f,
                    "is {} ({fill_bytes} bytes), but the data is {} ({bytes} bytes): give a value of the type of the data{}",
                    tag(fill_dtype),
                    tag(dtype),
                    if dtype == fill_dtype || matches!(dtype, None | Some(DType::Bool)) {
                        ""
                    } else {
                        OR_EXACT
                    }
                )
            }
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
            PadError::ElementType { plan, plan_bytes: 0, .. } => write!(
                f,
                "the plan was made for {}, whose elements share bytes: call run_bytes or to_vec_bytes",
                tag(plan)
            ),
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
                write!(f, "from offset {offset} on, an element would lie outside of memory: give another offset or index")
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
                "the output's strides leave holes, or a part of the last byte, which would stay uninitialised: run into an \
                 initialised slice",
            ),
            PadError::BorderInside { axis, pad } => write!(
                f,
                "axis {axis}: low {}, high {}, interior {} is no border in place: give widths of 0 or more, and no interior \
                 padding",
                pad.low, pad.high, pad.interior
            ),
            PadError::BorderType { dtype } => {
                write!(f, "elements of {dtype} have no border in place: pad into another array with a PadPlan")
            }
            PadError::SideCount { sides, shape } => write!(
                f,
                "sides of {sides} axes are chosen of an array that has {shape}: give (low, high) for each, outermost first"
            ),
            PadError::WindowCount { window, shape } => {
                write!(f, "a window of {window} axes in an output of {shape}: give one range per axis, outermost first")
            }
            PadError::WindowRange { axis, start, end, .. } if start > end => {
                write!(f, "axis {axis}: the window {start}..{end} starts after its end: give the start first")
            }
            PadError::WindowRange { axis, start, end, length } => {
                write!(f, "axis {axis}: the window {start}..{end} is not inside the output's 0..{length}")
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
            PadError::ArgumentCount { name: "lengths", given, shape } => write!(
                f,
                "lengths are given for {given} axes, but the shape has {shape}: give one entry per axis, outermost first, and \
                 AxisTo::KEEP for an axis that is not padded"
            ),
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
                 modes constant and empty can extend an empty axis",
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
            PadError::BatchLength { name, item, got } => write!(
                f,
                "`{name}` has length {got}, but an item of the batch has {item} elements: give a multiple of {item}"
            ),
            PadError::FillLength { expected, got } => {
                write!(f, "the gradient of the fill has length {got}, but an element has {expected} bytes")
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
