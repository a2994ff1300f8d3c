//! Accesses the memory of numpy arrays and torch tensors. All `unsafe` code of this package is here.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::{Arc, Mutex, TryLockError};

use numpy::npyffi::{NPY_ARRAY_WRITEABLE, NpyTypes, get_type_object, npy_intp};
use numpy::{PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pad_kernels::{
    AdjointPlan, BorderPlan, PadError,
    tensor::{RawInput, RawOutput},
};
use pyo3::exceptions::{PyImportError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple, PyType};
use rayon::ThreadPool;

use crate::request::{Axes, Lies, Places, Plan, Prepared, Way};

/// The minimum size of an output, in bytes, that is written without the GIL. To release and take the GIL again costs 40 ns, a hundredth of
/// the time for an output of this size.
const DETACHED_FROM: usize = 64 << 10;

/// The minimum size of an output, in bytes, that several threads write. The library would write a smaller one on one thread.
const SHARED_FROM: usize = 1 << 20;

/// Returns the object as an array if its type is `numpy.ndarray`. Returns `None` for subclasses and for other types.
pub(crate) fn exact<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    // SAFETY: numpy's table contains this type. If the table could not be loaded, an earlier call has failed.
    let array_type = unsafe { get_type_object(object.py(), NpyTypes::PyArray_Type) };
    // SAFETY: every object has a type.
    if unsafe { ffi::Py_TYPE(object.as_ptr()) } != array_type {
        return None;
    }
    // SAFETY: the check above has compared the type of the object.
    Some(unsafe { object.cast_unchecked() })
}

/// Returns the dtype and the bytes of a numpy scalar: a number, a date or a duration of at most 16 bytes.
pub(crate) fn scalar<'py>(object: &Bound<'py, PyAny>) -> Option<(Bound<'py, PyArrayDescr>, [u8; 16])> {
    let py = object.py();
    // SAFETY: numpy's table contains this type. If the table could not be loaded, an earlier call has failed.
    let scalar_type = unsafe { get_type_object(py, NpyTypes::PyGenericArrType_Type) };
    // SAFETY: both are live objects, and the second one is a type.
    if unsafe { ffi::PyObject_TypeCheck(object.as_ptr(), scalar_type) } == 0 {
        return None;
    }
    // SAFETY:
    // - The object is a numpy scalar.
    // - The function returns a new reference to a dtype, or null with an error, which `ok` clears.
    let dtype = unsafe {
        let dtype = PY_ARRAY_API.PyArray_DescrFromScalar(py, object.as_ptr());
        Bound::from_owned_ptr_or_err(py, dtype.cast()).ok()?.cast_into_unchecked::<PyArrayDescr>()
    };
    // The accepted types are bool, dates, durations, and all numbers except real and complex long double.
    if !matches!(dtype.num(), 0..=12 | 14..=15 | 21..=23) || dtype.itemsize() > 16 {
        return None;
    }
    let mut bytes = [0; 16];
    // SAFETY: a scalar of this dtype writes `itemsize` bytes, and the array has at least that many.
    unsafe { PY_ARRAY_API.PyArray_ScalarAsCtype(py, object.as_ptr(), bytes.as_mut_ptr().cast()) };
    Some((dtype, bytes))
}

/// Returns the memory layout of an array. Returns `None` if a stride is not a whole number of elements, as in fields of records.
pub(crate) fn lies(array: &Bound<'_, PyUntypedArray>, item: usize) -> Option<Lies> {
    if array.is_c_contiguous() {
        return Some(Lies::Rows);
    }
    if array.is_fortran_contiguous() {
        return Some(Lies::Columns);
    }
    let item = item as isize;
    let mut strides = Axes::new();
    for (&stride, &length) in array.strides().iter().zip(array.shape()) {
        match stride {
            _ if length <= 1 => strides.push(0),
            stride if stride % item == 0 => strides.push(stride / item),
            _ => return None,
        }
    }
    Some(Lies::Strides(strides))
}

/// Returns a row-major copy of the array.
pub(crate) fn copy<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let (py, order) = (array.py(), numpy::npyffi::NPY_ORDER::NPY_CORDER);
    // SAFETY: the argument is an array. The function returns a new array or an error.
    unsafe {
        let copy = PY_ARRAY_API.PyArray_NewCopy(py, array.as_array_ptr(), order);
        Ok(Bound::from_owned_ptr_or_err(py, copy)?.cast_into_unchecked())
    }
}

/// Returns a new array with uninitialised elements, in column-major order if `columns` is true.
pub(crate) fn new<'py>(
    dtype: &Bound<'py, PyArrayDescr>,
    shape: &[usize],
    columns: bool,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = dtype.py();
    let wide = |_| PyValueError::new_err(format!("an array of shape {shape:?} is more than memory can hold"));
    let mut dims: Axes<npy_intp> =
        shape.iter().map(|&length| npy_intp::try_from(length)).collect::<Result<_, _>>().map_err(wide)?;
    // SAFETY:
    // - The type and the dtype belong to numpy. The call consumes its own reference to the dtype.
    // - `dims` has one length per axis. numpy chooses strides and memory.
    // - The function returns a new array or an error.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            get_type_object(py, NpyTypes::PyArray_Type),
            dtype.clone().into_dtype_ptr(),
            dims.len() as i32,
            dims.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
            i32::from(columns),
            ptr::null_mut(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked())
    }
}

/// Returns the shape and the bytes of a row-major array of this dtype, whose elements have `item` bytes. Returns `None` for other
/// objects, and if only Python code could tell that the dtypes are equal.
pub(crate) fn rows<'a>(
    object: &'a Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
    item: usize,
) -> Option<(&'a [usize], &'a [u8])> {
    let array = exact(object)?;
    // SAFETY: the caller holds the array, so its fields may be read.
    let found = unsafe { (*array.as_array_ptr()).fields.descr };
    // The comparison of fields may run Python code, which may change the arrays whose bytes the caller already has.
    let is_equal = found == dtype.as_dtype_ptr() || !dtype.has_fields() && array.dtype().is_equiv_to(dtype);
    if !is_equal || !array.is_c_contiguous() {
        return None;
    }
    let bytes = item * array.len();
    // SAFETY:
    // - The array has no gaps. numpy or the system has initialised all of its bytes.
    // - The caller holds the array as long as it uses the bytes, and runs no Python code meanwhile.
    Some((array.shape(), unsafe { slice::from_raw_parts(first(array), bytes) }))
}

/// Returns the uninitialised bytes of a new row-major array. There must be no other reference to the array.
pub(crate) fn bytes_mut<'a>(array: &'a mut Bound<'_, PyUntypedArray>) -> &'a mut [MaybeUninit<u8>] {
    assert!(array.is_c_contiguous(), "the array is a row-major one");
    // SAFETY: the array has no gaps. It is new, so nothing else refers to its memory.
    unsafe { slice::from_raw_parts_mut(first(array).cast(), array.dtype().itemsize() * array.len()) }
}

/// Copies the first bytes of `src`, so that `dst` is full.
pub(crate) fn copy_bytes(dst: &mut [MaybeUninit<u8>], src: &[u8]) {
    let src = &src[..dst.len()];
    // SAFETY: both slices have this length. They do not overlap, because `dst` is borrowed exclusively.
    unsafe { ptr::copy_nonoverlapping(src.as_ptr(), dst.as_mut_ptr().cast(), src.len()) }
}

/// Returns the address of an array's first element.
fn first(array: &Bound<'_, PyUntypedArray>) -> *mut u8 {
    // SAFETY: the caller holds the array, so its fields may be read.
    unsafe { (*array.as_array_ptr()).fields.data.cast() }
}

/// Tells whether numpy allows writes to the array.
pub(crate) fn writeable(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: the caller holds the array, so its fields may be read.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// Tells whether the array has this dtype. The comparison may run Python code, because fields can have titles of any class.
pub(crate) fn has_dtype(array: &Bound<'_, PyUntypedArray>, dtype: &Bound<'_, PyArrayDescr>) -> bool {
    let found = array.dtype();
    found.is(dtype) || found.is_equiv_to(dtype) && array.dtype().is(&found)
}

/// Returns an error unless the array still has this shape and dtype. Python code that runs while arguments are read can change
/// them.
pub(crate) fn check_unchanged(
    array: &Bound<'_, PyUntypedArray>,
    shape: &[usize],
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<()> {
    if array.shape() == shape && array.dtype().is(dtype) {
        return Ok(());
    }
    Err(PyValueError::new_err("the array was changed while its arguments were read"))
}

/// Returns the range of addresses that contains all elements.
fn span(array: &Bound<'_, PyUntypedArray>, item: usize) -> (usize, usize) {
    let mut span = (first(array) as usize, first(array) as usize + item);
    if array.is_empty() {
        return (span.0, span.0);
    }
    for (&stride, &length) in array.strides().iter().zip(array.shape()) {
        let reach = stride.unsigned_abs() * (length - 1);
        if stride < 0 { span.0 -= reach } else { span.1 += reach }
    }
    span
}

/// Tells whether the address ranges of two arrays overlap. If the ranges do not overlap, the arrays share no elements.
pub(crate) fn may_overlap(a: &Bound<'_, PyUntypedArray>, b: &Bound<'_, PyUntypedArray>, item: usize) -> bool {
    let (a, b) = (span(a, item), span(b, item));
    a.0 < b.1 && b.0 < a.1
}

/// The addresses of arrays that the caller holds.
struct Memory {
    src: *const u8,
    dst: *mut u8,
}

// SAFETY: any thread may access the memory.
unsafe impl Send for Memory {}

/// Pads one array into another on several threads.
///
/// The plan must have been prepared for both arrays, and the arrays must not overlap.
///
/// # Errors
///
/// Returns `RuntimeError` if threads cannot start. The errors of a run cannot occur, because the plan was prepared for these arrays.
pub(crate) fn run(
    prepared: &Prepared,
    input: &Bound<'_, PyUntypedArray>,
    output: &Bound<'_, PyUntypedArray>,
    threads: usize,
) -> PyResult<()> {
    let memory = Memory { src: first(input), dst: first(output) };
    // SAFETY: the caller holds both arrays, and the plan was prepared for them.
    unsafe { run_memory(input.py(), prepared, memory, threads) }
}

/// Runs a prepared plan on the memory of two arrays or tensors, without the GIL if the output is large.
///
/// # Safety
///
/// - The plan was prepared for the arrays or tensors of this memory, and the caller holds them.
/// - The arrays or tensors do not overlap.
unsafe fn run_memory(py: Python<'_>, prepared: &Prepared, memory: Memory, threads: usize) -> PyResult<()> {
    let bytes = prepared.item * prepared.output.iter().product::<usize>();
    // The pool is requested while this thread holds the GIL, so that no other thread can fork the process during the request.
    let pool = match prepared.way {
        Way::Slices if threads > 1 && bytes >= SHARED_FROM => Some(pool(threads)?),
        _ => None,
    };
    let run = move || {
        let memory = memory;
        // SAFETY:
        // - The caller holds the memory, for which the plan was prepared.
        // - Python code may write to an array during the call. Then the elements get unspecified values, as in numpy. Any bytes are valid.
        unsafe {
            match &prepared.way {
                Way::Slices => run_slices(prepared, &memory, pool.as_deref()).map_err(refused),
                Way::InPlace(places) => run_in_place(prepared, places, &memory).map_err(refused),
            }
        }
    };
    if bytes < DETACHED_FROM {
        return run();
    }
    py.detach(run)
}

/// Runs a prepared plan on arrays without gaps, on the threads of `pool` if there is one.
///
/// # Safety
///
/// - The plan was prepared for the arrays of this memory, and nobody else uses the memory during the call.
unsafe fn run_slices(
    prepared: &Prepared,
    memory: &Memory,
    pool: Option<&ThreadPool>,
) -> Result<(), PadError> {
    let Plan::Copying(plan) = &prepared.plan else { unreachable!("others run where elements lie") };
    // SAFETY:
    // - The arrays have no gaps, so each array has this many bytes from its first element on.
    // - The arrays do not overlap.
    // - The memory of the input is initialised, and any bytes are valid.
    // - An empty tensor of torch has the address zero. A slice has another one.
    let (src, dst) = unsafe {
        let address = |first: *mut u8| if first.is_null() { ptr::dangling_mut() } else { first };
        let dst = address(memory.dst).cast::<MaybeUninit<u8>>();
        let src = slice::from_raw_parts(address(memory.src.cast_mut()), plan.input_bytes());
        (src, slice::from_raw_parts_mut(dst, plan.output_bytes()))
    };
    match pool {
        None => plan.run_bytes_uninit(src, dst).map(drop),
        Some(pool) => pool.install(|| plan.par_run_bytes_uninit(src, dst).map(drop)),
    }
}

/// Runs a prepared plan on arrays with strides.
///
/// # Safety
///
/// - The plan was prepared for the arrays of this memory, and nobody else uses the memory during the call.
unsafe fn run_in_place(prepared: &Prepared, places: &Places, memory: &Memory) -> Result<(), PadError> {
    let Places { input_shape, input_strides, output_shape, output_strides, skipped } = places;
    let item = prepared.item;
    let written = memory.dst.wrapping_offset(skipped.wrapping_mul(item as isize));
    // SAFETY: the elements belong to arrays with these shapes and strides. The output may be a part of its array.
    let (input, output) = unsafe {
        (
            RawInput::new(memory.src, item, input_shape, input_strides),
            RawOutput::new(written, item, output_shape, output_strides),
        )
    };
    match &prepared.plan {
        Plan::Copying(plan) => plan.run_raw(&input, output),
        Plan::Computed(plan) => plan.run_raw(&input, output),
    }
}

/// Writes the borders of the array for which the plan was made.
///
/// # Errors
///
/// The errors of a run cannot occur, because the plan was made for this array.
pub(crate) fn run_borders(
    plan: &BorderPlan,
    array: &Bound<'_, PyUntypedArray>,
    item: usize,
    lies: &Lies,
) -> PyResult<()> {
    let strides = lies.strides(plan.output_shape());
    let memory = Memory { src: ptr::null(), dst: first(array) };
    let run = move || {
        let memory = memory;
        // SAFETY: the caller holds the array, which has this shape and these strides.
        let output = unsafe { RawOutput::new(memory.dst, item, plan.output_shape(), &strides) };
        plan.run_raw(output).map_err(refused)
    };
    if item * array.len() < DETACHED_FROM { run() } else { array.py().detach(run) }
}

/// Computes the gradient of an input from `grad`, and writes it to `output` on several threads. Both arrays are row-major, do not
/// overlap, and have the shapes of the adjoint.
///
/// # Errors
///
/// Returns `MemoryError` if the scratch memory cannot be allocated, and `RuntimeError` if threads cannot start.
pub(crate) fn run_adjoint(
    adjoint: &AdjointPlan,
    item: usize,
    grad: &Bound<'_, PyUntypedArray>,
    output: &Bound<'_, PyUntypedArray>,
    threads: usize,
) -> PyResult<()> {
    let (read, written) = (item * grad.len(), item * output.len());
    let memory = Memory { src: first(grad), dst: first(output) };
    let pool = if threads > 1 && read.max(written) >= SHARED_FROM { Some(pool(threads)?) } else { None };
    let run = move || {
        let memory = memory;
        // SAFETY: the arrays have no gaps, and the caller holds them.
        let (grad, output) = unsafe {
            let output = slice::from_raw_parts_mut(memory.dst.cast::<MaybeUninit<u8>>(), written);
            (slice::from_raw_parts(memory.src, read), output)
        };
        output.fill(MaybeUninit::new(0));
        // SAFETY: the line above has initialised the memory, which is still borrowed exclusively.
        let output = unsafe { slice::from_raw_parts_mut(output.as_mut_ptr().cast::<u8>(), written) };
        match pool {
            None => adjoint.run_bytes(grad, output),
            Some(pool) => pool.install(|| adjoint.par_run_bytes(grad, output)),
        }
        .map_err(refused)
    };
    if read < DETACHED_FROM { run() } else { grad.py().detach(run) }
}

/// A torch tensor whose elements can be read directly from memory.
pub(crate) struct Tensor<'py> {
    object: Bound<'py, PyAny>,
    first: *mut u8,
    pub(crate) item: usize,
    pub(crate) shape: Axes<usize>,
    /// The strides in elements.
    pub(crate) strides: Axes<isize>,
    /// True if zero bytes are the zero of the element type.
    pub(crate) has_zero: bool,
}

impl<'py> Tensor<'py> {
    /// Returns the tensor, or `None` if it is not a plain tensor whose elements can be copied.
    ///
    /// Tensors in transforms such as `torch.vmap`, and sparse tensors, have no address. If a tensor is marked as conjugated or
    /// negated, its memory holds other numbers than its elements.
    ///
    /// # Errors
    ///
    /// Returns `ImportError` if this version of torch does not describe its tensors.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Tensor<'py>>> {
        let py = object.py();
        let torch = Torch::get(py)?;
        if !object.get_type().is(torch.tensor.bind(py)) {
            return Ok(None);
        }
        let Some(found) = torch.describe(object) else { return Ok(None) };
        let is = |bit| -> PyResult<bool> { object.call_method0(bit)?.is_truthy() };
        if found.device_type != DL_CPU
            || usize::from(found.bits) * usize::from(found.lanes) % 8 != 0
            || is(intern!(py, "is_neg"))?
            || (found.code == DL_COMPLEX && is(intern!(py, "is_conj"))?)
        {
            return Ok(None);
        }
        let rank = usize::try_from(found.ndim).unwrap_or(0);
        let (mut shape, mut strides) = (Axes::new(), Axes::new());
        if rank > 0 {
            // SAFETY: torch describes a tensor that the caller holds, with one number per axis. The numbers are copied immediately.
            let (lengths, steps) = unsafe {
                (slice::from_raw_parts(found.shape, rank), slice::from_raw_parts(found.strides, rank))
            };
            shape.extend(lengths.iter().map(|&length| length as usize));
            strides.extend(steps.iter().map(|&step| step as isize));
        }
        // A tensor whose values are not computed yet has no memory.
        if found.data.is_null() && !shape.contains(&0) {
            return Ok(None);
        }
        Ok(Some(Tensor {
            object: object.clone(),
            first: found.data.wrapping_add(found.byte_offset as usize),
            item: usize::from(found.bits) * usize::from(found.lanes) / 8,
            shape,
            strides,
            has_zero: found.code != DL_FLOAT8_E8M0FNU,
        }))
    }
}

/// The type of torch's tensors, and the function of DLPack's exchange API that describes a tensor. A call of this function takes
/// a tenth of the time that calls of the tensor's Python methods take.
struct Torch {
    tensor: Py<PyType>,
    describe: unsafe extern "C" fn(*mut ffi::PyObject, *mut DlTensor) -> c_int,
}

impl Torch {
    fn get(py: Python<'_>) -> PyResult<&Torch> {
        static TORCH: PyOnceLock<Torch> = PyOnceLock::new();
        TORCH.get_or_try_init(py, || {
            let tensor = py.import("torch")?.getattr("Tensor")?.cast_into::<PyType>()?;
            let too_old = || {
                let lacking = "torch_pad needs a later torch: torch.Tensor has no __dlpack_c_exchange_api__ of version 1";
                PyImportError::new_err(lacking)
            };
            let capsule = tensor.getattr("__dlpack_c_exchange_api__").map_err(|_| too_old())?;
            let api = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"dlpack_exchange_api"))?;
            // SAFETY: a capsule of this name contains a `DlExchange`, which lives as long as torch.
            let api = unsafe { api.cast::<DlExchange>().as_ref() };
            match api.describe {
                Some(describe) if api.major == 1 => Ok(Torch { tensor: tensor.unbind(), describe }),
                _ => Err(too_old()),
            }
        })
    }

    /// Returns the description of a tensor, or `None` if torch does not give one.
    fn describe(&self, tensor: &Bound<'_, PyAny>) -> Option<DlTensor> {
        let mut found = MaybeUninit::uninit();
        // SAFETY:
        // - The function belongs to torch, and the object is a torch tensor. Either the caller has checked its type, or torch has made the
        //   object.
        // - The function fills the whole description, or it returns a non-zero number and sets an error.
        unsafe {
            if (self.describe)(tensor.as_ptr(), found.as_mut_ptr()) != 0 {
                drop(PyErr::take(tensor.py()));
                return None;
            }
            Some(found.assume_init())
        }
    }
}

/// Constants of `DLDeviceType` and `DLDataTypeCode`.
const DL_CPU: i32 = 1;
const DL_COMPLEX: u8 = 5;
const DL_FLOAT8_E8M0FNU: u8 = 14;

/// The struct `DLTensor` of DLPack.
#[repr(C)]
struct DlTensor {
    data: *mut u8,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// The struct `DLPackExchangeAPI` of DLPack. This package uses one of its functions.
#[repr(C)]
struct DlExchange {
    major: u32,
    minor: u32,
    previous: *const c_void,
    others: [Option<unsafe extern "C" fn()>; 3],
    describe: Option<unsafe extern "C" fn(*mut ffi::PyObject, *mut DlTensor) -> c_int>,
    stream: Option<unsafe extern "C" fn()>,
}

/// Pads a tensor into a new one with the shape and the strides of `layout`.
///
/// # Errors
///
/// Returns the error of torch if it cannot allocate memory.
pub(crate) fn run_tensor<'py>(
    prepared: &Prepared,
    input: &Tensor<'py>,
    layout: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = layout.py();
    let output = input.object.call_method1(intern!(py, "new_empty_strided"), layout)?;
    let found = Torch::get(py)?.describe(&output);
    let dst = found.map_or(ptr::null_mut(), |found| found.data.wrapping_add(found.byte_offset as usize));
    if dst.is_null() && !prepared.output.contains(&0) {
        return Err(PyRuntimeError::new_err("torch gave a new tensor no memory"));
    }
    // SAFETY:
    // - The caller holds both tensors, the plan was prepared for their shapes and strides, and the output is new.
    // - The address of an empty tensor is not used.
    unsafe { run_memory(py, prepared, Memory { src: input.first, dst }, 1)? };
    Ok(output)
}

/// The id of the process that made a pool, the number of threads, and the pool.
type Pool = (u32, usize, Arc<ThreadPool>);

/// The pool of the last call that requested threads.
static POOL: Mutex<Option<Pool>> = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    // If another thread held the lock during a fork, the lock stays locked in the child process. The child process then makes a
    // new pool in each call.
    let mut last = match POOL.try_lock() {
        Ok(last) => Some(last),
        Err(TryLockError::Poisoned(last)) => Some(last.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    };
    let process = std::process::id();
    if let Some(Some((of, count, pool))) = last.as_deref()
        && (*of, *count) == (process, threads)
    {
        return Ok(pool.clone());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    if let Some(last) = last.as_deref_mut()
        && let Some((of, _, before)) = last.replace((process, threads, pool.clone()))
        && of != process
    {
        // A forked process has none of its parent's threads. Dropping the pool would wait for them.
        std::mem::forget(before);
    }
    Ok(pool)
}

/// Converts an error of the library to a Python exception.
pub(crate) fn refused(error: PadError) -> PyErr {
    match error {
        PadError::OutOfMemory { .. } | PadError::SizeOverflow { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}
