//! Generates the adjoint of a function that `fixed_pad!` generates.
//!
//! For example, the forward function pads `[a b]` to `[b a b a]`. Then the adjoint computes the gradient of `a` from the output
//! positions 1 and 3, and the gradient of `b` from 0 and 2. A fold lists these positions for one axis. A group of the fold
//! lists them for consecutive elements.
//!
//! A row contains all elements at one position of an axis. A row of the input gradient may come from only one row of the
//! output gradient. In this case, the code reads only this row. Otherwise, the code adds the rows at all output positions, and
//! writes the sum directly to the input gradient. A sum needs a few registers, and no buffer.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::fixed::{Rows, array, errors, item, literal, located, moved, part_mut, row_loop, units};
use crate::fold::{Fold, Group};
use crate::form::Term;
use crate::model::{Adjoint, Function};

/// The maximum number of consecutive elements that are summed together, in registers.
const LANES: usize = 16;

/// Generates the adjoint of `function`.
pub(super) fn function(krate: &TokenStream, function: &Function, adjoint: &Adjoint) -> TokenStream {
    let Function { attrs, name, batch, input, output, .. } = function;
    let name = name.unraw();
    // Options such as `doc(hidden)` stay, and documentation does not.
    let attrs = attrs.iter().filter(|attr| !attr.path().is_ident("doc") || attr.meta.require_list().is_ok());
    let items = if *batch { ", of any number of tensors" } else { "" };
    let docs = [
        format!(
            " The adjoint of [`{name}`](fn@{name}): overwrites the gradient of its input, of shape `{input:?}`, with what the"
        ),
        format!(" gradient of its output, of shape `{output:?}`, makes of it{items}."),
    ];
    let names = ["grad_out", "grad_in"];
    let docs = docs.into_iter().chain(batch.then(|| errors(names[0], names[1])).into_iter().flatten());
    let parameters = (names, [function.output_len(), function.input_len()]);
    let body = located(body(function, adjoint), function.element.span());
    let item = item(krate, function, &adjoint.name, parameters, "run_adjoint_batch", &body);
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #item
    }
}

/// Generates the code that reads `src`, the output gradient, and writes `dst`, the input gradient.
fn body(function: &Function, adjoint: &Adjoint) -> TokenStream {
    if function.input_len() == 0 {
        return quote! { let _ = (src, dst); };
    }
    let is_removed = |fold: &Fold| fold.groups.iter().all(|group| group.terms.is_empty());
    if adjoint.folds.iter().any(is_removed) {
        return quote! {
            let _ = src;
            __fixed::fill(dst, __fixed::zero());
        };
    }
    let (folds, unit) = (&adjoint.folds, function.unit);
    let axes = folds.iter().map(|fold| (fold.outputs, fold.inputs));
    let rows = Rows::new(&function.element, unit, axes);
    Axes { folds, rows: &rows, unit }.moves(0)
}

/// The axes of the padded shape.
struct Axes<'a> {
    folds: &'a [Fold],
    rows: &'a [Rows],
    /// The number of elements at one position of the innermost axis.
    unit: usize,
}

impl Axes<'_> {
    /// Generates the code that computes one input row from one output row. Both rows contain the axes from `depth` inwards.
    fn moves(&self, depth: usize) -> TokenStream {
        let fold = &self.folds[depth];
        if depth + 1 == self.folds.len() {
            return self.row(None);
        }
        let inside = self.moves(depth + 1);
        let singles = fold.groups.iter().filter(|group| group.single().is_some());
        let (shared, inside) = self.rows[depth].shared(depth, singles.count(), &inside);
        let sums = fold.groups.iter().any(|group| !group.terms.is_empty() && group.single().is_none());
        let sums = sums.then(|| self.sums(depth, depth));
        let steps = fold.groups.iter().map(|group| match group.single() {
            _ if group.terms.is_empty() => zeros(group, fold),
            Some(from) => row_loop(depth, group.count, from, (group.start, 1), (None, &inside)),
            None => self.each(depth, depth, group),
        });
        let cut = self.rows[depth].cut(fold.outputs, fold.inputs);
        quote! {
            #cut
            #shared
            #sums
            #(#steps)*
        }
    }

    /// Generates the function that sums one row inside of axis `depth`.
    ///
    /// The function sums along the axes from `first` to `depth`. Axis `first` is the outermost axis with several output
    /// positions per input position. The function receives the rows of axis `first`. It also receives the positions to add, for
    /// each axis from `first` to `depth`.
    fn sums(&self, first: usize, depth: usize) -> TokenStream {
        let body = if depth + 2 == self.folds.len() {
            self.row(Some(first))
        } else {
            let (inner, fold) = (depth + 1, &self.folds[depth + 1]);
            let sums = self.sums(first, inner);
            let dst = array(&self.rows[inner].dst, fold.inputs);
            let steps = fold.groups.iter().map(|group| {
                if group.terms.is_empty() { zeros(group, fold) } else { self.each(first, inner, group) }
            });
            quote! {
                let dst: &mut #dst = __fixed::rows_mut(dst);
                #sums
                #(#steps)*
            }
        };
        let name = format_ident!("sums{depth}");
        let src = array(&self.rows[first].src, self.folds[first].outputs);
        let dst = &self.rows[depth].dst;
        let places = (first..=depth).map(|axis| {
            let (name, outputs) = (at(axis), literal(self.folds[axis].outputs));
            quote! { #name: __fixed::Places<'_, #outputs, 1> }
        });
        quote! {
            #[inline(always)]
            fn #name(src: &#src, #(#places,)* dst: &mut #dst) {
                #body
            }
        }
    }

    /// Generates a call of the function from [`sums`](Axes::sums) for every row of a group.
    fn each(&self, first: usize, depth: usize, group: &Group) -> TokenStream {
        let (fold, name) = (&self.folds[depth], format_ident!("sums{depth}"));
        let terms = terms(group, fold.outputs, 1);
        let dst = part_mut(group.start, group.count, fold.inputs);
        let places = (first..=depth).map(at);
        let here = at(depth);
        quote! {{
            #terms
            TERMS.each(#dst, |#here, dst| #name(src, #(#places,)* dst));
        }}
    }

    /// Generates the code of the innermost axis. Without `first`, the code reads one row. With `first`, it also sums over the
    /// positions along axis `first` and all axes inside of it.
    fn row(&self, first: Option<usize>) -> TokenStream {
        let (depth, unit) = (self.folds.len() - 1, self.unit);
        let fold = &self.folds[depth];
        let (from, to) = (fold.outputs * unit, fold.inputs * unit);
        let steps = fold.groups.iter().map(|group| {
            let dst = part_mut(group.start * unit, group.count * unit, to);
            if group.terms.is_empty() {
                return quote! { __fixed::fill(#dst, __fixed::zero()); };
            }
            if let (Some(single), None) = (group.single(), first) {
                return moved(single, group.count, unit, from, &dst);
            }
            let goes_up = |&(Term { step, .. }, _): &(Term, usize)| group.count == 1 || step == 1;
            if unit == 1 || group.terms.iter().all(goes_up) {
                // The terms go through all elements in order, so units need no loop of their own.
                let terms = terms(group, fold.outputs, unit);
                let sum = self.around(first, quote! { at.load(src) });
                let lanes = lanes(group.count * unit);
                return quote! {{
                    #terms
                    TERMS.write::<#lanes, _>(#dst, |at| { #sum });
                }};
            }
            let terms = terms(group, fold.outputs, 1);
            let within = Group {
                start: 0,
                count: unit,
                terms: vec![(Term { at: 0, step: 1, hold: 1 }, 1)],
                period: 0,
            };
            let within = self::terms(&within, unit, 1);
            let (units, groups) =
                (units(quote! { rows }, unit, fold.outputs), units(quote! { rows_mut }, unit, group.count));
            let here = at(depth);
            let sum = self.around(first, quote! { #here.fold(#units(src), |src| { at.load(src) }) });
            let lanes = lanes(unit);
            quote! {{
                #terms
                TERMS.each(#groups(#dst), |#here, dst| {
                    #within
                    TERMS.write::<#lanes, _>(dst, |at| { #sum });
                });
            }}
        });
        quote! { #(#steps)* }
    }

    /// Wraps the code `inside`, which reads one row, into sums over the positions along the axes from `first` to the
    /// second-innermost one.
    fn around(&self, first: Option<usize>, inside: TokenStream) -> TokenStream {
        let Some(first) = first else { return inside };
        (first..self.folds.len() - 1).rev().fold(inside, |inside, axis| {
            let (at, fold) = (at(axis), &self.folds[axis]);
            let src = array(&self.rows[axis].src, fold.outputs);
            let cut = (axis > first).then(|| quote! { let src: &#src = __fixed::rows(src); });
            quote! {
                #cut
                #at.fold(src, |src| { #inside })
            }
        })
    }
}

/// Names the variable that holds the positions along an axis, such as `at0` for the outermost one.
fn at(axis: usize) -> proc_macro2::Ident {
    format_ident!("at{axis}")
}

/// Generates the constant `TERMS`, the terms of a group. The axis has `outputs` positions of `unit` elements each.
fn terms(group: &Group, outputs: usize, unit: usize) -> TokenStream {
    let terms = group.terms.iter().map(|&(Term { at, step, hold }, times)| {
        let at = literal(at.unsigned_abs() * unit);
        // A group of one element does not use the step, so any value is right.
        let step = Literal::isize_unsuffixed(if group.count == 1 { 1 } else { step });
        let [hold, times] = [hold, times].map(literal);
        quote! { __fixed::Term::new(#at, #step, #hold, #times) }
    });
    let lengths = [outputs * unit, group.count * unit, unit, group.period * unit];
    let [outputs, count, apart, period] = lengths.map(literal);
    quote! {
        const TERMS: __fixed::Terms<#outputs, #count> = __fixed::Terms::new(&[#(#terms),*], #apart, #period);
    }
}

/// Generates the code that writes zeros to rows that a crop removes.
fn zeros(group: &Group, fold: &Fold) -> TokenStream {
    let dst = part_mut(group.start, group.count, fold.inputs);
    quote! { __fixed::fill_rows(#dst, __fixed::zero()); }
}

fn lanes(elements: usize) -> Literal {
    literal(elements.min(LANES))
}
