//! Reduces the axes of a tensor to as few axes as possible. The result is a [`Nest`], the description of a kernel's loops.
//!
//! For example, images of shape `[10, 3, 8, 8]` with padding on the last two axes need three axes. The first two axes merge into one axis
//! of length 30.

use core::cmp::Reverse;

use smallvec::SmallVec;

use crate::plan::axis::Axis;
use crate::plan::form::Form;
use crate::spec::PadMode;

/// The unit in which offsets and strides count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    Byte,
    Bit,
    Value,
}

/// The axes of a kernel in normal form, outermost first, and the offsets of the first elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Nest {
    /// At least one axis, unless the output is empty.
    pub(crate) axes: SmallVec<[Axis; 6]>,
    pub(crate) atom: Atom,
    /// The size of the copy unit in atoms. The unit is one element, or all innermost axes without padding inside a padded axis.
    pub(crate) unit: usize,
    /// The size of an element in bytes. The fill repeats elements of this size. Only plans whose atoms are bytes use this field.
    pub(crate) element: usize,
    /// The mode of the first border of the outermost axis that has borders. The low side comes before the high side. Without
    /// borders, the mode is constant.
    pub(crate) mode: PadMode,
    /// Offset of the source, in atoms.
    pub(crate) src: isize,
    /// Offset of the destination, in atoms.
    pub(crate) dst: isize,
    /// True if the output is written in ascending order without holes.
    pub(crate) sequential: bool,
    /// The minimum lengths of source and destination: in bytes, or in values if elements are cloned.
    pub(crate) src_len: usize,
    pub(crate) dst_len: usize,
}

impl Nest {
    /// Returns an empty nest. It describes an empty output, or [`set`](Nest::set) changes it later.
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

    /// Sets the axes, the mode and the offsets of an empty nest. The unit of the nest must already be set. `axes` have strides in
    /// atoms and output lengths above zero.
    ///
    /// `src` and `dst` are the offsets of the first elements. `shared` says that the last byte of the output may also belong to another
    /// tensor.
    pub(crate) fn set(&mut self, axes: &[Axis], mut src: isize, mut dst: isize, shared: bool) {
        let mut all_fill = false;
        for mut axis in axes.iter().copied() {
            if axis.dst_stride < 0 {
                (src, dst) = axis.flip(src, dst);
            }
            all_fill |= axis.is_fill();
            if axis.out == 1 {
                // The stride of an axis with one position does not matter. The axis only changes the offset.
                match axis.first() {
                    Some(offset) => src += offset,
                    None => all_fill = true,
                }
                continue;
            }
            if axis.interior == 0 && !axis.has_border() {
                // An axis without border and interior padding is a slice. Its crop only changes the offset.
                src += (axis.start + axis.origin) as isize * axis.src_stride;
                axis = Axis { origin: 0, start: 0, len: axis.out as i64, ..axis };
            }
            if !axis.has_border() {
                (axis.low, axis.high) = (PadMode::Constant, PadMode::Constant);
            }
            self.axes.push(axis);
        }
        // The loops may visit the positions in any order. If the axes are sorted by stride, the loops write the output in
        // ascending order.
        if !self.axes.is_sorted_by_key(|axis| Reverse(axis.dst_stride)) {
            self.axes.sort_unstable_by_key(|axis| Reverse(axis.dst_stride));
        }
        if all_fill {
            self.fill_all();
            src = 0;
        } else {
            merge(&mut self.axes);
            self.unit = widen(&mut self.axes, self.unit);
            if self.axes.is_empty() {
                self.axes.push(single(self.unit));
            }
            self.mode = self.axes.iter().find_map(Axis::mode).unwrap_or_default();
        }
        (self.src, self.dst) = (src, dst);
        self.sequential = !shared && is_sequential(&self.axes, self.unit, dst);
    }

    /// Turns every element into fill, so that the source is not read.
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
        // Kernels for rows expect contiguous units in the source, too.
        if let Some(row) = self.axes.last_mut() {
            row.src_stride = self.unit as isize;
        }
    }

    /// Returns the length, in atoms, of the contiguous output runs along the innermost axis.
    pub(crate) fn run_len(&self) -> usize {
        self.axes.last().map_or(0, |row| if row.interior > 0 { self.unit } else { row.out * self.unit })
    }

    /// Tells whether the output is a copy of one contiguous run of the source.
    pub(crate) fn is_copy(&self) -> bool {
        matches!(&self.axes[..], [axis] if axis.is_identity() && self.sequential)
            && self.axes[0].src_stride == self.unit as isize
    }

    /// Converts the nest from bits to bytes, if all offsets and runs are whole bytes.
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

/// Returns an axis of one element of `unit` atoms.
fn single(unit: usize) -> Axis {
    let (src_stride, dst_stride) = (unit as isize, unit as isize);
    let (low, high) = (PadMode::Constant, PadMode::Constant);
    Axis { out: 1, origin: 0, start: 0, len: 1, interior: 0, low, high, src_stride, dst_stride }
}

/// Tells whether one step `stride` of an outer axis is as long as the whole axis `inner`, whose stride is `inner_stride`.
fn adjacent(stride: isize, inner: &Axis, inner_stride: isize) -> bool {
    // The product may overflow, because a stride can be longer than half of the largest offset.
    inner_stride.checked_mul(inner.out as isize) == Some(stride)
}

/// Merges each axis without padding into the next outer axis, if the outer axis never reads backwards. Every coordinate of the outer axis
/// is then multiplied by the inner length.
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

/// Merges the innermost axis into the unit while it has no padding and the next outer axis has some.
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
