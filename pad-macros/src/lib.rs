//! Generates the kernels of `pad-kernels` from one table.
//!
//! [`pad_kernels!`] is an implementation detail of that crate: what it emits names items of the module it is
//! called in. Tokens are parsed to what was written (`parse`), checked (`check`) into plain data
//! (`model`) and expanded (`expand`).
#![forbid(unsafe_code)]

mod check;
mod expand;
mod model;
mod parse;

#[cfg(test)]
mod output_tests;

use proc_macro2::TokenStream;

/// Generates a loop nest per rank, mode, element width and instruction set, and the registry that lists them.
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
/// - `ranks`: from 1 to at least 1. Ranks 1 and 2 hold their rows inline, higher ones call the plane of rank 2.
/// - `modes`: variants of `PadMode`, and the border types of the same names.
/// - `isas`: variants of `Isa` and the vector types of the same names; the first needs nothing, the others name
///   their architecture and the features that the kernels are compiled with.
/// - `elements`: for each width type its bytes (none for any number) and the element types, variants of `DType`,
///   that have it. Every width also gets a row without a type. Packed and cloned types have kernels for the first
///   instruction set only.
///
/// It emits a module of kernels per (rank, mode, instruction set), `REGISTRY: &[Row]` and
/// `find(rank, mode, unit, dtype, isa) -> Option<usize>`, an index into it.
#[proc_macro]
pub fn pad_kernels(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate(input.into()).into()
}

fn generate(input: TokenStream) -> TokenStream {
    let table = syn::parse2::<parse::Table>(input).and_then(check::check);
    table.map_or_else(syn::Error::into_compile_error, |table| expand::expand(&table))
}
