//! Element types, with their names and sizes.

use serde::{Deserialize, Serialize};

macro_rules! types {
    ($($Type:ident $bits:literal $($name:literal)+;)+) => {
        /// An element type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Type {
            $($(#[serde(alias = $name)])+ $Type,)+
        }

        /// The names of every type, the long one first, and the bits of an element.
        const TYPES: [(Type, &[&str], u32); 26] = [$((Type::$Type, &[$($name),+], $bits)),+];
    };
}
types! {
    Float64 64 "float64" "f64" "double";
    Float32 32 "float32" "f32" "float";
    Float16 16 "float16" "f16" "half";
    Bfloat16 16 "bfloat16" "bf16";
    Int8 8 "int8" "i8";
    Int16 16 "int16" "i16";
    Int32 32 "int32" "i32";
    Int64 64 "int64" "i64";
    Uint8 8 "uint8" "u8";
    Uint16 16 "uint16" "u16";
    Uint32 32 "uint32" "u32";
    Uint64 64 "uint64" "u64";
    Bool 8 "bool" "boolean";
    Complex64 64 "complex64" "c64";
    Complex128 128 "complex128" "c128";
    Float8e4m3fn 8 "float8e4m3fn" "f8e4m3fn";
    Float8e4m3fnuz 8 "float8e4m3fnuz" "f8e4m3fnuz";
    Float8e5m2 8 "float8e5m2" "f8e5m2";
    Float8e5m2fnuz 8 "float8e5m2fnuz" "f8e5m2fnuz";
    Float8e8m0 8 "float8e8m0" "f8e8m0" "float8e8m0fnu";
    Int4 4 "int4" "i4";
    Uint4 4 "uint4" "u4";
    Float4e2m1 4 "float4e2m1" "f4e2m1" "float4e2m1fn";
    Int2 2 "int2" "i2";
    Uint2 2 "uint2" "u2";
    String 0 "string" "str";
}

impl Type {
    pub fn all() -> impl Iterator<Item = Type> {
        TYPES.into_iter().map(|row| row.0)
    }

    pub fn name(self) -> &'static str {
        TYPES.into_iter().find(|row| row.0 == self).expect("every type has a row").1[0]
    }

    /// Returns the bits of an element: 2 or 4 for packed types, and 0 for text.
    pub fn bits(self) -> u32 {
        TYPES.into_iter().find(|row| row.0 == self).expect("every type has a row").2
    }

    /// Returns the minimum and the maximum of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        use Type::*;
        match self {
            Int2 | Int4 | Int8 | Int16 | Int32 | Int64 => {
                Some((-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1))
            }
            Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64 => Some((0, (1 << self.bits()) - 1)),
            _ => None,
        }
    }

    /// Returns the type of the real and the imaginary part of a complex type, or the type itself.
    pub fn part(self) -> Type {
        match self {
            Type::Complex64 => Type::Float32,
            Type::Complex128 => Type::Float64,
            other => other,
        }
    }

    /// Tells whether the type has a zero. The zero of text is the empty string.
    pub fn has_zero(self) -> bool {
        self != Type::Float8e8m0
    }
}
