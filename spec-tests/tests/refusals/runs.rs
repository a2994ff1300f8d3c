//! Runs on other memory than the plan's, and by kernels of other plans.

use std::mem::MaybeUninit;

use pad_kernels::{
    DType, Element, PadError, PadMode, PadPlan, PadSpec,
    kernels::{self, Isa, Unit},
    pad_cloned, pad_into,
    tensor::Operand,
};

use super::{JUNK, plan_u8, refused, spec};

/// A plan, and what every wrong run of it must leave alone.
fn ready() -> (PadPlan, [f32; 3], [f32; 6]) {
    let plan = PadPlan::new::<f32>(&spec(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    (plan, [1.0, 2.0, 3.0], [f32::from_bits(0x0102_0304); 6])
}

fn untouched(dst: &[f32]) {
    assert!(dst.iter().all(|value| value.to_bits() == 0x0102_0304), "{dst:?}");
}

#[test]
fn slices_of_another_length() {
    let (plan, src, dst) = ready();
    for got in [0, 2, 4] {
        let src = vec![0.0; got];
        let error = PadError::Length { operand: Operand::Input, expected: 3, got };
        let mut out = dst;
        refused(plan.run(&src, &mut out), error, &["input", "3", &got.to_string()]);
        untouched(&out);
        refused(plan.to_vec(&src), error, &["input"]);
        let mut out = [MaybeUninit::new(dst[0]); 6];
        refused(plan.run_uninit(&src, &mut out).map(|_| ()), error, &["input"]);
    }
    for got in [0, 5, 7] {
        let mut out = vec![dst[0]; got];
        let error = PadError::Length { operand: Operand::Output, expected: 6, got };
        refused(plan.run(&src, &mut out), error, &["output", "6", &got.to_string()]);
        untouched(&out);
    }
    // pad_into has the same rules.
    let mut out = [dst[0]; 5];
    let error = PadError::Length { operand: Operand::Output, expected: 6, got: 5 };
    refused(pad_into(&src, &[3], &spec(PadMode::Edge, [(1, 2)]), &mut out), error, &[]);
    untouched(&out);
}

#[test]
fn byte_slices_of_another_length() {
    let (plan, ..) = ready();
    for (src, dst, error) in [
        (11, 24, PadError::Length { operand: Operand::Input, expected: 12, got: 11 }),
        (13, 24, PadError::Length { operand: Operand::Input, expected: 12, got: 13 }),
        (12, 23, PadError::Length { operand: Operand::Output, expected: 24, got: 23 }),
        (12, 25, PadError::Length { operand: Operand::Output, expected: 24, got: 25 }),
    ] {
        let mut out = vec![JUNK; dst];
        refused(plan.run_bytes(&vec![0; src], &mut out), error, &[]);
        assert_eq!(out, vec![JUNK; dst]);
    }
    // Three packed elements are two bytes.
    let spec = spec(PadMode::Constant, [(0, 0)]);
    let plan = PadPlan::for_dtype(&spec, &[3], DType::I4).expect("valid");
    let mut out = [JUNK; 2];
    let error = PadError::Length { operand: Operand::Input, expected: 2, got: 3 };
    refused(plan.run_bytes(&[0; 3], &mut out), error, &["2", "3"]);
    assert_eq!(out, [JUNK; 2]);
}

#[test]
fn elements_of_another_type() {
    fn check<T: Element>(src: T) {
        let (plan, ..) = ready();
        let (given, given_bytes) = (T::DTYPE, size_of::<T>());
        let error = PadError::ElementType { plan: Some(DType::F32), plan_bytes: 4, given, given_bytes };
        let mut dst = vec![src; 6];
        let name = given.map_or("without a DType", DType::name);
        refused(plan.run(&[src; 3], &mut dst), error, &["f32", "4", name, &given_bytes.to_string()]);
        assert!(plan.to_vec(&[src; 3]).is_err());
        let mut uninit = vec![MaybeUninit::new(src); 6];
        assert!(plan.run_uninit(&[src; 3], &mut uninit).is_err());
    }
    check(1.0f64);
    // As wide.
    check(1i32);
    check([0u8; 4]);
    // The type comes before the lengths.
    let (plan, ..) = ready();
    let error = PadError::ElementType {
        plan: Some(DType::F32),
        plan_bytes: 4,
        given: Some(DType::U8),
        given_bytes: 1,
    };
    refused(plan.run(&[0u8; 1], &mut [JUNK; 1]), error, &[]);

    // Packed elements have no Rust type.
    let packed = PadPlan::for_dtype(&spec(PadMode::Constant, [(1, 1)]), &[3], DType::U4).expect("valid");
    let error = PadError::ElementType {
        plan: Some(DType::U4),
        plan_bytes: 0,
        given: Some(DType::U8),
        given_bytes: 1,
    };
    refused(packed.to_vec(&[0u8; 3]), error, &["u4"]);
}

#[test]
fn cloned_and_bytes_do_not_mix() {
    let (plan, src, mut dst) = ready();
    let error = PadError::NotCloned { plan: Some(DType::F32) };
    refused(plan.run_cloned(&src, &0.0, &mut dst), error, &["f32"]);
    untouched(&dst);
    refused(plan.to_vec_cloned(&src, &0.0), error, &[]);

    let text = PadPlan::for_dtype(&spec(PadMode::Edge, [(1, 2)]), &[3], DType::String).expect("valid");
    let error = PadError::Cloned { plan: Some(DType::String) };
    refused(text.run_bytes(&[], &mut []), error, &["string"]);
    let row = kernels::pad().iter().find(|row| row.fits(&text)).expect("a row for strings");
    assert_eq!(row.unit(), Unit::Value);
    refused(row.run(&text, &[], &mut []), error, &[]);
    let element = PadError::ElementType {
        plan: Some(DType::String),
        plan_bytes: 0,
        given: Some(DType::U8),
        given_bytes: 1,
    };
    refused(text.to_vec(&[0u8; 3]), element, &[]);
    // And their lengths count too.
    let mut short = vec![String::from("junk"); 5];
    let src = ["a", "b", "c"].map(String::from);
    let error = PadError::Length { operand: Operand::Output, expected: 6, got: 5 };
    refused(text.run_cloned(&src, &String::new(), &mut short), error, &[]);
    assert!(short.iter().all(|text| text == "junk"));
    let error = PadError::Length { operand: Operand::Input, expected: 3, got: 2 };
    refused(text.to_vec_cloned(&src[..2], &String::new()), error, &[]);
    refused(pad_cloned(&src[..2], &[3], &spec(PadMode::Edge, [(1, 2)]), &String::new()), error, &[]);
}

#[test]
fn kernels_of_other_plans() {
    let (plan, ..) = ready();
    let fitting = kernels::pad().iter().filter(|row| row.fits(&plan)).count();
    assert!((3..=12).contains(&fitting), "{fitting} rows fit");
    for row in kernels::pad().iter().filter(|row| !row.fits(&plan)) {
        let mut out = [JUNK; 24];
        let error = PadError::KernelMismatch { kernel: row.name() };
        refused(row.run(&plan, &[0; 12], &mut out), error, &[row.name()]);
        assert_eq!(out, [JUNK; 24]);
    }
    // A plan of nothing has no kernel at all.
    let empty = plan_u8(&spec(PadMode::Edge, [(0, -3)]), &[3]).expect("valid");
    assert!(empty.is_empty() && empty.kernel().is_none());
    assert!(kernels::pad().iter().all(|row| row.run(&empty, &[0; 3], &mut []).is_err()));
}

#[test]
fn kernels_check_lengths_themselves() {
    let (plan, ..) = ready();
    for row in kernels::pad().iter().filter(|row| row.fits(&plan)) {
        let mut out = [JUNK; 24];
        let error = PadError::Length { operand: Operand::Input, expected: 12, got: 11 };
        refused(row.run(&plan, &[0; 11], &mut out), error, &["12", "11"]);
        let error = PadError::Length { operand: Operand::Output, expected: 24, got: 23 };
        refused(row.run(&plan, &[0; 12], &mut out[..23]), error, &["24", "23"]);
        assert_eq!(out, [JUNK; 24]);
    }
}

#[test]
fn instruction_sets_without_a_kernel() {
    let packed = PadPlan::for_dtype(&spec(PadMode::Edge, [(1, 1)]), &[3], DType::I2).expect("valid");
    let (f32, ..) = ready();
    for isa in Isa::ALL {
        let error = PadError::IsaUnavailable { isa };
        match f32.with_isa(isa) {
            Ok(plan) => assert!(isa.available() && plan.kernel().is_some_and(|row| row.isa() == isa)),
            other => {
                assert!(!isa.available());
                refused(other, error, &[isa.name()]);
            }
        }
        if isa != Isa::Portable {
            let why = if isa.available() { "kernel" } else { "CPU" };
            refused(packed.with_isa(isa), error, &[isa.name(), why]);
        }
    }
    // More axes than kernels have.
    let deep = plan_u8(&PadSpec::new(PadMode::Edge, [(1, 1); 7]), &[2; 7]).expect("valid");
    assert_eq!(deep.kernel().map(|row| row.name()), None);
    refused(deep.with_isa(Isa::Portable), PadError::IsaUnavailable { isa: Isa::Portable }, &["portable"]);
    // A row for a machine that is not this one.
    for row in kernels::pad().iter().filter(|row| !row.isa().available() && row.fits(&f32)) {
        let mut out = [JUNK; 24];
        refused(row.run(&f32, &[0; 12], &mut out), PadError::IsaUnavailable { isa: row.isa() }, &[]);
        assert_eq!(out, [JUNK; 24]);
    }
}
