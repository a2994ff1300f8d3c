//! Workloads made from the library's list of kernels, so that none is missing from the comparison with plain code.

use std::collections::HashSet;

use pad_kernels::{
    AxisPad, DType, PadMode, PadPlan,
    kernels::{self, PadKernel, Unit},
};

use crate::workload::Workload;

/// About as many elements in an output: small enough for the second-level cache at every width.
const ELEMENTS: f64 = 16384.0;

/// One workload for each rank, mode and width that has kernels, whatever the instruction set; kernels that clone values are
/// left out, as there are no bytes to check.
///
/// The id is `r2_reflect_4`, the class `rank 2`.
pub fn workloads() -> Vec<Workload> {
    let mut seen = HashSet::new();
    let new =
        |row: &&PadKernel| row.unit() != Unit::Value && seen.insert((row.rank(), row.mode(), row.unit()));
    kernels::pad().iter().filter(new).map(workload).collect()
}

/// A workload whose plan has this kernel's rank, mode and width.
fn workload(row: &PadKernel) -> Workload {
    let (rank, mode) = (row.rank(), row.mode());
    // Odd lengths, so that the rows of packed types do not begin at whole bytes.
    let length = (ELEMENTS.powf(1.0 / rank as f64) as usize | 1).max(3);
    let mut shape = vec![length; rank];
    let mut pads = vec![AxisPad::new(1, 1); rank];
    let (width, dtype) = match row.unit() {
        Unit::Bytes(1) => ("1", DType::U8),
        Unit::Bytes(2) => ("2", DType::U16),
        Unit::Bytes(4) => ("4", DType::F32),
        Unit::Bytes(8) => ("8", DType::F64),
        Unit::Bytes(_) => ("16", DType::C128),
        Unit::Bits => ("bits", DType::U4),
        // A pixel of three bytes. Constant and wrap would move its bytes one by one, were there no gaps between pixels.
        Unit::AnyBytes | Unit::Value => {
            if matches!(mode, PadMode::Constant | PadMode::Wrap) {
                pads[rank - 1].interior = 1;
            }
            shape.push(3);
            pads.push(AxisPad::default());
            ("any", DType::U8)
        }
    };
    let fill = match dtype {
        DType::F32 => 1.5f32.to_ne_bytes().into(),
        DType::F64 => 1.5f64.to_ne_bytes().into(),
        DType::C128 => [1.5f64.to_ne_bytes(), 2.5f64.to_ne_bytes()].concat(),
        DType::U16 => 513u16.to_ne_bytes().into(),
        _ => vec![9],
    };
    let id = format!("r{rank}_{mode}_{width}");
    let class = format!("rank {rank}");
    let why = String::from("a kernel of the registry");
    Workload { id, class, dtype, shape, pads, mode, fill, why }
}

/// Whether `plan` is what a workload of this id was made for; its rank, mode and width are the id.
pub fn is_for(plan: &PadPlan, id: &str) -> bool {
    let Some(row) = plan.kernel() else { return false };
    workload(row).id == id
}

/// The parts of a workload's id: rank and mode, and width.
pub fn parts(id: &str) -> Option<(&str, &str)> {
    id.rsplit_once('_').filter(|(start, _)| PadMode::ALL.iter().any(|mode| start.ends_with(mode.name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_workload() {
        let workloads = workloads();
        for workload in &workloads {
            let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype).unwrap();
            assert!(is_for(&plan, &workload.id), "{}: {:?}", workload.id, plan.kernel());
        }
        let missing = kernels::pad().iter().filter(|row| row.unit() != Unit::Value).find(|row| {
            !workloads.iter().any(|one| {
                let plan = PadPlan::for_dtype(&one.spec(), &one.shape, one.dtype).unwrap();
                (row.rank(), row.mode()) == (plan.axes().len(), plan.mode())
                    && plan.kernel().is_some_and(|kernel| kernel.unit() == row.unit())
            })
        });
        assert!(missing.is_none(), "{missing:?}");
    }

    #[test]
    fn an_id_has_parts() {
        assert_eq!(parts("r2_reflect_any"), Some(("r2_reflect", "any")));
        assert_eq!(parts("c01_resnet"), None);
    }
}
