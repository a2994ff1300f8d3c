//! Generates random cases for one kernel of the registry.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use pad_kernels::{
    AxisPad, Modes, PadMode, PadPlan,
    kernels::{PadKernel, Unit},
    tensor::ElementSize,
};

use super::cases::{case_with, mode};
use super::source::add_bytes;
use crate::case::{Case, Kind};
use crate::reach::{self, Way};
use crate::views::{self, Layout, Part};

/// Generates a case and a layout for which the library chooses the kernel `row`, if the machine has its instruction set.
///
/// For [`Way::Strided`] the tensors have strides, and for [`Way::Windowed`] only a region is written. Returns `None` if no
/// attempt reaches the kernel.
pub fn of_row(row: &'static PadKernel, way: Way, u: &mut Unstructured<'_>) -> Result<Option<(Case, Layout)>> {
    const ATTEMPTS: usize = 128;
    let (part, mut state) = (if way == Way::Windowed { Part::Box } else { Part::Whole }, u.arbitrary()?);
    for _ in 0..ATTEMPTS {
        let mut bytes = Vec::new();
        add_bytes(&mut bytes, &mut state);
        let u = &mut Unstructured::new(&bytes);
        let (kind, tail) = element_for(row, u)?;
        let modes = match u.ratio(3, 4)? {
            true => row.mode().into(),
            false => {
                let mut side = || if u.arbitrary()? { Ok(row.mode()) } else { mode(u) };
                (0..row.rank()).map(|_| Ok((side()?, side()?))).collect::<Result<_>>()?
            }
        };
        let mut case = case_with(kind, modes, row.rank(), true, u)?.plain();
        if let Some(tail) = tail {
            // The tail is an added last axis without padding, whose elements form the unit. If the axis before it merged with it,
            // the unit would be larger. Interior padding prevents this merge.
            let merges = matches!(row.mode(), PadMode::Constant | PadMode::Wrap);
            case.axes[row.rank() - 1].interior += u64::from(merges);
            case.shape.push(tail);
            case.axes.push(AxisPad::default());
            if let Modes::Each(modes) = &mut case.mode {
                modes.push(row.mode().into());
            }
        }
        let Ok(plan) = case.plan() else { continue };
        let layout = views::layout(&plan, part, way == Way::Strided, u)?;
        if layout.plan(&plan).is_ok_and(|plan| is_chosen(row, &plan)) && layout.way() == way {
            return Ok(Some((case, layout)));
        }
        reach::redrawn();
    }
    Ok(None)
}

/// Returns whether the kernel `row` fits `plan` and, if the machine has its instruction set, whether `plan` chooses it there.
pub fn is_chosen(row: &'static PadKernel, plan: &PadPlan) -> bool {
    let chosen = || plan.with_isa(row.isa()).ok()?.kernel().map(PadKernel::name);
    row.fits(plan) && (!row.isa().available() || chosen() == Some(row.name()))
}

/// A kind of element, and the number of elements that form a unit. The number is `None` if a unit is a single element.
type Group = (Kind, Option<usize>);

/// Chooses a kind of element, and the number of elements that form the kernel's unit.
fn element_for(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Result<Group> {
    /// The possible groups for units of 1, 2, 4, 8 and 16 bytes. The last list is for units of any other size.
    static CHOICES: LazyLock<[Vec<Group>; 6]> =
        LazyLock::new(|| [Some(1), Some(2), Some(4), Some(8), Some(16), None].map(elements_for));
    match (row.dtype(), row.unit()) {
        (Some(dtype), _) => Ok((Kind::Tagged(dtype), None)),
        (None, Unit::Bytes(width)) => u.choose(&CHOICES[width.ilog2() as usize]).copied(),
        (None, _) => u.choose(&CHOICES[5]).copied(),
    }
}

/// Returns the groups of elements that form a unit of `width` bytes. If `width` is `None`, units have any size except 1, 2, 4, 8
/// and 16 bytes.
fn elements_for(width: Option<usize>) -> Vec<Group> {
    let is_unit = |size: usize| width.map_or(!matches!(size, 1 | 2 | 4 | 8 | 16), |width| size == width);
    let mut choices = Vec::new();
    for kind in Kind::all().filter(|kind| kind.element_size() != ElementSize::Cloned) {
        let bits = kind.bits() as usize;
        let most = if width.is_some() { 64 } else { 1 + 800 / bits };
        let fits = |&count: &usize| (bits * count).is_multiple_of(8) && is_unit(bits * count / 8);
        choices.extend((2..=most).filter(fits).take(6).map(|count| (kind, Some(count))));
        if kind.dtype().is_none() && is_unit(kind.bytes(1)) {
            // Four equal entries make single elements about as frequent as groups of several elements.
            choices.extend([(kind, None); 4]);
        }
    }
    choices
}
