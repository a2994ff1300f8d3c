//! Calls as C code makes them, with arguments that may be wrong.

use std::ptr;

use pad_c::raw::*;
use pad_c::types::{Axis, PAD_MAX_RANK, Request, Status};

/// A request, in which each array may be missing.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// A `pad_dtype`, or none.
    pub dtype: i32,
    /// A `pad_frame`, or none.
    pub frame: i32,
    /// Bytes per element without a type.
    pub element_bytes: usize,
    /// The number of axes.
    pub rank: usize,
    /// The lengths of the input.
    pub shape: Option<Vec<usize>>,
    /// The padding.
    pub axes: Option<Vec<Axis>>,
    /// One element.
    pub fill: Option<Vec<u8>>,
    /// The strides of the input and of the output.
    pub strides: [Option<Vec<isize>>; 2],
    /// The start and the end of a region.
    pub region: [Option<Vec<usize>>; 2],
}

/// Where the buffers of a call begin in its memory, or NULL, and how long they claim to be.
#[derive(Clone, Copy, Debug)]
pub struct Buffers {
    /// The source.
    pub src: (Option<usize>, usize),
    /// The destination.
    pub dst: (Option<usize>, usize),
}

impl Arguments {
    /// The request for C.
    fn request(&self) -> Request {
        fn start<T>(array: &Option<Vec<T>>, len: usize) -> *const T {
            let Some(array) = array else { return ptr::null() };
            assert!(array.len() >= len, "as long as it claims");
            array.as_ptr()
        }
        // A rank out of bounds is refused before any array is read.
        let rank = if self.rank > PAD_MAX_RANK { 0 } else { self.rank };
        let [input, output] = &self.strides;
        let [first, last] = &self.region;
        Request {
            dtype: self.dtype,
            frame: self.frame,
            element_bytes: self.element_bytes,
            rank: self.rank,
            shape: start(&self.shape, rank),
            axes: start(&self.axes, rank),
            fill: start(&self.fill, self.element_bytes.max(16)).cast(),
            input_strides: start(input, rank),
            output_strides: start(output, rank),
            region_start: start(first, rank),
            region_end: start(last, rank),
        }
    }

    /// `pad_once` on buffers in `memory`.
    pub fn once(&self, memory: &mut [u8], buffers: Buffers) -> Status {
        self.once_often(memory, buffers, 1)
    }

    /// `pad_once`, so many times, at least once.
    pub fn once_often(&self, memory: &mut [u8], buffers: Buffers, times: u32) -> Status {
        let (src, dst) = buffers.pointers(memory);
        let request = self.request();
        // SAFETY: arrays and buffers are as long as they claim.
        let call = || unsafe { pad_once(&request, src.cast(), buffers.src.1, dst.cast(), buffers.dst.1) };
        (1..times).for_each(|_| _ = call());
        call()
    }
}

impl Buffers {
    fn pointers(&self, memory: &mut [u8]) -> (*const u8, *mut u8) {
        let start = memory.as_mut_ptr();
        let [src, dst] = [self.src, self.dst].map(|(at, len)| {
            let Some(at) = at else { return ptr::null_mut() };
            // What is larger than memory is refused before anything is read.
            assert!(
                at + if len > isize::MAX as usize { 0 } else { len } <= memory.len(),
                "as long as it claims"
            );
            start.wrapping_add(at)
        });
        (src, dst)
    }
}

/// A plan that C owns.
#[derive(Debug)]
pub struct Plan(*mut pad_c::Plan);

impl Plan {
    /// `pad_plan_new`.
    pub fn new(arguments: &Arguments) -> Result<Plan, Status> {
        let mut plan = ptr::null_mut();
        // SAFETY: arrays are as long as they claim.
        match unsafe { pad_plan_new(&arguments.request(), &mut plan) } {
            Status::Ok => Ok(Plan(plan)),
            status => Err(status),
        }
    }

    /// `pad_plan_output_shape`.
    pub fn output_shape(&self, rank: usize) -> (Status, Vec<usize>) {
        let mut shape = vec![0; rank];
        // SAFETY: a plan, and so many lengths.
        (unsafe { pad_plan_output_shape(self.0, shape.as_mut_ptr(), rank) }, shape)
    }

    /// `pad_plan_input_bytes` and `pad_plan_output_bytes`.
    pub fn bytes(&self) -> [usize; 2] {
        // SAFETY: a plan.
        unsafe { [pad_plan_input_bytes(self.0), pad_plan_output_bytes(self.0)] }
    }

    /// `pad_run`, so many times, at least once.
    pub fn run_often(&self, memory: &mut [u8], buffers: Buffers, times: u32) -> Status {
        let (src, dst) = buffers.pointers(memory);
        let (src, dst, read, written) = (src.cast(), dst.cast(), buffers.src.1, buffers.dst.1);
        // SAFETY: a plan, and buffers that are as long as they claim.
        let call = || unsafe { pad_run(self.0, ptr::null(), src, read, dst, written) };
        (1..times).for_each(|_| _ = call());
        call()
    }

    /// `pad_run`, `pad_run_adjoint` or `pad_run_borders`, on buffers in `memory`.
    pub fn run(&self, function: Function, memory: &mut [u8], buffers: Buffers) -> Status {
        let (src, dst) = buffers.pointers(memory);
        let (src, dst, read, written) = (src.cast(), dst.cast(), buffers.src.1, buffers.dst.1);
        // SAFETY: a plan, and buffers that are as long as they claim.
        unsafe {
            match function {
                Function::Run => pad_run(self.0, ptr::null(), src, read, dst, written),
                Function::Adjoint => pad_run_adjoint(self.0, src, read, dst, written),
                Function::Borders => pad_run_borders(self.0, dst, written),
            }
        }
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: a plan, freed once.
        unsafe { pad_plan_free(self.0) };
    }
}

/// Which function runs a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `pad_run`.
    Run,
    /// `pad_run_adjoint`.
    Adjoint,
    /// `pad_run_borders`.
    Borders,
}
