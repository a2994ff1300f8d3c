//! Random numbers, and their sums in the reference.

use half::{bf16, f16};
use pad_kernels::DType;

/// The type of a sum. Integers wrap, so the low bytes of a sum are also the sum of narrower integers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sum {
    Integer(u64),
    Single(f32),
    Double(f64),
}

use Sum::{Double, Integer, Single};

/// Returns the size of a number in bytes. `element` is the size of an element; a complex element has two numbers.
pub(super) fn bytes(dtype: DType, element: usize) -> usize {
    if matches!(dtype, DType::C64 | DType::C128) { element / 2 } else { element }
}

pub(super) fn widen(dtype: DType, number: &[u8]) -> Sum {
    let part = "the bytes of a number";
    match dtype {
        DType::F64 | DType::C128 => Double(f64::from_ne_bytes(number.try_into().expect(part))),
        DType::F32 | DType::C64 => Single(f32::from_ne_bytes(number.try_into().expect(part))),
        DType::F16 => Single(f16::from_ne_bytes(number.try_into().expect(part)).to_f32()),
        DType::BF16 => Single(bf16::from_ne_bytes(number.try_into().expect(part)).to_f32()),
        _ => {
            let mut whole = [0; 8];
            let start = if cfg!(target_endian = "little") { 0 } else { 8 - number.len() };
            whole[start..start + number.len()].copy_from_slice(number);
            Integer(u64::from_ne_bytes(whole))
        }
    }
}

/// Converts a sum to a number of `size` bytes.
pub(super) fn narrow(dtype: DType, size: usize, sum: Sum) -> Vec<u8> {
    match (sum, dtype) {
        (Double(sum), _) => sum.to_ne_bytes().to_vec(),
        (Single(sum), DType::F16) => f16::from_f32(sum).to_ne_bytes().to_vec(),
        (Single(sum), DType::BF16) => bf16::from_f32(sum).to_ne_bytes().to_vec(),
        (Single(sum), _) => sum.to_ne_bytes().to_vec(),
        (Integer(sum), _) if cfg!(target_endian = "little") => sum.to_ne_bytes()[..size].to_vec(),
        (Integer(sum), _) => sum.to_ne_bytes()[8 - size..].to_vec(),
    }
}

pub(super) fn add(a: Sum, b: Sum) -> Sum {
    match (a, b) {
        (Integer(a), Integer(b)) => Integer(a.wrapping_add(b)),
        (Single(a), Single(b)) => Single(a + b),
        (Double(a), Double(b)) => Double(a + b),
        _ => unreachable!("numbers of one type"),
    }
}

pub(super) fn negate(sum: Sum) -> Sum {
    match sum {
        Integer(sum) => Integer(sum.wrapping_neg()),
        Single(sum) => Single(-sum),
        Double(sum) => Double(-sum),
    }
}

pub(super) fn is_nan(sum: Sum) -> bool {
    matches!(sum, Single(sum) if sum.is_nan()) || matches!(sum, Double(sum) if sum.is_nan())
}

/// Makes a number from 64 random bits. Most floats are small integers, whose sums are exact.
pub(super) fn draw(dtype: DType, size: usize, bits: u64) -> Vec<u8> {
    let sum = match widen(dtype, &vec![0; size]) {
        Integer(_) => return narrow(dtype, size, Integer(bits)),
        sum => sum,
    };
    let is_double = matches!(sum, Double(_));
    let least = if is_double { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() };
    let small = f64::from((bits >> 8) as i8);
    let value = match bits % 16 {
        0 => -0.0,
        1 => f64::INFINITY * small,
        2 => least * small / 7.0,
        // These are zero or subnormal in f16.
        7 => small * 2f64.powi(-24),
        3..=5 => small / 3.0 * 2f64.powi((bits >> 16) as i32 % 24),
        6 => 60000.0,
        _ => small,
    };
    narrow(dtype, size, if is_double { Double(value) } else { Single(value as f32) })
}

/// Returns the next state of a linear congruential generator. The upper bits are the most random ones.
pub(super) fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    *state
}
