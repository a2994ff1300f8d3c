//! Plans of earlier calls.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use pad_kernels::PadError;
use rustc_hash::FxBuildHasher;

use crate::request::{Lies, Prepared, Request};

/// What a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) request: Request,
    pub(crate) input: Lies,
    pub(crate) output: Lies,
    /// Whether the output is memory that was not touched yet.
    pub(crate) untouched: bool,
}

/// The most plans that a thread keeps, of a few kilobytes each. Programs that pad more different shapes than this in turn
/// plan every call, which takes half a microsecond more.
const MOST: usize = 256;

thread_local! {
    // A thread's own, so that it takes no lock with or without the GIL.
    static PLANS: RefCell<HashMap<Key, Rc<Prepared>, FxBuildHasher>> = const { RefCell::new(HashMap::with_hasher(FxBuildHasher)) };
}

/// The plan of an earlier call like this, or a new one.
///
/// # Errors
///
/// Those of the plan.
pub(crate) fn prepared(key: &Key) -> Result<Rc<Prepared>, PadError> {
    PLANS.with_borrow_mut(|plans| {
        if let Some(found) = plans.get(key) {
            return Ok(found.clone());
        }
        let made = Rc::new(key.request.prepare(&key.input, &key.output, key.untouched)?);
        if plans.len() >= MOST {
            plans.clear();
        }
        plans.insert(key.clone(), made.clone());
        Ok(made)
    })
}
