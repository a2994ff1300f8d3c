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
    let shell = |signature: TokenStream, call: TokenStream| shell(isa, &quote! {}, &signature, &call);
    // One that permutes nothing, of a trait, around the function of its name for `of`.
    let mover = |this: TokenStream, of: &Ident, name: TokenStream, params: TokenStream, args: TokenStream| {
        let (own, of_other) = (quote! { #name::<#of> #args }, quote! { #name #args });
        mover(isa, &this, &quote! { #name #params }, &own, &of_other)
    };
    let shells = [
        shell(
            quote! { run_registers(program: &Program, fill: &Pattern, src: *const u8, dst: *mut u8) },
            quote! { run_registers::<#name>(program, fill, src, dst) },
        ),
        shell(
            quote! { run_program(sheet: &Sheet<'_>, program: &Program, run: Run) },
            quote! { run_program::<#name>(sheet, program, run) },
        ),
        shell(
            quote! { run_block(sheet: &Sheet<'_>, program: &Program, src: isize, dst: isize) },
            quote! { run_block::<#name>(sheet, program, src, dst) },
        ),
        shell(
            quote! {
                run_once(
                    sheet: &Sheet<'_>,
                    program: &Program,
                    next: &Move,
                    src: isize,
                    dst: isize,
                    is_whole: bool
                )
            },
            quote! { run_once::<#name>(sheet, program, next, src, dst, is_whole) },
        ),
        shell(
            quote! { run_rows(sheet: &Sheet<'_>, program: &Program, planes: &Batch, rows: &[Run]) },
            quote! { run_rows::<#name>(sheet, program, planes, rows) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { run_planes },
            quote! { (sheet: &Sheet<'_>, program: &Program, blocks: &Batch) },
            quote! { (sheet, program, blocks) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { short_rows },
            quote! { (sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies, between: usize) },
            quote! { (sheet, blocks, rows, between) },
        ),
        shell(
            quote! { run_bordered(sheet: &Sheet<'_>, program: &Program, planes: &Batch, rows: &[Run]) },
            quote! { run_bordered::<#name>(sheet, program, planes, rows) },
        ),
        shell(
            quote! { run_planes_of_rows(sheet: &Sheet<'_>, program: &Program, rows: &[Run], planes: Run) },
            quote! { run_planes_of_rows::<#name>(sheet, program, rows, planes) },
        ),
        shell(
            quote! { run_batch(sheet: &Sheet<'_>, program: &Program, blocks: &Batch, is_whole: bool) },
            quote! { run_batch::<#name>(sheet, program, blocks, is_whole) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { run_move },
            quote! { (sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch) },
            quote! { (sheet, program, next, batch) },
        ),
        shell(
            quote! { run_merge(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch) },
            quote! { run_merge::<#name>(sheet, program, next, batch) },
        ),
        shell(
            quote! { run_exactly(sheet: &Sheet<'_>, program: &Program, run: Run) },
            quote! { run_exactly::<#name>(sheet, program, run) },
        ),
        shell(
            quote! { stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run) },
            quote! { stream_program::<#name>(sheet, program, run) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { write_fill },
            quote! { (sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize) },
            quote! { (sheet, depth, at, count) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { fill_lines },
            quote! { (fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize) },
            quote! { (fetch, fill, dst, bytes) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { rows_apart },
            quote! { (sheet: &Sheet<'_>, bodies: &Batch, body: usize, room: usize) },
            quote! { (sheet, bodies, body, room) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { write_again },
            quote! { (sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize) },
            quote! { (sheet, distance, at, bytes) },
        ),
        mover(
            quote! { Shells },
            name,
            quote! { finish_stream },
            quote! { (sheet: &mut Sheet<'_>) },
            quote! { (sheet) },
        ),
    ];
    let strided = table.widths.iter().map(|width| {
        let width: &Ident = &width.name;
        let write = mover(
            quote! { StridedShells<#width> },
            width,
            quote! { write_strided },
            quote! { (sheet: &Sheet<'_>, run: Run, gap: usize) },
            quote! { (sheet, run, gap) },
        );
        let transpose = mover(
            quote! { StridedShells<#width> },
            width,
            quote! { transpose },
            quote! { (
                src: *const u8,
                across: isize,
                dst: (*mut u8, usize),
                size: (usize, usize),
                unit: usize
            ) },
            quote! { (src, across, dst, size, unit) },
        );
        quote! {
            impl StridedShells<#width> for #name {
                #write
                #transpose
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

/// One of `this` trait that permutes nothing: around a call of its `own`, or around that `of_other` set which it moves as.
pub(super) fn mover(
    isa: &Isa,
    this: &TokenStream,
    signature: &TokenStream,
    own: &TokenStream,
    of_other: &TokenStream,
) -> TokenStream {
    let Some(other) = &isa.moves_as else { return shell(isa, &quote! {}, signature, own) };
    quote! {
        #[inline(always)]
        unsafe fn #signature {
            // SAFETY: the caller's: a machine with this set has that one.
            unsafe { <#other as #this>::#of_other }
        }
    }
}

/// A function of this signature that is compiled for `isa`, around a call.
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
            // SAFETY: the caller's.
            unsafe { #call }
        }
    }
}
