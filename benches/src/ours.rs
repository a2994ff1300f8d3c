//! Defines the competitors that need no other library: memcpy, and all ways to call this library.

use std::hint::black_box;

use bytemuck::Pod;
use pad_kernels::{Element, PadPlan, kernels::Streaming, pad, pad_bytes_into, tensor::ElementSize};

use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc, into};

/// The name of the baseline.
pub const MEMCPY: &str = "memcpy";

/// The names of the ways to call the library.
pub const LIBRARY: [&str; 5] = ["plan", "streaming", "oneshot", "alloc", "generic"];

/// Returns memcpy, and then all ways to call the library.
pub fn all() -> Vec<Competitor> {
    [
        Competitor { name: MEMCPY, contract: Contract::Into, prepare: memcpy },
        Competitor { name: "plan", contract: Contract::Into, prepare: plan },
        Competitor { name: "streaming", contract: Contract::Into, prepare: streaming },
        Competitor { name: "oneshot", contract: Contract::Into, prepare: oneshot },
        Competitor { name: "alloc", contract: Contract::Alloc, prepare: new_tensor },
        Competitor { name: "generic", contract: Contract::Into, prepare: generic },
    ]
    .into()
}

/// Copies as many bytes as the output has, on one thread.
fn memcpy(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    Some(into(case, |dst| dst.copy_from_slice(black_box(case.memcpy_source()))))
}

/// A prepared plan.
fn plan(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    Some(run(case, forced(case, case.plan.clone())?))
}

/// A prepared plan that always uses non-temporal stores.
fn streaming(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    Some(run(case, forced(case, case.plan.clone())?.with_streaming(Streaming::Always)))
}

/// Makes a one-shot call, or a new plan for each call if the settings ask for an instruction set or for threads.
fn oneshot(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let (spec, shape, dtype) = (&case.spec, &case.workload.shape, case.workload.dtype);
    let (isa, threads) = (case.settings.isa, case.settings.threads);
    if isa.is_none() && threads == 1 {
        return Some(into(case, move |dst| {
            pad_bytes_into(black_box(case.input()), black_box(shape), dtype, black_box(spec), dst)
                .expect("planned before");
        }));
    }
    forced(case, case.plan.clone())?;
    Some(into(case, move |dst| {
        let plan = PadPlan::for_dtype(black_box(spec), black_box(shape), dtype).ok();
        let plan = plan.and_then(|plan| forced(case, plan)).expect("planned before");
        run_threads(case, &plan, dst);
    }))
}

/// A one-shot call that returns a new tensor.
fn new_tensor(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    forced(case, case.plan.clone())?;
    match case.workload.dtype.element_size() {
        ElementSize::Bytes(1) => new_vector::<u8>(case),
        ElementSize::Bytes(2) => new_vector::<u16>(case),
        ElementSize::Bytes(4) => new_vector::<u32>(case),
        ElementSize::Bytes(8) => new_vector::<u64>(case),
        ElementSize::Bytes(_) => new_vector::<u128>(case),
        // Rust has no type for packed elements, so the caller allocates the bytes.
        _ => Some(alloc(
            move || {
                let plan = PadPlan::for_dtype(&case.spec, &case.workload.shape, case.workload.dtype).ok();
                let plan = plan.and_then(|plan| forced(case, plan)).expect("planned before");
                let mut dst = vec![0; plan.output_bytes()];
                run_threads(case, &plan, &mut dst);
                dst
            },
            |dst, look| look(&dst),
        )),
    }
}

/// Pads into a new vector. The library copies bits, so one type stands for all types of its size.
fn new_vector<T: Element + Pod + Send + Sync>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let fill: T = bytemuck::pod_read_unaligned(&case.workload.fill);
    let (spec, shape) = (case.spec.clone().with_fill(fill), &case.workload.shape);
    let src: &[T] = bytemuck::cast_slice(case.input());
    let (isa, threads) = (case.settings.isa, case.settings.threads);
    Some(alloc(
        move || {
            if isa.is_none() && threads == 1 {
                return pad(black_box(src), black_box(shape), black_box(&spec)).expect("planned before");
            }
            let plan = PadPlan::new::<T>(black_box(&spec), black_box(shape)).ok();
            let plan = plan.and_then(|plan| forced(case, plan)).expect("planned before");
            if threads > 1 { plan.par_to_vec(black_box(src)) } else { plan.to_vec(black_box(src)) }
                .expect("memory")
        },
        |dst, look| look(bytemuck::cast_slice(&dst)),
    ))
}

/// A prepared plan that runs the loop in safe code.
fn generic(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let plan = case.plan.with_generic_kernel();
    Some(into(case, move |dst| {
        plan.run_bytes(black_box(case.input()), dst).expect("buffers of the plan's size");
    }))
}

fn run(case: &Case, plan: PadPlan) -> Box<dyn Prepared + '_> {
    into(case, move |dst| run_threads(case, &plan, dst))
}

/// Runs the plan on the requested number of threads.
fn run_threads(case: &Case, plan: &PadPlan, dst: &mut [u8]) {
    let src = black_box(case.input());
    match case.settings.threads {
        1 => plan.run_bytes(src, dst),
        _ => plan.par_run_bytes(src, dst),
    }
    .expect("buffers of the plan's size");
}

/// Returns the plan for the requested instruction set, or `None` if no kernel for this set can run it.
fn forced(case: &Case, plan: PadPlan) -> Option<PadPlan> {
    match case.settings.isa {
        Some(isa) => plan.with_isa(isa).ok(),
        None => Some(plan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::competitor::checked;
    use crate::workload::parse;
    use pad_kernels::kernels::Isa;

    /// The number of bytes that a debug build pads quickly.
    const SMALL: usize = 1 << 18;

    #[test]
    fn all_are_right_on_the_small_workloads() {
        let workloads = parse(include_str!("../workloads.json")).unwrap();
        for isa in [None, Some(Isa::Portable)] {
            for workload in &workloads {
                if workload.output_shape().iter().product::<usize>() * workload.element_bits() / 8 > SMALL {
                    continue;
                }
                let case = Case::new(workload, Settings { isa, threads: 1 }).unwrap();
                for competitor in all() {
                    let checked = checked(&competitor, &case);
                    assert!(checked.unwrap().is_some(), "{} on {}", competitor.name, workload.id);
                }
            }
        }
    }
}
