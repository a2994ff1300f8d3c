//! From plain data to code.

mod adjoint;
mod computed;
mod fixed;
mod nest;
mod registry;
mod shells;
mod sums;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Isa, Table};

pub(crate) use computed::expand_computed;
pub(crate) use fixed::expand_fixed;
pub(crate) use sums::expand_sums;

/// All modules of kernels, and the registry.
pub(crate) fn expand(table: &Table) -> TokenStream {
    let mut modules = TokenStream::new();
    for isa in &table.isas {
        modules.extend(shells::module(table, isa));
        for rank in 1..=table.ranks {
            modules.extend(nest::module(table, isa, rank));
        }
    }
    let registry = registry::registry(table);
    quote! { #modules #registry }
}

/// The module of the kernels of a rank and instruction set: `r2_avx2`.
fn module_name(rank: usize, isa: &Isa) -> Ident {
    format_ident!("r{}_{}", rank, lower(&isa.name))
}

/// `#[cfg]` of what exists where the instruction set does.
fn only_on(isa: &Isa) -> Option<TokenStream> {
    let condition = condition(isa)?;
    Some(quote! { #[cfg(#condition)] })
}

/// What has to hold where the instruction set exists.
///
/// An architecture of one that is built with may come with either order of bytes. Permutations name the bytes of a register
/// from the lowest address on, which is what they are where the least significant byte is first.
fn condition(isa: &Isa) -> Option<TokenStream> {
    let (arch, features) = isa.needs.as_ref()?;
    let order = isa.built.then(|| quote! { , target_endian = "little" });
    let features = features.value();
    let built = isa.built.then(|| features.split(',')).into_iter().flatten();
    Some(quote! { all(target_arch = #arch #order #(, target_feature = #built)*) })
}

/// The attribute of what is compiled for the instruction set.
fn features(isa: &Isa) -> Option<TokenStream> {
    let (_, features) = isa.needs.as_ref().filter(|_| !isa.built)?;
    Some(quote! { #[target_feature(enable = #features)] })
}

fn lower(name: &Ident) -> String {
    name.to_string().to_lowercase()
}
