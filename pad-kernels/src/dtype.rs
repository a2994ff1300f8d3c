//! Element types as values, for programs that know the type only at run time.

use core::fmt;
use core::str::FromStr;

/// Describes how much memory an element needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementSize {
    /// Each element has this number of bytes.
    Bytes(usize),
    /// Each element has 2 or 4 bits. The first element is in the lowest bits of the first byte, and a row can begin in the
    /// middle of a byte.
    Bits(usize),
    /// The elements are values that are cloned.
    Cloned,
}

macro_rules! dtypes {
    ($($variant:ident $short:literal $long:literal [$($alias:literal),*] $layout:expr, $doc:literal;)*) => {
        /// Names an element type. The 26 types are those of ONNX Pad-25.
        ///
        /// ```
        /// use pad_kernels::DType;
        /// assert_eq!("float32".parse::<DType>(), Ok(DType::F32));
        /// assert_eq!(DType::F32.name(), "f32");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DType {
            $(#[doc = $doc] $variant,)*
        }

        impl DType {
            /// Lists every type in the order of the variants.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// Returns the short name, as in Rust, such as `f32`, `bf16` or `u4`.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $short),* }
            }

            /// Returns the long name, as in ONNX and NumPy, such as `float32`, `bfloat16` or `uint4`.
            pub const fn long_name(self) -> &'static str {
                match self { $(DType::$variant => $long),* }
            }

            /// Returns how much memory an element of this type needs.
            pub const fn element_size(self) -> ElementSize {
                match self { $(DType::$variant => $layout),* }
            }
        }

        impl FromStr for DType {
            type Err = UnknownDType;

            fn from_str(name: &str) -> Result<Self, UnknownDType> {
                match name {
                    $($short | $long $(| $alias)* => Ok(DType::$variant),)*
                    _ => Err(UnknownDType),
                }
            }
        }
    };
}

use ElementSize::{Bits, Bytes, Cloned};
dtypes! {
    F64 "f64" "float64" ["double"] Bytes(8), "IEEE 754 binary64.";
    F32 "f32" "float32" ["float"] Bytes(4), "IEEE 754 binary32.";
    F16 "f16" "float16" ["half"] Bytes(2), "IEEE 754 binary16.";
    BF16 "bf16" "bfloat16" [] Bytes(2), "The upper half of a binary32.";
    I8 "i8" "int8" [] Bytes(1), "Signed 8-bit integer.";
    I16 "i16" "int16" [] Bytes(2), "Signed 16-bit integer.";
    I32 "i32" "int32" [] Bytes(4), "Signed 32-bit integer.";
    I64 "i64" "int64" [] Bytes(8), "Signed 64-bit integer.";
    U8 "u8" "uint8" [] Bytes(1), "Unsigned 8-bit integer.";
    U16 "u16" "uint16" [] Bytes(2), "Unsigned 16-bit integer.";
    U32 "u32" "uint32" [] Bytes(4), "Unsigned 32-bit integer.";
    U64 "u64" "uint64" [] Bytes(8), "Unsigned 64-bit integer.";
    Bool "bool" "boolean" [] Bytes(1), "One byte, 0 or 1.";
    C64 "c64" "complex64" [] Bytes(8), "Two binary32: real, imaginary.";
    C128 "c128" "complex128" [] Bytes(16), "Two binary64: real, imaginary.";
    F8E4M3FN "f8e4m3fn" "float8e4m3fn" [] Bytes(1), "8-bit float, 4 exponent bits, finite with NaN.";
    F8E4M3FNUZ "f8e4m3fnuz" "float8e4m3fnuz" [] Bytes(1), "8-bit float, 4 exponent bits, no negative zero.";
    F8E5M2 "f8e5m2" "float8e5m2" [] Bytes(1), "8-bit float, 5 exponent bits, IEEE-like.";
    F8E5M2FNUZ "f8e5m2fnuz" "float8e5m2fnuz" [] Bytes(1), "8-bit float, 5 exponent bits, no negative zero.";
    F8E8M0 "f8e8m0" "float8e8m0" ["float8e8m0fnu"] Bytes(1), "8-bit power of two. It has no zero, so padding must be given a fill.";
    I4 "i4" "int4" [] Bits(4), "Signed 4-bit integer, two a byte.";
    U4 "u4" "uint4" [] Bits(4), "Unsigned 4-bit integer, two a byte.";
    F4E2M1 "f4e2m1" "float4e2m1" ["float4e2m1fn"] Bits(4), "4-bit float, two a byte.";
    I2 "i2" "int2" [] Bits(2), "Signed 2-bit integer, four a byte.";
    U2 "u2" "uint2" [] Bits(2), "Unsigned 2-bit integer, four a byte.";
    String "string" "str" [] Cloned, "Text.";
}

impl DType {
    /// Returns whether the type has a zero, which then is the default fill. A zero consists of zero bits, or is the empty string.
    pub const fn has_zero(self) -> bool {
        !matches!(self, DType::F8E8M0)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for text that is not the name of a [`DType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnknownDType;

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown element type; known are ")?;
        for (i, dtype) in DType::ALL.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", dtype.long_name())?;
        }
        Ok(())
    }
}

/// Writes the error message.
impl fmt::Debug for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for UnknownDType {}
