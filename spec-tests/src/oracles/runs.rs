//! A case run in every way, and compared with the reference.

use pad_kernels::{
    PadError, PadPlan,
    kernels::{Isa, PadKernel, Streaming},
    pad_bytes_into, pad_cloned,
    tensor::ElementSize,
};

use super::arena::{Junk, Place, observe};
use super::outcome::{Mismatch, Outcome};
use super::plans::{fitting, planned, trace, with_isa};
use crate::case::{Case, Kind};
use crate::reach::Way;
use crate::reference::Map;
use crate::{reach, typed};

/// Runs `case` in every way there is: on all instruction sets, on every row that fits, on the any-rank kernel and
/// through the typed entries.
pub fn check(case: &Case) -> Result<Outcome, Mismatch> {
    trace(case);
    let (plan, map) = match planned(case)? {
        Ok(planned) => planned,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    if case.kind.element_size() == ElementSize::Cloned {
        return check_texts(case, &plan, &map).map(|()| Outcome::Ran);
    }
    let data = case.data();
    let output = case.output(&map, &data);
    let is_run = || data.windows(output.len()).any(|run| run == output);
    if plan.is_copy() && matches!(case.kind.element_size(), ElementSize::Bytes(_)) && !is_run() {
        return Err(Mismatch::new(case, "the plan is a copy, but the output is no run of the input"));
    }
    let unpadded = case
        .axes
        .iter()
        .zip(&case.shape)
        .all(|(pad, &length)| (pad.low, pad.high) == (0, 0) && (pad.interior == 0 || length < 2));
    if unpadded && !plan.is_empty() && !plan.is_copy() {
        return Err(Mismatch::new(case, "nothing is padded, but the plan is not a copy"));
    }
    for isa in Isa::ALL {
        if let Some(plan) = with_isa(case, &plan, isa)? {
            compare(case, &plan, None, &data, &output)?;
            let streaming = plan.with_streaming(Streaming::Always);
            if streaming.streams() {
                compare(case, &streaming, None, &data, &output)?;
            }
        }
    }
    compare(case, &plan.with_generic_kernel(), None, &data, &output)?;
    // Small ones run as a list of moves.
    compare(case, &plan, None, &data, &output)?;
    for row in fitting(&plan).filter(|row| row.isa().available()) {
        compare(case, &plan, Some(row), &data, &output)?;
    }
    compare_once(case, &data, &output)?;
    typed::check(case, &data, &output).map_err(|what| Mismatch::new(case, what))?;
    Ok(Outcome::Ran)
}

/// Runs `case` on `row` alone, which must fit: once, and once streamed if it can be, each on its kind of junk and in its place.
/// To come to all places is for many cases.
pub fn check_row(row: &'static PadKernel, case: &Case) -> Result<(), Mismatch> {
    trace(case);
    let (plan, map) = match planned(case)? {
        Ok(planned) => planned,
        Err(error) => return Err(Mismatch::new(case, format_args!("is refused: {error}"))),
    };
    if !row.fits(&plan) {
        return Err(Mismatch::new(case, format_args!("{} does not fit {plan:?}", row.name())));
    }
    if case.kind.element_size() == ElementSize::Cloned {
        return check_texts(case, &plan, &map);
    }
    let data = case.data();
    let output = case.output(&map, &data);
    let streaming = plan.with_streaming(Streaming::Always);
    compare_in(Place::two_of(case), case, [&plan, &streaming], Some(row), &data, &output)
}

/// Runs the plan, or `row` on it, in every place on both kinds of junk.
fn compare(
    case: &Case,
    plan: &PadPlan,
    row: Option<&'static PadKernel>,
    data: &[u8],
    output: &[u8],
) -> Result<(), Mismatch> {
    // One of them twice; under Miri, for which all places are alike, one each.
    let places =
        if cfg!(miri) { [&Place::ALL[..1], &Place::ALL[1..2]] } else { [&Place::ALL[..2], &Place::ALL[1..]] };
    compare_in(places, case, [plan, plan], row, data, output)
}

/// Runs a plan, or `row` on it, in some places on each kind of junk.
fn compare_in(
    places: [&[Place]; 2],
    case: &Case,
    plans: [&PadPlan; 2],
    row: Option<&'static PadKernel>,
    data: &[u8],
    output: &[u8],
) -> Result<(), Mismatch> {
    for ((places, plan), junk) in places.into_iter().zip(plans).zip(&Junk::twice(output)) {
        for &place in places {
            let run = |src: &[u8], dst: &mut [u8]| match row {
                Some(row) => row.run(plan, src, dst),
                None => plan.run_bytes(src, dst),
            };
            reach::ran(Way::Contiguous, row.or(plan.kernel()));
            observe(place, junk, data, run).map_err(|what| {
                let kernel = row.or(plan.kernel()).map_or("any-rank kernel", PadKernel::name);
                Mismatch::new(case, format_args!("{kernel}: {what}\n  {plan:?}"))
            })?;
        }
    }
    Ok(())
}

/// Plans and pads in one call, in every place on both kinds of junk.
fn compare_once(case: &Case, data: &[u8], output: &[u8]) -> Result<(), Mismatch> {
    let Kind::Tagged(dtype) = case.kind else { return Ok(()) };
    let spec = case.spec();
    for (places, junk) in [&Place::ALL[..2], &Place::ALL[1..]].into_iter().zip(&Junk::twice(output)) {
        for &place in places {
            observe(place, junk, data, |src, dst| pad_bytes_into(src, &case.shape, dtype, &spec, dst))
                .map_err(|what| Mismatch::new(case, format_args!("pad_bytes_into: {what}")))?;
        }
    }
    Ok(())
}

/// Runs a plan of cloned elements through every entry for them.
fn check_texts(case: &Case, plan: &PadPlan, map: &Map) -> Result<(), Mismatch> {
    let src = case.texts();
    let fill = Case::TEXT_FILL.to_string();
    let output = map.apply(&src, &fill);
    let same = |entry: &str, result: Result<Vec<String>, PadError>| match result {
        Ok(got) if got == output => Ok(()),
        other => Err(Mismatch::new(case, format_args!("{entry}: {other:?}, not {output:?}"))),
    };
    let mut plans = vec![plan.clone(), plan.with_generic_kernel()];
    for isa in Isa::ALL {
        plans.extend(with_isa(case, plan, isa)?);
    }
    for plan in plans {
        for junk in ["", "junk"] {
            let mut dst = vec![junk.to_string(); plan.output_len()];
            reach::ran(Way::Contiguous, plan.kernel());
            same("run_cloned", plan.run_cloned(&src, &fill, &mut dst).map(|()| dst))?;
        }
        reach::ran(Way::Contiguous, plan.kernel());
        same("to_vec_cloned", plan.to_vec_cloned(&src, &fill))?;
    }
    same("pad_cloned", pad_cloned(&src, &case.shape, &case.spec(), &fill))
}

#[cfg(test)]
mod tests {
    use pad_kernels::{AxisPad, DType, PadMode};

    use super::*;

    fn case() -> Case {
        let axes = [AxisPad::new(2, 1), AxisPad::new(1, 3)];
        Case::new(Kind::Tagged(DType::U16), PadMode::Reflect, [4, 5], axes)
    }

    /// The whole way: a kernel that is given another request than the reference.
    #[test]
    fn kernel_of_another_request_is_found() {
        let case = case();
        assert_eq!(check(&case), Ok(Outcome::Ran));
        let mut other = case.clone();
        other.mode = PadMode::Symmetric.into();
        let data = case.data();
        let output = case.output(&case.map().expect("valid"), &data);
        let wrong = other.plan().expect("valid");
        let mismatch = compare(&case, &wrong, None, &data, &output).expect_err("another mode").to_string();
        for part in ["u16 [4, 5] reflect", "r2_symmetric_u16_", "byte 0 is", "#[test]", "PadMode::Reflect"] {
            assert!(mismatch.contains(part), "{part}\n{mismatch}");
        }
    }

    #[test]
    fn refusals_are_compared() {
        let mut case = case();
        case.axes[1] = AxisPad::new(-3, -4);
        let outcome = check(&case).expect("both refuse");
        assert!(matches!(outcome, Outcome::Refused(PadError::NegativeOutput { axis: 1, output: -2, .. })));

        let e8m0 = Case { kind: Kind::Tagged(DType::F8E8M0), mode: PadMode::Constant.into(), ..self::case() };
        let outcome = check(&e8m0).expect("the library wants a fill");
        assert!(matches!(outcome, Outcome::Refused(PadError::FillRequired { .. })));
    }
}
