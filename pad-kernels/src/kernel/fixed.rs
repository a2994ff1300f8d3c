//! Functions for the code that [`fixed_pad!`](crate::fixed_pad) generates. They copy and fill arrays of constant size.
//!
//! The public functions are safe for any arguments, because `const` assertions check the sizes. All functions are inlined, so they are
//! compiled with the instruction set of their caller.

pub(crate) mod adjoint;

use core::mem::MaybeUninit;
use core::{ptr, slice};

use crate::element::Element;
use crate::error::{Operand, PadError};
#[cfg(target_arch = "x86_64")]
use crate::isa::Isa;
use crate::kernel::memory::{CLAIMED, get, put};
use crate::kernel::simd::{LINE, prefetch};

/// The maximum size, in bytes, of an output that does not test for an instruction set. The test costs a call.
///
/// Skylake: outputs of 36 bytes take 5 ns without the test and 8 ns with it. Outputs of 324 bytes take 40 ns without it and 33 ns with it.
const TINY: usize = 128;

/// The maximum size, in bytes, of a single copy. For a longer copy, the compiler would call libc.
///
/// Skylake: 32 rows of 300 bytes take 0.33 us with libc, and 0.18 us as copies of [`CHUNK`] bytes.
const INLINE: usize = 128;

/// The maximum size, in bytes, of an unrolled sequence of copies. A longer copy is a loop with aligned stores.
///
/// Skylake, in the first-level cache: rows of 300 bytes take 6 ns unrolled and 17 ns in the loop. Rows of 600 bytes outside that
/// cache take 30 ns unrolled and 23 ns in the loop.
const UNROLLED: usize = 512;

/// The size of one copy in an unrolled sequence, in bytes. The last copy may overlap the one before.
const CHUNK: usize = 64;
const _: () = assert!(CHUNK <= INLINE);

/// Calls `nest`. If the output has more than 128 bytes and the machine has AVX2, the call runs code that is compiled for AVX2.
///
/// `E` has no bound here, so the compiler reports a type that is no element only once, inside of `nest`.
#[inline(always)]
pub fn run<E, const IN: usize, const OUT: usize>(
    nest: impl Fn(&[E; IN], &mut [E; OUT]),
    src: &[E; IN],
    dst: &mut [E; OUT],
) {
    if const { OUT * size_of::<E>() <= TINY } {
        nest(src, dst);
    } else {
        dispatch(nest, slice::from_ref(src), slice::from_mut(dst));
    }
}

/// Runs the function for one item on every item of a batch.
///
/// # Errors
///
/// [`PadError::BatchLength`] if the input is not a whole number of items, and [`PadError::Length`] if the output has another
/// number of items.
#[inline]
pub fn run_batch<E, const IN: usize, const OUT: usize>(
    nest: impl Fn(&[E; IN], &mut [E; OUT]),
    src: &[E],
    dst: &mut [E],
) -> Result<(), PadError> {
    let length = |operand, len: usize, item: usize, count: Option<usize>| {
        let name = if operand == Operand::Input { "src" } else { "dst" };
        let expected = match (count, len.checked_rem(item)) {
            (Some(count), _) => count.saturating_mul(item),
            (None, None) => 0,
            (None, Some(0)) => len,
            (None, Some(_)) => return Err(PadError::BatchLength { name, item, got: len }),
        };
        if expected == len { Ok(()) } else { Err(PadError::Length { operand, expected, got: len }) }
    };
    length(Operand::Input, src.len(), IN, None)?;
    // If items of the input have no elements, the output determines their number.
    let of_input = src.len().checked_div(IN);
    length(Operand::Output, dst.len(), OUT, of_input)?;
    let count = of_input.or(dst.len().checked_div(OUT)).unwrap_or(0);
    // SAFETY: the slices have `count * IN` and `count * OUT` elements. They are borrowed as long as the results.
    let (src, dst) = unsafe {
        let src = slice::from_raw_parts(src.as_ptr().cast::<[E; IN]>(), count);
        (src, slice::from_raw_parts_mut(dst.as_mut_ptr().cast::<[E; OUT]>(), count))
    };
    dispatch(nest, src, dst);
    Ok(())
}

/// Calls `nest` for each pair of input and output. If the machine has AVX2, the call runs code that is compiled for AVX2.
#[inline(always)]
fn dispatch<E, const IN: usize, const OUT: usize>(
    nest: impl Fn(&[E; IN], &mut [E; OUT]),
    src: &[[E; IN]],
    dst: &mut [[E; OUT]],
) {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn avx2<E, const IN: usize, const OUT: usize>(
            nest: impl Fn(&[E; IN], &mut [E; OUT]),
            src: &[[E; IN]],
            dst: &mut [[E; OUT]],
        ) {
            each(nest, src, dst);
        }
        if Isa::Avx2.available() {
            // SAFETY: the machine has the instruction set.
            return unsafe { avx2(nest, src, dst) };
        }
    }
    each(nest, src, dst);
}

#[inline(always)]
fn each<E, const IN: usize, const OUT: usize>(
    nest: impl Fn(&[E; IN], &mut [E; OUT]),
    src: &[[E; IN]],
    dst: &mut [[E; OUT]],
) {
    for (src, dst) in src.iter().zip(dst) {
        nest(src, dst);
    }
}

/// Returns the value zero of a type. The error for a type without a zero points at the caller.
#[inline(always)]
#[track_caller]
pub const fn zero<E: Element>() -> E {
    assert!(E::HAS_ZERO, "the element type has no zero to fill with: give a fill, `constant(value)`");
    // SAFETY: if `HAS_ZERO`, the contract of `Element` says that zero bits are a value.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Returns an array as `COUNT` rows of `N` elements.
#[inline(always)]
pub const fn rows<E, const N: usize, const COUNT: usize, const LEN: usize>(
    flat: &[E; LEN],
) -> &[[E; N]; COUNT] {
    const { assert!(N * COUNT == LEN) };
    // SAFETY: both arrays have the same number of elements, without bytes between them. The borrow is that of `flat`.
    unsafe { &*ptr::from_ref(flat).cast() }
}

/// Returns an output array as `COUNT` rows of `N` elements.
#[inline(always)]
pub const fn rows_mut<E, const N: usize, const COUNT: usize, const LEN: usize>(
    flat: &mut [E; LEN],
) -> &mut [[E; N]; COUNT] {
    const { assert!(N * COUNT == LEN) };
    // SAFETY: both arrays have the same number of elements, without bytes between them. The borrow is that of `flat`.
    unsafe { &mut *ptr::from_mut(flat).cast() }
}

/// Returns the `N` elements from index `AT`.
#[inline(always)]
pub const fn part<const AT: usize, const N: usize, E, const LEN: usize>(all: &[E; LEN]) -> &[E; N] {
    const { assert!(AT <= LEN && N <= LEN - AT) };
    // SAFETY: the range lies within the array, and the borrow is that of `all`.
    unsafe { &*all.as_ptr().add(AT).cast() }
}

/// Returns the `N` elements of an output from index `AT`.
#[inline(always)]
pub const fn part_mut<const AT: usize, const N: usize, E, const LEN: usize>(
    all: &mut [E; LEN],
) -> &mut [E; N] {
    const { assert!(AT <= LEN && N <= LEN - AT) };
    // SAFETY: the range lies within the array, and the borrow is that of `all`.
    unsafe { &mut *all.as_mut_ptr().add(AT).cast() }
}

/// Sets all elements to `value`.
#[inline(always)]
pub fn fill<E: Element, const N: usize>(dst: &mut [E; N], value: E) {
    // SAFETY: `N` is the length of the array.
    unsafe { fill_at(dst.as_mut_ptr(), N, value) }
}

/// Sets all elements of all rows to `value`.
#[inline(always)]
pub fn fill_rows<E: Element, const N: usize, const COUNT: usize>(dst: &mut [[E; N]; COUNT], value: E) {
    // SAFETY: `N * COUNT` is the length of the array.
    unsafe { fill_at(dst.as_mut_ptr().cast(), N * COUNT, value) }
}

/// Copies the elements.
#[inline(always)]
pub fn copy<E: Element, const N: usize>(src: &[E; N], dst: &mut [E; N]) {
    // SAFETY: both arrays have `N` elements, and one is borrowed exclusively.
    unsafe { copy_bytes(src.as_ptr().cast(), dst.as_mut_ptr().cast(), size_of::<[E; N]>()) }
}

/// Copies the elements in reverse order.
#[inline(always)]
pub fn reverse<E: Element, const N: usize>(src: &[E; N], dst: &mut [E; N]) {
    // SAFETY: both arrays have `N` elements, and one is borrowed exclusively.
    unsafe { reverse_at(src.as_ptr(), dst.as_mut_ptr(), N) }
}

/// Copies the elements to output positions that are `STEP` apart, and sets the positions between two elements to `value`. With
/// `BACK`, the elements are in reverse order.
#[inline(always)]
pub fn spread<const STEP: usize, const BACK: bool, E: Element, const N: usize, const LEN: usize>(
    src: &[E; N],
    dst: &mut [E; LEN],
    value: E,
) {
    const { assert!(N > 0 && (N - 1) * STEP + 1 == LEN) };
    let element = |i: usize| src[if BACK { N - 1 - i } else { i }];
    for i in 0..N - 1 {
        dst[STEP * i] = element(i);
        for gap in 1..STEP {
            dst[STEP * i + gap] = value;
        }
    }
    dst[LEN - 1] = element(N - 1);
}

/// Writes rows. Each row has `HEAD` elements of fill, then `BODY` elements of the source's row from index `FROM` (the body), and
/// then fill to its end.
///
/// The fill at the end of a row and at the start of the next row is contiguous. The function writes both together, as the gap between two
/// bodies.
#[inline(always)]
pub fn cells<
    const HEAD: usize,
    const FROM: usize,
    const BODY: usize,
    E: Element,
    const SRC: usize,
    const DST: usize,
    const COUNT: usize,
>(
    src: &[[E; SRC]; COUNT],
    dst: &mut [[E; DST]; COUNT],
    value: E,
) {
    const { assert!(COUNT > 0 && FROM + BODY <= SRC && HEAD + BODY <= DST) };
    // If a body ends within a register, the rest of this register is fill. The register may write into the next row, which is
    // written later. It may also read bytes of the next row of the source, because the mask removes them.
    let split = const { Split::of::<E>(SRC, DST, BODY) };
    // SAFETY: the assertion checks the sizes. Every row except the last has a row after it, in both arrays.
    unsafe {
        let mut from = src.as_ptr().cast::<E>().add(FROM);
        let mut at = dst.as_mut_ptr().cast::<E>();
        fill_at(at, HEAD, value);
        at = at.add(HEAD);
        let pattern = split.pattern(value);
        for _ in 1..COUNT {
            let (src, dst) = (from.cast::<u8>(), at.cast::<u8>());
            copy_bytes(src, dst, split.whole);
            for (i, (mask, fill)) in split.mask.iter().zip(pattern).enumerate() {
                if i * WORD < split.register {
                    let place = split.whole + i * WORD;
                    put(dst.add(place), get::<u64>(src.add(place)) & mask | fill);
                }
            }
            fill_at(at.add(split.filled), DST - split.filled, value);
            from = from.add(SRC);
            at = at.add(DST);
        }
        copy_bytes(from.cast(), at.cast(), BODY * size_of::<E>());
        fill_at(at.add(BODY), DST - HEAD - BODY, value);
    }
}

const WORD: usize = size_of::<u64>();

/// Divides the body of a row and the fill after it into three parts: bytes of the body only, one register with bytes of both, and
/// fill only.
struct Split {
    whole: usize,
    /// The size of this register in bytes, or 0 if there is none.
    register: usize,
    /// The bits of the register that belong to the body.
    mask: [u64; 4],
    /// The number of elements up to the end of the register.
    filled: usize,
}

impl Split {
    /// Divides a row with `body` elements. `src` and `dst` are the row lengths.
    const fn of<E>(src: usize, dst: usize, body: usize) -> Split {
        let size = size_of::<E>();
        let bytes = body * size;
        let mut register = 32;
        while register >= WORD {
            let rest = bytes % register;
            // The register must end within the next row.
            let room = register - rest <= src * size && register - rest <= dst * size - bytes;
            if bytes <= INLINE && rest > 0 && room && register % size == 0 {
                let mut mask = [0; 4];
                let (mut i, mut word) = (0, [0; WORD]);
                while i < rest {
                    word[i % WORD] = 0xff;
                    mask[i / WORD] = u64::from_ne_bytes(word);
                    i += 1;
                    if i % WORD == 0 {
                        word = [0; WORD];
                    }
                }
                let filled = (bytes - rest + register) / size;
                return Split { whole: bytes - rest, register, mask, filled };
            }
            register /= 2;
        }
        Split { whole: bytes, register: 0, mask: [0; 4], filled: body }
    }

    /// Returns the register with the bits of the fill. The bits of the body are zero.
    #[inline(always)]
    fn pattern<E: Element>(&self, value: E) -> [u64; 4] {
        let mut pattern = [0u64; 4];
        if self.register > 0 {
            let count = size_of_val(&pattern) / size_of::<E>();
            // SAFETY: `count` elements fit the array, and an integer may have any bits.
            unsafe { fill_at((&raw mut pattern).cast::<E>(), count, value) };
        }
        for (fill, mask) in pattern.iter_mut().zip(self.mask) {
            *fill &= !mask;
        }
        pattern
    }
}

/// Copies `COUNT` elements of the output from index `FROM` to index `AT`. If the ranges overlap, the copy repeats the elements between
/// `FROM` and `AT`.
#[inline(always)]
pub fn again<const FROM: usize, const AT: usize, const COUNT: usize, E: Element, const LEN: usize>(
    all: &mut [E; LEN],
) {
    const { assert!(AT <= LEN && COUNT <= LEN - AT && FROM <= LEN && COUNT <= LEN - FROM) };
    const { assert!(FROM < AT || FROM >= AT + COUNT) };
    let start = all.as_mut_ptr();
    // SAFETY: both ranges lie within the array. If they overlap, each copy reads only elements before its destination. They are
    // already written, a whole number of periods earlier.
    unsafe {
        if const { AT + COUNT <= FROM || FROM + COUNT <= AT } {
            copy_bytes(start.add(FROM).cast(), start.add(AT).cast(), COUNT * size_of::<E>());
            return;
        }
        let mut done = 0;
        while done < COUNT {
            let more = (AT + done - FROM).min(COUNT - done);
            ptr::copy_nonoverlapping(start.add(FROM), start.add(AT + done), more);
            done += more;
        }
    }
}

/// Copies `COUNT` elements of the output to index `AT`, in reverse order. The first one is at index `FROM`, and the others are before it.
#[inline(always)]
pub fn again_reverse<const FROM: usize, const AT: usize, const COUNT: usize, E: Element, const LEN: usize>(
    all: &mut [E; LEN],
) {
    const { assert!(AT <= LEN && COUNT <= LEN - AT && FROM < LEN && COUNT <= FROM + 1) };
    const { assert!(FROM < AT || FROM + 1 - COUNT >= AT + COUNT) };
    let start = all.as_mut_ptr();
    // SAFETY: both ranges lie within the array and do not overlap.
    unsafe { reverse_at(start.add(FROM + 1 - COUNT), start.add(AT), COUNT) }
}

/// Copies the element at index `FROM` to `COUNT` positions from index `AT`.
#[inline(always)]
pub fn again_held<const FROM: usize, const AT: usize, const COUNT: usize, E: Element, const LEN: usize>(
    all: &mut [E; LEN],
) {
    const { assert!(AT <= LEN && COUNT <= LEN - AT && FROM < LEN) };
    const { assert!(FROM < AT || FROM >= AT + COUNT) };
    let start = all.as_mut_ptr();
    // SAFETY: the element and the range lie within the array, and the element is outside the range.
    unsafe {
        if const { is_word(size_of::<E>()) } {
            fill_at(start.add(AT), COUNT, start.add(FROM).read());
        } else {
            for i in 0..COUNT {
                copy_bytes(start.add(FROM).cast(), start.add(AT + i).cast(), size_of::<E>());
            }
        }
    }
}

/// Tells whether there is an integer type of this size. The compiler moves such integers in whole registers.
const fn is_word(bytes: usize) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8)
}

/// Calls `$function::<word>` with the integer type that has the size of `$element`. If there is none, the macro evaluates `$other`.
macro_rules! by_word {
    ($element:ty, $function:ident($($argument:expr),*), $other:block) => {
        match const { size_of::<$element>() } {
            1 => $function::<u8>($($argument),*),
            2 => $function::<u16>($($argument),*),
            4 => $function::<u32>($($argument),*),
            8 => $function::<u64>($($argument),*),
            _ => $other,
        }
    };
}

/// Writes `value` to `count` elements.
///
/// # Safety
///
/// - `count` elements at `dst`, of any alignment, are writable.
#[inline(always)]
unsafe fn fill_at<E: Element>(dst: *mut E, count: usize, value: E) {
    #[inline(always)]
    unsafe fn words<W: Copy>(dst: *mut u8, count: usize, value: *const u8) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let word = get::<W>(value);
            for i in 0..count {
                put(dst.add(i * size_of::<W>()), word);
            }
        }
    }
    // SAFETY: the caller keeps the contract. The element has the size of the word, and all of its bytes are initialised.
    unsafe {
        by_word!(E, words(dst.cast(), count, (&raw const value).cast()), {
            for i in 0..count {
                // `dst` may be unaligned, because it may point into the array of words of a register.
                dst.add(i).write_unaligned(value);
            }
        })
    }
}

/// Copies `count` elements in reverse order.
///
/// # Safety
///
/// - `count` elements at `src` are readable, and `count` elements at `dst` are writable. They do not overlap.
#[inline(always)]
unsafe fn reverse_at<E: Element>(src: *const E, dst: *mut E, count: usize) {
    #[inline(always)]
    unsafe fn words<W: Copy>(src: *const u8, dst: *mut u8, count: usize) {
        for i in 0..count {
            // SAFETY: the caller keeps the contract.
            unsafe {
                put(dst.add(i * size_of::<W>()), get::<W>(src.add((count - 1 - i) * size_of::<W>())));
            }
        }
    }
    // SAFETY: the caller keeps the contract. The element has the size of the word, and all of its bytes are initialised.
    unsafe {
        by_word!(E, words(src.cast(), dst.cast(), count), {
            for i in 0..count {
                copy_bytes(src.add(count - 1 - i).cast(), dst.add(i).cast(), size_of::<E>());
            }
        })
    }
}

/// Copies `bytes` bytes. The function is inlined, so the compiler knows this number.
///
/// # Safety
///
/// - `bytes` bytes at `src` are readable, and `bytes` bytes at `dst` are writable. They do not overlap.
#[inline(always)]
unsafe fn copy_bytes(src: *const u8, dst: *mut u8, bytes: usize) {
    /// Copies chunk `number`, if it lies wholly within `bytes`.
    #[inline(always)]
    unsafe fn chunk(src: *const u8, dst: *mut u8, number: usize, bytes: usize) {
        let at = number * CHUNK;
        if at + CHUNK <= bytes {
            // SAFETY: the caller keeps the contract.
            unsafe { ptr::copy_nonoverlapping(src.add(at), dst.add(at), CHUNK) }
        }
    }
    // SAFETY: the caller keeps the contract. The last chunk ends with the last byte.
    unsafe {
        if bytes <= INLINE {
            ptr::copy_nonoverlapping(src, dst, bytes);
        } else if bytes <= UNROLLED {
            for line in (0..bytes).step_by(LINE) {
                prefetch(dst.wrapping_add(line + CLAIMED));
            }
            seq_macro::seq!(I in 0..8 {
                chunk(src, dst, I, bytes);
            });
            ptr::copy_nonoverlapping(src.add(bytes - CHUNK), dst.add(bytes - CHUNK), CHUNK);
        } else {
            // Plans at run time copy rows in the same way. The last store ends with the last byte.
            type Register = [u8; 32];
            let register = size_of::<Register>();
            put(dst, get::<Register>(src));
            let mut at = register - dst.addr() % register;
            while at + register <= bytes {
                prefetch(dst.wrapping_add(at + CLAIMED));
                put(dst.add(at), get::<Register>(src.add(at)));
                at += register;
            }
            put(dst.add(bytes - register), get::<Register>(src.add(bytes - register)));
        }
    }
}
