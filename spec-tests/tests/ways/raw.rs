//! Elements of which only the size is known, uninitialised memory, and tensors behind pointers are padded like any others.

use std::mem::MaybeUninit;

use itertools::iproduct;
use pad_kernels::{
    BorderPlan, DType, Fill, PadError, PadMode, PadPlan, PadSpec, Pads, Strides,
    tensor::{Operand, RawInput, RawOutput},
};
use spec_tests::guard::GuardedRows;

use super::common::{JUNK, bytes, sets};

/// A generator of pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn shape(&mut self) -> Vec<usize> {
        (0..1 + self.below(3)).map(|_| 1 + self.below(9)).collect()
    }

    fn pads(&mut self, shape: &[usize]) -> Pads {
        shape.iter().map(|_| (self.below(7) as i64, self.below(7) as i64)).collect()
    }

    /// Returns strides for axes in any order, forwards or backwards, with or without gaps, and the number of elements that they
    /// span.
    fn strides(&mut self, shape: &[usize]) -> (Vec<isize>, usize) {
        let (mut step, mut strides) = (1, vec![0; shape.len()]);
        let mut axes: Vec<_> = (0..shape.len()).collect();
        axes.rotate_left(self.below(shape.len()));
        for axis in axes {
            step *= 1 + self.below(3) / 2;
            strides[axis] = if self.below(3) == 0 { -(step as isize) } else { step as isize };
            step *= shape[axis];
        }
        (strides, step)
    }
}

/// Returns the distances in elements from the lowest element of a tensor to its first, and to its highest.
fn span(shape: &[usize], strides: &[isize]) -> [usize; 2] {
    let reach = |(&length, stride): (&usize, isize)| length.saturating_sub(1) * stride.max(0) as usize;
    let sum =
        |of: fn(isize) -> isize| shape.iter().zip(strides.iter().map(|&stride| of(stride))).map(reach).sum();
    [sum(|stride| -stride), sum(isize::abs)]
}

/// A tensor in a slice: shape, strides, and the byte offset of its first element.
type Place<'a> = (&'a [usize], &'a [isize], usize);

/// Returns the byte offset of the tensor in a slice of `bytes` bytes, or `None` if the tensor has no elements.
fn begin(item: usize, bytes: usize, (shape, strides, at): Place<'_>) -> Option<usize> {
    if shape.contains(&0) {
        return None;
    }
    let [back, all] = span(shape, strides);
    assert!(at >= back * item && at + (all - back + 1) * item <= bytes, "the tensor lies in the slice");
    Some(at)
}

fn run_raw(
    plan: &PadPlan,
    item: usize,
    src: &[u8],
    from: Place<'_>,
    dst: &mut [u8],
    to: Place<'_>,
) -> Result<(), PadError> {
    let input = begin(item, src.len(), from).map_or(std::ptr::null(), |at| src.as_ptr().wrapping_add(at));
    let output =
        begin(item, dst.len(), to).map_or(std::ptr::null_mut(), |at| dst.as_mut_ptr().wrapping_add(at));
    // SAFETY: `begin` checked that all elements lie in the slices, and `dst` is borrowed exclusively.
    unsafe {
        let input = RawInput::new(input, item, from.0, from.1);
        plan.run_raw(&input, RawOutput::new(output, item, to.0, to.1))
    }
}

/// Elements of `item` bytes are padded like an extra axis of `item` bytes without padding.
#[test]
fn only_the_size_matters() {
    let numbers = &mut Numbers(1);
    for item in 1..=20 {
        for mode in PadMode::ALL {
            let shape = [1 + numbers.below(4), 1 + numbers.below(9)];
            let pads = [0, 1].map(|_| (numbers.below(9) as i64 - 1, numbers.below(9) as i64));
            let pads = [0, 1].map(|axis| (pads[axis].0.max(1 - shape[axis] as i64), pads[axis].1));
            let fill = numbers.below(256) as u8;
            let mut spec = PadSpec::new(mode, pads);
            spec.fill = Some(Fill::untyped(&vec![fill; item]));
            let plan = PadPlan::for_bytes(&spec, &shape, item).expect("a valid request");
            assert_eq!(plan.dtype(), None);
            let of_bytes = PadSpec::new(mode, [pads[0], pads[1], (0, 0)]).with_fill(fill);
            let src = bytes(plan.input_bytes());
            let want =
                PadPlan::new::<u8>(&of_bytes, &[shape[0], shape[1], item]).unwrap().to_vec(&src).unwrap();
            let mut got = vec![!fill; plan.output_bytes()];
            plan.run_bytes(&src, &mut got).unwrap();
            assert_eq!(got, want, "{mode} {item}");
            assert_eq!(
                plan.run_bytes_uninit(&src, &mut vec![MaybeUninit::uninit(); want.len()]).unwrap(),
                want,
                "{mode} {item}"
            );
        }
    }
}

#[test]
fn memory_that_is_new_is_written_by_threads() {
    let spec = PadSpec::new(PadMode::Reflect, [(3, 4), (5, 6)]);
    let plan = PadPlan::for_bytes(&spec, &[700, 901], 3).unwrap();
    let src = bytes(plan.input_bytes());
    let mut want = vec![0; plan.output_bytes()];
    plan.run_bytes(&src, &mut want).unwrap();
    assert!(want.len() > 1 << 20, "long enough to be shared");
    let mut dst = vec![MaybeUninit::uninit(); want.len()];
    assert_eq!(plan.par_run_bytes_uninit(&src, &mut dst).unwrap(), want);
    let short = plan.par_run_bytes_uninit(&src[1..], &mut dst).map(drop);
    assert!(matches!(short, Err(PadError::Length { operand: Operand::Input, .. })));
}

#[test]
fn tensors_behind_pointers() {
    let numbers = &mut Numbers(3);
    for turn in 0..2000 {
        let shape = numbers.shape();
        let spec = PadSpec::new(PadMode::ALL[turn % 5], numbers.pads(&shape)).with_fill(0x0506_u16);
        let plan = PadPlan::new::<u16>(&spec, &shape).expect("a valid request");
        let out = plan.output_shape().to_vec();
        let ((from, reads), (to, writes)) = (numbers.strides(&shape), numbers.strides(&out));
        let (input, output) = (Strides::spanning(&shape, &from), Strides::spanning(&out, &to));
        let placed = plan.with_strides(&input, &output).expect("valid strides");
        let src = bytes(2 * reads);
        let (mut want, mut got) = (vec![JUNK; 2 * writes], vec![JUNK; 2 * writes]);
        placed.run_bytes(&src, &mut want).unwrap();
        let [first_read, first_written] = [span(&shape, &from), span(&out, &to)].map(|[first, _]| 2 * first);
        run_raw(&placed, 2, &src, (&shape, &from, first_read), &mut got, (&out, &to, first_written)).unwrap();
        assert_eq!(got, want, "{spec:?} {shape:?} {from:?} {to:?}");
    }
}

/// A tensor without elements may have a null pointer.
#[test]
fn no_elements_are_nowhere() {
    for rank in 1..=8 {
        let shape: Vec<usize> = (0..rank).map(|axis| usize::from(axis > 0)).collect();
        let spec = PadSpec::constant(vec![(1i64, 1i64); rank], 9u8);
        let plan = PadPlan::new::<u8>(&spec, &shape).unwrap();
        let out = plan.output_shape().to_vec();
        // The output has a gap on each axis.
        let (mut strides, mut step) = (vec![0; rank], 2);
        for axis in (0..rank).rev() {
            strides[axis] = step;
            step = step * out[axis] as isize + 1;
        }
        let none = vec![1; rank];
        let output = Strides::spanning(&out, &strides);
        let plan = plan.with_strides(&Strides::spanning(&shape, &none), &output).expect("valid strides");
        let mut dst = vec![0u8; step as usize];
        run_raw(&plan, 1, &[], (&shape, &none, 0), &mut dst, (&out, &strides, 0)).unwrap();
        assert_eq!(dst.iter().filter(|&&byte| byte == 9).count(), plan.output_len());
    }
    let plan = PadPlan::new::<u8>(&PadSpec::constant([(0, 0); 2], 0u8), &[0, 3]).unwrap();
    let empty: Place<'_> = (&[0, 3], &[3, 1], 0);
    run_raw(&plan, 1, &[], empty, &mut [], empty).unwrap();
}

/// A tensor without elements may have any strides.
#[test]
fn no_elements_are_any_distance_apart() {
    let plan = PadPlan::new::<u16>(&PadSpec::constant([(1i64, 1i64); 2], 9u16), &[0, 3]).unwrap();
    let output = Strides::row_major(plan.output_shape());
    for strides in [[1, -1], [3, isize::MIN], [isize::MAX, isize::MAX], [0, 0]] {
        let placed = plan.with_strides(&Strides::new(0, strides), &output).expect("no element lies outside");
        assert_eq!(placed.to_vec(&[0u16; 0]).unwrap(), [9; 10]);
        assert_eq!(placed.adjoint().unwrap().run(&[1u16; 10], &mut []), Ok(()));
        let mut dst = [0; 20];
        let output: Place<'_> = (plan.output_shape(), &[5, 1], 0);
        run_raw(&placed, 2, &[], (&[0, 3], &strides, 0), &mut dst, output).unwrap();
        assert_eq!(dst.as_chunks::<2>().0, [9u16.to_ne_bytes(); 10]);
        // An output without elements may have any strides too.
        let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(-3, 0), (0, 0)]), &[3, 2]).unwrap();
        let placed = plan.with_strides(&Strides::row_major(&[3, 2]), &Strides::new(0, strides)).unwrap();
        placed.run(&[1u16; 6], &mut []).unwrap();
        let mut gradient = [7u16; 6];
        placed.adjoint().unwrap().run(&[], &mut gradient).unwrap();
        assert_eq!(gradient, [0; 6]);
    }
}

/// A plan for a region of a long axis needs only the buffer of that region. With these strides, the whole axis would not fit in
/// memory.
#[test]
fn parts_of_long_axes_lie_anywhere() {
    let long = isize::MAX as usize / 4;
    for (mode, window, expected) in [
        (PadMode::Edge, 5..7, [2, 1]),
        (PadMode::Edge, 0..2, [1, 1]),
        (PadMode::Constant, 0..2, [1, 0]),
        (PadMode::Reflect, 1..3, [2, 1]),
        (PadMode::Symmetric, 0..2, [1, 1]),
    ] {
        let whole = PadPlan::new::<u8>(&PadSpec::new(mode, [(1, 1)]), &[long]).unwrap();
        let part = whole.window_from_region(std::slice::from_ref(&window)).unwrap();
        let apart = 1 << 10;
        let input = Strides::spanning(part.input_shape(), &[apart]);
        let placed = part.with_strides(&input, &Strides::spanning(&[2], &[-1])).unwrap();
        let src: Vec<u8> = (0..=apart).map(|at| if at == 0 { 1 } else { 2 }).collect();
        let src = &src[..(placed.input_shape()[0] - 1) * apart as usize + 1];
        let mut dst = [0; 2];
        placed.run(src, &mut dst).unwrap();
        assert_eq!(dst, expected, "{mode} {window:?}");
    }
    // Fill reads no input, so the large input stride is allowed.
    let fill = PadPlan::new::<u8>(&PadSpec::new(PadMode::Constant, [(5, -2)]), &[2]).unwrap();
    let apart = isize::MAX / 2;
    let placed = fill.with_strides(&Strides::spanning(&[2], &[-apart]), &Strides::spanning(&[5], &[-1]));
    assert_eq!(placed.unwrap().output_len(), 5);
}

/// No byte outside of a row is read, even if the row begins or ends at a page border and the next page is inaccessible.
#[test]
#[cfg_attr(miri, ignore = "it has no pages")]
fn nothing_is_read_between_rows() {
    const ROWS: usize = 3;
    let mut memory = GuardedRows::new(ROWS);
    let (page, pitch) = (memory.row_mut(0).len(), memory.pitch());
    for row in 0..ROWS {
        for (i, byte) in memory.row_mut(row).iter_mut().enumerate() {
            *byte = (i * 7 + i / 251 + row * 31) as u8;
        }
    }
    let outer = [(0, 0, 0), (1, -1, 0), (1, 1, 0), (-1, 2, 0)];
    let inner = [(0, 0, 0), (2, 3, 0), (-1, 40, 0), (1, 0, 1)];
    let rows = [(1, 70), (2, 34), (4, 17)].into_iter().flat_map(|(item, most)| {
        (1..=most).flat_map(move |columns| [(item, columns, 0), (item, columns, page - columns * item)])
    });
    let tensors = rows.flat_map(|(item, columns, at)| [2, ROWS].map(|rows| (item, [rows, columns], at)));
    let mut runs = 0;
    for (item, tensor, at) in tensors {
        let bytes = tensor[1] * item;
        let data: Vec<u8> =
            (0..tensor[0]).flat_map(|row| memory.row_mut(row)[at..][..bytes].to_vec()).collect();
        for (mode, outer, inner) in iproduct!(PadMode::ALL, outer, inner) {
            let mut spec = PadSpec::new(mode, [outer, inner]);
            spec.fill = Some(Fill::untyped(&[9, 8, 7, 6][..item]));
            let plan = PadPlan::for_bytes(&spec, &tensor, item);
            let Some(plan) = plan.ok().filter(|plan| !plan.is_empty()) else { continue };
            let mut want = vec![0; plan.output_bytes()];
            plan.with_generic_kernel().run_bytes(&data, &mut want).unwrap();
            let shape = plan.output_shape().to_vec();
            let strides = [(pitch / item) as isize, 1];
            let input = Strides::spanning(&tensor, &strides);
            let plan = plan.with_strides(&input, &Strides::row_major(&shape)).expect("valid strides");
            for isa in sets() {
                let plan = plan.with_isa(isa).expect("available");
                let mut got = vec![0; want.len()];
                // SAFETY: the rows of `memory` are `pitch` bytes apart, and `got` has the length of the output and is borrowed
                // exclusively.
                unsafe {
                    let input = RawInput::new(memory.as_ptr().add(at), item, &tensor, &strides);
                    let rows = [shape[1] as isize, 1];
                    plan.run_raw(&input, RawOutput::new(got.as_mut_ptr(), item, &shape, &rows)).unwrap();
                }
                assert_eq!(got, want, "{isa}: {spec:?} of {tensor:?} elements of {item} bytes, from {at} on");
                runs += 1;
            }
        }
    }
    assert!(runs > 10_000, "{runs}");
}

#[test]
fn borders_of_tensors_behind_pointers() {
    let numbers = &mut Numbers(4);
    for turn in 0..1000 {
        let (mode, item) = (PadMode::ALL[turn % 5], 1 + numbers.below(20));
        let shape = numbers.shape();
        let mut spec = PadSpec::new(mode, numbers.pads(&shape));
        spec.fill = Some(Fill::untyped(&bytes(item)));
        let plan = BorderPlan::for_bytes(&spec, &shape, item).expect("a valid request");
        let (strides, elements) = numbers.strides(plan.output_shape());
        let placed =
            plan.with_strides(&Strides::spanning(plan.output_shape(), &strides)).expect("valid strides");
        let before = bytes(elements * item);
        let (mut want, mut got) = (before.clone(), before);
        // A tensor that ends before its last gap spans fewer elements than `strides` returned.
        let [first, last] = span(plan.output_shape(), &strides);
        placed.run_bytes(&mut want[..(last + 1) * item]).unwrap();
        // SAFETY: from the first element on, these strides stay within `got`, which nothing else uses.
        let raw = unsafe {
            RawOutput::new(got.as_mut_ptr().add(first * item), item, plan.output_shape(), &strides)
        };
        placed.run_raw(raw).unwrap();
        assert_eq!(got, want, "{spec:?} {shape:?} {strides:?}");
    }
}

#[test]
fn borders_of_other_tensors_are_refused() {
    let plan = BorderPlan::for_bytes(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[2], 3).unwrap();
    let mut dst = *b"---onetwo---";
    let short = Err(PadError::Length { operand: Operand::Output, expected: 12, got: 11 });
    assert_eq!(plan.run_bytes(&mut dst[..11]), short);
    assert!(matches!(plan.run(&mut [0u8; 4]), Err(PadError::ElementType { plan_bytes: 3, .. })));
    for (item, shape, strides) in [(2, [4], [1]), (3, [3], [1]), (3, [4], [-1])] {
        // SAFETY: with stride 1, each tensor spans at most 9 of the 12 bytes of `dst`. With stride -1, it starts at byte 9 and
        // spans all 12 bytes.
        let raw = unsafe {
            RawOutput::new(dst.as_mut_ptr().add(9 * usize::from(strides[0] < 0)), item, &shape, &strides)
        };
        assert!(plan.run_raw(raw).is_err());
    }
    assert_eq!(&dst, b"---onetwo---");
}

#[test]
fn other_tensors_are_refused() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 1)]), &[2, 3]).unwrap();
    let src = [7; 64];
    let run = |bytes: usize, (shape, strides): (&[usize], &[isize]), to: (&[usize], &[isize])| {
        let mut dst = [0; 64];
        // SAFETY: from byte 20 of the 64 bytes, none of these tensors leaves its array.
        let ran = unsafe {
            let input = RawInput::new(src.as_ptr().add(20), bytes, shape, strides);
            plan.run_raw(&input, RawOutput::new(dst.as_mut_ptr().add(20), bytes, to.0, to.1))
        };
        assert_eq!(ran.is_ok(), dst != [0; 64], "nothing is written where it is refused");
        ran
    };
    let (input, output): (_, (&[usize], &[isize])) = ((&[2, 3][..], &[3, 1][..]), (&[2, 5], &[5, 1]));
    assert_eq!(run(1, input, output), Ok(()));
    let other = |operand, axis| Err(PadError::OtherTensor { operand, axis });
    assert_eq!(run(1, (&[2, 3], &[4, 1]), output), other(Operand::Input, 0));
    assert_eq!(run(1, (&[2, 4], &[3, 1]), output), other(Operand::Input, 1));
    assert_eq!(run(1, (&[2, 3], &[3, -1]), output), other(Operand::Input, 1));
    assert_eq!(run(1, input, (&[2, 5], &[6, 1])), other(Operand::Output, 0));
    for few in [(&[3][..], &[1][..]), (&[2, 3, 1], &[3, 1]), (&[2, 3], &[3, 1, 1])] {
        let count = PadError::StrideCount { operand: Operand::Input, strides: few.1.len(), shape: 2 };
        assert_eq!(run(1, few, output), Err(count));
    }
    let wide = PadError::ElementType { plan: Some(DType::U8), plan_bytes: 1, given: None, given_bytes: 2 };
    assert_eq!(run(2, input, output), Err(wide));
    // The shape and strides are the plan's, but the first element is at another offset.
    let strides = Strides::new(9, [-3, 1]);
    let back = plan.with_strides(&strides, &Strides::row_major(&[2, 5])).unwrap();
    let mut dst = [0; 10];
    let ran = run_raw(&back, 1, &src, (&[2, 3], &[-3, 1], 20), &mut dst, (&[2, 5], &[5, 1], 0));
    assert_eq!((ran, dst), (other(Operand::Input, 0), [0; 10]));
}

#[test]
fn tensors_are_the_plans_wherever_nothing_is_touched() {
    let plan = |pads: [(i64, i64); 2], shape: &[usize], from: Strides| {
        let spec = PadSpec::new(PadMode::Constant, pads).with_fill(7u8);
        PadPlan::new::<u8>(&spec, shape).unwrap().with_strides(&from, &Strides::row_major(&[2, 3])).unwrap()
    };
    let run = |plan: &PadPlan, from: Place<'_>| {
        let mut dst = [0; 6];
        run_raw(plan, 1, &[1, 2, 3], from, &mut dst, (&[2, 3], &[3, 1], 0)).map(|()| dst)
    };
    let one_row = plan([(0, 1), (0, 0)], &[1, 3], Strides::row_major(&[1, 3]));
    assert_eq!(run(&one_row, (&[1, 3], &[100, 1], 0)), Ok([1, 2, 3, 7, 7, 7]), "the stride of one row");
    let empty = plan([(1, 1), (0, 0)], &[0, 3], Strides::new(5, [3, 1]));
    assert_eq!(run(&empty, (&[0, 3], &[3, 1], 0)), Ok([7; 6]), "where an empty tensor begins");
}
