//! Cases drawn from bytes, biased to where bugs live.
//!
//! Bytes come from a fuzzer or, through [`Source`], from a seed. Draws are corrected, not rejected: nearly every
//! string of bytes is a case that runs, and no bytes at all are one too.
#![forbid(unsafe_code)]

use std::env;
use std::sync::LazyLock;
use std::time::SystemTime;

use arbitrary::{Arbitrary, Result, Unstructured};
use pad_kernels::{AxisMode, AxisPad, DType, Frame, Layout, Modes, PadMode, PadPlan, Row, Unit};

use crate::case::{Case, Kind};
use crate::reach;

/// The most elements of an output, but for a few of the rows of units alone. Miri takes a thousand times as long.
pub const MOST_ELEMENTS: usize = if cfg!(miri) { 130 } else { 4096 };
/// The most bytes of an output, likewise.
pub const MOST_BYTES: usize = if cfg!(miri) { 600 } else { 1 << 16 };
/// The highest rank that is drawn.
pub const MOST_AXES: usize = 8;

/// Widths of vectors, of what one loop handles, and of what is left to libc, in bytes.
const VECTORS: [usize; 5] = [16, 32, 64, 128, 256];

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        case(u)
    }
}

/// Any case that runs, or nearly any: of a few the library says that they need a fill.
///
/// # Errors
///
/// None: where the bytes end, so do the choices.
pub fn case(u: &mut Unstructured<'_>) -> Result<Case> {
    let kind = kind(u)?;
    case_of(kind, u)
}

/// Any case with elements of a kind.
///
/// # Errors
///
/// None, as for [`case`].
pub fn case_of(kind: Kind, u: &mut Unstructured<'_>) -> Result<Case> {
    let rank = usize::from(*u.choose(&[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 0u8])?);
    case_of_rank(kind, rank, u)
}

/// Any case with elements of a kind and so many axes.
///
/// # Errors
///
/// None, as for [`case`].
pub fn case_of_rank(kind: Kind, rank: usize, u: &mut Unstructured<'_>) -> Result<Case> {
    let mode = modes(rank, u)?;
    let frame = frame(u)?;
    let empties = u.ratio(1, 16)?;
    let mut room = budget(kind, u)?.max(1);
    let (mut shape, mut axes) = (vec![0; rank], vec![AxisPad::default(); rank]);
    // The innermost axis first: it takes what it wants, the others what is left.
    for axis in (0..rank).rev() {
        let most = match rank - axis {
            1 if rank == 1 => room,
            1 => room.min(if u.ratio(1, 2)? { 80 } else { 12 }),
            _ => room.min([40, 9, 5, 4, 3, 3, 3][rank - 2]),
        };
        let length = if empties && u.ratio(1, 3)? { 0 } else { length(kind, most, u)? };
        let of_axis = mode.of(axis).unwrap_or_default();
        let pad = axis_pad(length, of_axis, frame_of(frame, of_axis), (usize::from(!empties), room), u)?;
        room = (room / output(length, pad).max(1)).max(1);
        (shape[axis], axes[axis]) = (length, pad);
    }
    let fill = fill(kind, &mode, &axes, u)?;
    Ok(Case { shape, axes, mode, frame, kind, fill, paint: u.arbitrary()? })
}

/// A case whose plan is one for `row`: chosen by it where the machine has the instruction set.
///
/// # Errors
///
/// None, as for [`case`].
pub fn case_for_row(row: &'static Row, u: &mut Unstructured<'_>) -> Result<Case> {
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

/// Whether `row` is the one that `plan` comes to with the row's instruction set.
pub fn is_chosen(row: &'static Row, plan: &PadPlan) -> bool {
    let chosen = || plan.clone().with_isa(row.isa()).ok()?.kernel().map(Row::name);
    row.fits(plan) && (!row.isa().available() || chosen() == Some(row.name()))
}

/// A request of any numbers at all: nearly all of them are refused, or would be too large to run.
///
/// # Errors
///
/// None, as for [`case`].
pub fn wild(u: &mut Unstructured<'_>) -> Result<Case> {
    let mut case = case(u)?;
    if u.ratio(1, 32)? {
        // Right but for the fill, which a type without a zero needs.
        return Ok(Case {
            kind: Kind::Tagged(DType::F8E8M0),
            mode: PadMode::Constant.into(),
            fill: None,
            ..case
        });
    }
    const LENGTHS: [usize; 14] = [
        0,
        1,
        2,
        3,
        5,
        1 << 15,
        1 << 16,
        1 << 31,
        u32::MAX as usize,
        usize::MAX / 4 + 1,
        usize::MAX / 16,
        isize::MAX as usize - 1,
        isize::MAX as usize,
        usize::MAX,
    ];
    const SIDES: [i64; 17] = [
        0,
        1,
        -1,
        7,
        -7,
        1 << 31,
        -(1 << 31),
        1 << 32,
        1 << 61,
        -(1 << 61),
        1 << 62,
        -(1 << 62),
        i64::MAX - 1,
        i64::MAX,
        i64::MIN + 1,
        i64::MIN,
        i64::MIN / 2,
    ];
    const INTERIORS: [u64; 9] =
        [0, 1, 3, 1 << 31, 1 << 62, i64::MAX as u64 - 1, i64::MAX as u64, 1 << 63, u64::MAX];
    for axis in 0..case.shape.len() {
        if u.ratio(1, 2)? {
            case.shape[axis] = *u.choose(&LENGTHS)?;
        }
        let pad = &mut case.axes[axis];
        if u.ratio(1, 3)? {
            pad.low = *u.choose(&SIDES)?;
        }
        if u.ratio(1, 3)? {
            pad.high = *u.choose(&SIDES)?;
        }
        if u.ratio(1, 4)? {
            pad.interior = *u.choose(&INTERIORS)?;
        }
        if u.ratio(1, 4)? {
            // Where the output is just possible, or just not.
            let edge = i128::from(*u.choose(&[0, i64::MAX])?) + i128::from(u.int_in_range(-2..=2i8)?);
            let others = stretched(case.shape[axis], pad.interior).saturating_add(i128::from(pad.low));
            pad.high = i64::try_from(edge.saturating_sub(others)).unwrap_or(pad.high);
        }
    }
    match u.int_in_range(0..=31u8)? {
        29 => case.mode = vec![PadMode::Constant; case.shape.len() + 1].into(),
        30 => case.axes.push(AxisPad::new(1, 1)),
        31 => drop(case.axes.pop()),
        _ => {}
    }
    Ok(case)
}

/// Any element, those without a tag less often.
///
/// # Errors
///
/// None, as for [`case`].
pub fn kind(u: &mut Unstructured<'_>) -> Result<Kind> {
    Ok(if u.ratio(1, 4)? {
        Kind::Raw(*u.choose(Kind::RAW_SIZES)?)
    } else {
        Kind::Tagged(*u.choose(DType::ALL)?)
    })
}

/// Any mode.
///
/// # Errors
///
/// None, as for [`case`].
pub fn mode(u: &mut Unstructured<'_>) -> Result<PadMode> {
    u.choose(&PadMode::ALL).copied()
}

/// Any mode, or in one of four any modes for every side of so many axes.
///
/// # Errors
///
/// None, as for [`case`].
pub fn modes(rank: usize, u: &mut Unstructured<'_>) -> Result<Modes> {
    if rank == 0 || !u.ratio(1, 4)? {
        return Ok(mode(u)?.into());
    }
    (0..rank).map(|_| Ok((mode(u)?, mode(u)?))).collect()
}

/// Any frame, or none.
///
/// # Errors
///
/// None, as for [`case`].
pub fn frame(u: &mut Unstructured<'_>) -> Result<Option<Frame>> {
    u.choose(&[None, Some(Frame::Uncropped), Some(Frame::Cropped)]).copied()
}

/// Output elements that a case may have: a few in most cases, so that there can be many.
fn budget(kind: Kind, u: &mut Unstructured<'_>) -> Result<usize> {
    let most =
        *u.choose(if cfg!(miri) { &[8, 16, 24, MOST_ELEMENTS] } else { &[128, 256, 512, MOST_ELEMENTS] })?;
    Ok((MOST_BYTES / kind.bytes(1).max(1)).min(most))
}

/// The same for the case of a row, whose last axes, of `tail` elements, are one unit: half of them are as large as a
/// few vectors, and one in eight is large.
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
    // Miri is some hundred times slower, and takes its time by the byte.
    let (elements, bytes) = if cfg!(miri) { (elements.min(70), bytes.min(400)) } else { (elements, bytes) };
    Ok((8 * bytes / (tail * kind.bits() as usize).max(1)).min(elements))
}

/// The frame of an axis whose sides are not known yet: cropped, which asks for more, if it may be.
fn frame_of(frame: Option<Frame>, mode: AxisMode) -> Frame {
    let cropped = [mode.low, mode.high].iter().any(|side| side.default_frame() == Frame::Cropped);
    frame.unwrap_or(if cropped { Frame::Cropped } else { Frame::Uncropped })
}

/// A length of at least 1, if there is room for it: 1, 2, a few, or as many as about a vector.
fn length(kind: Kind, most: usize, u: &mut Unstructured<'_>) -> Result<usize> {
    let length = match u.int_in_range(0..=11u8)? {
        0 => 3,
        1..=2 => 1,
        3..=4 => 2,
        5..=7 => u.int_in_range(3..=9)?,
        8 => u.int_in_range(4..=24)?,
        _ => {
            let about = u.choose(&VECTORS)? * 8 / kind.bits() as usize;
            about.saturating_add_signed(u.int_in_range(-1..=1)?).max(1)
        }
    };
    Ok(length.min(most))
}

/// The padding of an axis, whose output has from `least` to `room` elements.
fn axis_pad(
    length: usize,
    mode: AxisMode,
    frame: Frame,
    (least, room): (usize, usize),
    u: &mut Unstructured<'_>,
) -> Result<AxisPad> {
    if u.ratio(1, 4)? {
        return Ok(AxisPad::default());
    }
    let interior = if u.ratio(2, 3)? { 0 } else { u.int_in_range(1..=3)? };
    let interior = if stretched(length, interior) > room as i128 { 0 } else { interior };
    let d = stretched(length, interior) as i64;
    let low = side(d, mode.low, u)?;
    let high = side(d, mode.high, u)?;
    Ok(corrected(length, AxisPad { low, high, interior }, mode, frame, (least, room)))
}

/// One side of an axis of dilated length `d`: about none, one or two periods of its border, or less than none.
fn side(d: i64, mode: PadMode, u: &mut Unstructured<'_>) -> Result<i64> {
    let period = match mode {
        PadMode::Constant | PadMode::Edge | PadMode::Wrap => d,
        PadMode::Symmetric => 2 * d,
        PadMode::Reflect => 2 * (d - 1).max(0),
    };
    let about = |u: &mut Unstructured<'_>| u.int_in_range(-1..=1i64);
    Ok(match u.int_in_range(0..=11u8)? {
        0..=1 => 0,
        2..=4 => u.int_in_range(1..=3)?,
        5 => -u.int_in_range(1..=3)?,
        6 => -d + about(u)?,
        7 => -u.int_in_range(0..=d)?,
        8 => d + about(u)?,
        9 => period + about(u)?,
        10 => 2 * period + about(u)?,
        _ => u.int_in_range(0..=20)?,
    })
}

/// The padding nearest to `pad` that the library accepts and that leaves from `least` to `room` elements.
fn corrected(
    length: usize,
    pad: AxisPad,
    mode: AxisMode,
    frame: Frame,
    (least, room): (usize, usize),
) -> AxisPad {
    let d = stretched(length, pad.interior) as i64;
    let spare = (room as i64 - d).max(0);
    let mut low = pad.low.min(spare);
    let mut high = pad.high.min((spare - low).max(0));
    high = high.max(least as i64 - d - low);
    let grows = mode != AxisMode::from(PadMode::Constant) && d + low + high > 0;
    if grows && d == 0 {
        (low, high) = (0, 0);
    } else if grows && frame == Frame::Cropped && d > 0 {
        // Leave an element to take the border from.
        low = low.max(1 - d);
        let first = (-low).max(0);
        high = high.max(1 - (d - first));
    }
    // The two sides may have been far apart.
    if d + low + high > room as i64 { AxisPad::default() } else { AxisPad { low, high, ..pad } }
}

/// The dilated length.
fn stretched(length: usize, interior: u64) -> i128 {
    match length {
        0 => 0,
        _ => (length as i128 - 1).saturating_mul(i128::from(interior) + 1).saturating_add(1),
    }
}

/// The output length of an axis that was corrected.
fn output(length: usize, pad: AxisPad) -> usize {
    usize::try_from(stretched(length, pad.interior) + i128::from(pad.low) + i128::from(pad.high)).unwrap_or(0)
}

/// A fill, or none: zero, all bytes alike, and most often bytes that no data has.
fn fill(kind: Kind, mode: &Modes, axes: &[AxisPad], u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>> {
    let bytes = kind.bytes(1);
    let choice = u.int_in_range(0..=7u8)?;
    let needed = mode.contains(PadMode::Constant) || axes.iter().any(|pad| pad.interior > 0);
    Ok(match (kind, choice) {
        (Kind::Tagged(DType::String), _) => None,
        (_, 7) if kind.has_zero() || !needed => None,
        (_, 6) => Some(vec![0; bytes]),
        (Kind::Tagged(DType::Bool), _) => Some(vec![choice & 1]),
        (_, 5) => Some(vec![u.arbitrary()?; bytes]),
        (_, 4) => Some((0..bytes).map(|_| u.arbitrary()).collect::<Result<_>>()?),
        (_, 3) => Some((1..=bytes).map(|i| if i == bytes { 0x80 } else { 0 }).collect()),
        _ => {
            let first = u.int_in_range(0..=4)?;
            Some((0..bytes).map(|i| 251 + ((first + i) % 5) as u8).collect())
        }
    })
}

/// What an axis of a nest is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Positions outside of the window.
    Border,
    /// A part of the input, which stays an axis of its own.
    Slice,
    /// Interior padding.
    Gaps,
    /// Nothing.
    Whole,
}

/// A case that is likely to become `row`'s kernel: each axis stays one, and the unit is the row's.
fn draft(row: &'static Row, u: &mut Unstructured<'_>) -> Result<Case> {
    let rank = row.rank();
    let bordered = row.mode() != PadMode::Constant;
    // A plan without borders is constant whatever was asked for.
    let mode = if !bordered && u.ratio(1, 8)? { mode(u)? } else { row.mode() };
    let borders = bordered || mode == PadMode::Constant;
    let merges = matches!(mode, PadMode::Constant | PadMode::Wrap);
    let frame = frame(u)?;
    let (kind, tail) = element_for(row, u)?;
    // Modes that merge axes are mixed with each other alone, and so are the others.
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
        // An axis with nothing to do stays one only inside of an axis that cannot take it in.
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
    // A tail becomes part of the unit only if the last axis cannot take it in either.
    let gaps_last = tail.is_some() && (merges || styles[rank - 1] != Style::Border);

    let mut room = row_budget(kind, tail.unwrap_or(1), u)?;
    let long_row = u.ratio(1, 3)?;
    let (mut shape, mut axes) = (vec![0; rank], vec![AxisPad::default(); rank]);
    // The innermost axis first: it takes what it wants, the others what is left.
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
        // The axes outside of this one have at least two elements each.
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
                // What lies beyond a whole period may be inside again, and in constant mode nothing but fill.
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
    // The row is for the mode of the first border.
    if let Some(first) = axes.iter().position(|pad| pad.low > 0 || pad.high > 0) {
        modes[first] =
            if axes[first].low > 0 { (mode, modes[first].high) } else { (modes[first].low, mode) }.into();
    }
    // Axes of one element are no axes.
    while shape.len() < MOST_AXES && u.ratio(1, 4)? {
        let at = u.int_in_range(0..=shape.len())?;
        shape.insert(at, 1);
        axes.insert(at, AxisPad::default());
        modes.insert(at, mode.into());
    }
    let mode = if mixed { modes.into() } else { mode.into() };
    let fill = fill(kind, &mode, &axes, u)?;
    Ok(Case { shape, axes, mode, frame, kind, fill, paint: u.arbitrary()? })
}

/// Elements that are a row's unit, or several of which are: then also how many.
fn element_for(row: &'static Row, u: &mut Unstructured<'_>) -> Result<(Kind, Option<usize>)> {
    if let Some(dtype) = row.dtype() {
        return Ok((Kind::Tagged(dtype), None));
    }
    /// Elements that are a unit, and several of which are.
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
        // No two elements of whole bytes are one byte: there it is packed ones.
        [] => (Kind::Raw(1), None),
        _ => *u.choose(parts)?,
    })
}

/// Elements that are units of `width`, or of any that is no row's own, and those several of which are, with how many.
fn elements_for(width: Option<usize>) -> (Vec<Kind>, Vec<(Kind, Option<usize>)>) {
    let whole = |size: usize| width.map_or(!matches!(size, 1 | 2 | 4 | 8 | 16), |width| size == width);
    let sizes = Kind::RAW_SIZES.iter().copied().filter(|&size| whole(size)).map(Kind::Raw).collect();
    let mut tails = Vec::new();
    for kind in Kind::all() {
        // Bits, of which eight are a byte.
        let bits = match kind.layout() {
            Layout::Bytes(bytes) => 8 * bytes,
            Layout::Bits(bits) => bits,
            Layout::Cloned => continue,
        };
        let most = if width.is_some() { 64 } else { 1 + 800 / bits };
        let fits = |&count: &usize| bits * count % 8 == 0 && whole(bits * count / 8);
        tails.extend((2..=most).filter(fits).take(6).map(|count| (kind, Some(count))));
    }
    (sizes, tails)
}

/// The plainest case for `row`.
fn plain(row: &'static Row) -> Case {
    let kind = match (row.dtype(), row.unit()) {
        (Some(dtype), _) => Kind::Tagged(dtype),
        (None, Unit::Bytes(width)) => Kind::Raw(width),
        (None, _) => Kind::Raw(3),
    };
    Case {
        shape: vec![2; row.rank()],
        axes: vec![AxisPad::new(1, 0); row.rank()],
        mode: row.mode().into(),
        frame: None,
        kind,
        fill: (row.dtype() != Some(DType::String)).then(|| vec![1; kind.bytes(1)]),
        paint: 0,
    }
}

/// Bytes from a seed, case after case.
///
/// `PAD_SEED` in the environment is the seed (`random` for a new one), `PAD_CASES` the number of cases, or as `1/20` which
/// part of them.
#[derive(Clone, Debug)]
pub struct Source {
    seed: u64,
    cases: usize,
    state: u64,
    bytes: Vec<u8>,
}

/// The seed where the environment has none.
const SEED: u64 = 0x7061_642d_3235;

impl Source {
    /// A source of `cases` cases, unless the environment says otherwise; tells `name` and seed on the standard error.
    ///
    /// # Panics
    ///
    /// If the environment says something that is no number.
    pub fn new(name: &str, cases: usize) -> Source {
        let seed = match env::var("PAD_SEED") {
            Err(_) => SEED,
            Ok(text) if text == "random" => {
                SystemTime::UNIX_EPOCH.elapsed().map_or(SEED, |time| time.as_nanos() as u64)
            }
            Ok(text) => match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).expect("PAD_SEED is a number or `random`"),
                None => text.parse().expect("PAD_SEED is a number or `random`"),
            },
        };
        let cases = if cfg!(miri) { cases.div_ceil(500) } else { cases };
        let cases = env::var("PAD_CASES").map_or(cases, |text| match text.strip_prefix("1/") {
            Some(part) => cases.div_ceil(part.parse().expect("PAD_CASES is a number or a part, as 1/20")),
            None => text.parse().expect("PAD_CASES is a number or a part, as 1/20"),
        });
        eprintln!("{name}: PAD_SEED={seed:#x} PAD_CASES={cases}");
        let state = name.bytes().fold(seed, |state, byte| next(&mut { state ^ u64::from(byte) }));
        Source { seed, cases, state, bytes: Vec::new() }
    }

    /// A source with this seed, whatever the environment says.
    pub fn of_seed(seed: u64, cases: usize) -> Source {
        Source { seed, cases, state: seed, bytes: Vec::new() }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many cases are to be drawn.
    pub fn cases(&self) -> usize {
        self.cases
    }

    /// Draws one.
    pub fn draw<T>(&mut self, draw: impl FnOnce(&mut Unstructured<'_>) -> Result<T>) -> T {
        self.bytes.clear();
        add_bytes(&mut self.bytes, &mut self.state);
        draw(&mut Unstructured::new(&self.bytes)).expect("draws do without bytes")
    }
}

/// Adds the bytes that a case is drawn from.
pub(crate) fn add_bytes(bytes: &mut Vec<u8>, state: &mut u64) {
    for _ in 0..96 {
        bytes.extend_from_slice(&next(state).to_le_bytes());
    }
}

/// The next number of SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use pad_kernels::registry;

    use super::*;

    const CASES: usize = if cfg!(miri) { 50 } else { 4000 };

    #[test]
    fn nearly_all_cases_run() {
        let mut source = Source::of_seed(1, CASES);
        let (mut refused, mut empty, mut elements) = (0, 0, 0);
        for _ in 0..source.cases() {
            let case = source.draw(case);
            match case.plan() {
                Ok(plan) => {
                    assert!(plan.output_len() <= MOST_ELEMENTS, "{case}: {}", plan.output_len());
                    assert!(plan.output_bytes() <= MOST_BYTES, "{case}: {}", plan.output_bytes());
                    empty += usize::from(plan.is_empty());
                    elements += plan.output_len();
                }
                Err(_) => refused += 1,
            }
        }
        println!("{refused} refused, {empty} empty of {CASES}; {} elements on average", elements / CASES);
        assert!(refused * 100 <= CASES, "{refused} refused");
        assert!(empty * 10 <= CASES, "{empty} empty");
    }

    #[test]
    fn no_bytes_are_a_case_too() {
        for bytes in [&[][..], &[0; 3], &[255; 40]] {
            let case = case(&mut Unstructured::new(bytes)).expect("a case");
            assert!(case.plan().is_ok(), "{case}");
            let wild = wild(&mut Unstructured::new(bytes)).expect("a request");
            assert!(wild.axes.len() <= MOST_AXES + 1);
            for row in registry() {
                let case = case_for_row(row, &mut Unstructured::new(bytes)).expect("a case");
                let plan = case.plan().expect("a valid request");
                assert!(is_chosen(row, &plan), "{}: {case}", row.name());
            }
        }
    }

    /// Everything the bias is meant to reach is reached.
    #[test]
    #[cfg_attr(miri, ignore = "needs many cases")]
    fn cases_are_where_bugs_live() {
        let mut source = Source::of_seed(2, CASES);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..source.cases() {
            let case = source.draw(case);
            let mut see = |what: String| *seen.entry(what).or_default() += 1;
            see(format!("kind {}", case.kind));
            see(format!("rank {}", case.shape.len()));
            match case.mode.single() {
                Some(mode) => see(format!("mode {mode:?} {:?}", case.frame)),
                None => see(format!("modes {:?}", case.frame)),
            }
            for (&length, pad) in case.shape.iter().zip(&case.axes) {
                let d = stretched(length, pad.interior) as i64;
                see(format!("interior {}", pad.interior));
                for vector in [16, 32, 64] {
                    for off in [-1, 0, 1] {
                        let bits = length as i64 * i64::from(case.kind.bits());
                        if bits == 8 * vector + off * i64::from(case.kind.bits()) {
                            see(format!("vector of {vector} {off:+}"));
                        }
                    }
                }
                for (name, side) in [("low", pad.low), ("high", pad.high)] {
                    for (what, at) in [("one", d), ("two", 2 * d), ("four", 4 * d)] {
                        if d > 1 && (side - at).abs() <= 1 {
                            see(format!("{name} by {what} {}", side - at));
                        }
                    }
                    if side < 0 {
                        see(format!("{name} removes {}", if side < -d { "too much" } else { "some" }));
                    }
                }
                if length <= 2 {
                    see(format!("length {length}"));
                }
            }
            let zero = case.fill.as_ref().map(|fill| fill.iter().all(|&byte| byte == 0));
            see(format!("zero fill {zero:?}"));
        }
        let mut expected: BTreeSet<String> = BTreeSet::new();
        expected.extend(Kind::all().map(|kind| format!("kind {kind}")));
        expected.extend((0..=MOST_AXES).map(|rank| format!("rank {rank}")));
        for mode in PadMode::ALL {
            for frame in [None, Some(Frame::Uncropped), Some(Frame::Cropped)] {
                expected.insert(format!("mode {mode:?} {frame:?}"));
                expected.insert(format!("modes {frame:?}"));
            }
        }
        expected.extend((0..=3).map(|interior| format!("interior {interior}")));
        expected.extend((0..=2).map(|length| format!("length {length}")));
        for off in [-1, 0, 1] {
            expected.extend([16, 32, 64].map(|vector| format!("vector of {vector} {off:+}")));
            for name in ["low", "high"] {
                expected.extend(["one", "two", "four"].map(|what| format!("{name} by {what} {off}")));
            }
        }
        for name in ["low", "high"] {
            expected.extend(["some", "too much"].map(|what| format!("{name} removes {what}")));
        }
        expected.extend([None, Some(true), Some(false)].map(|zero| format!("zero fill {zero:?}")));
        for what in expected {
            let times = seen.get(&what).copied().unwrap_or(0);
            assert!(times >= 8, "{what}: {times} times\n{seen:#?}");
        }
    }

    #[test]
    fn rows_are_met_with_few_redraws() {
        let mut source = Source::of_seed(3, 0);
        let (mut drafts, mut missed) = (0, Vec::new());
        for row in registry() {
            for _ in 0..if cfg!(miri) { 1 } else { 8 } {
                let case = source.draw(|u| draft(row, u));
                drafts += 1;
                if !case.plan().is_ok_and(|plan| is_chosen(row, &plan)) {
                    missed.push(format!("{}: {case}", row.name()));
                }
            }
        }
        println!("{} of {drafts} drafts missed", missed.len());
        assert!(missed.len() * 20 <= drafts, "{missed:#?}");
    }

    #[test]
    fn wild_requests_are_refused_for_many_reasons() {
        let mut source = Source::of_seed(4, CASES);
        let mut refused = BTreeSet::new();
        for _ in 0..source.cases() {
            if let Err(error) = source.draw(wild).plan() {
                refused.insert(reach::variant(&error));
            }
        }
        let expected =
            ["AxisCount", "ModeCount", "AxisOverflow", "EmptyWindow", "NegativeOutput", "SizeOverflow"];
        assert!(cfg!(miri) || expected.iter().all(|&name| refused.contains(name)), "{refused:?}");
    }

    #[test]
    fn a_seed_gives_the_same_cases() {
        let draw = |seed| {
            let mut source = Source::of_seed(seed, 20);
            (0..20).map(|_| source.draw(case)).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }
}
