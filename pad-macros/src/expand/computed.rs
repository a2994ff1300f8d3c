//! Generates the kernels that compute borders, and their registry.
//!
//! There is one function for each computation, element type and instruction set, such as `mean_f32_avx2`. If two computations have the same
//! code, they share one function.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{features, lower, only_on};
use crate::model::{Computation, Computed, Isa, Number};

/// Generates all kernels and the registry.
pub(crate) fn expand_computed(table: &Computed) -> TokenStream {
    let (mut kernels, mut rows) = (TokenStream::new(), TokenStream::new());
    for (index, isa) in table.isas.iter().enumerate() {
        for computation in &table.computations {
            for number in &table.elements {
                if index < sets(&computation.kind).min(sets(&number.kind)) {
                    let first = first_of(table, computation);
                    if first.name == computation.name {
                        kernels.extend(kernel(isa, first, number));
                    }
                    rows.extend(row(isa, (computation, first), number));
                }
            }
        }
    }
    quote! {
        #kernels

        /// All kernels that compute, sorted by instruction set, computation and element.
        pub(super) static REGISTRY: &[ComputedKernel] = &[#rows];
    }
}

/// Returns the number of instruction sets that a kind is compiled for.
fn sets(kind: &Ident) -> usize {
    match kind.to_string().as_str() {
        "scalar" => 1,
        "vector" => 2,
        _ => usize::MAX,
    }
}

/// Returns the first computation with the same code.
fn first_of<'a>(table: &'a Computed, computation: &'a Computation) -> &'a Computation {
    let function = |of: &Computation| (of.function.to_token_stream().to_string(), of.kind.to_string());
    let is_same = |other: &&Computation| function(other) == function(computation);
    table.computations.iter().find(is_same).unwrap_or(computation)
}

/// Names a kernel, such as `mean_f32_avx2`.
fn name_of(isa: &Isa, computation: &Computation, number: &Number) -> Ident {
    let computation = snake(&computation.name.to_string());
    format_ident!("{computation}_{}_{}", lower(&number.dtype), lower(&isa.name))
}

/// Generates a kernel that is compiled for the instruction set.
fn kernel(isa: &Isa, computation: &Computation, number: &Number) -> TokenStream {
    let (cfg, features, kernel) = (only_on(isa), features(isa), name_of(isa, computation, number));
    let (function, element) = (&computation.function, &number.element);
    quote! {
        #cfg
        #features
        unsafe fn #kernel(job: &mut Job<'_>) {
            type T = #element;
            // SAFETY: the caller keeps the contract.
            unsafe { #function(job) }
        }
    }
}

/// Generates the registry entry of a computation. The entry contains the kernel of `first`, a computation with the same code.
fn row(isa: &Isa, (computation, first): (&Computation, &Computation), number: &Number) -> TokenStream {
    let (cfg, name) = (only_on(isa), name_of(isa, computation, number).to_string());
    let (computation, dtype, kernel) = (&computation.name, &number.dtype, name_of(isa, first, number));
    let isa = &isa.name;
    quote! {
        #cfg
        ComputedKernel {
            name: #name,
            computation: Computation::#computation,
            dtype: DType::#dtype,
            isa: Isa::#isa,
            entry: #kernel,
        },
    }
}

/// Converts `LinearRamp` to `linear_ramp`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
