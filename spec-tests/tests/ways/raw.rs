//! Tests of tensors behind pointers: refused tensors, parts of axes that are longer than memory, and rows at the ends of pages.

use pad_kernels::{BorderPlan, DType, PadError, PadMode, PadPlan, PadSpec, Strides, tensor::Operand};
use spec_tests::pointers;
use spec_tests::views::Placed;

/// A plan for a region of a long axis needs a buffer only for that region. With the strides of the test, the whole axis would not
/// fit in memory.
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
    // The whole output is fill. The plan therefore reads no input and allows the large input stride.
    let fill = PadPlan::new::<u8>(&PadSpec::new(PadMode::Constant, [(5, -2)]), &[2]).unwrap();
    let apart = isize::MAX / 2;
    let placed = fill.with_strides(&Strides::spanning(&[2], &[-apart]), &Strides::spanning(&[5], &[-1]));
    assert_eq!(placed.unwrap().output_len(), 5);
}

/// No byte outside of a row is read, even if the row begins or ends at a page border and the next page is inaccessible.
#[test]
#[cfg(all(unix, not(miri)))]
fn nothing_is_read_between_rows() {
    use itertools::iproduct;
    use pad_kernels::Fill;
    use spec_tests::guard::GuardedRows;

    use super::common::sets;

    const ROWS: usize = 3;
    let mut memory = GuardedRows::new(ROWS);
    let page = memory.row_mut(0).len();
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
            let input = Strides::spanning(&tensor, &[(memory.pitch() / item) as isize, 1]);
            let output = Strides::row_major(plan.output_shape());
            let plan = plan.with_strides(&input, &output).expect("valid strides");
            for isa in sets() {
                let mut got = vec![0; want.len()];
                pointers::run_rows(&plan.with_isa(isa).expect("available"), item, (&memory, at), &mut got);
                assert_eq!(got, want, "{isa}: {spec:?} of {tensor:?} elements of {item} bytes, from {at} on");
                runs += 1;
            }
        }
    }
    assert!(runs > 10_000, "{runs}");
}

fn at(offset: usize, strides: &[isize]) -> Placed {
    Placed { offset, strides: strides.to_vec(), room: 0 }
}

#[test]
fn borders_of_other_tensors_are_refused() {
    let plan = BorderPlan::for_bytes(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[2], 3).unwrap();
    let mut dst = *b"---onetwo---";
    let short = Err(PadError::Length { operand: Operand::Output, expected: 12, got: 11 });
    assert_eq!(plan.run_bytes(&mut dst[..11]), short);
    assert!(matches!(plan.run(&mut [0u8; 4]), Err(PadError::ElementType { plan_bytes: 3, .. })));
    for (size, shape, placed) in [(2, [4], at(0, &[1])), (3, [3], at(0, &[1])), (3, [4], at(3, &[-1]))] {
        assert!(pointers::borders(&plan, size, (&mut dst, &shape, &placed)).is_err());
    }
    assert_eq!(&dst, b"---onetwo---");
}

#[test]
fn other_tensors_are_refused() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 1)]), &[2, 3]).unwrap();
    let run =
        |plan: &PadPlan, size, (shape, input): (&[usize], Placed), (out, output): (&[usize], Placed)| {
            let mut dst = [0; 64];
            let ran = pointers::run(plan, size, (&[7; 64], shape, &input), (&mut dst, out, &output));
            assert_eq!(ran.is_ok(), dst != [0; 64], "nothing is written where it is refused");
            ran
        };
    let input = || (&[2, 3][..], at(10, &[3, 1]));
    let output = || (&[2, 5][..], at(10, &[5, 1]));
    assert_eq!(run(&plan, 1, input(), output()), Ok(()));
    let other = |operand, axis| Err(PadError::OtherTensor { operand, axis });
    assert_eq!(run(&plan, 1, (&[2, 3], at(10, &[4, 1])), output()), other(Operand::Input, 0));
    assert_eq!(run(&plan, 1, (&[2, 4], at(10, &[3, 1])), output()), other(Operand::Input, 1));
    assert_eq!(run(&plan, 1, (&[2, 3], at(10, &[3, -1])), output()), other(Operand::Input, 1));
    assert_eq!(run(&plan, 1, input(), (&[2, 5], at(10, &[6, 1]))), other(Operand::Output, 0));
    for (shape, strides) in [(&[3][..], &[1][..]), (&[2, 3, 1], &[3, 1]), (&[2, 3], &[3, 1, 1])] {
        // The error states the number of axes that is wrong.
        let rank = if strides.len() == 2 { shape.len() } else { 2 };
        let count = PadError::StrideCount { operand: Operand::Input, strides: strides.len(), shape: rank };
        assert_eq!(run(&plan, 1, (shape, at(10, strides)), output()), Err(count));
    }
    let wide = PadError::ElementType { plan: Some(DType::U8), plan_bytes: 1, given: None, given_bytes: 2 };
    assert_eq!(run(&plan, 2, input(), output()), Err(wide));
    // The shape and strides are the plan's, but the first element is at another offset.
    let back = plan.with_strides(&Strides::new(9, [-3, 1]), &Strides::row_major(&[2, 5])).unwrap();
    assert_eq!(run(&back, 1, (&[2, 3], at(20, &[-3, 1])), output()), other(Operand::Input, 0));
}

/// The strides of an axis of one element and the offset of an empty tensor need not be those of the plan.
#[test]
fn tensors_are_the_plans_wherever_nothing_is_touched() {
    let run = |pads: [(i64, i64); 2], shape: &[usize], planned: Strides, given: Placed| {
        let spec = PadSpec::new(PadMode::Constant, pads).with_fill(7u8);
        let plan = PadPlan::new::<u8>(&spec, shape).unwrap();
        let plan = plan.with_strides(&planned, &Strides::row_major(&[2, 3])).unwrap();
        let mut dst = [0; 6];
        let ran = pointers::run(&plan, 1, (&[1, 2, 3], shape, &given), (&mut dst, &[2, 3], &at(0, &[3, 1])));
        ran.map(|()| dst)
    };
    let one_row = run([(0, 1), (0, 0)], &[1, 3], Strides::row_major(&[1, 3]), at(0, &[100, 1]));
    assert_eq!(one_row, Ok([1, 2, 3, 7, 7, 7]));
    assert_eq!(run([(1, 1), (0, 0)], &[0, 3], Strides::new(5, [3, 1]), at(0, &[3, 1])), Ok([7; 6]));
}
