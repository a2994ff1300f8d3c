//! ndarray has no pad. Its users fill an array and assign the input to a slice.

use bytemuck::Pod;
use half::{bf16, f16};
use ndarray::{ArrayD, ArrayViewD, IxDyn, SliceInfo, SliceInfoElem};
use num_complex::Complex;
use pad_kernels::{AxisPad, PadMode};

use super::{fill, input, typed};
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc, into_own};
use crate::workload::Workload;

/// Two ways: fill an existing array, or make a new array with the fill.
pub(super) const ENTRANTS: [Competitor; 2] = [
    Competitor { name: "ndarray", contract: Contract::Into, prepare: fill_assign },
    Competitor { name: "ndarray", contract: Contract::Alloc, prepare: from_elem_assign },
];

type Slices = SliceInfo<Vec<SliceInfoElem>, IxDyn, IxDyn>;

/// Defines a competitor by a function that is generic over the element type.
macro_rules! of_any_type {
    ($name:ident = $generic:ident) => {
        fn $name(case: &Case) -> Option<Box<dyn Prepared + '_>> {
            typed!($generic(case) for
                F64 = f64, F32 = f32, F16 = f16, BF16 = bf16, I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8,
                U16 = u16, U32 = u32, U64 = u64, Bool = u8, C64 = Complex<f32>, C128 = Complex<f64>)
        }
    };
}
of_any_type!(fill_assign = fill_assign_as);
of_any_type!(from_elem_assign = from_elem_assign_as);

fn fill_assign_as<T: Pod>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let (workload, fill) = (&case.workload, fill(case));
    let (from, to) = slices(workload)?;
    let source = ArrayViewD::from_shape(workload.shape.clone(), input::<T>(case)).ok()?;
    let source = source.slice_move(from);
    let output = ArrayD::<T>::from_elem(workload.output_shape(), fill);
    let pad = move |output: &mut ArrayD<T>| {
        output.fill(fill);
        output.slice_mut(&to).assign(&source);
    };
    Some(into_own(output, pad, |output| {
        bytemuck::cast_slice_mut(output.as_slice_mut().expect("a contiguous array"))
    }))
}

fn from_elem_assign_as<T: Pod>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let (workload, fill) = (&case.workload, fill(case));
    let (from, to) = slices(workload)?;
    let source = ArrayViewD::from_shape(workload.shape.clone(), input::<T>(case)).ok()?;
    let source = source.slice_move(from);
    let shape = workload.output_shape();
    let pad = move || {
        let mut output = ArrayD::<T>::from_elem(shape.as_slice(), fill);
        output.slice_mut(&to).assign(&source);
        output
    };
    Some(alloc(pad, |output, look| {
        look(bytemuck::cast_slice(output.as_slice().expect("a contiguous array")));
    }))
}

/// Returns the part of the input to assign, and its position, for constant borders.
fn slices(workload: &Workload) -> Option<(Slices, Slices)> {
    if workload.mode != PadMode::Constant {
        return None;
    }
    let slice = |start, end, step| SliceInfoElem::Slice { start, end: Some(end), step };
    let axis = |(&length, pad): (&usize, &AxisPad)| {
        let (low, high, step) = (pad.low as isize, pad.high as isize, pad.interior as isize + 1);
        if step > 1 && (low < 0 || high < 0) {
            return None;
        }
        let length = length as isize;
        let (start, end) = ((-low).max(0), length - (-high).max(0));
        let taken = (end - start).max(1);
        let to = low.max(0);
        Some((slice(start, end, 1), slice(to, to + (taken - 1) * step + 1, step)))
    };
    let both: Option<Vec<_>> = workload.shape.iter().zip(&workload.pads).map(axis).collect();
    let (from, to): (Vec<_>, Vec<_>) = both?.into_iter().unzip();
    Some((SliceInfo::try_from(from).ok()?, SliceInfo::try_from(to).ok()?))
}
