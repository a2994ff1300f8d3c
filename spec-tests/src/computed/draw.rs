//! Random cases of computed borders.

use arbitrary::{Result, Unstructured};
use pad_kernels::{
    DType, Fill,
    computed::{ComputedMode, ComputedSpec, EndValue, PerSide, RampPrecision},
    kernels::{self, ComputedKernel},
};

use super::cases::{Case, encode, kind, size};
use crate::reference::computed::Kind;

/// Generates a case for a kernel at random. The library refuses few of these cases.
pub fn draw(row: &ComputedKernel, u: &mut Unstructured<'_>) -> Result<Case> {
    use pad_kernels::kernels::Computation as C;
    let dtype = row.dtype();
    let rank = usize::from(*u.choose(&[1, 2, 3, 1, 2, 3, 4, 6, 0u8])?);
    // One case of six has a long axis. It fills vectors, or its medians need more memory than the stack buffer.
    let long = if u.ratio(1, 6)? && rank > 0 { Some(u.int_in_range(0..=rank - 1)?) } else { None };
    let most = [24, 24, 9, 5, 3, 2, 2][rank];
    let mut shape = Vec::new();
    for axis in 0..rank {
        shape.push(match () {
            () if long == Some(axis) => u.int_in_range(60..=if rank < 3 { 300 } else { 80 })?,
            () if u.ratio(1, 40)? => 0,
            () => u.int_in_range(1..=if long.is_some() { most.min(3) } else { most })?,
        });
    }
    let mut widths = Vec::new();
    for &length in &shape {
        let width = |u: &mut Unstructured<'_>| {
            let most = if rank == 1 { 40 } else { 7 - rank.min(5) };
            Ok::<_, arbitrary::Error>(if u.ratio(1, 4)? { 0 } else { u.int_in_range(0..=most)? })
        };
        let pair = (width(u)?, width(u)?);
        widths.push(if length == 0 && !u.ratio(1, 4)? { (0, 0) } else { pair });
    }
    let least = usize::from(!u.ratio(1, 12)?);
    let lengths =
        per_side(rank, u, |u| Ok(if u.ratio(1, 3)? { None } else { Some(u.int_in_range(least..=9)?) }))?;
    let mode = match row.computation() {
        C::LinearRamp => {
            let complex = matches!(dtype, DType::C64 | DType::C128) || u.ratio(1, 60)?;
            let ends = per_side(rank, u, |u| {
                let awkward = [f64::INFINITY, f64::NAN, 1e-310];
                let end =
                    *u.choose(&[&[0.0, 1.0, -3.0, 2.5, 1e-3, 300.0, -7e4, 1e10], &awkward[..]].concat())?;
                let im = if complex { *u.choose(&[0.0, 2.0, -0.5])? } else { 0.0 };
                Ok(EndValue { re: end, im })
            })?;
            let precision = *u.choose(&[RampPrecision::Double, RampPrecision::Data])?;
            ComputedMode::LinearRamp { ends, precision }
        }
        C::Maximum => ComputedMode::Maximum(lengths),
        C::Mean => ComputedMode::Mean(lengths),
        C::Median => ComputedMode::Median(lengths),
        C::Minimum => ComputedMode::Minimum(lengths),
        C::NanMaximum => ComputedMode::NanMaximum(lengths),
        C::NanMean => ComputedMode::NanMean(lengths),
        C::NanMedian => ComputedMode::NanMedian(lengths),
        C::NanMinimum => ComputedMode::NanMinimum(lengths),
        C::Smooth => ComputedMode::Smooth,
        C::Odd => match u.int_in_range(0..=9u8)? {
            // Some modes have no kernel. Generate them together with the odd modes.
            0 => ComputedMode::Empty,
            1 => ComputedMode::Constants(per_side(rank, u, |u| {
                Ok(Fill::from_bytes(dtype, &element(dtype, u)?))
            })?),
            2..=5 => ComputedMode::OddReflect,
            _ => ComputedMode::OddSymmetric,
        },
    };
    let count: usize = shape.iter().product();
    // To need few random bytes, repeat the data after a prime number of elements. Statistics that skip NaN get many NaNs.
    let most = if matches!(kind(dtype), Kind::Complex(_)) { 43 } else { 131 };
    let nans = matches!(row.computation(), C::NanMaximum | C::NanMean | C::NanMedian | C::NanMinimum)
        && matches!(kind(dtype), Kind::Float(_) | Kind::Complex(_));
    let nan = if nans { u.int_in_range(0..=3u8)? } else { 0 };
    let cycle = (0..count.min(most))
        .map(|_| if nan > 0 && u.ratio(nan, 3)? { Ok(vec![0xff; size(dtype)]) } else { element(dtype, u) })
        .collect::<Result<Vec<_>>>()?;
    let data = (0..count).flat_map(|index| cycle[index % cycle.len()].clone()).collect();
    Ok(Case { dtype, shape, data, spec: ComputedSpec::new(mode, widths) })
}

fn per_side<T>(
    rank: usize,
    u: &mut Unstructured<'_>,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<PerSide<T>> {
    Ok(match u.int_in_range(0..=3u8)? {
        0 => PerSide::default(),
        1 => PerSide::axes([(one(u)?, one(u)?)]),
        _ => PerSide::axes((0..rank).map(|_| Ok((one(u)?, one(u)?))).collect::<Result<Vec<_>>>()?),
    })
}

/// Generates an element. Special values such as NaN, infinities and limits are frequent.
pub(crate) fn element(dtype: DType, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    if matches!(dtype, DType::C64 | DType::C128) {
        let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
        return Ok([element(part, u)?, element(part, u)?].concat());
    }
    let bytes = size(dtype);
    Ok(match kind(dtype) {
        Kind::Bool => vec![u.int_in_range(0..=1)?],
        Kind::Float(_) => {
            let value = match u.int_in_range(0..=15u8)? {
                0 => *u.choose(&[f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 1e300, -1e300])?,
                1 => *u.choose(&[1e-310, 6e-8, -1e-40, 65504.0, 3.3e38, -3.3e38])?,
                2 => return Ok(u.arbitrary::<u64>()?.to_ne_bytes()[..bytes].to_vec()),
                3..=8 => f64::from(u.int_in_range(-99..=99i32)?),
                _ => f64::from(u.arbitrary::<i32>()?) * 1e-6,
            };
            encode(dtype, value)
        }
        _ => match u.int_in_range(0..=5u8)? {
            0 => vec![*u.choose(&[0, 0xff])?; bytes],
            1 => (u64::MAX >> 1 >> (64 - 8 * bytes)).to_ne_bytes()[..bytes].to_vec(),
            2 => u.arbitrary::<u64>()?.to_ne_bytes()[..bytes].to_vec(),
            _ => encode(dtype, u.int_in_range(-99..=99i32)?.into()),
        },
    })
}

/// Returns a kernel that this machine can run. Any `index` is valid.
pub fn row(index: usize) -> &'static ComputedKernel {
    let rows = || kernels::computed().iter().filter(|row| row.isa().available());
    rows().nth(index % rows().count()).expect("an index of a row")
}
