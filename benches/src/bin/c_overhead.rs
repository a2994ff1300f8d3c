//! Measures the additional time of a call through the C interface, compared with a call from Rust in the same process.
#![forbid(unsafe_code)]

use std::hint::black_box as hide;
use std::mem::MaybeUninit;
use std::time::Instant;

use pad_c::types::Status;
use pad_kernels::{DType, Fill, PadMode, PadPlan, PadSpec, pad_bytes_into};
use spec_tests::{c::Arguments, case::Kind};

const CALLS: u32 = 1000;

/// Returns the nanoseconds per call, as the mean of [`CALLS`] calls.
fn time(mut call: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    (0..CALLS).for_each(|_| assert!(call()));
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

/// Returns a buffer that begins at the start of a page. The offset of a buffer in its page changes the time by 5 ns.
fn aligned<T: Clone>(value: T, len: usize) -> &'static mut [T] {
    let buffer = vec![value; len + 4096].leak();
    let start = buffer.as_ptr().align_offset(4096);
    &mut buffer[start..][..len]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("run_bytes | run_bytes_uninit | pad_run | more | pad_bytes_into | pad_once | more, ns per call");
    let fill = 0.5f32.to_ne_bytes();
    let flat = (&[8][..], &[(2, 2)][..]);
    let images = (&[1, 3, 8, 8][..], &[(0, 0), (0, 0), (1, 1), (1, 1)][..]);
    let shapes = [flat, (&[3, 3][..], &[(1, 1); 2][..]), images];
    for (mode, (shape, pads)) in
        [PadMode::Constant, PadMode::Reflect].map(|mode| shapes.map(|shape| (mode, shape))).as_flattened()
    {
        let spec = || PadSpec::new(*mode, *hide(pads)).with_fill(Fill::from_bytes(DType::F32, &fill));
        let plan = PadPlan::for_dtype(&spec(), shape, DType::F32)?;
        let arguments = Arguments::new(&spec(), shape, Kind::Tagged(DType::F32), Some(fill.to_vec()));
        let c_plan = arguments.plan().map_err(|status| format!("{status:?}"))?;
        let (read, written) = (plan.input_bytes(), plan.output_bytes());
        let at = read.next_multiple_of(64);
        let (src, dst) = (aligned(0, read), &mut aligned(0, at + written)[at..]);
        let new = &mut aligned(MaybeUninit::uninit(), at + written)[at..];
        let [memory, other] = [0; 2].map(|zero| aligned(zero, at + written));
        let buffers = [(Some(0), read), (Some(at), written)];
        let run = arguments.call(Some(&c_plan), memory, buffers);
        let once = arguments.call(None, other, buffers);
        let mut best = [f64::INFINITY; 5];
        // The five kinds of calls are measured in turns.
        for _ in 0..2000 {
            let now = [
                time(|| plan.run_bytes(hide(src), hide(dst)).is_ok()),
                time(|| plan.run_bytes_uninit(hide(src), hide(new)).is_ok()),
                time(|| run() == Status::Ok),
                time(|| pad_bytes_into(hide(src), shape, DType::F32, &spec(), hide(dst)).is_ok()),
                time(|| once() == Status::Ok),
            ];
            best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
        }
        let [rust, uninit, run, into, once] = best;
        print!("{rust:.1} | {uninit:.1} | {run:.1} | {:.1} | {into:.1} | ", run - uninit);
        println!("{once:.1} | {:.1} for {mode} of {shape:?}", once - into);
    }
    Ok(())
}
