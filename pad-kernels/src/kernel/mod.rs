//! The kernels: everything that writes through a pointer, and the only folder with `unsafe`.
//!
//! A kernel is a row of the generated [registry](registry()): one loop nest for a rank, mode, element width and
//! instruction set. From outside it is called through the safe door [`Row::run`] only.

pub(crate) mod cloned;
pub(crate) mod cursor;
pub(crate) mod fixed;
pub(crate) mod generic;
pub(crate) mod output;

mod bits;
mod bytes;
mod generated;
mod isa;
mod nest;
mod script;
mod vector;

use core::fmt;
use core::mem::MaybeUninit;
use core::ptr;

use crate::dtype::DType;
use crate::error::PadError;
use crate::plan::axis::Axis;
use crate::plan::pattern::Pattern;
use crate::plan::{Atom, PadPlan};
use crate::spec::PadMode;

pub use isa::Isa;

use bytes::Stage;
pub(crate) use generated::find;
use output::assume_init;
pub(crate) use output::bytes_of;
pub(crate) use script::Script;
pub(crate) use vector::STREAMS;

/// Every generated kernel, one row each; what selection, tests, fuzzing and benchmarks iterate.
pub fn registry() -> &'static [Row] {
    generated::REGISTRY
}

/// What a kernel moves at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// This many bytes.
    Bytes(usize),
    /// Any number of bytes.
    AnyBytes,
    /// Any number of bits.
    Bits,
    /// Values of any type that can be cloned.
    Value,
}

/// One kernel.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub(crate) name: &'static str,
    pub(crate) rank: usize,
    pub(crate) mode: PadMode,
    pub(crate) dtype: Option<DType>,
    pub(crate) unit: Unit,
    pub(crate) isa: Isa,
    pub(crate) entry: Entry,
}

/// How a kernel is called.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// Moves whole bytes.
    Bytes(unsafe fn(&Job<'_>)),
    /// Moves fields of bits.
    Packed(unsafe fn(&Job<'_>)),
    /// Says in output order what each element is a clone of.
    Cloned(cloned::Walk),
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Entry::Bytes(_) => "Bytes",
            Entry::Packed(_) => "Packed",
            Entry::Cloned(_) => "Cloned",
        })
    }
}

/// What a kernel of bytes or bits is called with.
///
/// The contract of every entry, upheld by [`run_row`]:
/// - `axes` has as many axes as the kernel's rank, `unit` is the kernel's.
/// - Every source offset that the axes reach, plus one unit, lies within `src_len` atoms of readable memory
///   behind `src`; every destination offset, plus one unit, within `dst_len` atoms of writable memory
///   behind `dst`, and the two do not overlap.
/// - If `sequential`, the axes reach all of the destination in ascending order, so that what lies behind
///   a position is not written yet. Otherwise the destination is initialised.
/// - If `stage` is not null, nobody else uses it, `sequential` holds and `filled` does not, the fill has a step, and the
///   units of the innermost axis are neighbours.
/// - The machine has the kernel's instruction set.
pub(crate) struct Job<'a> {
    pub(crate) axes: &'a [Axis],
    pub(crate) unit: usize,
    pub(crate) fill: &'a Pattern,
    /// The memory behind the destination already holds the fill.
    pub(crate) filled: bool,
    pub(crate) sequential: bool,
    /// Where the output is put together to be streamed past the cache, or null.
    pub(crate) stage: *mut Stage,
    pub(crate) src: *const u8,
    /// In bytes.
    pub(crate) src_len: usize,
    /// Offset of the first element, in atoms.
    pub(crate) src_offset: isize,
    pub(crate) dst: *mut u8,
    /// In bytes.
    pub(crate) dst_len: usize,
    /// Offset of the first element, in atoms.
    pub(crate) dst_offset: isize,
}

impl Row {
    /// The kernel's name: `r2_reflect_f32_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The number of axes, after normalisation.
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// The mode, after normalisation: a plan whose borders are all cropped away is constant.
    pub const fn mode(&self) -> PadMode {
        self.mode
    }

    /// The element type, or `None` for kernels that move units of any type.
    pub const fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// What it moves at a time.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The instruction set it needs.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Whether `plan` is one that this kernel can run.
    pub fn fits(&self, plan: &PadPlan) -> bool {
        let nest = &plan.nest;
        let unit = match (self.unit, plan.atom) {
            (Unit::Bytes(width), Atom::Byte) => width == nest.unit,
            (Unit::AnyBytes, Atom::Byte) | (Unit::Bits, Atom::Bit) | (Unit::Value, Atom::Value) => true,
            _ => false,
        };
        let dtype = self.dtype.is_none_or(|dtype| plan.dtype().is_none_or(|of_plan| of_plan == dtype));
        unit && dtype && !plan.is_empty() && self.rank == nest.axes.len() && self.mode == nest.mode
    }

    /// Runs this kernel on `plan`, whichever kernel the plan would choose: the door for tests and benchmarks.
    ///
    /// `src` and `dst` are the tensors' bytes, of any alignment.
    ///
    /// # Errors
    ///
    /// [`PadError::KernelMismatch`] if the kernel is not one for the plan, [`PadError::IsaUnavailable`] if this
    /// machine cannot run it, [`PadError::Cloned`] if it moves no bytes, [`PadError::Length`] if a slice is
    /// not as long as the plan says. Nothing is written then.
    pub fn run(&self, plan: &PadPlan, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        if !self.fits(plan) {
            return Err(PadError::KernelMismatch { kernel: self.name });
        }
        plan.check_bytes(src.len(), dst.len())?;
        run_row(self, plan, src, output::as_uninit(dst), false)
    }
}

/// Runs what the plan chose. The caller has checked the lengths.
pub(crate) fn run_plan(
    plan: &PadPlan,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    filled: bool,
) -> Result<(), PadError> {
    if let Some(script) = &plan.script {
        script.run(&plan.fill, src, dst);
        return Ok(());
    }
    if plan.is_empty() {
        return Ok(());
    }
    match plan.kernel() {
        Some(row) => run_row(row, plan, src, dst, filled),
        None => {
            if plan.atom == Atom::Bit {
                // It completes bytes that it has begun.
                if plan.nest.sequential {
                    dst[..plan.output_bytes()].fill(MaybeUninit::new(0));
                }
                // SAFETY: initialised just now; a plan that is not sequential is run on initialised slices only.
                generic::run_bits(plan, src, unsafe { assume_init(dst) });
            } else {
                generic::run_bytes(plan, src, dst);
            }
            Ok(())
        }
    }
}

/// A threshold that was measured, or in debug builds a lower one: tests and fuzzing, whose tensors are small, are to come to
/// what is beyond it.
pub(crate) const fn threshold(measured: usize, in_tests: usize) -> usize {
    if cfg!(debug_assertions) { in_tests } else { measured }
}

/// Runs `row`, which fits `plan`, on slices whose lengths the caller has checked.
fn run_row(
    row: &Row,
    plan: &PadPlan,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    filled: bool,
) -> Result<(), PadError> {
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    let (Entry::Bytes(kernel) | Entry::Packed(kernel)) = row.entry else {
        return Err(PadError::Cloned { plan: plan.dtype() });
    };
    let nest = &plan.nest;
    // A buffer may go on behind an output without holes: that is nobody's to overshoot into.
    let dst_len = if nest.sequential { plan.output_bytes() } else { dst.len() };
    let mut stage = MaybeUninit::uninit();
    let job = Job {
        axes: &nest.axes,
        unit: nest.unit,
        fill: &plan.fill,
        filled,
        sequential: nest.sequential,
        stage: if plan.streams && !filled { stage.as_mut_ptr() } else { ptr::null_mut() },
        src: src.as_ptr(),
        src_len: src.len(),
        src_offset: nest.src,
        dst: dst.as_mut_ptr().cast(),
        dst_len,
        dst_offset: nest.dst,
    };
    // SAFETY:
    // - Axes and unit: `fits` of the caller, or selection, which chooses by the same key.
    // - Offsets: the plan's axes were made for tensors of exactly these lengths, which the caller checked; a
    //   shared and an exclusive slice do not overlap.
    // - Sequential: worked out from the same axes; a plan that is not is run on initialised slices only.
    // - Stage: a local of its own, whose bytes need not be initialised; the plan has checked the rest.
    // - Instruction set: asked above.
    unsafe { kernel(&job) };
    Ok(())
}

/// The unit class of `unit` atoms.
pub(crate) fn unit_of(atom: Atom, unit: usize) -> Unit {
    match atom {
        Atom::Byte if matches!(unit, 1 | 2 | 4 | 8 | 16) => Unit::Bytes(unit),
        Atom::Byte => Unit::AnyBytes,
        Atom::Bit => Unit::Bits,
        Atom::Value => Unit::Value,
    }
}
