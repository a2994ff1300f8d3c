//! Measures the additional time of a call through the C interface, compared with a call from Rust in the same process.
#![forbid(unsafe_code)]

use std::hint::black_box as hide;
use std::mem::MaybeUninit;
use std::time::Instant;

use pad_c::types::Status;
use pad_kernels::{DType, Fill, PadMode, PadPlan, PadSpec, pad_bytes_into};
use spec_tests::c::Arguments;
use spec_tests::case::Kind;

/// A shape, and the number of elements to add on each axis.
type Padding = (&'static [usize], &'static [(i64, i64)]);

const CALLS: u32 = 1000;

/// Returns the nanoseconds per call. One execution of `call` makes one call or many.
fn time(calls: u32, mut call: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    (0..CALLS / calls).for_each(|_| assert!(call()));
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "run_bytes | run_bytes_uninit | pad_run | more | pad_bytes_into | pad_once | more, in ns per call"
    );
    let fill = 0.5f32.to_ne_bytes();
    let shapes: [Padding; 3] =
        [(&[8], &[(2, 2)]), (&[3, 3], &[(1, 1); 2]), (&[1, 3, 8, 8], &[(0, 0), (0, 0), (1, 1), (1, 1)])];
    for (mode, (shape, pads)) in
        [PadMode::Constant, PadMode::Reflect].map(|mode| shapes.map(|shape| (mode, shape))).as_flattened()
    {
        let spec = || {
            let mut spec = PadSpec::new(*mode, *hide(pads));
            spec.fill = Some(Fill::from_bytes(DType::F32, &fill));
            spec
        };
        let plan = PadPlan::for_dtype(&spec(), shape, DType::F32)?;
        let arguments = Arguments::new(&spec(), shape, Kind::Tagged(DType::F32), Some(fill.to_vec()));
        let c_plan = arguments.plan().map_err(|status| format!("{status:?}"))?;
        let (read, written) = (plan.input_bytes(), plan.output_bytes());
        let (src, mut dst, mut new) = (vec![0; read], vec![0; written], vec![MaybeUninit::uninit(); written]);
        // The buffer of C begins at a multiple of 16 bytes, as the other buffers do.
        let at = read.next_multiple_of(64);
        let mut memory = vec![0; at + written];
        let mut c = |plan| arguments.run(plan, &mut memory, (Some(0), read), (Some(at), written), CALLS - 1);
        let mut best = [f64::INFINITY; 5];
        // All ways are measured in turns.
        for _ in 0..2000 {
            let now = [
                time(1, || plan.run_bytes(hide(&src), hide(&mut dst)).is_ok()),
                time(1, || plan.run_bytes_uninit(hide(&src), hide(&mut new)).is_ok()),
                time(CALLS, || c(Some(&*c_plan)) == Status::Ok),
                time(1, || {
                    pad_bytes_into(hide(&src), hide(shape), DType::F32, &spec(), hide(&mut dst)).is_ok()
                }),
                time(CALLS, || c(None) == Status::Ok),
            ];
            best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
        }
        let [rust, uninit, run, into, once] = best;
        print!(
            "{rust:.1} | {uninit:.1} | {run:.1} | {:.1} | {into:.1} | {once:.1} | {:.1}",
            run - uninit,
            once - into
        );
        println!(" for {mode} of {shape:?}");
    }
    Ok(())
}
