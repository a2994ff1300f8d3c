//! Padding for burn, with every mode, for tensors of any kind and device, and with gradients. Other programs can copy this file.

use std::error::Error;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::kind::Basic;
use burn::tensor::{self, DType, Tensor, TensorData, read_sync};
use half::{bf16, f16};
use pad_kernels::{Element, PadPlan, PadSpec};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Pads a tensor. The function reads the tensor from its device, and writes the result to this device. It has no gradient.
pub(crate) fn pad<const D: usize, K: Basic>(input: Tensor<D, K>, spec: &PadSpec) -> Result<Tensor<D, K>> {
    let (device, dtype) = (input.device(), input.dtype());
    Ok(Tensor::from_data(padded(&input.try_into_data()?, spec)?, (&device, dtype)))
}

/// Pads a tensor of floats on a device of the flex backend. The gradient is computed by the adjoint.
pub(crate) fn pad_floats<const D: usize>(input: Tensor<D>, spec: &PadSpec) -> Result<Tensor<D>> {
    // Operations of a backend cannot return errors, so this function checks everything that they would refuse.
    let plan = match input.dtype() {
        DType::F64 => PadPlan::new::<f64>(spec, &input.dims()),
        DType::F32 => PadPlan::new::<f32>(spec, &input.dims()),
        DType::F16 => PadPlan::new::<f16>(spec, &input.dims()),
        DType::BF16 => PadPlan::new::<bf16>(spec, &input.dims()),
        other => return Err(format!("gradients of type {other:?} are not padded").into()),
    };
    plan?.adjoint()?;
    Ok(Tensor::from_dispatch(Dispatch::pad_floats(input.into_dispatch(), spec.clone())))
}

fn padded(data: &TensorData, spec: &PadSpec) -> Result<TensorData> {
    fn of<T: Element + tensor::Element>(data: &TensorData, spec: &PadSpec) -> Result<TensorData> {
        let plan = PadPlan::new::<T>(spec, data.shape())?;
        Ok(TensorData::new(plan.to_vec(data.as_slice::<T>()?)?, plan.output_shape()))
    }
    match data.dtype() {
        DType::F64 => of::<f64>(data, spec),
        DType::F32 => of::<f32>(data, spec),
        DType::F16 => of::<f16>(data, spec),
        DType::BF16 => of::<bf16>(data, spec),
        DType::I64 => of::<i64>(data, spec),
        DType::I32 => of::<i32>(data, spec),
        DType::I16 => of::<i16>(data, spec),
        DType::I8 => of::<i8>(data, spec),
        DType::U64 => of::<u64>(data, spec),
        DType::U32 => of::<u32>(data, spec),
        DType::U16 => of::<u16>(data, spec),
        DType::U8 => of::<u8>(data, spec),
        DType::Bool(tensor::BoolStore::Native) => of::<bool>(data, spec),
        other => Err(format!("pad takes no tensors of type {other:?}: convert it first").into()),
    }
}

/// Returns the gradient of an input of `shape`, computed from the gradient of the output.
fn added(gradient: &TensorData, spec: &PadSpec, shape: &[usize]) -> Result<TensorData> {
    fn of<T>(gradient: &TensorData, spec: &PadSpec, shape: &[usize]) -> Result<TensorData>
    where
        T: Element + tensor::Element + Default,
    {
        let mut sums = vec![T::default(); shape.iter().product()];
        PadPlan::new::<T>(spec, shape)?.adjoint()?.run(gradient.as_slice::<T>()?, &mut sums)?;
        Ok(TensorData::new(sums, shape))
    }
    match gradient.dtype() {
        DType::F64 => of::<f64>(gradient, spec, shape),
        DType::F32 => of::<f32>(gradient, spec, shape),
        DType::F16 => of::<f16>(gradient, spec, shape),
        DType::BF16 => of::<bf16>(gradient, spec, shape),
        other => Err(format!("gradients of type {other:?} are not padded").into()),
    }
}

/// Returns a tensor with the data that `change` computes from the data of `input`.
fn changed<B: Backend>(
    input: FloatTensor<B>,
    change: impl FnOnce(&TensorData) -> Result<TensorData>,
) -> FloatTensor<B> {
    let device = input.device();
    let data = read_sync(B::float_into_data(input)).expect("the tensor can be read");
    B::float_from_data(change(&data).expect("what can be padded was asked before"), &device)
}

/// A backend that can pad.
#[backend_extension(Flex, Autodiff)]
trait PadBackend: Backend {
    fn pad_floats(input: FloatTensor<Self>, spec: PadSpec) -> FloatTensor<Self> {
        changed::<Self>(input, |data| padded(data, &spec))
    }
}

impl PadBackend for Flex {}

impl<B: PadBackend, C: CheckpointStrategy> PadBackend for Autodiff<B, C> {
    fn pad_floats(input: FloatTensor<Self>, spec: PadSpec) -> FloatTensor<Self> {
        let (input, node) = input.into_parts();
        let shape = input.shape().to_vec();
        match Pad.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((spec.clone(), shape), B::pad_floats(input, spec)),
            OpsKind::UnTracked(prep) => prep.finish(B::pad_floats(input, spec)),
        }
    }
}

/// The backward step. It keeps the request and the shape of the input.
#[derive(Debug)]
struct Pad;

impl<B: Backend> Backward<B, 1> for Pad {
    type State = (PadSpec, Vec<usize>);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (spec, shape) = ops.state;
        unary::<B, _>(ops.parents, ops.node, grads, |gradient| {
            changed::<B>(gradient, |gradient| added(gradient, &spec, &shape))
        });
    }
}
