//! Generates the registry, an array with one entry for each kernel, and `find`, which computes the index of an entry.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::nest::{kernel_name, packed_name};
use super::{condition, lower, module_name, only_on};
use crate::model::{Isa, Table};

/// One element type, or one element width without a type.
struct Element<'a> {
    dtype: Option<&'a Ident>,
    unit: TokenStream,
    /// The variant of `Entry`, and the kernel that it contains.
    entry: TokenStream,
    kernel: Option<Ident>,
}

/// Generates `REGISTRY`, `find`, and the functions from [`lanes`].
///
/// The entries are sorted by instruction set, rank, mode and element. `find` computes an index from these four values, so it needs no
/// search.
pub(super) fn registry(table: &Table) -> TokenStream {
    let mut rows = TokenStream::new();
    for isa in &table.isas {
        for rank in 1..=table.ranks {
            for mode in &table.modes {
                rows.extend(elements(table, isa).iter().map(|element| row(isa, rank, mode, element)));
            }
        }
    }
    let (find, lanes) = (find(table), lanes(table));
    quote! {
        /// All kernels, sorted by instruction set, rank, mode and element.
        pub(super) static REGISTRY: &[PadKernel] = &[#rows];
        #find
        #lanes
    }
}

/// Generates functions that return the permutations of an instruction set, and its shells for plans of one block.
fn lanes(table: &Table) -> TokenStream {
    let function = |doc: &str, signature: TokenStream, call: &dyn Fn(&Ident) -> TokenStream| {
        let arms = table.isas.iter().map(|isa| {
            let (cfg, name, call) = (only_on(isa), &isa.name, call(&isa.name));
            quote! { #cfg Isa::#name => #call, }
        });
        let portable = call(&table.isas[0].name);
        quote! {
            #[doc = #doc]
            #signature {
                match isa {
                    #(#arms)*
                    #[allow(unreachable_patterns, reason = "where they all exist")]
                    _ => #portable,
                }
            }
        }
    };
    let all = function(
        " Returns the function of `isa` that runs a plan of one block.",
        quote! { pub(super) fn all(isa: Isa) -> unsafe fn(&Sheet<'_>, &Program, Run) },
        &|name| quote! { <#name as Shells>::run_program },
    );
    let registers = function(
        " Returns the function of `isa` that runs a block of whole registers.",
        quote! { pub(super) fn registers(isa: Isa) -> unsafe fn(&Program, &Pattern, *const u8, *mut u8) },
        &|name| quote! { <#name as Shells>::run_registers },
    );
    let lanes = function(
        " Returns the permutations of units of `unit` bytes that kernels of `isa` have.",
        quote! { pub(crate) fn lanes(isa: Isa, unit: usize) -> Lanes },
        &|name| quote! { Lanes::of::<#name>(unit) },
    );
    quote! { #all #registers #lanes }
}

/// Returns the elements for which `isa` has kernels. Elements of whole bytes come first.
fn elements<'a>(table: &'a Table, isa: &Isa) -> Vec<Element<'a>> {
    let mut elements = Vec::new();
    for width in &table.widths {
        let unit = match width.bytes {
            Some(bytes) => quote! { Unit::Bytes(#bytes) },
            None => quote! { Unit::AnyBytes },
        };
        let dtypes = width.dtypes.iter().map(Some).chain([None]);
        elements.extend(dtypes.map(|dtype| Element {
            dtype,
            unit: unit.clone(),
            entry: quote! { Bytes },
            kernel: Some(kernel_name(width)),
        }));
    }
    if isa.needs.is_none() {
        elements.extend(table.packed.iter().map(|dtype| Element {
            dtype: Some(dtype),
            unit: quote! { Unit::Bits },
            entry: quote! { Packed },
            kernel: Some(packed_name()),
        }));
        elements.extend(table.cloned.iter().map(|dtype| Element {
            dtype: Some(dtype),
            unit: quote! { Unit::Value },
            entry: quote! { Cloned },
            kernel: None,
        }));
    }
    elements
}

fn row(isa: &Isa, rank: usize, mode: &Ident, element: &Element<'_>) -> TokenStream {
    let cfg = only_on(isa);
    let Element { dtype, unit, entry, kernel } = element;
    let element = dtype.or(kernel.as_ref()).map(lower).unwrap_or_default();
    let name = format!("r{rank}_{}_{element}_{}", lower(mode), lower(&isa.name));
    let isa_name = &isa.name;
    let dtype = match dtype {
        Some(dtype) => quote! { Some(DType::#dtype) },
        None => quote! { None },
    };
    let module = module_name(rank, isa);
    let kernel = kernel.as_ref().map(|kernel| quote! { (#module::#kernel) });
    quote! {
        #cfg
        PadKernel {
            name: #name,
            rank: #rank,
            mode: PadMode::#mode,
            dtype: #dtype,
            unit: #unit,
            isa: Isa::#isa_name,
            entry: Entry::#entry #kernel,
        },
    }
}

/// Generates `find`, which computes an index in `REGISTRY`.
fn find(table: &Table) -> TokenStream {
    let ranks = table.ranks;
    let modes = &table.modes;
    let mode_count = modes.len();
    let mode_index = 0..mode_count;
    let arms = elements(table, &table.isas[0]).into_iter().enumerate().map(
        |(index, Element { dtype, unit, .. })| match dtype {
            Some(dtype) => quote! { (Some(DType::#dtype), #unit) => #index, },
            None => quote! { (_, #unit) => #index, },
        },
    );
    // An instruction set that the architecture lacks has no entries, so it must not count in the index.
    let mut first = quote! { 0 };
    let isa_arms: Vec<_> = (table.isas.iter())
        .map(|isa| {
            let (cfg, name) = (only_on(isa), &isa.name);
            let count = elements(table, isa).len();
            let rows = ranks * mode_count * count;
            let arm = quote! { #cfg Isa::#name => (#first, #count), };
            let rows = match condition(isa) {
                Some(condition) => quote! { if cfg!(#condition) { #rows } else { 0 } },
                None => quote! { #rows },
            };
            first = quote! { #first + #rows };
            arm
        })
        .collect();
    quote! {
        /// Returns the index in `REGISTRY` of a kernel of `isa`. If there is none for this type and unit, this is the
        /// index of the kernel for the unit and any type. Returns `None` if `isa` has neither.
        pub(crate) fn find(rank: usize, mode: PadMode, unit: Unit, dtype: Option<DType>, isa: Isa) -> Option<usize> {
            let (first, elements) = match isa {
                #(#isa_arms)*
                #[allow(unreachable_patterns, reason = "on the architecture that has them all")]
                _ => return None,
            };
            let mode = match mode {
                #(PadMode::#modes => #mode_index,)*
            };
            let element = match (dtype, unit) {
                #(#arms)*
                _ => return None,
            };
            let found = (1..=#ranks).contains(&rank) && element < elements;
            found.then(|| first + ((rank - 1) * #mode_count + mode) * elements + element)
        }
    }
}
