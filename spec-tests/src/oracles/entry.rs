//! The library's functions that run a plan.

use std::mem::MaybeUninit;

use bytemuck::{CheckedBitPattern, NoUninit, checked};
use pad_kernels::{
    DType, Element, PadError, PadPlan, kernels::PadKernel, pad, pad_bytes, pad_bytes_into, pad_cloned,
    pad_into,
};

use crate::case::{Case, Kind};
use crate::pools::on_threads;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Plans and runs in one call, and writes to existing memory.
    PadInto,
    /// Plans and runs in one call, and returns a new vector.
    Pad,
    /// Runs a plan, and writes to existing memory.
    Run,
    /// Runs a plan, and writes to uninitialised memory.
    RunUninit,
    /// Runs a plan, and returns a new vector.
    ToVec,
    /// Runs a plan row by row. A row covers this many trailing axes.
    Rows(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    One,
    /// A pool with this number of threads.
    Pool(usize),
    /// A pool of two threads, which write pieces of at most this many bytes.
    Pieces(usize),
}

/// One way to call the library: the function, the element type and the threads.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub call: Call,
    /// Whether the elements are passed as a Rust type. Otherwise, they are passed as bytes.
    pub typed: bool,
    pub threads: Threads,
    /// A kernel that runs the plan. Without it, the plan chooses.
    pub(crate) row: Option<&'static PadKernel>,
}

impl Entry {
    /// Runs a plan on bytes, on one thread.
    pub const RUN: Entry = Entry { call: Call::Run, typed: false, threads: Threads::One, row: None };

    /// Returns whether the call needs an output without holes, because it fills new memory.
    pub(super) fn makes_output(&self) -> bool {
        matches!(self.call, Call::Pad | Call::ToVec | Call::RunUninit)
    }

    pub(super) fn run_bytes(
        &self,
        case: &Case,
        plan: &PadPlan,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<(), PadError> {
        let dtype = || match case.kind {
            Kind::Tagged(dtype) => dtype,
            Kind::Raw(_) => unreachable!("one call takes a tag"),
        };
        let new = match (self.call, self.threads, self.row) {
            (Call::Run, _, Some(row)) => return row.run(plan, src, dst),
            (Call::PadInto, ..) => return pad_bytes_into(src, &case.shape, dtype(), &case.spec(), dst),
            (Call::Run, Threads::One, _) => return plan.run_bytes(src, dst),
            (Call::Run, Threads::Pool(threads), _) => {
                return on_threads(threads, || plan.par_run_bytes(src, dst));
            }
            (Call::Run, Threads::Pieces(bytes), _) => {
                return on_threads(2, || plan.par_run_pieces(src, dst, bytes));
            }
            (Call::Pad, ..) => pad_bytes(src, &case.shape, dtype(), &case.spec())?,
            (Call::ToVec, Threads::Pool(threads), _) => on_threads(threads, || plan.par_to_vec_bytes(src))?,
            (Call::ToVec, ..) => plan.to_vec_bytes(src)?,
            (Call::RunUninit | Call::Rows(_), ..) => unreachable!("of elements alone"),
        };
        dst[..new.len()].copy_from_slice(&new);
        Ok(())
    }

    pub(super) fn run_typed<T: Typed>(
        &self,
        case: &Case,
        plan: &PadPlan,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<(), PadError> {
        // Junk may be no valid `bool`, so use zeros instead.
        let before = if case.kind == Kind::Tagged(DType::Bool) { vec![0; dst.len()] } else { dst.to_vec() };
        let (src, mut to) = (elements::<T>(src), elements::<T>(&before));
        let new = match (self.call, self.threads) {
            (Call::PadInto, _) => pad_into(&src, &case.shape, &case.spec(), &mut to).map(|()| to)?,
            (Call::Run, Threads::One) => plan.run(&src, &mut to).map(|()| to)?,
            (Call::Run, Threads::Pool(threads)) => {
                on_threads(threads, || plan.par_run(&src, &mut to)).map(|()| to)?
            }
            (Call::RunUninit, _) => {
                let mut memory: Vec<_> = to.into_iter().map(MaybeUninit::new).collect();
                plan.run_uninit(&src, &mut memory)?.to_vec()
            }
            (Call::Pad, _) => pad(&src, &case.shape, &case.spec())?,
            (Call::ToVec, Threads::Pool(threads)) => on_threads(threads, || plan.par_to_vec(&src))?,
            (Call::ToVec, _) => plan.to_vec(&src)?,
            (Call::Rows(axes), _) => rows(plan, axes, &src)?,
            (Call::Run, Threads::Pieces(_)) => unreachable!("of bytes alone"),
        };
        let new = bytemuck::cast_slice(&new);
        dst[..new.len()].copy_from_slice(new);
        Ok(())
    }

    pub(super) fn run_texts(
        &self,
        case: &Case,
        plan: &PadPlan,
        src: &[String],
        dst: &mut [String],
    ) -> Result<(), PadError> {
        let fill = Case::TEXT_FILL.to_string();
        let new = match self.call {
            Call::Run => return plan.run_cloned(src, &fill, dst),
            Call::Pad => pad_cloned(src, &case.shape, &case.spec(), &fill)?,
            Call::ToVec => plan.to_vec_cloned(src, &fill)?,
            Call::PadInto | Call::RunUninit | Call::Rows(_) => unreachable!("no such calls"),
        };
        dst[..new.len()].clone_from_slice(&new);
        Ok(())
    }
}

/// An element type that converts from bytes and to bytes.
pub trait Typed: Element + Send + Sync + NoUninit + CheckedBitPattern {}

impl<T: Element + Send + Sync + NoUninit + CheckedBitPattern> Typed for T {}

pub fn elements<T: Typed>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(checked::pod_read_unaligned).collect()
}

/// Runs `plan` row by row, and returns all rows in order. A row covers the last `axes` axes.
///
/// # Errors
///
/// Returns the errors of [`PadPlan::rows`].
pub fn rows<T: Typed>(plan: &PadPlan, axes: usize, src: &[T]) -> Result<Vec<T>, PadError> {
    let shape = plan.output_shape();
    let row: usize = shape[shape.len() - axes..].iter().product();
    let mut buffer = elements(&vec![0; row * size_of::<T>()]);
    let (mut rows, mut all) = (plan.rows(axes, src, &mut buffer)?, Vec::new());
    while let Some(row) = rows.next_row() {
        all.extend_from_slice(row);
    }
    Ok(all)
}

/// Evaluates an expression with the Rust type of a kind of element. Returns `None` if the list below has no such type.
macro_rules! with_type {
    ($kind:expr, $type:ident => $call:expr) => {
        with_type!(@ $kind, $type => $call;
            Tagged(DType::F64): f64, Tagged(DType::F32): f32, Tagged(DType::I8): i8, Tagged(DType::I16): i16,
            Tagged(DType::I32): i32, Tagged(DType::I64): i64, Tagged(DType::U8): u8, Tagged(DType::U16): u16,
            Tagged(DType::U32): u32, Tagged(DType::U64): u64, Tagged(DType::Bool): bool,
            Raw(1): [u8; 1], Raw(3): [u8; 3], Raw(12): [u8; 12], Raw(16): [u8; 16], Raw(33): [u8; 33])
    };
    (@ $kind:expr, $type:ident => $call:expr; $($variant:ident($of:pat): $rust:ty),*) => {{
        use pad_kernels::DType;
        match $kind {
            $(Kind::$variant($of) => { type $type = $rust; Some($call) })*
            _ => None,
        }
    }};
}
pub(super) use with_type;
