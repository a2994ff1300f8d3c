//! The C interface of [`pad_kernels`]. `README.md` explains it, and `include/pad_kernels.h` declares it.
//!
//! Every function checks its arguments before it calls safe code. No function can check that pointers point to as much memory as
//! their sizes say, and that no other thread writes it: the caller promises that. All `unsafe` code of the crate is in this file.

mod plan;
pub mod types;

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::{ptr, slice};

use pad_kernels::pad_bytes_into_uninit;

use plan::{Asked, Job, element, on_threads};
use types::{Failure, Outcome, PAD_MAX_RANK, PAD_MAX_THREADS, Request, Sizes, Status, ensure, guard};

pub use plan::Plan;

/// Reads `len` values at `start`, or nothing for NULL.
///
/// # Safety
///
/// - `start` is NULL, or `len` initialised values lie there, which nothing writes for `'a`.
#[inline(always)]
unsafe fn read<'a, T>(name: &str, start: *const T, len: usize) -> Outcome<Option<&'a [T]>> {
    if start.is_null() {
        return Ok(None);
    }
    ensure!(start.is_aligned(), Pointer, "{name} is {start:p}, which is no multiple of {}", align_of::<T>());
    ensure!(len <= isize::MAX as usize / size_of::<T>(), Size, "{name} is larger than memory");
    // SAFETY: neither null nor unaligned, not longer than memory, and the rest is the caller's promise.
    Ok(Some(unsafe { slice::from_raw_parts(start, len) }))
}

/// Reads a request and its arrays.
///
/// # Safety
///
/// - As for `pad_plan_new`, and nothing writes the arrays.
#[inline(always)]
unsafe fn read_request<'a>(request: *const Request) -> Outcome<Asked<'a>> {
    // SAFETY: the caller's promise.
    let [request] = (unsafe { read("request", request, 1) })?.unwrap_or_default() else {
        return Err(Failure::null("request"));
    };
    let &Request { rank, input_strides, output_strides, region_start, region_end, .. } = request;
    ensure!(rank <= PAD_MAX_RANK, Size, "a rank of {rank} is more than {PAD_MAX_RANK}");
    let (dtype, bytes) = element(request)?;
    // SAFETY: the caller's promise, for each of the arrays.
    unsafe {
        let shape = read("shape", request.shape, rank)?.unwrap_or_default();
        let axes = read("axes", request.axes, rank)?.unwrap_or_default();
        let missing = if axes.len() == rank { "shape" } else { "axes" };
        ensure!([shape.len(), axes.len()] == [rank; 2], Pointer, "{missing} is NULL");
        // An element of a packed type lies in one byte.
        let fill = read("fill", request.fill.cast(), bytes.unwrap_or(1))?;
        let strides =
            [read("input_strides", input_strides, rank)?, read("output_strides", output_strides, rank)?];
        let region = [read("region_start", region_start, rank)?, read("region_end", region_end, rank)?];
        let missing = if region[0].is_none() { "region_start" } else { "region_end" };
        let is_pair = region[0].is_some() == region[1].is_some();
        ensure!(is_pair, Pointer, "{missing} is NULL, and the other end of the region is not");
        Ok(Asked { request, dtype, bytes, shape, axes, fill, strides, region })
    }
}

/// Returns the buffers of a run, or nothing if one is NULL or larger than memory, or if they share memory.
///
/// # Safety
///
/// - As for `pad_run`, for `'a`.
#[inline(always)]
unsafe fn buffers<'a>(
    src: *const u8,
    src_bytes: usize,
    dst: *mut MaybeUninit<u8>,
    dst_bytes: usize,
) -> Option<(&'a [u8], &'a mut [MaybeUninit<u8>])> {
    // The lower buffer must end before the higher one begins. The other distance wraps, and is larger than memory.
    let [after, before] = [dst.addr().wrapping_sub(src.addr()), src.addr().wrapping_sub(dst.addr())];
    let is_small = (src_bytes | dst_bytes) <= isize::MAX as usize;
    if src.is_null() || dst.is_null() || after < src_bytes || before < dst_bytes || !is_small {
        return None;
    }
    // SAFETY: not null, apart, not longer than memory, and the rest is the caller's promise.
    Some(unsafe { (slice::from_raw_parts(src, src_bytes), slice::from_raw_parts_mut(dst, dst_bytes)) })
}

/// Runs a plan in any way but the common one, which is shorter without it, or says what is wrong.
///
/// # Safety
///
/// - As for `pad_run`.
#[inline(never)]
unsafe fn run_other(
    plan: Option<&Plan>,
    threads: usize,
    src: *const u8,
    src_bytes: usize,
    dst: *mut MaybeUninit<u8>,
    dst_bytes: usize,
) -> Outcome {
    let plan = plan.ok_or_else(|| Failure::null("plan"))?;
    // An empty buffer may be NULL, or lie inside the other.
    let src = if src_bytes == 0 { ptr::dangling() } else { src };
    let dst = if dst_bytes == 0 { ptr::dangling_mut() } else { dst };
    let missing = if src.is_null() { "src" } else { "dst" };
    ensure!(!src.is_null() && !dst.is_null(), Pointer, "{missing} is NULL");
    ensure!(threads <= PAD_MAX_THREADS, Size, "{threads} threads are more than {PAD_MAX_THREADS}");
    // With a wrong size, buffers may seem to share memory.
    plan.check([src_bytes, dst_bytes])?;
    let overlap = || Failure::new(Status::Overlap, "src and dst share memory");
    // SAFETY: the caller's promise.
    let (src, dst) = unsafe { buffers(src, src_bytes, dst, dst_bytes) }.ok_or_else(overlap)?;
    if matches!(plan.job, Job::Adjoint(_)) {
        dst.fill(MaybeUninit::new(0));
    }
    // SAFETY: a gradient is initialised just now, or nothing is read; the rest is the caller's promise.
    let bytes = |dst: &mut [MaybeUninit<u8>]| unsafe {
        slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), dst.len())
    };
    match &plan.job {
        Job::Pad(plan) if threads < 2 => plan.run_bytes_uninit(src, dst).map(drop)?,
        Job::Pad(plan) => on_threads(threads, || plan.par_run_bytes_uninit(src, dst).map(drop))??,
        Job::Strided(plan) => plan.run_bytes(src, bytes(dst))?,
        Job::Borders(plan) => plan.run_bytes(bytes(dst))?,
        Job::Adjoint(plan) if threads < 2 => plan.run_bytes(src, bytes(dst))?,
        Job::Adjoint(plan) => on_threads(threads, || plan.par_run_bytes(src, bytes(dst)))??,
    }
    Ok(())
}

/// Makes a plan for a request, and writes a pointer to the plan to `*plan`. `pad_plan_free` frees the plan.
///
/// After the call, the plan does not need the request and its arrays any more. If the call fails, it does not write
/// `*plan`. The call allocates memory. Its errors are `PAD_STATUS_POINTER`, `PAD_STATUS_UNKNOWN_VALUE`, `PAD_STATUS_SIZE` for
/// `rank` and `element_bytes`, `PAD_STATUS_REFUSED`, and `PAD_STATUS_INTERNAL`.
///
/// # Safety
///
/// - `request` is NULL, or points to a request.
/// - Each array of the request that is not NULL has `rank` entries, and `fill` has one element.
/// - `plan` is NULL, or points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_new(request: *const Request, plan: *mut Option<Box<Plan>>) -> Status {
    // SAFETY: the caller's promise, and `read` checks that `plan` is aligned.
    guard(|| unsafe {
        let asked = read_request(request)?;
        read("plan", plan, 0)?.ok_or_else(|| Failure::null("plan"))?;
        plan.write(Some(Box::new(asked.with_spec(|spec| Plan::new(&asked, spec))?)));
        Ok(())
    })
}

/// Frees a plan. No other call may use it at the same time or later. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn pad_plan_free(plan: Option<Box<Plan>>) {
    drop(plan);
}

/// Returns the sizes of the buffers that runs of a plan need. For NULL, all sizes are 0.
#[unsafe(no_mangle)]
pub extern "C" fn pad_plan_sizes(plan: Option<&Plan>) -> Sizes {
    let (bytes, shape) = plan.map_or(([0; 2], &[][..]), |plan| (plan.bytes, &plan.output_shape));
    Sizes { src_bytes: bytes[0], dst_bytes: bytes[1], rank: shape.len(), output_shape: shape.as_ptr() }
}

/// Runs a plan from `src` to `dst`. Each pointer points to the element at the lowest address of its tensor.
///
/// `src_bytes` and `dst_bytes` must be the sizes of the plan. Only the buffers of strided tensors may be larger. The run
/// does not change the bytes between strided elements.
///
/// If `threads` is 0 or 1, the calling thread runs the plan. If it is larger, up to `PAD_MAX_THREADS`, that many threads
/// share the work of an adjoint, or of an output of 1 MiB or more without strides. The first run with a number of threads
/// starts them. Later runs with this number use them again. The threads end with the process.
///
/// A run of `PAD_TASK_PAD` allocates memory only with several threads, with more than six axes, or with strides.
///
/// The errors are `PAD_STATUS_POINTER`, `PAD_STATUS_SIZE`, `PAD_STATUS_OVERLAP`, `PAD_STATUS_INTERNAL`, and
/// `PAD_STATUS_OUT_OF_RESOURCES` for threads and adjoints.
///
/// # Safety
///
/// - `plan` is NULL, or a plan that is not freed.
/// - There are `src_bytes` initialised bytes at `src`, and `dst_bytes` bytes at `dst`. If there are strides, or the task is
///   `PAD_TASK_BORDERS`, the bytes at `dst` are initialised, too.
/// - No other thread writes `src` or uses `dst` until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_run(
    plan: Option<&Plan>,
    threads: usize,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    let (src, dst) = (src.cast(), dst.cast());
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        match (plan, threads, buffers(src, src_bytes, dst, dst_bytes)) {
            (Some(Plan { job: Job::Pad(plan), .. }), 0 | 1, Some((src, dst))) => {
                Ok(plan.run_bytes_uninit(src, dst).map(drop)?)
            }
            _ => run_other(plan, threads, src, src_bytes, dst, dst_bytes),
        }
    })
}

/// Plans and runs in one call. For outputs of up to 48 KiB, this is faster than `pad_plan_new` and `pad_run`.
///
/// The buffers and their sizes are as in `pad_run`. The call allocates memory only for `PAD_DTYPE_BYTES`, tasks other than
/// `PAD_TASK_PAD`, axes with different modes, strides, a region, or more than six axes. It returns the errors of both calls.
///
/// # Safety
///
/// - The request is as in `pad_plan_new`, and the buffers are as in `pad_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_once(
    request: *const Request,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    let (src, dst) = (src.cast(), dst.cast());
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let asked = read_request(request)?;
        asked.with_spec(|spec| match (asked.once(), buffers(src, src_bytes, dst, dst_bytes)) {
            (Some(dtype), Some((src, dst))) => {
                Ok(pad_bytes_into_uninit(src, asked.shape, dtype, &spec, dst).map(drop)?)
            }
            _ => run_other(Some(&Plan::new(&asked, spec)?), 0, src, src_bytes, dst, dst_bytes),
        })
    })
}

/// Returns the message of the last error of the calling thread, or an empty string. Every error allocates memory for its
/// message.
///
/// The message is valid until the next error of this thread, or until the thread ends. While a thread ends, its errors have no
/// message.
#[unsafe(no_mangle)]
pub extern "C" fn pad_last_error() -> *const c_char {
    types::LAST.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
