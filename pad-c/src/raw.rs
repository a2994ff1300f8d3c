//! The functions that C calls. All `unsafe` code of the crate is here.
//!
//! Every function checks its arguments before it calls safe code. A caller answers for what no function can check: that pointers
//! point to as much memory as their sizes say, and that no other thread writes it.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::{ptr, slice};

use pad_kernels::tensor::{RawInput, RawOutput};

use crate::plan::{Asked, Element, Place, Plan};
use crate::pool::Pool;
use crate::status::{self, Failure, guard};
use crate::types::{PAD_MAX_RANK, Request, Status};

/// Reads `len` values at `start`, which may be null if `len` is 0.
///
/// # Safety
///
/// - `start` is null, or `len` initialised values lie there.
/// - Nothing writes them for `'a`.
#[inline(always)]
unsafe fn read<'a, T>(name: &str, start: *const T, len: usize) -> Result<&'a [T], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    if start.is_null() || !start.is_aligned() {
        return Err(Failure::null(name));
    }
    if len > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::new(Status::Size, format!("{name} is larger than memory")));
    }
    // SAFETY: neither null nor unaligned, not longer than memory, and the rest is the caller's promise.
    Ok(unsafe { slice::from_raw_parts(start, len) })
}

/// Reads `len` values at `start`, and `None` if `start` is null.
///
/// # Safety
///
/// - As for [`read`].
#[inline(always)]
unsafe fn read_optional<'a, T>(name: &str, start: *const T, len: usize) -> Result<Option<&'a [T]>, Failure> {
    // SAFETY: the caller's promise.
    (!start.is_null()).then(|| unsafe { read(name, start, len) }).transpose()
}

/// Borrows one value.
///
/// # Safety
///
/// - `value` is null, or an initialised value lies there.
/// - Nothing writes it for `'a`, other than through a lock of its own.
#[inline]
unsafe fn borrow<'a, T>(name: &str, value: *const T) -> Result<&'a T, Failure> {
    if value.is_null() || !value.is_aligned() {
        return Err(Failure::null(name));
    }
    // SAFETY: neither null nor unaligned, and the rest is the caller's promise.
    Ok(unsafe { &*value })
}

/// Writes one value.
///
/// # Safety
///
/// - `place` is null, or memory for a value that nothing else uses.
unsafe fn store<T>(
    name: &str,
    place: *mut T,
    value: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::null(name));
    }
    let value = value()?;
    // SAFETY: neither null nor unaligned, and the rest is the caller's promise.
    unsafe { place.write(value) };
    Ok(())
}

/// Reads a request and its arrays.
///
/// # Safety
///
/// - `request` is null, or a request lies there. Its pointers are null, or `rank` values lie there, or one element of the type.
/// - Nothing writes any of them for `'a`.
#[inline(always)]
unsafe fn read_request<'a>(request: *const Request) -> Result<Asked<'a>, Failure> {
    // SAFETY: the caller's promise, for each of the arrays.
    unsafe {
        let request: &Request = borrow("request", request)?;
        let rank = request.rank;
        if rank > PAD_MAX_RANK {
            return Err(Failure::new(Status::Size, format!("a rank of {rank} is more than {PAD_MAX_RANK}")));
        }
        let element = Element::new(request.dtype, request.element_bytes)?;
        let start = read_optional("region_start", request.region_start, rank)?;
        Ok(Asked {
            element,
            frame: request.frame,
            shape: read("shape", request.shape, rank)?,
            axes: read("axes", request.axes, rank)?,
            fill: read_optional("fill", request.fill.cast(), element.fill_bytes())?,
            input_strides: read_optional("input_strides", request.input_strides, rank)?,
            output_strides: read_optional("output_strides", request.output_strides, rank)?,
            region: match (start, read_optional("region_end", request.region_end, rank)?) {
                (Some(start), Some(end)) => Some((start, end)),
                (None, None) => None,
                _ => return Err(Failure::null("one end of the region")),
            },
        })
    }
}

/// Input and output of a run.
struct Buffers {
    src: *const u8,
    src_bytes: usize,
    dst: *mut u8,
    dst_bytes: usize,
}

impl Buffers {
    /// Refuses null pointers, and buffers that share memory.
    ///
    /// Always inlined: a run took 10 ns more where its arguments went through memory.
    #[inline(always)]
    fn new(
        src: *const c_void,
        src_bytes: usize,
        dst: *mut c_void,
        dst_bytes: usize,
    ) -> Result<Buffers, Failure> {
        let Some(both) = src_bytes.checked_add(dst_bytes).filter(|&both| both <= isize::MAX as usize) else {
            return Err(Failure::new(Status::Size, "the buffers are larger than memory"));
        };
        if src.is_null() && src_bytes > 0 || dst.is_null() && dst_bytes > 0 {
            return Err(Failure::null(if dst.is_null() { "dst" } else { "src" }));
        }
        // They are apart if the lower one ends before the higher one begins.
        let apart = if src.addr() < dst.addr() {
            dst.addr() - src.addr() >= src_bytes
        } else {
            src.addr() - dst.addr() >= dst_bytes
        };
        if !apart && both > src_bytes && both > dst_bytes {
            return Err(Failure::new(Status::Overlap, "src and dst share memory"));
        }
        Ok(Buffers { src: src.cast(), src_bytes, dst: dst.cast(), dst_bytes })
    }

    /// # Safety
    ///
    /// - The buffers have as many bytes as they say. Those of the source are initialised.
    /// - Nothing writes the source for `'a`, and nothing else uses the destination.
    #[inline(always)]
    unsafe fn slices<'a>(self) -> (&'a [u8], &'a mut [MaybeUninit<u8>]) {
        let src = if self.src.is_null() { ptr::dangling() } else { self.src };
        let dst = if self.dst.is_null() { ptr::dangling_mut() } else { self.dst };
        // SAFETY: not null, apart, not longer than memory, and the rest is the caller's promise.
        unsafe {
            let dst = slice::from_raw_parts_mut(dst.cast(), self.dst_bytes);
            (slice::from_raw_parts(src, self.src_bytes), dst)
        }
    }

    /// # Safety
    ///
    /// - As for [`slices`](Buffers::slices), but only for the elements: bytes between them may belong to others.
    #[inline(always)]
    unsafe fn run(self, plan: &Plan, pool: Option<&Pool>) -> Result<(), Failure> {
        if plan.is_strided {
            let Buffers { src, src_bytes, dst, dst_bytes } = self;
            // SAFETY: the caller's promise.
            return unsafe { run_strided(plan, src, src_bytes, dst, dst_bytes) };
        }
        // SAFETY: without strides the elements are all of the memory.
        let (src, dst) = unsafe { self.slices() };
        plan.run(pool, src, dst)
    }
}

/// Runs on the elements of strided tensors. Arguments of their own stay in registers.
///
/// # Safety
///
/// - As for [`Buffers::run`].
unsafe fn run_strided(
    plan: &Plan,
    src: *const u8,
    src_bytes: usize,
    dst: *mut u8,
    dst_bytes: usize,
) -> Result<(), Failure> {
    let Place { first, strides, .. } = holds("src", src_bytes, &plan.input)?;
    // SAFETY: the buffer holds the elements, which begin so many bytes after its start.
    let input = unsafe {
        RawInput::new(src.wrapping_add(*first), plan.element_bytes(), plan.plan.input_shape(), strides)
    };
    let Place { first, strides, .. } = holds("dst", dst_bytes, &plan.output)?;
    // SAFETY: as above.
    let output = unsafe {
        RawOutput::new(dst.wrapping_add(*first), plan.element_bytes(), plan.plan.output_shape(), strides)
    };
    Ok(plan.plan.run_raw(&input, output)?)
}

/// The place of a tensor in a buffer of so many bytes.
fn holds<'a>(name: &str, bytes: usize, place: &'a Place) -> Result<&'a Place, Failure> {
    if bytes < place.bytes { Err(Failure::size(name, bytes, place.bytes)) } else { Ok(place) }
}

/// Makes a plan, which `pad_plan_free` frees. The request and its arrays are not needed any more then.
/// The call allocates.
///
/// # Safety
///
/// - The arrays of `request` have as many entries as it says.
/// - `plan` points to a pointer, which is written if the call succeeds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_new(request: *const Request, plan: *mut *mut Plan) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        store("plan", plan, || Ok(Box::into_raw(Box::new(Plan::new(&read_request(request)?)?))))
    })
}

/// Frees a plan. NULL is allowed.
///
/// # Safety
///
/// - `plan` is NULL, or a plan that is not freed yet and that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_free(plan: *mut Plan) {
    guard(|| {
        // SAFETY: the caller's promise; the plan was a box.
        drop((!plan.is_null()).then(|| unsafe { Box::from_raw(plan) }));
        Ok(())
    });
}

/// Writes the lengths of the output, or of its region.
///
/// # Safety
///
/// - `plan` is NULL or a plan. `rank` lengths can be written to `shape`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_output_shape(plan: *const Plan, shape: *mut usize, rank: usize) -> Status {
    // SAFETY: the caller's promise, for each of the lengths.
    guard(|| unsafe {
        let lengths = borrow("plan", plan)?.plan.output_shape();
        if lengths.len() != rank {
            let what = format!("the output has {} axes, not {rank}", lengths.len());
            return Err(Failure::new(Status::Size, what));
        }
        lengths
            .iter()
            .enumerate()
            .try_for_each(|(axis, &length)| store("shape", shape.wrapping_add(axis), || Ok(length)))
    })
}

/// Returns the bytes of the input, from its lowest element to the end of its highest one; 0 for NULL.
///
/// # Safety
///
/// - `plan` is NULL or a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_input_bytes(plan: *const Plan) -> usize {
    // SAFETY: the caller's promise.
    unsafe { plan.as_ref() }.map_or(0, |plan| plan.input.bytes)
}

/// Returns the bytes of the output, from its lowest element to the end of its highest one; 0 for NULL.
///
/// # Safety
///
/// - `plan` is NULL or a plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_output_bytes(plan: *const Plan) -> usize {
    // SAFETY: the caller's promise.
    unsafe { plan.as_ref() }.map_or(0, |plan| plan.output.bytes)
}

/// Pads `src` into `dst`. Both point to the lowest element of their tensor.
///
/// The sizes are those of the plan; with strides they may be larger. With strides, bytes between elements are left alone.
/// `pool` is NULL for the calling thread. The threads of a pool share outputs of 1 MiB and more without strides.
/// The call allocates only with a pool, with more than six axes, or with strides.
///
/// # Safety
///
/// - `plan` is NULL or a plan, and `pool` NULL or a pool.
/// - `src_bytes` initialised bytes lie at `src`, and `dst_bytes` bytes at `dst`.
/// - No other thread writes `src` or uses `dst` until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_run(
    plan: *const Plan,
    pool: *const Pool,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let pool = if pool.is_null() { None } else { Some(borrow("pool", pool)?) };
        Buffers::new(src, src_bytes, dst, dst_bytes)?.run(borrow("plan", plan)?, pool)
    })
}

/// Plans and pads in one call. For outputs up to 48 KiB that is faster than to make a plan and to run it.
///
/// The sizes are as for `pad_run`.
/// The call allocates only for `PAD_DTYPE_BYTES`, axes of different modes, strides, a region, or more than six axes.
///
/// # Safety
///
/// - As for `pad_plan_new` and `pad_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_once(
    request: *const Request,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let asked = read_request(request)?;
        if asked.has_once() {
            let (src, dst) = Buffers::new(src, src_bytes, dst, dst_bytes)?.slices();
            return asked.run_once(src, dst);
        }
        Buffers::new(src, src_bytes, dst, dst_bytes)?.run(&Plan::new(&asked)?, None)
    })
}

/// Writes the borders of `dst`, whose interior is already filled, and nothing else.
///
/// `dst` points to the lowest element of the whole output. The plan has no negative or interior padding, no region and no packed
/// type. The first call with a plan allocates; later ones do not.
///
/// # Safety
///
/// - `plan` is NULL or a plan.
/// - `dst_bytes` bytes lie at `dst`, and no other thread uses them until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_run_borders(plan: *const Plan, dst: *mut c_void, dst_bytes: usize) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let plan = borrow("plan", plan)?;
        let borders = plan.borders()?;
        let dst = Buffers::new(ptr::null(), 0, dst, dst_bytes)?;
        let Place { first, strides, bytes } = holds("dst", dst.dst_bytes, &plan.output)?;
        if !plan.is_strided && dst.dst_bytes != *bytes {
            return Err(Failure::size("dst", dst.dst_bytes, *bytes));
        }
        let first = dst.dst.wrapping_add(*first);
        Ok(borders.run_raw(RawOutput::new(first, plan.element_bytes(), borders.output_shape(), strides))?)
    })
}

/// Sums the gradient of the output into the gradient of the input.
///
/// Each element of `grad_out` is added to the element of `grad_in` that the padding read it from. `grad_in` is overwritten.
/// The plan has numbers as elements and no strides. The sizes are those of its output and its input.
/// The call allocates memory for sums, and the first call with a plan allocates more. If that memory is missing, `grad_in` is zero.
///
/// # Safety
///
/// - `plan` is NULL or a plan.
/// - `grad_out_bytes` initialised bytes lie at `grad_out`, and `grad_in_bytes` bytes at `grad_in`.
/// - No other thread writes `grad_out` or uses `grad_in` until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_run_adjoint(
    plan: *const Plan,
    grad_out: *const c_void,
    grad_out_bytes: usize,
    grad_in: *mut c_void,
    grad_in_bytes: usize,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let plan = borrow("plan", plan)?;
        let adjoint = plan.adjoint()?;
        let buffers = Buffers::new(grad_out, grad_out_bytes, grad_in, grad_in_bytes)?;
        for (name, given, needed) in
            [("grad_out", grad_out_bytes, plan.output.bytes), ("grad_in", grad_in_bytes, plan.input.bytes)]
        {
            if given != needed {
                return Err(Failure::size(name, given, needed));
            }
        }
        let (grad_out, grad_in) = buffers.slices();
        grad_in.fill(MaybeUninit::new(0));
        // Initialised just now.
        let grad_in = slice::from_raw_parts_mut(grad_in.as_mut_ptr().cast(), grad_in.len());
        Ok(adjoint.run_bytes(grad_out, grad_in)?)
    })
}

/// Starts `threads` threads, at most `PAD_MAX_THREADS`. `pad_pool_free` ends them. The call allocates.
///
/// # Safety
///
/// - `pool` points to a pointer, which is written if the call succeeds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_pool_new(threads: usize, pool: *mut *mut Pool) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { store("pool", pool, || Ok(Box::into_raw(Box::new(Pool::new(threads)?)))) })
}

/// Ends the threads of a pool, waits for them, and frees the pool. NULL is allowed.
///
/// # Safety
///
/// - `pool` is NULL, or a pool that is not freed yet and that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_pool_free(pool: *mut Pool) {
    guard(|| {
        // SAFETY: the caller's promise; the pool was a box.
        drop((!pool.is_null()).then(|| unsafe { Box::from_raw(pool) }));
        Ok(())
    });
}

/// Returns the message of the last error of this thread, or an empty one. Every error allocates its message.
///
/// The message is valid until the next error of the thread, or until the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn pad_last_error() -> *const c_char {
    status::last_error()
}
