//! Generates the kernels of `pad-kernels` from tables.
//!
//! [`pad_kernels!`], [`computed_kernels!`] and [`sum_kernels!`] are implementation details of that crate, because the code that they
//! generate uses items of the calling module. [`fixed_pad!`] generates functions for shapes that are known at compile time. A macro of the
//! same name in `pad-kernels` calls it, and has the documentation for users.
//!
//! Each macro works in three steps. `parse` reads the tokens, `check` converts them into plain data (`model`), and `expand` generates code.
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "what repeats is expanded in `pad-kernels` alone")]
mod form {
    use crate::model::{Frame, PadMode};

    type List<T, const MOST: usize> = Vec<T>;

    include!("form.rs");
}
mod check;
mod expand;
mod fold;
mod layout;
mod model;
mod parse;

#[cfg(test)]
mod output_tests;

use proc_macro2::TokenStream;
use syn::parse::Parse;

/// Generates the kernels that copy. There is a loop nest per rank and instruction set, with a kernel for each element width. A registry
/// lists the kernels for every mode.
///
/// ```text
/// pad_kernels! {
///     ranks: 6;
///     modes: [Constant, Edge, Reflect, Symmetric, Wrap];
///     isas: [Portable, Avx2 on "x86_64" with "avx2,bmi1,bmi2"];
///     elements: [
///         bytes W4 = 4: [F32, I32, U32],
///         bytes Any: [],
///         packed: [I4, U4],
///         cloned: [String],
///     ];
/// }
/// ```
///
/// - `ranks` is the largest rank. The smallest one is 1.
/// - `modes` lists variants of `PadMode`.
/// - `isas` lists variants of `Isa`. A type with the same name implements `Simd`. The first set has no requirements. Each other set names
///   its architecture and features. With `on .. with ..`, the kernels are compiled with these features. With `on .. built with ..`, they
///   exist only if the whole build has these features. With `A as B`, set `A` uses the shells of `B` for all work without permutations. `B`
///   must come before `A` and have the same registers.
/// - `elements` lists width types. Each has its size in bytes, or no size if any size is valid. The element types of this size follow. They
///   are variants of `DType`. Every width also has an entry without a type. Packed and cloned types have kernels only for the first
///   instruction set.
///
/// The macro emits a module of kernels per rank and instruction set, and a module of shells per instruction set. It also emits
/// `REGISTRY: &[PadKernel]`, `find(rank, mode, unit, dtype, isa) -> Option<usize>`, which returns an index into `REGISTRY`, and
/// `lanes(isa, unit) -> Lanes`. The functions `all(isa)` and `registers(isa)` each return a shell.
#[proc_macro]
pub fn pad_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into(), check::check, expand::expand).into()
}

/// Generates the kernels that compute: one per computation, element type and instruction set, and the registry that lists them.
///
/// ```text
/// computed_kernels! {
///     isas: [Portable, Avx2 on "x86_64" with "avx2"];
///     computations: [vector Mean = fold::run::<T, Mean>, scalar Median = median::run::<T>];
///     elements: [vector f32: F32, scalar Complex<f32>: C64];
/// }
/// ```
///
/// - `isas` is described at [`pad_kernels!`]. It has no `as`.
/// - `computations` lists variants of `Computation`, each with its function. In the path of the function, `T` stands for the element type.
///   Computations with the same function share its kernels.
/// - `elements` lists types, each with its variant of `DType`.
///
/// The first instruction set has a kernel for each computation and element. The second set has one if neither the computation nor
/// the element is `scalar`. The other sets have one if both are `wide`. The macro emits these functions and
/// `REGISTRY: &[ComputedKernel]`.
#[proc_macro]
pub fn computed_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into(), check::check_computed, expand::expand_computed).into()
}

/// Generates the kernels that sum gradients: one per number type and instruction set, and the registry that lists them.
///
/// ```text
/// sum_kernels! {
///     isas: [Portable, Avx2 on "x86_64" with "avx2,bmi1,bmi2"];
///     sums: [F32: [F32, C64], BF16: [BF16]];
/// }
/// ```
///
/// - `isas` is described at [`pad_kernels!`]. With `Avx512 as Avx2`, the first set uses the plain loops of the second.
///   With `for [U8]` at its end, the set has kernels only for these number types.
/// - `sums` lists types that implement `Number`. The element types that consist of such numbers follow. They are variants of `DType`.
///
/// The macro emits a module of shells per instruction set, and `SUMS: &[AdjointKernel]` with an entry per instruction set and element type.
#[proc_macro]
pub fn sum_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into(), check::check_sums, expand::expand_sums).into()
}

/// Generates functions that pad tensors of one shape.
///
/// Do not call this macro directly. The macro `pad_kernels::fixed_pad!` calls it, and puts the path of its own crate, in brackets, before
/// the functions.
#[proc_macro]
pub fn fixed_pad(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into(), check::check_functions, expand::expand_fixed).into()
}

/// Inserts the items of `form.rs`, so that the compiler and the library plan with the same code.
#[doc(hidden)]
#[proc_macro]
pub fn axis_arithmetic(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    include_str!("form.rs").parse().expect("it is compiled as part of this crate, too")
}

/// Parses, checks and expands the input of a macro, or returns the errors as code.
fn generate<T: Parse, C>(
    input: TokenStream,
    check: fn(T) -> syn::Result<C>,
    expand: fn(&C) -> TokenStream,
) -> TokenStream {
    let checked = syn::parse2(input).and_then(check);
    checked.map_or_else(syn::Error::into_compile_error, |checked| expand(&checked))
}
