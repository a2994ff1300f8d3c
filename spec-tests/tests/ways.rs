//! Ways of running that no drawn case comes to.

use std::mem::MaybeUninit;

use pad_kernels::{
    AxisMode, AxisPad, BorderPlan, DType, Fill, PadMode, PadPlan, PadSpec, Strides,
    kernels::{Isa, Streaming},
    pad_bytes, pad_bytes_into,
};

const JUNK: u8 = 0xee;

/// Rows of three elements with a border, of two bytes each.
fn rows(mode: PadMode) -> (PadPlan, Vec<u8>) {
    let spec = PadSpec::new(mode, [(1, 2), (2, 1)]);
    let plan = PadPlan::for_dtype(&spec, &[4, 3], DType::U16).expect("valid");
    let src = (0..plan.input_bytes()).map(|i| (i * 7 + 1) as u8).collect();
    (plan, src)
}

/// Where outputs of 7 rows of 6 elements may lie: offset, strides, and elements of the buffer.
const PLACES: [(&str, usize, [isize; 2], usize); 6] = [
    ("a buffer that goes on", 0, [6, 1], 50),
    ("an offset", 3, [6, 1], 45),
    ("a gap between rows", 0, [8, 1], 54),
    ("a gap between elements", 0, [12, 2], 83),
    ("columns", 0, [1, 7], 42),
    ("the last row first", 36, [-6, 1], 42),
];

/// What is to stand in a buffer of junk after a run of `plan`, whose output is at this place.
fn placed(plan: &PadPlan, src: &[u8], offset: usize, strides: [isize; 2], room: usize) -> Vec<u8> {
    let mut alone = vec![0; plan.output_bytes()];
    plan.run_bytes(src, &mut alone).expect("lengths are right");
    let mut buffer = vec![JUNK; 2 * room];
    let row = plan.output_shape()[1];
    for (i, element) in alone.chunks_exact(2).enumerate() {
        let at = offset as isize + (i / row) as isize * strides[0] + (i % row) as isize * strides[1];
        buffer[2 * at as usize..][..2].copy_from_slice(element);
    }
    buffer
}

/// Outputs that do not lie row by row are not divided, and all others into pieces of any size.
#[test]
fn pieces_of_outputs_anywhere() {
    for mode in PadMode::ALL {
        let (plan, src) = rows(mode);
        let input = Strides::row_major(plan.input_shape());
        for (name, offset, strides, room) in PLACES {
            let right = placed(&plan, &src, offset, strides, room);
            let plan = plan.with_strides(&input, &Strides::new(offset, strides)).expect("room");
            for bytes in [0, 1, 2, 5, 16, 64, 1000] {
                let mut dst = vec![JUNK; 2 * room];
                plan.par_run_pieces(&src, &mut dst, bytes).expect("lengths are right");
                assert!(dst == right, "{name}, {mode}, pieces of {bytes}: {dst:02x?}, not {right:02x?}");
            }
        }
    }
}

/// Rows of packed elements that end within a byte are not divided.
#[test]
fn pieces_of_half_bytes() {
    for (length, bytes) in [(4, 1), (5, 1), (5, 2), (8, 3), (11, 4)] {
        let spec = PadSpec::new(PadMode::Reflect, [(1, 1), (2, 1)]);
        let plan = PadPlan::for_dtype(&spec, &[3, length], DType::U4).expect("valid");
        let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 41 + 7) as u8).collect();
        let (mut whole, mut pieces) = (vec![JUNK; plan.output_bytes()], vec![JUNK; plan.output_bytes()]);
        plan.run_bytes(&src, &mut whole).expect("lengths are right");
        plan.par_run_pieces(&src, &mut pieces, bytes).expect("lengths are right");
        assert_eq!(pieces, whole, "rows of {length}, pieces of {bytes}");
    }
}

/// Large outputs are divided among threads, but not those that do not lie row by row.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn threads_and_outputs_anywhere() {
    let (height, width) = (1000, 1100);
    let spec = PadSpec::new(PadMode::Symmetric, [(3, 2), (5, 4)]);
    let plan = PadPlan::new::<u8>(&spec, &[height - 5, width - 9]).expect("valid");
    let src: Vec<u8> = (0..plan.input_len()).map(|i| (i * 7 + i / 251) as u8).collect();
    let right = plan.to_vec(&src).expect("room");
    assert!(right.len() >= 1 << 20);
    let mut whole = vec![JUNK; right.len()];
    plan.par_run(&src, &mut whole).expect("lengths are right");
    assert!(whole == right, "row by row");
    let input = Strides::row_major(plan.input_shape());
    let (rows, columns) = (height as isize, width as isize);
    for (name, offset, strides) in [
        ("an offset", 9, [columns, 1]),
        ("a gap between rows", 0, [columns + 1, 1]),
        ("columns", 0, [1, rows]),
    ] {
        let plan = plan.with_strides(&input, &Strides::new(offset, strides)).expect("room");
        let room = offset + right.len() + if strides == [columns + 1, 1] { height - 1 } else { 0 };
        let (mut one, mut many) = (vec![JUNK; room], vec![JUNK; room]);
        plan.run(&src, &mut one).expect("lengths are right");
        plan.par_run(&src, &mut many).expect("lengths are right");
        assert!(one == many, "{name}");
        let at = |i: usize| {
            offset as isize + (i / width) as isize * strides[0] + (i % width) as isize * strides[1]
        };
        assert!((0..right.len()).step_by(97).all(|i| many[at(i) as usize] == right[i]), "{name}");
    }
}

/// What lies between the elements of an output cannot be streamed over.
#[test]
fn outputs_with_holes_are_not_streamed() {
    for mode in PadMode::ALL {
        let (plan, src) = rows(mode);
        let plan = plan.with_streaming(Streaming::Always);
        let input = Strides::row_major(plan.input_shape());
        for (name, offset, strides, room) in PLACES {
            let right = placed(&plan, &src, offset, strides, room);
            let plan = plan.with_strides(&input, &Strides::new(offset, strides)).expect("room");
            let has_holes = plan.to_vec(&[0u16; 12]).is_err();
            assert!(!has_holes || !plan.streams(), "{name}, {mode}");
            let mut dst = vec![JUNK; 2 * room];
            plan.run_bytes(&src, &mut dst).expect("lengths are right");
            assert!(dst == right, "{name}, {mode}: {dst:02x?}, not {right:02x?}");
        }
    }
}

/// Memory behind an output is not returned as written.
#[test]
fn memory_goes_on_behind_an_output() {
    let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    let right = plan.to_vec(&[1u16, 2, 3]).expect("room");
    let plan = plan.with_strides(&Strides::row_major(&[3]), &Strides::row_major(&[6])).expect("valid");
    for more in [0, 1, 40] {
        let mut memory = vec![MaybeUninit::uninit(); 6 + more];
        assert_eq!(
            plan.run_uninit(&[1u16, 2, 3], &mut memory).map(|written| written.to_vec()),
            Ok(right.clone())
        );
    }
}

/// Nothing is written behind an output that ends with a row, however short its rows and the fill between them are, and however long those of the
/// source.
#[test]
fn outputs_end_with_a_short_row() {
    const BEHIND: usize = 128;
    let rows = (1..=70).flat_map(|row| (0..20).map(move |fill| (row, fill)));
    for ((row, fill), cut, count) in rows.flat_map(|row| {
        [0, 50].into_iter().flat_map(move |cut| [2, 3, 9, 40].map(move |count| (row, cut, count)))
    }) {
        let spec = PadSpec::constant([(0, 0), (fill as i64, -(cut as i64))], 9u8);
        let plan = PadPlan::new::<u8>(&spec, &[count, row + cut]).expect("valid");
        let src: Vec<u8> = (0..plan.input_len()).map(|i| i as u8).collect();
        let mut want = Vec::new();
        for source in src.chunks(row + cut) {
            want.extend(std::iter::repeat_n(9, fill).chain(source[..row].iter().copied()));
        }
        want.extend([JUNK; BEHIND]);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let plan = plan.with_isa(isa).expect("available");
            let mut got = vec![JUNK; want.len()];
            plan.run(&src, &mut got[..plan.output_len()]).expect("lengths are right");
            assert!(got == want, "{isa}: {count} rows of {row} with {fill}, {cut} cut off");
        }
    }
}

/// A box, and the same between strides, is run as the plan that it is made from.
#[test]
fn boxes_are_run_as_the_whole() {
    let spec = PadSpec::new(PadMode::Edge, [(1, 1), (2, 2)]);
    let plan = PadPlan::new::<u8>(&spec, &[6, 9]).expect("valid");
    let views = |plan: &PadPlan| {
        let rows = [Strides::row_major(plan.input_shape()), Strides::row_major(plan.output_shape())];
        let window = [1..7, 1..12];
        [plan.window(&window), plan.window_from_region(&window), plan.with_strides(&rows[0], &rows[1])]
            .map(|plan| plan.expect("valid"))
    };
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let plan = plan.with_isa(isa).expect("available");
        for view in views(&plan) {
            assert_eq!(view.kernel().map(|row| row.isa()), Some(isa));
        }
    }
    let streaming = plan.with_streaming(Streaming::Always);
    for (view, streaming) in views(&plan).iter().zip(views(&streaming)) {
        assert!(!view.streams());
        assert_eq!(streaming.streams(), view.with_streaming(Streaming::Always).streams());
    }
}

/// Elements that are further apart in the input than in the output, gaps and all.
#[test]
fn gaps_between_elements_of_columns() {
    for (dtype, interior) in [(DType::U8, 1), (DType::U8, 2), (DType::U16, 1), (DType::F32, 1)] {
        for columns in [3, 5, 8, 11] {
            let pads = [AxisPad::new(0, 0), AxisPad { low: 2, high: 1, interior }];
            let spec = PadSpec::new(PadMode::Constant, pads);
            let plan = PadPlan::for_dtype(&spec, &[columns, 100], dtype).expect("valid");
            let input = Strides::new(0, [1, columns as isize]);
            let plan = plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("room");
            let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 7 + i / 251 + 1) as u8).collect();
            let mut right = vec![JUNK; plan.output_bytes()];
            plan.with_generic_kernel().run_bytes(&src, &mut right).expect("lengths are right");
            for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                let mut got = vec![JUNK; plan.output_bytes()];
                let plan = plan.with_isa(isa).expect("available");
                plan.run_bytes(&src, &mut got).expect("lengths are right");
                assert!(got == right, "{dtype}, {columns} columns, {interior} between, {isa}");
            }
        }
    }
}

/// A large new output that streams is either written in full or in memory that holds zeros, whatever was there before.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn new_outputs_in_used_memory() {
    let spec = PadSpec::new(PadMode::Constant, [(3, 5), (700, 300)]);
    let plan = PadPlan::new::<u8>(&spec, &[1000, 50]).expect("valid");
    assert!(plan.output_len() >= 1 << 20);
    let src: Vec<u8> = (0..plan.input_len()).map(|i| (i * 7 + 1) as u8).collect();
    let mut right = vec![JUNK; plan.output_len()];
    plan.run(&src, &mut right).expect("lengths are right");
    assert_eq!(
        right.iter().filter(|&&byte| byte == JUNK).count(),
        src.iter().filter(|&&byte| byte == JUNK).count()
    );
    for streaming in [Streaming::Never, Streaming::Always] {
        let plan = plan.with_streaming(streaming);
        for _ in 0..3 {
            // The allocator is likely to hand this out again.
            drop(std::hint::black_box(vec![JUNK; plan.output_len()]));
            assert!(plan.to_vec(&src).expect("room") == right, "{streaming:?}");
        }
    }
}

/// In memory that holds the fill already nothing is written over it, whatever is read too much: elements that are apart in the input, in
/// either direction, with fill behind each row.
#[test]
fn new_outputs_of_elements_that_are_apart() {
    for (item, step, fill) in (1..=16).flat_map(|item| {
        [-5isize, -2, -1, 2, 3, 5, 7]
            .into_iter()
            .flat_map(move |step| [3, 100].map(|fill| (item, step, fill)))
    }) {
        for columns in [1, 2, 5, 13, 69] {
            let rows = 1 + (1 << 12) / ((columns + fill) * item);
            let mut spec = PadSpec::new(PadMode::Constant, [(0, 0), (0, fill as i64)]);
            spec.fill = Some(Fill::untyped(&[0; 16][..item]));
            let plan = PadPlan::for_bytes(&spec, &[rows, columns], item).expect("valid");
            let strides = [columns as isize * step.abs(), step];
            let input = Strides::spanning(&[rows, columns], &strides);
            let plan = plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("room");
            let room = (rows - 1) * strides[0] as usize + (columns - 1) * step.unsigned_abs() + 1;
            let src: Vec<u8> = (0..room * item).map(|i| (i % 250 + 1) as u8).collect();
            let mut want = vec![JUNK; plan.output_bytes()];
            plan.with_generic_kernel().run_bytes(&src, &mut want).expect("lengths are right");
            for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                let plan = plan.with_isa(isa).expect("available");
                let got = plan.to_vec_bytes(&src).expect("room");
                assert!(
                    got == want,
                    "{isa}: {rows} by {columns} elements of {item} bytes, {step} apart, {fill} of fill"
                );
            }
        }
    }
}

/// The stride of an axis of one element does not matter, and may be longer than memory.
#[test]
fn strides_of_single_elements_do_not_matter() {
    let far = [1, 3, 65536, isize::MAX / 8, 1 << (isize::BITS - 2), isize::MAX - 1, isize::MAX, isize::MIN];
    let far: Vec<isize> = far.into_iter().flat_map(|stride: isize| [stride, stride.wrapping_neg()]).collect();
    for (dtype, bits) in
        [(DType::U2, 2), (DType::U4, 4), (DType::U8, 8), (DType::U16, 16), (DType::C128, 128)]
    {
        for (shape, pads, single) in [
            ([1, 4], [(0, 0), (1, 1)], 0),
            ([1, 4], [(2, 2), (1, 1)], 0),
            ([4, 1], [(1, 1), (0, 0)], 1),
            ([4, 1], [(1, 1), (2, 3)], 1),
        ] {
            for (mode, &stride) in
                PadMode::ALL.iter().flat_map(|mode| far.iter().map(move |stride| (mode, stride)))
            {
                let spec = PadSpec::new(*mode, pads)
                    .with_fill(Fill::from_bytes(dtype, &vec![0; bits / 8 + 1][..bits.div_ceil(8)]));
                let Ok(plan) = PadPlan::for_dtype(&spec, &shape, dtype) else { continue };
                let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 37 + 11) as u8).collect();
                let want = plan.to_vec_bytes(&src).expect("room");
                let out = plan.output_shape().to_vec();
                let mut strides = [shape[1] as isize, 1];
                strides[single] = stride;
                let mut to = [out[1] as isize, 1];
                if out[single] == 1 {
                    to[single] = stride;
                }
                let plan =
                    plan.with_strides(&Strides::new(0, strides), &Strides::new(0, to)).expect("one element");
                let mut got = vec![0; want.len()];
                plan.run_bytes(&src, &mut got).expect("lengths are right");
                assert_eq!(got, want, "{mode} of {shape:?} {dtype}, {strides:?} to {to:?}");
                let mut got = vec![0; want.len()];
                plan.with_generic_kernel().run_bytes(&src, &mut got).expect("lengths are right");
                assert_eq!(got, want, "any rank: {mode} of {shape:?} {dtype}, {strides:?} to {to:?}");
            }
        }
    }
    for &stride in &far {
        let plan =
            BorderPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 1)]), &[1, 4]).expect("valid");
        let plan = plan.with_strides(&Strides::new(0, [stride, 1])).expect("one element");
        let mut dst = [0u8, 1, 2, 3, 4, 0];
        plan.run(&mut dst).expect("lengths are right");
        assert_eq!(dst, [1, 1, 2, 3, 4, 4]);
    }
}

/// Calls that plan and run at once copy long rows with fill between them, and short ones onto it. Both are what a plan writes, whatever
/// the modes of the axes and the bytes of the fill.
#[test]
fn rows_of_any_length_at_once() {
    let mut calls = 0;
    let each = |outer| PadMode::ALL.map(move |inner| [AxisMode::from(outer), inner.into(), inner.into()]);
    for modes in PadMode::ALL.into_iter().flat_map(each) {
        for (row, dtype, bytes) in
            [(100, DType::U8, 1), (511, DType::U8, 1), (128, DType::F32, 4), (600, DType::C128, 16)]
        {
            for (outer, middle, inner) in [
                (AxisPad::new(1, 2), AxisPad::default(), AxisPad::new(0, 3)),
                (AxisPad::default(), AxisPad::new(3, 0), AxisPad::default()),
                (AxisPad::new(-1, 1), AxisPad::new(2, 2).with_interior(1), AxisPad::new(5, 0)),
                (AxisPad::new(2, -1), AxisPad::new(-1, 4), AxisPad::new(-2, 7)),
            ] {
                let zero = vec![0; bytes];
                let other = (1..=zero.len() as u8).collect::<Vec<_>>();
                for fill in [&zero, &other] {
                    let spec = PadSpec::new(modes.to_vec(), [outer, middle, inner])
                        .with_fill(Fill::from_bytes(dtype, fill));
                    let shape = [3, 4, row];
                    let plan = PadPlan::for_dtype(&spec, &shape, dtype).expect("valid");
                    let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 7 + i / 251) as u8).collect();
                    let (mut want, mut got) =
                        (vec![JUNK; plan.output_bytes()], vec![JUNK; plan.output_bytes()]);
                    plan.run_bytes(&src, &mut want).expect("lengths are right");
                    pad_bytes_into(&src, &shape, dtype, &spec, &mut got).expect("valid");
                    assert!(got == want, "{spec:?} of {shape:?} {dtype}");
                    assert!(pad_bytes(&src, &shape, dtype, &spec).expect("valid") == want, "{spec:?}");
                    calls += 1;
                }
            }
        }
    }
    assert_eq!(calls, 25 * 4 * 4 * 2);
}
