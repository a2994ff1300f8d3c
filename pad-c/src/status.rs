//! Errors as a status and a message.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pad_kernels::PadError;

use crate::types::Status;

/// An error before it is returned to C. A pointer, so that a `Result` is one register.
pub(crate) struct Failure(Box<(Status, String)>);

impl Failure {
    #[cold]
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Failure {
        Failure(Box::new((status, message.into())))
    }

    #[cold]
    pub(crate) fn null(name: &str) -> Failure {
        Failure::new(Status::Pointer, format!("{name} is NULL or not aligned"))
    }
}

impl From<PadError> for Failure {
    #[cold]
    fn from(error: PadError) -> Failure {
        match error {
            PadError::Length { operand, expected, got }
            | PadError::GradientLength { operand, expected, got } => Failure::new(
                Status::Size,
                format!("the {operand} has {got} bytes, and the plan needs {expected}"),
            ),
            PadError::OutOfMemory { .. } => Failure::new(Status::OutOfResources, error.to_string()),
            _ => Failure::new(Status::Refused, error.to_string()),
        }
    }
}

thread_local! {
    /// The message of the last error of this thread.
    pub(crate) static LAST: RefCell<CString> = RefCell::default();
}

/// Turns the outcome of `call`, and a panic, into a status, and keeps the message of an error.
#[inline]
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(failure)) => record(failure),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
            record(Failure::new(Status::Internal, format!("a bug of the library: {text}")))
        }
    }
}

#[cold]
fn record(Failure(failure): Failure) -> Status {
    LAST.set(CString::new(failure.1).unwrap_or_default());
    failure.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_end_here() {
        assert_eq!(guard(|| panic!("{} times two", 2)), Status::Internal);
        let last = LAST.with_borrow(|message| message.clone().into_string());
        assert_eq!(last.as_deref(), Ok("a bug of the library: 2 times two"));
        assert_eq!(guard(|| Err(PadError::OutOfMemory { bytes: 1 }.into())), Status::OutOfResources);
    }
}
