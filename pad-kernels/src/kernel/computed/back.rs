//! Computes adjoints of borders that are linear in the data, such as `2 * edge - x`. An adjoint adds the gradient of each border
//! position to the gradients of the elements from which the position was computed.

use alloc::vec::Vec;

use super::lines::Walk;
use super::{Borders, Image};
use crate::dtype::DType;
use crate::error::PadError;
use crate::kernel::adjoint::number::{BF16, F16, F32, F64, Number, U8, U16, U32, U64};
use crate::plan::Geometry;

/// Describes one axis. `low`, `len` and `out` are the numbers of positions before the interior, in the interior, and in total.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Back {
    pub(crate) low: usize,
    pub(crate) len: usize,
    pub(crate) out: usize,
    /// The borders of the axis, if it has any.
    pub(crate) borders: Option<Borders>,
}

/// Sums the gradient of the output. Writes the sums to the gradient of a non-empty input, or adds them to it if `adds` is true.
///
/// # Errors
///
/// [`PadError::OutOfMemory`] if the sums cannot be allocated.
pub(crate) fn sum(
    dtype: DType,
    axes: &[Back],
    gradients: (&Geometry, &[u8], &mut [u8]),
    adds: bool,
) -> Result<(), PadError> {
    let parts = if matches!(dtype, DType::C64 | DType::C128) { 2 } else { 1 };
    match dtype {
        DType::I8 | DType::U8 => sum_as::<U8>(parts, axes, gradients, adds),
        DType::I16 | DType::U16 => sum_as::<U16>(parts, axes, gradients, adds),
        DType::I32 | DType::U32 => sum_as::<U32>(parts, axes, gradients, adds),
        DType::I64 | DType::U64 => sum_as::<U64>(parts, axes, gradients, adds),
        DType::F16 => sum_as::<F16>(parts, axes, gradients, adds),
        DType::BF16 => sum_as::<BF16>(parts, axes, gradients, adds),
        DType::F32 | DType::C64 => sum_as::<F32>(parts, axes, gradients, adds),
        _ => sum_as::<F64>(parts, axes, gradients, adds),
    }
}

fn sum_as<N: Number>(
    parts: usize,
    axes: &[Back],
    (geometry, grad_out, grad_in): (&Geometry, &[u8], &mut [u8]),
    adds: bool,
) -> Result<(), PadError> {
    let element = parts * size_of::<N::Bytes>();
    let mut sums = Vec::new();
    let bytes = (geometry.output.len * parts).saturating_mul(size_of::<N::Sum>());
    sums.try_reserve_exact(geometry.output.len * parts).map_err(|_| PadError::OutOfMemory { bytes })?;
    let loops: Vec<_> = geometry.axes.iter().map(|axis| (axis.out, axis.dst_stride)).collect();
    let mut places = Walk::new(geometry.output.offset, &loops);
    while let Some(at) = places.next() {
        sums.extend(N::numbers(&grad_out[at as usize..][..element]).iter().map(|&number| N::widen(number)));
    }
    let mut inner = parts;
    for (number, axis) in axes.iter().enumerate().rev() {
        if let Some(borders) = &axis.borders {
            let outer: usize = axes[..number].iter().map(|axis| axis.out).product();
            for block in 0..outer {
                let start = block * axis.out * inner;
                axis.add_back::<N>(borders, &mut sums[start..][..axis.out * inner], inner);
                let middle = start + axis.low * inner;
                sums.copy_within(middle..middle + axis.len * inner, block * axis.len * inner);
            }
        }
        inner *= axis.len;
    }
    let inputs = geometry.axes.iter().zip(&geometry.input.shape);
    let loops: Vec<_> = inputs.map(|(axis, &length)| (length, axis.src_stride)).collect();
    let mut places = Walk::new(geometry.input.offset, &loops);
    let mut sums = sums.chunks_exact(parts);
    while let (Some(at), Some(sums)) = (places.next(), sums.next()) {
        for (number, &sum) in N::numbers_mut(&mut grad_in[at as usize..][..element]).iter_mut().zip(sums) {
            *number = N::narrow(if adds { N::add(N::widen(*number), sum) } else { sum });
        }
    }
    Ok(())
}

impl Back {
    /// Adds the sums of the borders to those of the interior, in the reverse order of writing. Each position has `inner` sums.
    fn add_back<N: Number>(&self, borders: &Borders, sums: &mut [N::Sum], inner: usize) {
        let mut add = |to: usize, from: usize, by: isize| {
            for (to, from) in (to * inner..(to + 1) * inner).zip(from * inner..) {
                sums[to] = N::add(sums[to], N::times(sums[from], by));
            }
        };
        let (first, last) = (self.low, self.low + self.len - 1);
        let borders_of = (0..first).chain(last + 1..self.out);
        match borders {
            Borders::Odd { images } => {
                for &Image { to, from, about, count } in images.iter().rev() {
                    for index in 0..count {
                        add(from - index, to + index, -1);
                        add(about, to + index, 2);
                    }
                }
            }
            Borders::Smooth => {
                for at in borders_of {
                    let (edge, before, steps) =
                        if at < first { (first, first + 1, first - at) } else { (last, last - 1, at - last) };
                    add(edge, at, 1 + steps as isize);
                    add(before, at, -(steps as isize));
                }
            }
            // The axis has a single element, which the borders repeat.
            _ => borders_of.for_each(|at| add(first, at, 1)),
        }
    }
}
