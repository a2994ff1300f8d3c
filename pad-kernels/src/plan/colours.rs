//! A fill for each position of an axis that is not padded: colours.
//!
//! Where the axis is innermost, all of its elements move together, as a pixel, and the colours are the fill of pixels. Elsewhere the
//! output is run in planes, one fill each.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::Segment;
use super::nest::Nest;
use super::pattern::Pattern;
use crate::dtype::ElementSize;
use crate::element::Tag;
use crate::error::PadError;
use crate::spec::{AxisPad, Fill, PadSpec};

/// A fill for each position of an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Colours {
    pub(crate) axis: usize,
    /// One element for each position.
    values: SmallVec<[u8; 16]>,
    /// How the output is run, if one fill for all of it will not do.
    planes: Option<Planes>,
}

/// The parts of an output that have one fill each. The nest of the geometry is that of a plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Planes {
    /// The axes around a plane, the one of the colours last.
    pub(crate) around: Nest,
    /// The fill of each of their positions.
    pub(crate) fills: Vec<Pattern>,
    /// Whether each plane is one run of the input and one of the output. Otherwise it lies between others in their buffers.
    pub(crate) apart: bool,
    /// The bytes that the planes fill together, from the first of the buffer on, if they leave no holes.
    pub(crate) dense: Option<usize>,
}

/// The tensors of a plan, as far as colours must know them.
pub(super) struct Tensors<'a> {
    /// The shape of the input.
    pub(super) input: &'a [usize],
    /// Where the two begin in their buffers.
    pub(super) src: isize,
    pub(super) dst: isize,
    pub(super) output_bytes: usize,
    /// Whether both are all of their buffers, row by row.
    pub(super) row_major: bool,
}

impl Colours {
    /// Those of a fill along `axis`, for elements of this type.
    pub(super) fn new(
        (fill, axis): (&Fill, usize),
        spec: &PadSpec,
        shape: &[usize],
        (tag, layout): (Tag, ElementSize),
    ) -> Result<Colours, PadError> {
        let ElementSize::Bytes(bytes) = layout else { return Err(PadError::FillAlong { axis }) };
        if fill.tag != tag || !fill.bytes.len().is_multiple_of(bytes) {
            let (dtype, fill_dtype) = (tag.dtype(), fill.tag.dtype());
            return Err(PadError::FillType { dtype, bytes, fill_dtype, fill_bytes: fill.bytes.len() });
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

    pub(crate) fn planes(&self) -> Option<&Planes> {
        self.planes.as_ref()
    }

    /// The fill of a position, or zeros if there is none.
    pub(crate) fn pattern(&self, position: usize, bytes: usize) -> Pattern {
        match self.values.chunks_exact(bytes).nth(position) {
            Some(value) => Pattern::of_bytes(value),
            None => Pattern::of_bytes(&SmallVec::<[u8; 16]>::from_elem(0, bytes)),
        }
    }

    /// Those of the axes from `around` on, if theirs is one of them.
    pub(super) fn within(&self, around: usize) -> Option<Colours> {
        Some(Colours { axis: self.axis.checked_sub(around)?, ..self.clone() })
    }

    /// Those of a window of the axis.
    pub(super) fn clip(&mut self, window: &[core::ops::Range<usize>], bytes: usize) {
        let range = &window[self.axis];
        self.values = SmallVec::from_slice(&self.values[range.start * bytes..range.end * bytes]);
    }

    /// Makes a nest, which is blank but for its unit and its lengths, that of all of an output, or that of a plane. Sets its fill.
    pub(super) fn set(
        &mut self,
        axes: &[Axis],
        (nest, fill): (&mut Nest, &mut Pattern),
        tensors: &Tensors<'_>,
    ) {
        self.planes = None;
        let (size, number, &Tensors { src, dst, .. }) = (nest.element, self.axis, tensors);
        *fill = self.pattern(0, size);
        let mut fills = self.values.chunks_exact(size);
        let alike = fills.clone().all(|value| value == fill.element());
        if alike || !axes.iter().any(has_fill) {
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
        let fills = fills.by_ref().map(Pattern::of_bytes).collect();
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

/// Whether some positions of an axis are fill.
fn has_fill(axis: &Axis) -> bool {
    axis.segments().iter().any(|segment| match *segment {
        Segment::Fill { .. } => true,
        Segment::Source { count, gap, .. } => gap > 0 && count > 1,
        Segment::Again { .. } => false,
    })
}
