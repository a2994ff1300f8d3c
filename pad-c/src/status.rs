//! Errors as a status and a message.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
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

    #[cold]
    pub(crate) fn unknown(name: &str, value: i32) -> Failure {
        Failure::new(Status::UnknownValue, format!("{name} has no value {value}"))
    }

    /// The size of a buffer is not `needed`.
    #[cold]
    pub(crate) fn size(name: &str, given: usize, needed: usize) -> Failure {
        Failure::new(Status::Size, format!("{name} has {given} bytes, and the plan needs {needed}"))
    }
}

impl From<PadError> for Failure {
    #[cold]
    fn from(error: PadError) -> Failure {
        let status = match error {
            PadError::OutOfMemory { .. } => Status::OutOfResources,
            PadError::Length { .. } | PadError::GradientLength { .. } => Status::Size,
            _ => Status::Refused,
        };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// The message of the last error of this thread.
pub(crate) fn last_error() -> *const c_char {
    LAST.with_borrow(|message| message.as_ptr())
}

/// Turns the outcome of `call`, and a panic, into a status, and keeps the message of an error.
#[inline]
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(failure)) => record(failure),
        Err(panic) => record(Failure::new(Status::Internal, message_of(&*panic))),
    }
}

#[cold]
fn record(Failure(failure): Failure) -> Status {
    LAST.set(CString::new(failure.1).unwrap_or_default());
    failure.0
}

#[cold]
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a bug of the library: {}", text.unwrap_or("it panicked"))
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
