//! Random cases for one kernel of the registry.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use pad_kernels::{
    AxisMode, AxisPad, DType, PadMode, PadPlan,
    kernels::{PadKernel, Unit},
    tensor::ElementSize,
};

use super::axis::{corrected, frame_of, length, output, side, stretched};
use super::cases::{MOST_AXES, fill, frame, mode};
use crate::case::{Case, Kind};
use crate::reach;

/// Generates a case whose plan fits the kernel `row`. If the machine has the kernel's instruction set, the plan also chooses it.
pub fn case_for_row(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Result<Case> {
    for _ in 0..8 {
        let case = draft(row, u)?;
        if case.plan().is_ok_and(|plan| is_chosen(row, &plan)) {
            return Ok(case);
        }
        reach::redrawn();
        if u.is_empty() {
            break;
        }
    }
    Ok(plain(row))
}

/// Returns whether the kernel `row` fits `plan` and, if the machine has its instruction set, whether `plan` chooses it there.
pub fn is_chosen(row: &'static PadKernel, plan: &PadPlan) -> bool {
    let chosen = || plan.with_isa(row.isa()).ok()?.kernel().map(PadKernel::name);
    row.fits(plan) && (!row.isa().available() || chosen() == Some(row.name()))
}

/// Generates the maximum number of output units for a case of one kernel. A unit has `tail` elements. Half of the budgets are
/// as large as a few vectors, and one in eight is large.
fn row_budget(kind: Kind, tail: usize, u: &mut Unstructured<'_>) -> Result<usize> {
    let (elements, bytes) = *u.choose(&[
        (64, 512),
        (64, 512),
        (128, 512),
        (128, 1024),
        (256, 1024),
        (256, 2048),
        (512, 2048),
        (1024, 1 << 14),
    ])?;
    // Miri is some hundred times slower, and its time grows with the number of bytes.
    let (elements, bytes) = if cfg!(miri) { (elements.min(70), bytes.min(400)) } else { (elements, bytes) };
    Ok((8 * bytes / (tail * kind.bits() as usize).max(1)).min(elements))
}

/// The kind of padding that an axis gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A border on at least one side.
    Border,
    /// Negative widths. The plan cannot merge such an axis with the next outer one.
    Slice,
    /// Interior padding.
    Gaps,
    /// No padding.
    Whole,
}

/// Generates a case whose plan probably chooses the kernel `row`: the plan merges no axes, and its unit is that of the kernel.
pub(super) fn draft(row: &'static PadKernel, u: &mut Unstructured<'_>) -> Result<Case> {
    let rank = row.rank();
    let bordered = row.mode() != PadMode::Constant;
    // A plan without borders has mode constant, whatever mode the case asks for.
    let mode = if !bordered && u.ratio(1, 8)? { mode(u)? } else { row.mode() };
    let borders = bordered || mode == PadMode::Constant;
    let merges = matches!(mode, PadMode::Constant | PadMode::Wrap);
    let frame = frame(u)?;
    let (kind, tail) = element_for(row, u)?;
    // Either mix modes that allow merging axes, or mix modes that do not.
    let mixed = borders && u.ratio(1, 4)?;
    let class: &[PadMode] = match merges {
        true => &[PadMode::Constant, PadMode::Wrap],
        false => &[PadMode::Edge, PadMode::Reflect, PadMode::Symmetric],
    };
    let mut modes = vec![AxisMode::from(mode); rank];
    if mixed {
        for axis in &mut modes {
            *axis = (*u.choose(class)?, *u.choose(class)?).into();
        }
    }

    let bordered_axis = u.int_in_range(0..=rank - 1)?;
    let mut styles: Vec<Style> = Vec::new();
    for axis in 0..rank {
        let last = axis + 1 == rank;
        // An axis without padding stays separate only if the next outer axis cannot merge with it.
        let keeps_whole = match styles.last() {
            None => !last || tail.is_none(),
            Some(Style::Gaps) => !last,
            Some(Style::Border) => !last && !merges,
            Some(Style::Slice | Style::Whole) => false,
        };
        let drawn = *u.choose(&[Style::Border, Style::Border, Style::Slice, Style::Gaps, Style::Whole])?;
        styles.push(match drawn {
            _ if bordered && axis == bordered_axis => Style::Border,
            Style::Whole if !keeps_whole => Style::Slice,
            Style::Border if !borders => Style::Gaps,
            drawn => drawn,
        });
    }
    // The tail alone becomes the unit only if the last axis cannot merge with it. Interior padding prevents the merge.
    let gaps_last = tail.is_some() && (merges || styles[rank - 1] != Style::Border);

    let mut room = row_budget(kind, tail.unwrap_or(1), u)?;
    let long_row = u.ratio(1, 3)?;
    let (mut shape, mut axes) = (vec![0; rank], vec![AxisPad::default(); rank]);
    // Start with the innermost axis. It takes as much of the budget as it needs, and outer axes share the rest.
    for axis in (0..rank).rev() {
        let style = styles[axis];
        let last = axis + 1 == rank;
        let most = match (rank, last, long_row) {
            (1, ..) | (_, true, true) => room,
            (_, false, true) => 3,
            (2, ..) => 20,
            (3, ..) => 8,
            (_, true, _) => 6,
            _ => 4,
        };
        // Leave at least two elements for each outer axis.
        let room_here = most.min(room >> axis).max(2);
        let gaps = style == Style::Gaps || (last && gaps_last);
        let length = match (style, gaps) {
            (_, true) => length(kind, room_here.div_ceil(2), u)?.max(2),
            (Style::Border, _) => length(kind, (room_here - 1).max(1), u)?,
            (Style::Slice, _) => length(kind, room_here, u)?.max(3),
            _ => length(kind, room_here, u)?.max(2),
        };
        let interior = if gaps { u.int_in_range(1..=if length * 3 > room_here { 1 } else { 3 })? } else { 0 };
        let d = stretched(length, interior) as i64;
        let (low, high) = match style {
            Style::Border => {
                let low = side(d, modes[axis].low, u)?;
                let high = side(d, modes[axis].high, u)?;
                let pad = corrected(
                    length,
                    AxisPad { low, high, interior },
                    modes[axis],
                    frame_of(frame, modes[axis]),
                    (1, room_here),
                );
                // If a width removes the whole axis, most modes may leave only fill or no border. In the other modes, half of the
                // cases keep such widths.
                let far =
                    !mixed && matches!(mode, PadMode::Edge | PadMode::Reflect) && d + pad.low + pad.high > 1;
                let outside = (pad.low <= -d || pad.high <= -d) && !(far && u.ratio(1, 2)?);
                match (pad.low, pad.high) {
                    (low, high) if !outside && (low > 0 || high > 0) => (low, high),
                    _ if u.arbitrary()? => (1, 0),
                    _ => (0, if room_here > 4 { 2 } else { 1 }),
                }
            }
            Style::Gaps if !borders || u.arbitrary()? => {
                let low = u.int_in_range(0..=(d - 2).min(3))?;
                (-low, -u.int_in_range(0..=(d - 2 - low).min(3))?)
            }
            Style::Gaps => (u.int_in_range(0..=2)?, u.int_in_range(0..=2)?),
            Style::Slice => {
                let low = u.int_in_range(0..=d - 2)?;
                let high = u.int_in_range(0..=d - 2 - low)?;
                if low + high == 0 { (-1, 0) } else { (-low, -high) }
            }
            Style::Whole => (0, 0),
        };
        shape[axis] = length;
        axes[axis] = AxisPad { low, high, interior };
        room = (room / output(length, axes[axis]).max(1)).max(1);
    }
    if let Some(tail) = tail {
        shape.push(tail);
        axes.push(AxisPad::default());
        modes.push(mode.into());
    }
    // The plan has the mode of its first border. That must be the kernel's mode.
    if let Some(first) = axes.iter().position(|pad| pad.low > 0 || pad.high > 0) {
        modes[first] =
            if axes[first].low > 0 { (mode, modes[first].high) } else { (modes[first].low, mode) }.into();
    }
    // Insert axes of one element, which the plan drops.
    while shape.len() < MOST_AXES && u.ratio(1, 4)? {
        let at = u.int_in_range(0..=shape.len())?;
        shape.insert(at, 1);
        axes.insert(at, AxisPad::default());
        modes.insert(at, mode.into());
    }
    let mode = if mixed { modes.into() } else { mode.into() };
    let fill = fill(kind, &mode, &axes, u)?;
    Ok(Case { frame, fill, paint: u.arbitrary()?, ..Case::new(kind, mode, shape, axes) })
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
