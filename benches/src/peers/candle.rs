//! candle-core: it pads one axis at a time, with zeros or with the nearest element.

use bytemuck::Pod;
use candle_core::{Device, Storage, Tensor, WithDType};
use half::{bf16, f16};
use pad_kernels::PadMode;

use super::{borders, input, room_for, typed};
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc};

pub(super) const ENTRANT: Competitor = Competitor { name: "candle-core", contract: Contract::Alloc, prepare };

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    typed!(of(case) for
        F64 = f64, F32 = f32, F16 = f16, BF16 = bf16, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U32 = u32, Bool = u8)
}

fn of<T: Pod + WithDType>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let zeros = case.workload.mode == PadMode::Constant && case.workload.fill.iter().all(|&byte| byte == 0);
    if !zeros && case.workload.mode != PadMode::Edge {
        return None;
    }
    // candle holds its input, and the tensors before and after the pad of one axis.
    if !room_for(case, 3) {
        return None;
    }
    let borders = borders(&case.workload)?;
    let input = Tensor::from_slice(input::<T>(case), case.workload.shape.clone(), &Device::Cpu).ok()?;
    let pad = move || {
        let mut output = input.clone();
        for (axis, &(low, high)) in borders.iter().enumerate() {
            let padded = if zeros {
                output.pad_with_zeros(axis, low, high)
            } else {
                output.pad_with_same(axis, low, high)
            };
            output = padded.expect("axes of the tensor");
        }
        output
    };
    Some(alloc(pad, |output: Tensor, look| {
        let (storage, _) = output.storage_and_layout();
        let Storage::Cpu(values) = &*storage else { return };
        look(bytemuck::cast_slice(values.as_slice::<T>().expect("values of the same type")));
    }))
}
