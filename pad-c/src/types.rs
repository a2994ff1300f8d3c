//! The types that the header declares.

use std::ffi::c_void;

/// The most axes of a request.
pub const PAD_MAX_RANK: usize = 64;

/// The most threads of a pool.
pub const PAD_MAX_THREADS: usize = 1024;

/// The status that a call returns. Any value but `PAD_STATUS_OK` is an error; `pad_last_error` explains it.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call did what it says.
    Ok = 0,
    /// A pointer is NULL, or not aligned for its type.
    Pointer = 1,
    /// A number is none of its enum.
    UnknownValue = 2,
    /// A size is not the one that the plan needs, or a rank or number of threads is out of bounds.
    Size = 3,
    /// The input and the output share memory.
    Overlap = 4,
    /// The padding itself is impossible, or this plan does not support the call.
    Refused = 5,
    /// There is too little memory, or there are too few threads.
    OutOfResources = 6,
    /// The library has a bug. It printed a message to standard error.
    Internal = 7,
}

/// The type of an element.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// `element_bytes` bytes of any meaning. A fill is required.
    Bytes = 0,
    /// IEEE 754 binary64.
    F64 = 1,
    /// IEEE 754 binary32.
    F32 = 2,
    /// IEEE 754 binary16.
    F16 = 3,
    /// The upper half of a binary32.
    Bf16 = 4,
    /// Signed 8-bit integer.
    I8 = 5,
    /// Signed 16-bit integer.
    I16 = 6,
    /// Signed 32-bit integer.
    I32 = 7,
    /// Signed 64-bit integer.
    I64 = 8,
    /// Unsigned 8-bit integer.
    U8 = 9,
    /// Unsigned 16-bit integer.
    U16 = 10,
    /// Unsigned 32-bit integer.
    U32 = 11,
    /// Unsigned 64-bit integer.
    U64 = 12,
    /// One byte, 0 or 1.
    Bool = 13,
    /// Two binary32: real, imaginary.
    C64 = 14,
    /// Two binary64: real, imaginary.
    C128 = 15,
    /// 8-bit float, 4 exponent bits, finite with NaN.
    F8e4m3fn = 16,
    /// 8-bit float, 4 exponent bits, no negative zero.
    F8e4m3fnuz = 17,
    /// 8-bit float, 5 exponent bits.
    F8e5m2 = 18,
    /// 8-bit float, 5 exponent bits, no negative zero.
    F8e5m2fnuz = 19,
    /// 8-bit power of two. A fill is required: the type has no zero.
    F8e8m0 = 20,
    /// Signed 4-bit integer. Two lie in a byte, the first in the low bits.
    I4 = 21,
    /// Unsigned 4-bit integer, packed as `PAD_DTYPE_I4`.
    U4 = 22,
    /// 4-bit float, packed as `PAD_DTYPE_I4`.
    F4e2m1 = 23,
    /// Signed 2-bit integer. Four lie in a byte, the first in the lowest bits.
    I2 = 24,
    /// Unsigned 2-bit integer, packed as `PAD_DTYPE_I2`.
    U2 = 25,
}

/// Where the elements of a border come from.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The fill.
    Constant = 0,
    /// The nearest element.
    Edge = 1,
    /// The axis mirrored about its first and last element, as often as needed.
    Reflect = 2,
    /// The axis mirrored about its outer edges, as often as needed.
    Symmetric = 3,
    /// The axis repeated.
    Wrap = 4,
}

/// The data that a border reads if the other side of its axis is cropped.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// `PAD_FRAME_CROPPED` for wrap, and `PAD_FRAME_UNCROPPED` for all other modes.
    Default = 0,
    /// The original axis, with the elements that are cropped.
    Uncropped = 1,
    /// The cropped axis.
    Cropped = 2,
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
#[derive(Clone, Copy, Debug)]
pub struct Request {
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
    /// Strides of the input in elements, or NULL for row-major order. They may be 0 or negative.
    pub input_strides: *const isize,
    /// Strides of the output in elements, or NULL for row-major order. No two elements may share memory.
    pub output_strides: *const isize,
    /// The first index of a region of the output, or NULL. The plan then writes that region alone.
    pub region_start: *const usize,
    /// The index after the last one of that region. It is NULL exactly if `region_start` is NULL.
    pub region_end: *const usize,
}
