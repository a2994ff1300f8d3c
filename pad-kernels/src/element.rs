//! The element types: types whose values may be copied as bytes.

use core::any::TypeId;

use crate::dtype::{DType, ElementSize};

/// Marks types whose values may be copied as bytes.
///
/// The library implements the trait for the numbers of Rust, for `bool` and for `char`. Arrays of elements implement it, too, such as
/// `[u8; 3]` for an RGB pixel. Cargo features add the types of `half` and `num-complex`. You can implement the trait for a type of your
/// own:
///
/// ```
/// use pad_kernels::{DType, Element};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Rgb { r: u8, g: u8, b: u8 }
///
/// // SAFETY: an Rgb has three bytes, no padding and no pointer. A copy of its bytes is an Rgb.
/// unsafe impl Element for Rgb {
///     const DTYPE: Option<DType> = None;
/// }
/// ```
///
/// # Safety
///
/// - A value has no padding bytes, so all its `size_of::<Self>()` bytes are initialised.
/// - A value contains no pointers or references, so its bytes may be copied through untyped memory.
/// - If [`DTYPE`](Element::DTYPE) names a type, an element of that type has `size_of::<Self>()` bytes, and both types have the
///   same valid bit patterns.
/// - If [`HAS_ZERO`](Element::HAS_ZERO) is true, a value whose bits are all zero is valid.
pub unsafe trait Element: Copy + 'static {
    /// The [`DType`] of the type, or `None` if it has none. In both cases, the type can be padded.
    const DTYPE: Option<DType>;

    /// True if the default fill consists of zero bits. Otherwise, a request must give a fill.
    const HAS_ZERO: bool = match Self::DTYPE {
        Some(dtype) => dtype.has_zero(),
        None => false,
    };
}

/// Identifies an element type: by its `DType`, or by the Rust type if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tag {
    DType(DType),
    Type(TypeId),
    /// An element whose type is unknown and whose size is known.
    Bytes,
    /// A value of any type, which is cloned.
    Cloned,
}

impl Tag {
    pub(crate) fn of<T: Element>() -> Tag {
        T::DTYPE.map_or_else(|| Tag::Type(TypeId::of::<T>()), Tag::DType)
    }

    pub(crate) fn dtype(self) -> Option<DType> {
        match self {
            Tag::DType(dtype) => Some(dtype),
            Tag::Type(_) | Tag::Bytes | Tag::Cloned => None,
        }
    }
}

/// Describes the elements of a call.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) tag: Tag,
    /// False if an output that needs a fill is an error without one.
    pub(crate) has_zero: bool,
    pub(crate) layout: ElementSize,
}

impl Elements {
    /// Values of any type, which a run clones.
    pub(crate) const CLONED: Elements =
        Elements { tag: Tag::Cloned, has_zero: true, layout: ElementSize::Cloned };

    pub(crate) fn of<T: Element>() -> Elements {
        Elements { tag: Tag::of::<T>(), has_zero: T::HAS_ZERO, layout: ElementSize::Bytes(size_of::<T>()) }
    }

    pub(crate) fn of_dtype(dtype: DType) -> Elements {
        Elements { tag: Tag::DType(dtype), has_zero: dtype.has_zero(), layout: dtype.element_size() }
    }

    /// Elements of known size and unknown type. Their zero is unknown, too.
    pub(crate) fn of_bytes(bytes: usize) -> Elements {
        Elements { tag: Tag::Bytes, has_zero: false, layout: ElementSize::Bytes(bytes) }
    }
}

/// Returns the bytes of an element.
pub(crate) fn bytes_of<T: Element>(value: &T) -> &[u8] {
    // SAFETY:
    // - The bytes belong to `value`, which stays borrowed as long as the slice.
    // - The contract of `Element` says that all of them are initialised.
    unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast(), size_of::<T>()) }
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: the type is a primitive without padding bytes or pointers. Its size is that of its `DType`.
        unsafe impl Element for $type {
            const DTYPE: Option<DType> = Some(DType::$dtype);
        }
    )*};
}
elements! {
    f64 => F64, f32 => F32, bool => Bool,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
}

macro_rules! untagged {
    ($($type:ty),*) => {$(
        // SAFETY: the type is a primitive without padding bytes or pointers, and zero bits are a valid value. The type has no
        // `DType`.
        unsafe impl Element for $type {
            const DTYPE: Option<DType> = None;
            const HAS_ZERO: bool = true;
        }
    )*};
}
untagged!(i128, u128, isize, usize, char);

// SAFETY: an array consists of its elements, which have no padding bytes and no pointers, and adds no padding between them. If
// zero bits are a valid element, they are a valid array. An array has no `DType`.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const DTYPE: Option<DType> = None;
    const HAS_ZERO: bool = T::HAS_ZERO;
}

#[cfg(feature = "half")]
elements! { half::f16 => F16, half::bf16 => BF16 }

#[cfg(feature = "num-complex")]
elements! { num_complex::Complex<f32> => C64, num_complex::Complex<f64> => C128 }

#[cfg(feature = "bytemuck")]
pub use plain::Plain;

#[cfg(feature = "bytemuck")]
mod plain {
    use bytemuck::{NoUninit, TransparentWrapper};

    use super::Element;
    use crate::dtype::DType;

    /// An element of any type that implements [`bytemuck::NoUninit`].
    ///
    /// The methods of [`bytemuck::TransparentWrapper`] wrap and unwrap slices without a copy. If the output contains fill, the
    /// request must give the fill, because the type may have no zero.
    ///
    /// ```
    /// use bytemuck::{NoUninit, TransparentWrapper};
    /// use pad_kernels::{PadMode, PadSpec, Plain, pad};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, NoUninit)]
    /// #[repr(C)]
    /// struct Rgb { r: u8, g: u8, b: u8 }
    ///
    /// let row = [Rgb { r: 1, g: 2, b: 3 }, Rgb { r: 4, g: 5, b: 6 }];
    /// let padded = pad(Plain::wrap_slice(&row), &[2], &PadSpec::new(PadMode::Symmetric, [(0, 1)]))?;
    /// assert_eq!(Plain::peel_slice(&padded), [row[0], row[1], row[1]]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct Plain<T>(pub T);

    // SAFETY: the type is `repr(transparent)`.
    unsafe impl<T> TransparentWrapper<T> for Plain<T> {}

    // SAFETY: the type has the layout of `T`. `NoUninit` guarantees that `T` has no uninitialised bytes and no references. The type has no
    // `DType` and no zero.
    unsafe impl<T: NoUninit> Element for Plain<T> {
        const DTYPE: Option<DType> = None;
    }
}
