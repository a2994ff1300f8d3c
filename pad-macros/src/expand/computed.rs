//! Kernels that compute: a function a computation, element and instruction set, and the registry.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{features, lower, only_on};
use crate::model::{Computation, Computed, Isa, Number};

/// All kernels, and the registry.
pub(crate) fn expand_computed(table: &Computed) -> TokenStream {
    let (mut kernels, mut rows) = (TokenStream::new(), TokenStream::new());
    for isa in &table.isas {
        for computation in &table.computations {
            for number in &table.elements {
                if isa.needs.is_none() || computation.is_vector && number.is_vector {
                    let (kernel, row) = kernel(isa, computation, number);
                    kernels.extend(kernel);
                    rows.extend(row);
                }
            }
        }
    }
    quote! {
        #kernels

        /// Every kernel that computes, in order of instruction set, computation and element.
        pub(super) static REGISTRY: &[ComputedRow] = &[#rows];
    }
}

/// A function that is compiled for the instruction set, and its row.
fn kernel(isa: &Isa, computation: &Computation, number: &Number) -> (TokenStream, TokenStream) {
    let (cfg, features) = (only_on(isa), features(isa));
    let (Computation { name: computation, function, .. }, Number { element, dtype, .. }) =
        (computation, number);
    let kernel = format_ident!("{}_{}_{}", snake(&computation.to_string()), lower(dtype), lower(&isa.name));
    let (name, isa) = (kernel.to_string(), &isa.name);
    let function = quote! {
        #cfg
        #features
        unsafe fn #kernel(job: &mut Job<'_>) {
            type T = #element;
            // SAFETY: the caller's.
            unsafe { #function(job) }
        }
    };
    let row = quote! {
        #cfg
        ComputedRow {
            name: #name,
            computation: Computation::#computation,
            dtype: DType::#dtype,
            isa: Isa::#isa,
            entry: #kernel,
        },
    };
    (function, row)
}

/// `linear_ramp` of `LinearRamp`.
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
