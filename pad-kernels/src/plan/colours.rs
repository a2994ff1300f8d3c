//! Plans a separate fill for each position of an axis, such as one fill per channel of an image. This axis must not have padding.
//!
//! If this axis is innermost, its elements at one position of the other axes form a pixel. Then a pixel is the copy unit, and the fill is
//! one whole pixel. Otherwise the output is written plane by plane, and each plane has one fill.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::axis::Axis;
use super::nest::Nest;
use super::pattern::Pattern;
use crate::dtype::{DType, ElementSize};
use crate::element::Elements;
use crate::error::PadError;
use crate::spec::{AxisPad, Fill, PadSpec};

/// A fill for each position of an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Colours {
    pub(crate) axis: usize,
    /// The fills, one element per position.
    values: SmallVec<[u8; 16]>,
    /// The planes, or `None` if one fill is enough for the whole output.
    pub(super) planes: Option<Planes>,
}

/// The planes of an output, each with its fill. If a plan has planes, the `Nest` of its geometry describes only one plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Planes {
    /// The axes around a plane. The last one is the axis of the fills.
    pub(crate) around: Nest,
    /// The fill for each position of the last axis of `around`.
    pub(crate) fills: Vec<Pattern>,
    /// True if planes are interleaved or strided. Otherwise each plane is one contiguous run of the input and of the output.
    pub(crate) apart: bool,
    /// The number of bytes that the planes write from the start of the buffer, or `None` if they leave holes.
    pub(crate) dense: Option<usize>,
}

/// The tensors of a plan.
pub(super) struct Tensors<'a> {
    /// The shape of the input.
    pub(super) input: &'a [usize],
    /// The offsets of input and output in their buffers.
    pub(super) src: isize,
    pub(super) dst: isize,
    pub(super) output_bytes: usize,
    /// True if both tensors are row-major and fill their buffers.
    pub(super) row_major: bool,
}

impl Colours {
    /// Returns the fills along `axis`, for elements of this type.
    pub(super) fn new(
        (fill, axis): (&Fill, usize),
        spec: &PadSpec,
        shape: &[usize],
        Elements { tag, layout, .. }: Elements,
    ) -> Result<Colours, PadError> {
        let ElementSize::Bytes(bytes) = layout else { return Err(PadError::FillAlong { axis }) };
        let converted = tag.dtype().and_then(|dtype| fill.each_converted(dtype));
        let fill = converted.as_ref().unwrap_or(fill);
        if fill.tag != tag || !fill.bytes.len().is_multiple_of(bytes) {
            let size = match fill.tag.dtype().map(DType::element_size) {
                Some(ElementSize::Bytes(size)) if tag != fill.tag => size,
                _ => fill.bytes.len(),
            };
            let mut values =
                fill.bytes.chunks(size.max(1)).map(|value| Fill { bytes: value.into(), axis: None, ..*fill });
            let other = values.find(|value| tag.dtype().and_then(|dtype| value.converted(dtype)).is_none());
            return Err(PadError::fill_type(other.as_ref().unwrap_or(fill), tag.dtype(), bytes));
        }
        let length = *shape.get(axis).ok_or(PadError::FillAxis { axis, shape: shape.len() })?;
        let (pad, fills) = (spec.pad(axis), fill.bytes.len() / bytes);
        if pad != AxisPad::default() {
            return Err(PadError::FillPadded { axis, pad });
        }
        if length != fills {
            return Err(PadError::FillCount { axis, length, fills });
        }
        fill.check_bool()?;
        Ok(Colours { axis, values: fill.bytes.clone(), planes: None })
    }

    /// Returns the fill of a position, or one zero byte if the position does not exist.
    pub(crate) fn pattern(&self, position: usize, bytes: usize) -> Pattern {
        match self.values.chunks_exact(bytes).nth(position) {
            Some(value) => Pattern::of_bytes(value),
            None => Pattern::of_bytes(&[0]),
        }
    }

    /// Returns the same fills for a tensor without the outermost `around` axes. Returns `None` if the axis of the fills is one
    /// of the outermost axes.
    pub(super) fn within(&self, around: usize) -> Option<Colours> {
        Some(Colours { axis: self.axis.checked_sub(around)?, ..self.clone() })
    }

    /// Restricts the fills to a region (`window`) of the output.
    pub(super) fn clip(&mut self, window: &[core::ops::Range<usize>], bytes: usize) {
        let range = &window[self.axis];
        self.values = SmallVec::from_slice(&self.values[range.start * bytes..range.end * bytes]);
    }

    /// Sets the planes, the fill, and the empty `nest`. Then the nest describes the whole output, or only one plane if there are
    /// planes.
    pub(super) fn set(
        &mut self,
        axes: &[Axis],
        (nest, fill): (&mut Nest, &mut Pattern),
        tensors: &Tensors<'_>,
    ) {
        self.planes = None;
        let (size, number, &Tensors { src, dst, .. }) = (nest.element, self.axis, tensors);
        *fill = self.pattern(0, size);
        let fills = self.values.chunks_exact(size);
        let alike = fills.clone().all(|value| value == fill.element());
        if alike || !axes.iter().any(Axis::has_fill) {
            return nest.set(axes, src, dst, false);
        }
        let of_colours = axes[number];
        let mut others: SmallVec<[Axis; 6]> = axes.into();
        others.remove(number);
        let first = src + (of_colours.start + of_colours.origin) as isize * of_colours.src_stride;
        if [of_colours.src_stride, of_colours.dst_stride] == [size as isize; 2] {
            *fill = Pattern::of_bytes(&self.values);
            (nest.unit, nest.element) = (self.values.len(), self.values.len());
            return nest.set(&others, first, dst, false);
        }
        let fills = fills.map(Pattern::of_bytes).collect();
        let mut around = Nest::blank();
        let mut all = nest.clone();
        all.set(axes, src, dst, false);
        let dense = all.sequential.then_some(tensors.output_bytes);
        if tensors.row_major {
            let (outer, plane) = axes.split_at(number + 1);
            nest.src_len = tensors.input[number + 1..].iter().product::<usize>() * size;
            nest.dst_len = of_colours.dst_stride as usize;
            nest.set(plane, 0, 0, false);
            around.axes.extend(outer.iter().copied());
            (around.src, around.dst) = (src, dst);
        } else {
            nest.set(&others, first, dst, false);
            nest.sequential = false;
            around.axes.push(Axis { origin: 0, start: 0, len: of_colours.out as i64, ..of_colours });
        }
        self.planes = Some(Planes { around, fills, apart: !tensors.row_major, dense });
    }
}
