//! The types that the header declares, and errors.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use pad_kernels::PadError;

/// The most axes of a request.
pub const PAD_MAX_RANK: usize = 64;
/// The most threads of a run.
pub const PAD_MAX_THREADS: usize = 1024;

/// The status that a call returns. Any value but `PAD_STATUS_OK` is an error; `pad_last_error` explains it.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call did what it says.
    Ok,
    /// A pointer is NULL, or not aligned for its type.
    Pointer,
    /// A number is none of its enum.
    UnknownValue,
    /// A size is not the one that the plan needs, or a rank or number of threads is out of bounds.
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

/// The type of an element: its name says whether it is a float (`F`), an integer with or without a sign (`I`, `U`) or
/// a complex number (`C`), and how many bits it has.
///
/// `BYTES` are `element_bytes` bytes of any meaning. `BF16` is the upper half of a binary32, and `BOOL` one byte, 0 or 1. A complex number
/// is its real part and then its imaginary part. 8-bit floats and `F4E2M1` are those of ONNX. Elements of 4 and of 2 bits are packed: the
/// first lies in the lowest bits of a byte. `BYTES` and `F8E8M0`, a power of two, have no zero: a fill is required.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[rustfmt::skip]
pub enum Dtype {
    Bytes, F64, F32, F16, Bf16, I8, I16, I32, I64, U8, U16, U32, U64, Bool, C64, C128,
    F8e4m3fn, F8e4m3fnuz, F8e5m2, F8e5m2fnuz, F8e8m0, I4, U4, F4e2m1, I2, U2,
}

/// Where the elements of a border come from.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The fill.
    Constant,
    /// The nearest element.
    Edge,
    /// The axis mirrored about its first and last element, as often as needed.
    Reflect,
    /// The axis mirrored about its outer edges, as often as needed.
    Symmetric,
    /// The axis repeated.
    Wrap,
}

/// The data that a border reads if the other side of its axis is cropped.
#[repr(i32)]
pub enum Frame {
    /// `PAD_FRAME_CROPPED` for wrap, and `PAD_FRAME_UNCROPPED` for all other modes.
    Default,
    /// The original axis, with the elements that are cropped.
    Uncropped,
    /// The cropped axis.
    Cropped,
}

/// The work of a run.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Pads the source into the destination.
    Pad,
    /// Writes the borders of the destination, whose interior is already filled, and nothing else. There is no source: its size is 0.
    /// The request has no negative or interior padding, no region and no packed type.
    Borders,
    /// Sums the gradient of the output, which is the source, into the gradient of the input, which is the destination.
    ///
    /// Each element of the source is added to the element that the padding read it from. The elements are numbers without strides.
    /// A run allocates memory for sums. If that memory is missing, the destination is zero.
    Adjoint,
}

/// The padding of one axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// Elements to add before the first; a negative number crops.
    pub low: i64,
    /// Elements to add after the last; a negative number crops.
    pub high: i64,
    /// Fill elements to insert between each two neighbours.
    pub interior: u64,
    /// The `pad_mode` before the first element.
    pub low_mode: i32,
    /// The `pad_mode` after the last element.
    pub high_mode: i32,
}

/// The tensor to pad, and how to pad it. Zero and NULL are the defaults, so begin with `pad_request request = {0}`.
///
/// The arrays have `rank` entries, the outermost axis first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// A `pad_task`.
    pub task: i32,
    /// A `pad_dtype`.
    pub dtype: i32,
    /// A `pad_frame`.
    pub frame: i32,
    /// Bytes per element for `PAD_DTYPE_BYTES`, and 0 for all other types.
    pub element_bytes: usize,
    /// The number of axes, at most `PAD_MAX_RANK`.
    pub rank: usize,
    /// The lengths of the input.
    pub shape: *const usize,
    /// The padding.
    pub axes: *const Axis,
    /// One element for constant borders and interior elements, or NULL for zero. It need not be aligned.
    /// An element of a packed type lies in the low bits of one byte.
    pub fill: *const c_void,
    /// Strides of the input in elements, or NULL for row-major order. They may be 0 or negative. Packed types have none.
    pub input_strides: *const isize,
    /// Strides of the output in elements, or NULL for row-major order. No two elements may share memory.
    pub output_strides: *const isize,
    /// The first index of a region of the output, or NULL. The plan then writes that region alone.
    pub region_start: *const usize,
    /// The index after the last one of that region. It is NULL exactly if `region_start` is NULL.
    pub region_end: *const usize,
}

/// The sizes that runs of a plan need.
#[repr(C)]
pub struct Sizes {
    /// The bytes of the source, from its lowest element to the end of its highest one.
    pub src_bytes: usize,
    /// The bytes of the destination, from its lowest element to the end of its highest one.
    pub dst_bytes: usize,
    /// The number of axes.
    pub rank: usize,
    /// The `rank` lengths of the output, or of its region. The array belongs to the plan.
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
        Failure::new(Status::Pointer, format!("{name} is NULL or not aligned"))
    }
}

impl From<PadError> for Failure {
    #[cold]
    fn from(error: PadError) -> Failure {
        use PadError::{GradientLength, Length, OutOfMemory};
        let (status, message) = match error {
            Length { operand, expected, got } | GradientLength { operand, expected, got } => {
                (Status::Size, format!("the {operand} has {got} bytes, and the plan needs {expected}"))
            }
            OutOfMemory { .. } => (Status::OutOfResources, error.to_string()),
            _ => (Status::Refused, error.to_string()),
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
    LAST.set(CString::new(failure.1).unwrap_or_default());
    failure.0
}

#[test]
fn panics_end_here() {
    assert_eq!(guard(|| panic!("{} times two", 2)), Status::Internal);
    LAST.with_borrow(|last| assert_eq!(last.to_str(), Ok("a bug of the library: 2 times two")));
    assert_eq!(guard(|| Err(PadError::OutOfMemory { bytes: 1 }.into())), Status::OutOfResources);
}
