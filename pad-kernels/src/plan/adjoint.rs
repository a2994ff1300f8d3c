//! The adjoint of a plan: for every element of the input, the elements of the output that were taken from it.

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

/// What is added to what. Offsets and strides count numbers: a complex element is two of them, any other is one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adjoint {
    /// The axes outside of the blocks, outermost first.
    pub(crate) outer: SmallVec<[Fold; 4]>,
    /// The axes of a block, outermost first. The last one is the row: the innermost axis, or the innermost one that is padded.
    pub(crate) block: SmallVec<[Fold; 4]>,
    /// The numbers that a position of a row consists of.
    pub(crate) unit: usize,
    /// Where the first elements lie: of the output's gradient, which is read, and of the input's, which is written.
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// Whether a block lies in one piece in the output's gradient, and in the input's.
    pub(crate) packed: (bool, bool),
    /// Whether the blocks of the input's gradient lie one behind the other from the start of its buffer.
    pub(crate) sequential: bool,
    /// How many blocks of sums are kept at a time, for each lane.
    pub(crate) slots: usize,
    /// The most blocks that are summed at a time.
    pub(crate) lanes: usize,
    /// The most positions of the axis around the last of the outer ones that are done together.
    pub(crate) planes: usize,
    /// Whether the terms of a block are few enough to be listed.
    pub(crate) listed: bool,
    /// Whether no position is added to any element.
    pub(crate) nothing: bool,
    pub(crate) numbers: Numbers,
}

/// The most lanes.
const LANES: usize = 256;

/// The most rows of one border that are summed at a time where terms are not listed.
const MOST_SUMS: usize = 8;

/// The bytes of sums that a block is made of at most if it has several axes. Wrapped axes of two elements, of which all but the
/// outermost are then one block, took 0.8 times as long as with the limit of blocks together, and axes of three, that are one block
/// of 200 KB with twice this limit, 1.2 times as long as with this one. So are the rows of padded positions of several numbers:
/// with those numbers as rows, whose borders are then added whole, gradients of rows of 512 positions of 32 floats took 1.4 times
/// as long, and one of 64 positions of 4,096 floats 0.3 times, with the scratch memory that it takes (Xeon with AMX).
const BLOCK_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 128 << 10 };

/// Those of all lanes together, where blocks are smaller: all of them stay in the nearest cache.
const LANES_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 16 << 10 };

/// The bytes of the output's gradient of planes that are done together: their borders are summed while all of them are near.
/// Gradients of [16, 64, 56, 56], of every mode that sums, took 0.8 to 0.9 times as long as plane by plane in floats and 0.75 to
/// 0.85 in bf16. With half a megabyte bf16 took 1.4 times as long as with this (Xeon with AMX).
const PLANES_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 128 << 10 };

/// Rows of this many bytes of sums are blocks of their own: two of the longest registers.
const LONG_ROW: usize = if cfg!(debug_assertions) { 48 } else { 128 };

/// The bytes of sums of a row whose terms are listed at most: their places are numbers of 32 bits.
const LONGEST_LISTED: usize = u32::MAX as usize / 2;

/// What a type is summed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Bytes of a number.
    pub(crate) bytes: usize,
    /// Bytes of a sum of numbers.
    pub(crate) sum: usize,
    /// Numbers of an element.
    pub(crate) parts: usize,
}

impl Numbers {
    /// Those of a type, or `None` if it cannot be summed.
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
    /// That of a geometry.
    ///
    /// # Errors
    ///
    /// [`PadError::NotSummable`], [`PadError::SharedInput`] if elements of the input share a place,
    /// [`PadError::SizeOverflow`] if the sums of a row are more than memory can hold.
    pub(crate) fn new(geometry: &Geometry) -> Result<Adjoint, PadError> {
        let dtype = geometry.dtype();
        let numbers = dtype.and_then(Numbers::of).ok_or(PadError::NotSummable { dtype })?;
        geometry.check_input_disjoint()?;
        // Strides are whole elements.
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
            [.., planes, rows] if block.len() == 1 && !rows.repeats() => {
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

    /// The innermost axis.
    #[inline(always)]
    pub(crate) fn row(&self) -> &Fold {
        let last = self.block.last();
        last.unwrap_or_else(|| unreachable!("a block has a row"))
    }

    /// The numbers of a block's sums.
    pub(crate) fn width(&self) -> usize {
        self.block.iter().map(|fold| fold.inputs).product::<usize>() * self.unit
    }

    /// The numbers of the output's gradient that a block is summed from.
    pub(crate) fn outputs(&self) -> usize {
        self.block.iter().map(|fold| fold.outputs).product::<usize>() * self.unit
    }

    /// The bytes of the blocks of sums, if memory can have so many.
    fn scratch(&self) -> Option<usize> {
        let sums = self.block.iter().try_fold(self.unit, |sums, fold| sums.checked_mul(fold.inputs))?;
        let bytes = sums.checked_mul(self.numbers.sum)?.checked_mul(self.slots * self.lanes)?;
        Some(bytes).filter(|&bytes| bytes <= isize::MAX as usize / 8)
    }

    /// The bytes of the blocks of sums.
    pub(crate) fn sums_bytes(&self) -> usize {
        self.scratch().unwrap_or_else(|| unreachable!("`new` has asked"))
    }

    /// The blocks of the input's gradient, each of which is written on its own.
    pub(crate) fn blocks(&self) -> usize {
        // An input that is not empty has more elements; of an empty one nothing is written.
        self.outer.iter().fold(1, |rows: usize, fold| rows.saturating_mul(fold.inputs))
    }
}

/// The number of the first axis of a block, and whether its terms are listed, for units whose sums are so long.
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
    // Axes that are not padded are lanes.
    while first < last && folds[first].is_identity() {
        first += 1;
    }
    (true, first)
}

/// The bytes of all positions of some axes.
fn bytes_of(folds: &[Fold], unit: usize, length: impl Fn(&Fold) -> usize) -> usize {
    folds.iter().fold(unit, |bytes, fold| bytes.saturating_mul(length(fold)))
}

/// Whether positions of axes of these strides and lengths lie one behind the other.
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
    /// Two elements of the input that share a place, in whose gradient they are to be written.
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
}

impl Geometry {
    /// Where every element of the input goes to one position of the output at most, the adjoint moves elements and adds
    /// nothing: the geometry of that, which pads what is left of the output's gradient with zeros for what was removed.
    pub(crate) fn moved_back(&self) -> Option<Geometry> {
        let mut offset = self.output.offset;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::new();
        for (axis, &inputs) in self.axes.iter().zip(&self.input.shape) {
            let segments = axis.segments();
            if segments.iter().any(is_again) {
                return None;
            }
            let mut sources = sources(&segments, |_| false).into_iter();
            let (start, end, term) = match (sources.next(), sources.next()) {
                (Some(Source { start, end, term }), None) if term.hold == 1 => (start, end, term),
                (None, _) => (0, 0, Term { at: 0, step: 1, hold: 1 }),
                _ => return None,
            };
            // Within the output's gradient, where all these positions are.
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
            // No element that can be summed is longer.
            fill: Pattern::of_bytes(&[0; 16][..self.layout.atoms()]),
            colours: None,
            ..*self
        };
        back.normalise();
        Some(back)
    }
}
