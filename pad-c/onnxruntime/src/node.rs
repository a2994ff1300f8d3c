//! The padding that a node asks for, in safe code.

use std::sync::{Arc, Mutex, PoisonError};

use pad_c::Plan;
use pad_c::types::{Axis, Dtype, Mode};

/// The most plans of a node, one per shape.
const MOST_PLANS: usize = 64;

type Planned = Arc<(Question, Box<Plan>)>;

/// A node of a model.
pub(crate) struct Node {
    mode: i32,
    interior: Vec<u64>,
    /// The last plans, the latest first.
    plans: Mutex<Vec<Planned>>,
}

/// A call without its data.
#[derive(PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) pads: Vec<i64>,
    pub(crate) axes: Option<Vec<i64>>,
    pub(crate) fill: Option<Vec<u8>>,
}

impl Node {
    /// `mode` is empty where the node has none.
    pub(crate) fn new(mode: &str, interior: &[i64]) -> Result<Node, String> {
        let mode = match mode {
            "" | "constant" => Mode::Constant,
            "edge" => Mode::Edge,
            "reflect" => Mode::Reflect,
            "wrap" => Mode::Wrap,
            other => return Err(format!("Pad has no mode {other}")),
        };
        let count = |&count: &i64| u64::try_from(count).map_err(|_| format!("interior pad {count}"));
        let interior = interior.iter().map(count).collect::<Result<_, _>>()?;
        Ok(Node { mode: mode as i32, interior, plans: Mutex::default() })
    }

    /// The plan for a call: one of the last ones, or a new one.
    pub(crate) fn plan(&self, question: Question) -> Result<Planned, String> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = plans.iter().position(|known| known.0 == question) {
            plans[..=at].rotate_right(1);
        } else {
            let plan = crate::ort::plan(&question, &self.axes(&question)?)?;
            plans.truncate(MOST_PLANS - 1);
            plans.insert(0, Arc::new((question, plan)));
        }
        Ok(plans[0].clone())
    }

    /// The padding of every axis, from lists of all begins and then all ends.
    fn axes(&self, question: &Question) -> Result<Vec<Axis>, String> {
        let (rank, all) = (question.shape.len(), Vec::from_iter(0..question.shape.len() as i64));
        let listed = question.axes.as_deref().unwrap_or(&all);
        let (pads, interior) = (question.pads.len(), self.interior.len());
        if pads != 2 * listed.len() || ![0, rank].contains(&interior) {
            return Err(format!("{} axes have {pads} pads and {interior} interior pads", listed.len()));
        }
        let mut axes = vec![Axis { low_mode: self.mode, high_mode: self.mode, ..Axis::default() }; rank];
        axes.iter_mut().zip(&self.interior).for_each(|(axis, &interior)| axis.interior = interior);
        let mut seen = vec![false; rank];
        for (at, &axis) in listed.iter().enumerate() {
            let index = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).unwrap_or(rank);
            if index >= rank || std::mem::replace(&mut seen[index], true) {
                return Err(format!("axis {axis} of {rank} is out of range or listed twice"));
            }
            (axes[index].low, axes[index].high) = (question.pads[at], question.pads[pads / 2 + at]);
        }
        Ok(axes)
    }
}

/// The type of this number in `ONNXTensorElementDataType`, and the bytes of a fill. Text has none.
pub(crate) fn dtype(number: i32) -> Option<(Dtype, usize)> {
    use Dtype::*;
    let known = [
        F32, U8, I8, U16, I16, I32, I64, Bytes, Bool, F16, F64, U32, U64, C64, C128, Bf16, F8e4m3fn,
        F8e4m3fnuz, F8e5m2, F8e5m2fnuz, U4, I4, F4e2m1, U2, I2, F8e8m0,
    ];
    let bytes = [4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 8, 16, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let index = usize::try_from(number - 1).ok()?;
    known.get(index).copied().zip(bytes.get(index).copied()).filter(|&(dtype, _)| dtype != Bytes)
}
