//! Elements are moved as bits: no value is normalised, rounded, or replaced by an equal value with other bits.

use itertools::iproduct;
use pad_kernels::dialect::{Dialect, torch};
use pad_kernels::{AxisPad, DType, PadMode, PadSpec, pad};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles;
use spec_tests::views::{self, Layout, Placed};

/// A fill of equal or nearly equal bytes is written exactly.
#[test]
fn fills_that_look_uniform() {
    for fill in [[7, 7, 7, 7], [7, 7, 7, 8], [8, 7, 7, 7], [0, 0, 0, 1], [0x80, 0, 0, 0], [0; 4]] {
        for high in [1, 15, 16, 17, 40, 300] {
            let out = pad(&[[1u8; 4]], &[1], &PadSpec::constant([(2, high)], fill)).expect("valid");
            assert_eq!(out[2], [1; 4]);
            assert!(out.iter().enumerate().all(|(i, &element)| i == 2 || element == fill), "{fill:?} {high}");
        }
    }
}

/// Packed rows of three axes may begin and end anywhere in a byte. Unused bits of data and fill do not matter, and unused bits of
/// the output are zero.
#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn packed_rows_of_three_axes() {
    let dtypes = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];
    let of = |low, high, interior| AxisPad { low, high, interior };
    let axes = [
        (2, of(0, 0, 0)),
        (3, of(0, 0, 0)),
        (3, of(1, 0, 0)),
        (2, of(0, 1, 0)),
        (5, of(2, 3, 0)),
        (4, of(-1, 0, 0)),
        (3, of(0, 0, 1)),
    ];
    for (i, (a, b, c)) in iproduct!(axes, axes, axes).enumerate() {
        let (dtype, mode) = (Kind::Tagged(dtypes[i % 5]), PadMode::ALL[i / 5 % 5]);
        let case = Case::new(dtype, mode, [a.0, b.0, c.0], [a.1, b.1, c.1]);
        let case = Case { fill: Some(vec![0xf9]), paint: i as u8, ..case };
        oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

/// Mirrored units of a few bits keep their element order, at any offset in a byte and in any number.
#[test]
fn packed_units_are_turned_round_at_any_offset() {
    for (dtype, mode, columns, offset, mirrored) in
        iproduct!([DType::U2, DType::U4], [PadMode::Reflect, PadMode::Symmetric], 1..=4, 0..8, [9, 300])
    {
        let axes = [AxisPad::new(mirrored, 0), AxisPad::new(0, 0)];
        let case = Case::new(Kind::Tagged(dtype), mode, [310, columns], axes);
        let (rows, columns) = (310 + mirrored as usize, columns as isize);
        let room = offset + rows * columns as usize;
        let output = Placed { offset, strides: vec![columns, 1], room };
        let places = Some((Placed::row_major(&case.shape), output));
        let layout = Layout { places, ..Layout::whole(&[rows, columns as usize]) };
        views::check_layouts(&case, &[layout]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

/// Numbers become elements by the rounding of IEEE 754: doubles stay exact, and other types round to nearest, ties to even.
#[test]
fn numbers_become_elements_exactly() {
    let fill = |number: f64, dtype, bytes| {
        let call = torch::Pad::new(&[1, 0]).value(number);
        call.pad_bytes(&[0; 8][..bytes], &[1], dtype).expect("a valid call")[..bytes].to_vec()
    };
    assert_eq!(fill(0.1, DType::F64, 8), 0.1f64.to_ne_bytes());
    assert_eq!(fill(-0.0, DType::F64, 8), (-0.0f64).to_ne_bytes());
    for (number, bits) in [(-0.0, 0x8000u16), (1.0 + 1.0 / 2048.0, 0x3c00), (1.0 + 3.0 / 2048.0, 0x3c02)] {
        assert_eq!(fill(number, DType::F16, 2), bits.to_ne_bytes(), "{number}");
    }
}
