//! Chooses the code that runs a plan, once per plan.

use alloc::boxed::Box;

use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::negate::Negation;
use crate::kernel::{self, Blocks, PadKernel, Task, Unit, Written, find, lanes};
use crate::plan::Geometry;
use crate::plan::nest::{Atom, Nest};
use crate::plan::pattern::Pattern;

use super::PadPlan;
use crate::kernel::colours::run_planes;
use crate::kernel::places::{Source, Target};
use crate::kernel::slices::as_uninit;

/// Names the way in which a plan runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Executor {
    /// Nothing runs, because the output is empty.
    Empty,
    /// The plan copies consecutive elements of the input.
    Copy,
    /// The plan runs a list of copies, fills and permutations that writes the whole output.
    Moves {
        /// The kernel.
        kernel: &'static PadKernel,
        /// The number of entries in the list.
        count: usize,
    },
    /// The plan runs the loop nest of a kernel.
    Nest(&'static PadKernel),
    /// The plan runs a loop in safe code, because it has too many axes for kernels, or because it clones values.
    AnyRank,
}

/// The code that a plan has chosen. Unlike an [`Executor`], a choice can be compared and holds the prepared programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Empty,
    Copy,
    /// The index of a kernel in the registry, and the programs that are prepared for it.
    Kernel {
        row: usize,
        blocks: Option<Box<Blocks<'static>>>,
    },
    AnyRank,
    /// Each plane has its own fill. All planes run this choice.
    Planes(Box<Choice>),
    /// Another choice runs first. Then the negation changes signs in regions of the output.
    Negated(Box<(Choice, Negation)>),
}

impl Choice {
    /// Returns the best choice with the widest instruction set up to `isa`.
    pub(super) fn of(geometry: &Geometry, isa: Isa) -> Choice {
        if geometry.nest.atom == Atom::Byte && geometry.nest.is_copy() {
            return Choice::Copy.around(geometry);
        }
        Choice::kernel(geometry, isa)
    }

    /// Extends a choice for one plane to the whole output. If signs change, it adds the negation.
    fn around(self, geometry: &Geometry) -> Choice {
        let choice = if geometry.planes().is_some() { Choice::Planes(Box::new(self)) } else { self };
        match Negation::new(geometry, |_| (true, true)) {
            Some(negation) => Choice::Negated(Box::new((choice, negation))),
            None => choice,
        }
    }

    /// Chooses the kernel with the widest instruction set up to `isa`, or the loop in safe code if no kernel fits.
    pub(super) fn kernel(geometry: &Geometry, isa: Isa) -> Choice {
        let nest = &geometry.nest;
        if geometry.output.len == 0 {
            return Choice::Empty;
        }
        let (unit, dtype) = (Unit::of(nest.atom, nest.unit), geometry.unit_dtype());
        let row = isa.up_to().find_map(|isa| find(nest.axes.len(), nest.mode, unit, dtype, isa));
        row.map_or(Choice::AnyRank, |row| Choice::Kernel { row, blocks: None }).around(geometry)
    }

    /// Chooses the loop in safe code.
    pub(super) fn any_rank(geometry: &Geometry) -> Choice {
        if geometry.output.len == 0 { Choice::Empty } else { Choice::AnyRank.around(geometry) }
    }

    /// Prepares the programs of the kernel.
    pub(super) fn prepare(&mut self, geometry: &Geometry) {
        match self {
            Choice::Negated(both) => both.0.prepare(geometry),
            // Interleaved planes get no programs. They have different offsets, and a program is prepared for one offset.
            Choice::Planes(choice) if geometry.planes().is_some_and(|planes| !planes.apart) => {
                choice.prepare(geometry);
            }
            Choice::Kernel { row, blocks } if geometry.nest.atom == Atom::Byte => {
                let isa = kernel::pad()[*row].isa();
                *blocks = Some(Blocks::prepared(&geometry.nest, isa, lanes(isa, geometry.nest.unit)));
            }
            _ => {}
        }
    }

    /// Tells whether the prepared programs read output that they have written.
    pub(super) fn repeats(&self) -> bool {
        match self {
            Choice::Kernel { blocks: Some(blocks), .. } => blocks.repeats(),
            Choice::Planes(choice) => choice.repeats(),
            Choice::Negated(both) => both.0.repeats(),
            _ => false,
        }
    }

    pub(super) fn executor(&self) -> Executor {
        match self {
            Choice::Empty => Executor::Empty,
            Choice::Copy => Executor::Copy,
            Choice::Kernel { row, blocks } => {
                let kernel = &kernel::pad()[*row];
                match blocks {
                    Some(blocks) if blocks.are_all() => Executor::Moves { kernel, count: blocks.moves() },
                    _ => Executor::Nest(kernel),
                }
            }
            Choice::AnyRank => Executor::AnyRank,
            Choice::Planes(choice) => choice.executor(),
            Choice::Negated(both) => both.0.executor(),
        }
    }

    /// Runs the choice on memory whose length is already checked.
    #[inline(always)]
    pub(super) fn run(
        &self,
        geometry: &Geometry,
        streams: bool,
        src: Source<'_>,
        dst: Target<'_>,
        filled: bool,
    ) -> Result<Written, PadError> {
        match self {
            // This case is separate for the sake of small plans. EPYC with AVX2, 12 floats: as an arm of `run_any`, it takes 1.3 times as
            // long.
            Choice::Kernel { blocks: Some(blocks), .. } if blocks.are_all() && !streams && src.is_slice() => {
                Ok(kernel::run_all((&geometry.nest, &geometry.fill, blocks), src, dst, filled))
            }
            Choice::Planes(choice) => choice.run_planes(geometry, streams, src, dst),
            Choice::Negated(both) => Choice::run_negated(both, geometry, streams, src, dst),
            _ => self.run_any((&geometry.nest, &geometry.fill), streams, src, dst, filled),
        }
    }

    /// Runs the choice for each plane.
    #[inline(never)]
    fn run_planes(
        &self,
        geometry: &Geometry,
        streams: bool,
        src: Source<'_>,
        dst: Target<'_>,
    ) -> Result<Written, PadError> {
        let Some(planes) = geometry.planes() else { return Ok(Written::default()) };
        run_planes(planes, &geometry.nest, src, dst, &mut |nest, fill, src, dst| {
            self.run_any((nest, fill), streams, src, dst, false)
        })
    }

    /// Runs a choice, and then negates regions of the output.
    #[inline(never)]
    fn run_negated(
        (choice, negation): &(Choice, Negation),
        geometry: &Geometry,
        streams: bool,
        src: Source<'_>,
        mut dst: Target<'_>,
    ) -> Result<Written, PadError> {
        let written = choice.run(geometry, streams, src, dst.again(), false)?;
        negation.run(&mut dst);
        Ok(written)
    }

    /// Runs any choice.
    #[inline(never)]
    fn run_any(
        &self,
        (nest, fill): (&Nest, &Pattern),
        streams: bool,
        src: Source<'_>,
        dst: Target<'_>,
        filled: bool,
    ) -> Result<Written, PadError> {
        match self {
            Choice::Empty | Choice::Planes(_) | Choice::Negated(_) => Ok(Written::default()),
            Choice::Copy => Ok(kernel::run_copy(nest, src, dst)),
            Choice::Kernel { row, blocks } => {
                let blocks = blocks.as_deref();
                kernel::run(&kernel::pad()[*row], &Task { nest, fill, blocks, filled, streams }, src, dst)
            }
            Choice::AnyRank => Ok(kernel::run_any_rank(nest, fill, src, dst)),
        }
    }
}

impl PadKernel {
    /// Returns whether this kernel can run `plan`.
    pub fn fits(&self, plan: &PadPlan) -> bool {
        plan.geometry.signs.is_empty() && self.takes(&plan.geometry.nest, plan.dtype())
    }

    /// Runs `plan` with this kernel instead of the kernel that the plan has chosen. Tests and benchmarks use this method.
    ///
    /// `src` and `dst` are the bytes of the tensors, with any alignment.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::KernelMismatch`] if the kernel cannot run the plan, [`PadError::IsaUnavailable`] if this machine
    /// cannot run the kernel, [`PadError::Cloned`] if the plan clones values, and [`PadError::Length`] if a slice has another
    /// length than the plan needs.
    #[doc(hidden)]
    pub fn run(&self, plan: &PadPlan, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        if !self.fits(plan) {
            return Err(PadError::KernelMismatch { kernel: self.name() });
        }
        let PadPlan { geometry, streams, .. } = plan;
        geometry.check_bytes(src.len(), dst.len())?;
        let Geometry { nest, fill, .. } = geometry;
        let mut run = |nest: &Nest, fill: &Pattern, src: Source<'_>, dst: Target<'_>| {
            kernel::run(self, &Task { nest, fill, blocks: None, filled: false, streams: *streams }, src, dst)
        };
        let (src, dst) = (Source::slice(src), Target::slice(as_uninit(dst)));
        match geometry.planes() {
            Some(planes) => run_planes(planes, nest, src, dst, &mut run),
            None => run(nest, fill, src, dst),
        }
        .map(drop)
    }
}
