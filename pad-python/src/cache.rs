//! Plans of earlier calls.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use pad_kernels::{BorderPlan, PadError};
use pyo3::PyResult;
use rustc_hash::FxBuildHasher;

use crate::request::{Axes, Lies, Prepared, Request};
use crate::torch::{TensorKey, TensorPlan};

/// What a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) request: Request,
    pub(crate) input: Lies,
    pub(crate) output: Lies,
    /// Whether the output is memory that was not touched yet.
    pub(crate) untouched: bool,
}

/// What the plan of borders in place depends on: the request is of the inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BorderKey {
    pub(crate) request: Request,
    pub(crate) array: Lies,
    /// Which sides of each axis are written.
    pub(crate) sides: Axes<(bool, bool)>,
}

/// The most plans of a kind that a thread keeps, of a few kilobytes each. Programs that pad more different shapes than this in turn
/// plan every call, which takes half a microsecond more.
const MOST: usize = 256;

/// Plans by what they depend on.
struct Plans<K, P>(HashMap<K, Rc<P>, FxBuildHasher>);

impl<K: Clone + Eq + Hash, P> Plans<K, P> {
    const fn new() -> Self {
        Plans(HashMap::with_hasher(FxBuildHasher))
    }

    fn get<E>(&mut self, key: &K, make: impl FnOnce() -> Result<P, E>) -> Result<Rc<P>, E> {
        if let Some(found) = self.0.get(key) {
            return Ok(found.clone());
        }
        let made = Rc::new(make()?);
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(key.clone(), made.clone());
        Ok(made)
    }
}

thread_local! {
    // A thread's own, so that they take no lock with or without the GIL.
    static PLANS: RefCell<Plans<Key, Prepared>> = const { RefCell::new(Plans::new()) };
    static TENSORS: RefCell<Plans<TensorKey, TensorPlan>> = const { RefCell::new(Plans::new()) };
    static BORDERS: RefCell<Plans<BorderKey, BorderPlan>> = const { RefCell::new(Plans::new()) };
}

/// The plan of an earlier call like this, or a new one.
///
/// # Errors
///
/// Those of the plan.
pub(crate) fn prepared(key: &Key) -> Result<Rc<Prepared>, PadError> {
    PLANS.with_borrow_mut(|plans| {
        plans.get(key, || key.request.prepare(&key.input, &key.output, key.untouched))
    })
}

/// The plan of borders in place.
///
/// # Errors
///
/// Those of the plan.
pub(crate) fn borders(key: &BorderKey) -> Result<Rc<BorderPlan>, PadError> {
    BORDERS.with_borrow_mut(|plans| plans.get(key, || key.request.borders(&key.array, &key.sides)))
}

/// The plan of an earlier call with a tensor like this, or a new one.
///
/// # Errors
///
/// Those of `make`.
pub(crate) fn tensors(
    key: &TensorKey,
    make: impl FnOnce() -> PyResult<TensorPlan>,
) -> PyResult<Rc<TensorPlan>> {
    TENSORS.with_borrow_mut(|plans| plans.get(key, make))
}
