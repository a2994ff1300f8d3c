//! tract-core: its Pad operator, called directly.

use bytemuck::Pod;
use half::f16;
use pad_kernels::PadMode;
use tract_core::internal::{Datum, EvalOp, IntoTValue, Tensor, tensor0, tvec};
use tract_core::ops::array;

use super::{borders, fill, input, room_for, typed};
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc};

pub(super) const ENTRANT: Competitor = Competitor { name: "tract-core", contract: Contract::Alloc, prepare };

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    typed!(of(case) for
        F64 = f64, F32 = f32, F16 = f16, I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U16 = u16, U32 = u32,
        U64 = u64, Bool = u8)
}

fn of<T: Pod + Datum>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let mode = match case.workload.mode {
        PadMode::Constant => array::PadMode::Constant(tensor0(fill::<T>(case)).into()),
        PadMode::Edge => array::PadMode::Edge,
        PadMode::Reflect => array::PadMode::Reflect,
        PadMode::Symmetric | PadMode::Wrap => return None,
    };
    // tract holds its input, an array with the result, and the tensor to which it copies this array.
    if !room_for(case, 3) {
        return None;
    }
    let op = array::Pad { pads: borders(&case.workload)?, mode };
    let input = Tensor::from_shape(&case.workload.shape, input::<T>(case)).ok()?.into_tvalue();
    Some(alloc(
        move || op.eval_out_of_plan(tvec!(input.clone())).ok().flatten().expect("an operator without state"),
        |outputs, look| look(outputs[0].as_bytes()),
    ))
}
