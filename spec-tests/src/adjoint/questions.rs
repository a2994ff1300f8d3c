//! A case whose adjoint is run, and where its tensors lie.

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{DType, PadPlan};

use crate::case::{Case, Kind};
use crate::generators;
use crate::views::{self, Placed, View, Window};

/// The types that can be summed.
pub const SUMMABLE: [DType; 14] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::C64,
    DType::C128,
];

/// A case whose adjoint is run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The padding.
    pub case: Case,
    /// Where the tensors lie.
    pub view: Option<View>,
    /// A box of the output, whose adjoint it is.
    pub window: Option<Window>,
    /// The seed of the gradients.
    pub seed: u64,
}

/// Draws a question, of a type that cannot be summed in one of some twenty.
pub fn question(u: &mut Unstructured<'_>) -> Draw<Question> {
    let kind = if u.ratio(1, 20)? { generators::kind(u)? } else { Kind::Tagged(*u.choose(&SUMMABLE)?) };
    question_of(kind, u)
}

/// Draws a question about elements of a kind.
pub fn question_of(kind: Kind, u: &mut Unstructured<'_>) -> Draw<Question> {
    let case = generators::case_of(kind, u)?;
    let seed = u.arbitrary()?;
    let (mut view, mut window) = (None, None);
    let way = u.int_in_range(0..=5u8)?;
    if way > 2 {
        view = views::view(&case, u)?;
        window = view.as_ref().filter(|_| way > 3).and_then(|view| view.tiles.first().cloned());
        view = view.filter(|_| way != 4);
    }
    Ok(Question { case, view, window, seed })
}

impl Question {
    /// The plan with the strides of the view, or of the box.
    pub(super) fn placed(&self, plan: PadPlan) -> Result<PadPlan, String> {
        let plan = match &self.view {
            Some(view) => plan.with_strides(&view.input.strides(), &view.output.strides()),
            None => Ok(plan),
        };
        let plan = plan.map_err(|error| error.to_string())?;
        match &self.window {
            Some(window) => plan.window(window).map_err(|error| error.to_string()),
            None => Ok(plan),
        }
    }

    /// Where the elements of the input's gradient lie.
    pub(super) fn inputs(&self) -> Placed {
        self.view.as_ref().map_or_else(|| Placed::row_major(&self.case.shape), |view| view.input.clone())
    }

    /// Whether strides let two elements of the input share a place, or could.
    pub(super) fn shares_places(&self) -> bool {
        if self.case.shape.contains(&0) {
            return false;
        }
        let mut strides: Vec<(usize, usize)> = (self.inputs().strides.iter().zip(&self.case.shape))
            .filter(|(_, length)| **length > 1)
            .map(|(stride, &length)| (stride.unsigned_abs(), length))
            .collect();
        strides.sort_unstable();
        let mut reach = 0;
        strides.iter().any(|&(stride, length)| {
            let shares = stride <= reach;
            reach += stride * (length - 1);
            shares
        })
    }

    /// The box of the output whose gradient is given, in the whole output.
    pub(super) fn range(&self, outputs: &[usize]) -> Vec<Range<usize>> {
        self.window.clone().unwrap_or_else(|| views::whole(outputs))
    }
}
