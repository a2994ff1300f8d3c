//! The worked examples of the five documents that describe this operation, with the documents' own numbers:
//! nGraph's Pad with interior padding (its first version), nGraph's Pad with modes (as a page and as its source text),
//! OpenVINO's Pad-1, and ONNX's Pad 1, 2, 11, 13, 18, 19 and 21.
//!
//! Where a document contradicts itself the test says how, computes both sides as far as they can be computed, and
//! shows which reading is taken.

use std::fmt::Debug;

use pad_kernels::{Element, PadPlan, PadSpec, kernels::Isa};
use spec_tests::convert;
use spec_tests::reference::{AxisPad, Frame, Mode, map, output_shape};

/// Everything a document fixes about one example.
struct Example<'a, T> {
    shape: &'a [usize],
    data: &'a [T],
    axes: &'a [AxisPad],
    mode: Mode,
    fill: T,
    output_shape: &'a [usize],
    output: &'a [T],
}

/// Runs an example everywhere it can be run: on the reference, and on the library with every instruction set and
/// without a specialised kernel. No document's example has a negative width, so the frame is no part of them, and both
/// must do.
fn check<T: Element + PartialEq + Debug>(example: &Example<'_, T>) {
    let Example { shape, data, axes, mode, fill, output_shape, output } = example;
    let bits = 8 * size_of::<T>() as u32;
    for frame in [mode.default_frame(), Frame::Uncropped, Frame::Cropped] {
        let map = map(shape, axes, *mode, frame, bits).expect("a document's example");
        assert_eq!(map.shape, *output_shape, "{mode:?} {frame:?}");
        assert_eq!(map.apply(data, fill), *output, "{mode:?} {frame:?}");
    }

    let spec =
        PadSpec::new(convert::mode_of_reference(*mode), convert::axes_of_reference(axes)).with_fill(*fill);
    for frame in [None, Some(Frame::Uncropped), Some(Frame::Cropped)] {
        let mut spec = spec.clone();
        spec.frame = frame.map(convert::frame_of_reference);
        let plan = PadPlan::new::<T>(&spec, shape).expect("a document's example");
        assert_eq!(plan.output_shape(), *output_shape, "{mode:?} {frame:?}");
        assert_eq!(plan.to_vec(data).as_deref(), Ok(*output), "{mode:?} {frame:?}");
        let mut plans: Vec<_> = Isa::ALL.iter().filter_map(|&isa| plan.with_isa(isa).ok()).collect();
        plans.push(plan.with_generic_kernel());
        for plan in plans {
            let mut dst = vec![data[data.len() - 1]; output.len()];
            plan.run(data, &mut dst).expect("lengths are right");
            assert_eq!(dst, *output, "{mode:?} {frame:?} {:?}", plan.kernel());
        }
    }
}

fn pad(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

/// Widths in the order most documents write them: all lower ones, then all upper ones.
fn begins_then_ends(widths: &[i64]) -> Vec<AxisPad> {
    let (begins, ends) = widths.split_at(widths.len() / 2);
    begins.iter().zip(ends).map(|(&low, &high)| pad(low, high, 0)).collect()
}

/// nGraph, in all three of its documents.
mod ngraph {
    use super::*;

    const DATA: [i32; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    /// Below (1, 2), above (1, 0), interior (1, 2).
    const AXES: [AxisPad; 2] =
        [AxisPad { low: 1, high: 1, interior: 1 }, AxisPad { low: 2, high: 0, interior: 2 }];
    const OUTPUT: [[i32; 9]; 7] = [
        [42, 42, 42, 42, 42, 42, 42, 42, 42],
        [42, 42, 1, 42, 42, 2, 42, 42, 3],
        [42, 42, 42, 42, 42, 42, 42, 42, 42],
        [42, 42, 4, 42, 42, 5, 42, 42, 6],
        [42, 42, 42, 42, 42, 42, 42, 42, 42],
        [42, 42, 7, 42, 42, 8, 42, 42, 9],
        [42, 42, 42, 42, 42, 42, 42, 42, 42],
    ];

    fn interior_example() {
        check(&Example {
            shape: &[3, 3],
            data: &DATA,
            axes: &AXES,
            mode: Mode::Constant,
            fill: 42,
            output_shape: &[7, 9],
            output: OUTPUT.as_flattened(),
        });
    }

    /// The output length as the displayed formula has it: p + d r + q.
    fn displayed(d: usize, axis: AxisPad) -> i64 {
        axis.low + d as i64 * axis.interior as i64 + axis.high
    }

    /// The output length as the sentence under it has it: p + (d - 1)(r + 1) + 1 + q, and p + q for d = 0.
    fn in_words(d: usize, axis: AxisPad) -> i64 {
        let own = if d == 0 { 0 } else { (d as i64 - 1) * (axis.interior as i64 + 1) + 1 };
        axis.low + own + axis.high
    }

    /// All three documents display one shape formula and state another under it. On their common example the
    /// displayed one gives 5 x 8, the stated one 7 x 9, and the picture is 7 x 9. Without interior padding the
    /// displayed formula even loses the data. Taken: the one in words.
    fn shape_formulas() {
        assert_eq!(AXES.map(|axis| displayed(3, axis)), [5, 8]);
        assert_eq!(AXES.map(|axis| in_words(3, axis)), [7, 9]);
        assert_eq!([OUTPUT.len(), OUTPUT[0].len()], [7, 9]);
        assert_eq!(displayed(3, pad(0, 0, 0)), 0);

        for d in 0..6 {
            for axis in [pad(0, 0, 0), pad(1, 2, 0), pad(0, 0, 2), pad(3, 0, 1), AXES[0], AXES[1]] {
                let want = Ok(vec![in_words(d, axis) as usize]);
                assert_eq!(output_shape(&[d], &[axis], Mode::Constant, Frame::Uncropped, 32), want);
            }
        }
    }

    #[test]
    fn v0_interior_example() {
        interior_example();
    }

    #[test]
    fn v0_interior_displayed_formula_against_example() {
        shape_formulas();
    }

    /// The text counts what was inserted: a row between neighbours, two columns between neighbours, a row on top and
    /// at the bottom, two columns on the left and none on the right. Its three ways are exterior, interior and both.
    #[test]
    fn v0_interior_three_ways() {
        let of = |axes: [AxisPad; 2], output_shape: [usize; 2], output: &[i32]| {
            check(&Example {
                shape: &[3, 3],
                data: &DATA,
                axes: &axes,
                mode: Mode::Constant,
                fill: 42,
                output_shape: &output_shape,
                output,
            });
        };
        let exterior = [
            [42, 42, 42, 42, 42],
            [42, 42, 1, 2, 3],
            [42, 42, 4, 5, 6],
            [42, 42, 7, 8, 9],
            [42, 42, 42, 42, 42],
        ];
        of([pad(1, 1, 0), pad(2, 0, 0)], [5, 5], exterior.as_flattened());
        // The middle of the picture: its first and last row and its two left columns belong to the exterior.
        let interior: Vec<i32> = OUTPUT[1..6].iter().flat_map(|row| row[2..].to_vec()).collect();
        of([pad(0, 0, 1), pad(0, 0, 2)], [5, 7], &interior);
        of(AXES, [7, 9], OUTPUT.as_flattened());
    }

    /// This document still shows the interior example, but its class takes no interior widths and its getter
    /// answers zeros: the operation it documents cannot make its own example. The same widths without the interior
    /// give 5 x 5. Taken: the text, for which interior padding is part of the operation.
    #[test]
    fn modes_doc_example() {
        interior_example();
        let without = AXES.map(|axis| AxisPad { interior: 0, ..axis });
        let shape = output_shape(&[3, 3], &without, Mode::Constant, Frame::Uncropped, 32);
        assert_eq!(shape, Ok(vec![5, 5]));
    }

    #[test]
    fn modes_doc_displayed_formula_against_example() {
        shape_formulas();
    }

    /// The table of attributes knows constant, edge and reflect; the constructor also symmetric, of which it says
    /// that it flips at the edge where reflect flips on the last row or column. Taken: four modes, the flips as told.
    #[test]
    fn modes_doc_flips() {
        for (mode, output) in [
            (Mode::Constant, [42, 42, 1, 2, 3, 42, 42]),
            (Mode::Edge, [1, 1, 1, 2, 3, 3, 3]),
            (Mode::Reflect, [3, 2, 1, 2, 3, 2, 1]),
            (Mode::Symmetric, [2, 1, 1, 2, 3, 3, 2]),
        ] {
            check(&Example {
                shape: &[3],
                data: &[1, 2, 3],
                axes: &[pad(2, 2, 0)],
                mode,
                fill: 42,
                output_shape: &[7],
                output: &output,
            });
        }
    }

    #[test]
    fn modes_rst_example() {
        interior_example();
    }

    #[test]
    fn modes_rst_displayed_formula_against_example() {
        shape_formulas();
    }

    /// Widths below and above may be negative here; no example shows one. By the formula in words they remove.
    #[test]
    fn modes_rst_negative_widths() {
        let axis = pad(-1, 2, 0);
        assert_eq!(in_words(3, axis), 4);
        let map = map(&[3], &[axis], Mode::Constant, Frame::Uncropped, 32).unwrap();
        assert_eq!(map.apply(&DATA[..3], &42), [2, 3, 42, 42]);
    }
}

/// OpenVINO Pad-1.
mod openvino {
    use super::*;

    const DATA: [i32; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

    fn example(mode: Mode, output: [[i32; 8]; 5]) {
        check(&Example {
            shape: &[3, 4],
            data: &DATA,
            axes: &[pad(0, 2, 0), pad(1, 3, 0)],
            mode,
            fill: 0,
            output_shape: &[5, 8],
            output: output.as_flattened(),
        });
    }

    const CONSTANT: [[i32; 8]; 5] = [
        [0, 1, 2, 3, 4, 0, 0, 0],
        [0, 5, 6, 7, 8, 0, 0, 0],
        [0, 9, 10, 11, 12, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ];

    #[test]
    fn pad_1_constant() {
        example(Mode::Constant, CONSTANT);
    }

    #[test]
    fn pad_1_edge() {
        example(
            Mode::Edge,
            [
                [1, 1, 2, 3, 4, 4, 4, 4],
                [5, 5, 6, 7, 8, 8, 8, 8],
                [9, 9, 10, 11, 12, 12, 12, 12],
                [9, 9, 10, 11, 12, 12, 12, 12],
                [9, 9, 10, 11, 12, 12, 12, 12],
            ],
        );
    }

    /// Its widths are the longest this document allows for reflect: the length of the axis less one.
    #[test]
    fn pad_1_reflect() {
        example(
            Mode::Reflect,
            [
                [2, 1, 2, 3, 4, 3, 2, 1],
                [6, 5, 6, 7, 8, 7, 6, 5],
                [10, 9, 10, 11, 12, 11, 10, 9],
                [6, 5, 6, 7, 8, 7, 6, 5],
                [2, 1, 2, 3, 4, 3, 2, 1],
            ],
        );
    }

    #[test]
    fn pad_1_symmetric() {
        example(
            Mode::Symmetric,
            [
                [1, 1, 2, 3, 4, 4, 3, 2],
                [5, 5, 6, 7, 8, 8, 7, 6],
                [9, 9, 10, 11, 12, 12, 11, 10],
                [9, 9, 10, 11, 12, 12, 11, 10],
                [5, 5, 6, 7, 8, 8, 7, 6],
            ],
        );
    }

    /// Both inputs, `pads_begin` and `pads_end`, are described as counts at the beginning of each axis. Read so, the
    /// example would have all its new rows above and all its new columns on the left. Taken: the picture.
    #[test]
    fn pad_1_pads_end_are_at_the_end() {
        let all_before = [pad(2, 0, 0), pad(4, 0, 0)];
        let map = map(&[3, 4], &all_before, Mode::Constant, Frame::Uncropped, 32).unwrap();
        assert_eq!(map.shape, [5, 8]);
        let output = map.apply(&DATA, &0);
        assert_eq!(output[20..24], [1, 2, 3, 4]);
        assert_ne!(output, CONSTANT.as_flattened());
        example(Mode::Constant, CONSTANT);
    }

    /// The layer at the end of the document: [1, 3, 32, 40] with begin [0, 5, 2, 1], end [1, 0, 3, 7] and 15.0 gives
    /// [2, 8, 37, 48].
    #[test]
    fn pad_1_layer() {
        let (shape, output_shape) = ([1, 3, 32, 40], [2, 8, 37, 48]);
        let data: Vec<f32> = (0..3 * 32 * 40).map(|i| (i % 8191) as f32 + 0.5).collect();
        let mut output = vec![15.0; 2 * 8 * 37 * 48];
        for channel in 0..3 {
            for row in 0..32 {
                for column in 0..40 {
                    let to = ((channel + 5) * 37 + row + 2) * 48 + column + 1;
                    output[to] = data[(channel * 32 + row) * 40 + column];
                }
            }
        }
        check(&Example {
            shape: &shape,
            data: &data,
            axes: &begins_then_ends(&[0, 5, 2, 1, 1, 0, 3, 7]),
            mode: Mode::Constant,
            fill: 15.0,
            output_shape: &output_shape,
            output: &output,
        });
    }
}

/// ONNX Pad. All versions pad the same 3 x 2 data.
mod onnx {
    use super::*;

    const DATA: [f32; 6] = [1.0, 1.2, 2.3, 3.4, 4.5, 5.7];
    const CONSTANT: [[f32; 4]; 3] = [[0.0, 0.0, 1.0, 1.2], [0.0, 0.0, 2.3, 3.4], [0.0, 0.0, 4.5, 5.7]];

    fn example(axes: &[AxisPad], mode: Mode, output_shape: &[usize], output: &[f32]) {
        check(&Example { shape: &[3, 2], data: &DATA, axes, mode, fill: 0.0, output_shape, output });
    }

    /// Pad 1 orders its widths as all beginnings, then all ends, and its example has widths [0, 0, 2, 0] and two new
    /// columns on the left. In the stated order these widths add two rows at the bottom; the picture comes out if
    /// each axis has its pair, beginning and end, side by side, and it is also what Pad 2 gives for [0, 2, 0, 0].
    /// Taken: the stated order, which all later versions keep.
    ///
    /// The picture (here and in Pad 2) also has a pair of brackets too many, as if the rank grew by one.
    #[test]
    fn pad_1_example_against_order_of_pads() {
        let widths = [0, 0, 2, 0];
        let below = [1.0, 1.2, 2.3, 3.4, 4.5, 5.7, 0.0, 0.0, 0.0, 0.0];
        example(&begins_then_ends(&widths), Mode::Constant, &[5, 2], &below);

        let side_by_side: Vec<_> = widths.chunks(2).map(|pair| pad(pair[0], pair[1], 0)).collect();
        example(&side_by_side, Mode::Constant, &[3, 4], CONSTANT.as_flattened());
        assert_eq!(side_by_side, begins_then_ends(&[0, 2, 0, 0]));
    }

    #[test]
    fn pad_2_example() {
        constant();
    }

    fn constant() {
        let axes = begins_then_ends(&[0, 2, 0, 0]);
        example(&axes, Mode::Constant, &[3, 4], CONSTANT.as_flattened());
    }

    /// Two columns are added to an axis that has two. One reflection on the first column reaches only as far as the
    /// last one, one position short: position -2 falls on 2, which does not exist. The text names no limit, and the
    /// picture goes on reflecting (back from the last column to the first), as numpy does; systems that allow the
    /// length less one refuse this example. Taken: the picture.
    fn reflect() {
        let columns = 2_i64;
        let reflected_once = [-2_i64, -1].map(|t| -t);
        assert_eq!(reflected_once.map(|t| t < columns), [false, true]);
        let reflected_again = 2 * (columns - 1) - reflected_once[0];
        assert_eq!(reflected_again, 0);

        let output = [[1.0, 1.2, 1.0, 1.2], [2.3, 3.4, 2.3, 3.4], [4.5, 5.7, 4.5, 5.7]];
        let axes = begins_then_ends(&[0, 2, 0, 0]);
        example(&axes, Mode::Reflect, &[3, 4], output.as_flattened());
    }

    fn edge() {
        let output = [[1.0, 1.0, 1.0, 1.2], [2.3, 2.3, 2.3, 3.4], [4.5, 4.5, 4.5, 5.7]];
        let axes = begins_then_ends(&[0, 2, 0, 0]);
        example(&axes, Mode::Edge, &[3, 4], output.as_flattened());
    }

    /// The versions that have this mode speak of three modes and list four.
    fn wrap() {
        let output = [
            [3.4, 2.3, 3.4, 2.3],
            [5.7, 4.5, 5.7, 4.5],
            [1.2, 1.0, 1.2, 1.0],
            [3.4, 2.3, 3.4, 2.3],
            [5.7, 4.5, 5.7, 4.5],
            [1.2, 1.0, 1.2, 1.0],
        ];
        let axes = begins_then_ends(&[2, 1, 1, 1]);
        example(&axes, Mode::Wrap, &[6, 4], output.as_flattened());
    }

    /// From version 11 on the examples are the same, one per mode: `test name => example`.
    macro_rules! examples {
        ($($name:ident => $example:ident,)*) => {
            $(#[test] fn $name() { $example(); })*
        };
    }

    examples! {
        pad_11_constant => constant,
        pad_11_reflect_by_the_whole_axis => reflect,
        pad_11_edge => edge,
        pad_13_constant => constant,
        pad_13_reflect_by_the_whole_axis => reflect,
        pad_13_edge => edge,
        pad_18_constant => constant,
        pad_18_reflect_by_the_whole_axis => reflect,
        pad_18_edge => edge,
        pad_19_constant => constant,
        pad_19_reflect_by_the_whole_axis => reflect,
        pad_19_edge => edge,
        pad_19_wrap => wrap,
        pad_21_constant => constant,
        pad_21_reflect_by_the_whole_axis => reflect,
        pad_21_edge => edge,
        pad_21_wrap => wrap,
    }
}
