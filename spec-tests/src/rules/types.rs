//! Element types, with their names and sizes.

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Type {
    Float64,
    Float32,
    Float16,
    Bfloat16,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Bool,
    Complex64,
    Complex128,
    Float8e4m3fn,
    Float8e4m3fnuz,
    Float8e5m2,
    Float8e5m2fnuz,
    Float8e8m0,
    Int4,
    Uint4,
    Float4e2m1,
    Int2,
    Uint2,
    String,
}

use Type::*;

/// The names of every type, the long one first, and the bits of an element.
const TYPES: [(Type, &[&str], u32); 26] = [
    (Float64, &["float64", "f64", "double"], 64),
    (Float32, &["float32", "f32", "float"], 32),
    (Float16, &["float16", "f16", "half"], 16),
    (Bfloat16, &["bfloat16", "bf16"], 16),
    (Int8, &["int8", "i8"], 8),
    (Int16, &["int16", "i16"], 16),
    (Int32, &["int32", "i32"], 32),
    (Int64, &["int64", "i64"], 64),
    (Uint8, &["uint8", "u8"], 8),
    (Uint16, &["uint16", "u16"], 16),
    (Uint32, &["uint32", "u32"], 32),
    (Uint64, &["uint64", "u64"], 64),
    (Bool, &["bool", "boolean"], 8),
    (Complex64, &["complex64", "c64"], 64),
    (Complex128, &["complex128", "c128"], 128),
    (Float8e4m3fn, &["float8e4m3fn", "f8e4m3fn"], 8),
    (Float8e4m3fnuz, &["float8e4m3fnuz", "f8e4m3fnuz"], 8),
    (Float8e5m2, &["float8e5m2", "f8e5m2"], 8),
    (Float8e5m2fnuz, &["float8e5m2fnuz", "f8e5m2fnuz"], 8),
    (Float8e8m0, &["float8e8m0", "f8e8m0", "float8e8m0fnu"], 8),
    (Int4, &["int4", "i4"], 4),
    (Uint4, &["uint4", "u4"], 4),
    (Float4e2m1, &["float4e2m1", "f4e2m1", "float4e2m1fn"], 4),
    (Int2, &["int2", "i2"], 2),
    (Uint2, &["uint2", "u2"], 2),
    (String, &["string", "str"], 0),
];

impl Type {
    /// Returns every type.
    pub fn all() -> impl Iterator<Item = Type> {
        TYPES.into_iter().map(|row| row.0)
    }

    /// Returns the type of this name.
    pub fn from_name(name: &str) -> Option<Type> {
        TYPES.into_iter().find(|row| row.1.contains(&name)).map(|row| row.0)
    }

    /// Returns the long name.
    pub fn name(self) -> &'static str {
        TYPES.into_iter().find(|row| row.0 == self).expect("every type has a row").1[0]
    }

    /// Returns the bits of an element: 2 or 4 for packed types, and 0 for text.
    pub fn bits(self) -> u32 {
        TYPES.into_iter().find(|row| row.0 == self).expect("every type has a row").2
    }

    /// Tells whether several elements share a byte.
    pub fn is_packed(self) -> bool {
        matches!(self.bits(), 2 | 4)
    }

    /// Tells whether the type has a zero. The zero of text is the empty string.
    pub fn has_zero(self) -> bool {
        self != Float8e8m0
    }
}
