//! Checks of planning: the library must accept, plan and refuse requests like the reference. Also finds the kernels of a plan.

use std::sync::LazyLock;
use std::{env, error, fmt};

use pad_kernels::{
    DType, Modes, PadError, PadMode, PadPlan, PadSpec,
    kernels::{self, Isa, PadKernel},
    pad_bytes,
};

use crate::case::Case;
use crate::reference::{Map, Refusal};
use crate::views::count;
use crate::{convert, reach};

/// A message that describes a difference and the case that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl Mismatch {
    pub(crate) fn new(case: &Case, what: impl fmt::Display) -> Mismatch {
        Mismatch(format!("{case}\n{what}\n\n{case:?}"))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for Mismatch {}

/// The result of a case without a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ran,
    /// The library refused the case, and the reference agrees.
    Refused(PadError),
}

impl Outcome {
    /// Panics if fewer than `percent` percent of the cases ran.
    pub fn most_ran(outcomes: &[Outcome], percent: usize) {
        let ran = outcomes.iter().filter(|outcome| **outcome == Outcome::Ran).count();
        assert!(ran * 100 >= outcomes.len() * percent, "only {ran} of {} cases ran", outcomes.len());
    }
}

/// Checks the plan or the refusal of `case` without a run, so the request may have any size.
pub fn check_plan(case: &Case) -> Result<Outcome, Mismatch> {
    Ok(match planned_shape(case)? {
        Ok(_) => Outcome::Ran,
        Err(error) => Outcome::Refused(error),
    })
}

/// Returns the library's plan or error, after comparing it with the reference.
fn planned_shape(case: &Case) -> Result<Result<PadPlan, PadError>, Mismatch> {
    trace(case);
    let shape = case.output_shape();
    let plan = case.plan();
    match (&plan, &shape) {
        (Ok(_), _) if case.turns_signs() && !turnable(case) => {
            return Err(Mismatch::new(case, "planned, though its signs cannot be turned"));
        }
        (Err(error @ (PadError::NotNegatable { .. } | PadError::NegatedInterior { .. })), _) => {
            reach::refused(error);
            let dtype = case.kind.dtype();
            let gaps = case.axes.iter().position(|pad| pad.interior > 0);
            let right = match *error {
                PadError::NegatedInterior { axis, pad } => gaps == Some(axis) && case.axes[axis] == pad,
                error => !case.has_signs() && error == PadError::NotNegatable { dtype },
            };
            if !right || turnable(case) {
                return Err(Mismatch::new(case, format_args!("refused as {error:?}")));
            }
        }
        (Ok(plan), Ok(shape)) => {
            reach::accepted();
            if case.lacks_fill() {
                return Err(Mismatch::new(case, "planned without the fill that it needs"));
            }
            let told = (plan.input_shape(), plan.output_shape(), plan.input_len(), plan.output_len());
            let right = (&case.shape[..], &shape[..], count(&case.shape), count(shape));
            if told != right {
                return Err(Mismatch::new(case, format_args!("told {told:?}, not {right:?}")));
            }
            let bytes = (plan.input_bytes(), plan.output_bytes());
            let right = (case.kind.bytes(plan.input_len()), case.kind.bytes(plan.output_len()));
            if bytes != right || plan.dtype() != case.kind.dtype() || plan.is_empty() != (count(shape) == 0) {
                return Err(Mismatch::new(case, format_args!("told bytes {bytes:?}, not {right:?}")));
            }
        }
        (Err(error), Err(refusal)) => {
            reach::refused(error);
            let details = convert::details_match(error, &case.shape, &case.axes, case.kind.element_size());
            if convert::refusal(error) != Some(*refusal) || !details {
                let what = format_args!("refused as {error:?}, by the reference as {refusal:?}");
                return Err(Mismatch::new(case, what));
            }
        }
        (Err(error @ PadError::FillRequired { .. }), Ok(_)) if case.lacks_fill() => reach::refused(error),
        (plan, reference) => {
            let plan = plan.as_ref().map(PadPlan::output_shape);
            let what = format_args!("the library says {plan:?}, the reference {reference:?}");
            return Err(Mismatch::new(case, what));
        }
    }
    if let [pad, others @ ..] = &case.axes[..]
        && others.iter().all(|other| other == pad)
        && case.axes.len() == case.shape.len()
    {
        let spec = case.spec();
        let mut one = PadSpec::new(spec.mode, *pad);
        (one.fill, one.frame, one.negated) = (spec.fill, spec.frame, spec.negated);
        if case.plan_of(&one) != plan {
            return Err(Mismatch::new(case, format_args!("one pad for all axes is planned otherwise")));
        }
    }
    let elements = case.shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length));
    if let (Err(error), Some(dtype), Some(0..=256)) = (&plan, case.kind.dtype(), elements) {
        // Elements that are cloned are refused with another error.
        let at_once = pad_bytes(&case.data(), &case.shape, dtype, &case.spec());
        if at_once.as_ref() != Err(error) && dtype != DType::String {
            return Err(Mismatch::new(case, format_args!("{at_once:?} at once, and {error:?} by the plan")));
        }
    }
    if let (Modes::All(mode), 1..) = (&case.mode, case.shape.len()) {
        let mut each = case.spec();
        each.mode = vec![*mode; case.shape.len()].into();
        if case.plan_of(&each) != plan {
            return Err(Mismatch::new(case, format_args!("one mode for all axes is planned otherwise")));
        }
    }
    Ok(plan)
}

/// Returns whether the library can negate elements of the case.
fn turnable(case: &Case) -> bool {
    case.has_signs() && case.axes.iter().all(|pad| pad.interior == 0)
}

/// Returns the library's plan and the reference's map (the source of each output element), or the error if both refuse `case`.
pub(super) fn planned(case: &Case) -> Result<Result<(PadPlan, Map), PadError>, Mismatch> {
    let plan = match planned_shape(case)? {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    let map = case.map().map_err(|refusal: Refusal| Mismatch::new(case, format_args!("{refusal:?}")))?;
    Ok(Ok((plan, map)))
}

/// Returns the plan with a kernel of `isa`, or `None` if there is none. Fails if a kernel fits, is available and is not chosen.
pub(super) fn with_isa(case: &Case, plan: &PadPlan, isa: Isa) -> Result<Option<PadPlan>, String> {
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
            match plan.kernel().is_some_and(is_right) {
                true => Ok(Some(plan)),
                false => Err(format!("{isa}: chose {:?}", plan.kernel())),
            }
        }
        Err(PadError::IsaUnavailable { isa: of_error }) if of_error == isa && !expected => Ok(None),
        other => Err(format!("{isa}: {other:?}")),
    }
}

/// Returns the kernels that fit `plan`.
pub fn fitting(plan: &PadPlan) -> impl Iterator<Item = &'static PadKernel> {
    /// All kernels, by rank and mode.
    static ROWS: LazyLock<Vec<[Vec<&'static PadKernel>; PadMode::ALL.len()]>> = LazyLock::new(|| {
        let mut rows: Vec<[Vec<_>; PadMode::ALL.len()]> = Vec::new();
        for row in kernels::pad() {
            rows.resize_with(rows.len().max(row.rank() + 1), Default::default);
            rows[row.rank()][mode_index(row.mode())].push(row);
        }
        rows
    });
    let rows = ROWS.get(plan.axes().len()).map_or(&[][..], |rows| &rows[mode_index(plan.mode())]);
    rows.iter().copied().filter(|row| row.fits(plan))
}

fn mode_index(mode: PadMode) -> usize {
    PadMode::ALL.iter().position(|&listed| listed == mode).expect("all modes are listed")
}

fn trace(case: &Case) {
    static TRACE: LazyLock<bool> = LazyLock::new(|| env::var_os("PAD_TRACE").is_some());
    if *TRACE {
        eprintln!("{case}");
    }
}
