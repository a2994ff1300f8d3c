//! The padding that a node asks for, in safe code.

use std::sync::{Arc, Mutex, PoisonError};

use pad_c::types::{Axis, Dtype, Mode};

use crate::ort::Plan;

/// The most plans of a node, one per shape.
const MOST_PLANS: usize = 64;

/// A node of a model.
pub(crate) struct Node {
    pub(crate) mode: i32,
    pub(crate) interior: Vec<i64>,
    /// The last plans, the latest first.
    plans: Mutex<Vec<Arc<(Question, Plan)>>>,
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
    pub(crate) fn new(mode: &str, interior: Vec<i64>) -> Result<Node, String> {
        let mode = match mode {
            "" | "constant" => Mode::Constant,
            "edge" => Mode::Edge,
            "reflect" => Mode::Reflect,
            "wrap" => Mode::Wrap,
            other => return Err(format!("Pad has no mode {other}")),
        };
        Ok(Node { mode: mode as i32, interior, plans: Mutex::default() })
    }

    /// The plan for a call: one of the last ones, or a new one.
    pub(crate) fn plan(&self, question: Question) -> Result<Arc<(Question, Plan)>, String> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = plans.iter().position(|known| known.0 == question) {
            plans[..=at].rotate_right(1);
        } else {
            let plan = Plan::new(&question, &self.axes(&question)?)?;
            plans.truncate(MOST_PLANS - 1);
            plans.insert(0, Arc::new((question, plan)));
        }
        Ok(plans[0].clone())
    }

    /// The padding of every axis, from lists of all begins and then all ends.
    fn axes(&self, question: &Question) -> Result<Vec<Axis>, String> {
        let rank = question.shape.len();
        let all: Vec<i64> = (0..rank as i64).collect();
        let listed = question.axes.as_deref().unwrap_or(&all);
        if question.pads.len() != 2 * listed.len() || ![0, rank].contains(&self.interior.len()) {
            let (pads, interior) = (question.pads.len(), self.interior.len());
            return Err(format!("{} axes have {pads} pads and {interior} interior pads", listed.len()));
        }
        let mut axes = vec![Axis { low_mode: self.mode, high_mode: self.mode, ..Axis::default() }; rank];
        for (axis, &interior) in axes.iter_mut().zip(&self.interior) {
            axis.interior = u64::try_from(interior).map_err(|_| format!("interior pad {interior}"))?;
        }
        let (begins, ends) = question.pads.split_at(listed.len());
        let mut seen = vec![false; rank];
        for ((&axis, &low), &high) in listed.iter().zip(begins).zip(ends) {
            let index = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok();
            let index = index.filter(|&index| index < rank && !std::mem::replace(&mut seen[index], true));
            let index =
                index.ok_or_else(|| format!("axis {axis} of {rank} is out of range or listed twice"))?;
            (axes[index].low, axes[index].high) = (low, high);
        }
        Ok(axes)
    }
}

/// The type of this number in `ONNXTensorElementDataType`. Text has none.
pub(crate) fn dtype(number: i32) -> Option<Dtype> {
    use Dtype::*;
    let known = [
        F32, U8, I8, U16, I16, I32, I64, Bytes, Bool, F16, F64, U32, U64, C64, C128, Bf16, F8e4m3fn,
        F8e4m3fnuz, F8e5m2, F8e5m2fnuz, U4, I4, F4e2m1, U2, I2, F8e8m0,
    ];
    let dtype = usize::try_from(number - 1).ok().and_then(|index| known.get(index).copied());
    dtype.filter(|&dtype| dtype != Bytes)
}
