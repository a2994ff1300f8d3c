//! numpy's arrays and their memory. All `unsafe` code of the package is here.

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

/// Outputs of at least so many bytes are written without the GIL. To give it away and take it back takes 40 ns if nobody
/// else wants it, which is a hundredth of writing this much.
const DETACHED_FROM: usize = 64 << 10;

/// The library shares no smaller outputs: they do not go to other threads only to be written by one of them.
const SHARED_FROM: usize = 1 << 20;

/// The array if it is one, and no subclass.
pub(crate) fn exact<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    // SAFETY: numpy's table has this type, and was loaded or this fails.
    let array_type = unsafe { get_type_object(object.py(), NpyTypes::PyArray_Type) };
    // SAFETY: an object has a type.
    if unsafe { ffi::Py_TYPE(object.as_ptr()) } != array_type {
        return None;
    }
    // SAFETY: its type is that of arrays.
    Some(unsafe { object.cast_unchecked() })
}

/// The dtype and the bytes of a numpy scalar: a number, a date or a duration of at most 16 bytes.
pub(crate) fn scalar<'py>(object: &Bound<'py, PyAny>) -> Option<(Bound<'py, PyArrayDescr>, [u8; 16])> {
    let py = object.py();
    // SAFETY: numpy's table has this type, and was loaded or this fails.
    let scalar_type = unsafe { get_type_object(py, NpyTypes::PyGenericArrType_Type) };
    // SAFETY: both are live objects, and the second is a type.
    if unsafe { ffi::PyObject_TypeCheck(object.as_ptr(), scalar_type) } == 0 {
        return None;
    }
    // SAFETY:
    // - The object is a scalar of numpy.
    // - The function returns a new reference to a dtype, or null with an error, which `ok` clears.
    let dtype = unsafe {
        let dtype = PY_ARRAY_API.PyArray_DescrFromScalar(py, object.as_ptr());
        Bound::from_owned_ptr_or_err(py, dtype.cast()).ok()?.cast_into_unchecked::<PyArrayDescr>()
    };
    // Booleans to complex numbers but for long doubles, then dates, durations and half floats.
    if !matches!(dtype.num(), 0..=12 | 14..=15 | 21..=23) || dtype.itemsize() > 16 {
        return None;
    }
    let mut bytes = [0; 16];
    // SAFETY: a scalar of this dtype writes `itemsize` bytes, and there are as many.
    unsafe { PY_ARRAY_API.PyArray_ScalarAsCtype(py, object.as_ptr(), bytes.as_mut_ptr().cast()) };
    Some((dtype, bytes))
}

/// How the elements of an array lie, or `None` if they are not whole elements apart, as fields of records are.
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

/// A copy of the array, row by row.
pub(crate) fn copy<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let (py, order) = (array.py(), numpy::npyffi::NPY_ORDER::NPY_CORDER);
    // SAFETY: an array, and what comes back is a new one or an error.
    unsafe {
        let copy = PY_ARRAY_API.PyArray_NewCopy(py, array.as_array_ptr(), order);
        Ok(Bound::from_owned_ptr_or_err(py, copy)?.cast_into_unchecked())
    }
}

/// A new array whose elements are not initialised.
pub(crate) fn new<'py>(
    dtype: &Bound<'py, PyArrayDescr>,
    shape: &[usize],
    columns: bool,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = dtype.py();
    // A length is at most `isize::MAX`, as the plan has checked.
    let mut dims: Axes<npy_intp> = shape.iter().map(|&length| length as npy_intp).collect();
    // SAFETY:
    // - The type and the dtype are numpy's; the reference to the dtype that is given away is one of its own.
    // - As many lengths are given as axes; strides and data are left to numpy.
    // - What comes back is a new array or an error.
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

/// A new array of zeros, row by row.
pub(crate) fn zeros<'py>(
    dtype: &Bound<'py, PyArrayDescr>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = dtype.py();
    let wide = |_| PyValueError::new_err(format!("an array of shape {shape:?} is more than memory can hold"));
    let mut dims: Axes<npy_intp> =
        shape.iter().map(|&length| npy_intp::try_from(length)).collect::<Result<_, _>>().map_err(wide)?;
    // SAFETY:
    // - As many lengths are given as axes, and the reference to the dtype that is given away is one of its own.
    // - What comes back is a new array or an error.
    unsafe {
        let (rank, dtype) = (dims.len() as c_int, dtype.clone().into_dtype_ptr());
        let array = PY_ARRAY_API.PyArray_Zeros(py, rank, dims.as_mut_ptr(), dtype, 0);
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked())
    }
}

/// The shape and the bytes of an array of this dtype that lies row by row, or `None` if the object is none.
pub(crate) fn rows<'a>(
    object: &'a Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
) -> Option<(&'a [usize], &'a [u8])> {
    let array = exact(object)?;
    // SAFETY: an array's fields may be read while it is held.
    let found = unsafe { (*array.as_array_ptr()).fields.descr };
    if found != dtype.as_dtype_ptr() && !array.dtype().is_equiv_to(dtype) || !array.is_c_contiguous() {
        return None;
    }
    let bytes = dtype.itemsize() * array.len();
    // SAFETY:
    // - The array has no gaps: so many bytes from the first on, which numpy or the system has initialised.
    // - The caller holds it for as long as it borrows the bytes, and runs no Python code meanwhile.
    Some((array.shape(), unsafe { slice::from_raw_parts(first(array), bytes) }))
}

/// The bytes of a new array of zeros, which nobody else knows of.
pub(crate) fn bytes_mut<'a>(array: &'a mut Bound<'_, PyUntypedArray>) -> &'a mut [u8] {
    assert!(array.is_c_contiguous(), "the array is a row-major one");
    // SAFETY:
    // - The array has no gaps: so many bytes from the first on, which are zeros.
    // - It is new, so there is no other reference to its memory.
    unsafe { slice::from_raw_parts_mut(first(array), array.dtype().itemsize() * array.len()) }
}

/// The address of an array's first element.
fn first(array: &Bound<'_, PyUntypedArray>) -> *mut u8 {
    // SAFETY: an array's fields may be read while it is held.
    unsafe { (*array.as_array_ptr()).fields.data.cast() }
}

/// Whether numpy lets the array be written.
pub(crate) fn writeable(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: as above.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// From the lowest to behind the highest address that an element takes.
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

/// Whether elements of one array may be elements of the other: whether they lie in the same stretch of memory.
pub(crate) fn may_overlap(a: &Bound<'_, PyUntypedArray>, b: &Bound<'_, PyUntypedArray>, item: usize) -> bool {
    let (a, b) = (span(a, item), span(b, item));
    a.0 < b.1 && b.0 < a.1
}

/// Memory of arrays that are held until it is used no more.
struct Memory {
    src: *const u8,
    dst: *mut u8,
}

// SAFETY: memory has no thread of its own.
unsafe impl Send for Memory {}

/// Pads one array into the other, on so many threads.
///
/// Both are as the plan was prepared for, and do not overlap.
///
/// # Errors
///
/// Those of runs, which a plan that was prepared for the arrays does not have, and `MemoryError` for want of threads.
pub(crate) fn run(
    prepared: &Prepared,
    input: &Bound<'_, PyUntypedArray>,
    output: &Bound<'_, PyUntypedArray>,
    threads: usize,
) -> PyResult<()> {
    let memory = Memory { src: first(input), dst: first(output) };
    // SAFETY: the arrays are held by the caller, and are those that the plan was prepared for.
    unsafe { run_memory(input.py(), prepared, memory, threads) }
}

/// # Safety
///
/// - The memory is of arrays or tensors that the plan was prepared for, which the caller holds.
/// - They do not overlap.
unsafe fn run_memory(py: Python<'_>, prepared: &Prepared, memory: Memory, threads: usize) -> PyResult<()> {
    let bytes = prepared.item * prepared.output.iter().product::<usize>();
    // Asked for while the GIL is held, so that no other thread forks the process in the middle of it.
    let pool = match prepared.way {
        Way::Slices if threads > 1 && bytes >= SHARED_FROM => Some(pool(threads)?),
        _ => None,
    };
    let run = move || {
        let memory = memory;
        // SAFETY:
        // - The caller holds the memory, which is as the plan was prepared for.
        // - Python code that writes an array that another thread pads finds what it finds, as with all of numpy: elements are
        //   bytes of any value.
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

/// # Safety
///
/// - The memory is of arrays that the plan was prepared for, and nobody else's for as long.
unsafe fn run_slices(
    prepared: &Prepared,
    memory: &Memory,
    pool: Option<&ThreadPool>,
) -> Result<(), PadError> {
    let Plan::Copying(plan) = &prepared.plan else { unreachable!("others run where elements lie") };
    // SAFETY:
    // - Arrays without gaps: so many bytes from the first on.
    // - They do not overlap.
    // - numpy's memory may be read whatever it holds; that of an input is initialised.
    let (src, dst) = unsafe {
        let dst = slice::from_raw_parts_mut(memory.dst.cast::<MaybeUninit<u8>>(), plan.output_bytes());
        (slice::from_raw_parts(memory.src, plan.input_bytes()), dst)
    };
    match pool {
        None => plan.run_bytes_uninit(src, dst).map(drop),
        Some(pool) => pool.install(|| plan.par_run_bytes_uninit(src, dst).map(drop)),
    }
}

/// # Safety
///
/// - The memory is of arrays that the plan was prepared for, and nobody else's for as long.
unsafe fn run_in_place(prepared: &Prepared, places: &Places, memory: &Memory) -> Result<(), PadError> {
    let Places { input_shape, input_strides, output_shape, output_strides, skipped } = places;
    let item = prepared.item;
    let written = memory.dst.wrapping_offset(skipped.wrapping_mul(item as isize));
    // SAFETY: elements of arrays with these shapes and strides, of which the output's may be some.
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

/// Writes the borders of an array, for which the plan was made.
///
/// # Errors
///
/// Those of runs, which a plan of the array does not have.
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
        // SAFETY: elements of an array that the caller holds, with its shape and strides.
        let output = unsafe { RawOutput::new(memory.dst, item, plan.output_shape(), &strides) };
        plan.run_raw(output).map_err(refused)
    };
    if item * array.len() < DETACHED_FROM { run() } else { array.py().detach(run) }
}

/// Writes the gradient of an input, on so many threads. Both arrays are row by row, do not overlap, and are as the adjoint was
/// made for.
///
/// # Errors
///
/// `MemoryError` for want of scratch memory or of threads.
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
        // SAFETY: arrays without gaps, which the caller holds: so many bytes from the first on.
        let (grad, output) = unsafe {
            let output = slice::from_raw_parts_mut(memory.dst.cast::<MaybeUninit<u8>>(), written);
            (slice::from_raw_parts(memory.src, read), output)
        };
        output.fill(MaybeUninit::new(0));
        // SAFETY: initialised just now, and borrowed as before.
        let output = unsafe { slice::from_raw_parts_mut(output.as_mut_ptr().cast::<u8>(), written) };
        match pool {
            None => adjoint.run_bytes(grad, output),
            Some(pool) => pool.install(|| adjoint.par_run_bytes(grad, output)),
        }
        .map_err(refused)
    };
    if read < DETACHED_FROM { run() } else { grad.py().detach(run) }
}

/// A tensor of torch whose elements lie in memory as they are.
pub(crate) struct Tensor<'py> {
    object: Bound<'py, PyAny>,
    first: *mut u8,
    pub(crate) item: usize,
    pub(crate) shape: Axes<usize>,
    /// In elements.
    pub(crate) strides: Axes<isize>,
    /// Whether zero is an element of zero bytes.
    pub(crate) has_zero: bool,
}

impl<'py> Tensor<'py> {
    /// The tensor, or `None` if the object is none, is of a subclass, or has no elements in memory that can be moved.
    ///
    /// Tensors inside transforms such as `torch.vmap` have no address, and neither have sparse ones. Where bits of a tensor say
    /// that its numbers are conjugated or negated, its memory holds others.
    ///
    /// # Errors
    ///
    /// `ImportError` if this torch does not tell where elements lie.
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
            // SAFETY: torch describes a tensor that the caller holds, with one number an axis; they are copied at once.
            let (lengths, steps) = unsafe {
                (slice::from_raw_parts(found.shape, rank), slice::from_raw_parts(found.strides, rank))
            };
            shape.extend(lengths.iter().map(|&length| length as usize));
            strides.extend(steps.iter().map(|&step| step as isize));
        }
        // Tensors that stand for values nobody has computed yet have no memory.
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

/// What torch says of its tensors, by DLPack's exchange API: a tenth of the time that methods of Python take.
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
            // SAFETY: a capsule of this name holds such a table, which lives as long as torch.
            let api = unsafe { api.cast::<DlExchange>().as_ref() };
            match api.describe {
                Some(describe) if api.major == 1 => Ok(Torch { tensor: tensor.unbind(), describe }),
                _ => Err(too_old()),
            }
        })
    }

    /// Where the elements of a tensor lie, or `None` where torch does not say.
    fn describe(&self, tensor: &Bound<'_, PyAny>) -> Option<DlTensor> {
        let mut found = MaybeUninit::uninit();
        // SAFETY:
        // - The function is torch's, and so is the type of the object, as the caller has looked or torch has made it.
        // - It fills in the whole description, or returns another number than zero and sets an error.
        unsafe {
            if (self.describe)(tensor.as_ptr(), found.as_mut_ptr()) != 0 {
                drop(PyErr::take(tensor.py()));
                return None;
            }
            Some(found.assume_init())
        }
    }
}

/// `DLDeviceType` and `DLDataTypeCode`.
const DL_CPU: i32 = 1;
const DL_COMPLEX: u8 = 5;
const DL_FLOAT8_E8M0FNU: u8 = 14;

/// `DLTensor`.
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

/// `DLPackExchangeAPI`, of which one function is used.
#[repr(C)]
struct DlExchange {
    major: u32,
    minor: u32,
    previous: *const c_void,
    others: [Option<unsafe extern "C" fn()>; 3],
    describe: Option<unsafe extern "C" fn(*mut ffi::PyObject, *mut DlTensor) -> c_int>,
    stream: Option<unsafe extern "C" fn()>,
}

/// Pads a tensor into a new one of this layout, which is its shape and its strides.
///
/// # Errors
///
/// Those of torch, if it has no memory.
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
    // - Both tensors are held, the plan was prepared for the shapes and strides that torch keeps them in, and the output is new.
    // - Where a tensor has no elements its address is not used.
    unsafe { run_memory(py, prepared, Memory { src: input.first, dst }, 1)? };
    Ok(output)
}

/// A pool, the number of its threads, and the process that they run in.
type Pool = (u32, usize, Arc<ThreadPool>);

/// The pool of the last call that asked for threads.
static POOL: Mutex<Option<Pool>> = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    // Where another thread held the lock as this process was forked, it stays locked for ever: such a child keeps no pool.
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
        // A forked child has none of its parent's threads, and to end them would wait for them.
        std::mem::forget(before);
    }
    Ok(pool)
}

/// What Python calls an error of the library.
pub(crate) fn refused(error: PadError) -> PyErr {
    match error {
        PadError::OutOfMemory { .. } | PadError::SizeOverflow { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}
