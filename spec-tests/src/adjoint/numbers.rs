//! Numbers, as they are drawn and as the definition sums them.

use half::{bf16, f16};

/// A number that can be summed as the definition says.
pub(super) trait Sum: Copy {
    /// Bytes of a number.
    const BYTES: usize;
    /// What it is summed as.
    type Of: Copy + PartialEq;
    fn widen(bytes: &[u8]) -> Self::Of;
    fn narrow(sum: Self::Of) -> Vec<u8>;
    fn add(a: Self::Of, b: Self::Of) -> Self::Of;
    fn negate(a: Self::Of) -> Self::Of;
    /// A number drawn from 64 bits: mostly small integers, of which sums are exact.
    fn draw(bits: u64) -> Vec<u8>;
    fn is_nan(_: &[u8]) -> bool {
        false
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Sum for $type {
            const BYTES: usize = size_of::<$type>();
            type Of = $type;

            fn widen(bytes: &[u8]) -> $type {
                <$type>::from_ne_bytes(bytes.try_into().expect("a number"))
            }

            fn narrow(sum: $type) -> Vec<u8> {
                sum.to_ne_bytes().to_vec()
            }

            fn add(a: $type, b: $type) -> $type {
                a.wrapping_add(b)
            }

            fn negate(a: $type) -> $type {
                a.wrapping_neg()
            }

            fn draw(bits: u64) -> Vec<u8> {
                (bits as $type).to_ne_bytes().to_vec()
            }
        }
    )*};
}

integers!(u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ty: $of:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Sum for $type {
            const BYTES: usize = size_of::<$type>();
            type Of = $of;

            fn widen(bytes: &[u8]) -> $of {
                $widen(<$type>::from_ne_bytes(bytes.try_into().expect("a number")))
            }

            fn narrow(sum: $of) -> Vec<u8> {
                <$type>::to_ne_bytes($narrow(sum)).to_vec()
            }

            fn add(a: $of, b: $of) -> $of {
                a + b
            }

            fn negate(a: $of) -> $of {
                -a
            }

            fn draw(bits: u64) -> Vec<u8> {
                let small = (bits >> 8) as i8;
                let value = match bits % 16 {
                    0 => -0.0,
                    1 => <$of>::INFINITY * <$of>::from(small),
                    2 => <$of>::MIN_POSITIVE * <$of>::from(small) / 7.0,
                    // Below the normal numbers of f16.
                    7 => <$of>::from(small) * <$of>::powi(2.0, -24),
                    3..=5 => <$of>::from(small) / 3.0 * <$of>::powi(2.0, (bits >> 16) as i32 % 24),
                    6 => 60000.0,
                    _ => <$of>::from(small),
                };
                Self::narrow(value)
            }

            fn is_nan(bytes: &[u8]) -> bool {
                Self::widen(bytes).is_nan()
            }
        }
    )*};
}

floats! {
    f32: f32, |value| value, |sum| sum;
    f64: f64, |value| value, |sum| sum;
    f16: f32, f16::to_f32, f16::from_f32;
    bf16: f32, bf16::to_f32, bf16::from_f32;
}

/// The next state of a linear congruential generator: its upper bits are the most random ones.
pub(super) fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    *state
}
