//! Refused strides, indices and regions that lead out of their tensors, and refused outputs with unused memory between elements.

use std::mem::MaybeUninit;
use std::slice::from_ref;

use pad_kernels::PadMode::{Constant, Edge};
use pad_kernels::{AxisPad, BorderPlan, DType, PadError, PadPlan, PadSpec, Strides};

use super::{Errors, JUNK, plan, spec};

pub(super) fn errors(e: &mut Errors) {
    // One row of padding above two rows of three elements.
    let rows = plan(Edge, [(1, 0), (0, 0)], &[2, 3]).expect("valid");
    let (input, output) = (Strides::row_major(&[2, 3]), Strides::row_major(&[3, 3]));

    e.about("another number of strides");
    let line = plan(Edge, [(1, 1)], &[4]).expect("valid");
    refused! { e, PadError;
        StrideCount: rows.with_strides(&Strides::new(0, [1]), &output),
        StrideCount: rows.with_strides(&input, &Strides::new(0, [1])),
        StrideCount: line.with_strides(&Strides::row_major(&[2, 2]), &Strides::row_major(&[6])),
    }
    e.about("strides that lead out of the tensor, or that make elements overlap");
    refused! { e, PadError;
        StrideRange: rows.with_strides(&Strides::new(2, [-3, 1]), &output),
        Overlap: rows.with_strides(&input, &Strides::new(0, [2, 1])),
        StrideRange: line.with_strides(&Strides::new(0, [-1]), &Strides::row_major(&[6])),
    }
    let scalar = plan::<AxisPad, 0>(Edge, [], &[]).expect("valid");
    let beyond = scalar.with_strides(&Strides::new(usize::MAX, []), &Strides::row_major(&[]));
    assert_eq!(beyond.map(drop), Err(PadError::IndexRange { offset: usize::MAX }));
    let beyond = rows.with_strides(&Strides::new(usize::MAX, [0, 0]), &output);
    assert_eq!(beyond.map(drop), Err(PadError::IndexRange { offset: usize::MAX }));
    assert!(rows.with_strides(&Strides::new(3, [-3, 1]), &output).is_ok());
    assert!(rows.with_strides(&input, &Strides::new(0, [3, 1])).is_ok());

    e.about("indices of another tensor");
    let strides = Strides::new(5, [-3, 1]);
    assert_eq!(strides.at(&[1, 2]), Ok(Strides::new(4, [-3, 1])));
    refused! { e, PadError;
        IndexCount: strides.at(&[0, 0, 0]),
        IndexRange: strides.at(&[2, 0]),
    }
    for index in [[0, usize::MAX], [usize::MAX, 0], [usize::MAX; 2], [0, isize::MAX as usize]] {
        assert_eq!(strides.at(&index), Err(PadError::IndexRange { offset: 5 }));
    }
    // The sum of two products exceeds 128 bits, and the third does not bring it back.
    let wide = Strides::new(0, [isize::MAX, isize::MAX, isize::MIN]);
    assert_eq!(wide.at(&[usize::MAX; 3]), Err(PadError::IndexRange { offset: 0 }));
    let widest = Strides::new(usize::MAX, [isize::MIN, isize::MIN, isize::MAX]);
    assert_eq!(widest.at(&[usize::MAX, usize::MAX, 0]), Err(PadError::IndexRange { offset: usize::MAX }));

    e.about("new memory for bytes");
    let three = spec(Edge, [(1, 2)]);
    let text = PadPlan::for_dtype(&three, &[3], DType::String).expect("valid");
    let values = PadPlan::for_cloned(&three, &[3]).expect("valid");
    refused! { e, PadError;
        Length: plan(Edge, [(1, 2)], &[3]).expect("valid").to_vec_bytes(&[1, 2]),
        Cloned: text.to_vec_bytes(&[]),
        Cloned: values.to_vec_bytes(&[]),
    }
    assert_eq!(values.to_vec_cloned(&["a", "b", "c"], &""), Ok(vec!["a", "a", "b", "c", "c", "c"]));

    e.about("outputs with holes");
    let holes = rows.with_strides(&input, &Strides::new(0, [4, 1])).expect("room for a hole");
    let src = [1u8, 2, 3, 4, 5, 6];
    refused! { e, PadError;
        OutputHasHoles: holes.to_vec(&src),
        OutputHasHoles: holes.to_vec_bytes(&src),
        OutputHasHoles: holes.par_to_vec_bytes(&src),
        OutputHasHoles: holes.run_uninit(&src, &mut [MaybeUninit::new(0); 11]),
        // The output needs 11 elements: two rows of four, and three. With 10, the run fails. With 12, it does not write the last.
        Length: holes.run(&src, &mut [JUNK; 10]),
    }
    let mut dst = [JUNK; 12];
    assert_eq!(holes.run(&src, &mut dst), Ok(()));
    assert_eq!(dst, [1, 2, 3, JUNK, 1, 2, 3, JUNK, 4, 5, 6, JUNK]);

    e.about("boxes that are not inside the output");
    refused! { e, PadError;
        WindowCount: rows.window(from_ref(&(0..1))),
        WindowCount: rows.input_region(from_ref(&(0..1))),
        WindowRange: rows.window(&[0..3, 1..4]),
        WindowRange: rows.window_from_region(&[0..3, 1..4]),
        WindowRange: line.window(from_ref(&(3..7))),
    }
    assert!(rows.window(&[0..3, 1..3]).is_ok());

    e.about("rows that are not there");
    let padded = plan(Edge, [(1, 1), (1, 1)], &[2, 3]).expect("valid");
    let nibbles = PadPlan::for_dtype(&spec(Edge, [(1, 1)]), &[2], DType::U4).expect("valid");
    refused! { e, PadError;
        RowAxes: padded.rows(3, &[1u8; 6], &mut [0; 20]),
        RowLength: padded.rows(1, &[1u8; 6], &mut [0; 4]),
        Length: padded.rows(1, &[1u8; 5], &mut [0; 5]),
        ElementType: padded.rows(1, &[1i8; 6], &mut [0; 5]),
        ElementType: nibbles.rows(1, &[1u8; 2], &mut [0; 4]),
    }

    e.about("what is no border");
    let border = |pads: [(i64, i64, u64); 2]| BorderPlan::new::<u16>(&spec(Edge, pads), &[3, 3]);
    let plan = border([(1, 1, 0), (0, 0, 0)]).expect("valid");
    let mut short = [7u16; 14];
    refused! { e, PadError;
        BorderInside: border([(1, 1, 0), (-1, 1, 0)]),
        BorderInside: border([(0, -1, 0), (0, 0, 0)]),
        BorderInside: border([(0, 0, 0), (1, 1, 2)]),
        ModeCount: BorderPlan::new::<u8>(&PadSpec::new([Edge; 3], [(1, 1), (1, 1)]), &[3, 3]),
        SideCount: plan.with_sides([(true, true)]),
        Overlap: plan.with_strides(&Strides::new(0, [3, 0])),
        Length: plan.run(&mut short),
        ElementType: plan.run(&mut [7u32; 15]),
    }
    assert_eq!(short, [7; 14]);

    e.about("gradients of another length, and inputs that share places");
    let gradient =
        |mode| PadPlan::new::<f32>(&spec(mode, [(1, 1)]), &[3]).expect("valid").adjoint().expect("floats");
    for mode in [Constant, Edge] {
        let adjoint = gradient(mode);
        assert_eq!(adjoint.is_move(), mode == Constant);
        let mut bytes = [JUNK; 12];
        refused! { e, PadError;
            GradientLength: adjoint.run(&[1.0f32; 4], &mut [0.0; 3]),
            GradientLength: adjoint.run_add(&[1.0f32; 5], &mut [0.0; 4]),
            GradientLength: adjoint.par_run(&[1.0f32; 6], &mut [0.0; 3]),
            GradientLength: adjoint.fill_gradient(&[1.0f32; 4]),
            GradientLength: adjoint.run_bytes(&[0; 19], &mut bytes),
            GradientLength: adjoint.run_add_bytes(&[0; 20], &mut bytes[1..]),
            ElementType: adjoint.run(&[1i32; 5], &mut [0; 3]),
        }
        assert_eq!(bytes, [JUNK; 12]);
    }
    let integers = PadPlan::for_dtype(&spec(Edge, [(1, 1), (1, 1)]), &[2, 2], DType::I64).expect("valid");
    let (adjoint, mut sums) = (integers.adjoint().expect("integers"), [7i64; 4]);
    let mut scratch = vec![0; adjoint.scratch_bytes() - 1];
    refused! { e, PadError; Scratch: adjoint.run_with_scratch(&[1i64; 16], &mut sums, &mut scratch) }
    assert_eq!(sums, [7; 4]);
    // With stride 0, all rows share their elements. With stride 2, the last element of a row is the first of the next row.
    for stride in [0, 2] {
        let shared =
            padded.with_strides(&Strides::new(0, [stride, 1]), &Strides::row_major(&[4, 5])).expect("valid");
        refused! { e, PadError; SharedInput: shared.adjoint() }
    }
}
