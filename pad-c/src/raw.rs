//! The functions that C calls. All `unsafe` code of the crate is here.
//!
//! Every function checks its arguments before it calls safe code. A caller answers for what no function can check: that pointers
//! point to as much memory as their sizes say, and that no other thread writes it.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::{ptr, slice};

use pad_kernels::pad_bytes_into_uninit;

use crate::plan::{Asked, Element, Job, Plan};
use crate::pool::Pool;
use crate::status::{self, Failure, guard};
use crate::types::{PAD_MAX_RANK, Request, Sizes, Status};

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

/// Reads a request and its arrays.
///
/// # Safety
///
/// - The pointers of the request are null, or `rank` values lie there, or one element of the type.
/// - Nothing writes any of them.
#[inline(always)]
unsafe fn read_request(request: Option<&Request>) -> Result<Asked<'_>, Failure> {
    // SAFETY: the caller's promise, for each of the arrays.
    unsafe {
        let request = request.ok_or_else(|| Failure::null("request"))?;
        let rank = request.rank;
        if rank > PAD_MAX_RANK {
            return Err(Failure::new(Status::Size, format!("a rank of {rank} is more than {PAD_MAX_RANK}")));
        }
        let element = Element::new(request.dtype, request.element_bytes)?;
        let fill: *const u8 = request.fill.cast();
        let [input, output] = [request.input_strides, request.output_strides];
        let [start, end] = [request.region_start, request.region_end];
        Ok(Asked {
            request,
            element,
            shape: read("shape", request.shape, rank)?,
            axes: read("axes", request.axes, rank)?,
            fill: if fill.is_null() { None } else { Some(read("fill", fill, element.fill_bytes())?) },
            strides: [
                if input.is_null() { None } else { Some(read("input_strides", input, rank)?) },
                if output.is_null() { None } else { Some(read("output_strides", output, rank)?) },
            ],
            region: match (start.is_null(), end.is_null()) {
                (true, true) => None,
                (false, false) => Some((read("region_start", start, rank)?, read("region_end", end, rank)?)),
                _ => return Err(Failure::null("one end of the region")),
            },
        })
    }
}

/// The buffers of a run, of which none is null and none shares memory with the other.
///
/// Always inlined: a run took 10 ns more where its arguments went through memory.
///
/// # Safety
///
/// - Buffers that are not null have as many bytes as they say. Those of the source are initialised.
/// - Nothing writes the source for `'a`, and nothing else uses the destination.
#[inline(always)]
unsafe fn buffers<'a>(
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), Failure> {
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
    let src = if src.is_null() { ptr::dangling() } else { src.cast() };
    let dst = if dst.is_null() { ptr::dangling_mut() } else { dst.cast() };
    // SAFETY: not null, apart, not longer than memory, and the rest is the caller's promise.
    Ok(unsafe { (slice::from_raw_parts(src, src_bytes), slice::from_raw_parts_mut(dst, dst_bytes)) })
}

/// Runs a plan.
///
/// # Safety
///
/// - `dst` is initialised for borders, and for strides.
#[inline(always)]
unsafe fn run(
    plan: &Plan,
    pool: Option<&Pool>,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
) -> Result<(), Failure> {
    if let Job::Pad(pad) = &plan.job {
        match pool {
            None => pad.run_bytes_uninit(src, dst)?,
            Some(pool) => pool.install(|| pad.par_run_bytes_uninit(src, dst))??,
        };
        return Ok(());
    }
    // A failed call writes nothing.
    if matches!(plan.job, Job::Adjoint(_)) && plan.bytes == [src.len(), dst.len()] {
        dst.fill(MaybeUninit::new(0));
    }
    // SAFETY: a gradient is initialised just now, or nothing is read; the rest is the caller's promise.
    plan.run(pool, src, unsafe { slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), dst.len()) })
}

/// Hands a value to C.
fn store<T>(name: &str, place: Option<&mut MaybeUninit<Option<Box<T>>>>, value: T) -> Result<(), Failure> {
    place.ok_or_else(|| Failure::null(name))?.write(Some(Box::new(value)));
    Ok(())
}

/// Makes a plan, which `pad_plan_free` frees. The request and its arrays are not needed any more then.
/// The call allocates.
///
/// # Safety
///
/// - The arrays of `request` have as many entries as it says.
/// - `plan` points to a pointer, which is written if the call succeeds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_plan_new(
    request: Option<&Request>,
    plan: Option<&mut MaybeUninit<Option<Box<Plan>>>>,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| store("plan", plan, Plan::new(&unsafe { read_request(request) }?)?))
}

/// Frees a plan that no call uses. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn pad_plan_free(plan: Option<Box<Plan>>) {
    guard(|| {
        drop(plan);
        Ok(())
    });
}

/// Returns the sizes that runs of the plan need; zeros for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn pad_plan_sizes(plan: Option<&Plan>) -> Sizes {
    let (bytes, shape) = plan.map_or(([0; 2], &[][..]), |plan| (plan.bytes, &plan.output_shape));
    Sizes { src_bytes: bytes[0], dst_bytes: bytes[1], rank: shape.len(), output_shape: shape.as_ptr() }
}

/// Runs a plan from `src` to `dst`. Both point to the lowest element of their tensor.
///
/// The sizes are those of the plan; the buffers of strided tensors may be larger. Bytes between strided elements are left alone.
/// `pool` is NULL for the calling thread. The threads of a pool share adjoints, and outputs of 1 MiB and more without strides.
/// A run of `PAD_TASK_PAD` allocates only with a pool, with more than six axes, or with strides.
///
/// # Safety
///
/// - `plan` is NULL or a plan, and `pool` NULL or a pool.
/// - `src_bytes` initialised bytes lie at `src`, and `dst_bytes` bytes at `dst`. With strides, and for borders, `dst` is initialised.
/// - No other thread writes `src` or uses `dst` until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_run(
    plan: Option<&Plan>,
    pool: Option<&Pool>,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let (src, dst) = buffers(src, src_bytes, dst, dst_bytes)?;
        run(plan.ok_or_else(|| Failure::null("plan"))?, pool, src, dst)
    })
}

/// Plans and runs in one call. For outputs up to 48 KiB that is faster than to make a plan and to run it.
///
/// The sizes are as for `pad_run`. The call allocates only for `PAD_DTYPE_BYTES`, other tasks than `PAD_TASK_PAD`, axes of different
/// modes, strides, a region, or more than six axes.
///
/// # Safety
///
/// - The arguments keep the contracts of `pad_plan_new` and `pad_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pad_once(
    request: Option<&Request>,
    src: *const c_void,
    src_bytes: usize,
    dst: *mut c_void,
    dst_bytes: usize,
) -> Status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let asked = read_request(request)?;
        let (src, dst) = buffers(src, src_bytes, dst, dst_bytes)?;
        let Some(dtype) = asked.once() else { return run(&Plan::new(&asked)?, None, src, dst) };
        let spec = asked.spec(asked.modes()?, asked.frame()?);
        pad_bytes_into_uninit(src, asked.shape, dtype, &spec, dst)?;
        Ok(())
    })
}

/// Starts `threads` threads, at most `PAD_MAX_THREADS`. `pad_pool_free` ends them. The call allocates.
///
/// `pool` points to a pointer, which is written if the call succeeds.
#[unsafe(no_mangle)]
pub extern "C" fn pad_pool_new(threads: usize, pool: Option<&mut MaybeUninit<Option<Box<Pool>>>>) -> Status {
    guard(|| store("pool", pool, Pool::new(threads)?))
}

/// Ends the threads of a pool that no call uses, waits for them, and frees the pool. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn pad_pool_free(pool: Option<Box<Pool>>) {
    guard(|| pool.map_or(Ok(()), Pool::end));
}

/// Returns the message of the last error of this thread, or an empty one. Every error allocates its message.
///
/// The message is valid until the next error of the thread, or until the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn pad_last_error() -> *const c_char {
    status::LAST.with_borrow(|message| message.as_ptr())
}
