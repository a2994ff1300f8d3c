//! The adjoint of a plan: for every input element, the output positions whose gradients are added to it.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::axis::Axis;
use super::fold::{Fold, Kind};
use super::form::{Source, Term, is_again, sources};
use super::nest::Nest;
use super::pattern::Pattern;
use super::{Geometry, Tensor};
use crate::dtype::DType;
use crate::error::{Operand, PadError};
use crate::spec::PadMode;
use crate::view::Strides;

/// The axes of an adjoint. Offsets and strides count numbers: a complex element is two numbers, other elements are one.
///
/// A block is the part of the input's gradient along the innermost axes. Several blocks are summed at once, each in a lane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adjoint {
    /// The axes outside of the blocks, the outermost first.
    pub(crate) outer: SmallVec<[Fold; 4]>,
    /// The axes of a block, the outermost first. The last one is the row: the innermost axis, or the innermost axis with padding.
    pub(crate) block: SmallVec<[Fold; 4]>,
    /// The number of numbers in a position of the row.
    pub(crate) unit: usize,
    /// The offsets of the first elements: in the output's gradient (`read`), and in the input's gradient (`write`).
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// Whether a block is contiguous in the output's gradient, and in the input's.
    pub(crate) packed: (bool, bool),
    /// Whether the blocks of the input's gradient are contiguous from the start of its buffer.
    pub(crate) sequential: bool,
    /// The number of slots. A slot stores the sums of one block for each lane.
    pub(crate) slots: usize,
    /// The maximum number of blocks that are summed at once.
    pub(crate) lanes: usize,
    /// The maximum number of planes that are processed together. A plane is a position of the second-last outer axis: all its
    /// blocks.
    pub(crate) planes: usize,
    /// Whether a block has few enough terms to list them.
    pub(crate) listed: bool,
    /// Whether no position is added to any element.
    pub(crate) nothing: bool,
    pub(crate) numbers: Numbers,
}

/// The maximum number of lanes.
const LANES: usize = 256;

/// The maximum number of lanes if terms are not listed.
const MOST_SUMS: usize = 8;

/// The maximum size, in bytes, of the sums of a block with several axes. An inner axis becomes part of the row's unit up to this
/// size, too.
///
/// Xeon with AMX: wrapped axes of two elements take 0.8 times as long with this limit as with `LANES_BYTES`. Axes of three
/// elements take 1.2 times as long with twice this limit.
const BLOCK_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 128 << 10 };

/// The maximum size, in bytes, of the sums of all lanes together, so that they stay in the first-level cache.
const LANES_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 16 << 10 };

/// The maximum size in bytes of planes of the output's gradient that are processed together. Their borders are summed while the
/// planes are in the cache.
///
/// Xeon with AMX: gradients of [16, 64, 56, 56] in floats take 0.8 to 0.9 times as long as plane by plane. With 512 KB, bf16
/// takes 1.4 times as long.
const PLANES_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 128 << 10 };

/// Rows whose sums have at least this size, in bytes, are blocks of their own. The size is that of two of the longest registers.
const LONG_ROW: usize = if cfg!(debug_assertions) { 48 } else { 128 };

/// The maximum size, in bytes, of a row with listed terms. The list stores offsets in 32 bits.
const LONGEST_LISTED: usize = u32::MAX as usize / 2;

/// The sizes of a number type and of its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// The size of a number in bytes.
    pub(crate) bytes: usize,
    /// The size of a sum in bytes.
    pub(crate) sum: usize,
    /// The number of numbers in an element.
    pub(crate) parts: usize,
}

impl Numbers {
    /// Returns the sizes for a type, or `None` if its elements cannot be summed.
    pub(crate) fn of(dtype: DType) -> Option<Numbers> {
        let (bytes, sum, parts) = match dtype {
            DType::I8 | DType::U8 => (1, 1, 1),
            DType::I16 | DType::U16 => (2, 2, 1),
            DType::F16 | DType::BF16 => (2, 4, 1),
            DType::F32 | DType::I32 | DType::U32 => (4, 4, 1),
            DType::F64 | DType::I64 | DType::U64 => (8, 8, 1),
            DType::C64 => (4, 4, 2),
            DType::C128 => (8, 8, 2),
            _ => return None,
        };
        Some(Numbers { bytes, sum, parts })
    }
}

impl Adjoint {
    /// Makes the adjoint of a geometry.
    ///
    /// # Errors
    ///
    /// [`PadError::NotSummable`], [`PadError::SharedInput`] if elements of the input have the same address,
    /// [`PadError::SizeOverflow`] if the sums of all slots and lanes exceed an eighth of the address space.
    pub(crate) fn new(geometry: &Geometry) -> Result<Adjoint, PadError> {
        let dtype = geometry.dtype();
        let numbers = dtype.and_then(Numbers::of).ok_or(PadError::NotSummable { dtype })?;
        geometry.check_input_disjoint()?;
        // Strides are a whole number of elements.
        let scale = |atoms: isize| atoms / numbers.bytes as isize;
        let (mut read, write) = (scale(geometry.output.offset), scale(geometry.input.offset));
        let mut folds: SmallVec<[Fold; 6]> = SmallVec::new();
        for (axis, &inputs) in geometry.axes.iter().zip(&geometry.input.shape) {
            let (from, to) = (scale(axis.dst_stride), scale(axis.src_stride));
            let fold = Fold::new(axis, inputs, (from, to));
            match (fold.only(), folds.last_mut()) {
                (Some(position), _) => read += position * fold.read,
                (None, Some(outer)) if outer.takes_in(&fold) => outer.take_in(&fold),
                _ => folds.push(fold),
            }
        }
        let mut unit = numbers.parts;
        if let [.., outer, inner] = &folds[..]
            && inner.is_identity()
            && inner.is_dense(unit)
            && outer.is_dense(unit * inner.inputs)
            && bytes_of(&folds[folds.len() - 2..], unit * numbers.sum, Fold::longer) <= BLOCK_BYTES
        {
            unit *= inner.inputs;
            folds.pop();
        }
        if folds.is_empty() {
            folds.push(Fold::single(unit));
        }
        let removed = |fold: &Fold| fold.groups.iter().all(|group| group.kind == Kind::Empty);
        let empty = geometry.output.len == 0 || geometry.input.len == 0;
        let nothing = empty || folds.iter().any(removed);
        let sequential = write == 0 && is_packed(&folds, unit, |fold| (fold.write, fold.inputs));
        let (listed, first) = block(&folds, unit * numbers.sum);
        let listed = listed && !nothing;
        let block: SmallVec<[Fold; 4]> = folds.drain(first..).collect();
        let outer: SmallVec<[Fold; 4]> = folds.into_iter().collect();
        let packed = (
            is_packed(&block, unit, |fold| (fold.read, fold.outputs)),
            is_packed(&block, unit, |fold| (fold.write, fold.inputs)),
        );
        let slots = 1 + outer.iter().filter(|fold| fold.sums()).count();
        let most = if listed {
            let bytes = bytes_of(&block, unit * numbers.sum, Fold::longer);
            (LANES_BYTES / bytes.max(1)).clamp(1, LANES)
        } else {
            MOST_SUMS
        };
        let planes = match &outer[..] {
            [.., planes, rows] if block.len() == 1 => {
                let row = bytes_of(&block, unit * numbers.bytes, |fold| fold.outputs);
                let plane = row.saturating_mul(rows.inputs).max(1);
                (PLANES_BYTES / plane).min(planes.longest(true)).clamp(1, most)
            }
            _ => 1,
        };
        let lanes = outer.last().map_or(1, |fold| fold.longest(listed)).min(most).max(planes);
        let adjoint = Adjoint {
            outer,
            block,
            unit,
            read,
            write,
            packed,
            sequential,
            slots,
            lanes,
            planes,
            listed,
            nothing,
            numbers,
        };
        match adjoint.scratch() {
            Some(_) => Ok(adjoint),
            None => Err(PadError::SizeOverflow {
                operand: Operand::Input,
                axis: geometry.axes.len().saturating_sub(1),
                length: adjoint.row().inputs,
                element_size: geometry.layout,
            }),
        }
    }

    /// Returns the row, which is the innermost axis of a block.
    #[inline(always)]
    pub(crate) fn row(&self) -> &Fold {
        let last = self.block.last();
        last.unwrap_or_else(|| unreachable!("a block has a row"))
    }

    /// Returns how many sums a block has.
    pub(crate) fn width(&self) -> usize {
        self.block.iter().map(|fold| fold.inputs).product::<usize>() * self.unit
    }

    /// Returns how many numbers of the output's gradient a block reads.
    pub(crate) fn outputs(&self) -> usize {
        self.block.iter().map(|fold| fold.outputs).product::<usize>() * self.unit
    }

    /// Returns the size of the slots in bytes, or `None` if memory cannot be so large.
    fn scratch(&self) -> Option<usize> {
        let sums = self.block.iter().try_fold(self.unit, |sums, fold| sums.checked_mul(fold.inputs))?;
        let bytes = sums.checked_mul(self.numbers.sum)?.checked_mul(self.slots * self.lanes)?;
        Some(bytes).filter(|&bytes| bytes <= isize::MAX as usize / 8)
    }

    /// Returns the size of the slots in bytes.
    pub(crate) fn sums_bytes(&self) -> usize {
        self.scratch().unwrap_or_else(|| unreachable!("`new` has asked"))
    }

    /// Returns the number of blocks in the input's gradient.
    pub(crate) fn blocks(&self) -> usize {
        // The product does not overflow if the input has elements. If the input is empty, nothing is written.
        self.outer.iter().fold(1, |rows: usize, fold| rows.saturating_mul(fold.inputs))
    }
}

/// Returns whether the terms of a block are listed, and the index of its first axis. A position has `unit` bytes of sums.
fn block(folds: &[Fold], unit: usize) -> (bool, usize) {
    let last = folds.len() - 1;
    let row = folds[last].longer().saturating_mul(unit);
    if !folds[last].is_listed() || row > LONGEST_LISTED {
        return (false, last);
    }
    let mut first = last;
    if folds[last].inputs.saturating_mul(unit) < LONG_ROW {
        let fits = |first: usize| {
            folds[first].is_listed() && bytes_of(&folds[first..], unit, Fold::longer) <= BLOCK_BYTES
        };
        while first > 0 && fits(first - 1) {
            first -= 1;
        }
    }
    // Leading axes without padding are no part of the block. Their positions become lanes.
    while first < last && folds[first].is_identity() {
        first += 1;
    }
    (true, first)
}

/// Returns the size of all positions of some axes, if one position has `unit` bytes.
fn bytes_of(folds: &[Fold], unit: usize, length: impl Fn(&Fold) -> usize) -> usize {
    folds.iter().fold(unit, |bytes, fold| bytes.saturating_mul(length(fold)))
}

/// Tells whether positions of axes with these strides and lengths are contiguous.
fn is_packed(folds: &[Fold], unit: usize, of: impl Fn(&Fold) -> (isize, usize)) -> bool {
    let mut next = unit as isize;
    folds.iter().rev().all(|fold| {
        let (stride, length) = of(fold);
        let packed = stride == next || length == 1;
        next = next.wrapping_mul(length as isize);
        packed
    })
}

impl Geometry {
    /// Returns an error if two elements of the input have the same address. Their gradients could not be written separately.
    pub(crate) fn check_input_disjoint(&self) -> Result<(), PadError> {
        if self.input.contiguous {
            return Ok(());
        }
        let element = self.layout.atoms() as isize;
        let strides = Strides::new(0, self.axes.iter().map(|axis| axis.src_stride / element));
        strides.check_disjoint(&self.input.shape).map_err(|error| match error {
            PadError::Overlap { axis, stride, length } => PadError::SharedInput { axis, stride, length },
            other => other,
        })
    }

    /// Returns the geometry of the adjoint as a pad, if every input element has at most one output position. Such an adjoint only
    /// copies. It crops the output's gradient and writes zeros for elements that were cropped.
    pub(crate) fn moved_back(&self) -> Option<Geometry> {
        let mut offset = self.output.offset;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::new();
        for (axis, &inputs) in self.axes.iter().zip(&self.input.shape) {
            let segments = axis.segments();
            if segments.iter().any(is_again) {
                return None;
            }
            let mut sources = sources(&segments, true).into_iter();
            let (start, end, term) = match (sources.next(), sources.next()) {
                (Some(Source { start, end, term }), None) if term.hold == 1 => (start, end, term),
                (None, _) => (0, 0, Term { at: 0, step: 1, hold: 1 }),
                _ => return None,
            };
            // The offset of the first position that is read.
            offset += term.at * axis.dst_stride;
            axes.push(Axis {
                out: inputs,
                origin: -(start as i64),
                start: 0,
                len: (end - start) as i64,
                interior: 0,
                src_stride: if end - start > 1 { term.step * axis.dst_stride } else { axis.dst_stride },
                dst_stride: axis.src_stride,
                low: PadMode::Constant,
                high: PadMode::Constant,
            });
        }
        let input = Tensor { offset, ..self.output.clone() };
        let mut back = Geometry {
            input,
            output: self.input.clone(),
            axes,
            nest: Nest::blank(),
            signs: Vec::new(),
            // 16 bytes are the longest element that can be summed.
            fill: Pattern::of_bytes(&[0; 16][..self.layout.atoms()]),
            colours: None,
            ..*self
        };
        back.set_nest();
        Some(back)
    }
}
