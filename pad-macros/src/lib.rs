//! Generates the kernels of `pad-kernels` from tables.
//!
//! [`pad_kernels!`] and [`sum_kernels!`] are implementation details of that crate: what they emit names items of the module
//! they are called in. [`fixed_pad!`] makes functions for shapes that are known when compiling; it is called by a macro of the
//! same name in `pad-kernels`, where it is documented. Of both, tokens are parsed to what was written (`parse`),
//! checked (`check`) into plain data (`model`) and expanded (`expand`).
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

/// Generates a loop nest per rank and instruction set, its kernel of every element width, and the registry that lists these for every mode.
///
/// ```text
/// pad_kernels! {
///     ranks: 1..=6;
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
/// - `ranks`: from 1 to at least 1.
/// - `modes`: variants of `PadMode`, and the types of the same names that implement `Mode`.
/// - `isas`: variants of `Isa` and the types of the same names that implement `Simd`. The first needs nothing. Others name their
///   architecture and features: `on .. with ..` compiles the kernels with them, `on .. built with ..` only where the build has
///   them. `A as B` moves what is not permuted by the shells of `B`, which stands before it and has the same registers.
/// - `elements`: for each width type its bytes (none for any number) and the element types, variants of `DType`,
///   that have it. Every width also gets a row without a type. Packed and cloned types have kernels for the first
///   instruction set only.
///
/// It emits a module of kernels per (rank, instruction set), a module of shells per instruction set, `REGISTRY: &[PadKernel]`,
/// `find(rank, mode, unit, dtype, isa) -> Option<usize>`, an index into it, and `lanes(isa, unit) -> Lanes`.
#[proc_macro]
pub fn pad_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into()).into()
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
/// - `isas`: as for [`pad_kernels!`].
/// - `computations`: variants of `Computation`, and the functions that they are, in which `T` stands for the element.
///   Those of one function share its kernels.
/// - `elements`: types, and the variants of `DType` that they are tagged with.
///
/// The first instruction set has a kernel for each computation and element. The second one has kernels where none of both is
/// `scalar`, and the others where both are `wide`. It emits the functions and `REGISTRY: &[ComputedKernel]`.
#[proc_macro]
pub fn computed_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate_computed(input.into()).into()
}

/// Generates a kernel per type of numbers and instruction set that sums what an adjoint sums, and the registry that lists
/// them.
///
/// ```text
/// sum_kernels! {
///     isas: [Portable, Avx2 on "x86_64" with "avx2,bmi1,bmi2"];
///     sums: [F32: [F32, C64], BF16: [BF16]];
/// }
/// ```
///
/// - `isas`: as for [`pad_kernels!`]; `Avx512 as Avx2` has the plain loops of that set.
/// - `sums`: types that implement `Number`, and the element types, variants of `DType`, that consist of such numbers.
///
/// It emits a module of shells per instruction set, and `SUMS: &[AdjointKernel]` with a row per instruction set and element type.
#[proc_macro]
pub fn sum_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate_sums(input.into()).into()
}

/// Functions that pad tensors of one shape.
///
/// Not to be called by itself: `pad_kernels::fixed_pad!` puts the path of its own crate, in brackets, before the
/// functions.
#[proc_macro]
pub fn fixed_pad(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate_fixed(input.into()).into()
}

/// Inserts the items of `form.rs`. The compiler and the library then plan with equal code.
#[doc(hidden)]
#[proc_macro]
pub fn axis_arithmetic(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    include_str!("form.rs").parse().expect("it is compiled as part of this crate, too")
}

fn generate_fixed(input: TokenStream) -> TokenStream {
    let functions = syn::parse2::<parse::Functions>(input).and_then(check::check_functions);
    functions.map_or_else(syn::Error::into_compile_error, |functions| expand::expand_fixed(&functions))
}

fn generate_computed(input: TokenStream) -> TokenStream {
    let table = syn::parse2::<parse::Computed>(input).and_then(check::check_computed);
    table.map_or_else(syn::Error::into_compile_error, |table| expand::expand_computed(&table))
}

fn generate_sums(input: TokenStream) -> TokenStream {
    let table = syn::parse2::<parse::Sums>(input).and_then(check::check_sums);
    table.map_or_else(syn::Error::into_compile_error, |table| expand::expand_sums(&table))
}

fn generate(input: TokenStream) -> TokenStream {
    let table = syn::parse2::<parse::Table>(input).and_then(check::check);
    table.map_or_else(syn::Error::into_compile_error, |table| expand::expand(&table))
}
