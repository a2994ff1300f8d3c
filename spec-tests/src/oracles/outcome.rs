//! What came of a case.

use std::{error, fmt};

use pad_kernels::PadError;

use crate::case::Case;

/// A difference, told with the case that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl Mismatch {
    /// A difference of `case`.
    pub(crate) fn new(case: &Case, what: impl fmt::Display) -> Mismatch {
        Mismatch(format!("{case}\n{what}\n\n{case:?}"))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for Mismatch {}

/// What came of a case that is as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran.
    Ran,
    /// It was refused, rightly.
    Refused(PadError),
}

impl Outcome {
    /// Fails if fewer than `percent` of these ran.
    pub fn most_ran(outcomes: &[Outcome], percent: usize) {
        let ran = outcomes.iter().filter(|outcome| **outcome == Outcome::Ran).count();
        assert!(ran * 100 >= outcomes.len() * percent, "only {ran} of {} cases ran", outcomes.len());
    }
}
