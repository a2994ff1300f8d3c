//! Bad input: each kind gives the right error with the right numbers, says so in words, writes nothing and does not
//! panic.

use std::mem::MaybeUninit;

use pad_kernels::dialect::{Dialect, DialectError, onnx, torch};
use pad_kernels::{
    AxisPad, ComputedPlan, ComputedSpec, DType, Element, EndValue, Fill, Frame, Isa, Layout, PadError,
    PadMode, PadPlan, PadSpec, PerSide, Side, Strides, Unit, pad, pad_cloned, pad_into, registry,
};

const JUNK: u8 = 0xd7;

/// `result` is `error`, and its text has all of `words`.
fn refused<T: std::fmt::Debug>(result: Result<T, PadError>, error: PadError, words: &[&str]) {
    let got = result.expect_err("bad input");
    assert_eq!(got, error);
    let text = got.to_string();
    for word in words {
        assert!(text.contains(word), "{text:?} does not say {word:?}");
    }
    // One sentence for a log, and an error like any other.
    assert!(!text.contains('\n') && !text.ends_with('.'), "{text:?}");
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(got);
    assert_eq!(error.to_string(), text);
}

fn spec<A: Into<AxisPad>, const N: usize>(mode: PadMode, axes: [A; N]) -> PadSpec {
    PadSpec::new(mode, axes)
}

fn plan_u8(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
    PadPlan::new::<u8>(spec, shape)
}

fn interior(interior: u64) -> AxisPad {
    AxisPad::new(0, 0).with_interior(interior)
}

// Axes.

#[test]
fn another_number_of_axes() {
    let two = spec(PadMode::Edge, [(1, 1), (2, 2)]);
    for (shape, rank) in [(&[][..], "0"), (&[3], "1"), (&[3, 3, 3], "3")] {
        let error = PadError::AxisCount { spec: 2, shape: shape.len() };
        refused(plan_u8(&two, shape), error, &["2 axes", rank]);
        refused(PadPlan::for_dtype(&two, shape, DType::String), error, &["2"]);
    }
    let error = PadError::AxisCount { spec: 0, shape: 1 };
    refused(plan_u8(&PadSpec::new(PadMode::Edge, [(0, 0); 0]), &[1]), error, &["0 axes", "1"]);
}

#[test]
fn modes_of_another_number_of_axes() {
    let pads = [(1, 1), (2, 2)];
    for modes in [0, 1, 3] {
        let spec = PadSpec::new(vec![PadMode::Edge; modes], pads);
        let error = PadError::ModeCount { modes, shape: 2 };
        refused(plan_u8(&spec, &[3, 3]), error, &[&format!("{modes} axes"), "2"]);
        // The axes themselves are counted first.
        let error = PadError::AxisCount { spec: 2, shape: 3 };
        refused(plan_u8(&spec, &[3, 3, 3]), error, &["2 axes"]);
    }
}

/// An empty axis is extended by a side of constant mode, and by no other.
#[test]
fn one_side_of_an_empty_axis() {
    let modes = [(PadMode::Constant, PadMode::Wrap)];
    let padded = pad(&[0u8; 0], &[0], &PadSpec::new(modes, [(2, 0)]).with_fill(7u8));
    assert_eq!(padded.as_deref(), Ok(&[7u8, 7][..]));
    for (low, high, output) in [(0, 1, 1), (1, 1, 2), (-1, 2, 1)] {
        let pad = AxisPad::new(low, high);
        let error = PadError::EmptyWindow { axis: 0, length: 0, pad, mode: PadMode::Wrap, output };
        refused(plan_u8(&PadSpec::new(modes, [pad]), &[0]), error, &["axis 0", "wrap"]);
    }
    let turned = PadSpec::new([(PadMode::Reflect, PadMode::Constant)], [(1, 1)]);
    let pad = AxisPad::new(1, 1);
    let error = PadError::EmptyWindow { axis: 0, length: 0, pad, mode: PadMode::Reflect, output: 2 };
    refused(plan_u8(&turned, &[0]), error, &["reflect"]);
    let kept = PadSpec::new([(PadMode::Reflect, PadMode::Constant)], [(-1, 2)]).with_fill(9u8);
    assert_eq!(pad_kernels::pad(&[], &[0], &kept), Ok(vec![9u8]));
}

#[test]
fn negative_output() {
    let mut wanted = Vec::new();
    for mode in PadMode::ALL {
        for frame in [Frame::Uncropped, Frame::Cropped] {
            let pad = AxisPad::new(-3, -4);
            let spec = spec(mode, [AxisPad::new(1, 1), pad]).with_frame(frame);
            let error = PadError::NegativeOutput { axis: 1, length: 6, pad, output: -1 };
            refused(plan_u8(&spec, &[2, 6]), error, &["axis 1", "6", "-3", "-4", "-1"]);
            wanted.push(error);
        }
    }
    assert_eq!(wanted.len(), 10);
    // An axis of nothing has nothing to remove, and gaps count as length.
    let pad = AxisPad::new(0, -1);
    let error = PadError::NegativeOutput { axis: 0, length: 0, pad, output: -1 };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[0]), error, &["axis 0"]);
    let pad = AxisPad { low: -4, high: -4, interior: 2 };
    let error = PadError::NegativeOutput { axis: 0, length: 3, pad, output: -1 };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[3]), error, &["interior 2", "-1"]);
}

#[test]
fn negative_output_further_than_64_bits() {
    let pad = AxisPad::new(i64::MIN, i64::MIN);
    let output = 5 + 2 * i128::from(i64::MIN);
    let error = PadError::NegativeOutput { axis: 0, length: 5, pad, output };
    refused(plan_u8(&spec(PadMode::Wrap, [pad]), &[5]), error, &["axis 0", &output.to_string()]);
}

#[test]
fn output_length_passes_2_to_the_63() {
    for (length, low, high) in
        [(1, i64::MAX, 0), (1, 0, i64::MAX), (1, i64::MAX, i64::MAX), (2, 1 << 62, 1 << 62)]
    {
        let pad = AxisPad::new(low, high);
        let error = PadError::AxisOverflow { axis: 2, length, pad };
        let spec = spec(PadMode::Constant, [AxisPad::new(0, 0), AxisPad::new(0, 0), pad]);
        refused(plan_u8(&spec, &[1, 1, length]), error, &["axis 2", &low.to_string(), &high.to_string()]);
    }
}

#[test]
fn dilated_length_overflows() {
    for (length, gap) in [(3, 1 << 63), (3, u64::MAX), (2, u64::MAX), (2, i64::MAX as u64), (9, 1 << 61)] {
        let pad = interior(gap);
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(PadMode::Constant, [pad]), &[length]), error, &["axis 0", &gap.to_string()]);
        // Removing it all again does not help.
        let pad = AxisPad { high: i64::MIN, ..pad };
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(PadMode::Constant, [pad]), &[length]), error, &[&length.to_string()]);
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
fn input_axis_longer_than_64_bits_of_sign() {
    let pad = AxisPad::new(i64::MIN, 0);
    let error = PadError::AxisOverflow { axis: 0, length: usize::MAX, pad };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[usize::MAX]), error, &["axis 0"]);
}

/// Twice the window must fit, or coordinates of a mirror would not.
#[test]
#[cfg(target_pointer_width = "64")]
fn mirror_period_overflows() {
    let length = 1 << 62;
    let pad = AxisPad::new(0, 5 - length as i64);
    for mode in [PadMode::Reflect, PadMode::Symmetric] {
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(mode, [pad]).with_frame(Frame::Uncropped), &[length]), error, &["axis 0"]);
        let cropped = spec(mode, [pad]).with_frame(Frame::Cropped);
        assert_eq!(plan_u8(&cropped, &[length]).map(|plan| plan.output_len()), Ok(5));
    }
}

#[test]
fn empty_window_of_an_empty_axis() {
    for mode in [PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap] {
        let pad = AxisPad::new(2, 1);
        let error = PadError::EmptyWindow { axis: 1, length: 0, pad, mode, output: 3 };
        let spec = spec(mode, [AxisPad::new(0, 0), pad]);
        refused(plan_u8(&spec, &[4, 0]), error, &["axis 1", mode.name(), "3", "length 0"]);
        // Even if there is no output for another reason.
        refused(plan_u8(&spec, &[0, 0]), error, &["axis 1"]);
    }
}

#[test]
fn empty_window_after_cropping() {
    for (mode, frame) in [
        (PadMode::Wrap, None),
        (PadMode::Wrap, Some(Frame::Cropped)),
        (PadMode::Reflect, Some(Frame::Cropped)),
        (PadMode::Edge, Some(Frame::Cropped)),
        (PadMode::Symmetric, Some(Frame::Cropped)),
    ] {
        for (low, high, output) in [(-6, 3, 3), (-7, 3, 2), (4, -6, 4), (4, -9, 1)] {
            let pad = AxisPad::new(low, high);
            let mut spec = spec(mode, [pad]);
            spec.frame = frame;
            let error = PadError::EmptyWindow { axis: 0, length: 6, pad, mode, output };
            refused(plan_u8(&spec, &[6]), error, &["axis 0", mode.name(), &low.to_string(), "length 6"]);
        }
    }
    // The other reading has the whole axis to take from.
    let uncropped = spec(PadMode::Reflect, [(-6, 3)]);
    assert_eq!(plan_u8(&uncropped, &[6]).map(|plan| plan.output_len()), Ok(3));
}

#[test]
fn axes_are_told_in_order() {
    let spec = spec(PadMode::Reflect, [(0, 0), (-9, 0), (1, 0)]);
    let pad = AxisPad::new(-9, 0);
    let error = PadError::NegativeOutput { axis: 1, length: 3, pad, output: -6 };
    refused(plan_u8(&spec, &[3, 3, 0]), error, &["axis 1"]);
}

// Sizes.

/// Half of the bits of a length: the same limits are met on every machine.
const HALF: u32 = usize::BITS / 2;

#[test]
fn output_larger_than_memory() {
    let big = 1 << (HALF - 1);
    let layout = Layout::Bytes(4);
    let spec = spec(PadMode::Edge, [(0, 1), (0, 0), (0, 0)]);
    let error = PadError::SizeOverflow { side: Side::Output, axis: 2, length: 4, layout };
    // The input is just small enough, one row more is not.
    let shape = [(1 << (HALF - 3)) - 1, big, 2];
    assert!(PadPlan::new::<u16>(&spec, &shape).is_ok());
    let shape = [(1 << (HALF - 4)) - 1, big, 4];
    refused(PadPlan::new::<u32>(&spec, &shape), error, &["output", "axis 2", "4", "bytes"]);
}

#[test]
fn input_larger_than_memory() {
    let spec = spec(PadMode::Constant, [(0, 0), (0, 0), (0, -5)]);
    let length = 1 << (HALF - 1);
    let shape = [1 << HALF, length, 5];
    let error = PadError::SizeOverflow { side: Side::Input, axis: 1, length, layout: Layout::Bytes(1) };
    refused(plan_u8(&spec, &shape), error, &["input", "axis 1", &length.to_string()]);
    // An empty axis does not excuse the others.
    let spec = self::spec(PadMode::Constant, [(0, 0), (0, 0), (0, 0)]);
    refused(
        plan_u8(&spec, &[0, 1 << HALF, length]),
        PadError::SizeOverflow { side: Side::Input, axis: 2, length, layout: Layout::Bytes(1) },
        &["axis 2"],
    );
}

#[test]
fn packed_and_cloned_sizes_have_their_own_limits() {
    let spec = spec(PadMode::Constant, [(0, 0)]);
    let length = 1 << (usize::BITS - 3);
    let error = PadError::SizeOverflow { side: Side::Input, axis: 0, length, layout: Layout::Bits(4) };
    refused(PadPlan::for_dtype(&spec, &[length], DType::U4), error, &["axis 0", "bits", "4 an element"]);
    assert!(PadPlan::for_dtype(&spec, &[length], DType::U2).is_ok());
    let two = self::spec(PadMode::Constant, [(0, 0), (0, 0)]);
    let error = PadError::SizeOverflow { side: Side::Input, axis: 1, length: 4, layout: Layout::Cloned };
    refused(PadPlan::for_dtype(&two, &[length, 4], DType::String), error, &["axis 1", "elements"]);
}

#[test]
fn memory_that_cannot_be_had() {
    // Valid, but more than any machine has, or with 32 bits more than is left when all else is taken.
    let spec = spec(PadMode::Constant, [(0, isize::MAX as i64 / 16)]);
    let plan = PadPlan::new::<f64>(&spec, &[1]).expect("a size that memory could have");
    let bytes = plan.output_bytes();
    let take = || {
        let mut taken: Vec<u8> = Vec::new();
        taken.try_reserve_exact(bytes).ok().map(|()| taken)
    };
    let taken: Vec<_> = std::iter::from_fn(take).collect();
    assert!(taken.len() < 8);
    refused(plan.to_vec(&[1.0]), PadError::OutOfMemory { bytes }, &[&bytes.to_string()]);
    refused(pad(&[1.0], &[1], &spec), PadError::OutOfMemory { bytes }, &["memory"]);
}

// Fills.

#[test]
fn fill_required() {
    let error = PadError::FillRequired { dtype: Some(DType::F8E8M0) };
    for spec in [spec(PadMode::Constant, [interior(0)]), spec(PadMode::Edge, [interior(1)])] {
        refused(PadPlan::for_dtype(&spec, &[3], DType::F8E8M0), error, &["f8e8m0", "fill"]);
    }
    let without = spec(PadMode::Edge, [(1, 1)]);
    assert!(PadPlan::for_dtype(&without, &[3], DType::F8E8M0).is_ok(), "no fill is needed");
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Marker;

/// A type of the user's that says nothing of a zero. This crate forbids what an own implementation of `Element` needs,
/// so it is an array of elements of no length that stands for those of no size.
type Nothing = [u16; 0];

#[test]
fn zero_sized_elements() {
    let spec = spec(PadMode::Edge, [(1, 1)]);
    refused(PadPlan::new::<Nothing>(&spec, &[3]), PadError::ZeroSized, &["size 0"]);
    refused(pad(&[[0u16; 0]; 3], &[3], &spec), PadError::ZeroSized, &[]);
    refused(pad_into(&[[0u16; 0]; 3], &[3], &spec, &mut [[0; 0]; 5]), PadError::ZeroSized, &[]);
    // Cloned elements may be of no size.
    assert_eq!(pad_cloned(&[Marker; 3], &[3], &spec, &Marker), Ok(vec![Marker; 5]));
}

#[test]
fn fill_of_another_type() {
    let error = |fill: DType, fill_bytes| PadError::FillType {
        dtype: Some(DType::F32),
        bytes: 4,
        fill_dtype: Some(fill),
        fill_bytes,
    };
    let axes = [(1, 1)];
    refused(
        PadPlan::new::<f32>(&PadSpec::constant(axes, 1.0f64), &[3]),
        error(DType::F64, 8),
        &["f64", "8", "f32", "4"],
    );
    // As wide, and still another type.
    refused(PadPlan::new::<f32>(&PadSpec::constant(axes, 1i32), &[3]), error(DType::I32, 4), &["i32", "f32"]);
    // The right type, but not one element of it. Needed or not: edge mode does not excuse it.
    for mode in [PadMode::Constant, PadMode::Edge] {
        let spec = spec(mode, axes).with_fill_bytes(DType::F32, &[1, 2, 3]);
        refused(PadPlan::for_dtype(&spec, &[3], DType::F32), error(DType::F32, 3), &["3 bytes"]);
    }
    // Untagged types are told apart by what they are.
    let spec = PadSpec::constant(axes, [1u8; 3]);
    let untagged = PadError::FillType { dtype: None, bytes: 3, fill_dtype: None, fill_bytes: 3 };
    refused(PadPlan::new::<[i8; 3]>(&spec, &[3]), untagged, &["untagged"]);
    assert!(PadPlan::new::<[u8; 3]>(&spec, &[3]).is_ok());
}

#[test]
fn packed_fill_is_one_byte() {
    let spec = spec(PadMode::Constant, [(1, 1)]).with_fill_bytes(DType::I4, &[1, 2]);
    let error =
        PadError::FillType { dtype: Some(DType::I4), bytes: 1, fill_dtype: Some(DType::I4), fill_bytes: 2 };
    refused(PadPlan::for_dtype(&spec, &[3], DType::I4), error, &["i4", "2 bytes"]);
}

#[test]
fn bool_fill_is_0_or_1() {
    for value in [2, 255] {
        let mut spec = spec(PadMode::Constant, [(1, 1)]);
        spec.fill = Some(Fill::from_bytes(DType::Bool, &[value]));
        let error = PadError::FillBool { value };
        refused(PadPlan::for_dtype(&spec, &[3], DType::Bool), error, &["bool", &value.to_string()]);
        refused(pad(&[true; 3], &[3], &spec), error, &[]);
    }
}

// Runs.

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
        let error = PadError::Length { side: Side::Input, expected: 3, got };
        let mut out = dst;
        refused(plan.run(&src, &mut out), error, &["input", "3", &got.to_string()]);
        untouched(&out);
        refused(plan.to_vec(&src), error, &["input"]);
        let mut out = [MaybeUninit::new(dst[0]); 6];
        refused(plan.run_uninit(&src, &mut out).map(|_| ()), error, &["input"]);
    }
    for got in [0, 5, 7] {
        let mut out = vec![dst[0]; got];
        let error = PadError::Length { side: Side::Output, expected: 6, got };
        refused(plan.run(&src, &mut out), error, &["output", "6", &got.to_string()]);
        untouched(&out);
    }
    // pad_into has the same rules.
    let mut out = [dst[0]; 5];
    let error = PadError::Length { side: Side::Output, expected: 6, got: 5 };
    refused(pad_into(&src, &[3], &spec(PadMode::Edge, [(1, 2)]), &mut out), error, &[]);
    untouched(&out);
}

#[test]
fn byte_slices_of_another_length() {
    let (plan, ..) = ready();
    for (src, dst, error) in [
        (11, 24, PadError::Length { side: Side::Input, expected: 12, got: 11 }),
        (13, 24, PadError::Length { side: Side::Input, expected: 12, got: 13 }),
        (12, 23, PadError::Length { side: Side::Output, expected: 24, got: 23 }),
        (12, 25, PadError::Length { side: Side::Output, expected: 24, got: 25 }),
    ] {
        let mut out = vec![JUNK; dst];
        refused(plan.run_bytes(&vec![0; src], &mut out), error, &[]);
        assert_eq!(out, vec![JUNK; dst]);
    }
    // Three packed elements are two bytes.
    let spec = spec(PadMode::Constant, [(0, 0)]);
    let plan = PadPlan::for_dtype(&spec, &[3], DType::I4).expect("valid");
    let mut out = [JUNK; 2];
    let error = PadError::Length { side: Side::Input, expected: 2, got: 3 };
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
        let name = given.map_or("untagged", DType::name);
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
    let error = PadError::Cloned { plan: Some(DType::F32) };
    refused(plan.run_cloned(&src, &0.0, &mut dst), error, &["f32"]);
    untouched(&dst);
    refused(plan.to_vec_cloned(&src, &0.0), error, &[]);

    let text = PadPlan::for_dtype(&spec(PadMode::Edge, [(1, 2)]), &[3], DType::String).expect("valid");
    let error = PadError::Cloned { plan: Some(DType::String) };
    refused(text.run_bytes(&[], &mut []), error, &["string"]);
    let row = registry().iter().find(|row| row.fits(&text)).expect("a row for strings");
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
    let error = PadError::Length { side: Side::Output, expected: 6, got: 5 };
    refused(text.run_cloned(&src, &String::new(), &mut short), error, &[]);
    assert!(short.iter().all(|text| text == "junk"));
    let error = PadError::Length { side: Side::Input, expected: 3, got: 2 };
    refused(text.to_vec_cloned(&src[..2], &String::new()), error, &[]);
    refused(pad_cloned(&src[..2], &[3], &spec(PadMode::Edge, [(1, 2)]), &String::new()), error, &[]);
}

// Kernels.

#[test]
fn kernels_of_other_plans() {
    let (plan, ..) = ready();
    let fitting = registry().iter().filter(|row| row.fits(&plan)).count();
    assert!((3..=12).contains(&fitting), "{fitting} rows fit");
    for row in registry().iter().filter(|row| !row.fits(&plan)) {
        let mut out = [JUNK; 24];
        let error = PadError::KernelMismatch { kernel: row.name() };
        refused(row.run(&plan, &[0; 12], &mut out), error, &[row.name()]);
        assert_eq!(out, [JUNK; 24]);
    }
    // A plan of nothing has no kernel at all.
    let empty = plan_u8(&spec(PadMode::Edge, [(0, -3)]), &[3]).expect("valid");
    assert!(empty.is_empty() && empty.kernel().is_none());
    assert!(registry().iter().all(|row| row.run(&empty, &[0; 3], &mut []).is_err()));
}

#[test]
fn kernels_check_lengths_themselves() {
    let (plan, ..) = ready();
    for row in registry().iter().filter(|row| row.fits(&plan)) {
        let mut out = [JUNK; 24];
        let error = PadError::Length { side: Side::Input, expected: 12, got: 11 };
        refused(row.run(&plan, &[0; 11], &mut out), error, &["12", "11"]);
        let error = PadError::Length { side: Side::Output, expected: 24, got: 23 };
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
        match f32.clone().with_isa(isa) {
            Ok(plan) => assert!(isa.available() && plan.kernel().is_some_and(|row| row.isa() == isa)),
            other => {
                assert!(!isa.available());
                refused(other, error, &[isa.name()]);
            }
        }
        if isa != Isa::Portable {
            refused(packed.clone().with_isa(isa), error, &[isa.name(), "kernel"]);
        }
    }
    // More axes than kernels have.
    let deep = plan_u8(&PadSpec::new(PadMode::Edge, [(1, 1); 7]), &[2; 7]).expect("valid");
    assert_eq!(deep.kernel().map(|row| row.name()), None);
    refused(deep.with_isa(Isa::Portable), PadError::IsaUnavailable { isa: Isa::Portable }, &["portable"]);
    // A row for a machine that is not this one.
    for row in registry().iter().filter(|row| !row.isa().available() && row.fits(&f32)) {
        let mut out = [JUNK; 24];
        refused(row.run(&f32, &[0; 12], &mut out), PadError::IsaUnavailable { isa: row.isa() }, &[]);
        assert_eq!(out, [JUNK; 24]);
    }
}

// Names.

#[test]
fn names_of_no_type() {
    for name in ["", "F32", "float", "f32 ", "int3", "float8"] {
        match name.parse::<DType>() {
            Ok(dtype) => assert_eq!((name, dtype), ("float", DType::F32)),
            Err(error) => {
                let text = error.to_string();
                assert!(DType::ALL.iter().all(|dtype| text.contains(dtype.long_name())), "{text}");
            }
        }
    }
}

/// A row above two rows of three.
fn one_row_more() -> PadPlan {
    let spec = PadSpec::new(PadMode::Edge, [(1, 0), (0, 0)]);
    PadPlan::new::<u8>(&spec, &[2, 3]).expect("a valid request")
}

#[test]
fn strides_that_lead_out_or_meet() {
    let plan = one_row_more();
    let (input, output) = (Strides::row_major(&[2, 3]), Strides::row_major(&[3, 3]));
    let short = Strides::new(0, [1]);
    let error = |side| PadError::StrideCount { side, strides: 1, shape: 2 };
    refused(plan.with_strides(&short, &output), error(Side::Input), &["1", "2"]);
    refused(plan.with_strides(&input, &short), error(Side::Output), &["1", "2"]);

    // Backwards from the first element there is nothing, from the fourth there is.
    let error = PadError::StrideRange { side: Side::Input, axis: 0, stride: -3, length: 2 };
    refused(plan.with_strides(&Strides::new(2, [-3, 1]), &output), error, &["-3"]);
    assert!(plan.with_strides(&Strides::new(3, [-3, 1]), &output).is_ok());

    // The third element of a row would be the first of the next.
    let error = PadError::Overlap { axis: 0, stride: 2, length: 3 };
    refused(plan.with_strides(&input, &Strides::new(0, [2, 1])), error, &["2"]);
    assert!(plan.with_strides(&input, &Strides::new(0, [3, 1])).is_ok());
}

#[test]
fn indices_of_other_tensors() {
    let strides = Strides::new(5, [-3, 1]);
    assert_eq!(strides.at(&[1, 2]), Ok(Strides::new(4, [-3, 1])));
    let error = PadError::IndexCount { index: 3, strides: 2 };
    refused(strides.at(&[0, 0, 0]), error, &["3", "2"]);
    let error = PadError::IndexRange { offset: 5 };
    refused(strides.at(&[2, 0]), error, &["5"]);
    for index in [[0, usize::MAX], [usize::MAX, 0], [usize::MAX; 2], [0, isize::MAX as usize]] {
        refused(strides.at(&index), error, &[]);
    }
    let widest = Strides::new(usize::MAX, [isize::MIN, isize::MIN, isize::MAX]);
    refused(widest.at(&[usize::MAX, usize::MAX, 0]), PadError::IndexRange { offset: usize::MAX }, &[]);
}

#[test]
fn new_bytes_are_refused_as_others_are() {
    let plan = plan_u8(&spec(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    refused(
        plan.to_vec_bytes(&[1, 2]),
        PadError::Length { side: Side::Input, expected: 3, got: 2 },
        &["2", "3"],
    );
    let text = PadPlan::for_dtype(&spec(PadMode::Edge, [(1, 2)]), &[3], DType::String).expect("valid");
    refused(text.to_vec_bytes(&[]), PadError::Cloned { plan: Some(DType::String) }, &[]);
    let values = PadPlan::for_cloned(&spec(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    refused(values.to_vec_bytes(&[]), PadError::Cloned { plan: None }, &["untagged"]);
    assert_eq!(values.to_vec_cloned(&["a", "b", "c"], &""), Ok(vec!["a", "a", "b", "c", "c", "c"]));
    let strides = [Strides::row_major(&[3]), Strides::new(0, [2])];
    let holes = plan.with_strides(&strides[0], &strides[1]).expect("room");
    refused(holes.to_vec_bytes(&[1, 2, 3]), PadError::OutputHasHoles, &[]);
    refused(holes.par_to_vec_bytes(&[1, 2, 3]), PadError::OutputHasHoles, &[]);
}

#[test]
fn holes_are_not_for_new_memory() {
    let output = Strides::new(0, [4, 1]);
    let plan = one_row_more().with_strides(&Strides::row_major(&[2, 3]), &output).expect("room for a hole");
    let src = [1u8, 2, 3, 4, 5, 6];
    refused(plan.to_vec(&src), PadError::OutputHasHoles, &[]);
    refused(plan.run_uninit(&src, &mut [MaybeUninit::new(0); 11]).map(drop), PadError::OutputHasHoles, &[]);
    // Two rows of four, and three elements: one less is too little, one more is left alone.
    let error = PadError::Length { side: Side::Output, expected: 11, got: 10 };
    refused(plan.run(&src, &mut [JUNK; 10]), error, &["11", "10"]);
    let mut dst = [JUNK; 12];
    assert_eq!(plan.run(&src, &mut dst), Ok(()));
    assert_eq!(dst, [1, 2, 3, JUNK, 1, 2, 3, JUNK, 4, 5, 6, JUNK]);
}

#[test]
fn boxes_that_are_not_in_the_output() {
    let plan = one_row_more();
    let one = 0..1;
    let error = || PadError::WindowCount { window: 1, shape: 2 };
    refused(plan.window(std::slice::from_ref(&one)), error(), &["1", "2"]);
    refused(plan.source_window(std::slice::from_ref(&one)), error(), &["1", "2"]);
    let error = || PadError::WindowRange { axis: 1, start: 1, end: 4, length: 3 };
    refused(plan.window(&[0..3, 1..4]), error(), &["4", "3"]);
    refused(plan.window_of_part(&[0..3, 1..4]), error(), &["4", "3"]);
    assert!(plan.window(&[0..3, 1..3]).is_ok());
}

/// PyTorch returns memory it has not written where circular adds more than it has left.
#[test]
fn circular_adds_at_most_what_is_left() {
    let call = |pad| torch::Pad::new(pad).mode("circular").spec(&[1, 3], DType::F32);
    assert!(matches!(call(&[-2, 2]), Err(DialectError::PadTooLong { axis: 1, length: 1, max: 1, .. })));
    assert!(call(&[-2, 1]).is_ok());
}

#[test]
fn onnx_refuses_what_its_version_does_not_know() {
    let repeated = onnx::Pad::new(18, &[1, 1, 0, 0]).axes(&[0, -2]).spec(&[3, 3], DType::F32);
    assert!(matches!(repeated, Err(DialectError::RepeatedAxis { axis: 0, position: 1 })));
    let wrap = |opset| onnx::Pad::new(opset, &[1, 1]).mode("wrap").spec(&[3], DType::F32);
    assert!(matches!(wrap(18), Err(DialectError::Word { name: "mode", .. })));
    assert!(wrap(19).is_ok());
    // onnxruntime wants something to mirror.
    let runtime = |mode| {
        let pad = onnx::Pad::new(18, &[0, 1]).flavour(onnx::Flavour::OnnxRuntime);
        pad.mode(mode).spec(&[1], DType::F32)
    };
    assert!(matches!(runtime("reflect"), Err(DialectError::AxisTooShort { axis: 0, length: 1, min: 2, .. })));
    assert!(runtime("edge").is_ok());
}

// Computed borders.

#[test]
fn arguments_for_other_axes() {
    let lengths = PerSide::axes([(Some(1), Some(1)), (Some(2), Some(2))]);
    let spec = ComputedSpec::mean([(1, 1); 3]).with_lengths(lengths);
    let error = PadError::ArgumentCount { name: "statistic lengths", given: 2, shape: 3 };
    refused(ComputedPlan::new::<f32>(&spec, &[2, 2, 2]), error, &["statistic lengths", "2", "3"]);
    let spec = ComputedSpec::mean([(1, 1); 2]);
    refused(ComputedPlan::new::<f32>(&spec, &[2]), PadError::AxisCount { spec: 2, shape: 1 }, &["2", "1"]);
    let spec = ComputedSpec::mean([(usize::MAX, usize::MAX)]);
    let refusal = ComputedPlan::new::<u8>(&spec, &[2]);
    assert!(matches!(refusal, Err(PadError::AxisOverflow { axis: 0, .. })), "{refusal:?}");
    let spec = ComputedSpec::mean([(1 << 40, 0), (1 << 40, 0)]);
    let refusal = ComputedPlan::new::<f64>(&spec, &[2, 2]);
    assert!(matches!(refusal, Err(PadError::SizeOverflow { side: Side::Output, .. })), "{refusal:?}");
}

#[test]
fn types_without_arithmetic() {
    let spec = ComputedSpec::mean([(1, 1)]);
    for dtype in [DType::F8E4M3FN, DType::I4, DType::String] {
        let error = PadError::NotComputed { dtype: Some(dtype) };
        refused(ComputedPlan::for_dtype(&spec, &[2], dtype), error, &[dtype.name()]);
    }
    let error = PadError::NotComputed { dtype: None };
    refused(ComputedPlan::new::<[u8; 3]>(&spec, &[2]), error, &["untagged"]);
    // What is moved may be of any type of whole bytes.
    let spec = ComputedSpec::constants([(1, 1)], PerSide::sides(Fill::of([1u8; 3]), Fill::of([2u8; 3])));
    let plan = ComputedPlan::new::<[u8; 3]>(&spec, &[1]).expect("constants of any type");
    assert_eq!(plan.to_vec(&[[7u8; 3]]), Ok(vec![[1; 3], [7; 3], [2; 3]]));
    let spec = ComputedSpec::empty([(1, 0)]);
    assert!(ComputedPlan::for_dtype(&spec, &[2], DType::F8E8M0).is_ok());
    refused(
        ComputedPlan::for_dtype(&spec, &[2], DType::U4),
        PadError::NotComputed { dtype: Some(DType::U4) },
        &["u4"],
    );
}

#[test]
fn nothing_to_compute_from() {
    let spec = ComputedSpec::maximum([(0, 0), (2, 1)]);
    let error = PadError::EmptyAxis { axis: 1, pad: AxisPad::new(2, 1) };
    refused(ComputedPlan::new::<f32>(&spec, &[3, 0]), error, &["axis 1", "low 2", "high 1"]);
    for spec in [ComputedSpec::maximum([(0, 1)]), ComputedSpec::minimum([(1, 0)])] {
        // Even if it is the statistic of a border that is not there.
        for lengths in [PerSide::sides(0, 3), PerSide::sides(3, 0)] {
            let spec = spec.clone().with_lengths(lengths);
            refused(ComputedPlan::new::<f32>(&spec, &[3]), PadError::EmptyStatistic { axis: 0 }, &["axis 0"]);
        }
    }
    let spec = ComputedSpec::mean([(0, 1)]).with_lengths(PerSide::sides(0, 3));
    assert!(ComputedPlan::new::<i32>(&spec, &[3]).is_ok());
    let spec = spec.with_lengths(PerSide::sides(3, 0));
    refused(ComputedPlan::new::<i32>(&spec, &[3]), PadError::EmptyStatistic { axis: 0 }, &["axis 0"]);
    let plan = ComputedPlan::new::<f32>(&spec, &[1]).expect("a NaN says it");
    assert!(plan.to_vec(&[1.0f32]).expect("a result")[1].is_nan());
}

#[test]
fn complex_ends_of_real_data() {
    let ends = PerSide::sides(EndValue::from(1.0), EndValue::from((1.0, 2.0)));
    let spec = ComputedSpec::linear_ramp([(1, 1)], ends);
    let error = PadError::EndValue { axis: 0, dtype: DType::F32 };
    refused(ComputedPlan::new::<f32>(&spec, &[3]), error, &["axis 0", "f32"]);
    assert!(ComputedPlan::for_dtype(&spec, &[3], DType::C64).is_ok());
}

#[test]
fn computed_runs_of_other_memory() {
    let plan = ComputedPlan::new::<f32>(&ComputedSpec::median([(1, 1)]), &[3]).expect("a plan");
    let mut dst = [7.0f32; 5];
    let error = PadError::Length { side: Side::Input, expected: 3, got: 2 };
    refused(plan.run(&[1.0f32; 2], &mut dst), error, &["2", "3"]);
    let error = PadError::Length { side: Side::Output, expected: 5, got: 4 };
    refused(plan.run(&[1.0f32; 3], &mut dst[..4]), error, &["4", "5"]);
    let error = PadError::Length { side: Side::Output, expected: 20, got: 19 };
    refused(plan.run_bytes(&[0; 12], &mut [0; 19]), error, &["19", "20"]);
    assert!(matches!(plan.run(&[1i32; 3], &mut [0; 5]), Err(PadError::ElementType { .. })));
    assert_eq!(dst, [7.0; 5]);
    let mut memory = [const { MaybeUninit::<f32>::uninit() }; 5];
    refused(plan.run_uninit(&[1.0f32; 3], &mut memory), PadError::NotEmpty, &["borders"]);
    let plan = ComputedPlan::new::<f32>(&ComputedSpec::empty([(1, 1)]), &[3]).expect("a plan");
    plan.run_uninit(&[1.0f32, 2.0, 3.0], &mut memory).expect("the inside");
    let plan = ComputedPlan::new::<[u8; 2]>(&ComputedSpec::empty([(1, 1)]), &[3]).expect("a plan");
    assert_eq!(plan.to_vec(&[[1u8; 2]; 3]).map(|made| made.len()), Ok(5));
    let holes = plan.with_strides(&Strides::row_major(&[3]), &Strides::new(0, [2])).expect("a plan");
    refused(holes.to_vec(&[[1u8; 2]; 3]), PadError::OutputHasHoles, &["holes"]);
}
