//! Random cases for one kernel of the registry.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use pad_kernels::{
    AxisPad, DType, Modes, PadMode, PadPlan,
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
/// For [`Way::Strided`] the tensors have strides, and for [`Way::Windowed`] only a region is written. Returns `None` if no attempt
/// reaches the kernel.
pub fn for_row(
    row: &'static PadKernel,
    way: Way,
    u: &mut Unstructured<'_>,
) -> Result<Option<(Case, Layout)>> {
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
            // The tail alone becomes the unit only if the last axis cannot merge with it. Interior padding prevents the merge.
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

/// Generates a contiguous case for the kernel `row`, at worst the simplest one.
pub fn case_for_row(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Result<Case> {
    Ok(for_row(row, Way::Contiguous, u)?.map_or_else(|| plain(row), |(case, _)| case))
}

/// Returns whether the kernel `row` fits `plan` and, if the machine has its instruction set, whether `plan` chooses it there.
pub fn is_chosen(row: &'static PadKernel, plan: &PadPlan) -> bool {
    let chosen = || plan.with_isa(row.isa()).ok()?.kernel().map(PadKernel::name);
    row.fits(plan) && (!row.isa().available() || chosen() == Some(row.name()))
}

/// Chooses a kind of element for the kernel's unit. If several elements form one unit, also returns their number.
fn element_for(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Result<(Kind, Option<usize>)> {
    if let Some(dtype) = row.dtype() {
        return Ok((Kind::Tagged(dtype), None));
    }
    /// Kinds of which one element is a unit, and kinds of which several elements are a unit.
    type Choices = (Vec<Kind>, Vec<(Kind, Option<usize>)>);
    static ANY: LazyLock<Choices> = LazyLock::new(|| elements_for(None));
    static WIDTHS: LazyLock<[Choices; 5]> =
        LazyLock::new(|| [1, 2, 4, 8, 16].map(|width| elements_for(Some(width))));
    let (whole, parts) = match row.unit() {
        Unit::Bytes(width) => &WIDTHS[width.ilog2() as usize],
        _ => &*ANY,
    };
    Ok(match parts[..] {
        _ if u.arbitrary()? => (*u.choose(whole)?, None),
        // Without kinds that combine to a unit, use one byte.
        [] => (Kind::Raw(1), None),
        _ => *u.choose(parts)?,
    })
}

/// Returns the kinds of which one element is a unit of `width` bytes. Also returns the kinds of which several elements are such
/// a unit, with their number. Without `width`, units have any size except 1, 2, 4, 8 and 16 bytes.
fn elements_for(width: Option<usize>) -> (Vec<Kind>, Vec<(Kind, Option<usize>)>) {
    let whole = |size: usize| width.map_or(!matches!(size, 1 | 2 | 4 | 8 | 16), |width| size == width);
    let sizes = Kind::RAW_SIZES.iter().copied().filter(|&size| whole(size)).map(Kind::Raw).collect();
    let mut tails = Vec::new();
    for kind in Kind::all() {
        // The size of an element in bits.
        let bits = match kind.element_size() {
            ElementSize::Bytes(bytes) => 8 * bytes,
            ElementSize::Bits(bits) => bits,
            ElementSize::Cloned => continue,
        };
        let most = if width.is_some() { 64 } else { 1 + 800 / bits };
        let fits = |&count: &usize| bits * count % 8 == 0 && whole(bits * count / 8);
        tails.extend((2..=most).filter(fits).take(6).map(|count| (kind, Some(count))));
    }
    (sizes, tails)
}

/// Returns the simplest case for the kernel `row`.
fn plain(row: &'static PadKernel) -> Case {
    let kind = match (row.dtype(), row.unit()) {
        (Some(dtype), _) => Kind::Tagged(dtype),
        (None, Unit::Bytes(width)) => Kind::Raw(width),
        (None, _) => Kind::Raw(3),
    };
    let (shape, axes) = (vec![2; row.rank()], vec![AxisPad::new(1, 0); row.rank()]);
    let fill = (row.dtype() != Some(DType::String)).then(|| vec![1; kind.bytes(1)]);
    Case { fill, paint: 0, ..Case::new(kind, row.mode(), shape, axes) }
}
