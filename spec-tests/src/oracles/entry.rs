//! Lists the functions of the library that run a plan, and calls them.

use std::mem::MaybeUninit;

use pad_kernels::{
    DType, PadError, PadPlan, kernels::PadKernel, pad, pad_bytes, pad_bytes_into, pad_cloned, pad_into,
};
use strum::EnumIter;

use super::run::Run;
use crate::case::{Case, Kind, Typed, elements, text, with_type};
use crate::pointers;
use crate::pools::on_threads;

type Ran<T = ()> = Result<T, PadError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter)]
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
    /// Runs a plan on tensors behind pointers.
    Raw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The kernel that runs the plan. If it is `None`, the plan chooses a kernel.
    pub(crate) row: Option<&'static PadKernel>,
}

impl Entry {
    /// Runs a plan on bytes, on one thread.
    pub const RUN: Entry = Entry { call: Call::Run, typed: false, threads: Threads::One, row: None };

    /// Runs `plan` on the elements of `src`, and writes the elements of `dst`.
    pub(super) fn run(&self, run: &Run<'_>, plan: &PadPlan, src: &[u8], dst: &mut [u8]) -> Ran {
        let case = run.case;
        let new = match case.kind {
            kind if kind.is_cloned() => self.run_texts(case, plan, src, dst)?,
            kind if self.typed => {
                with_type!(kind, T => self.run_typed::<T>(run, plan, src, dst)).expect("a Rust type")?
            }
            _ => return self.run_bytes(run, plan, src, dst),
        };
        dst[..new.len()].copy_from_slice(&new);
        Ok(())
    }

    fn run_bytes(&self, run: &Run<'_>, plan: &PadPlan, src: &[u8], dst: &mut [u8]) -> Ran {
        let case = run.case;
        let dtype = || case.kind.dtype().expect("one call takes a type");
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
            (Call::Raw, ..) => {
                let input = (src, plan.input_shape(), &run.input);
                let output = (dst, plan.output_shape(), &run.output);
                return pointers::run(plan, case.kind.bytes(1), input, output);
            }
            (Call::RunUninit, threads, _) => {
                let mut memory: Vec<_> = dst.iter().copied().map(MaybeUninit::new).collect();
                let bytes = match threads {
                    Threads::Pool(count) => on_threads(count, || plan.par_run_bytes_uninit(src, &mut memory)),
                    _ => plan.run_bytes_uninit(src, &mut memory),
                };
                bytes?.to_vec()
            }
            (Call::Pad, ..) => pad_bytes(src, &case.shape, dtype(), &case.spec())?,
            (Call::ToVec, Threads::Pool(threads), _) => on_threads(threads, || plan.par_to_vec_bytes(src))?,
            (Call::ToVec, ..) => plan.to_vec_bytes(src)?,
            (Call::Rows(_), ..) => unreachable!("rows are made of elements, not of bytes"),
        };
        dst[..new.len()].copy_from_slice(&new);
        Ok(())
    }

    fn run_typed<T: Typed>(&self, run: &Run<'_>, plan: &PadPlan, src: &[u8], dst: &[u8]) -> Ran<Vec<u8>> {
        let case = run.case;
        // The bytes that a run writes may be no valid `bool` before.
        let mask = if case.kind == Kind::Tagged(DType::Bool) { 1 } else { u8::MAX };
        let before: Vec<u8> = dst.iter().map(|byte| byte & mask).collect();
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
            (Call::Rows(axes), _) => {
                let shape = plan.output_shape();
                let length: usize = shape[shape.len() - axes..].iter().product();
                let mut row = elements::<T>(&vec![0; length * size_of::<T>()]);
                let (mut rows, mut slots) = (plan.rows(axes, &src, &mut row)?, run.to.iter());
                while let Some(row) = rows.next_row() {
                    row.iter().zip(&mut slots).for_each(|(&element, &slot)| to[slot] = element);
                }
                to
            }
            (Call::Raw, _) | (Call::Run, Threads::Pieces(_)) => unreachable!("of bytes alone"),
        };
        Ok(bytemuck::cast_slice(&new).to_vec())
    }

    /// Runs a plan on texts. Each byte of `src` stands for one text.
    fn run_texts(&self, case: &Case, plan: &PadPlan, src: &[u8], dst: &[u8]) -> Ran<Vec<u8>> {
        let texts = |bytes: &[u8]| bytes.iter().map(text).collect::<Vec<_>>();
        let (src, mut to, fill) = (texts(src), texts(dst), text(&case.fill_bytes()[0]));
        let new = match self.call {
            Call::Run => plan.run_cloned(&src, &fill, &mut to).map(|()| to)?,
            Call::Pad => pad_cloned(&src, &case.shape, &case.spec(), &fill)?,
            Call::ToVec => plan.to_vec_cloned(&src, &fill)?,
            _ => unreachable!("no such calls"),
        };
        let byte = |text: &String| text["text ".len()..].parse().expect("the text of a byte");
        Ok(new.iter().map(byte).collect())
    }
}
