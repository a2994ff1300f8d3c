//! Refused runs with buffers that do not fit the plan, and with kernels that do not fit it.

use std::mem::MaybeUninit;

use pad_kernels::PadMode::{Constant, Edge};
use pad_kernels::{
    DType, Element, PadError, PadPlan, PadSpec,
    kernels::{self, Isa, Unit},
    pad, pad_cloned, pad_into,
    tensor::Operand,
};

use super::{Errors, JUNK, plan, plan_u8, spec};

/// A NaN that no run writes.
const UNTOUCHED: f32 = f32::from_bits(0x7f82_0304);

fn plan_f32() -> PadPlan {
    PadPlan::new::<f32>(&spec(Edge, [(1, 2)]), &[3]).expect("valid")
}

pub(super) fn errors(e: &mut Errors) {
    let f32 = plan_f32();

    e.about("slices of another length");
    for (src, dst) in [(0, 6), (2, 6), (4, 6), (3, 0), (3, 5), (3, 7)] {
        let (src, mut out) = (vec![1.0f32; src], vec![UNTOUCHED; dst]);
        e.with(format!("{} to {dst}", src.len()));
        refused! { e, PadError; Length: f32.run(&src, &mut out) }
        let refused = f32.run(&src, &mut out);
        assert_eq!(pad_into(&src, &[3], &spec(Edge, [(1, 2)]), &mut out), refused);
        if src.len() != 3 {
            assert_eq!(f32.to_vec(&src).err(), refused.err());
            assert_eq!(pad(&src, &[3], &spec(Edge, [(1, 2)])).err(), refused.err());
            let mut memory = [MaybeUninit::new(UNTOUCHED); 6];
            assert_eq!(f32.run_uninit(&src, &mut memory).err(), refused.err());
        }
        assert!(out.iter().all(|value| value.to_bits() == UNTOUCHED.to_bits()));
    }

    e.about("byte slices of another length; three packed elements are two bytes");
    let packed = PadPlan::for_dtype(&spec(Constant, [(0, 0)]), &[3], DType::I4).expect("valid");
    for (plan, src, dst) in [(&f32, 11, 24), (&f32, 13, 24), (&f32, 12, 23), (&f32, 12, 25), (&packed, 3, 2)]
    {
        let mut out = vec![JUNK; dst];
        e.with(format!("{src} to {dst}"));
        refused! { e, PadError; Length: plan.run_bytes(&vec![0; src], &mut out) }
        assert_eq!(out, vec![JUNK; dst]);
    }

    e.about("elements of another type, which is checked before the lengths");
    fn other<T: Element>(e: &mut Errors, src: T) {
        let (plan, mut dst) = (plan_f32(), vec![src; 6]);
        e.with(std::any::type_name::<T>());
        refused! { e, PadError; ElementType: plan.run(&[src; 3], &mut dst) }
        assert_eq!(plan.to_vec(&[src; 3]).err(), plan.run(&[src; 3], &mut dst).err());
        let mut memory = vec![MaybeUninit::new(src); 6];
        assert_eq!(plan.run_uninit(&[src; 3], &mut memory).err(), plan.run(&[src; 3], &mut dst).err());
    }
    other(e, 1.0f64);
    other(e, 1i32);
    other(e, [0u8; 4]);
    let nibbles = PadPlan::for_dtype(&spec(Constant, [(1, 1)]), &[3], DType::U4).expect("valid");
    refused! { e, PadError;
        ElementType: f32.run(&[0u8; 1], &mut [JUNK; 1]),
        ElementType: nibbles.to_vec(&[0u8; 3]),
    }

    e.about("cloned values and bytes do not mix");
    let text = PadPlan::for_dtype(&spec(Edge, [(1, 2)]), &[3], DType::String).expect("valid");
    let row = kernels::pad().iter().find(|row| row.fits(&text)).expect("a row for strings");
    assert_eq!(row.unit(), Unit::Value);
    let mut out = [UNTOUCHED; 6];
    refused! { e, PadError;
        NotCloned: f32.run_cloned(&[1.0f32; 3], &0.0, &mut out),
        NotCloned: f32.run_cloned(&[1.0f32; 3], None, &mut out),
        NotCloned: f32.to_vec_cloned(&[1.0f32; 3], &0.0),
        Cloned: text.run_bytes(&[], &mut []),
        Cloned: row.run(&text, &[], &mut []),
        Cloned: text.to_vec(&[0u8; 3]),
    }
    assert_eq!(out.map(f32::to_bits), [UNTOUCHED.to_bits(); 6]);
    let mut short = vec![String::from("junk"); 5];
    let (src, empty) = (["a", "b", "c"].map(String::from), String::new());
    refused! { e, PadError;
        Length: text.run_cloned(&src, &empty, &mut short),
        Length: text.to_vec_cloned(&src[..2], &empty),
        Length: pad_cloned(&src[..2], &[3], &spec(Edge, [(1, 2)]), &empty),
    }
    assert!(short.iter().all(|text| text == "junk"));
}

/// Checks that kernels refuse plans that they do not fit, buffers of the wrong length, and machines without their instruction
/// set.
#[test]
fn kernels_of_other_plans() {
    let plan_f32 = plan_f32();
    let refused = |row: &kernels::PadKernel, (src, dst): (usize, usize), error: PadError| {
        let mut out = vec![JUNK; dst];
        assert_eq!(row.run(&plan_f32, &vec![0; src], &mut out), Err(error));
        assert_eq!(out, vec![JUNK; dst]);
        error.to_string()
    };
    let (mut fitting, length) = (0, |operand, expected, got| PadError::Length { operand, expected, got });
    for row in kernels::pad() {
        if !row.fits(&plan_f32) {
            let text = refused(row, (12, 24), PadError::KernelMismatch { kernel: row.name() });
            assert!(text.contains(row.name()), "{text}");
            continue;
        }
        fitting += 1;
        refused(row, (11, 24), length(Operand::Input, 12, 11));
        refused(row, (12, 23), length(Operand::Output, 24, 23));
        if !row.isa().available() {
            refused(row, (12, 24), PadError::IsaUnavailable { isa: row.isa() });
        }
    }
    assert!((3..=12).contains(&fitting), "{fitting} rows fit");
    // A plan with an empty output has no kernel.
    let empty = plan(Edge, [(0, -3)], &[3]).expect("valid");
    assert!(empty.is_empty() && empty.kernel().is_none());
    assert!(kernels::pad().iter().all(|row| row.run(&empty, &[0; 3], &mut []).is_err()));
}

#[test]
fn instruction_sets_without_a_kernel() {
    let packed = PadPlan::for_dtype(&spec(Edge, [(1, 1)]), &[3], DType::I2).expect("valid");
    for isa in Isa::ALL {
        let error = PadError::IsaUnavailable { isa };
        let cpu = format!("this CPU does not support {isa}: use an instruction set that is Isa::available");
        match plan_f32().with_isa(isa) {
            Ok(plan) => assert!(isa.available() && plan.kernel().is_some_and(|row| row.isa() == isa)),
            Err(got) => assert!(!isa.available() && got == error && got.to_string() == cpu, "{got}"),
        }
        if isa != Isa::Portable {
            assert_eq!(packed.with_isa(isa), Err(error));
            let why = if isa.available() { "kernel" } else { "CPU" };
            assert!(error.to_string().contains(why) && error.to_string().contains(isa.name()), "{error}");
        }
    }
    // The plan has more axes than any kernel of the registry.
    let deep = plan_u8(&PadSpec::new(Edge, [(1, 1); 7]), &[2; 7]).expect("valid");
    assert_eq!(deep.kernel().map(|row| row.name()), None);
    assert_eq!(deep.with_isa(Isa::Portable), Err(PadError::IsaUnavailable { isa: Isa::Portable }));
}
