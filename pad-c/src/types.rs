//! The types that the header declares, and errors.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use pad_kernels::{PadError, tensor::Operand};

/// The maximum number of axes of a request.
pub const PAD_MAX_RANK: usize = 64;
/// The maximum number of threads of a run.
pub const PAD_MAX_THREADS: usize = 1024;

/// The status that a call returns. Every value except `PAD_STATUS_OK` is an error, which `pad_last_error` explains.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok,
    /// A pointer is NULL, or not aligned for its type.
    Pointer,
    /// A number is not a value of its enum.
    UnknownValue,
    /// A size is not the one that the plan needs, or a rank or a number of threads is too large.
    Size,
    /// The source and the destination share memory.
    Overlap,
    /// The padding itself is impossible, or the library does not support the request.
    Refused,
    /// There is too little memory, or there are too few threads.
    OutOfResources,
    /// The library has a bug. It printed a message to standard error.
    Internal,
}

/// The type of an element. Names with `F` mean floats, `I` integers with a sign, `U` integers without a sign, and `C`
/// complex numbers. The number after the letter is the number of bits.
///
/// An element of type `BYTES` has `element_bytes` bytes of any meaning. `BF16` is the upper half of a 32-bit float. `BOOL`
/// is one byte, 0 or 1. A complex number has its real part first, and then its imaginary part. The 8-bit floats and
/// `F4E2M1` are those of ONNX. Elements of 4 and of 2 bits are packed, and the first element is in the lowest bits of a
/// byte. `F8E8M0` is a power of two. `BYTES` and `F8E8M0` have no zero, so a request with mode constant or interior padding
/// must have a `fill`.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[rustfmt::skip]
pub enum Dtype {
    Bytes, F64, F32, F16, Bf16, I8, I16, I32, I64, U8, U16, U32, U64, Bool, C64, C128,
    F8e4m3fn, F8e4m3fnuz, F8e5m2, F8e5m2fnuz, F8e8m0, I4, U4, F4e2m1, I2, U2,
}

/// The rule that determines the elements of a border.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every element is the fill.
    Constant,
    /// Every element is a copy of the nearest element of the axis.
    Edge,
    /// The border mirrors the axis about its first and its last element, as often as needed.
    Reflect,
    /// The border mirrors the axis about its outer edges, as often as needed.
    Symmetric,
    /// The border repeats the axis.
    Wrap,
}

// A new mode of the library needs a name in the header.
const _: () = assert!(pad_kernels::PadMode::ALL.len() == Mode::Wrap as usize + 1);

/// The data that a border reads if the other side of its axis is cropped.
#[repr(i32)]
pub enum Frame {
    /// `PAD_FRAME_CROPPED` in mode wrap, and `PAD_FRAME_UNCROPPED` in all other modes.
    Default,
    /// The border reads the original axis, which includes the cropped elements.
    Uncropped,
    /// The border reads the cropped axis.
    Cropped,
}

/// The work that a run does.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Pads the source into the destination.
    Pad,
    /// Writes only the borders of the destination, from its interior, which must already have its elements. There is no source,
    /// so `src_bytes` is 0. The request must have no negative or interior padding, no region and no packed type.
    Borders,
    /// Sums the gradient of the output, which is the source, and writes the gradient of the input, which is the destination.
    ///
    /// If the padding copies an element of the input to an element of the output, the gradient of the output element is added
    /// to the gradient of the input element. The elements must be numbers, without strides. A run allocates memory for sums. If
    /// this memory cannot be allocated, or if threads cannot be started, the run fails, and the destination is filled with zeros.
    Adjoint,
}

/// The padding of one axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// The number of elements to add before the first element. A negative number removes elements.
    pub low: i64,
    /// The number of elements to add after the last element. A negative number removes elements.
    pub high: i64,
    /// The number of fill elements to insert between each two neighbours.
    pub interior: u64,
    /// The `pad_mode` of the border before the first element.
    pub low_mode: i32,
    /// The `pad_mode` of the border after the last element.
    pub high_mode: i32,
}

/// The tensor to pad, and how to pad it. Zero and NULL are the defaults, so begin with `pad_request request = {0}`.
///
/// Each array except `fill` has `rank` entries, the outermost axis first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// A `pad_task`.
    pub task: i32,
    /// A `pad_dtype`.
    pub dtype: i32,
    /// A `pad_frame`.
    pub frame: i32,
    /// The number of bytes per element for `PAD_DTYPE_BYTES`, and 0 for all other types.
    pub element_bytes: usize,
    /// The number of axes, at most `PAD_MAX_RANK`.
    pub rank: usize,
    /// The length of the input along each axis.
    pub shape: *const usize,
    /// The padding of each axis.
    pub axes: *const Axis,
    /// The element for constant borders and interior padding, or NULL for zero. The pointer need not be aligned. If the type is
    /// packed, the element is in the lowest bits of one byte.
    pub fill: *const c_void,
    /// The strides of the input in elements, or NULL for row-major order. They may be 0 or negative. For packed types, give
    /// NULL.
    pub input_strides: *const isize,
    /// The strides of the output in elements, or NULL for row-major order. No two elements may share memory. For packed types,
    /// give NULL.
    pub output_strides: *const isize,
    /// The first index of a region of the output along each axis, or NULL for the whole output. With a region, the destination
    /// and the strides of the output are those of the region. The source is the whole input.
    pub region_start: *const usize,
    /// The index after the last index of the region along each axis. It must be NULL exactly if `region_start` is NULL.
    pub region_end: *const usize,
}

/// The sizes of the buffers that runs of a plan need, and the shape of the output.
#[repr(C)]
pub struct Sizes {
    /// The number of bytes of the source, from the element at the lowest address to the end of the element at the highest
    /// address.
    pub src_bytes: usize,
    /// The number of bytes of the destination, from the element at the lowest address to the end of the element at the highest
    /// address.
    pub dst_bytes: usize,
    /// The number of axes.
    pub rank: usize,
    /// The `rank` lengths of the output, or of the region. The array belongs to the plan.
    pub output_shape: *const usize,
}

/// An error before it is returned to C. A pointer, so that a `Result` is one register.
pub(crate) struct Failure(Box<(Status, String)>);

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    #[cold]
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Failure {
        Failure(Box::new((status, message.into())))
    }

    #[cold]
    pub(crate) fn null(name: &str) -> Failure {
        Failure::new(Status::Pointer, format!("{name} is NULL"))
    }
}

impl From<PadError> for Failure {
    #[cold]
    fn from(error: PadError) -> Failure {
        use PadError::{BorderType, Length, OutOfMemory, StrideRange, WindowRange};
        let (status, message) = match error {
            Length { operand, expected, got } => {
                let name = if operand == Operand::Input { "src_bytes" } else { "dst_bytes" };
                (Status::Size, format!("{name} is {got}, and the plan needs {expected}"))
            }
            OutOfMemory { .. } => (Status::OutOfResources, error.to_string()),
            BorderType { dtype } => {
                (Status::Refused, format!("PAD_TASK_BORDERS takes no elements of {dtype}: use PAD_TASK_PAD"))
            }
            StrideRange { operand, axis, stride, length } => (
                Status::Refused,
                format!("axis {axis} of the {operand}: stride {stride} and length {length} exceed memory"),
            ),
            WindowRange { axis, start, end, length } => (
                Status::Refused,
                format!(
                    "axis {axis}: region_start is {start} and region_end {end}, not within 0 to {length}"
                ),
            ),
            _ => (Status::Refused, error.to_string().replace("a type without a DType", "PAD_DTYPE_BYTES")),
        };
        Failure::new(status, message)
    }
}

/// Returns an error from a function unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $status:ident, $($message:tt)*) => {
        if !$holds {
            return Err(Failure::new(Status::$status, format!($($message)*)));
        }
    };
}
pub(crate) use ensure;

thread_local! {
    /// The message of the last error of this thread.
    pub(crate) static LAST: RefCell<CString> = RefCell::default();
}

/// Turns the outcome of `call`, and a panic, into a status, and keeps the message of an error.
#[inline]
pub(crate) fn guard(call: impl FnOnce() -> Outcome) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Ok,
        outcome => record(outcome),
    }
}

#[cold]
fn record(outcome: thread::Result<Outcome>) -> Status {
    let outcome = outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
        Err(Failure::new(Status::Internal, format!("a bug of the library: {text}")))
    });
    let Err(Failure(failure)) = outcome else { return Status::Ok };
    let (status, message) = *failure;
    // While a thread ends, there is no place for the message.
    let _ = LAST.try_with(|last| last.replace(CString::new(message).unwrap_or_default()));
    status
}

#[test]
fn panics_end_here() {
    assert_eq!(guard(|| panic!("{} times two", 2)), Status::Internal);
    LAST.with_borrow(|last| assert_eq!(last.to_str(), Ok("a bug of the library: 2 times two")));
    assert_eq!(guard(|| Err(PadError::OutOfMemory { bytes: 1 }.into())), Status::OutOfResources);
}
