//! Every loop nest once: contiguous, between strides and for a box of the output. The least that reaches all of the
//! unsafe code, and so little that Miri can run it.

use pad_kernels::{
    AxisPad, DType, Frame, PadMode, PadPlan, PadSpec,
    kernels::{self, PadKernel},
    tensor::ElementSize,
};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::Source;
use spec_tests::oracles;
use spec_tests::reach::Way;
use spec_tests::views::{self, Placed, View};

/// Ranks whose nests are run: under Miri not those that differ from rank 3 by more of the same loops alone.
const RANKS: &[usize] = if cfg!(miri) { &[1, 2, 3] } else { &[1, 2, 3, 4, 5, 6] };

/// One row for each nest of `mode` that this machine can run: types of one layout share theirs.
fn nests(mode: PadMode) -> Vec<&'static PadKernel> {
    let mut seen = Vec::new();
    let mut is_first = |row: &PadKernel| {
        let bits = match row.dtype().map(DType::element_size) {
            Some(ElementSize::Bits(bits)) => bits,
            _ => 0,
        };
        let key = (row.rank(), row.isa(), row.unit(), bits);
        let first = !seen.contains(&key);
        seen.extend(first.then_some(key));
        first
    };
    let wanted = |row: &PadKernel| row.mode() == mode && RANKS.contains(&row.rank()) && row.isa().available();
    kernels::pad().iter().filter(|row| wanted(row) && is_first(row)).collect()
}

fn run(mode: PadMode) {
    let mut source = Source::new(&format!("nests {mode}"), 1);
    let mut runs = [0; 3];
    for (turn, row) in nests(mode).into_iter().enumerate() {
        // Under Miri, which takes seconds for each, one way a nest: by turns, so that every unit goes all ways in every
        // mode, and every nest in some.
        let wanted = |way: usize| !cfg!(miri) || (turn + row.rank() + mode as usize) % 3 == way;
        for _ in 0..source.cases() {
            for (number, way) in Way::ALL.into_iter().enumerate().filter(|(number, _)| wanted(*number)) {
                if let Some((case, layout)) = source.draw(|u| views::for_row(row, way, u)) {
                    oracles::check_row(row, &case, &layout)
                        .unwrap_or_else(|mismatch| panic!("{}: {mismatch}", row.name()));
                    runs[number] += 1;
                }
            }
        }
    }
    let [contiguous, strided, windowed] = runs;
    println!("{mode}: {contiguous} contiguous, {strided} strided, {windowed} windowed cases");
    // Five widths, any number of bytes, two of bits, and values.
    let ways = if cfg!(miri) { 3 } else { 1 };
    assert!(contiguous >= RANKS.len() * 9 * source.cases() / ways);
    assert!(strided * 10 >= contiguous * 9 && windowed * 10 >= contiguous * 9);
}

macro_rules! modes {
    ($($name:ident $mode:ident;)*) => {
        $(#[test] fn $name() { run(PadMode::$mode); })*
    };
}
modes! {
    constant_nests Constant;
    edge_nests Edge;
    reflect_nests Reflect;
    symmetric_nests Symmetric;
    wrap_nests Wrap;
}

/// A long new output with zero fill starts as zeroed pages, and only what holds data is written.
#[test]
fn new_outputs_of_zeroed_pages() {
    const LONG: usize = 1 << 20;
    for (shape, pads, interior) in [(&[5][..], LONG as i64, 1), (&[3, 2], LONG as i64 / 4, 0)] {
        let mut axes = vec![(0, 0, interior); shape.len()];
        axes[0] = (pads, 3, interior);
        let plan = PadPlan::new::<[u8; 2]>(&PadSpec::new(PadMode::Constant, axes), shape).expect("valid");
        assert!(plan.output_bytes() >= LONG);
        let data: Vec<[u8; 2]> = (1..=plan.input_len() as u16).map(u16::to_le_bytes).collect();
        let mut right = vec![[0; 2]; plan.output_len()];
        let first = pads as usize * (plan.output_len() / plan.output_shape()[0]);
        for (i, &element) in data.iter().enumerate() {
            right[first + i * (interior as usize + 1)] = element;
        }
        let mut written = vec![0xee; plan.output_bytes()];
        plan.run_bytes(data.as_flattened(), &mut written).expect("lengths are right");
        let new = plan.to_vec(&data).expect("room");
        // Bytes all at once: Miri would take minutes for them one by one.
        assert!(written == right.as_flattened(), "{shape:?}");
        assert!(new.as_flattened() == right.as_flattened(), "{shape:?}");
    }
}

/// Rows of a border, a copy and a border, as many as there are on either side of them, in memory that ends where they do.
#[test]
fn rows_with_borders() {
    let rows: &[usize] = if cfg!(miri) { &[64] } else { &[64, 250, 300, 1100] };
    let sides: &[i64] = if cfg!(miri) { &[0, 3] } else { &[0, 1, 7, 18] };
    let modes = [PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap];
    let mut paint = 0u8;
    let units = [(DType::U8, 1), (DType::F16, 2), (DType::F32, 4), (DType::C64, 8), (DType::C128, 16)];
    for &(dtype, bytes) in if cfg!(miri) { &units[3..4] } else { &units[..] } {
        for (&row, mode) in rows.iter().flat_map(|row| modes.map(|mode| (row, mode))) {
            for (&low, &high) in sides.iter().flat_map(|low| sides.iter().map(move |high| (low, high))) {
                let axis = |low, high| AxisPad { low, high, interior: 0 };
                paint = paint.wrapping_add(1);
                let case = Case {
                    frame: Some(Frame::Cropped),
                    paint,
                    ..Case::new(Kind::Tagged(dtype), mode, [4, row / bytes], [axis(3, 3), axis(low, high)])
                };
                oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
            }
        }
    }
}

/// Rows that begin with much fill and are little longer, in memory that ends where they do.
#[test]
fn rows_that_begin_with_fill() {
    let (rows, of_box) = if cfg!(miri) { (5, 3) } else { (60, 40) };
    for low in if cfg!(miri) { 65..=65 } else { 60..=76 } {
        let axis = |low, interior| AxisPad { low, high: 0, interior };
        let case = Case {
            frame: Some(Frame::Cropped),
            ..Case::new(Kind::Tagged(DType::F32), PadMode::Constant, [rows, 2], [axis(0, 0), axis(low, 1)])
        };
        oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        // A box that ends before the source does.
        let [input, output] =
            [&case.shape, &case.output_shape().expect("a shape")].map(|shape| Placed::row_major(shape));
        let tiles = [0..of_box, of_box..rows].map(|rows| vec![rows, 0..low as usize + 3]).to_vec();
        views::check(&case, &View { input, output, tiles }).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

/// Rows of a few elements with long fill around them, in memory that ends where they do, of a source that goes on.
#[test]
fn short_rows_of_a_longer_source() {
    let axis = |low, high| AxisPad { low, high, interior: 0 };
    let pads: &[[i64; 2]] = if cfg!(miri) { &[[7, 40]] } else { &[[7, 40], [0, 70], [40, 64], [300, 33]] };
    let (rows, cropped) = if cfg!(miri) { (8, -3) } else { (70, -40) };
    let dtypes = [DType::U16, DType::F32];
    for &dtype in if cfg!(miri) { &dtypes[..1] } else { &dtypes[..] } {
        for &[low, high] in pads {
            let case = Case {
                frame: Some(Frame::Cropped),
                ..Case::new(
                    Kind::Tagged(dtype),
                    PadMode::Constant,
                    [rows, 3],
                    [axis(0, cropped), axis(low, high)],
                )
            };
            oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
}

/// Planes of rows whose elements are apart, with fill between rows and around them, in memory that ends where they do.
#[test]
fn planes_of_rows_apart() {
    let axis = |low, high, interior| AxisPad { low, high, interior };
    let sizes: &[[usize; 2]] = if cfg!(miri) { &[[6, 7]] } else { &[[6, 7], [24, 5], [40, 2]] };
    let pads: &[[i64; 2]] = if cfg!(miri) { &[[1, 3]] } else { &[[0, 0], [1, 3], [33, 0], [3, 17]] };
    let gaps: &[[u64; 2]] = if cfg!(miri) { &[[1, 1]] } else { &[[1, 1], [2, 0], [0, 3]] };
    let kinds =
        [(DType::F32, PadMode::Constant), (DType::F64, PadMode::Constant), (DType::I32, PadMode::Reflect)];
    for &(dtype, mode) in if cfg!(miri) { &kinds[..1] } else { &kinds[..] } {
        for (&[rows, columns], &[low, high]) in
            sizes.iter().flat_map(|size| pads.iter().map(move |pads| (size, pads)))
        {
            for &[of_rows, of_columns] in gaps {
                let case = Case {
                    frame: Some(Frame::Cropped),
                    ..Case::new(
                        Kind::Tagged(dtype),
                        mode,
                        [5, rows, columns],
                        [axis(0, 0, 0), axis(low.min(3), high.min(3), of_rows), axis(low, high, of_columns)],
                    )
                };
                oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
            }
        }
    }
}
