//! From one axis per axis of the tensor to the fewest that say the same.

use core::cmp::Reverse;

use smallvec::SmallVec;

use crate::plan::axis::Axis;
use crate::plan::form::{Form, Segment};
use crate::spec::PadMode;

/// What offsets and strides count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    Byte,
    Bit,
    Value,
}

/// Axes in normal form, outermost first, and where they start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Nest {
    /// At least one axis, unless the output is empty.
    pub(crate) axes: SmallVec<[Axis; 6]>,
    pub(crate) atom: Atom,
    /// What moves, in atoms: an element, or the whole innermost unpadded run.
    pub(crate) unit: usize,
    /// Bytes of an element, which fill repeats. Only plans of bytes use it.
    pub(crate) element: usize,
    /// The mode of the first border, outermost axis and low side first: constant if no border is left.
    pub(crate) mode: PadMode,
    /// Offset of the source, in atoms.
    pub(crate) src: isize,
    /// Offset of the destination, in atoms.
    pub(crate) dst: isize,
    /// Whether the output is written from front to back without holes.
    pub(crate) sequential: bool,
    /// The bytes, or values, that source and destination must have.
    pub(crate) src_len: usize,
    pub(crate) dst_len: usize,
}

impl Nest {
    /// That of an empty output, or of one that is yet to be [`set`](Nest::set).
    #[inline]
    pub(crate) fn blank() -> Nest {
        Nest {
            axes: SmallVec::new(),
            atom: Atom::Byte,
            unit: 1,
            element: 1,
            mode: PadMode::Constant,
            src: 0,
            dst: 0,
            sequential: true,
            src_len: 0,
            dst_len: 0,
        }
    }

    /// Makes a blank nest, of which the unit is set, that of these axes (strides in atoms, none of output length 0),
    /// whose first elements stand at `src` and `dst`. The last byte may be `shared` with something else.
    pub(crate) fn set(&mut self, axes: &[Axis], mut src: isize, mut dst: isize, shared: bool) {
        let unit = self.unit;
        let mut all_fill = false;
        for &axis in axes {
            let mut axis = axis;
            if axis.dst_stride < 0 {
                (src, dst) = axis.flip(src, dst);
            }
            all_fill |= axis.is_fill();
            if axis.out == 1 {
                // One position is only another offset, whatever its stride.
                let coordinate = axis.start + axis.origin;
                if axis.has_border() {
                    match axis.segments().iter().next() {
                        Some(&Segment::Source { from, .. }) => src += from * axis.src_stride,
                        _ => all_fill = true,
                    }
                } else if coordinate % axis.step() == 0 {
                    src += (coordinate / axis.step()) as isize * axis.src_stride;
                } else {
                    all_fill = true;
                }
                continue;
            }
            if axis.interior == 0 && !axis.has_border() {
                // A slice: a crop is only another offset.
                src += (axis.start + axis.origin) as isize * axis.src_stride;
                axis = Axis { origin: 0, start: 0, len: axis.out as i64, ..axis };
            }
            if !axis.has_border() {
                (axis.low, axis.high) = (PadMode::Constant, PadMode::Constant);
            }
            self.axes.push(axis);
        }
        // The product of the axes is the same in any order: the output's own goes through it front to back.
        if !self.axes.is_sorted_by_key(|axis| Reverse(axis.dst_stride)) {
            self.axes.sort_unstable_by_key(|axis| Reverse(axis.dst_stride));
        }
        if all_fill {
            self.fill_all();
            src = 0;
        } else {
            merge(&mut self.axes);
            self.unit = widen(&mut self.axes, unit);
            if self.axes.is_empty() {
                self.axes.push(single(self.unit));
            }
            self.mode = self.axes.iter().find_map(Axis::mode).unwrap_or_default();
        }
        (self.src, self.dst) = (src, dst);
        self.sequential = !shared && is_sequential(&self.axes, self.unit, dst);
    }

    /// Every element is fill: the source is not read.
    fn fill_all(&mut self) {
        self.mode = PadMode::Constant;
        for axis in &mut self.axes {
            let Axis { out, dst_stride, .. } = *axis;
            *axis = Axis { out, len: 0, src_stride: 0, dst_stride, ..single(self.unit) };
        }
        self.axes.dedup_by(|inner, outer| {
            let adjacent = adjacent(outer.dst_stride, inner, inner.dst_stride);
            if adjacent {
                *outer = Axis { out: outer.out * inner.out, dst_stride: inner.dst_stride, ..*outer };
            }
            adjacent
        });
        if self.axes.is_empty() {
            self.axes.push(Axis { len: 0, ..single(self.unit) });
        }
        // The row kernels want neighbours in the source too.
        if let Some(row) = self.axes.last_mut() {
            row.src_stride = self.unit as isize;
        }
    }

    /// The atoms of the output that its innermost axis takes without a gap.
    pub(crate) fn run_len(&self) -> usize {
        self.axes.last().map_or(0, |row| if row.interior > 0 { self.unit } else { row.out * self.unit })
    }

    /// Whether the whole output is one run of the source.
    pub(crate) fn is_copy(&self) -> bool {
        matches!(&self.axes[..], [axis] if axis.is_identity() && self.sequential)
            && self.axes[0].src_stride == self.unit as isize
    }
}

impl Nest {
    /// The nest in bytes instead of bits, if every offset and every run is whole bytes.
    pub(crate) fn in_bytes(&self) -> Option<Nest> {
        let whole = |stride: isize| (stride % 8 == 0).then_some(stride / 8);
        let (row, outer) = self.axes.split_last()?;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::new();
        for axis in outer {
            let (src_stride, dst_stride) = (whole(axis.src_stride)?, whole(axis.dst_stride)?);
            axes.push(Axis { src_stride, dst_stride, ..*axis });
        }
        let unit = if self.unit.is_multiple_of(8) {
            let (src_stride, dst_stride) = (whole(row.src_stride)?, whole(row.dst_stride)?);
            axes.push(Axis { src_stride, dst_stride, ..*row });
            self.unit / 8
        } else {
            let unit = self.unit as isize;
            if !row.form().goes_forward() || row.src_stride != unit || row.dst_stride != unit {
                return None;
            }
            let bytes = |units: i64| whole(units as isize * unit).map(|bytes| bytes as i64);
            axes.push(Axis {
                out: bytes(row.out as i64)? as usize,
                origin: bytes(row.origin)?,
                start: bytes(row.start)?,
                len: bytes(row.len)?,
                src_stride: 1,
                dst_stride: 1,
                ..*row
            });
            1
        };
        let (src, dst) = (whole(self.src)?, whole(self.dst)?);
        Some(Nest { axes, atom: Atom::Byte, unit, element: 1, src, dst, ..self.clone() })
    }
}

/// An axis of one element of `unit` atoms.
fn single(unit: usize) -> Axis {
    let stride = unit as isize;
    let (low, high) = (PadMode::Constant, PadMode::Constant);
    Axis {
        out: 1,
        origin: 0,
        start: 0,
        len: 1,
        interior: 0,
        low,
        high,
        src_stride: stride,
        dst_stride: stride,
    }
}

/// Whether one step of an outer axis with `stride` is as far as all of `inner`, whose own stride is `inner_stride`.
fn adjacent(stride: isize, inner: &Axis, inner_stride: isize) -> bool {
    // Strides of existing memory: out * stride stays within isize.
    inner_stride.checked_mul(inner.out as isize) == Some(stride)
}

/// Merges an unpadded axis into its outer neighbour where that one only ever goes forward: there every
/// coordinate is simply multiplied.
fn merge(axes: &mut SmallVec<[Axis; 6]>) {
    let mut last = 0;
    for i in 1..axes.len() {
        let (outer, inner) = (axes[last], axes[i]);
        let mergeable = outer.form().takes_in(inner.form())
            && adjacent(outer.src_stride, &inner, inner.src_stride)
            && adjacent(outer.dst_stride, &inner, inner.dst_stride);
        if mergeable {
            let Form { out, origin, start, len, .. } = outer.form().times(inner.out);
            let Axis { src_stride, dst_stride, .. } = inner;
            axes[last] = Axis { out, origin, start, len, src_stride, dst_stride, ..outer };
        } else {
            last += 1;
            axes[last] = inner;
        }
    }
    axes.truncate(last + 1);
}

/// Makes an innermost unpadded axis part of the unit, where the axis outside of it needs single units.
fn widen(axes: &mut SmallVec<[Axis; 6]>, mut unit: usize) -> usize {
    while let [.., outer, inner] = &axes[..] {
        let wider = unit * inner.out;
        let contiguous = inner.src_stride == unit as isize && inner.dst_stride == unit as isize;
        let neighbours = outer.src_stride == wider as isize && outer.dst_stride == wider as isize;
        if outer.is_identity() || !inner.is_identity() || !contiguous || !neighbours {
            break;
        }
        unit = wider;
        axes.pop();
    }
    unit
}

fn is_sequential(axes: &[Axis], unit: usize, dst: isize) -> bool {
    let mut stride = unit as isize;
    dst == 0
        && axes.iter().rev().all(|axis| {
            let next = stride.checked_mul(axis.out as isize);
            let packed = axis.dst_stride == stride;
            stride = next.unwrap_or(0);
            packed
        })
}
