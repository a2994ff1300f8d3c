//! Pads arrays: checks shapes, chooses the memory order, and runs plans in place.

use alloc::vec::Vec;

use ::ndarray::{Array, ArrayRef, Dimension, ShapeBuilder};
use smallvec::SmallVec;

use super::error::PadArrayError;
use super::values::Values;
use super::{PadExt, PadWidth};
use crate::computed::{ComputedPlan, ComputedSpec};
use crate::dialect::{Dialect, DialectError, numpy};
use crate::element::{Element, Elements};
use crate::error::PadError;
use crate::kernel::places::array;
use crate::run::{BorderPlan, PadPlan};
use crate::spec::{Modes, PadMode, PadSpec};
use crate::view::Strides;

impl<A, D: Dimension> PadExt<A, D> for ArrayRef<A, D> {
    fn pad(&self, width: impl Into<PadWidth>, mode: impl Into<Modes>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_with_spec(&spec_of(&width.into(), mode.into(), self.ndim())?)
    }

    fn pad_constant(&self, width: impl Into<PadWidth>, value: A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_with_spec(&spec_of(&width.into(), PadMode::Constant.into(), self.ndim())?.with_fill(value))
    }

    fn pad_with_spec(&self, spec: &PadSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_with_plan(PadPlan::blank().once(spec, self.shape(), Elements::of::<A>())?)
    }

    fn pad_into(
        &self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        self.pad_with_spec_into(&spec_of(&width.into(), mode.into(), self.ndim())?, output)
    }

    fn pad_with_spec_into(&self, spec: &PadSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        self.pad_with_plan_into(PadPlan::blank().once(spec, self.shape(), Elements::of::<A>())?, output)
    }

    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        check_input(plan, self)?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.to_vec_placed(&array::input(self), &strides)?))
    }

    fn pad_with_plan_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        check_input(plan, self)?;
        check_output(plan, output)?;
        Ok(plan.run_placed::<A>(&array::input(self), array::output(output, plan.output_shape()))?)
    }

    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element + Send + Sync,
    {
        check_input(plan, self)?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.par_to_vec_placed(&array::input(self), &strides)?))
    }

    #[cfg(feature = "rayon")]
    fn par_pad_with_plan_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element + Send + Sync,
    {
        check_input(plan, self)?;
        check_output(plan, output)?;
        match output.as_slice_mut() {
            Some(output) => Ok(plan.par_run_placed(&array::input(self), output)?),
            None => self.pad_with_plan_into(plan, output),
        }
    }

    fn fill_borders(
        &mut self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
    ) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        let spec = spec_of(&width.into(), mode.into(), self.ndim())?;
        let borders = |axis| i128::from(spec.pad(axis).low) + i128::from(spec.pad(axis).high);
        let narrow =
            |axis| PadArrayError::Narrow { axis, length: self.shape()[axis], borders: borders(axis) };
        let mut inside: SmallVec<[usize; 6]> = SmallVec::new();
        for (axis, &length) in self.shape().iter().enumerate() {
            let left = usize::try_from(length as i128 - borders(axis));
            inside.push(left.map_err(|_| narrow(axis))?);
        }
        let plan = BorderPlan::new::<A>(&spec, &inside).map_err(|error| match error {
            PadError::EmptyWindow { axis, .. } => narrow(axis),
            error => error.into(),
        })?;
        self.fill_borders_with_plan(&plan)
    }

    fn fill_borders_with_plan(&mut self, plan: &BorderPlan) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        if plan.output_shape() != self.shape() {
            let (expected, got) = (plan.output_shape().into(), self.shape().into());
            return Err(PadArrayError::OutputShape { expected, got });
        }
        Ok(plan.run_placed::<A>(array::output(self, plan.output_shape()))?)
    }

    fn pad_computed(&self, spec: &ComputedSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        let plan = ComputedPlan::new::<A>(spec, self.shape())?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.to_vec_placed(&array::input(self), &strides)?))
    }

    fn pad_computed_into(&self, spec: &ComputedSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        let plan = ComputedPlan::new::<A>(spec, self.shape())?;
        if plan.output_shape() != output.shape() {
            let (expected, got) = (plan.output_shape().into(), output.shape().into());
            return Err(PadArrayError::OutputShape { expected, got });
        }
        Ok(plan.run_placed::<A>(&array::input(self), array::output(output, plan.output_shape()))?)
    }

    fn pad_numpy(&self, call: &numpy::Pad<'_>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        let dtype = A::DTYPE.ok_or(PadArrayError::Call(DialectError::Untagged))?;
        match call.computed_spec(self.shape()).map_err(PadArrayError::Call)? {
            Some(spec) => self.pad_computed(&spec),
            None => self.pad_with_spec(&call.spec(self.shape(), dtype).map_err(PadArrayError::Call)?),
        }
    }

    fn pad_cloned<'a>(
        &self,
        spec: &PadSpec,
        fill: impl Into<Option<&'a A>>,
    ) -> Result<Array<A, D>, PadArrayError>
    where
        A: Clone + 'a,
    {
        let plan = PadPlan::for_cloned(spec, self.shape())?;
        let input = Values::of(self.view())?;
        let fortran = is_fortran(self);
        let data = plan.with_strides(&input.strides, &new_strides(plan.output_shape(), fortran))?;
        Ok(array(plan.output_shape(), fortran, data.to_vec_cloned(input.data(), fill)?))
    }
}

fn spec_of(width: &PadWidth, mode: Modes, rank: usize) -> Result<PadSpec, PadArrayError> {
    Ok(PadSpec::new(mode, width.pads("width", rank).map_err(PadArrayError::Width)?))
}

fn check_input<A, D: Dimension>(plan: &PadPlan, input: &ArrayRef<A, D>) -> Result<(), PadArrayError> {
    if plan.input_shape() == input.shape() {
        return Ok(());
    }
    let (expected, got) = (plan.input_shape().into(), input.shape().into());
    Err(PadArrayError::InputShape { expected, got })
}

fn check_output<A, D: Dimension>(plan: &PadPlan, output: &ArrayRef<A, D>) -> Result<(), PadArrayError> {
    if plan.output_shape() == output.shape() {
        return Ok(());
    }
    let (expected, got) = (plan.output_shape().into(), output.shape().into());
    Err(PadArrayError::OutputShape { expected, got })
}

/// Tells whether numpy returns the result in Fortran order.
fn is_fortran<A, D: Dimension>(array: &ArrayRef<A, D>) -> bool {
    !array.is_standard_layout() && array.t().is_standard_layout()
}

fn new_strides(shape: &[usize], fortran: bool) -> Strides {
    if fortran { Strides::column_major(shape) } else { Strides::row_major(shape) }
}

/// Returns an array of these elements, in row-major or Fortran order.
fn array<A, D: Dimension>(shape: &[usize], fortran: bool, data: Vec<A>) -> Array<A, D> {
    let mut dim = D::zeros(shape.len());
    dim.slice_mut().copy_from_slice(shape);
    Array::from_shape_vec(dim.set_f(fortran), data).expect("as long as its shape says")
}
