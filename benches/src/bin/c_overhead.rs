//! Measures how much more a call costs through the C interface than from Rust, in one process.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Instant;

use pad_c::types::Status;
use pad_kernels::{DType, Fill, PadMode, PadPlan, PadSpec, pad_bytes_into};
use spec_tests::calls::{Arguments, Buffers, Plan};
use spec_tests::case::Kind;

/// A shape, and how much is added to each axis.
type Padding = (&'static [usize], &'static [(i64, i64)]);

const CALLS: u32 = 1000;
const ROUNDS: usize = 2000;

/// The lowest mean time of a call in nanoseconds, of functions that take turns and make [`CALLS`] calls each.
fn measure<const N: usize>(mut calls: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (call, best) in calls.iter_mut().zip(&mut best) {
            let start = Instant::now();
            call();
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
        }
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "ns per call              | run_bytes | run_bytes_uninit | pad_run | more | pad_bytes_into | pad_once | more"
    );
    let shapes: [Padding; 3] =
        [(&[8], &[(2, 2)]), (&[3, 3], &[(1, 1); 2]), (&[1, 3, 8, 8], &[(0, 0), (0, 0), (1, 1), (1, 1)])];
    for mode in [PadMode::Constant, PadMode::Reflect] {
        for (shape, pads) in shapes {
            let mut spec = PadSpec::new(mode, pads);
            spec.fill = Some(Fill::of(0.5f32));
            let plan = PadPlan::for_dtype(&spec, shape, DType::F32)?;
            let fill = Some(0.5f32.to_ne_bytes().to_vec());
            let arguments = Arguments::new(&spec, shape, Kind::Tagged(DType::F32), fill);
            let c_plan = Plan::new(&arguments).map_err(|status| format!("{status:?}"))?;
            let (read, written) = (plan.input_bytes(), plan.output_bytes());
            let buffers = Buffers { src: (Some(0), read), dst: (Some(read), written) };
            let mut memory = [vec![vec![0u8; read + written]; 4]].concat();
            let [a, b, c, d] = &mut memory[..] else { unreachable!() };
            let often = |memory: &mut [u8], call: &dyn Fn(&[u8], &mut [u8])| {
                let (src, dst) = memory.split_at_mut(read);
                (0..CALLS).for_each(|_| call(black_box(src), black_box(dst)));
            };
            let run = |src: &[u8], dst: &mut [u8]| assert!(plan.run_bytes(src, dst).is_ok());
            let mut uninit = vec![MaybeUninit::uninit(); written];
            let mut run_uninit = || {
                let src = &vec![0u8; read][..];
                for _ in 0..CALLS {
                    assert!(plan.run_bytes_uninit(black_box(src), black_box(&mut uninit)).is_ok());
                }
            };
            let once = |src: &[u8], dst: &mut [u8]| {
                let mut spec = PadSpec::new(mode, black_box(pads));
                spec.fill = Some(Fill::from_bytes(DType::F32, &0.5f32.to_ne_bytes()));
                assert!(pad_bytes_into(src, black_box(shape), DType::F32, &spec, dst).is_ok());
            };
            let [rust, uninit, ours, rust_once, ours_once] = measure([
                &mut || often(a, &run),
                &mut run_uninit,
                &mut || assert_eq!(c_plan.run_often(b, buffers, CALLS), Status::Ok),
                &mut || often(c, &once),
                &mut || assert_eq!(arguments.once_often(d, buffers, CALLS), Status::Ok),
            ]);
            let (prepared, one_shot) = (ours - uninit, ours_once - rust_once);
            let name = format!("{mode} {shape:?}");
            println!(
                "{name:24} | {rust:.1} | {uninit:.1} | {ours:.1} | {prepared:.1} | {rust_once:.1} | {ours_once:.1} | {one_shot:.1}"
            );
        }
    }
    Ok(())
}
