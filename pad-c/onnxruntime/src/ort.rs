//! onnxruntime's side: what it calls, and what is called of it and of pad-c. All `unsafe` code of the crate is here.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, OnceLock};
use std::{ptr, slice};

use ort_sys::{
    ONNXTensorElementDataType as Type, OrtApi, OrtApiBase, OrtCustomOp,
    OrtCustomOpInputOutputCharacteristic as Needed, OrtErrorCode, OrtKernelContext, OrtKernelInfo,
    OrtMemType, OrtSessionOptions, OrtStatusPtr, OrtValue,
};
use pad_c::types::{Axis, Dtype, Frame, Request, Status};
use pad_c::{Plan, raw};

use crate::node::{Node, Question, dtype};

/// The version of the interface that `ort-sys` declares without features.
const VERSION: u32 = ort_sys::ORT_API_VERSION;
const STRING: i32 = Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING as i32;
/// Lengths of pad-c are read and written as the runtime's.
const _: () = assert!(size_of::<usize>() == size_of::<i64>());

/// The functions of the runtime, which live as long as the process.
static API: OnceLock<&OrtApi> = OnceLock::new();

fn api() -> &'static OrtApi {
    API.get().expect("set when the library is loaded")
}

/// Calls a function of the runtime, and frees its status.
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

/// Turns an outcome, and a panic, into a status.
fn guard(call: impl FnOnce() -> Result<(), String>) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err("pad_kernels: a bug".into()));
    let Err(message) = outcome else { return OrtStatusPtr::default() };
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the runtime copies the message.
    unsafe { (api().CreateStatus)(OrtErrorCode::ORT_FAIL, message.as_ptr()) }
}

/// Turns the status of a pad-c call into a result.
fn done(status: Status) -> Result<(), String> {
    // SAFETY: the message lives until the next error of the thread.
    let message = || unsafe { CStr::from_ptr(raw::pad_last_error()) }.to_string_lossy().into_owned();
    if status == Status::Ok { Ok(()) } else { Err(message()) }
}

/// A plan of pad-c.
pub(crate) fn plan(question: &Question, axes: &[Axis]) -> Result<Box<Plan>, String> {
    let request = Request {
        dtype: question.dtype as i32,
        frame: Frame::Cropped as i32,
        rank: axes.len(),
        shape: question.shape.as_ptr(),
        axes: axes.as_ptr(),
        fill: question.fill.as_ref().map_or(ptr::null(), |fill| fill.as_ptr().cast()),
        ..Request::default()
    };
    let mut plan = MaybeUninit::new(None);
    // SAFETY: the arrays have `rank` entries, and the fill is an element of the type. There is a plan or none.
    let plan =
        unsafe { done(raw::pad_plan_new(Some(&request), Some(&mut plan))).map(|()| plan.assume_init()) }?;
    plan.ok_or_else(|| "pad_plan_new made no plan".into())
}

/// # Safety
///
/// - The buffers are as large as the plan says, and nothing else uses `dst`.
unsafe fn run(plan: &Plan, src: *const c_void, dst: *mut c_void) -> Result<(), String> {
    let sizes = raw::pad_plan_sizes(Some(plan));
    // SAFETY: the caller's promise.
    done(unsafe { raw::pad_run(Some(plan), None, src, sizes.src_bytes, dst, sizes.dst_bytes) })
}

/// A tensor of the runtime's. Text has no data.
struct Tensor {
    value: *mut OrtValue,
    number: i32,
    shape: Vec<usize>,
    data: *mut c_void,
}

impl Tensor {
    /// # Safety
    ///
    /// - `value` is a tensor of the runtime's.
    unsafe fn new(value: *mut OrtValue) -> Result<Tensor, String> {
        let (mut info, mut number, mut rank, mut data) = (ptr::null_mut(), 0, 0, ptr::null_mut());
        // SAFETY: the runtime writes one value for each pointer, and `rank` lengths. A type that Rust does not know is no value of its enum.
        unsafe {
            call!(GetTensorTypeAndShape, value, &mut info)?;
            let known = call!(GetTensorElementType, info, (&raw mut number).cast());
            let counted = call!(GetDimensionsCount, info, &mut rank);
            let mut shape = vec![0usize; rank];
            let measured = call!(GetDimensions, info, shape.as_mut_ptr().cast(), rank);
            (api().ReleaseTensorTypeAndShapeInfo)(info);
            known.and(counted).and(measured)?;
            if number != STRING {
                call!(GetTensorMutableData, value, &mut data)?;
            }
            Ok(Tensor { value, number, shape, data })
        }
    }

    /// # Safety
    ///
    /// - The tensor has so many elements of type `T`.
    unsafe fn elements<T: Clone>(&self, len: usize) -> Vec<T> {
        // SAFETY: the caller's promise; the runtime aligns tensors.
        if len == 0 { Vec::new() } else { unsafe { slice::from_raw_parts(self.data.cast(), len) }.to_vec() }
    }
}

/// An attribute of a node: `read` writes it, or its length only. An attribute that is not there is an error, and empty here.
fn attribute<T: Clone + Default>(read: impl Fn(*mut T, &mut usize) -> Result<(), String>) -> Vec<T> {
    let mut len = 0;
    let mut values = vec![T::default(); read(ptr::null_mut(), &mut len).map_or(0, |()| len)];
    if len > 0 && read(values.as_mut_ptr(), &mut len).is_ok() { values } else { Vec::new() }
}

/// # Safety
///
/// - `info` is what the runtime gives when it creates a kernel.
unsafe fn node(info: *const OrtKernelInfo) -> Result<Node, String> {
    let [mode, interior] = [c"mode", c"interior"].map(CStr::as_ptr);
    // SAFETY: the caller's promise, and as much is written as was asked for.
    let mode = attribute(|to: *mut u8, len| unsafe {
        call!(KernelInfoGetAttribute_string, info, mode, to.cast(), len)
    });
    // SAFETY: as above.
    let interior =
        attribute(|to, len| unsafe { call!(KernelInfoGetAttributeArray_int64, info, interior, to, len) });
    Node::new(String::from_utf8_lossy(&mode).trim_end_matches('\0'), &interior)
}

/// An input, or `None` if it is left out.
///
/// # Safety
///
/// - `context` is that of a call of the runtime's.
unsafe fn input(context: *mut OrtKernelContext, index: usize) -> Result<Option<Tensor>, String> {
    let (mut count, mut value) = (0, ptr::null());
    // SAFETY: the runtime writes one value for each pointer.
    unsafe {
        call!(KernelContext_GetInputCount, context, &mut count)?;
        if index < count {
            call!(KernelContext_GetInput, context, index, &mut value)?;
        }
        if value.is_null() { Ok(None) } else { Tensor::new(value.cast_mut()).map(Some) }
    }
}

/// # Safety
///
/// - `context` is that of a call of the runtime's, which has checked the inputs' types.
unsafe fn pad(node: &Node, context: *mut OrtKernelContext) -> Result<(), String> {
    // SAFETY:
    // - Pads and axes are of int64, and no input is written during the call.
    // - The plan is for the shape of the input, and the output is made for the plan.
    unsafe {
        let data = input(context, 0)?.ok_or("Pad has no data")?;
        let pads = input(context, 1)?.ok_or("Pad has no pads")?;
        let fill = input(context, 2)?.filter(|fill| !fill.shape.contains(&0));
        let is_one = |fill: &Tensor| fill.number == data.number && fill.shape.iter().all(|&n| n == 1);
        if !fill.as_ref().is_none_or(is_one) {
            return Err("constant_value is one element of the type of the data".into());
        }
        // A text tensor is padded as indices of its strings, and -1 stands for the fill.
        let is_text = data.number == STRING;
        let dtype = if is_text { Some((Dtype::I64, 8)) } else { dtype(data.number) };
        let (dtype, bytes) = dtype.ok_or_else(|| format!("Pad has no elements of type {}", data.number))?;
        let index = is_text.then(|| (-1i64).to_ne_bytes().to_vec());
        let integers = |tensor: Tensor| tensor.elements(tensor.shape.iter().product());
        let plan = node.plan(Question {
            dtype,
            shape: data.shape.clone(),
            pads: integers(pads),
            axes: input(context, 3)?.map(integers),
            fill: index.or_else(|| fill.as_ref().map(|fill| fill.elements(bytes))),
        })?;
        let (plan, mut output) = (&plan.1, ptr::null_mut());
        let sizes = raw::pad_plan_sizes(Some(plan));
        let dims = sizes.output_shape.cast();
        call!(KernelContext_GetOutput, context, 0, dims, sizes.rank, &mut output)?;
        if is_text {
            return pad_text(plan, &data, fill.as_ref(), output);
        }
        run(plan, data.data, Tensor::new(output)?.data)
    }
}

/// Pads the indices of strings, and copies the strings at these indices.
///
/// # Safety
///
/// - The tensors hold strings, the plan is for their shapes and pads elements of eight bytes.
unsafe fn pad_text(
    plan: &Plan,
    data: &Tensor,
    fill: Option<&Tensor>,
    output: *mut OrtValue,
) -> Result<(), String> {
    let indices: Vec<i64> = (0..data.shape.iter().product::<usize>() as i64).collect();
    let mut padded = vec![0i64; raw::pad_plan_sizes(Some(plan)).dst_bytes / 8];
    // SAFETY: as many indices as the plan says, and each is that of a string, which is copied to one that is as long.
    unsafe {
        run(plan, indices.as_ptr().cast(), padded.as_mut_ptr().cast())?;
        for (at, &index) in padded.iter().enumerate() {
            let from = if index < 0 { fill } else { Some(data) };
            let (index, mut len, mut start) = (index.max(0) as usize, 0, ptr::null_mut());
            if let Some(from) = from {
                call!(GetStringTensorElementLength, from.value, index, &mut len)?;
            }
            call!(GetResizedStringTensorElementBuffer, output, at, len, &mut start)?;
            if let Some(from) = from {
                call!(GetStringTensorElement, from.value, len, index, start.cast())?;
            }
        }
    }
    Ok(())
}

unsafe extern "system" fn create(
    _: *const OrtCustomOp,
    _: *const OrtApi,
    info: *const OrtKernelInfo,
    kernel: *mut *mut c_void,
) -> OrtStatusPtr {
    // SAFETY: the arguments are for this call.
    guard(|| unsafe { node(info).map(|node| kernel.write(Box::into_raw(Box::new(node)).cast())) })
}

unsafe extern "system" fn compute(kernel: *mut c_void, context: *mut OrtKernelContext) -> OrtStatusPtr {
    // SAFETY: a kernel that `create` made, and the context of this call.
    guard(|| unsafe { pad(&*kernel.cast::<Node>(), context) })
}

unsafe extern "system" fn destroy(kernel: *mut c_void) {
    // SAFETY: a kernel that `create` made, which is not used any more.
    drop(unsafe { Box::from_raw(kernel.cast::<Node>()) });
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

/// Pads and axes are of int64, and the data, the fill and the output of the operator's type.
unsafe extern "system" fn type_of(op: *const OrtCustomOp, index: usize) -> Type {
    match index {
        1 | 3 => Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
        // SAFETY: the runtime calls it with an operator of `PADS`, and all numbers from 1 to 26 are types.
        _ => unsafe { std::mem::transmute::<i32, Type>((*op.cast::<Operator>()).number) },
    }
}

unsafe extern "system" fn needed(_: *const OrtCustomOp, index: usize) -> Needed {
    if index < 2 { Needed::INPUT_OUTPUT_REQUIRED } else { Needed::INPUT_OUTPUT_OPTIONAL }
}

unsafe extern "system" fn memory(_: *const OrtCustomOp, _: usize) -> OrtMemType {
    OrtMemType::OrtMemTypeDefault
}

/// The operator for one type of elements. onnxruntime joins operators of one name.
#[repr(C)]
struct Operator {
    op: OrtCustomOp,
    /// The type's number.
    number: i32,
}

/// The operators for all types, in the order of their numbers.
static PADS: LazyLock<[Operator; 26]> = LazyLock::new(|| {
    // SAFETY: a version, and functions of which each may be missing.
    let none: OrtCustomOp = unsafe { std::mem::zeroed() };
    std::array::from_fn(|at| {
        let op = OrtCustomOp {
            // The first with `CreateKernelV2`.
            version: 16,
            GetName: Some(name),
            GetExecutionProviderType: Some(provider),
            GetInputType: Some(type_of),
            GetInputTypeCount: Some(count::<4>),
            GetOutputType: Some(type_of),
            GetOutputTypeCount: Some(count::<1>),
            KernelDestroy: Some(destroy),
            GetInputCharacteristic: Some(needed),
            GetOutputCharacteristic: Some(needed),
            GetInputMemoryType: Some(memory),
            CreateKernelV2: Some(create),
            KernelComputeV2: Some(compute),
            ..none
        };
        Operator { op, number: at as i32 + 1 }
    })
});

/// Adds the operator to a session's options. onnxruntime calls it when it loads the library.
///
/// # Safety
///
/// - onnxruntime calls it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn RegisterCustomOps(
    options: *mut OrtSessionOptions,
    base: *const OrtApiBase,
) -> OrtStatusPtr {
    // SAFETY: the runtime's functions live as long as the process. The domain belongs to the options' owner: it is needed as long as
    // any session, and never freed.
    unsafe {
        API.get_or_init(|| &*((*base).GetApi)(VERSION));
        guard(|| {
            let mut domain = ptr::null_mut();
            call!(CreateCustomOpDomain, c"pad_kernels".as_ptr(), &mut domain)?;
            // onnxruntime has no tensors of complex numbers, which are 14 and 15.
            for pad in PADS.iter().filter(|pad| ![14, 15].contains(&pad.number)) {
                call!(CustomOpDomain_Add, domain, &pad.op)?;
            }
            call!(AddCustomOpDomain, options, domain)
        })
    }
}
