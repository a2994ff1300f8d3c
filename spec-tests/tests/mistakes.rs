//! What is easily got wrong, and what is said then: which axis, which values, and what to do about it.

use pad_kernels::dialect::{Dialect, numpy, onnx, torch};
use pad_kernels::interop::image::{Border, PadImageExt, Sides};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{
    AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadError, PadMode, PadPlan, PadSpec, Strides,
    computed::{ComputedPlan, ComputedSpec},
    kernels::Isa,
    pad, pad_bytes_into, pad_cloned, pad_into,
    tensor::Operand,
};

fn refused<T: std::fmt::Debug>(result: Result<T, impl std::error::Error>) -> String {
    result.expect_err("a mistake").to_string()
}

#[test]
fn an_axis_is_forgotten() {
    // Height and width of a tensor that has a batch and channels as well.
    let spec = PadSpec::new(PadMode::Reflect, [(1, 1), (1, 1)]);
    assert_eq!(
        refused(PadPlan::new::<f32>(&spec, &[8, 3, 32, 32])),
        "the spec has pads for 2 axes, but the shape has 4: give one pad for all axes, or one entry per axis, outermost \
         first, with (0, 0) for an axis that is not padded"
    );
    assert_eq!(
        refused(onnx::Pad::new(13, &[1, 1, 1, 1]).plan(&[8, 3, 32, 32], DType::F32)),
        "pads has 4 entries, but 8 are needed: give a begin and an end for every axis; use 0 for axes without padding"
    );
    assert_eq!(
        refused(numpy::Pad::new([(1, 1), (1, 1)]).plan(&[3, 32, 32], DType::F32)),
        "pad_width has 2 entries, but 3 are needed: give an entry for every axis; use 0 for axes without padding"
    );
}

#[test]
fn axes_are_given_from_the_wrong_end() {
    // Three columns are cut from the left: in torch's order, which begins with the last axis.
    let spec = PadSpec::new(PadMode::Constant, [(-3, 0), (1, 1)]);
    assert_eq!(
        refused(PadPlan::new::<u8>(&spec, &[2, 640])),
        "axis 0: length 2 with low -3, high 0, interior 0 would become -1: remove less, or check the order of the axes \
         (axis 0 is the outermost)"
    );
    // Nothing is too much to add, so here only the result's length can tell.
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 4), (0, 0)]), &[2, 3]).unwrap();
    assert_eq!(
        refused(plan.run(&[0u8; 6], &mut [0; 2 * 7])),
        "the output slice has length 14, but the result needs 18: give a slice of that length"
    );
    assert_eq!(
        refused(torch::Pad::new(&[1, 1, 1]).plan(&[2, 3], DType::F32)),
        "pad has 3 entries: give pairs of low and high, the last axis first, 0 to 4 entries in all"
    );
    assert_eq!(
        refused(onnx::Pad::new(18, &[1, 1]).axes(&[2]).plan(&[2, 3], DType::F32)),
        "axis 2 is not one of a tensor of rank 2: use -2 to 1"
    );
}

#[test]
fn low_and_high_are_swapped() {
    // Both ways are paddings, so it is the size of the result that does not fit.
    let picture = image::GrayImage::new(3, 2);
    let swapped = Sides { top: 1, bottom: 0, left: 2, right: 2 };
    assert_eq!(
        refused(picture.pad_into(swapped, Border::Replicate, &mut image::GrayImage::new(3 + 1, 2 + 4))),
        "the result has 7 x 3 pixels, but the output has 4 x 6"
    );
    let array = ndarray::Array2::<f32>::zeros((3, 2));
    let mut output = ndarray::Array2::zeros((4, 6));
    assert_eq!(
        refused(array.pad_into([(2, 2), (1, 0)], PadMode::Edge, &mut output)),
        "the result has shape [7, 3], but the output has [4, 6]"
    );
}

#[test]
fn a_slice_has_another_length() {
    let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[6]).unwrap();
    assert_eq!(
        refused(plan.to_vec(&[0.0f32; 5])),
        "the input slice has length 5, but its shape needs 6: check the shape and the order of its axes"
    );
    // An output as long as the input.
    assert_eq!(
        refused(plan.run(&[0.0f32; 6], &mut [0.0; 6])),
        "the output slice has length 6, but the result needs 8: give a slice of that length"
    );
    // Elements counted where bytes are.
    assert!(refused(plan.run_bytes(&[0; 6], &mut [0; 8])).starts_with("the input slice has length 6"));
}

/// A call that plans and runs at once says what the plan and its run would say, however small the tensor.
#[test]
fn a_call_at_once_says_the_same() {
    let far = [i64::MIN, i64::MIN + 1, i64::MAX].map(|far| [AxisPad::new(far, 0), AxisPad::new(0, far)]);
    let gap = AxisPad { low: 0, high: 0, interior: u64::MAX };
    let modes = Modes::from([PadMode::Edge, PadMode::Wrap]);
    for mode in PadMode::ALL.map(Modes::from).into_iter().chain([modes]) {
        for axis in far.iter().flatten().copied().chain([gap, AxisPad::new(1, 1)]) {
            for rank in 0..3 {
                for shape in [&[][..], &[3], &[3, 2]] {
                    let spec = PadSpec::new(mode.clone(), vec![axis; rank]);
                    let data = vec![1u8; shape.iter().product()];
                    let planned = PadPlan::new::<u8>(&spec, shape);
                    if planned.as_ref().is_ok_and(|plan| plan.output_len() > 1 << 20) {
                        continue;
                    }
                    let by_plan = planned.and_then(|plan| plan.to_vec(&data));
                    assert_eq!(pad(&data, shape, &spec), by_plan, "{spec:?} {shape:?}");
                }
            }
        }
    }
    let spec = PadSpec::new(PadMode::Edge, [(1, 1)]);
    let refused = |got| PadError::Length { operand: Operand::Input, expected: 3, got };
    for got in [0, 2, 4] {
        assert_eq!(pad(&vec![1u16; got], &[3], &spec), Err(refused(got)));
        assert_eq!(pad_into(&vec![1u16; got], &[3], &spec, &mut [0; 5]), Err(refused(got)));
    }
}

/// Plans are made in no more time for borders that no memory has room for: only to run them would take it.
#[test]
fn a_border_is_longer_than_memory() {
    const LONG: i64 = if usize::BITS < 64 { 1 << 24 } else { 1 << 40 };
    for mode in PadMode::ALL {
        let mut planned = 0;
        for shape in [[40, 5], [40, 1], [1, 9]] {
            for pads in [[(0, 0), (1, LONG)], [(2, 0), (LONG, 0)], [(LONG, 1), (0, 1)]] {
                let spec = PadSpec::new(mode, pads);
                for dtype in [DType::U8, DType::F16, DType::F32, DType::C64, DType::C128] {
                    let Ok(plan) = PadPlan::for_dtype(&spec, &shape, dtype) else { continue };
                    assert!(plan.output_len() > LONG as usize, "{mode:?} {shape:?} {dtype:?}");
                    planned += 1;
                }
            }
        }
        assert!(planned > 0, "{mode:?}: no plan was made");
    }
}

/// Calls at once of sizes whose products are just within what a number holds, or just not, on machines of 32 bits, too.
#[test]
fn sizes_at_the_limits_of_numbers() {
    let of = |low, high, interior| AxisPad { low, high, interior };
    let none = AxisPad::default();
    let cases: [(DType, &[usize], &[AxisPad]); 5] = [
        (DType::U8, &[2, 65537], &[of(65536, 0, 0), none]),
        (DType::C128, &[65537], &[of(0, 0, 65537)]),
        (DType::U8, &[65536, 1], &[of(65536, 0, 65536), none]),
        (DType::U16, &[1, 8], &[of(0, 32768, 0), of(0, 0, 65537)]),
        (DType::U8, &[22, 131_072, 31, 4096], &[none, of(-65536, 0, 0), none, none]),
    ];
    for (dtype, shape, pads) in cases {
        let spec = PadSpec::new(PadMode::Edge, pads.to_vec());
        assert!(pad_bytes_into(&[1, 2], shape, dtype, &spec, &mut [0; 3]).is_err(), "{spec:?} of {shape:?}");
    }
}

/// Elements that are longer than memory are refused whatever their number.
#[test]
fn elements_are_longer_than_memory() {
    for (shape, pads) in [(&[][..], &[][..]), (&[0], &[(0, 0)]), (&[1], &[(0, 0)])] {
        let spec = PadSpec::new(PadMode::Edge, pads);
        for bytes in [usize::MAX, isize::MAX as usize + 1] {
            let refused = PadPlan::for_bytes(&spec, shape, bytes);
            assert!(matches!(refused, Err(PadError::SizeOverflow { .. })), "{shape:?}: {refused:?}");
            assert!(BorderPlan::for_bytes(&spec, shape, bytes).is_err());
            let empty = ComputedSpec::empty(pads.iter().map(|_| (0usize, 0usize)));
            assert!(ComputedPlan::for_bytes(&empty, shape, bytes).is_err());
        }
    }
    #[cfg(target_pointer_width = "64")]
    {
        let zeros = PadSpec::new(PadMode::Constant, [(1, 1)]);
        let refused = PadPlan::new::<[u8; 1 << 60]>(&zeros, &[0]);
        assert_eq!(refused.err(), Some(PadError::OutOfMemory { bytes: 1 << 60 }));
    }
}

#[test]
fn more_is_removed_than_there_is() {
    let spec = PadSpec::new(PadMode::Constant, [(0, 0), (-2, -2)]);
    assert_eq!(
        refused(PadPlan::new::<u8>(&spec, &[3, 3])),
        "axis 1: length 3 with low -2, high -2, interior 0 would become -1: remove less, or check the order of the axes \
         (axis 0 is the outermost)"
    );
}

#[test]
fn widths_are_negative_where_they_cannot_be() {
    assert_eq!(
        refused(ndarray::array![1, 2, 3].pad(-1, PadMode::Edge)),
        "axis 0: pad_width is -1, but may not be negative: pad_with_spec takes requests that remove"
    );
}

#[test]
fn there_is_nothing_to_mirror() {
    let spec = PadSpec::new(PadMode::Reflect, [(0, 0), (2, 2)]);
    assert_eq!(
        refused(PadPlan::new::<u8>(&spec, &[3, 0])),
        "axis 1: mode reflect has no element to make 4 from (length 0, low 2, high 2): only constant mode can extend an \
         empty axis"
    );
    assert_eq!(
        refused(torch::Pad::new(&[3, 0]).mode("reflect").plan(&[1, 3], DType::F32)),
        "axis 1: mode reflect can add at most 2 on either side with length 3 (low 3, high 0): add less, or use a \
         PadSpec, which has no such limit"
    );
}

#[test]
fn nothing_is_left_to_mirror() {
    let spec = |pad| PadSpec::new(PadMode::Reflect, pad).with_frame(Frame::Cropped);
    assert_eq!(
        refused(pad(&[1, 2, 3], &[3], &spec((-3, 2)))),
        "axis 0: the low pad removes all 3 elements (low -3, high 2), and mode reflect has none left to make 2 from: remove \
         less, or use constant mode"
    );
    assert!(
        refused(pad(&[1, 2, 3], &[3], &spec((1, -3))))
            .starts_with("axis 0: the high pad removes all 3 elements")
    );
}

#[test]
fn an_image_is_cropped_to_nothing() {
    let image = image::GrayImage::new(8, 4);
    assert_eq!(
        refused(image.pad(-5, Border::Replicate)),
        "height 4 with top -5 and bottom -5 would become -6: remove less"
    );
    let sides = Sides { top: 0, bottom: 0, left: -9, right: 0 };
    assert_eq!(
        refused(image.pad(sides, Border::Replicate)),
        "width 8 with left -9 and right 0 would become -1: remove less"
    );
}

#[test]
fn a_box_is_turned_round() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, 1), &[3]).unwrap();
    let window = |start, end| plan.window(std::slice::from_ref(&(start..end)));
    assert_eq!(refused(window(4, 2)), "axis 0: the box 4..2 starts after its end: give the start first");
    assert_eq!(refused(window(3, 6)), "axis 0: the box 3..6 is not inside the output's 0..5");
}

/// Sets of another kind of machine than this.
#[test]
fn an_instruction_set_is_another_machines() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, 1), &[3]).unwrap();
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.available()) {
        let expected =
            format!("this CPU does not support {isa}: use an instruction set that is Isa::available");
        assert_eq!(refused(plan.with_isa(isa)), expected);
    }
}

#[test]
fn types_are_not_the_same() {
    // A literal without a suffix is an f64.
    assert_eq!(pad(&[1.0f32], &[1], &PadSpec::constant(1, 0.5)), Ok(vec![0.5, 1.0, 0.5]));
    assert_eq!(
        refused(pad(&[1.0f32], &[1], &PadSpec::constant(1, 0.1))),
        "the fill is f64 (8 bytes) and not a value of f32 (4 bytes), the type of the data: give a value that this type holds"
    );
    assert_eq!(
        refused(pad(&[1u8], &[1], &PadSpec::new(PadMode::Constant, 1).with_fill(-1))),
        "the fill is i32 (4 bytes) and not a value of u8 (1 bytes), the type of the data: give a value that this type holds"
    );
    // ONNX says that the value is of the type of the data.
    let node = onnx::Pad::new(18, &[1, 1]).constant_value(Fill::of(0.0));
    assert_eq!(
        refused(node.pad(&[1.0f32], &[1])),
        "the fill is f64 (8 bytes) and not a value of f32 (4 bytes), the type of the data: give a value that this type holds"
    );
    let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[1]).unwrap();
    assert_eq!(
        refused(plan.to_vec(&[1i32])),
        "the plan was made for f32 (4 bytes), but was run with i32 (4 bytes): make a plan for this type"
    );
    assert_eq!(
        refused(PadPlan::for_dtype(&PadSpec::new(PadMode::Constant, [(1, 1)]), &[1], DType::F8E8M0)),
        "f8e8m0 has no zero to fill with: give a fill"
    );
    assert_eq!(
        refused(plan.run_cloned(&[1.0f32], None, &mut [0.0; 3])),
        "this plan copies the bytes of f32: call run, or make the plan with PadPlan::for_cloned"
    );
    assert_eq!(
        refused(pad_cloned(&["a"], &[1], &PadSpec::new(PadMode::Constant, 1), None)),
        "a type without a DType has no zero to fill with: give a fill"
    );
}

#[test]
fn strides_do_not_fit() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[4]).unwrap();
    let backward = plan.with_strides(&Strides::new(0, [-1]), &Strides::row_major(&[6]));
    assert_eq!(
        refused(backward),
        "axis 0 of the input: with stride -1 and length 4 an element would lie outside of the buffer; the offset is that \
         of the element at index 0 of every axis, backward ones too"
    );
    let missing = plan.with_strides(&Strides::row_major(&[2, 2]), &Strides::row_major(&[6]));
    assert_eq!(refused(missing), "2 strides for an input of 1 axes: give one per axis, outermost first");
}

#[test]
fn words_and_orders_are_another_systems() {
    assert_eq!(
        refused(torch::Pad::new(&[1, 1]).mode("edge").plan(&[1, 3], DType::F32)),
        "mode \"edge\" is unknown: did you mean replicate? Known are constant, reflect, replicate, circular"
    );
    assert_eq!(
        refused(torch::Pad::new(&[4, 0]).mode("circular").plan(&[1, 3], DType::F32)),
        "axis 1: mode circular can add at most 3 on either side with length 3 (low 4, high 0): add less, or use a PadSpec, \
         which has no such limit"
    );
    assert_eq!(
        refused(onnx::Pad::new(18, &[1, 1]).mode("wrap").plan(&[3], DType::F32)),
        "ONNX Pad has mode wrap from opset 19; the node is opset 18: use constant, reflect or edge"
    );
    assert_eq!(
        refused(onnx::Pad::new(11, &[1, 1]).axes(&[0]).plan(&[3, 3], DType::F32)),
        "ONNX Pad has input axes from opset 18; the node is opset 11: give pads for all axes"
    );
    assert_eq!(
        refused("reflekt".parse::<PadMode>()),
        "mode \"reflekt\" is unknown: did you mean reflect? The modes are constant, edge, reflect, symmetric, wrap"
    );
    // A pair per axis, where ONNX has all begins and then all ends.
    assert_eq!(
        refused(onnx::Pad::new(13, &[-1, -2, 0, 0]).plan(&[2, 1], DType::F32)),
        "axis 1: length 1 with low -2, high 0, interior 0 would become -1: remove less, or check the order of the axes \
         (axis 0 is the outermost)"
    );
    let unknown = "float33".parse::<DType>().expect_err("no type").to_string();
    assert!(unknown.starts_with("unknown element type; known are float64, float32, float16"), "{unknown}");
}
