//! A fill for each position of an axis is right in small requests on all kernels, and equals separate requests with one fill
//! each.

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, Fill, Frame, PadMode, PadSpec, pad};
use spec_tests::borders::{self, Request};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles::{self, Outcome};

/// One kind per element size, so that pixels of two to four elements are units of every kind.
const KINDS: [Kind; 8] = [
    Kind::Tagged(DType::U8),
    Kind::Tagged(DType::Bool),
    Kind::Tagged(DType::I16),
    Kind::Tagged(DType::F32),
    Kind::Tagged(DType::F64),
    Kind::Tagged(DType::C128),
    Kind::Raw(3),
    Kind::Raw(65),
];

/// Tensors of up to four axes are right with a fill per position on any axis, and with every padding of the other axes.
#[test]
fn every_axis_of_small_tensors() {
    let pads: [AxisPad; 6] =
        [(0, 0).into(), (1, 0).into(), (2, 3).into(), (-1, 2).into(), (0, 1, 1).into(), (-1, -4).into()];
    let mut ran = 0;
    let shapes = [&[2, 3][..], &[4, 3, 2], &[2, 3, 4], &[0, 2, 3], &[3, 0, 2], &[2, 1, 3, 4]];
    let tensors = shapes.into_iter().flat_map(|shape| (0..shape.len()).map(move |axis| (shape, axis)));
    for ((shape, axis), first, mode, step) in
        iproduct!(tensors, 0..pads.len(), [PadMode::Constant, PadMode::Edge], [1, 4])
    {
        let mut axes: Vec<_> = (0..shape.len()).map(|i| pads[(first + i * step) % pads.len()]).collect();
        axes[axis] = AxisPad::default();
        let kind = KINDS[ran % KINDS.len()];
        let (size, mask) = (kind.bytes(1), if kind == Kind::Tagged(DType::Bool) { 1 } else { 255 });
        let bytes = (0..shape[axis] * size).map(|i| mask & (251 + (i / size + i % size) as u8 % 5));
        let (frame, fill) = (Some(Frame::Cropped), Some(bytes.collect()));
        let case = Case { frame, fill, paint: 100, ..Case::new(kind, mode, shape, axes) };
        if case.coloured().is_none()
            || oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}")) != Outcome::Ran
        {
            continue;
        }
        ran += 1;
        let is_border = |pad: &AxisPad| pad.low >= 0 && pad.high >= 0 && pad.interior == 0;
        if matches!(kind, Kind::Raw(_)) && case.axes.iter().all(is_border) {
            let sides = vec![(true, true); shape.len()];
            let request = Request { case, sides, placed: None };
            borders::check(&request).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    println!("{ran} ran");
    assert!(ran > 200, "{ran}");
}

/// A request with a fill per plane gives the result of padding each plane with its fill.
#[test]
fn colours_are_the_fills_of_planes() {
    let (shape, values) = ([3usize, 5, 4], [7u16, 8, 9]);
    let data: Vec<u16> = (100..160).collect();
    let spec = PadSpec::new(PadMode::Constant, [(0, 0), (2, 1), (1, 3)]).with_fill_along(0, &values);
    let mut planes = Vec::new();
    for (plane, value) in data.chunks_exact(20).zip(values) {
        let spec = PadSpec::constant([(2, 1), (1, 3)], value);
        planes.extend(pad(plane, &shape[1..], &spec).expect("valid"));
    }
    assert_eq!(pad(&data, &shape, &spec).expect("valid"), planes);
    assert_eq!(format!("{:?}", spec.fill.expect("given")), "Fill(u16 0x070008000900 along axis 0)");
    assert_ne!(Fill::along(0, &values), Fill::along(1, &values));
}
