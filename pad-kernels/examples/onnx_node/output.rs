//! Computes the output of a node piece by piece, because it may exceed the memory.

use std::io::Write;
use std::ops::{ControlFlow, Range};

use pad_kernels::{DType, PadPlan};

use crate::node::{Data, Error, Tensor};

/// The number of elements in a piece.
const PIECE: usize = 1 << 16;

/// The output of a node for its inputs.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    pub(crate) dtype: DType,
    pub(crate) plan: PadPlan,
    pub(crate) data: &'a Data,
    /// The fill for strings.
    pub(crate) fill: Vec<u8>,
}

impl Output<'_> {
    pub(crate) fn shape(&self) -> &[usize] {
        self.plan.output_shape()
    }

    /// Calls `each` with the pieces of the output, in order. The second argument is the number of elements before the piece.
    fn pieces(
        &self,
        mut each: impl FnMut(usize, &Tensor) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        let mut boxes: Vec<Vec<Range<usize>>> = Vec::new();
        if !self.plan.is_empty() {
            boxes.push(self.shape().iter().map(|&length| 0..length).collect());
        }
        let mut done = 0;
        while let Some(mut window) = boxes.pop() {
            // This product does not overflow, because the piece is a part of a tensor whose size was checked.
            let elements: usize = window.iter().map(Range::len).product();
            // The outermost axis that can be divided is divided first, so that pieces are contiguous in the output.
            if let Some(axis) = window.iter().position(|range| range.len() > 1).filter(|_| elements > PIECE) {
                let Range { start, end } = window[axis];
                let middle = start + (end - start) / 2;
                let mut second = window.clone();
                (window[axis], second[axis]) = (start..middle, middle..end);
                boxes.extend([second, window]);
                continue;
            }
            let plan = self.plan.window(&window)?;
            let data = match self.data {
                Data::Bytes(bytes) => Data::Bytes(plan.to_vec_bytes(bytes)?),
                Data::Text(text) => Data::Text(plan.to_vec_cloned(text, &self.fill)?),
            };
            if each(done, &Tensor { dtype: self.dtype, shape: vec![elements], data })?.is_break() {
                return Ok(());
            }
            done += elements;
        }
        Ok(())
    }

    /// Writes the type and the shape, and one line per row.
    pub(crate) fn print(&self, to: &mut impl Write) -> Result<(), Error> {
        writeln!(to, "{} {:?}", self.dtype.long_name(), self.shape())?;
        let row = self.shape().last().copied().unwrap_or(1).max(1);
        self.pieces(|before, piece| {
            for at in 0..piece.shape[0] {
                let end = if (before + at + 1).is_multiple_of(row) { '\n' } else { ' ' };
                write!(to, "{}{end}", piece.element(at))?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(to.flush()?)
    }

    /// Returns the difference from `expected`, or `None` if both are equal. Elements are compared bit by bit.
    pub(crate) fn difference(&self, expected: &Tensor) -> Result<Option<String>, Error> {
        if expected.dtype != self.dtype {
            return Ok(Some(format!("{} is expected, {} came out", expected.dtype, self.dtype)));
        }
        if expected.shape != self.shape() {
            return Ok(Some(format!("shape {:?} is expected, {:?} came out", expected.shape, self.shape())));
        }
        let mut difference = None;
        self.pieces(|before, piece| {
            let at = (0..piece.shape[0]).find(|&at| expected.bits(before + at) != piece.bits(at));
            let Some(at) = at else { return Ok(ControlFlow::Continue(())) };
            let (i, want, got) = (before + at, expected.element(before + at), piece.element(at));
            difference = Some(format!("element {i}: {want} is expected, {got} came out"));
            Ok(ControlFlow::Break(()))
        })?;
        Ok(difference)
    }
}
