//! Generates the kernels that sum gradients, and their registry. There is one shell for each number type and instruction set.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::shells::{Kind, shell, shell_of};
use super::{lower, only_on};
use crate::model::{Isa, Sum, SumIsa, Sums};

/// Generates the shells of all instruction sets, and the registry.
pub(crate) fn expand_sums(table: &Sums) -> TokenStream {
    let modules = table.isas.iter().map(|of| module(table, of));
    let rows = table.isas.iter().map(|of| rows(table, of));
    quote! {
        #(#modules)*

        /// All kernels that sum, sorted by instruction set and element type.
        pub(super) static SUMS: &[AdjointKernel] = &[#(#rows)*];
    }
}

fn module_name(isa: &Isa) -> Ident {
    format_ident!("sums_{}", lower(&isa.name))
}

fn module(table: &Sums, of: &SumIsa) -> TokenStream {
    let isa = &of.isa;
    let (cfg, module) = (only_on(isa), module_name(isa));
    let doc = format!("Sums compiled for {}.", isa.name);
    let shells = of.sums(table).map(|Sum { number, .. }| {
        let name = format_ident!("{}", lower(number));
        let signature = quote! { #name(task: &mut Task<'_>, step: Step, count: usize) };
        let set = &isa.name;
        shell(
            isa,
            &quote! { pub(super) },
            &signature,
            &quote! { run_step::<#number, #set>(task, step, count) },
        )
    });
    // These functions have shells of their own, because compilers take longer for one large function than for its parts.
    let set = &isa.name;
    let of_set = [
        (
            Kind::Own,
            "run_pass<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
                job: &Job<'_, N::Sum>, src: &[u8], dst: &mut [u8])",
            quote! { N, #set, L, WIDENS, NARROWS },
        ),
        (Kind::Own, "copy_rows(rows: Rows, length: usize)", quote! { #set }),
        (
            Kind::Moves,
            "fold_rows<N: Number>(task: &mut Task<'_>, blocks: Spread, slot: usize, count: usize)",
            quote! { N },
        ),
        (Kind::Moves, "add_slot<N: Number>(task: &mut Task<'_>, slot: usize, count: usize)", quote! { N }),
    ]
    .map(|(kind, signature, of)| shell_of(isa, kind, &quote! { SumShells }, signature, &of));
    quote! {
        #cfg
        #[doc = #doc]
        mod #module {
            use super::*;

            impl SumShells for #set {
                #(#of_set)*
            }

            #(#shells)*
        }
    }
}

fn rows(table: &Sums, of: &SumIsa) -> TokenStream {
    let isa = &of.isa;
    let (cfg, module, isa_name) = (only_on(isa), module_name(isa), &isa.name);
    let of_number = |Sum { number, dtypes }: &Sum| {
        let kernel = format_ident!("{}", lower(number));
        let row = |dtype: &Ident| {
            let name = format!("sum_{}_{}", lower(dtype), lower(isa_name));
            quote! {
                #cfg
                AdjointKernel {
                    name: #name,
                    dtype: DType::#dtype,
                    isa: Isa::#isa_name,
                    registers: registers::<#number, #isa_name>(),
                    kernel: #module::#kernel,
                },
            }
        };
        dtypes.iter().map(row).collect::<TokenStream>()
    };
    of.sums(table).map(of_number).collect()
}
