//! From a request to a plan, in safe code.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use pad_kernels::{
    AdjointPlan, AxisMode, AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadMode, PadPlan, PadSpec,
    Strides, pad_bytes_into_uninit, tensor::ElementSize,
};
use smallvec::SmallVec;

use crate::pool::Pool;
use crate::status::Failure;
use crate::types::{Axis, Status};

/// The type of an element, where it is known.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Bytes(usize),
    Typed(DType),
}

impl Element {
    pub(crate) fn new(dtype: i32, element_bytes: usize) -> Result<Element, Failure> {
        let known = usize::try_from(dtype).map_err(|_| Failure::unknown("pad_dtype", dtype))?;
        let Some(index) = known.checked_sub(1) else { return Ok(Element::Bytes(element_bytes)) };
        match DType::ALL.get(index) {
            Some(&dtype) if dtype != DType::String => match element_bytes {
                0 => Ok(Element::Typed(dtype)),
                _ => Err(Failure::new(Status::Size, "element_bytes is for PAD_DTYPE_BYTES only")),
            },
            _ => Err(Failure::unknown("pad_dtype", dtype)),
        }
    }

    /// The bytes of one element; packed types have none.
    fn whole_bytes(self) -> Option<usize> {
        match self {
            Element::Bytes(bytes) => Some(bytes),
            Element::Typed(dtype) => match dtype.element_size() {
                ElementSize::Bytes(bytes) => Some(bytes),
                _ => None,
            },
        }
    }

    /// The bytes of a fill.
    pub(crate) fn fill_bytes(self) -> usize {
        self.whole_bytes().unwrap_or(1)
    }
}

/// A request whose pointers were read.
pub(crate) struct Asked<'a> {
    pub(crate) element: Element,
    pub(crate) frame: i32,
    pub(crate) shape: &'a [usize],
    pub(crate) axes: &'a [Axis],
    pub(crate) fill: Option<&'a [u8]>,
    pub(crate) input_strides: Option<&'a [isize]>,
    pub(crate) output_strides: Option<&'a [isize]>,
    pub(crate) region: Option<(&'a [usize], &'a [usize])>,
}

impl Asked<'_> {
    #[inline(always)]
    fn modes(&self) -> Result<Modes, Failure> {
        let mode = |value: i32| {
            let index = usize::try_from(value).ok();
            let mode = index.and_then(|index| PadMode::ALL.get(index).copied());
            mode.ok_or_else(|| Failure::unknown("pad_mode", value))
        };
        // Without axes there is no border, and any mode that needs no fill will do.
        let Some(first) = self.axes.first() else { return Ok(Modes::All(PadMode::Edge)) };
        let all = mode(first.low_mode)?;
        if self.axes.iter().all(|axis| [axis.low_mode, axis.high_mode] == [first.low_mode; 2]) {
            return Ok(Modes::All(all));
        }
        let of = |axis: &Axis| Ok(AxisMode { low: mode(axis.low_mode)?, high: mode(axis.high_mode)? });
        Ok(Modes::Each(self.axes.iter().map(of).collect::<Result<_, Failure>>()?))
    }

    #[inline(always)]
    fn frame(&self) -> Result<Option<Frame>, Failure> {
        match self.frame {
            0 => Ok(None),
            1 => Ok(Some(Frame::Uncropped)),
            2 => Ok(Some(Frame::Cropped)),
            other => Err(Failure::unknown("pad_frame", other)),
        }
    }

    /// The request with modes and a frame that were read before: inside a `Result` it would be copied.
    #[inline(always)]
    fn spec(&self, modes: Modes, frame: Option<Frame>) -> PadSpec {
        let pads =
            self.axes.iter().map(|axis| AxisPad { low: axis.low, high: axis.high, interior: axis.interior });
        let mut spec = PadSpec::new(modes, pads);
        spec.frame = frame;
        spec.fill = self.fill.map(|fill| match self.element {
            Element::Bytes(_) => Fill::untyped(fill),
            Element::Typed(dtype) => Fill::from_bytes(dtype, fill),
        });
        spec
    }

    /// Whether elements lie in row-major order and the whole output is written.
    fn is_plain(&self) -> bool {
        self.input_strides.is_none() && self.output_strides.is_none() && self.region.is_none()
    }

    /// Whether there is a one-shot call for the request.
    pub(crate) fn has_once(&self) -> bool {
        self.is_plain() && matches!(self.element, Element::Typed(_))
    }

    /// Plans and runs in one call.
    #[inline(always)]
    pub(crate) fn run_once(&self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Result<(), Failure> {
        let Element::Typed(dtype) = self.element else { unreachable!("asked before") };
        let spec = self.spec(self.modes()?, self.frame()?);
        pad_bytes_into_uninit(src, self.shape, dtype, &spec, dst)?;
        Ok(())
    }
}

/// Where the elements of a tensor lie in its buffer.
pub(crate) struct Place {
    pub(crate) strides: SmallVec<[isize; 6]>,
    /// From the lowest element to the one at index 0 of every axis, in bytes.
    pub(crate) first: usize,
    /// From the lowest element to the end of the highest one.
    pub(crate) bytes: usize,
}

impl Place {
    /// `plain_bytes` are those of a tensor in row-major order. A plan has checked that sums stay below `isize::MAX`.
    fn new(shape: &[usize], strides: Option<&[isize]>, element: Element, plain_bytes: usize) -> Place {
        let (Some(strides), Some(size)) = (strides, element.whole_bytes()) else {
            let mut strides = SmallVec::from_elem(0, shape.len());
            let mut step = 1;
            for (stride, &length) in strides.iter_mut().zip(shape).rev() {
                *stride = step;
                step *= length.max(1) as isize;
            }
            return Place { strides, first: 0, bytes: plain_bytes };
        };
        let (mut first, mut bytes) = (0, 0);
        if !shape.contains(&0) {
            bytes = size;
            for (&stride, &length) in strides.iter().zip(shape) {
                let reach = stride.unsigned_abs() * (length - 1) * size;
                bytes += reach;
                first += if stride < 0 { reach } else { 0 };
            }
        }
        Place { strides: SmallVec::from_slice(strides), first, bytes }
    }
}

/// A padding of tensors of one shape. Threads may share it.
pub struct Plan {
    pub(crate) plan: PadPlan,
    element: Element,
    /// With a fill without a type, as plans of borders need it.
    spec: PadSpec,
    pub(crate) is_strided: bool,
    is_region: bool,
    pub(crate) input: Place,
    pub(crate) output: Place,
    adjoint: OnceLock<AdjointPlan>,
    borders: OnceLock<BorderPlan>,
}

impl Plan {
    pub(crate) fn new(asked: &Asked<'_>) -> Result<Plan, Failure> {
        let Asked { element, shape, input_strides, output_strides, region, .. } = *asked;
        let mut spec = asked.spec(asked.modes()?, asked.frame()?);
        let mut plan = match element {
            Element::Bytes(bytes) => PadPlan::for_bytes(&spec, shape, bytes)?,
            Element::Typed(dtype) => PadPlan::for_dtype(&spec, shape, dtype)?,
        };
        if let Some((start, end)) = region {
            let ranges: SmallVec<[_; 6]> = start.iter().zip(end).map(|(&start, &end)| start..end).collect();
            plan = plan.window(&ranges)?;
        }
        // A plan without a fill has checked that zero is the fill, or that there is none.
        let zero = || SmallVec::from_elem(0, element.fill_bytes());
        let fill: SmallVec<[u8; 16]> = asked.fill.map_or_else(zero, SmallVec::from_slice);
        spec.fill = Some(Fill::untyped(&fill));
        let is_strided = input_strides.is_some() || output_strides.is_some();
        if is_strided {
            if element.whole_bytes().is_none() {
                return Err(Failure::new(Status::Refused, "packed types have no strides"));
            }
            let strides = |shape: &[usize], strides: Option<&[isize]>| match strides {
                Some(strides) => Strides::spanning(shape, strides),
                None => Strides::row_major(shape),
            };
            let input = strides(plan.input_shape(), input_strides);
            plan = plan.with_strides(&input, &strides(plan.output_shape(), output_strides))?;
        }
        Ok(Plan {
            input: Place::new(plan.input_shape(), input_strides, element, plan.input_bytes()),
            output: Place::new(plan.output_shape(), output_strides, element, plan.output_bytes()),
            plan,
            element,
            spec,
            is_strided,
            is_region: region.is_some(),
            adjoint: OnceLock::new(),
            borders: OnceLock::new(),
        })
    }

    /// The bytes of an element of a strided tensor.
    pub(crate) fn element_bytes(&self) -> usize {
        self.element.fill_bytes()
    }

    /// Pads a tensor in row-major order.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        pool: Option<&Pool>,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
    ) -> Result<(), Failure> {
        match pool {
            None => self.plan.run_bytes_uninit(src, dst)?,
            Some(pool) => pool.install(|| self.plan.par_run_bytes_uninit(src, dst))??,
        };
        Ok(())
    }

    /// The adjoint, which the first call makes.
    pub(crate) fn adjoint(&self) -> Result<&AdjointPlan, Failure> {
        if self.is_strided {
            return Err(Failure::new(Status::Refused, "a plan with strides has no adjoint"));
        }
        if let Some(adjoint) = self.adjoint.get() {
            return Ok(adjoint);
        }
        let adjoint = self.plan.adjoint()?;
        Ok(self.adjoint.get_or_init(|| adjoint))
    }

    /// The plan of the borders, which the first call makes.
    pub(crate) fn borders(&self) -> Result<&BorderPlan, Failure> {
        if let Some(borders) = self.borders.get() {
            return Ok(borders);
        }
        let Some(bytes) = self.element.whole_bytes().filter(|_| !self.is_region) else {
            return Err(Failure::new(Status::Refused, "packed types and regions have no borders in place"));
        };
        let borders = BorderPlan::for_bytes(&self.spec, self.plan.input_shape(), bytes)?;
        let strides = Strides::spanning(self.plan.output_shape(), &self.output.strides);
        let borders = borders.with_strides(&strides)?;
        Ok(self.borders.get_or_init(|| borders))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Dtype, Mode};

    #[test]
    fn numbers_of_the_header_are_those_of_the_library() {
        use Dtype::*;
        let ints = [I8, I16, I32, I64, U8, U16, U32, U64, Bool, C64, C128];
        let small = [F8e4m3fn, F8e4m3fnuz, F8e5m2, F8e5m2fnuz, F8e8m0, I4, U4, F4e2m1, I2, U2];
        let all = [&[F64, F32, F16, Bf16], &ints[..], &small].concat();
        for (value, dtype) in (1..).zip(&all) {
            let Ok(Element::Typed(named)) = Element::new(value, 0) else { panic!("{dtype:?}") };
            assert_eq!((*dtype as i32, format!("{dtype:?}").to_lowercase()), (value, named.name().into()));
        }
        assert!(Element::new(U2 as i32 + 1, 0).is_err() && Element::new(-1, 0).is_err());
        assert!(Element::new(1, 8).is_err());
        let modes = [Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric, Mode::Wrap];
        for (mode, name) in modes.into_iter().zip(PadMode::ALL) {
            assert_eq!(format!("{mode:?}").to_lowercase(), name.name());
        }
    }
}
