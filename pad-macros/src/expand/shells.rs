//! Generates the shells: functions that are compiled for one instruction set and call generic code.
//!
//! For example, the AVX2 shell `run_program(sheet, program, run)` calls the generic `run_program::<Avx2>(sheet, program, run)`.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{features, lower, only_on};
use crate::model::{Isa, Table, Width};

/// The signatures of the shells that every instruction set has. Shells of kind `Moves` contain no permutations, so one
/// instruction set can use the shells of another set.
const SHELLS: [(Kind, &str); 10] = [
    (Kind::Own, "run_registers(program: &Program, fill: &Pattern, src: *const u8, dst: *mut u8)"),
    (Kind::Own, "run_program(sheet: &Sheet<'_>, program: &Program, run: Run)"),
    (Kind::Own, "run_batch(sheet: &Sheet<'_>, program: &Program, blocks: &Batch, is_whole: bool)"),
    (Kind::Own, "run_merge(sheet: &Sheet<'_>, program: &Program, next: &Merging, batch: &Batch)"),
    (Kind::Own, "stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run)"),
    (Kind::Moves, "short_rows(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies)"),
    (Kind::Moves, "run_move(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch)"),
    (Kind::Moves, "write_fill(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize)"),
    (Kind::Moves, "write_again(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize)"),
    (Kind::Moves, "finish_stream(sheet: &mut Sheet<'_>)"),
];

/// The names and parameters of the shells that exist once for each width of an element.
const STRIDED: [&str; 2] = [
    "write_strided(sheet: &Sheet<'_>, run: Run, gap: usize)",
    "transpose(src: *const u8, across: isize, dst: (*mut u8, usize), size: (usize, usize), unit: usize)",
];

/// Tells whether each set compiles its own shell. An instruction set with an entry `moves_as` does not compile shells of kind
/// `Moves`. It calls the shells of the set that the entry names.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Own,
    Moves,
}

/// Generates the shells of an instruction set.
pub(super) fn module(table: &Table, isa: &Isa) -> TokenStream {
    let (cfg, name) = (only_on(isa), &isa.name);
    let module = format_ident!("shells_{}", lower(name));
    let doc = format!("Loops compiled for {name}.");
    let shells = SHELLS
        .iter()
        .map(|(kind, signature)| shell_of(isa, *kind, &quote! { Shells }, signature, &quote! { #name }));
    let strided = table.widths.iter().map(|Width { name: width, .. }| {
        let this = quote! { StridedShells<#width> };
        let shells =
            STRIDED.map(|signature| shell_of(isa, Kind::Moves, &this, signature, &quote! { #width }));
        quote! {
            impl #this for #name {
                #(#shells)*
            }
        }
    });
    quote! {
        #cfg
        #[doc = #doc]
        mod #module {
            use super::*;

            impl Shells for #name {
                #(#shells)*
            }

            #(#strided)*
        }
    }
}

/// Generates a method of the trait `this`. It calls the generic function of the same name, with the generic arguments `of`. If
/// `isa.moves_as` names another instruction set, a method of kind `Moves` calls the shell of that set.
pub(super) fn shell_of(
    isa: &Isa,
    kind: Kind,
    this: &TokenStream,
    signature: &str,
    of: &TokenStream,
) -> TokenStream {
    let signature: TokenStream = signature.parse().expect("the signature is made of tokens");
    let tokens: Vec<_> = signature.clone().into_iter().collect();
    let [TokenTree::Ident(name), generics @ .., TokenTree::Group(parameters)] = &tokens[..] else {
        unreachable!("a name, and parameters in parentheses")
    };
    // The name of a parameter is the identifier before a single colon.
    let parameters: Vec<_> = parameters.stream().into_iter().collect();
    let arguments = parameters.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(name), TokenTree::Punct(colon)] => {
            (colon.as_char() == ':' && colon.spacing() == Spacing::Alone).then_some(name)
        }
        _ => None,
    });
    let arguments = quote! { (#(#arguments),*) };
    let of_other = (!generics.is_empty()).then(|| quote! { ::<#of> });
    match (kind, &isa.moves_as) {
        (Kind::Moves, Some(other)) => quote! {
            #[inline(always)]
            unsafe fn #signature {
                // SAFETY: the caller keeps the contract, and a machine with this set has that one, too.
                unsafe { <#other as #this>::#name #of_other #arguments }
            }
        },
        _ => shell(isa, &quote! {}, &signature, &quote! { #name::<#of> #arguments }),
    }
}

/// Generates a function with this signature that is compiled for `isa` and makes one call.
pub(super) fn shell(
    isa: &Isa,
    vis: &TokenStream,
    signature: &TokenStream,
    call: &TokenStream,
) -> TokenStream {
    let features = features(isa);
    quote! {
        #features
        #[inline(never)]
        #vis unsafe fn #signature {
            // SAFETY: the caller keeps the contract.
            unsafe { #call }
        }
    }
}
