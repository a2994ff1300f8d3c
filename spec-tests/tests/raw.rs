//! Elements of which only the size is known, memory that is new, and tensors that are no slices: they are padded as others are.

use std::mem::MaybeUninit;

use pad_kernels::{
    BorderPlan, DType, Fill, PadError, PadMode, PadPlan, PadSpec, Pads, Strides,
    kernels::Isa,
    tensor::{Operand, RawInput, RawOutput},
};
use spec_tests::guard::GuardedRows;

/// Numbers that look drawn.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }
}

fn uninit(len: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); len]
}

/// Elements of `item` bytes are padded like those of an axis of so many bytes, that is not padded itself.
#[test]
fn only_the_size_matters() {
    let drawn = &mut Drawn(1);
    for item in 1..=20 {
        for mode in PadMode::ALL {
            let shape = [1 + drawn.below(4), 1 + drawn.below(9)];
            let pads = [0, 1].map(|_| (drawn.below(9) as i64 - 1, drawn.below(9) as i64));
            let pads = [0, 1].map(|axis| (pads[axis].0.max(1 - shape[axis] as i64), pads[axis].1));
            let fill = drawn.below(256) as u8;
            let mut spec = PadSpec::new(mode, pads);
            spec.fill = Some(Fill::untyped(&vec![fill; item]));
            let plan = PadPlan::for_bytes(&spec, &shape, item).expect("a valid request");
            assert_eq!(plan.dtype(), None);
            let of_bytes = PadSpec::new(mode, [pads[0], pads[1], (0, 0)]).with_fill(fill);
            let src = drawn.bytes(plan.input_bytes());
            let want =
                PadPlan::new::<u8>(&of_bytes, &[shape[0], shape[1], item]).unwrap().to_vec(&src).unwrap();
            let mut got = vec![!fill; plan.output_bytes()];
            plan.run_bytes(&src, &mut got).unwrap();
            assert_eq!(got, want, "{mode} {item}");
            assert_eq!(plan.run_bytes_uninit(&src, &mut uninit(want.len())).unwrap(), want, "{mode} {item}");
        }
    }
}

#[test]
fn elements_without_a_type_need_a_fill_of_their_size() {
    let spec = |fill: Option<Fill>| {
        let mut spec = PadSpec::new(PadMode::Constant, [(1, 1)]);
        spec.fill = fill;
        spec
    };
    let plan = |fill, bytes| PadPlan::for_bytes(&spec(fill), &[3], bytes).map(drop);
    assert_eq!(plan(Some(Fill::untyped(&[1, 2, 3])), 3), Ok(()));
    assert_eq!(plan(None, 4), Err(PadError::FillRequired { dtype: None }));
    assert_eq!(plan(Some(Fill::untyped(&[])), 0), Err(PadError::ZeroSized));
    for fill in [Fill::untyped(&[1, 2]), Fill::of([1u8, 2, 3]), Fill::from_bytes(DType::U8, &[1, 2, 3])] {
        assert!(matches!(plan(Some(fill), 3), Err(PadError::FillType { dtype: None, bytes: 3, .. })));
    }
    let typed = PadPlan::for_bytes(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[3], 4).unwrap();
    assert!(matches!(typed.run(&[1f32; 3], &mut [0f32; 5]), Err(PadError::ElementType { .. })));
}

#[test]
fn memory_that_is_new_is_written_by_threads() {
    let spec = PadSpec::new(PadMode::Reflect, [(3, 4), (5, 6)]);
    let plan = PadPlan::for_bytes(&spec, &[700, 901], 3).unwrap();
    let src = Drawn(2).bytes(plan.input_bytes());
    let mut want = vec![0; plan.output_bytes()];
    plan.run_bytes(&src, &mut want).unwrap();
    assert!(want.len() > 1 << 20, "long enough to be shared");
    let mut dst = uninit(want.len());
    assert_eq!(plan.par_run_bytes_uninit(&src, &mut dst).unwrap(), want);
    let short = plan.par_run_bytes_uninit(&src[1..], &mut dst).map(drop);
    assert!(matches!(short, Err(PadError::Length { operand: Operand::Input, .. })));
}

/// Strides that pass over each other, forwards or backwards, with gaps or without; and the elements that they span.
fn strides(drawn: &mut Drawn, shape: &[usize]) -> (Vec<isize>, usize) {
    let (mut step, mut strides) = (1, vec![0; shape.len()]);
    let mut axes: Vec<_> = (0..shape.len()).collect();
    axes.rotate_left(drawn.below(shape.len()));
    for axis in axes {
        step *= 1 + drawn.below(3) / 2;
        strides[axis] = if drawn.below(3) == 0 { -(step as isize) } else { step as isize };
        step *= shape[axis];
    }
    (strides, step)
}

#[test]
fn tensors_that_are_no_slices() {
    let drawn = &mut Drawn(3);
    for turn in 0..2000 {
        let mode = PadMode::ALL[turn % 5];
        let shape: Vec<usize> = (0..1 + drawn.below(3)).map(|_| 1 + drawn.below(9)).collect();
        let spec = PadSpec::new(
            mode,
            shape.iter().map(|_| (drawn.below(7) as i64, drawn.below(7) as i64)).collect::<Pads>(),
        );
        let spec = spec.with_fill(0x0506_u16);
        let plan = PadPlan::new::<u16>(&spec, &shape).expect("a valid request");
        let ((from, reads), (to, writes)) = (strides(drawn, &shape), strides(drawn, plan.output_shape()));
        let (input, output) = (Strides::spanning(&shape, &from), Strides::spanning(plan.output_shape(), &to));
        let placed = plan.with_strides(&input, &output).expect("valid strides");
        let src: Vec<u16> = (0..reads).map(|i| i as u16).collect();
        let (mut want, mut got) = (vec![0xeeee_u16; writes], vec![0xeeee_u16; writes]);
        placed.run(&src, &mut want).unwrap();
        let first = |strides: &[isize], shape: &[usize]| -> usize {
            let back = |(&stride, &length): (&isize, &usize)| (-stride).max(0) as usize * (length - 1);
            strides.iter().zip(shape).map(back).sum()
        };
        let (first_read, first_written) = (first(&from, &shape), first(&to, plan.output_shape()));
        // SAFETY: from the first element on these strides stay within the vectors, and the output is nobody else's.
        let (raw, written) = unsafe {
            (
                RawInput::new(src.as_ptr().add(first_read).cast(), 2, &shape, &from),
                RawOutput::new(got.as_mut_ptr().add(first_written).cast(), 2, plan.output_shape(), &to),
            )
        };
        placed.run_raw(&raw, written).unwrap();
        assert_eq!(got, want, "{spec:?} {shape:?} {from:?} {to:?}");
    }
}

/// A tensor without elements may be nowhere.
#[test]
fn no_elements_are_nowhere() {
    for rank in 1..=8 {
        let shape: Vec<usize> = (0..rank).map(|axis| usize::from(axis > 0)).collect();
        let spec = PadSpec::constant(vec![(1i64, 1i64); rank], 9u8);
        let plan = PadPlan::new::<u8>(&spec, &shape).unwrap();
        let out = plan.output_shape().to_vec();
        // With a hole on each axis.
        let (mut strides, mut step) = (vec![0; rank], 2);
        for axis in (0..rank).rev() {
            strides[axis] = step;
            step = step * out[axis] as isize + 1;
        }
        let none = vec![1; rank];
        let output = Strides::spanning(&out, &strides);
        let plan = plan.with_strides(&Strides::spanning(&shape, &none), &output).expect("valid strides");
        let mut dst = vec![0u8; step as usize];
        // SAFETY: there is no element of the input, and those of the output lie within the vector.
        unsafe {
            let input = RawInput::new(std::ptr::null(), 1, &shape, &none);
            plan.run_raw(&input, RawOutput::new(dst.as_mut_ptr(), 1, &out, &strides)).unwrap();
        }
        assert_eq!(dst.iter().filter(|&&byte| byte == 9).count(), plan.output_len());
    }
    let (shape, strides) = ([0, 3], [3, 1]);
    let plan = PadPlan::new::<u8>(&PadSpec::constant([(0, 0); 2], 0u8), &shape).unwrap();
    // SAFETY: there are no elements.
    unsafe {
        let input = RawInput::new(std::ptr::null(), 1, &shape, &strides);
        plan.run_raw(&input, RawOutput::new(std::ptr::null_mut(), 1, &shape, &strides)).unwrap();
    }
}

/// Where there are no elements, no stride leads anywhere.
#[test]
fn no_elements_are_any_distance_apart() {
    let plan = PadPlan::new::<u16>(&PadSpec::constant([(1i64, 1i64); 2], 9u16), &[0, 3]).unwrap();
    let output = Strides::row_major(plan.output_shape());
    for strides in [[1, -1], [3, isize::MIN], [isize::MAX, isize::MAX], [0, 0]] {
        let placed = plan.with_strides(&Strides::new(0, strides), &output).expect("no element lies outside");
        assert_eq!(placed.to_vec(&[0u16; 0]).unwrap(), [9; 10]);
        assert_eq!(placed.adjoint().unwrap().run(&[1u16; 10], &mut []), Ok(()));
        let mut dst = [0u16; 10];
        // SAFETY: there is no element of the input, and those of the output are an array.
        unsafe {
            let input = RawInput::new(std::ptr::null(), 2, &[0, 3], &strides);
            let output = RawOutput::new(dst.as_mut_ptr().cast(), 2, plan.output_shape(), &[5, 1]);
            placed.run_raw(&input, output).unwrap();
        }
        assert_eq!(dst, [9; 10]);
        // So it is with outputs.
        let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(-3, 0), (0, 0)]), &[3, 2]).unwrap();
        let placed = plan.with_strides(&Strides::row_major(&[3, 2]), &Strides::new(0, strides)).unwrap();
        placed.run(&[1u16; 6], &mut []).unwrap();
        let mut gradient = [7u16; 6];
        placed.adjoint().unwrap().run(&[], &mut gradient).unwrap();
        assert_eq!(gradient, [0; 6]);
    }
}

/// Of a part of a long axis only that part lies in the buffer: nothing is counted from the end of the axis.
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
    // Fill has no element to count from.
    let fill = PadPlan::new::<u8>(&PadSpec::new(PadMode::Constant, [(5, -2)]), &[2]).unwrap();
    let apart = isize::MAX / 2;
    let placed = fill.with_strides(&Strides::spanning(&[2], &[-apart]), &Strides::spanning(&[5], &[-1]));
    assert_eq!(placed.unwrap().output_len(), 5);
}

/// Between the rows of a tensor may be anyone's memory, or none: of a row that begins or ends with a page nothing is read before or behind it.
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
    let pads: Vec<_> = outer.iter().flat_map(|&outer| inner.map(|inner| [outer, inner])).collect();
    let rows = [(1, 70), (2, 34), (4, 17)].into_iter().flat_map(|(item, most)| {
        (1..=most).flat_map(move |columns| [(item, columns, 0), (item, columns, page - columns * item)])
    });
    let tensors = rows.flat_map(|(item, columns, at)| [2, ROWS].map(|rows| (item, [rows, columns], at)));
    let mut runs = 0;
    for (item, tensor, at) in tensors {
        let bytes = tensor[1] * item;
        let data: Vec<u8> =
            (0..tensor[0]).flat_map(|row| memory.row_mut(row)[at..][..bytes].to_vec()).collect();
        for (mode, &pads) in PadMode::ALL.iter().flat_map(|mode| pads.iter().map(move |pads| (mode, pads))) {
            let mut spec = PadSpec::new(*mode, pads);
            spec.fill = Some(Fill::untyped(&[9, 8, 7, 6][..item]));
            let plan = PadPlan::for_bytes(&spec, &tensor, item);
            let Some(plan) = plan.ok().filter(|plan| !plan.is_empty()) else { continue };
            let mut want = vec![0; plan.output_bytes()];
            plan.with_generic_kernel().run_bytes(&data, &mut want).unwrap();
            let shape = plan.output_shape().to_vec();
            let strides = [(pitch / item) as isize, 1];
            let input = Strides::spanning(&tensor, &strides);
            let plan = plan.with_strides(&input, &Strides::row_major(&shape)).expect("valid strides");
            for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                let plan = plan.with_isa(isa).expect("available");
                let mut got = vec![0; want.len()];
                // SAFETY: rows are a pitch apart, and the output is as long as its shape says, and nobody else's.
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
fn borders_of_tensors_that_are_no_slices() {
    let drawn = &mut Drawn(4);
    for turn in 0..1000 {
        let (mode, item) = (PadMode::ALL[turn % 5], 1 + drawn.below(20));
        let shape: Vec<usize> = (0..1 + drawn.below(3)).map(|_| 1 + drawn.below(9)).collect();
        let mut spec = PadSpec::new(
            mode,
            shape.iter().map(|_| (drawn.below(7) as i64, drawn.below(7) as i64)).collect::<Pads>(),
        );
        spec.fill = Some(Fill::untyped(&drawn.bytes(item)));
        let plan = BorderPlan::for_bytes(&spec, &shape, item).expect("a valid request");
        let (strides, elements) = strides(drawn, plan.output_shape());
        let placed =
            plan.with_strides(&Strides::spanning(plan.output_shape(), &strides)).expect("valid strides");
        let before = drawn.bytes(elements * item);
        let (mut want, mut got) = (before.clone(), before);
        // A tensor that ends before its last gap spans less than the strides are made for.
        let spanned = want.len() - (want.len() / item - span(plan.output_shape(), &strides)) * item;
        placed.run_bytes(&mut want[..spanned]).unwrap();
        let back = |(&stride, &length): (&isize, &usize)| (-stride).max(0) as usize * (length - 1);
        let first: usize = strides.iter().zip(plan.output_shape()).map(back).sum();
        // SAFETY: from the first element on these strides stay within the vector, which is nobody else's.
        let raw = unsafe {
            RawOutput::new(got.as_mut_ptr().add(first * item), item, plan.output_shape(), &strides)
        };
        placed.run_raw(raw).unwrap();
        assert_eq!(got, want, "{spec:?} {shape:?} {strides:?}");
    }
}

/// Elements from the lowest to the highest of a tensor.
fn span(shape: &[usize], strides: &[isize]) -> usize {
    let reach = |(&length, stride): (&usize, &isize)| (length - 1) * stride.unsigned_abs();
    1 + shape.iter().zip(strides).map(reach).sum::<usize>()
}

#[test]
fn borders_of_other_tensors_are_refused() {
    let plan = BorderPlan::for_bytes(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[2], 3).unwrap();
    let mut dst = *b"---onetwo---";
    let short = Err(PadError::Length { operand: Operand::Output, expected: 12, got: 11 });
    assert_eq!(plan.run_bytes(&mut dst[..11]), short);
    assert!(matches!(plan.run(&mut [0u8; 4]), Err(PadError::ElementType { plan_bytes: 3, .. })));
    for (item, shape, strides) in [(2, [4], [1]), (3, [3], [1]), (3, [4], [-1])] {
        // SAFETY: from the tenth byte on it goes on for no more than 8 bytes, or back to the first.
        let raw = unsafe {
            RawOutput::new(dst.as_mut_ptr().add(9 * usize::from(strides[0] < 0)), item, &shape, &strides)
        };
        assert!(plan.run_raw(raw).is_err());
    }
    assert_eq!(&dst, b"---onetwo---");
    let none = BorderPlan::for_bytes(&PadSpec::new(PadMode::Constant, [(1, 1)]), &[2], 3);
    assert_eq!(none, Err(PadError::FillRequired { dtype: None }));
}

#[test]
fn other_tensors_are_refused() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 1)]), &[2, 3]).unwrap();
    let src = [7; 64];
    let run = |bytes: usize, (shape, strides): (&[usize], &[isize]), to: (&[usize], &[isize])| {
        let mut dst = [0; 64];
        // SAFETY: of 64 bytes none of these tensors reaches the end, nor from the middle the beginning.
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
    // Backwards from elsewhere: the plan's strides are the same, its offset is not.
    let strides = Strides::new(9, [-3, 1]);
    let back = plan.with_strides(&strides, &Strides::row_major(&[2, 5])).unwrap();
    let mut dst = [0; 10];
    // SAFETY: as above.
    let ran = unsafe {
        let input = RawInput::new(src.as_ptr().add(20), 1, &[2, 3], &[-3, 1]);
        back.run_raw(&input, RawOutput::new(dst.as_mut_ptr(), 1, &[2, 5], &[5, 1]))
    };
    assert_eq!((ran, dst), (other(Operand::Input, 0), [0; 10]));
}

#[test]
fn tensors_are_the_plans_wherever_nothing_is_touched() {
    let plan = |pads: [(i64, i64); 2], shape: &[usize], from: Strides| {
        let spec = PadSpec::new(PadMode::Constant, pads).with_fill(7u8);
        PadPlan::new::<u8>(&spec, shape).unwrap().with_strides(&from, &Strides::row_major(&[2, 3])).unwrap()
    };
    let run = |plan: &PadPlan, shape: &[usize], strides: &[isize]| {
        let (src, mut dst) = ([1, 2, 3], [0; 6]);
        // SAFETY: `src` holds the one row there is, and `dst` two rows of three elements.
        let ran = unsafe {
            let input = RawInput::new(src.as_ptr(), 1, shape, strides);
            plan.run_raw(&input, RawOutput::new(dst.as_mut_ptr(), 1, &[2, 3], &[3, 1]))
        };
        ran.map(|()| dst)
    };
    let one_row = plan([(0, 1), (0, 0)], &[1, 3], Strides::row_major(&[1, 3]));
    assert_eq!(run(&one_row, &[1, 3], &[100, 1]), Ok([1, 2, 3, 7, 7, 7]), "the stride of one row");
    let empty = plan([(1, 1), (0, 0)], &[0, 3], Strides::new(5, [3, 1]));
    assert_eq!(run(&empty, &[0, 3], &[3, 1]), Ok([7; 6]), "where an empty tensor begins");
}
