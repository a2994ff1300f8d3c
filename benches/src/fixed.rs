//! Functions of `fixed_pad!` as a competitor, and the workloads that they are for.

use std::hint::black_box;

use pad_kernels::{AxisPad, DType, PadMode};

use crate::case::Case;
use crate::competitor::{Competitor, Contract, Entrant, Prepared, into};
use crate::workload::Workload;

/// The name of these functions among the competitors.
pub const NAME: &str = "fixed";

struct Function {
    id: &'static str,
    mode: &'static str,
    shape: &'static [usize],
    pads: &'static [[i64; 2]],
    run: fn(&[u8], &mut [u8]),
}

macro_rules! functions {
    ($($name:ident $shape:tt $mode:ident { $($pads:tt),* })*) => {
        pad_kernels::fixed_pad! {
            $(fn $name(f32; $shape) = $mode { $($pads),* })*
        }

        static FUNCTIONS: &[Function] = &[$(Function {
            id: stringify!($name),
            mode: stringify!($mode),
            shape: &$name::INPUT_SHAPE,
            pads: &[$($pads),*],
            run: |src, dst| {
                let src = bytemuck::cast_slice(src).try_into().expect("the workload's length");
                $name(src, bytemuck::cast_slice_mut(dst).try_into().expect("the workload's length"));
            },
        }),*];
    };
}
functions! {
    f01_3x3 [3, 3] constant { [1, 1], [1, 1] }
    f02_3x8x8 [3, 8, 8] constant { [0, 0], [1, 1], [1, 1] }
    f03_3x8x8_all [3, 8, 8] constant { [1, 1], [1, 1], [1, 1] }
    f04_512x7x7 [512, 7, 7] constant { [0, 0], [1, 1], [1, 1] }
    f05_64x14x14 [64, 14, 14] constant { [0, 0], [1, 1], [1, 1] }
    f06_400_reflect [400] reflect { [200, 200] }
    f07_3x8x8_reflect [3, 8, 8] reflect { [0, 0], [1, 1], [1, 1] }
    f08_3x8x8_edge [3, 8, 8] edge { [0, 0], [1, 1], [1, 1] }
    f09_64x56x56 [64, 56, 56] constant { [0, 0], [1, 1], [1, 1] }
    f10_3x224x224 [3, 224, 224] constant { [0, 0], [3, 3], [3, 3] }
    f11_3x224x224_reflect [3, 224, 224] reflect { [0, 0], [3, 3], [3, 3] }
}

/// A workload for each function.
pub fn workloads() -> Vec<Workload> {
    FUNCTIONS.iter().map(workload).collect()
}

fn workload(function: &Function) -> Workload {
    let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == function.mode);
    Workload {
        id: function.id.to_string(),
        class: "fixed".to_string(),
        dtype: DType::F32,
        shape: function.shape.to_vec(),
        pads: function.pads.iter().copied().map(AxisPad::from).collect(),
        mode: mode.expect("the name of a mode"),
        fill: vec![0; 4],
        why: "a shape that is known when compiling".to_string(),
    }
}

/// The functions; they do no workloads but their own.
pub fn competitor() -> Box<dyn Competitor> {
    Box::new(Entrant { name: NAME, contract: Contract::Into, prepare })
}

fn prepare(case: &Case) -> Option<Box<dyn Prepared + '_>> {
    let function = FUNCTIONS.iter().find(|function| workload(function) == case.workload)?;
    Some(into(case, |dst| (function.run)(black_box(case.input()), dst)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::competitor::checked;

    #[test]
    fn every_function_is_right_on_its_workload() {
        for workload in workloads() {
            let case = Case::new(&workload, Settings { isa: None, threads: 1 }).unwrap();
            assert!(checked(&*competitor(), &case).unwrap().is_some(), "{}", workload.id);
        }
    }

    #[test]
    fn other_workloads_are_not_theirs() {
        let mut other = workloads().remove(0);
        other.pads[0].low = 2;
        let case = Case::new(&other, Settings { isa: None, threads: 1 }).unwrap();
        assert!(checked(&*competitor(), &case).unwrap().is_none());
    }
}
