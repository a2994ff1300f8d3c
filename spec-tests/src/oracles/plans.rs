//! Checks plans: the library must accept and refuse the same requests as the reference. Also finds the kernels of a plan.

use std::collections::HashMap;
use std::env;
use std::sync::LazyLock;

use anyhow::{Result, anyhow, bail, ensure};
use pad_kernels::{
    Modes, PadError, PadMode, PadPlan, PadSpec,
    computed::PerSide,
    kernels::{self, Isa, PadKernel},
    pad_bytes,
};

use crate::case::Case;
use crate::reach;
use crate::views::count;

/// The result of a case without a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ran,
    /// The library refused the case, and the reference agrees.
    Refused(PadError),
}

impl Outcome {
    /// Fails if the case was refused.
    pub(crate) fn ran(self, case: &Case) -> Result<()> {
        ensure!(self == Outcome::Ran, "{self:?}: {case}");
        Ok(())
    }

    /// Panics if fewer than `percent` percent of the cases ran.
    pub fn most_ran(outcomes: &[Outcome], percent: usize) {
        let ran = outcomes.iter().filter(|outcome| **outcome == Outcome::Ran).count();
        assert!(ran * 100 >= outcomes.len() * percent, "only {ran} of {} cases ran", outcomes.len());
    }
}

/// Checks the plan or the refusal of `case` without a run, so the request may have any size.
pub fn check_plan(case: &Case) -> Result<Outcome> {
    with_plan(case, |_| Ok(()))
}

/// Compares the plan or the refusal of `case` with the reference, and calls `run` with the plan. An error names the case.
pub(super) fn with_plan(case: &Case, run: impl FnOnce(PadPlan) -> Result<()>) -> Result<Outcome> {
    static TRACE: LazyLock<bool> = LazyLock::new(|| env::var_os("PAD_TRACE").is_some());
    if *TRACE {
        eprintln!("{case}");
    }
    let checked = || match planned(case)? {
        Ok(plan) => run(plan).map(|()| Outcome::Ran),
        Err(error) => Ok(Outcome::Refused(error)),
    };
    checked().map_err(|what| anyhow!("{what:#}\n\n{case}"))
}

/// Returns the library's plan or error, after comparing it with the reference.
fn planned(case: &Case) -> Result<Result<PadPlan, PadError>> {
    let shape = case.output_shape();
    let plan = case.plan();
    match (&plan, &shape) {
        (Ok(_), _) if case.turns_signs() && !turnable(case) => {
            bail!("planned, though its signs cannot be turned");
        }
        (Err(error @ (PadError::NotNegatable { .. } | PadError::NegatedInterior { .. })), _) => {
            reach::refused(error);
            let dtype = case.kind.dtype();
            let gaps = case.axes.iter().position(|pad| pad.interior > 0);
            let right = match *error {
                PadError::NegatedInterior { axis, pad } => gaps == Some(axis) && case.axes[axis] == pad,
                error => !case.has_signs() && error == PadError::NotNegatable { dtype },
            };
            ensure!(right && !turnable(case), "refused as {error:?}");
        }
        (Ok(plan), Ok(shape)) => {
            reach::accepted();
            ensure!(!case.lacks_fill(), "planned without the fill that it needs");
            let told = (plan.input_shape(), plan.output_shape(), plan.input_len(), plan.output_len());
            let right = (&case.shape[..], &shape[..], count(&case.shape), count(shape));
            ensure!(told == right, "told {told:?}, not {right:?}");
            // Cloned elements have no bytes in the library, and one byte in these tests.
            let bytes = |elements| if case.kind.is_cloned() { 0 } else { case.kind.bytes(elements) };
            let told = (plan.input_bytes(), plan.output_bytes(), plan.dtype(), plan.is_empty());
            let right = (bytes(right.2), bytes(right.3), case.kind.dtype(), right.3 == 0);
            ensure!(told == right, "told {told:?}, not {right:?}");
        }
        (Err(error), Err(refusal)) => {
            reach::refused(error);
            let right = case.error(*refusal);
            ensure!(*error == right, "refused as {error:?}, by the reference as {refusal:?}");
        }
        (Err(error @ PadError::FillRequired { dtype }), Ok(_))
            if case.lacks_fill() && *dtype == case.kind.dtype() =>
        {
            reach::refused(error);
        }
        (plan, reference) => {
            let plan = plan.as_ref().map(PadPlan::output_shape);
            bail!("the library says {plan:?}, the reference {reference:?}");
        }
    }
    if let [pad, others @ ..] = &case.axes[..]
        && others.iter().all(|other| other == pad)
        && case.axes.len() == case.shape.len()
    {
        let spec = case.spec();
        let mut one = PadSpec::new(spec.mode, *pad);
        (one.fill, one.frame, one.negated) = (spec.fill, spec.frame, spec.negated);
        ensure!(case.plan_of(&one) == plan, "one pad for all axes is planned otherwise");
    }
    if let [sides, others @ ..] = &case.negated[..]
        && others.iter().all(|other| other == sides)
    {
        let one = case.spec().with_negated(PerSide::axes([*sides]));
        ensure!(case.plan_of(&one) == plan, "one pair of signs for all axes is planned otherwise");
    }
    let elements = case.shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length));
    if let (Err(error), Some(dtype), Some(0..=256)) = (&plan, case.kind.dtype(), elements) {
        // `pad_bytes` refuses cloned elements with another error.
        let at_once = pad_bytes(&case.data(), &case.shape, dtype, &case.spec());
        let same = at_once.as_ref() == Err(error) || case.kind.is_cloned();
        ensure!(same, "{at_once:?} at once, and {error:?} by the plan");
    }
    if let (Modes::All(mode), 1..) = (&case.mode, case.shape.len()) {
        let mut each = case.spec();
        each.mode = vec![*mode; case.shape.len()].into();
        ensure!(case.plan_of(&each) == plan, "one mode for all axes is planned otherwise");
    }
    Ok(plan)
}

/// Returns whether the library can negate elements of the case.
fn turnable(case: &Case) -> bool {
    case.has_signs() && case.axes.iter().all(|pad| pad.interior == 0)
}

/// Returns the plan with a kernel of `isa`, or `None` if there is none. Fails if a kernel fits, is available and is not chosen.
pub(super) fn with_isa(case: &Case, plan: &PadPlan, isa: Isa) -> Result<Option<PadPlan>> {
    let expected = isa.available() && fitting(plan).any(|row| row.isa() == isa);
    match plan.with_isa(isa) {
        // Kernels that do not negate do not fit a plan that negates, but they still run it.
        Ok(plan) if case.turns_signs() => Ok(Some(plan)),
        Ok(plan) if expected => {
            let is_right = |row: &PadKernel| {
                row.isa() == isa
                    && row.fits(&plan)
                    && row.rank() == plan.axes().len()
                    && row.mode() == plan.mode()
            };
            ensure!(plan.kernel().is_some_and(is_right), "{isa}: chose {:?}", plan.kernel());
            Ok(Some(plan))
        }
        Err(PadError::IsaUnavailable { isa: of_error }) if of_error == isa && !expected => Ok(None),
        other => bail!("{isa}: {other:?}"),
    }
}

/// Returns the kernels that fit `plan`.
pub fn fitting(plan: &PadPlan) -> impl Iterator<Item = &'static PadKernel> {
    /// All kernels, by rank and mode.
    static ROWS: LazyLock<HashMap<(usize, PadMode), Vec<&'static PadKernel>>> = LazyLock::new(|| {
        let mut rows = HashMap::<_, Vec<_>>::new();
        kernels::pad().iter().for_each(|row| rows.entry((row.rank(), row.mode())).or_default().push(row));
        rows
    });
    let rows = ROWS.get(&(plan.axes().len(), plan.mode())).into_iter().flatten();
    rows.copied().filter(|row| row.fits(plan))
}
