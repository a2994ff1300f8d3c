//! From plain data to code.

mod fixed;
mod nest;
mod registry;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Isa, Table};

pub(crate) use fixed::expand_fixed;

/// All modules of kernels, and the registry.
pub(crate) fn expand(table: &Table) -> TokenStream {
    let mut modules = TokenStream::new();
    for isa in &table.isas {
        for mode in &table.modes {
            for rank in 1..=table.ranks {
                modules.extend(nest::module(table, isa, mode, rank));
            }
        }
    }
    let registry = registry::registry(table);
    quote! { #modules #registry }
}

/// The module of the kernels of a rank, mode and instruction set: `r2_reflect_avx2`.
fn module_name(rank: usize, mode: &Ident, isa: &Isa) -> Ident {
    format_ident!("r{}_{}_{}", rank, lower(mode), lower(&isa.name))
}

/// `#[cfg]` of what exists on the instruction set's architecture only.
fn only_on(isa: &Isa) -> Option<TokenStream> {
    let (arch, _) = isa.needs.as_ref()?;
    Some(quote! { #[cfg(target_arch = #arch)] })
}

fn lower(name: &Ident) -> String {
    name.to_string().to_lowercase()
}
