//! Runs cases on the library, and checks each run:
//!
//! - The output equals the reference's output, bit for bit.
//! - The run writes every byte of the output. Two runs start with different bytes, all of them wrong.
//! - The run writes no other bytes. Canaries on both sides of the destination show this.
//! - The run does not read or write beyond source and destination. Some runs place both next to unmapped pages.
//! - Odd addresses work.
//! - The library refuses the same requests as the reference.
//!
//! If the environment variable `PAD_TRACE` is set, each case is printed before it runs. If a run ends the process, its case is
//! the last one printed.
#![forbid(unsafe_code)]

mod arena;
mod entry;
mod plans;
mod run;

use anyhow::{Result, anyhow, ensure};
use pad_kernels::{PadPlan, kernels::PadKernel, tensor::ElementSize};

use crate::case::{Case, Kind, with_type};
use crate::views::Layout;

pub use arena::{Junk, Place, observe};
pub use entry::{Call, Entry, Threads};
pub use plans::{Outcome, check_plan, fitting};
pub(crate) use run::{Run, Subject};

/// Runs `case` with every kernel and through every call, and checks all results.
pub fn check(case: &Case) -> Result<Outcome> {
    with_subject(case, in_every_way)
}

/// Compares the plan or the refusal of `case` with the reference. Calls `run` with the plan and the reference's answer.
pub(crate) fn with_subject(case: &Case, run: impl FnOnce(&Subject<'_>) -> Result<()>) -> Result<Outcome> {
    plans::with_plan(case, |plan| {
        let map = case.map().map_err(|refusal| anyhow!("{refusal:?}"))?;
        run(&Subject { case, plan, turned: case.turned(&map, |_, _| true), map })
    })
}

fn in_every_way(subject: &Subject<'_>) -> Result<()> {
    let Subject { case, plan, .. } = subject;
    let layout = Layout::whole(plan.output_shape());
    let run = Run::new(subject, &layout)?;
    let (data, output) = run.data();
    if plan.is_copy() && matches!(case.kind.element_size(), ElementSize::Bytes(_)) {
        let is_run = data.windows(output.len()).any(|run| run == output);
        ensure!(is_run, "the plan is a copy, but the output is no run of the input");
    }
    let unpadded = case
        .axes
        .iter()
        .zip(&case.shape)
        .all(|(pad, &length)| (pad.low, pad.high) == (0, 0) && (pad.interior == 0 || length < 2));
    let is_copy = plan.is_copy() || plan.is_empty() || case.turns_signs();
    ensure!(!unpadded || is_copy, "nothing is padded, but the plan is not a copy");
    run.on_every_kernel()?;
    let entry = |call, typed| Entry { call, typed, ..Entry::RUN };
    let untyped: &[Call] = match case.kind {
        kind if kind.is_cloned() => &[Call::Pad, Call::ToVec],
        Kind::Tagged(_) => &[Call::PadInto, Call::Pad, Call::ToVec],
        Kind::Raw(_) | Kind::Array(_) => &[Call::ToVec],
    };
    untyped.iter().try_for_each(|&call| run.everywhere(&entry(call, false)))?;
    // The typed plan equals the untyped one.
    let Some(typed) = with_type!(case.kind, T => PadPlan::new::<T>(&case.spec(), &case.shape)) else {
        return Ok(());
    };
    ensure!(typed.as_ref() == Ok(plan), "the typed plan is another than the untyped one: {typed:?}");
    let typed = [Call::PadInto, Call::Pad, Call::Run, Call::RunUninit, Call::ToVec];
    typed.into_iter().try_for_each(|call| run.everywhere(&entry(call, true)))
}

/// Runs `case` with `layout` on the kernel `row` only, and checks the result. The kernel must fit.
pub fn check_row(row: &'static PadKernel, case: &Case, layout: &Layout) -> Result<()> {
    with_subject(case, |subject| Run::new(subject, layout)?.on_row(row))?.ran(case)
}
