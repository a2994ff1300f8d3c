//! Generates code from the checked input of a macro. There is a module for each kind of kernel, and one for `fixed_pad!`.
//!
//! The modules use these words:
//!
//! - A kernel is a function that pads arrays. A registry is a table with one entry for each kernel. The library uses it to find a kernel.
//! - A nest is a set of nested loops, one for each axis of the array.
//! - A shell is a function that is compiled for one instruction set. It only calls generic code, which is then compiled for this
//!   set, too.

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

/// Generates all modules of kernels, and the registry.
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

/// Names the module of the kernels for one rank and one instruction set, such as `r2_avx2`.
fn module_name(rank: usize, isa: &Isa) -> Ident {
    format_ident!("r{}_{}", rank, lower(&isa.name))
}

/// Returns the `#[cfg]` attribute for items that exist only with the instruction set.
fn only_on(isa: &Isa) -> Option<TokenStream> {
    let condition = condition(isa)?;
    Some(quote! { #[cfg(#condition)] })
}

/// Returns the condition under which the instruction set exists.
///
/// Some architectures exist with both byte orders. The permutations of the library number the bytes of a register by address. The
/// instructions number bytes in the same order only on little-endian machines, so the condition demands little-endian order.
fn condition(isa: &Isa) -> Option<TokenStream> {
    let (arch, features) = isa.needs.as_ref()?;
    let order = isa.built.then(|| quote! { , target_endian = "little" });
    let features = features.value();
    let built = isa.built.then(|| features.split(',')).into_iter().flatten();
    Some(quote! { all(target_arch = #arch #order #(, target_feature = #built)*) })
}

/// Returns the attribute that compiles a function for the instruction set, or `None` if the function needs no attribute.
fn features(isa: &Isa) -> Option<TokenStream> {
    let (_, features) = isa.needs.as_ref().filter(|_| !isa.built)?;
    Some(quote! { #[target_feature(enable = #features)] })
}

fn lower(name: &Ident) -> String {
    name.to_string().to_lowercase()
}
