//! Padding for burn, with every mode, for tensors of any kind and device: a file to take along.

use std::error::Error;

use burn::tensor::kind::Basic;
use burn::tensor::{self, DType, Tensor, TensorData};
use half::{bf16, f16};
use pad_kernels::{Element, PadPlan, PadSpec};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Pads a tensor. It is read from its device and written back to it; gradients do not pass.
pub(crate) fn pad<const D: usize, K: Basic>(input: Tensor<D, K>, spec: &PadSpec) -> Result<Tensor<D, K>> {
    fn of<T: Element + tensor::Element>(data: &TensorData, spec: &PadSpec) -> Result<TensorData> {
        let plan = PadPlan::new::<T>(spec, data.shape())?;
        Ok(TensorData::new(plan.to_vec(data.as_slice::<T>()?)?, plan.output_shape()))
    }
    let (device, dtype) = (input.device(), input.dtype());
    let data = input.try_into_data()?;
    let padded = match data.dtype() {
        DType::F64 => of::<f64>(&data, spec),
        DType::F32 => of::<f32>(&data, spec),
        DType::F16 => of::<f16>(&data, spec),
        DType::BF16 => of::<bf16>(&data, spec),
        DType::I64 => of::<i64>(&data, spec),
        DType::I32 => of::<i32>(&data, spec),
        DType::I16 => of::<i16>(&data, spec),
        DType::I8 => of::<i8>(&data, spec),
        DType::U64 => of::<u64>(&data, spec),
        DType::U32 => of::<u32>(&data, spec),
        DType::U16 => of::<u16>(&data, spec),
        DType::U8 => of::<u8>(&data, spec),
        DType::Bool(tensor::BoolStore::Native) => of::<bool>(&data, spec),
        other => Err(format!("pad takes no tensors of type {other:?}: convert it first").into()),
    }?;
    Ok(Tensor::from_data(padded, (&device, dtype)))
}
