//! A workload made ready to be run: plan, input, and what is expected.

use pad_kernels::{PadPlan, PadSpec, kernels::Isa};

use crate::Error;
use crate::check::Expected;
use crate::data::{Buffer, paint};
use crate::workload::Workload;

/// What holds for a whole run of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// The instruction set our kernels are forced to.
    pub isa: Option<Isa>,
    /// Threads that every competitor but memcpy may use.
    pub threads: usize,
}

/// A workload with its input.
pub struct Case {
    /// The workload.
    pub workload: Workload,
    /// What holds for the whole run.
    pub settings: Settings,
    /// The request.
    pub spec: PadSpec,
    /// The library's plan, as it makes it.
    pub plan: PadPlan,
    /// As long as the longer of input and output, so that memcpy has something to copy.
    source: Buffer,
    expected: Expected,
}

impl Case {
    /// Makes `workload` ready.
    ///
    /// # Errors
    ///
    /// If the library refuses it.
    pub fn new(workload: &Workload, settings: Settings) -> Result<Case, Error> {
        let spec = workload.spec();
        let plan = PadPlan::for_dtype(&spec, &workload.shape, workload.dtype)
            .map_err(|error| format!("{}: {error}", workload.id))?;
        let mut source = Buffer::filled(plan.input_bytes().max(plan.output_bytes()), 0);
        paint(&mut source, workload.dtype);
        let expected = Expected::new(workload);
        Ok(Case { workload: workload.clone(), settings, spec, plan, source, expected })
    }

    /// The input's bytes.
    pub fn input(&self) -> &[u8] {
        &self.source[..self.plan.input_bytes()]
    }

    /// As many bytes as the output has.
    pub fn memcpy_source(&self) -> &[u8] {
        &self.source[..self.plan.output_bytes()]
    }

    /// The output's bytes.
    pub fn output_bytes(&self) -> usize {
        self.plan.output_bytes()
    }

    /// Compares all of an output with the reference.
    ///
    /// # Errors
    ///
    /// If they differ, with the first element that does.
    pub fn check(&self, output: &[u8]) -> Result<(), String> {
        self.expected.check(self.input(), output)
    }
}
