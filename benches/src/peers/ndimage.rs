//! ndarray-ndimage: `pad` of a whole array, modelled on NumPy's.

use bytemuck::Pod;
use half::{bf16, f16};
use ndarray::ArrayViewD;
use ndarray_ndimage::{PadMode, pad};

use super::{borders, fill, input, typed};
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc};

pub(super) const ENTRANT: Competitor =
    Competitor { name: "ndarray-ndimage", contract: Contract::Alloc, prepare };

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    typed!(of(case) for
        F64 = f64, F32 = f32, F16 = f16, BF16 = bf16, I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U16 = u16,
        U32 = u32, U64 = u64, Bool = u8)
}

fn of<T>(case: &Case) -> Option<Box<dyn Prepared + '_>>
where
    T: Pod + num_traits::Num + num_traits::FromPrimitive + PartialOrd,
{
    let source = ArrayViewD::from_shape(case.workload.shape.clone(), input::<T>(case)).ok()?;
    let borders: Vec<_> = borders(&case.workload)?.into_iter().map(|(low, high)| [low, high]).collect();
    let mode = match case.workload.mode {
        pad_kernels::PadMode::Constant => PadMode::Constant(fill(case)),
        pad_kernels::PadMode::Edge => PadMode::Edge,
        pad_kernels::PadMode::Reflect => PadMode::Reflect,
        pad_kernels::PadMode::Symmetric => PadMode::Symmetric,
        pad_kernels::PadMode::Wrap => PadMode::Wrap,
    };
    Some(alloc(
        move || pad(&source, &borders, mode),
        |output, look| look(bytemuck::cast_slice(output.as_slice().expect("a contiguous array"))),
    ))
}
