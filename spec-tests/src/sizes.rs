//! Resolves random requests by size, compares the widths with the reference, and runs the padding.

use anyhow::{bail, ensure};
use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::pad_to::{AxisTo, Longer, PadTo, Position, Size};
use pad_kernels::tensor::{ElementSize, Operand};
use pad_kernels::{AxisPad, PadError};

use crate::case::Case;
use crate::generators::{MOST_BYTES, case};
use crate::oracles::{self, Outcome};
use crate::reference::sizes::{self as rule, NoWidths};
use crate::{convert, reach};

const POSITIONS: [Position; 4] =
    [Position::Start, Position::Center, Position::CenterOddBefore, Position::End];

/// All ways to handle a longer axis.
const LONGER: [Longer; 3] = [Longer::Error, Longer::Keep, Longer::Crop];

/// A request to pad a tensor to a size. The widths of the case are not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub case: Case,
    pub axes: Vec<AxisTo>,
}

/// Generates a random request. Most lengths are close to those of the input.
pub fn draw(u: &mut Unstructured<'_>) -> Draw<Request> {
    let case = case(u)?.plain();
    let mut axis = |&length: &usize| -> Draw<AxisTo> {
        let size = match u.int_in_range(0..=15u8)? {
            0..=3 => Size::Keep,
            4..=10 => Size::Length(u.int_in_range(length / 2..=2 * length + 3)?),
            11 => Size::Multiple(*u.choose(&[0, 1, usize::MAX, isize::MAX as usize])?),
            12 => Size::Length(*u.choose(&[0, usize::MAX, isize::MAX as usize])?),
            _ => Size::Multiple(u.int_in_range(1..=9)?),
        };
        let longer = *u.choose(&[LONGER[0], LONGER[1], LONGER[2], Longer::Crop, Longer::Crop])?;
        Ok(AxisTo { size, position: *u.choose(&POSITIONS)?, longer })
    };
    let axes = case.shape.iter().map(&mut axis).collect::<Draw<_>>()?;
    let mut request = Request { case, axes };
    match u.int_in_range(0..=63u8)? {
        62 => request.axes.push(AxisTo::KEEP),
        63 if !request.case.shape.is_empty() => {
            // The next multiple of 2 is larger than `usize::MAX`.
            request.case.shape[0] = usize::MAX;
            request.axes[0] = AxisTo::multiple(2);
        }
        _ => {}
    }
    Ok(request)
}

/// Resolves a request, compares the widths with the reference, and runs the padding.
pub fn check(request: &Request) -> anyhow::Result<Outcome> {
    let Request { case, axes } = request;
    let mut to = PadTo::new(case.mode.clone(), axes.iter().copied());
    to.fill = case.spec().fill;
    let got = to.resolve(&case.shape);
    let rule = |(axis, (&to, &length)): (usize, (&AxisTo, &usize))| {
        expected(length, to).map_err(|fault| match fault {
            NoWidths::Longer(target) => PadError::LongerAxis { axis, length, target },
            NoWidths::ZeroMultiple => PadError::ZeroMultiple { axis },
            NoWidths::Overflow => match to.size {
                Size::Multiple(number) => PadError::MultipleOverflow { axis, length, number },
                Size::Length(length) => {
                    let (operand, element_size) = (Operand::Output, ElementSize::Cloned);
                    PadError::SizeOverflow { operand, axis, length, element_size }
                }
                Size::Keep => unreachable!("an input"),
            },
        })
    };
    let widths: Result<Vec<AxisPad>, PadError> = match axes.len() == case.shape.len() {
        true => axes.iter().zip(&case.shape).enumerate().map(rule).collect(),
        false => Err(PadError::ArgumentCount { name: "lengths", given: axes.len(), shape: case.shape.len() }),
    };
    match (&got, widths) {
        (Err(error), Err(of_rule)) if *error == of_rule => {
            reach::refused(error);
            Ok(Outcome::Refused(*error))
        }
        (Ok(spec), Ok(widths)) if spec.axes() == widths => {
            let case = Case { axes: widths, frame: None, ..case.clone() };
            ensure!(*spec == case.spec(), "{case}\n{axes:?}: another spec: {spec:?}");
            let most = MOST_BYTES / case.kind.bytes(1).max(8);
            match case.plan() {
                Ok(plan) if plan.input_len().max(plan.output_len()) <= most => oracles::check(&case),
                _ => oracles::check_plan(&case),
            }
        }
        (_, widths) => bail!("{case}\n{axes:?}: the rule says {widths:?}, not {got:?}"),
    }
}

/// Returns the reference's widths of one axis, clamped to the range of `i64`.
fn expected(length: usize, to: AxisTo) -> Result<AxisPad, NoWidths> {
    let size = match to.size {
        Size::Keep => rule::Size::Keep,
        Size::Length(length) => rule::Size::Length(length),
        Size::Multiple(number) => rule::Size::Multiple(number),
    };
    let (low, high) = rule::widths(length, size, convert::position(to.position), convert::longer(to.longer))?;
    let width = |width: i128| width.clamp(-i128::from(i64::MAX), i64::MAX.into()) as i64;
    Ok(AxisPad::new(width(low), width(high)))
}
