//! A workload with its plan, its input and the expected output.

use pad_kernels::{PadPlan, PadSpec, kernels::Isa};

use crate::Error;
use crate::check::Expected;
use crate::data::{Buffer, paint};
use crate::workload::Workload;

/// The settings of a whole run of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// The instruction set that our kernels must use.
    pub isa: Option<Isa>,
    /// The number of threads for every competitor except memcpy.
    pub threads: usize,
}

/// A workload with its input.
pub struct Case {
    /// The workload.
    pub workload: Workload,
    /// The settings of the run.
    pub settings: Settings,
    /// The request.
    pub spec: PadSpec,
    /// The library's own plan.
    pub plan: PadPlan,
    /// The input. It is at least as long as the output, so that memcpy can copy as much.
    source: Buffer,
    expected: Expected,
}

impl Case {
    /// Prepares `workload`.
    ///
    /// # Errors
    ///
    /// The call fails if the library refuses the workload.
    pub fn new(workload: &Workload, settings: Settings) -> Result<Case, Error> {
        let spec = workload.spec();
        let plan = PadPlan::for_dtype(&spec, &workload.shape, workload.dtype)
            .map_err(|error| format!("{}: {error}", workload.id))?;
        let mut source = Buffer::filled(plan.input_bytes().max(plan.output_bytes()), 0);
        paint(&mut source, workload.dtype);
        let expected = Expected::new(workload);
        Ok(Case { workload: workload.clone(), settings, spec, plan, source, expected })
    }

    /// Returns the input's bytes.
    pub fn input(&self) -> &[u8] {
        &self.source[..self.plan.input_bytes()]
    }

    /// Returns the bytes that memcpy copies: as many bytes of the source as the output has.
    pub fn memcpy_source(&self) -> &[u8] {
        &self.source[..self.plan.output_bytes()]
    }

    /// Returns the size of the output in bytes.
    pub fn output_bytes(&self) -> usize {
        self.plan.output_bytes()
    }

    /// Compares a whole output with the reference.
    ///
    /// # Errors
    ///
    /// The call fails if they differ. The error names the first wrong element.
    pub fn check(&self, output: &[u8]) -> Result<(), String> {
        self.expected.check(self.input(), output)
    }
}
