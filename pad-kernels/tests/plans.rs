//! Tests of the results of planning: the axes after merging, the moves, and the kernel. Few plans are run.

use pad_kernels::{
    AxisPad, DType, Fill, Modes, PadMode, PadPlan, PadSpec, Pads, Strides,
    computed::{ComputedPlan, ComputedSpec, PerSide},
    kernels::{self, Executor, Isa, STREAMING_THRESHOLD_BYTES, Streaming, Unit},
};

/// Returns a plan. `pads` are the pads of the last axes, and the other axes have none.
fn plan(mode: PadMode, dtype: DType, shape: &[usize], pads: &[(i64, i64, u64)]) -> PadPlan {
    let rank = shape.len();
    let axes = (0..rank - pads.len()).map(|_| AxisPad::default()).chain(pads.iter().map(|&pad| pad.into()));
    PadPlan::for_dtype(&PadSpec::new(mode, axes.collect::<Pads>()), shape, dtype).unwrap()
}

/// Returns the output lengths of the axes after merging.
fn lengths(plan: &PadPlan) -> Vec<usize> {
    plan.axes().iter().map(|axis| axis.out).collect()
}

#[track_caller]
fn assert_kernel(plan: &PadPlan, rank: usize, mode: PadMode, element: &str) {
    let row = plan.kernel().expect("a kernel");
    assert_eq!(row.name(), format!("r{rank}_{mode}_{element}_{}", row.isa()));
    assert_eq!((row.rank(), row.mode()), (plan.axes().len(), plan.mode()));
}

#[test]
fn convolution_input_merges_batch_and_channels() {
    let plan = plan(PadMode::Constant, DType::F32, &[1, 64, 56, 56], &[(1, 1, 0), (1, 1, 0)]);
    assert_eq!(plan.output_shape(), [1, 64, 58, 58]);
    assert_eq!(lengths(&plan), [64, 58, 58]);
    assert_eq!(plan.unit(), 4);
    assert_eq!(plan.output_bytes(), 64 * 58 * 58 * 4);
    assert_kernel(&plan, 3, PadMode::Constant, "f32");
    assert_eq!(plan.kernel().unwrap().isa(), Isa::best());
}

#[test]
fn unpadded_channels_behind_a_constant_axis_become_part_of_it() {
    let shape = [1, 56, 56, 64];
    let plan = plan(PadMode::Constant, DType::F32, &shape, &[(1, 1, 0), (1, 1, 0), (0, 0, 0)]);
    assert_eq!(lengths(&plan), [58, 58 * 64]);
    assert_kernel(&plan, 2, PadMode::Constant, "f32");
}

#[test]
fn unpadded_channels_behind_a_mirrored_axis_are_the_unit() {
    let rgb = plan(PadMode::Reflect, DType::U8, &[1080, 1920, 3], &[(2, 2, 0), (2, 2, 0), (0, 0, 0)]);
    assert_eq!((lengths(&rgb), rgb.unit()), (vec![1084, 1924], 3));
    assert_kernel(&rgb, 2, PadMode::Reflect, "bytes");
    let rgba = plan(PadMode::Reflect, DType::U8, &[1080, 1920, 4], &[(2, 2, 0), (2, 2, 0), (0, 0, 0)]);
    assert_eq!(rgba.unit(), 4);
    assert_kernel(&rgba, 2, PadMode::Reflect, "bytes4");
}

#[test]
fn wrapped_channels_become_part_of_their_axis() {
    let plan = plan(PadMode::Wrap, DType::U8, &[8, 8, 3], &[(1, 1, 0), (1, 1, 0), (0, 0, 0)]);
    assert_eq!((lengths(&plan), plan.unit()), (vec![10, 30], 1));
}

#[test]
fn gaps_keep_an_axis_apart() {
    let shape = [8, 28, 28, 128];
    let plan = plan(PadMode::Constant, DType::F32, &shape, &[(1, 1, 1), (1, 1, 1), (0, 0, 0)]);
    assert_eq!((lengths(&plan), plan.unit()), (vec![8, 57, 57], 512));
    assert_kernel(&plan, 3, PadMode::Constant, "bytes");
}

#[test]
fn gaps_may_be_longer_than_memory() {
    // Most of the interior padding is cropped again. If sizes have 32 bits, the step does not fit them.
    let gap = i64::from(u32::MAX);
    let plan = plan(PadMode::Constant, DType::U8, &[2, 3], &[(0, 4 - gap, gap as u64), (1, 1, 0)]);
    assert_eq!(plan.output_shape(), [6, 5]);
    let (src, mut dst) = ([1; 6], [9; 30]);
    plan.run_bytes(&src, &mut dst).unwrap();
    assert_eq!(dst[..8], [0, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(dst[8..], [0; 22]);
}

#[test]
fn moves_are_listed_where_they_are_few() {
    let few = plan(PadMode::Reflect, DType::F32, &[3, 3], &[(1, 1, 0), (1, 1, 0)]);
    let Executor::Moves { kernel, count } = few.executor() else { panic!("{:?}", few.executor()) };
    assert_eq!((few.moves(), few.kernel().map(|row| row.name())), (Some(count), Some(kernel.name())));
    assert!(count > 1, "{count}");
    let many = plan(PadMode::Reflect, DType::F32, &[500, 300], &[(1, 1, 0), (1, 1, 0)]);
    assert!(matches!(many.executor(), Executor::Nest(_)) && many.moves().is_none());
    assert!(plan(PadMode::Edge, DType::F32, &[3, 3], &[]).moves().is_none());
}

/// A plan is small, no matter how often copied rows repeat. The output of this plan exceeds the memory of any machine.
#[test]
#[cfg(target_pointer_width = "64")]
fn rows_are_repeated_without_a_move_for_each() {
    let mut spec = PadSpec::new(PadMode::Wrap, [(1, 1 << 40), (0, 3)]);
    spec.mode = [PadMode::Wrap, PadMode::Constant].into();
    let plan = PadPlan::new::<u8>(&spec, &[2, 200]).unwrap();
    assert_eq!(plan.output_shape(), [(1 << 40) + 3, 203]);
}

/// The time of planning does not depend on repetitions either, for planes of strided rows.
#[test]
#[cfg(target_pointer_width = "64")]
fn planes_of_repeated_rows_are_planned_at_once() {
    let many = plan(PadMode::Wrap, DType::F32, &[5, 2, 9], &[(0, 1 << 40, 0), (0, 0, 1)]);
    assert_eq!(many.output_shape(), [5, (1 << 40) + 2, 17]);
}

#[test]
fn nothing_padded_is_a_copy() {
    for mode in PadMode::ALL {
        let plan = plan(mode, DType::I16, &[3, 4, 5], &[]);
        assert!(plan.is_copy() && matches!(plan.executor(), Executor::Copy) && plan.kernel().is_none());
        assert_eq!(lengths(&plan), [60]);
        let pinned = plan.with_isa(Isa::Portable).unwrap();
        assert_kernel(&pinned, 1, PadMode::Constant, "i16");
    }
}

#[test]
fn a_crop_needs_no_mode() {
    for mode in PadMode::ALL {
        let plan = plan(mode, DType::F64, &[64, 58, 58], &[(-1, -1, 0), (-1, -1, 0)]);
        assert!(!plan.is_copy());
        assert_eq!(lengths(&plan), [64, 56, 56]);
        assert_kernel(&plan, 3, PadMode::Constant, "f64");
        // If only rows of the outermost axis are cropped, one run remains.
        assert!(self::plan(mode, DType::F64, &[9, 4], &[(-2, -3, 0), (0, 0, 0)]).is_copy());
    }
}

#[test]
fn all_fill_is_one_row() {
    let plan = plan(PadMode::Constant, DType::U8, &[3, 0, 5], &[(1, 1, 0), (0, 4, 0), (1, 1, 0)]);
    assert_eq!(lengths(&plan), [5 * 4 * 7]);
}

#[test]
fn nothing_to_write_has_no_kernel() {
    let plan = plan(PadMode::Edge, DType::U8, &[3, 0], &[(1, 1, 0), (0, 0, 0)]);
    assert!(plan.is_empty() && plan.kernel().is_none());
}

#[test]
fn packed_types_move_bytes_where_all_offsets_are_whole_bytes() {
    let even = plan(PadMode::Constant, DType::U4, &[4096, 11008], &[(0, 256, 0)]);
    assert_eq!(lengths(&even), [4096, 11264 / 2]);
    assert_kernel(&even, 2, PadMode::Constant, "bytes1");
    let odd = plan(PadMode::Constant, DType::U4, &[4096, 11008], &[(0, 255, 0)]);
    assert_eq!((lengths(&odd), odd.unit()), (vec![4096, 11263], 4));
    assert_kernel(&odd, 2, PadMode::Constant, "u4");
    // In the reverse case, an axis of whole bytes is mirrored.
    let mirrored = plan(PadMode::Symmetric, DType::I2, &[5, 8], &[(2, 2, 0), (0, 0, 0)]);
    assert_kernel(&mirrored, 1, PadMode::Symmetric, "bytes2");
}

#[test]
fn long_outputs_are_streamed_where_it_pays() {
    // `STREAMING_THRESHOLD_BYTES` describes this rule. Other architectures have no such stores.
    let has_stores = cfg!(all(target_arch = "x86_64", not(miri)));
    let rows = |row: usize, from: usize, pad| {
        let (low, high, interior) = pad;
        let all = low as usize + high as usize + (interior as usize + 1) * row - interior as usize;
        plan(PadMode::Constant, DType::U8, &[from.div_ceil(all), row], &[pad])
    };
    for (plan, streams) in [
        (rows(4096, STREAMING_THRESHOLD_BYTES, (8, 8, 0)), true),
        (rows(4096, STREAMING_THRESHOLD_BYTES / 4 * 3, (8, 8, 0)), false),
        (rows(2046, STREAMING_THRESHOLD_BYTES, (1, 1, 0)), true),
        (rows(2045, STREAMING_THRESHOLD_BYTES, (1, 1, 0)), false),
        (rows(4096, STREAMING_THRESHOLD_BYTES, (0, 0, 1)), false),
        (rows(4096, STREAMING_THRESHOLD_BYTES / 2, (0, 4096, 0)), true),
        (rows(4096, STREAMING_THRESHOLD_BYTES / 2, (0, 4095, 0)), false),
        (rows(4096, STREAMING_THRESHOLD_BYTES / 4, (0, 8192, 0)), false),
    ] {
        assert_eq!(plan.streams(), streams && has_stores, "{plan:?}");
        assert_eq!(plan.with_streaming(Streaming::Always).streams(), has_stores);
        assert!(!plan.with_streaming(Streaming::Never).streams());
    }
}

#[test]
fn more_axes_than_kernels_run_in_safe_code() {
    let pads = [(1, 1, 0); 7];
    let plan = plan(PadMode::Wrap, DType::F32, &[2; 7], &pads);
    assert_eq!(plan.axes().len(), 7);
    assert!(plan.kernel().is_none());
    assert_eq!(self::plan(PadMode::Wrap, DType::F32, &[2; 6], &pads[1..]).kernel().unwrap().rank(), 6);
}

#[test]
fn fortran_order_runs_like_row_major() {
    let shape = [4, 5, 6];
    let spec = PadSpec::new(PadMode::Edge, [(1, 1), (0, 0), (2, 2)]);
    let row_major = PadPlan::new::<f32>(&spec, &shape).unwrap();
    let strides = (Strides::column_major(&shape), Strides::column_major(row_major.output_shape()));
    let fortran = row_major.with_strides(&strides.0, &strides.1).unwrap();
    // The axes are in reverse order, so that the innermost one is contiguous.
    assert_eq!(lengths(&fortran), [10, 5, 6]);
    let row = fortran.axes()[2];
    assert_eq!((row.src_stride, row.dst_stride), (4, 4));
}

#[test]
fn several_modes_take_the_row_of_the_first_border() {
    let plan = |low: i64| {
        let modes = Modes::from([(PadMode::Edge, PadMode::Reflect)]);
        PadPlan::new::<f32>(&PadSpec::new(modes, [(low, 2)]), &[9]).unwrap()
    };
    assert_kernel(&plan(2), 1, PadMode::Edge, "f32");
    assert_kernel(&plan(0), 1, PadMode::Reflect, "f32");
}

#[test]
fn every_row_says_what_it_is() {
    for row in kernels::pad() {
        let element = row.dtype().map_or_else(
            || match row.unit() {
                Unit::Bytes(width) => format!("bytes{width}"),
                _ => "bytes".to_string(),
            },
            |dtype| dtype.name().to_string(),
        );
        assert_eq!(row.name(), format!("r{}_{}_{element}_{}", row.rank(), row.mode(), row.isa()));
    }
}

/// Requests, strides and plans can be keys of caches.
#[test]
fn equal_keys_are_one() {
    use std::collections::HashMap;
    let specs = || [1, 2].map(|low| PadSpec::constant([(low, 0), (0, 1)], 0.5f32));
    let mut plans: HashMap<(PadSpec, Strides), PadPlan> = HashMap::new();
    for spec in specs().into_iter().chain(specs()) {
        let plan = PadPlan::new::<f32>(&spec, &[3, 4]).unwrap();
        plans.insert((spec, Strides::row_major(&[3, 4])), plan);
    }
    assert_eq!(plans.len(), 2);
    let mut runs: HashMap<PadPlan, usize> = HashMap::new();
    for plan in plans.values().chain(plans.values()) {
        for isa in [Isa::Portable].into_iter().chain(Isa::ALL.into_iter().find(|isa| isa.available())) {
            *runs.entry(plan.with_isa(isa).unwrap()).or_default() += 1;
        }
        *runs.entry(plan.with_streaming(Streaming::Never)).or_default() += 1;
    }
    assert_eq!(runs.len(), 4);
    assert_eq!(runs.values().sum::<usize>(), 12);
}

#[test]
fn signs_of_long_borders_alternate() {
    // The border holds the array seven times, and every second copy is negated.
    let spec = PadSpec::new(PadMode::Wrap, [(14, 14)]).with_negated(PerSide::all(true));
    let plan = PadPlan::new::<f32>(&spec, &[2]).unwrap();
    let mut output = [0.0f32; 30];
    plan.run(&[1.0, 2.0], &mut output).unwrap();
    for (copy, pair) in output.chunks(2).enumerate() {
        assert_eq!(pair, if copy % 2 == 0 { [-1.0, -2.0] } else { [1.0, 2.0] }, "{output:?}");
    }
}

/// An adjoint that copies keeps its prepared program, so it equals the adjoint that was made for the instruction set.
#[test]
fn adjoints_of_one_set_are_one() {
    let adjoint = plan(PadMode::Constant, DType::U8, &[2, 3, 4], &[(1, 1, 0)]).adjoint().unwrap();
    assert!(adjoint.is_move());
    assert_eq!(adjoint.with_isa(Isa::best()).unwrap(), adjoint);
}

/// Constants of a type without a zero need no border.
#[test]
fn constants_without_a_border_copy() {
    let constants = PerSide::sides(Fill::untyped(b"aaa"), Fill::untyped(b"bbb"));
    let plan = ComputedPlan::for_bytes(&ComputedSpec::constants([(0, 0)], constants), &[2], 3).unwrap();
    let mut output = [0; 6];
    plan.run_bytes(b"abcdef", &mut output).unwrap();
    assert_eq!(&output, b"abcdef");
}
