//! Iterates over padded rows, and writes each row to a buffer of the caller.

use core::ops::Range;

use smallvec::SmallVec;

use super::PadPlan;
use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::kernel::slices::as_uninit;
use crate::plan::axis::Axis;

impl PadPlan {
    /// Computes one padded row at a time, in `buffer`. A row consists of the last `axes` axes of the output.
    ///
    /// With this method, a filter that reads a few rows at a time needs no padded copy of its input. To divide the rows among threads, call
    /// the method on one [`window`](PadPlan::window) per thread. If the input has [strides](PadPlan::with_strides) or the spec negates
    /// sides, the method makes a new plan for each row.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// // Computes the differences of neighbours in the rows of an image, which is periodic.
    /// let plan = PadPlan::new::<i32>(&PadSpec::new(PadMode::Wrap, [(0, 0), (0, 1)]), &[2, 3])?;
    /// let (mut row, mut differences) = ([0; 4], Vec::new());
    /// let mut rows = plan.rows(1, &[1, 2, 4, 5, 3, 9], &mut row)?;
    /// while let Some(row) = rows.next_row() {
    ///     differences.extend(row.windows(2).map(|pair| pair[1] - pair[0]));
    /// }
    /// assert_eq!(differences, [1, 2, -3, -2, 6, -4]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`PadError::ElementType`]: The plan is for another element type.
    /// - [`PadError::Length`]: The length of `src` is not that of the input.
    /// - [`PadError::RowAxes`]: The output has fewer axes than `axes`.
    /// - [`PadError::RowLength`]: The length of `buffer` is not that of a row.
    pub fn rows<'a, T: Element>(
        &'a self,
        axes: usize,
        src: &'a [T],
        buffer: &'a mut [T],
    ) -> Result<Rows<'a, T>, PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        let rank = self.geometry.axes.len();
        let around = rank.checked_sub(axes).ok_or(PadError::RowAxes { axes, shape: rank })?;
        let mut row = self.of(self.geometry.row(around)?);
        if buffer.len() != row.output_len() {
            return Err(PadError::RowLength { axes, expected: row.output_len(), got: buffer.len() });
        }
        row.prepare();
        let any = self.geometry.axes[..around].iter().all(|axis| axis.out > 0);
        let next = any.then(|| SmallVec::from_elem(0, around));
        Ok(Rows { whole: self, row, src, buffer, next, filled: None })
    }
}

/// Computes the padded rows of an output. [`PadPlan::rows`] returns this type.
#[derive(Debug)]
pub struct Rows<'a, T> {
    whole: &'a PadPlan,
    /// The plan of a row that contains data.
    row: PadPlan,
    src: &'a [T],
    buffer: &'a mut [T],
    /// The index of the next row on the outer axes.
    next: Option<SmallVec<[usize; 6]>>,
    /// The index of the fill with which the buffer is filled, or `None` if the buffer holds a row of data.
    filled: Option<usize>,
}

impl<T: Element> Rows<'_, T> {
    /// Computes the next row and returns the buffer, or returns `None` after the last row.
    pub fn next_row(&mut self) -> Option<&[T]> {
        let mut position = self.next.take()?;
        let geometry = &self.whole.geometry;
        let (around, rest) = geometry.axes.split_at(position.len());
        let place = |(&at, axis): (&usize, &Axis)| axis.clip(at..at + 1).first();
        let from = position.iter().zip(around).map(place).try_fold(0, |sum, from| Some(sum + from?));
        // The fill of this row. It may depend on the position of the row.
        let colours = geometry.colours.as_deref().filter(|colours| colours.axis < position.len());
        let colour = colours.map_or(0, |colours| position[colours.axis]);
        match from {
            None if self.filled == Some(colour) => {}
            Some(from) if geometry.input.contiguous && geometry.signs.is_empty() => {
                if let Some(colours) = colours {
                    self.row.geometry.fill = colours.pattern(colour, size_of::<T>());
                }
                // If the input is empty, no row reads it, and the offset does not matter.
                let len = self.row.input_len();
                let start = if len > 0 { from as usize / size_of::<T>() } else { 0 };
                self.row.write(&self.src[start..start + len], as_uninit(self.buffer), false).ok()?;
            }
            _ => {
                let whole = rest.iter().map(|axis| 0..axis.out);
                let window: SmallVec<[Range<usize>; 6]> =
                    position.iter().map(|&at| at..at + 1).chain(whole).collect();
                self.whole.window(&window).ok()?.write(self.src, as_uninit(self.buffer), false).ok()?;
            }
        }
        self.filled = if from.is_none() { Some(colour) } else { None };
        for (at, axis) in position.iter_mut().zip(around).rev() {
            *at += 1;
            if *at < axis.out {
                self.next = Some(position);
                break;
            }
            *at = 0;
        }
        Some(self.buffer)
    }
}
