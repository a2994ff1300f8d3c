//! Tests of outputs in new memory: zeroed pages, reused memory, and memory that continues behind the output.

use std::mem::MaybeUninit;

use itertools::iproduct;
use pad_kernels::{Fill, PadMode, PadPlan, PadSpec, Strides, kernels::Streaming, pad};

use super::common::{JUNK, bytes, padded, sets};

/// Memory behind an output is not returned as written.
#[test]
fn memory_goes_on_behind_an_output() {
    let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    let right = plan.to_vec(&[1u16, 2, 3]).expect("room");
    let plan = plan.with_strides(&Strides::row_major(&[3]), &Strides::row_major(&[6])).expect("valid");
    for more in [0, 1, 40] {
        let mut memory = vec![MaybeUninit::uninit(); 6 + more];
        let written = plan.run_uninit(&[1u16, 2, 3], &mut memory).map(|written| written.to_vec());
        assert_eq!(written, Ok(right.clone()));
    }
}

/// A large new output is right with and without streaming, even if the allocator reuses memory with other contents.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn new_outputs_in_used_memory() {
    let spec = PadSpec::new(PadMode::Constant, [(3, 5), (700, 300)]);
    let plan = PadPlan::new::<u8>(&spec, &[1000, 50]).expect("valid");
    assert!(plan.output_len() >= 1 << 20);
    let src = bytes(plan.input_len());
    let right = padded(&plan, &src);
    let junk = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == JUNK).count();
    assert_eq!(junk(&right), junk(&src));
    for streaming in [Streaming::Never, Streaming::Always] {
        let plan = plan.with_streaming(streaming);
        for _ in 0..3 {
            // The allocator probably returns this memory again.
            drop(std::hint::black_box(vec![JUNK; plan.output_len()]));
            assert!(plan.to_vec(&src).expect("room") == right, "{streaming:?}");
        }
    }
}

/// A new output with zero fill is right although copies may read too much. The input's elements have gaps, in either direction,
/// and fill follows each row.
#[test]
fn new_outputs_of_elements_that_are_apart() {
    let steps = [-5isize, -2, -1, 2, 3, 5, 7];
    for (item, step, fill, columns) in iproduct!(1..=16, steps, [3, 100], [1, 2, 5, 13, 69]) {
        let rows = 1 + (1 << 12) / ((columns + fill) * item);
        let mut spec = PadSpec::new(PadMode::Constant, [(0, 0), (0, fill as i64)]);
        spec.fill = Some(Fill::untyped(&[0; 16][..item]));
        let plan = PadPlan::for_bytes(&spec, &[rows, columns], item).expect("valid");
        let strides = [columns as isize * step.abs(), step];
        let input = Strides::spanning(&[rows, columns], &strides);
        let plan = plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("room");
        let room = (rows - 1) * strides[0] as usize + (columns - 1) * step.unsigned_abs() + 1;
        let src: Vec<u8> = (0..room * item).map(|i| (i % 250 + 1) as u8).collect();
        let want = padded(&plan.with_generic_kernel(), &src);
        for isa in sets() {
            let got = plan.with_isa(isa).expect("available").to_vec_bytes(&src).expect("room");
            let what = format_args!("{rows} by {columns} of {item} bytes, {step} apart, {fill} of fill");
            assert!(got == want, "{isa}: {what}");
        }
    }
}

/// A long new output holds exactly the bits of its fill. Debug builds allocate zeroed memory from 1 MiB on, but only if all bits
/// of the fill are zero.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_outputs_hold_their_fill() {
    fn check<T: pad_kernels::Element>(bits: fn(T) -> u64, element: T, fills: &[T]) {
        for &fill in fills {
            let spec = PadSpec::new(PadMode::Constant, [(1 << 17, 1 << 17)]).with_fill(fill);
            let padded = pad(&[element], &[1], &spec).expect("a valid request");
            let right = |(i, &value)| bits(value) == bits(if i == 1 << 17 { element } else { fill });
            assert!(padded.iter().enumerate().all(right), "{:#x}", bits(fill));
        }
    }
    let odd = [f32::from_bits(0x7fc0_0100), f32::from_bits(0x0000_0001)];
    check(|value: f32| value.to_bits().into(), 2.5, &[&[0.0, -0.0, 1.5], &odd[..]].concat());
    check(f64::to_bits, 1.5, &[-0.0, 0.0, f64::NAN]);
}
