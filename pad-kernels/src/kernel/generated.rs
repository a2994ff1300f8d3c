//! The table of kernels. The macro makes a loop nest for each entry and a registry that lists them.

use crate::dtype::DType;
use crate::kernel::bits::BitSink;
use crate::kernel::bytes::{Any, ByteSink, W1, W2, W4, W8, W16};
use crate::kernel::cloned::walk_axes;
use crate::kernel::cursor::{Constant, Cursor, Edge, Reflect, Stretch, Symmetric, Wrap};
use crate::kernel::nest::{RowPlan, Sink, fill_block, fill_rows, planes, rows};
use crate::kernel::vector::Portable;
#[cfg(target_arch = "x86_64")]
use crate::kernel::vector::{Avx2, Avx512};
use crate::kernel::{Entry, Isa, Job, Row, Unit};
use crate::plan::axis::Axis;
use crate::spec::PadMode;

pad_macros::pad_kernels! {
    ranks: 1..=6;
    modes: [Constant, Edge, Reflect, Symmetric, Wrap];
    isas: [
        Portable,
        Avx2 on "x86_64" with "avx2,bmi1,bmi2",
        Avx512 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi",
    ];
    elements: [
        bytes W1 = 1: [I8, U8, Bool, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0],
        bytes W2 = 2: [F16, BF16, I16, U16],
        bytes W4 = 4: [F32, I32, U32],
        bytes W8 = 8: [F64, I64, U64, C64],
        bytes W16 = 16: [C128],
        bytes Any: [],
        packed: [I4, U4, F4E2M1, I2, U2],
        cloned: [String],
    ];
}
