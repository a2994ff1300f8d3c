//! Keeps the plans of earlier calls.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::rc::Rc;

use pad_kernels::{BorderPlan, PadError};
use pyo3::PyResult;
use rustc_hash::FxBuildHasher;

use crate::request::{Axes, Lies, Prepared, Request};
use crate::torch::{TensorKey, TensorPlan};

/// The arguments that determine a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) request: Request,
    pub(crate) input: Lies,
    pub(crate) output: Lies,
    /// True if the output is new memory that nobody has accessed yet.
    pub(crate) untouched: bool,
}

/// The arguments that determine a plan for borders. The input of the request is the interior of the array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BorderKey {
    pub(crate) request: Request,
    pub(crate) array: Lies,
    /// The sides of each axis that are written.
    pub(crate) sides: Axes<(bool, bool)>,
}

/// The number of new plans after which old plans are dropped, per kind and thread. At most twice as many plans are kept, and a
/// plan that is kept has a few kilobytes. A program with more shapes in turn makes a new plan for each call, which takes 3 to
/// 7 us longer on Zen 4.
const MOST: usize = 512;

/// The most bytes of fill of a request whose plan is kept. A fill can have any size: one element for each position of an axis, or
/// a long string.
const MOST_FILL: usize = 1 << 10;

/// Plans, with the arguments that determine them as keys.
struct Plans<K, P> {
    young: HashMap<K, Rc<P>, FxBuildHasher>,
    /// Plans that no call has needed since they left `young`. A call that needs one of them moves it back.
    old: HashMap<K, Rc<P>, FxBuildHasher>,
}

impl<K: Clone + Eq + Hash, P> Plans<K, P> {
    const fn new() -> Self {
        Plans { young: HashMap::with_hasher(FxBuildHasher), old: HashMap::with_hasher(FxBuildHasher) }
    }

    /// Returns the plan for a key that contains `fill` bytes of fill.
    fn get<E>(&mut self, key: &K, fill: usize, make: impl FnOnce() -> Result<P, E>) -> Result<Rc<P>, E> {
        if fill > MOST_FILL {
            return make().map(Rc::new);
        }
        if let Some(found) = self.young.get(key) {
            return Ok(found.clone());
        }
        let plan = match self.old.remove(key) {
            Some(found) => found,
            None => Rc::new(make()?),
        };
        if self.young.len() >= MOST {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key.clone(), plan.clone());
        Ok(plan)
    }
}

thread_local! {
    // Each thread has its own plans, so no lock is needed, with or without the GIL.
    static PLANS: RefCell<Plans<Key, Prepared>> = const { RefCell::new(Plans::new()) };
    static TENSORS: RefCell<Plans<TensorKey, TensorPlan>> = const { RefCell::new(Plans::new()) };
    static BORDERS: RefCell<Plans<BorderKey, BorderPlan>> = const { RefCell::new(Plans::new()) };
}

/// Returns the plan of an earlier call with these arguments, or a new plan.
///
/// # Errors
///
/// Returns the errors of planning.
pub(crate) fn prepared(key: &Key) -> Result<Rc<Prepared>, PadError> {
    PLANS.with_borrow_mut(|plans| {
        plans.get(key, key.request.fill_bytes(), || {
            key.request.prepare(&key.input, &key.output, key.untouched)
        })
    })
}

/// Returns the plan for borders of an earlier call, or a new plan.
///
/// # Errors
///
/// Returns the errors of planning.
pub(crate) fn borders(key: &BorderKey) -> Result<Rc<BorderPlan>, PadError> {
    BORDERS.with_borrow_mut(|plans| {
        plans.get(key, key.request.fill_bytes(), || key.request.borders(&key.array, &key.sides))
    })
}

/// Returns the plan of an earlier call with an equal key, or a new plan.
///
/// # Errors
///
/// Returns the errors of `make`.
pub(crate) fn tensors(
    key: &TensorKey,
    make: impl FnOnce() -> PyResult<TensorPlan>,
) -> PyResult<Rc<TensorPlan>> {
    TENSORS.with_borrow_mut(|plans| plans.get(key, 0, make))
}
