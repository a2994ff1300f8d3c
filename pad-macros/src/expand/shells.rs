//! Shells: functions that are compiled for an instruction set, around loops that are written once over them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{features, lower, only_on};
use crate::model::{Isa, Table};

/// The shells of an instruction set, of every primitive, and of those that know their units also of every width.
pub(super) fn module(table: &Table, isa: &Isa) -> TokenStream {
    let (cfg, name) = (only_on(isa), &isa.name);
    let module = format_ident!("shells_{}", lower(name));
    let doc = format!("Loops compiled for {name}.");
    let shell = |signature: TokenStream, call: TokenStream| shell(isa, &signature, &call);
    let blocks = [
        shell(
            quote! {
                write_blocks(
                    sheet: &Sheet<'_>,
                    program: &Program,
                    src: (isize, isize),
                    dst: (isize, isize),
                    count: usize,
                )
            },
            quote! { write_blocks::<#name>(sheet, program, src, dst, count) },
        ),
        shell(
            quote! { stream_blocks(sheet: &mut Sheet<'_>, program: &Program, src: (isize, isize), count: usize) },
            quote! { stream_blocks::<#name>(sheet, program, src, count) },
        ),
        shell(
            quote! { write_fill(sheet: &mut Sheet<'_>, at: isize, bytes: usize) },
            quote! { write_fill::<#name>(sheet, at, bytes) },
        ),
        shell(
            quote! { write_again(sheet: &Sheet<'_>, distance: usize, at: isize, bytes: usize) },
            quote! { write_again::<#name>(sheet, distance, at, bytes) },
        ),
        shell(quote! { finish_stream(sheet: &mut Sheet<'_>) }, quote! { finish_stream::<#name>(sheet) }),
    ];
    let strided = table.widths.iter().map(|width| {
        let width: &Ident = &width.name;
        let shells = [
            shell(
                quote! { write_strided(sheet: &Sheet<'_>, src: (isize, isize), dst: (isize, isize), count: usize) },
                quote! { write_strided::<#width>(sheet, src, dst, count) },
            ),
            shell(
                quote! { fill_strided(sheet: &Sheet<'_>, depth: usize, at: isize, count: usize) },
                quote! { fill_strided(sheet, depth, at, count) },
            ),
        ];
        quote! {
            impl StridedShells<#width> for #name {
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
                #(#blocks)*
            }

            #(#strided)*
        }
    }
}

/// A function of this signature that is compiled for `isa`, around a call.
fn shell(isa: &Isa, signature: &TokenStream, call: &TokenStream) -> TokenStream {
    let features = features(isa);
    quote! {
        #features
        #[inline(never)]
        unsafe fn #signature {
            // SAFETY: the caller's.
            unsafe { #call }
        }
    }
}
