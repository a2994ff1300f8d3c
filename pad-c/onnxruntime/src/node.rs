//! Computes the padding of a node, in safe code.

use std::sync::{Arc, Mutex, PoisonError};

use pad_c::Plan;
use pad_c::types::{Axis, Dtype};

/// The maximum number of plans that a node keeps. A model with inputs of one shape needs one plan.
const MOST_PLANS: usize = 64;

type Planned = Arc<(Question, Box<Plan>)>;

/// A node of a model.
pub(crate) struct Node {
    mode: i32,
    interior: Vec<u64>,
    /// The plans of the last calls, the latest first.
    plans: Mutex<Vec<Planned>>,
}

/// The properties of a call that determine its plan.
#[derive(PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) axes: Vec<Axis>,
    pub(crate) fill: Option<Vec<u8>>,
}

impl Node {
    /// Reads the attributes of a node. For a node without the attribute `mode`, pass an empty string.
    pub(crate) fn new(mode: &str, interior: &[i64]) -> Result<Node, String> {
        let modes = ["constant", "edge", "reflect", "symmetric", "wrap"];
        let at = modes.iter().position(|&known| known == mode || mode.is_empty());
        let mode = at.ok_or_else(|| format!("Pad has no mode {mode}"))? as i32;
        let count = |&count: &i64| u64::try_from(count).map_err(|_| format!("interior pad {count}"));
        let interior = interior.iter().map(count).collect::<Result<_, _>>()?;
        Ok(Node { mode, interior, plans: Mutex::default() })
    }

    /// Returns the plan for a call. It may be a plan of an earlier call.
    pub(crate) fn plan(&self, question: Question) -> Result<Planned, String> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = plans.iter().position(|known| known.0 == question) {
            plans[..=at].rotate_right(1);
        } else {
            let plan = crate::plan(&question)?;
            plans.truncate(MOST_PLANS - 1);
            plans.insert(0, Arc::new((question, plan)));
        }
        Ok(plans[0].clone())
    }

    /// Returns the padding of every axis. `pads` has all begins and then all ends, for the axes in `list` or for all axes.
    pub(crate) fn axes(&self, rank: usize, pads: &[i64], list: Option<&[i64]>) -> Result<Vec<Axis>, String> {
        let all = Vec::from_iter(0..rank as i64);
        let list = list.unwrap_or(&all);
        let (count, interior) = (pads.len(), self.interior.len());
        if count != 2 * list.len() || ![0, rank].contains(&interior) {
            return Err(format!("{} axes have {count} pads and {interior} interior pads", list.len()));
        }
        let mut axes = vec![Axis { low_mode: self.mode, high_mode: self.mode, ..Axis::default() }; rank];
        axes.iter_mut().zip(&self.interior).for_each(|(axis, &interior)| axis.interior = interior);
        let mut seen = vec![false; rank];
        for (at, &axis) in list.iter().enumerate() {
            let index = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).unwrap_or(rank);
            if index >= rank || std::mem::replace(&mut seen[index], true) {
                return Err(format!("axis {axis} of {rank} is out of range or listed twice"));
            }
            (axes[index].low, axes[index].high) = (pads[at], pads[count / 2 + at]);
        }
        Ok(axes)
    }
}

/// Returns the type with this number in `ONNXTensorElementDataType`, and its size in bytes. For strings it returns `I64`,
/// because the node pads the indices of the strings.
pub(crate) fn dtype(number: i32) -> Option<(Dtype, usize)> {
    use Dtype::*;
    let known = [
        F32, U8, I8, U16, I16, I32, I64, I64, Bool, F16, F64, U32, U64, C64, C128, Bf16, F8e4m3fn,
        F8e4m3fnuz, F8e5m2, F8e5m2fnuz, U4, I4, F4e2m1, U2, I2, F8e8m0,
    ];
    let bytes = [4, 1, 1, 2, 2, 4, 8, 8, 1, 2, 8, 4, 8, 8, 16, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let at = usize::try_from(number - 1).ok()?;
    Some((*known.get(at)?, *bytes.get(at)?))
}
