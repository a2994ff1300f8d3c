//! The operator `Pad` of the domain `pad_kernels`, for onnxruntime. It uses the C interface of pad-kernels.
//!
//! The inputs and the attribute `mode` are those of ONNX Pad 25. The attribute `interior` has the interior padding of each axis, as in XLA.
//! This file calls onnxruntime and pad-c, and onnxruntime calls it. All `unsafe` code of the crate is here.

#[forbid(unsafe_code)]
mod node;

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, OnceLock};
use std::{ptr, slice};

use ort_sys::{
    ONNXTensorElementDataType as Type, OrtApi, OrtApiBase, OrtCustomOp,
    OrtCustomOpInputOutputCharacteristic as Needed, OrtErrorCode, OrtKernelContext, OrtKernelInfo,
    OrtMemType, OrtSessionOptions, OrtStatusPtr, OrtValue,
};
use pad_c::types::{Frame, Request, Status};
use pad_c::{Plan, pad_last_error, pad_plan_new, pad_plan_sizes, pad_run};
use seq_macro::seq;

use crate::node::{Node, Question, dtype};

const STRING: i32 = Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING as i32;
/// pad-c counts in `usize`, and the runtime counts in `i64`. The code converts pointers to one type into pointers to the other,
/// so both types must have the same size.
const _: () = assert!(size_of::<usize>() == size_of::<i64>());

/// The functions of the runtime. They live as long as the process.
static API: OnceLock<&OrtApi> = OnceLock::new();

fn api() -> &'static OrtApi {
    API.get().expect("set when the library is loaded")
}

type Outcome<T = ()> = Result<T, String>;

/// Calls a function of the runtime, and frees the status that it returns.
macro_rules! call {
    ($function:ident, $($argument:expr),*) => {{
        let status = (api().$function)($($argument),*);
        if status.0.is_null() {
            Ok(())
        } else {
            let message = CStr::from_ptr((api().GetErrorMessage)(status.0)).to_string_lossy().into_owned();
            (api().ReleaseStatus)(status.0);
            Err(message)
        }
    }};
}

/// Runs `call`, and turns an error or a panic into a status.
fn guard(call: impl FnOnce() -> Outcome) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err("pad_kernels: a bug".into()));
    let Err(message) = outcome else { return OrtStatusPtr::default() };
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the runtime copies the message.
    unsafe { (api().CreateStatus)(OrtErrorCode::ORT_FAIL, message.as_ptr()) }
}

/// Turns the status of a pad-c call into a result.
fn done(status: Status) -> Outcome {
    // SAFETY: the message lives until the next error on this thread.
    let message = || unsafe { CStr::from_ptr(pad_last_error()) }.to_string_lossy().into_owned();
    if status == Status::Ok { Ok(()) } else { Err(message()) }
}

/// Makes a plan of pad-c.
pub(crate) fn plan(Question { dtype, shape, axes, fill }: &Question) -> Outcome<Box<Plan>> {
    let request = Request {
        dtype: *dtype as i32,
        frame: Frame::Cropped as i32,
        rank: shape.len(),
        shape: shape.as_ptr(),
        axes: axes.as_ptr(),
        fill: fill.as_ref().map_or(ptr::null(), |fill| fill.as_ptr().cast()),
        ..Request::default()
    };
    let mut plan = None;
    // SAFETY: the arrays have `rank` entries, and the fill is an element of the type.
    unsafe { done(pad_plan_new(&request, &mut plan)) }?;
    plan.ok_or_else(|| "pad_plan_new made no plan".into())
}

/// A tensor of the runtime, for the duration of a call. A tensor of strings has no data.
struct Tensor<'a> {
    value: *mut OrtValue,
    number: i32,
    shape: &'a [usize],
    len: usize,
    data: *mut c_void,
}

impl<'a> Tensor<'a> {
    /// # Safety
    ///
    /// - `value` is a tensor of the runtime.
    unsafe fn new(value: *mut OrtValue) -> Outcome<Tensor<'a>> {
        let (mut number, mut shape, mut rank, mut data) = (0, ptr::null(), 0, ptr::null_mut());
        // SAFETY: the runtime writes one value to each pointer. The type is read as a number, because the Rust enum may lack the runtime's
        // value.
        unsafe {
            let kind = (&raw mut number).cast();
            call!(GetTensorElementTypeAndShapeDataReference, value, kind, &mut shape, &mut rank)?;
            if number != STRING {
                call!(GetTensorMutableData, value, &mut data)?;
            }
            let shape = if rank == 0 { &[][..] } else { slice::from_raw_parts(shape.cast(), rank) };
            Ok(Tensor { value, number, shape, len: shape.iter().product(), data })
        }
    }

    /// # Safety
    ///
    /// - The tensor has `len` values of type `T`, and nobody writes them during the call.
    unsafe fn values<T>(&self, len: usize) -> &'a [T] {
        // SAFETY: the caller says that the tensor has `len` values of type `T`, and the runtime aligns tensors.
        if len == 0 { &[] } else { unsafe { slice::from_raw_parts(self.data.cast(), len) } }
    }
}

/// Reads an attribute of a node. `read` writes the values. If the pointer is null, it writes only their number. If the node lacks
/// the attribute, the result is empty.
fn attribute<T: Clone + Default>(read: impl Fn(*mut T, &mut usize) -> Outcome) -> Vec<T> {
    let mut len = 0;
    let mut values = vec![T::default(); read(ptr::null_mut(), &mut len).map_or(0, |()| len)];
    if len > 0 && read(values.as_mut_ptr(), &mut len).is_ok() { values } else { Vec::new() }
}

unsafe extern "system" fn create(
    _: *const OrtCustomOp,
    _: *const OrtApi,
    info: *const OrtKernelInfo,
    kernel: *mut *mut c_void,
) -> OrtStatusPtr {
    let [mode, interior] = [c"mode", c"interior"].map(CStr::as_ptr);
    // SAFETY: the arguments are valid for this call, and the runtime writes at most the requested number of values.
    guard(|| unsafe {
        let mode =
            attribute(|to: *mut u8, len| call!(KernelInfoGetAttribute_string, info, mode, to.cast(), len));
        let interior = attribute(|to, len| call!(KernelInfoGetAttributeArray_int64, info, interior, to, len));
        let node = Node::new(String::from_utf8_lossy(&mode).trim_end_matches('\0'), &interior)?;
        kernel.write(Box::into_raw(Box::new(node)).cast());
        Ok(())
    })
}

unsafe extern "system" fn compute(kernel: *mut c_void, context: *mut OrtKernelContext) -> OrtStatusPtr {
    guard(|| {
        // If the node leaves out an input, the runtime returns null.
        let input = |index| {
            let mut value = ptr::null();
            // SAFETY: the runtime writes a pointer to a tensor, or null.
            unsafe {
                call!(KernelContext_GetInput, context, index, &mut value)?;
                if value.is_null() { Ok(None) } else { Tensor::new(value.cast_mut()).map(Some) }
            }
        };
        let data = input(0)?.ok_or("Pad has no data")?;
        let pads = input(1)?.ok_or("Pad has no pads")?;
        let fill = input(2)?.filter(|fill| fill.len > 0);
        if !fill.as_ref().is_none_or(|fill| fill.number == data.number && fill.len == 1) {
            return Err("constant_value is one element of the type of the data".into());
        }
        let unknown = || format!("Pad has no elements of type {}", data.number);
        let (dtype, bytes) = dtype(data.number).ok_or_else(unknown)?;
        let is_text = data.number == STRING;
        // SAFETY: pads and axes are `int64`, the fill is one element, and nobody writes the inputs during the call. `create` has made the
        // kernel.
        let plan = unsafe {
            let node = &*kernel.cast::<Node>();
            let list = input(3)?.map(|list| list.values(list.len));
            let axes = node.axes(data.shape.len(), pads.values(pads.len), list)?;
            // For strings, the plan pads indices, and the fill is the index -1.
            let fill =
                if is_text { Some(&[0xff; 8][..]) } else { fill.as_ref().map(|fill| fill.values(bytes)) };
            node.plan(Question { dtype, shape: data.shape.to_vec(), axes, fill: fill.map(<[u8]>::to_vec) })?
        };
        let (plan, mut output) = (&plan.1, ptr::null_mut());
        let sizes = pad_plan_sizes(Some(plan));
        let strings = |count| if is_text { count } else { 0 };
        let indices = Vec::from_iter(0..strings(data.len) as i64);
        let mut padded = vec![0i64; strings(sizes.dst_bytes / 8)];
        // SAFETY:
        // - The plan is for the shape of the input, and the output is made for the plan.
        // - The input has one index per string, so every padded index names a string or the fill.
        unsafe {
            call!(KernelContext_GetOutput, context, 0, sizes.output_shape.cast(), sizes.rank, &mut output)?;
            let text = (indices.as_ptr().cast(), padded.as_mut_ptr().cast());
            let (src, dst) = if is_text { text } else { (data.data.cast_const(), Tensor::new(output)?.data) };
            done(pad_run(Some(plan), 0, src, sizes.src_bytes, dst, sizes.dst_bytes))?;
            if is_text { copy_text(&padded, &data, fill.as_ref(), output) } else { Ok(()) }
        }
    })
}

unsafe extern "system" fn destroy(kernel: *mut c_void) {
    // SAFETY: `create` has made the kernel, and nobody uses it any more.
    drop(unsafe { Box::from_raw(kernel.cast::<Node>()) });
}

/// Copies the strings of `data` that `indices` name. A negative index names the fill.
///
/// # Safety
///
/// - The tensors hold strings. `data` has a string for each index, and the output has room for one string per index.
unsafe fn copy_text(
    indices: &[i64],
    data: &Tensor<'_>,
    fill: Option<&Tensor<'_>>,
    to: *mut OrtValue,
) -> Outcome {
    for (at, &index) in indices.iter().enumerate() {
        let (mut len, mut start) = (0, ptr::null_mut());
        // SAFETY: the caller says that the tensors hold these strings, and the runtime allocates as much as the string needs.
        unsafe {
            let Some(from) = (if index < 0 { fill } else { Some(data) }) else {
                call!(GetResizedStringTensorElementBuffer, to, at, 0, &mut start)?;
                continue;
            };
            let index = index.max(0) as usize;
            call!(GetStringTensorElementLength, from.value, index, &mut len)?;
            call!(GetResizedStringTensorElementBuffer, to, at, len, &mut start)?;
            call!(GetStringTensorElement, from.value, len, index, start.cast())?;
        }
    }
    Ok(())
}

unsafe extern "system" fn name(_: *const OrtCustomOp) -> *const c_char {
    c"Pad".as_ptr()
}

unsafe extern "system" fn provider(_: *const OrtCustomOp) -> *const c_char {
    ptr::null()
}

unsafe extern "system" fn count<const N: usize>(_: *const OrtCustomOp) -> usize {
    N
}

unsafe extern "system" fn needed(_: *const OrtCustomOp, index: usize) -> Needed {
    if index < 2 { Needed::INPUT_OUTPUT_REQUIRED } else { Needed::INPUT_OUTPUT_OPTIONAL }
}

unsafe extern "system" fn memory(_: *const OrtCustomOp, _: usize) -> OrtMemType {
    OrtMemType::OrtMemTypeDefault
}

/// Returns the type of an input. Pads and axes are `int64`. The data, the fill and the output have the type of the operator.
unsafe extern "system" fn type_of<const N: i32>(_: *const OrtCustomOp, index: usize) -> Type {
    match index {
        1 | 3 => Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
        // SAFETY: all numbers from 1 to 26 are types. Types 14 and 15 are complex, and onnxruntime has no tensors of them.
        _ => unsafe { std::mem::transmute::<i32, Type>(if N < 14 { N } else { N + 2 }) },
    }
}

/// Returns the operator for the `N`-th type, without complex types. onnxruntime treats operators of one name as one operator with several types.
fn operator<const N: i32>() -> OrtCustomOp {
    OrtCustomOp {
        // The first version that has `CreateKernelV2`.
        version: 16,
        GetName: Some(name),
        GetExecutionProviderType: Some(provider),
        GetInputType: Some(type_of::<N>),
        GetInputTypeCount: Some(count::<4>),
        GetOutputType: Some(type_of::<N>),
        GetOutputTypeCount: Some(count::<1>),
        KernelDestroy: Some(destroy),
        GetInputCharacteristic: Some(needed),
        GetOutputCharacteristic: Some(needed),
        GetInputMemoryType: Some(memory),
        CreateKernelV2: Some(create),
        KernelComputeV2: Some(compute),
        // SAFETY: the struct consists of a version number and optional functions, and zero bits are valid for both.
        ..unsafe { std::mem::zeroed() }
    }
}

/// The operators for all types of tensors.
static PADS: LazyLock<[OrtCustomOp; 24]> = LazyLock::new(|| seq!(N in 1..=24 { [#(operator::<N>(),)*] }));

/// Adds the operator to the options of a session. onnxruntime calls this function when it loads the library.
///
/// # Safety
///
/// - Only onnxruntime calls the function. It passes valid pointers to session options and to its API.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn RegisterCustomOps(
    options: *mut OrtSessionOptions,
    base: *const OrtApiBase,
) -> OrtStatusPtr {
    // SAFETY: the runtime's functions live as long as the process, and every version has `CreateStatus`. The domain must live as long as
    // any session, so it is never freed.
    unsafe {
        let Some(api) = ((*base).GetApi)(ort_sys::ORT_API_VERSION).as_ref() else {
            let message = c"pad_kernels needs onnxruntime 1.24 or later";
            return ((*((*base).GetApi)(1)).CreateStatus)(OrtErrorCode::ORT_FAIL, message.as_ptr());
        };
        API.get_or_init(|| api);
        guard(|| {
            let mut domain = ptr::null_mut();
            call!(CreateCustomOpDomain, c"pad_kernels".as_ptr(), &mut domain)?;
            for pad in &*PADS {
                call!(CustomOpDomain_Add, domain, pad)?;
            }
            call!(AddCustomOpDomain, options, domain)
        })
    }
}
