//! rten: its Pad operator, called as a function.

use bytemuck::Pod;
use pad_kernels::PadMode;
use rten::BufferPool;
use rten::ops::{self, pad};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, TensorView};

use super::{fill, input, typed};
use crate::case::Case;
use crate::competitor::{Competitor, Contract, Prepared, alloc};

pub(super) const ENTRANT: Competitor = Competitor { name: "rten", contract: Contract::Alloc, prepare };

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    // The function is generic, and rten's operator accepts these types.
    typed!(of(case) for F32 = f32, I32 = i32, I8 = i8, U8 = u8)
}

fn of<T: Pod + Default + PartialEq>(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let mode = match case.workload.mode {
        PadMode::Constant => ops::PadMode::Constant,
        PadMode::Edge => ops::PadMode::Edge,
        PadMode::Reflect => ops::PadMode::Reflect,
        PadMode::Wrap => ops::PadMode::Wrap,
        PadMode::Symmetric => return None,
    };
    if case.workload.pads.iter().any(|pad| pad.interior > 0) {
        return None;
    }
    let lows = case.workload.pads.iter().map(|pad| pad.low as i32);
    let highs = case.workload.pads.iter().map(|pad| pad.high as i32);
    let padding = NdTensor::from(lows.chain(highs).collect::<Vec<_>>());
    let input = TensorView::from_data(case.workload.shape.as_slice(), input::<T>(case));
    let value = fill::<T>(case);
    // rten can pad outer axes only in constant mode.
    pad(&BufferPool::new(), input.view(), &padding.view(), mode, value).ok()?;
    Some(alloc(
        move || pad(&BufferPool::new(), input.view(), &padding.view(), mode, value).expect("it could before"),
        |output, look| look(bytemuck::cast_slice(output.data().expect("a contiguous tensor"))),
    ))
}
