//! Runs plans on several threads. Each thread writes ranges of the output.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::{PadPlan, Streaming};
use crate::dtype::ElementSize;
use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::kernel::slices::{as_uninit, written};
use crate::kernel::{Written, threshold};
use crate::plan::Geometry;

/// The minimum size of an output, in bytes, that several threads write. The calling thread writes smaller ones.
///
/// Skylake: 0.5 MiB of rows of 1 KiB takes 20 to 26 us on one thread and 20 to 28 us on two. 1 MiB takes 82 us on one and 38 to 52 us on
/// two.
const PARALLEL_FROM: usize = threshold(1 << 20, 256);

/// The minimum size of a piece in bytes. A piece is a range of the output that one thread writes at a time.
///
/// Skylake, two threads: 1 MiB takes 55 to 70 us in pieces of 64 KiB, and 38 to 51 us in pieces of 256 KiB.
const PIECE: usize = threshold(256 << 10, 64);

/// Pieces end at addresses that are multiples of this number of bytes, if elements end at these addresses. Then no two threads
/// write to one cache line.
const ALIGN: usize = 64;

impl PadPlan {
    /// Pads `src` on the threads of the current rayon pool, and writes the result to `dst`.
    ///
    /// The call divides the output into ranges of about equal length, which can end in the middle of a row. The calling thread
    /// begins to write them, and other threads join when they wake up. Only the calling thread writes small outputs, outputs
    /// with holes, and outputs that are not in row-major order.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let spec = PadSpec::new(PadMode::Reflect, [(0, 0), (3, 3), (3, 3)]);
    /// let plan = PadPlan::new::<f32>(&spec, &[64, 128, 128])?;
    /// let src: Vec<f32> = (0..plan.input_len()).map(|i| i as f32).collect();
    /// let mut dst = vec![0.0; plan.output_len()];
    /// plan.par_run(&src, &mut dst)?;
    /// assert_eq!(dst, plan.to_vec(&src)?);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](PadPlan::run).
    pub fn par_run<T: Element + Send + Sync>(&self, src: &[T], dst: &mut [T]) -> Result<(), PadError> {
        let Some(pieces) = self.pieces() else { return self.run(src, dst) };
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        pieces.run(as_uninit(dst), &|plan, dst| plan.write(src, dst, false)).map(drop)
    }

    /// Pads the bytes of a tensor on several threads, as [`run_bytes`](PadPlan::run_bytes) does on one thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](PadPlan::run_bytes).
    pub fn par_run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        let Some(pieces) = self.pieces() else { return self.run_bytes(src, dst) };
        self.geometry.check_bytes(src.len(), dst.len())?;
        pieces.run(as_uninit(dst), &|plan, dst| plan.run_on(src, dst, false)).map(drop)
    }

    /// Pads the bytes of a tensor on several threads, writes the result to uninitialised memory, and returns the initialised
    /// bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes_uninit`](PadPlan::run_bytes_uninit).
    pub fn par_run_bytes_uninit<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], PadError> {
        let Some(pieces) = self.pieces() else { return self.run_bytes_uninit(src, dst) };
        self.geometry.check_bytes(src.len(), dst.len())?;
        let dst = &mut dst[..self.output_bytes()];
        let bytes = pieces.run(dst, &|plan, dst| plan.run_on(src, dst, false))?;
        Ok(written(dst, bytes))
    }

    /// Pads the bytes of a tensor on several threads. A piece has at most `bytes` bytes, or consists of one element. Tests and
    /// benchmarks use this method.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](PadPlan::run_bytes).
    #[doc(hidden)]
    pub fn par_run_pieces(&self, src: &[u8], dst: &mut [u8], bytes: usize) -> Result<(), PadError> {
        self.geometry.check_bytes(src.len(), dst.len())?;
        if self.is_empty() || !self.is_row_major() {
            return self.run_bytes(src, dst);
        }
        let pieces = Pieces { plan: self.for_pieces(), bytes: bytes.clamp(1, self.output_bytes()) };
        pieces.run(as_uninit(dst), &|plan, dst| plan.run_on(src, dst, false)).map(drop)
    }

    /// Pads `src` on several threads, and returns the result in a new vector. Each thread is the first to touch the memory that it writes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_vec`](PadPlan::to_vec).
    pub fn par_to_vec<T: Element + Send + Sync>(&self, src: &[T]) -> Result<Vec<T>, PadError> {
        let Some(pieces) = self.pieces() else { return self.to_vec(src) };
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.new_vec(self.output_len(), |dst, filled| {
            pieces.run(dst, &|plan, dst| plan.write(src, dst, filled))
        })
    }

    /// Pads the bytes of a tensor on several threads, and returns the result in a new vector.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_vec_bytes`](PadPlan::to_vec_bytes).
    pub fn par_to_vec_bytes(&self, src: &[u8]) -> Result<Vec<u8>, PadError> {
        let Some(pieces) = self.pieces() else { return self.to_vec_bytes(src) };
        self.geometry.check_source_bytes(src.len())?;
        self.new_vec(self.output_bytes(), |dst, filled| {
            pieces.run(dst, &|plan, dst| plan.run_on(src, dst, filled))
        })
    }
}

/// The division of an output into pieces.
pub(super) struct Pieces {
    plan: PadPlan,
    /// The maximum size of a piece in bytes.
    bytes: usize,
}

impl PadPlan {
    /// Returns the pieces, if a division is possible and saves time.
    pub(super) fn pieces(&self) -> Option<Pieces> {
        let (bytes, threads) = (self.output_bytes(), rayon::current_num_threads());
        if bytes < PARALLEL_FROM || threads < 2 || !self.is_row_major() {
            return None;
        }
        // There are several pieces per thread, because threads differ in speed and start at different times.
        let bytes = (bytes / (4 * threads)).max(PIECE);
        Some(Pieces { plan: self.for_pieces(), bytes })
    }

    /// Returns the plan for the pieces. They use non-temporal stores if the whole plan does, even if they are short.
    fn for_pieces(&self) -> PadPlan {
        self.with_streaming(if self.streams { Streaming::Always } else { Streaming::Never })
    }

    /// Tells whether the output is row-major without holes, and every row begins with a whole byte.
    fn is_row_major(&self) -> bool {
        let in_order = self.geometry.output.row_major(self.geometry.layout).zip(&self.geometry.axes);
        let Geometry { layout, axes, output, .. } = &self.geometry;
        let rows_of_bytes = match *layout {
            ElementSize::Bytes(_) => true,
            ElementSize::Bits(bits) => axes.last().is_some_and(|row| (row.out * bits).is_multiple_of(8)),
            ElementSize::Cloned => false,
        };
        rows_of_bytes
            && !axes.is_empty()
            && output.offset == 0
            && in_order.into_iter().all(|(stride, axis)| axis.out == 1 || axis.dst_stride == stride)
    }
}

/// The part of the output that no thread has taken yet, and the result of the parts that are done.
struct Rest<'a, U> {
    /// The elements of the part, and their memory.
    range: Range<usize>,
    dst: &'a mut [MaybeUninit<U>],
    outcome: Result<Written, PadError>,
}

impl Pieces {
    /// Writes the output to `dst`. This thread and the threads of the pool take one piece after another.
    ///
    /// This thread starts immediately, because waking another thread takes 20 to 100 us on a virtual machine. On this machine,
    /// outputs of 1 to 2 MiB take 0.45 to 0.77 times as long as on one thread. If all pieces went to the pool, they would take
    /// 1.25 to 2.9 times as long.
    pub(super) fn run<U: Send>(
        &self,
        dst: &mut [MaybeUninit<U>],
        write: &(impl Fn(&PadPlan, &mut [MaybeUninit<U>]) -> Result<Written, PadError> + Sync),
    ) -> Result<Written, PadError> {
        let range = 0..self.plan.output_len();
        let rest = Mutex::new(Rest { range, dst, outcome: Ok(Written::default()) });
        // No code panics while it holds the lock. If a thread panics elsewhere, the scope passes the panic on.
        let locked =
            || -> MutexGuard<'_, Rest<'_, U>> { rest.lock().unwrap_or_else(PoisonError::into_inner) };
        // The lock is held only while a thread takes a piece or records the result of one.
        let take = || self.take(&mut locked());
        let work = || {
            while let Some((range, dst)) = take() {
                let outcome = self.boxes(range, dst, write);
                let mut rest = locked();
                let before = core::mem::replace(&mut rest.outcome, Ok(Written::default()));
                rest.outcome = before.and_then(|before| Ok(before.and(outcome?)));
            }
        };
        let pieces = self.plan.output_bytes().div_ceil(self.bytes);
        rayon::in_place_scope(|scope| {
            for _ in 1..rayon::current_num_threads().min(pieces) {
                scope.spawn(|_| work());
            }
            work();
        });
        rest.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
    }

    /// Takes the next piece. The piece ends at a multiple of [`ALIGN`], if an element ends at this address.
    fn take<'a, U>(&self, rest: &mut Rest<'a, U>) -> Option<(Range<usize>, &'a mut [MaybeUninit<U>])> {
        let (start, left) = (rest.range.start, rest.range.len());
        if left == 0 || rest.outcome.is_err() {
            return None;
        }
        let past = (rest.dst.as_ptr().addr() + self.bytes) % ALIGN;
        let bytes = if past < self.bytes { self.bytes - past } else { self.bytes };
        let elements = match self.plan.geometry.layout {
            ElementSize::Bytes(of_one) => bytes / of_one,
            ElementSize::Bits(of_one) => bytes * 8 / of_one,
            ElementSize::Cloned => left,
        };
        let elements = elements.clamp(1, left);
        let (now, later) = core::mem::take(&mut rest.dst).split_at_mut(self.slots::<U>(elements));
        rest.dst = later;
        rest.range.start += elements;
        Some((start..start + elements, now))
    }

    /// Returns the number of items that hold `elements` elements. An item is an element or a byte.
    fn slots<U>(&self, elements: usize) -> usize {
        self.plan.geometry.layout.bytes(elements) / size_of::<U>()
    }

    /// Writes the elements in `range` as a few regions. A region covers a range of one axis, the full length of the inner axes, and one
    /// position of each outer axis.
    fn boxes<U>(
        &self,
        range: Range<usize>,
        mut dst: &mut [MaybeUninit<U>],
        write: &impl Fn(&PadPlan, &mut [MaybeUninit<U>]) -> Result<Written, PadError>,
    ) -> Result<Written, PadError> {
        let mut written = Written::default();
        let shape = &self.plan.geometry.output.shape;
        let mut at = range.start;
        while at < range.end {
            let (mut axis, mut block) = (shape.len() - 1, 1);
            while axis > 0 && at.is_multiple_of(block * shape[axis]) && at + block * shape[axis] <= range.end
            {
                block *= shape[axis];
                axis -= 1;
            }
            let index = at / block % shape[axis];
            let count = ((range.end - at) / block).min(shape[axis] - index);
            let mut outside = at / block / shape[axis];
            let mut window: SmallVec<[Range<usize>; 6]> = shape.iter().map(|&length| 0..length).collect();
            window[axis] = index..index + count;
            for (range, length) in window[..axis].iter_mut().zip(shape).rev() {
                *range = outside % length..outside % length + 1;
                outside /= length;
            }
            let (now, rest) = dst.split_at_mut(self.slots::<U>(count * block));
            written = written.and(write(&self.plan.window(&window)?, now)?);
            dst = rest;
            at += count * block;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::dtype::DType;
    use crate::spec::{AxisPad, PadMode, PadSpec};

    /// Checks that pieces of every size, down to one element, together write the same output as a whole run.
    #[test]
    fn pieces_are_the_whole() {
        let shapes: [&[usize]; 4] = [&[37], &[5, 11], &[3, 4, 7], &[2, 1, 3, 6]];
        for (shape, dtype) in shapes
            .into_iter()
            .flat_map(|shape| [DType::U8, DType::F32, DType::C128, DType::U4].map(|dtype| (shape, dtype)))
        {
            for mode in PadMode::ALL {
                let mut pads: Vec<AxisPad> = shape.iter().map(|_| AxisPad::new(2, 1)).collect();
                // A row of packed elements must be a whole number of bytes.
                let row = &mut pads[shape.len() - 1];
                row.high += ((shape[shape.len() - 1] + 3) % 2) as i64;
                if mode == PadMode::Constant {
                    pads[0].interior = 1;
                }
                let plan = PadPlan::for_dtype(&PadSpec::new(mode, pads), shape, dtype).unwrap();
                assert!(plan.is_row_major(), "{shape:?} {dtype:?}");
                let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 41 + 7) as u8).collect();
                let mut whole = vec![0; plan.output_bytes()];
                plan.run_bytes(&src, &mut whole).unwrap();
                for streaming in [Streaming::Never, Streaming::Always] {
                    for bytes in [0, 1, 7, 64, 200, 1000, usize::MAX] {
                        let mut parts = vec![0xa5; plan.output_bytes()];
                        let plan = plan.with_streaming(streaming);
                        plan.par_run_pieces(&src, &mut parts, bytes).unwrap();
                        assert_eq!(parts, whole, "{shape:?} {dtype:?} {mode:?} pieces of {bytes}");
                    }
                }
            }
        }
    }
}
