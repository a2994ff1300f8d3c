//! Checks of every run of the library.
//!
//! - The output equals the reference's output, bit for bit.
//! - The run writes every byte of the output. Two runs start with different bytes, all of them wrong.
//! - The run writes no other bytes. Canaries on both sides of the destination show this.
//! - The run does not read or write beyond source and destination. Some runs place both next to unmapped pages.
//! - Odd addresses work.
//! - The library refuses the same requests as the reference.
//!
//! If the environment variable `PAD_TRACE` is set, each case is printed before it runs. This shows cases that end the process.
#![forbid(unsafe_code)]

mod arena;
mod entry;
mod plans;
mod run;

use pad_kernels::{kernels::PadKernel, tensor::ElementSize};

use crate::case::{Case, Kind};
use crate::views::Layout;

pub use crate::case::elements;
pub use arena::{Junk, Place, observe};
pub use entry::{Call, Entry, Threads};
pub use plans::{Mismatch, Outcome, check_plan, fitting};
pub(crate) use run::{Run, Subject};

/// Runs `case` with every kernel and through every call, and checks all results.
pub fn check(case: &Case) -> Result<Outcome, Mismatch> {
    let subject = match Subject::new(case)? {
        Ok(subject) => subject,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    in_every_way(&subject).map_err(|what| Mismatch::new(case, what))?;
    Ok(Outcome::Ran)
}

fn in_every_way(subject: &Subject<'_>) -> Result<(), String> {
    let Subject { case, plan, .. } = subject;
    let layout = Layout::whole(plan.output_shape());
    let run = Run::new(subject, &layout)?;
    let (data, output) = run.data();
    let is_bytes = matches!(case.kind.element_size(), ElementSize::Bytes(_));
    if plan.is_copy() && is_bytes && !data.windows(output.len()).any(|run| run == output) {
        return Err("the plan is a copy, but the output is no run of the input".to_string());
    }
    let unpadded = case
        .axes
        .iter()
        .zip(&case.shape)
        .all(|(pad, &length)| (pad.low, pad.high) == (0, 0) && (pad.interior == 0 || length < 2));
    if unpadded && !plan.is_empty() && !plan.is_copy() && !case.turns_signs() {
        return Err("nothing is padded, but the plan is not a copy".to_string());
    }
    run.on_every_kernel()?;
    let entry = |call, typed| Entry { call, typed, ..Entry::RUN };
    let is_cloned = case.kind.element_size() == ElementSize::Cloned;
    let untyped: &[Call] = match case.kind {
        _ if is_cloned => &[Call::Pad, Call::ToVec],
        Kind::Tagged(_) => &[Call::PadInto, Call::Pad, Call::ToVec],
        Kind::Raw(_) | Kind::Array(_) => &[Call::ToVec],
    };
    untyped.iter().try_for_each(|&call| run.everywhere(&entry(call, false)))?;
    if !run::check_typed(subject)? {
        return Ok(());
    }
    let typed = [Call::PadInto, Call::Pad, Call::Run, Call::RunUninit, Call::ToVec];
    typed.into_iter().try_for_each(|call| run.everywhere(&entry(call, true)))
}

/// Runs `case` with `layout` on the kernel `row` only, and checks the result. The kernel must fit.
pub fn check_row(row: &'static PadKernel, case: &Case, layout: &Layout) -> Result<(), Mismatch> {
    let found = match Subject::new(case)? {
        Ok(subject) => Run::new(&subject, layout).and_then(|run| run.on_row(row)),
        Err(error) => Err(format!("is refused: {error}")),
    };
    found.map_err(|what| Mismatch::new(case, what))
}
