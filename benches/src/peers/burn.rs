//! burn: `Tensor::pad` on its CPU backend `flex`. The other CPU backend, `ndarray`, is deprecated.

use burn::tensor::kind::Numeric;
use burn::tensor::ops::PadMode;
use burn::tensor::{DType, Device, Float, Int, Tensor, TensorData};
use pad_kernels as ours;

use super::borders;
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc};

pub(super) const ENTRANT: Competitor = Competitor { name: "burn", contract: Contract::Alloc, prepare };

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let device = Device::flex();
    let dtype = match case.workload.dtype {
        ours::DType::F64 => DType::F64,
        ours::DType::F32 => DType::F32,
        ours::DType::F16 => DType::F16,
        ours::DType::BF16 => DType::BF16,
        ours::DType::I8 => DType::I8,
        ours::DType::I16 => DType::I16,
        ours::DType::I32 => DType::I32,
        ours::DType::I64 => DType::I64,
        ours::DType::U8 | ours::DType::Bool => DType::U8,
        ours::DType::U16 => DType::U16,
        ours::DType::U32 => DType::U32,
        ours::DType::U64 => DType::U64,
        _ => return None,
    };
    if !device.supports_dtype(dtype) {
        return None;
    }
    macro_rules! of_rank {
        ($kind:ty: $($rank:literal)*) => {
            match case.workload.shape.len() {
                $($rank => of::<$rank, $kind>(case, device, dtype),)*
                _ => None,
            }
        };
    }
    if dtype.is_float() { of_rank!(Float: 1 2 3 4 5 6) } else { of_rank!(Int: 1 2 3 4 5 6) }
}

fn of<const D: usize, K: Numeric + 'static>(
    case: &Case,
    device: Device,
    dtype: DType,
) -> Option<Box<dyn Prepared + '_>> {
    let mode = match case.workload.mode {
        ours::PadMode::Constant => PadMode::Constant(value(case)?),
        ours::PadMode::Edge => PadMode::Edge,
        ours::PadMode::Reflect => PadMode::Reflect,
        ours::PadMode::Symmetric | ours::PadMode::Wrap => return None,
    };
    let borders: [(usize, usize); D] = borders(&case.workload)?.try_into().ok()?;
    let data = TensorData::from_bytes_vec(case.input().to_vec(), case.workload.shape.clone(), dtype);
    let input = Tensor::<D, K>::from_data(data, (&device, dtype));
    Some(alloc(move || input.clone().pad(borders, mode), |output, look| look(output.into_data().as_bytes())))
}

/// Returns the fill as burn expects it. A float represents an integer of 8 or 16 bits exactly.
fn value(case: &Case) -> Option<f32> {
    let fill = &case.workload.fill;
    Some(match case.workload.dtype {
        ours::DType::F32 => bytemuck::pod_read_unaligned(fill),
        ours::DType::U8 | ours::DType::Bool => fill[0].into(),
        ours::DType::I16 => bytemuck::pod_read_unaligned::<i16>(fill).into(),
        _ if fill.iter().all(|&byte| byte == 0) => 0.0,
        _ => return None,
    })
}
