//! Elements of other crates' types, and of any size, are padded through the typed calls.

use bytemuck::{NoUninit, TransparentWrapper};
use half::{bf16, f16};
use itertools::iproduct;
use num_complex::Complex;
use pad_kernels::{DType, Element, PadError, PadMode, PadPlan, PadSpec, Plain, fill_borders, pad};
use spec_tests::reference::{AxisPad, Mode, Request};

/// Pads `data` in every mode along the last of two axes and along both, and compares the output with the reference.
fn check<T: Element + PartialEq + std::fmt::Debug>(data: &[T], fill: T) {
    let widths = [(0, 0, 0), (1, 2, 0), (-1, 5, 0), (3, -1, 2), (9, 9, 1)];
    for ((mode, rule), last) in iproduct!(PadMode::ALL.into_iter().zip(Mode::ALL), widths) {
        let (shape, pads) = ([2, data.len() / 2], [(1, 1, 0), last]);
        let spec = PadSpec::new(mode, pads).with_fill(fill);
        let pads = pads.map(|(low, high, interior)| AxisPad { low, high, interior });
        let bits = 8 * size_of::<T>() as u32;
        let map = Request::new(&shape, &pads, rule, None).map(bits).unwrap();
        assert_eq!(pad(data, &shape, &spec).unwrap(), map.apply(data, &fill), "{mode} {last:?}");
    }
}

#[test]
fn tags_are_those_of_the_documents() {
    assert_eq!([f16::DTYPE, bf16::DTYPE], [Some(DType::F16), Some(DType::BF16)]);
    assert_eq!([Complex::<f32>::DTYPE, Complex::<f64>::DTYPE], [Some(DType::C64), Some(DType::C128)]);
    // A plan for the data type runs on the Rust type, and on no other type of its size.
    let plan = PadPlan::for_dtype(&PadSpec::new(PadMode::Edge, [(1, 0)]), &[1], DType::F16).unwrap();
    assert_eq!(plan.to_vec(&[f16::ONE]), Ok(vec![f16::ONE; 2]));
    assert!(matches!(plan.to_vec(&[bf16::ONE]), Err(PadError::ElementType { .. })));
    let plan = PadPlan::new::<[u8; 4]>(&PadSpec::new(PadMode::Edge, [(1, 0)]), &[1]).unwrap();
    assert!(matches!(plan.to_vec(&['x']), Err(PadError::ElementType { .. })));
    assert_eq!(plan.to_vec(&[[1u8, 2, 3, 4]]), Ok(vec![[1, 2, 3, 4]; 2]));
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit)]
#[repr(u8)]
enum Suit {
    Clubs = 1,
    Hearts = 2,
}

#[test]
fn plain_data_that_has_no_zero() {
    let hand = [Suit::Clubs, Suit::Hearts, Suit::Hearts, Suit::Clubs, Suit::Clubs, Suit::Hearts].map(Plain);
    check(&hand, Plain(Suit::Hearts));
    // `Suit` has no zero, so mode constant needs an explicit fill. Mode edge needs none.
    let constant = PadSpec::new(PadMode::Constant, [(1, 1)]);
    assert_eq!(pad(&hand, &[6], &constant), Err(PadError::FillRequired { dtype: None }));
    let edge = pad(&hand, &[6], &PadSpec::new(PadMode::Edge, [(1, 0)])).unwrap();
    assert_eq!(Plain::peel_slice(&edge)[..2], [Suit::Clubs; 2]);
    // A border in place needs a fill, too.
    let mut line = [Suit::Clubs, Suit::Clubs, Suit::Hearts, Suit::Clubs].map(Plain);
    fill_borders(&mut line, &[2], &PadSpec::new(PadMode::Wrap, [(1, 1)])).unwrap();
    assert_eq!(line.map(|suit| suit.0), [Suit::Hearts, Suit::Clubs, Suit::Hearts, Suit::Clubs]);
    let sides = PadSpec::new([(PadMode::Constant, PadMode::Edge)], [(1, 1)]);
    assert_eq!(fill_borders(&mut line, &[2], &sides), Err(PadError::FillRequired { dtype: None }));
    fill_borders(&mut line, &[2], &sides.with_fill(Plain(Suit::Clubs))).unwrap();
    assert_eq!(line.map(|suit| suit.0), [Suit::Clubs, Suit::Clubs, Suit::Hearts, Suit::Hearts]);
    // A fill of another type is refused, even if it has the right size.
    let other = constant.with_fill([0u8]);
    assert!(matches!(pad(&hand, &[6], &other), Err(PadError::FillType { .. })));
}
