//! A plan is a request that was checked for one shape, with all arithmetic done. It contains only data. The module `run` chooses
//! the code that executes a plan.

pub(crate) mod adjoint;
pub(crate) mod axis;
pub(crate) mod borders;
pub(crate) mod colours;
pub(crate) mod fold;
pub(crate) mod form;
mod negated;
pub(crate) mod nest;
pub(crate) mod parts;
pub(crate) mod pattern;
pub(crate) mod signs;
mod size;
pub(crate) mod small;
mod window;

use alloc::boxed::Box;
use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::dtype::{DType, ElementSize};
use crate::element::{Element, Elements, Tag};
use crate::error::{Operand, PadError};
use crate::spec::{Fill, Modes, PadMode, PadSpec};
use crate::view::Strides;
use axis::Axis;
use colours::{Colours, Planes, Tensors};
use nest::{Atom, Nest};
use pattern::Pattern;
use signs::Signs;

/// Holds a checked request: the tensors, the axes and the fill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    pub(crate) tag: Tag,
    pub(crate) layout: ElementSize,
    pub(crate) input: Tensor,
    pub(crate) output: Tensor,
    /// One entry per axis of the tensors. Strides count atoms, which are bytes, bits or cloned values. Plans for strided tensors
    /// and for regions are derived from these axes.
    pub(crate) axes: SmallVec<[Axis; 6]>,
    /// The signs of each axis, or an empty list if no sign changes.
    pub(crate) signs: Vec<Signs>,
    /// The merged axes that a kernel executes.
    pub(crate) nest: Nest,
    pub(crate) fill: Pattern,
    /// The fills, if each position of an axis has its own fill.
    pub(crate) colours: Option<Box<Colours>>,
}

/// A tensor of a plan, and its position in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tensor {
    pub(crate) shape: SmallVec<[usize; 6]>,
    /// The number of elements.
    pub(crate) len: usize,
    /// The offset of the first element in the buffer, in atoms.
    pub(crate) offset: isize,
    /// The number of elements in the buffer. If the tensor is contiguous, a buffer must have exactly this length. Otherwise it may be
    /// longer.
    pub(crate) buffer: usize,
    pub(crate) contiguous: bool,
}

impl Tensor {
    #[inline]
    fn blank() -> Tensor {
        Tensor { shape: SmallVec::new(), len: 0, offset: 0, buffer: 0, contiguous: true }
    }

    /// Returns a contiguous tensor, or an error if its size exceeds the memory.
    fn new(
        shape: impl Iterator<Item = usize>,
        layout: ElementSize,
        operand: Operand,
    ) -> Result<Tensor, PadError> {
        let mut tensor = Tensor::blank();
        tensor.set(shape, layout, operand)?;
        Ok(tensor)
    }

    /// Turns a blank tensor into a contiguous one of this shape.
    #[inline(always)]
    fn set(
        &mut self,
        shape: impl Iterator<Item = usize>,
        layout: ElementSize,
        operand: Operand,
    ) -> Result<(), PadError> {
        shape.for_each(|length| self.shape.push(length));
        self.len = size::elements(&self.shape, layout, operand)?;
        self.buffer = self.len;
        Ok(())
    }

    /// Returns whether the tensor fills its whole buffer and has row-major strides.
    fn is_row_major(&self, layout: ElementSize, strides: impl Iterator<Item = isize>) -> bool {
        self.contiguous && self.row_major(layout).eq(strides)
    }

    /// Returns the row-major strides of this shape in atoms.
    pub(crate) fn row_major(&self, layout: ElementSize) -> impl Iterator<Item = isize> + use<> {
        let atoms = layout.atoms() as isize;
        Strides::row_major(&self.shape).strides.into_iter().map(move |stride| stride * atoms)
    }
}

impl Geometry {
    /// Returns an empty geometry, which the caller sets in place. Moving a geometry would copy almost a kilobyte.
    ///
    /// Xeon with AMX: a one-shot call for a dozen elements takes 1.34 times as long if the geometry is moved.
    #[inline(always)]
    pub(crate) fn blank() -> Geometry {
        Geometry {
            tag: Tag::DType(DType::U8),
            layout: ElementSize::Bytes(1),
            input: Tensor::blank(),
            output: Tensor::blank(),
            axes: SmallVec::new(),
            signs: Vec::new(),
            nest: Nest::blank(),
            fill: Pattern::blank(),
            colours: None,
        }
    }

    /// Sets an empty geometry from `spec`.
    pub(crate) fn set(
        &mut self,
        spec: &PadSpec,
        shape: &[usize],
        elements: Elements,
    ) -> Result<(), PadError> {
        let Elements { tag, layout, .. } = elements;
        if layout == ElementSize::Bytes(0) {
            return Err(PadError::ZeroSized);
        }
        (self.tag, self.layout) = (tag, layout);
        each_axis(spec, shape, |axis| self.axes.push(axis))?;
        self.input.set(shape.iter().copied(), layout, Operand::Input)?;
        self.output.set(self.axes.iter().map(|axis| axis.out), layout, Operand::Output)?;
        match &spec.fill {
            Some(fill @ Fill { axis: Some(axis), .. }) => {
                let colours = Colours::new((fill, *axis), spec, shape, elements)?;
                self.fill = colours.pattern(0, layout.atoms());
                self.colours = Some(Box::new(colours));
            }
            _ => self.fill = pattern(spec, elements)?,
        }
        if !spec.negated.0.is_empty() {
            self.set_signs(spec)?;
        }
        // The strides are row-major. `Tensor::set` has checked these products, and it also counts an empty axis as length 1.
        let (mut src, mut dst) = (layout.atoms() as isize, layout.atoms() as isize);
        for (axis, &length) in self.axes.iter_mut().zip(shape).rev() {
            (axis.src_stride, axis.dst_stride) = (src, dst);
            src *= length.max(1) as isize;
            dst *= axis.out.max(1) as isize;
        }
        self.set_nest();
        Ok(())
    }

    /// Sets the nest. If there are colours, it also sets the fill and the planes. If all offsets and runs of packed elements are
    /// whole bytes, the nest counts bytes instead of bits.
    fn set_nest(&mut self) {
        let atom = match self.layout {
            ElementSize::Bytes(_) => Atom::Byte,
            ElementSize::Bits(_) => Atom::Bit,
            ElementSize::Cloned => Atom::Value,
        };
        let nest = &mut self.nest;
        (nest.atom, nest.unit, nest.element) = (atom, self.layout.atoms(), self.layout.atoms());
        let length = |tensor: &Tensor| match self.layout {
            ElementSize::Cloned => tensor.buffer,
            layout => layout.bytes(tensor.buffer),
        };
        (nest.src_len, nest.dst_len) = (length(&self.input), length(&self.output));
        if self.output.len == 0 {
            self.colours = None;
            return;
        }
        if let Geometry { colours: Some(colours), input, output, axes, layout, nest, fill, .. } = &mut *self {
            let row_major = input.is_row_major(*layout, axes.iter().map(|axis| axis.src_stride))
                && output.is_row_major(*layout, axes.iter().map(|axis| axis.dst_stride));
            let (src, dst, output_bytes) = (input.offset, output.offset, layout.bytes(output.len));
            let tensors = Tensors { input: &input.shape, src, dst, output_bytes, row_major };
            colours.set(axes, (nest, fill), &tensors);
            return;
        }
        let nest = &mut self.nest;
        // If the output ends within a byte of a larger buffer, that byte may belong to a neighbouring tensor, too.
        let bits = self.layout.atoms() * self.output.len;
        let shared = atom == Atom::Bit && !self.output.contiguous && !bits.is_multiple_of(8);
        nest.set(&self.axes, self.input.offset, self.output.offset, shared);
        if atom == Atom::Bit
            && let Some(in_bytes) = nest.in_bytes()
        {
            *nest = in_bytes;
        }
    }

    /// Returns the planes if each plane has its own fill, or `None` if no planes are needed. If there are planes, the nest
    /// describes only one of them.
    pub(crate) fn planes(&self) -> Option<&Planes> {
        self.colours.as_ref()?.planes.as_ref()
    }

    /// Returns the axis of the fills if the nest lacks it, and the size of the fill in bytes. Such an axis is part of the unit, or
    /// it lies around the planes.
    pub(crate) fn coloured(&self) -> (Option<usize>, usize) {
        let bytes = self.fill.element().len().max(self.layout.atoms());
        let apart = self.planes().is_some() || bytes > self.layout.atoms();
        (self.colours.as_ref().filter(|_| apart).map(|colours| colours.axis), bytes)
    }

    /// Returns the element type, or `None` if it has no `DType`.
    pub(crate) fn dtype(&self) -> Option<DType> {
        self.tag.dtype()
    }

    /// Returns the element type if kernels copy single elements, and `None` if a unit has several elements.
    pub(crate) fn unit_dtype(&self) -> Option<DType> {
        self.dtype().filter(|_| self.nest.unit == self.layout.atoms() || self.nest.atom != Atom::Byte)
    }

    /// Returns the output's size in bytes, or 0 for cloned elements.
    pub(crate) fn output_bytes(&self) -> usize {
        self.layout.bytes(self.output.len)
    }

    /// Returns an error unless the elements of the plan are of type `T`.
    pub(crate) fn check_element<T: Element>(&self) -> Result<(), PadError> {
        if self.tag == Tag::of::<T>() && self.layout == ElementSize::Bytes(size_of::<T>()) {
            return Ok(());
        }
        Err(self.other_element(T::DTYPE, size_of::<T>()))
    }

    /// Returns the error for elements of another type or size.
    fn other_element(&self, given: Option<DType>, given_bytes: usize) -> PadError {
        let plan = self.dtype();
        let plan_bytes = match self.layout {
            ElementSize::Bytes(bytes) => bytes,
            ElementSize::Bits(_) => 0,
            ElementSize::Cloned => return PadError::Cloned { plan },
        };
        PadError::ElementType { plan, plan_bytes, given, given_bytes }
    }

    pub(crate) fn check_cloned(&self, src_len: usize) -> Result<(), PadError> {
        if self.layout != ElementSize::Cloned {
            return Err(PadError::NotCloned { plan: self.dtype() });
        }
        self.check_len(Operand::Input, src_len)
    }

    #[inline(always)]
    pub(crate) fn check_bytes(&self, src: usize, dst: usize) -> Result<(), PadError> {
        self.check_source_bytes(src)?;
        self.check_output_bytes(dst)
    }

    #[inline(always)]
    pub(crate) fn check_output_bytes(&self, dst: usize) -> Result<(), PadError> {
        self.output.check(Operand::Output, self.layout.bytes(self.output.buffer), dst)
    }

    #[inline(always)]
    pub(crate) fn check_source_bytes(&self, src: usize) -> Result<(), PadError> {
        if self.layout == ElementSize::Cloned {
            return Err(PadError::Cloned { plan: self.dtype() });
        }
        self.input.check(Operand::Input, self.layout.bytes(self.input.buffer), src)
    }

    /// Returns an error unless a tensor with elements of `bytes` bytes has the shape, strides and offset of the plan's tensor.
    pub(crate) fn check_raw(
        &self,
        operand: Operand,
        (bytes, shape, strides): (usize, &[usize], &Strides),
    ) -> Result<(), PadError> {
        if self.layout != ElementSize::Bytes(bytes) {
            return Err(self.other_element(None, bytes));
        }
        let tensor = match operand {
            Operand::Input => &self.input,
            Operand::Output => &self.output,
        };
        let (given, rank) = (strides.strides.len(), self.axes.len());
        if given != rank || shape.len() != rank {
            let rank = if given == rank { shape.len() } else { rank };
            return Err(PadError::StrideCount { operand, strides: given, shape: rank });
        }
        for (axis, of_plan) in self.axes.iter().enumerate() {
            let stride = match operand {
                Operand::Input => of_plan.src_stride,
                Operand::Output => of_plan.dst_stride,
            };
            let given = strides.strides[axis].wrapping_mul(bytes as isize);
            // The stride does not matter if the axis has one element, or if the tensor is empty.
            let matters = shape[axis] > 1 && tensor.len > 0;
            if shape[axis] != tensor.shape[axis] || (given != stride && matters) {
                return Err(PadError::OtherTensor { operand, axis });
            }
        }
        if tensor.len > 0 && tensor.offset != (strides.offset * bytes) as isize {
            return Err(PadError::OtherTensor { operand, axis: 0 });
        }
        Ok(())
    }

    pub(crate) fn check_len(&self, operand: Operand, got: usize) -> Result<(), PadError> {
        let tensor = match operand {
            Operand::Input => &self.input,
            Operand::Output => &self.output,
        };
        tensor.check(operand, tensor.buffer, got)
    }

    /// Returns an error if the output has holes, because the memory between its elements would stay uninitialised.
    pub(crate) fn check_dense(&self) -> Result<(), PadError> {
        let dense = self.planes().map_or(self.nest.sequential, |planes| planes.dense.is_some());
        if dense { Ok(()) } else { Err(PadError::OutputHasHoles) }
    }
}

impl PadSpec {
    /// Computes the shape of the result for a tensor of `shape`.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadSpec};
    /// assert_eq!(PadSpec::new(PadMode::Edge, [(1, 2), (0, -1)]).output_shape(&[4, 5])?, [7, 4]);
    /// assert_eq!(PadSpec::new(PadMode::Edge, 3).output_shape(&[4, 5])?, [10, 11]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::new`](crate::PadPlan::new) that concern axes. A plan also checks the size of the result and the
    /// fill.
    pub fn output_shape(&self, shape: &[usize]) -> Result<Vec<usize>, PadError> {
        let mut output = Vec::with_capacity(shape.len());
        each_axis(self, shape, |axis| output.push(axis.out))?;
        Ok(output)
    }
}

/// Visits the axes of `spec` for a tensor of `shape`, outermost first.
#[inline(always)]
pub(crate) fn each_axis(
    spec: &PadSpec,
    shape: &[usize],
    mut visit: impl FnMut(Axis),
) -> Result<(), PadError> {
    if !spec.is_for_rank(shape.len()) {
        return Err(PadError::AxisCount { spec: spec.axes.len(), shape: shape.len() });
    }
    if let Modes::Each(modes) = &spec.mode
        && modes.len() != shape.len()
    {
        return Err(PadError::ModeCount { modes: modes.len(), shape: shape.len() });
    }
    for (axis, &length) in shape.iter().enumerate() {
        let (pad, mode) = (spec.pad(axis), spec.mode.of(axis).unwrap_or_default());
        let frame = spec.frame.unwrap_or_else(|| mode.default_frame(pad));
        visit(Axis::new(axis, length, pad, mode, frame)?);
    }
    Ok(())
}

impl Tensor {
    /// Returns an error unless `got` is a valid length for a buffer that needs `needed` elements.
    #[inline(always)]
    fn check(&self, operand: Operand, needed: usize, got: usize) -> Result<(), PadError> {
        let long_enough = if self.contiguous { got == needed } else { got >= needed };
        if long_enough { Ok(()) } else { Err(PadError::Length { operand, expected: needed, got }) }
    }
}

/// Returns the fill of `spec` for elements of this type. Without a fill, it is the type's zero.
pub(crate) fn pattern(spec: &PadSpec, elements: Elements) -> Result<Pattern, PadError> {
    let Elements { tag, layout, .. } = elements;
    let bytes = match layout {
        ElementSize::Bytes(bytes) => bytes,
        // The low bits of one byte are the element.
        ElementSize::Bits(_) => 1,
        // A run receives the fill of cloned values as an argument.
        ElementSize::Cloned => 0,
    };
    let converted = spec.fill.as_ref().zip(tag.dtype()).and_then(|(fill, dtype)| fill.converted(dtype));
    let element = match &converted {
        Some(fill) => Some(&fill.bytes[..]),
        None => fill_element(spec, elements, bytes)?,
    };
    // A long zero may be longer than memory, so a plan does not hold it.
    let element = element.unwrap_or(pattern::ZEROS.get(..bytes).unwrap_or(&[0]));
    Ok(match layout {
        ElementSize::Bytes(_) => Pattern::of_bytes(element),
        ElementSize::Bits(bits) => Pattern::of_bits(element[0], bits),
        ElementSize::Cloned => Pattern::of_bytes(&[0]),
    })
}

impl Fill {
    /// Returns an error if a bool is neither 0 nor 1.
    fn check_bool(&self) -> Result<(), PadError> {
        match self.bytes.iter().find(|value| **value > 1) {
            Some(&value) if self.tag == Tag::DType(DType::Bool) => Err(PadError::FillBool { value }),
            _ => Ok(()),
        }
    }
}

/// Returns the bytes of the fill of `spec` for elements of this type and size, or `None` for zero.
#[inline]
pub(crate) fn fill_element(
    spec: &PadSpec,
    Elements { tag, has_zero, .. }: Elements,
    bytes: usize,
) -> Result<Option<&[u8]>, PadError> {
    match &spec.fill {
        Some(fill) if fill.tag != tag || fill.bytes.len() != bytes => {
            Err(PadError::fill_type(fill, tag.dtype(), bytes))
        }
        Some(fill) => fill.check_bool().map(|()| Some(&fill.bytes[..])),
        None => {
            let needed =
                spec.mode.contains(PadMode::Constant) || spec.axes.iter().any(|pad| pad.interior > 0);
            if needed && !has_zero {
                return Err(PadError::FillRequired { dtype: tag.dtype() });
            }
            Ok(None)
        }
    }
}
