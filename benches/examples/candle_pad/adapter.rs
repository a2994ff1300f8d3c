//! Padding as an operation of candle, with every mode, for CPU tensors of any type and layout. Other programs can copy this file.

use candle_core::{CpuStorage, CustomOp1, Error, Layout, Result, Shape, Tensor, bail};
use pad_kernels::{Element, PadPlan, PadSpec, Strides};

/// Pads a tensor, as in `tensor.apply_op1(Pad(spec))`.
pub(crate) struct Pad(pub(crate) PadSpec);

impl Pad {
    fn run<T: Element>(
        &self,
        data: &[T],
        layout: &Layout,
        storage: fn(Vec<T>) -> CpuStorage,
    ) -> Result<(CpuStorage, Shape)> {
        let plan = PadPlan::new::<T>(&self.0, layout.dims()).map_err(Error::wrap)?;
        // Transposed, broadcast and narrowed tensors are read in place.
        let strides = layout.stride().iter().map(|&stride| stride as isize);
        let plan = plan
            .with_strides(
                &Strides::new(layout.start_offset(), strides),
                &Strides::row_major(plan.output_shape()),
            )
            .map_err(Error::wrap)?;
        let padded = plan.to_vec(data).map_err(Error::wrap)?;
        Ok((storage(padded), Shape::from(plan.output_shape())))
    }
}

impl CustomOp1 for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        match storage {
            CpuStorage::U8(data) => self.run(data, layout, CpuStorage::U8),
            CpuStorage::U32(data) => self.run(data, layout, CpuStorage::U32),
            CpuStorage::I16(data) => self.run(data, layout, CpuStorage::I16),
            CpuStorage::I32(data) => self.run(data, layout, CpuStorage::I32),
            CpuStorage::I64(data) => self.run(data, layout, CpuStorage::I64),
            CpuStorage::BF16(data) => self.run(data, layout, CpuStorage::BF16),
            CpuStorage::F16(data) => self.run(data, layout, CpuStorage::F16),
            CpuStorage::F32(data) => self.run(data, layout, CpuStorage::F32),
            CpuStorage::F64(data) => self.run(data, layout, CpuStorage::F64),
            // candle can store these types, but it cannot compute with them.
            CpuStorage::F8E4M3(_)
            | CpuStorage::F6E2M3(_)
            | CpuStorage::F6E3M2(_)
            | CpuStorage::F4(_)
            | CpuStorage::F8E8M0(_) => bail!("pad takes no tensors of this type: convert it first"),
        }
    }

    /// Computes the adjoint for floats. It adds the gradient of each output element to the input element of which it is a copy.
    fn bwd(&self, arg: &Tensor, _res: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        gradient.contiguous()?.apply_op1(Back(self.0.clone(), arg.shape().clone())).map(Some)
    }
}

/// The gradient of [`Pad`], for the same request and an input of this shape.
struct Back(PadSpec, Shape);

impl Back {
    fn run<T: Element + Default>(
        &self,
        data: &[T],
        layout: &Layout,
        storage: fn(Vec<T>) -> CpuStorage,
    ) -> Result<(CpuStorage, Shape)> {
        let Some((start, end)) = layout.contiguous_offsets() else {
            bail!("the gradient is to lie in one piece");
        };
        let plan = PadPlan::new::<T>(&self.0, self.1.dims()).map_err(Error::wrap)?;
        let mut gradient = vec![T::default(); self.1.elem_count()];
        let adjoint = plan.adjoint().map_err(Error::wrap)?;
        adjoint.run(&data[start..end], &mut gradient).map_err(Error::wrap)?;
        Ok((storage(gradient), self.1.clone()))
    }
}

impl CustomOp1 for Back {
    fn name(&self) -> &'static str {
        "pad-backward"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        match storage {
            CpuStorage::BF16(data) => self.run(data, layout, CpuStorage::BF16),
            CpuStorage::F16(data) => self.run(data, layout, CpuStorage::F16),
            CpuStorage::F32(data) => self.run(data, layout, CpuStorage::F32),
            CpuStorage::F64(data) => self.run(data, layout, CpuStorage::F64),
            _ => bail!("only floats have gradients"),
        }
    }
}
