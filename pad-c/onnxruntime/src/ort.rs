//! onnxruntime's side: what it calls, and what is called of it and of pad-c. All `unsafe` code of the crate is here.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use ort_sys::{
    ONNXTensorElementDataType as Type, OrtApi, OrtApiBase, OrtCustomOp,
    OrtCustomOpInputOutputCharacteristic as Needed, OrtErrorCode, OrtKernelContext, OrtKernelInfo,
    OrtMemType, OrtSessionOptions, OrtStatusPtr, OrtValue,
};
use pad_c::raw;
use pad_c::types::{Axis, Dtype, Frame, Request, Status};

use crate::node::{Node, Question, dtype};

/// The version of the interface that `ort-sys` declares without features.
const VERSION: u32 = ort_sys::ORT_API_VERSION;
const STRING: i32 = Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING as i32;

/// Turns the status of a pad-c call into a result.
fn done(status: Status) -> Result<(), String> {
    // SAFETY: the message lives until the next error of the thread.
    let message = || unsafe { CStr::from_ptr(raw::pad_last_error()) }.to_string_lossy().into_owned();
    if status == Status::Ok { Ok(()) } else { Err(message()) }
}

/// A plan of pad-c.
pub(crate) struct Plan {
    plan: *mut pad_c::Plan,
    output: Vec<i64>,
    bytes: [usize; 2],
}

// SAFETY: threads may share plans of pad-c, and any thread may free them.
unsafe impl Send for Plan {}
// SAFETY: as above.
unsafe impl Sync for Plan {}

impl Plan {
    pub(crate) fn new(question: &Question, axes: &[Axis]) -> Result<Plan, String> {
        let request = Request {
            dtype: question.dtype as i32,
            frame: Frame::Cropped as i32,
            element_bytes: 0,
            rank: axes.len(),
            shape: question.shape.as_ptr(),
            axes: axes.as_ptr(),
            fill: question.fill.as_ref().map_or(ptr::null(), |fill| fill.as_ptr().cast()),
            input_strides: ptr::null(),
            output_strides: ptr::null(),
            region_start: ptr::null(),
            region_end: ptr::null(),
        };
        let mut plan = Plan { plan: ptr::null_mut(), output: Vec::new(), bytes: [0; 2] };
        let mut shape = vec![0; axes.len()];
        // SAFETY: the arrays have `rank` entries, and the fill is an element of the type.
        unsafe {
            done(raw::pad_plan_new(&request, &mut plan.plan))?;
            done(raw::pad_plan_output_shape(plan.plan, shape.as_mut_ptr(), shape.len()))?;
            plan.bytes = [raw::pad_plan_input_bytes(plan.plan), raw::pad_plan_output_bytes(plan.plan)];
        }
        plan.output = shape.into_iter().map(|length| length as i64).collect();
        Ok(plan)
    }

    /// # Safety
    ///
    /// - The buffers are as large as the plan says, and nothing else uses `dst`.
    unsafe fn run(&self, src: *const u8, dst: *mut u8) -> Result<(), String> {
        let [read, written] = self.bytes;
        // SAFETY: the caller's promise.
        done(unsafe { raw::pad_run(self.plan, ptr::null(), src.cast(), read, dst.cast(), written) })
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: no call uses a plan that is dropped.
        unsafe { raw::pad_plan_free(self.plan) };
    }
}

/// A node, and the functions of the runtime that created it.
struct Kernel {
    api: &'static OrtApi,
    node: Node,
}

/// A tensor of the runtime's.
struct Tensor {
    value: *mut OrtValue,
    number: i32,
    shape: Vec<usize>,
    data: *mut u8,
}

impl Tensor {
    /// # Safety
    ///
    /// - The tensor has elements of type `T`, which nothing writes for `'a`.
    unsafe fn elements<'a, T>(&self) -> &'a [T] {
        let len = self.shape.iter().product();
        // SAFETY: the caller's promise; the runtime aligns tensors.
        if len == 0 { &[] } else { unsafe { slice::from_raw_parts(self.data.cast(), len) } }
    }
}

/// The message of a status, which is freed.
///
/// # Safety
///
/// - The status is one of the runtime's that is not freed yet, or null.
unsafe fn checked(api: &OrtApi, status: OrtStatusPtr) -> Result<(), String> {
    if status.0.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe {
        let message = CStr::from_ptr((api.GetErrorMessage)(status.0)).to_string_lossy().into_owned();
        (api.ReleaseStatus)(status.0);
        Err(message)
    }
}

/// Turns an outcome, and a panic, into a status.
fn guard(api: &OrtApi, call: impl FnOnce() -> Result<(), String>) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Err("pad_kernels: a bug".into()));
    match outcome {
        Ok(()) => OrtStatusPtr::default(),
        Err(message) => {
            let message = CString::new(message).unwrap_or_default();
            // SAFETY: the runtime copies the message.
            unsafe { (api.CreateStatus)(OrtErrorCode::ORT_FAIL, message.as_ptr()) }
        }
    }
}

impl Kernel {
    /// # Safety
    ///
    /// - `info` is what the runtime gives when it creates a kernel.
    unsafe fn new(api: &'static OrtApi, info: *const OrtKernelInfo) -> Result<Kernel, String> {
        let (mut mode, mut interior, mut len) = (Vec::<u8>::new(), Vec::<i64>::new(), 0);
        // SAFETY: asked for a length first, and then for so many. An attribute that is not there is an error, and empty here.
        unsafe {
            let name = c"mode".as_ptr();
            if checked(api, (api.KernelInfoGetAttribute_string)(info, name, ptr::null_mut(), &mut len))
                .is_ok()
            {
                mode.resize(len, 0);
                checked(
                    api,
                    (api.KernelInfoGetAttribute_string)(info, name, mode.as_mut_ptr().cast(), &mut len),
                )?;
                mode.truncate(len.saturating_sub(1));
            }
            let name = c"interior".as_ptr();
            if checked(api, (api.KernelInfoGetAttributeArray_int64)(info, name, ptr::null_mut(), &mut len))
                .is_ok()
            {
                interior.resize(len, 0);
                checked(
                    api,
                    (api.KernelInfoGetAttributeArray_int64)(info, name, interior.as_mut_ptr(), &mut len),
                )?;
            }
        }
        Ok(Kernel { api, node: Node::new(&String::from_utf8_lossy(&mode), interior)? })
    }

    /// # Safety
    ///
    /// - `value` is a tensor of the runtime's.
    unsafe fn tensor(&self, value: *mut OrtValue) -> Result<Tensor, String> {
        let api = self.api;
        let (mut info, mut number, mut rank, mut data) = (ptr::null_mut(), 0, 0, ptr::null_mut());
        // SAFETY: the runtime writes one value for each pointer, and `rank` lengths.
        unsafe {
            checked(api, (api.GetTensorTypeAndShape)(value, &mut info))?;
            // A type that Rust does not know is no value of its enum.
            let known = checked(api, (api.GetTensorElementType)(info, (&raw mut number).cast()))
                .and_then(|()| checked(api, (api.GetDimensionsCount)(info, &mut rank)));
            let mut shape = vec![0i64; rank];
            let known =
                known.and_then(|()| checked(api, (api.GetDimensions)(info, shape.as_mut_ptr(), rank)));
            (api.ReleaseTensorTypeAndShapeInfo)(info);
            known?;
            if number != STRING {
                checked(api, (api.GetTensorMutableData)(value, &mut data))?;
            }
            let shape = shape.into_iter().map(|length| length as usize).collect();
            Ok(Tensor { value, number, shape, data: data.cast() })
        }
    }

    /// An input, or `None` if it is left out.
    ///
    /// # Safety
    ///
    /// - `context` is that of a call of the runtime's.
    unsafe fn input(&self, context: *mut OrtKernelContext, index: usize) -> Result<Option<Tensor>, String> {
        let (mut count, mut value) = (0, ptr::null());
        // SAFETY: the runtime writes one value for each pointer.
        unsafe {
            checked(self.api, (self.api.KernelContext_GetInputCount)(context, &mut count))?;
            if index < count {
                checked(self.api, (self.api.KernelContext_GetInput)(context, index, &mut value))?;
            }
            if value.is_null() { Ok(None) } else { self.tensor(value.cast_mut()).map(Some) }
        }
    }

    /// # Safety
    ///
    /// - `context` is that of a call of the runtime's, which has checked the inputs' types.
    unsafe fn compute(&self, context: *mut OrtKernelContext) -> Result<(), String> {
        // SAFETY:
        // - Pads and axes are of int64, and no input is written during the call.
        // - The plan is for the shape of the input, and the output is made for the plan.
        unsafe {
            let data = self.input(context, 0)?.ok_or("Pad has no data")?;
            let pads = self.input(context, 1)?.ok_or("Pad has no pads")?;
            let fill = self.input(context, 2)?.filter(|fill| !fill.shape.contains(&0));
            if fill
                .as_ref()
                .is_some_and(|fill| fill.number != data.number || fill.shape.iter().any(|&n| n > 1))
            {
                return Err("constant_value is one element of the type of the data".into());
            }
            let is_text = data.number == STRING;
            let dtype = if is_text { Some(Dtype::I64) } else { dtype(data.number) };
            let dtype = dtype.ok_or_else(|| format!("Pad has no elements of type {}", data.number))?;
            let fill_bytes = fill.as_ref().filter(|_| !is_text).map(|fill| {
                let bytes = Tensor { shape: vec![element_bytes(dtype)], ..*fill };
                bytes.elements::<u8>().to_vec()
            });
            let plan = self.node.plan(Question {
                dtype,
                shape: data.shape.clone(),
                pads: pads.elements().to_vec(),
                axes: self.input(context, 3)?.map(|axes| axes.elements().to_vec()),
                // An index into the strings, and the fill after all of them.
                fill: if is_text { Some((-1i64).to_ne_bytes().to_vec()) } else { fill_bytes },
            })?;
            let plan = &plan.1;
            let mut output = ptr::null_mut();
            let (dims, rank) = (plan.output.as_ptr(), plan.output.len());
            checked(self.api, (self.api.KernelContext_GetOutput)(context, 0, dims, rank, &mut output))?;
            let output = self.tensor(output)?;
            if is_text {
                self.pad_text(plan, &data, fill.as_ref(), &output)
            } else {
                plan.run(data.data, output.data)
            }
        }
    }

    /// Pads indices, and copies the strings that they say.
    ///
    /// # Safety
    ///
    /// - The tensors hold strings, the plan is for their shapes and pads elements of eight bytes.
    unsafe fn pad_text(
        &self,
        plan: &Plan,
        data: &Tensor,
        fill: Option<&Tensor>,
        output: &Tensor,
    ) -> Result<(), String> {
        // SAFETY: the caller's promise.
        let (strings, fill) =
            unsafe { (self.strings(data)?, fill.map(|fill| self.strings(fill)).transpose()?) };
        let fill = fill.unwrap_or_else(|| vec![Vec::new()]);
        let indices: Vec<i64> = (0..strings.len() as i64).collect();
        let mut padded = vec![0i64; plan.bytes[1] / 8];
        // SAFETY: as many indices as the plan says.
        unsafe { plan.run(indices.as_ptr().cast(), padded.as_mut_ptr().cast())? };
        for (at, &index) in padded.iter().enumerate() {
            let string = usize::try_from(index).map_or(&fill[0], |index| &strings[index]);
            let mut start = ptr::null_mut();
            // SAFETY: the output has such an element, which becomes as long as the string.
            unsafe {
                let resized = self.api.GetResizedStringTensorElementBuffer;
                checked(self.api, resized(output.value, at, string.len(), &mut start))?;
                ptr::copy_nonoverlapping(string.as_ptr(), start.cast(), string.len());
            }
        }
        Ok(())
    }

    /// # Safety
    ///
    /// - The tensor holds strings.
    unsafe fn strings(&self, tensor: &Tensor) -> Result<Vec<Vec<u8>>, String> {
        let mut len = 0;
        let mut starts = vec![0; tensor.shape.iter().product()];
        // SAFETY: the runtime writes `len` bytes and one start for each string.
        let bytes = unsafe {
            checked(self.api, (self.api.GetStringTensorDataLength)(tensor.value, &mut len))?;
            let mut bytes = vec![0u8; len];
            let (start, count) = (bytes.as_mut_ptr().cast(), starts.len());
            checked(
                self.api,
                (self.api.GetStringTensorContent)(tensor.value, start, len, starts.as_mut_ptr(), count),
            )?;
            bytes
        };
        let ends = starts.iter().skip(1).copied().chain([len]);
        Ok(starts.iter().zip(ends).map(|(&start, end)| bytes[start..end].to_vec()).collect())
    }
}

/// The bytes of a fill.
fn element_bytes(dtype: Dtype) -> usize {
    use Dtype::*;
    match dtype {
        C128 => 16,
        F64 | I64 | U64 | C64 => 8,
        F32 | I32 | U32 => 4,
        F16 | Bf16 | I16 | U16 => 2,
        _ => 1,
    }
}

unsafe extern "system" fn create(
    _: *const OrtCustomOp,
    api: *const OrtApi,
    info: *const OrtKernelInfo,
    kernel: *mut *mut c_void,
) -> OrtStatusPtr {
    // SAFETY: the runtime's functions live as long as the process, and the rest is for this call.
    unsafe {
        let api = &*api;
        guard(api, || {
            kernel.write(Box::into_raw(Box::new(Kernel::new(api, info)?)).cast());
            Ok(())
        })
    }
}

unsafe extern "system" fn compute(kernel: *mut c_void, context: *mut OrtKernelContext) -> OrtStatusPtr {
    // SAFETY: a kernel that `create` made, and the context of this call.
    unsafe {
        let kernel = &*kernel.cast::<Kernel>();
        guard(kernel.api, || kernel.compute(context))
    }
}

unsafe extern "system" fn destroy(kernel: *mut c_void) {
    // SAFETY: a kernel that `create` made, which is not used any more.
    drop(unsafe { Box::from_raw(kernel.cast::<Kernel>()) });
}

unsafe extern "system" fn name(_: *const OrtCustomOp) -> *const c_char {
    c"Pad".as_ptr()
}

unsafe extern "system" fn provider(_: *const OrtCustomOp) -> *const c_char {
    ptr::null()
}

/// Pads and axes are of int64, and the data, the fill and the output of the operator's type.
unsafe extern "system" fn type_of(op: *const OrtCustomOp, index: usize) -> Type {
    match index {
        1 | 3 => Type::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
        // SAFETY: the runtime calls it with an operator of `PADS`, and all numbers from 1 to 26 are types.
        _ => unsafe { std::mem::transmute::<i32, Type>((*op.cast::<Operator>()).number) },
    }
}

unsafe extern "system" fn inputs(_: *const OrtCustomOp) -> usize {
    4
}

unsafe extern "system" fn outputs(_: *const OrtCustomOp) -> usize {
    1
}

unsafe extern "system" fn needed(_: *const OrtCustomOp, index: usize) -> Needed {
    if index < 2 { Needed::INPUT_OUTPUT_REQUIRED } else { Needed::INPUT_OUTPUT_OPTIONAL }
}

unsafe extern "system" fn memory(_: *const OrtCustomOp, _: usize) -> OrtMemType {
    OrtMemType::OrtMemTypeDefault
}

unsafe extern "system" fn one(_: *const OrtCustomOp) -> c_int {
    1
}

unsafe extern "system" fn newest(_: *const OrtCustomOp) -> c_int {
    c_int::MAX
}

/// The operator for one type of elements. onnxruntime joins operators of one name.
#[repr(C)]
#[derive(Clone, Copy)]
struct Operator {
    op: OrtCustomOp,
    /// The type's number.
    number: i32,
}

const fn operator(number: i32) -> Operator {
    let op = OrtCustomOp {
        version: VERSION,
        CreateKernel: None,
        GetName: Some(name),
        GetExecutionProviderType: Some(provider),
        GetInputType: Some(type_of),
        GetInputTypeCount: Some(inputs),
        GetOutputType: Some(type_of),
        GetOutputTypeCount: Some(outputs),
        KernelCompute: None,
        KernelDestroy: Some(destroy),
        GetInputCharacteristic: Some(needed),
        GetOutputCharacteristic: Some(needed),
        GetInputMemoryType: Some(memory),
        GetVariadicInputMinArity: Some(one),
        GetVariadicInputHomogeneity: Some(one),
        GetVariadicOutputMinArity: Some(one),
        GetVariadicOutputHomogeneity: Some(one),
        CreateKernelV2: Some(create),
        KernelComputeV2: Some(compute),
        InferOutputShapeFn: None,
        GetStartVersion: Some(one),
        GetEndVersion: Some(newest),
    };
    Operator { op, number }
}

/// The operators for all types, in the order of their numbers.
static PADS: [Operator; 26] = {
    let (mut pads, mut number) = ([operator(1); 26], 2);
    while number <= 26 {
        pads[number as usize - 1] = operator(number);
        number += 1;
    }
    pads
};

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
        let api = &*((*base).GetApi)(VERSION);
        guard(api, || {
            let mut domain = ptr::null_mut();
            checked(api, (api.CreateCustomOpDomain)(c"pad_kernels".as_ptr(), &mut domain))?;
            // onnxruntime has no tensors of complex numbers, which are 14 and 15.
            for pad in PADS.iter().filter(|pad| ![14, 15].contains(&pad.number)) {
                checked(api, (api.CustomOpDomain_Add)(domain, &pad.op))?;
            }
            checked(api, (api.AddCustomOpDomain)(options, domain))
        })
    }
}
