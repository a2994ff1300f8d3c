//! Generates the functions of `fixed_pad!`. They pad arrays of a known shape, in loops with constant bounds.
//!
//! For example, a function pads `[a b c]` by one zero on each side. It fills element 0, copies three elements to element 1, and
//! fills element 4. With more axes, each axis is a loop around the axes inside of it. All elements at one position of an axis
//! form a row.
//!
//! The generated code is safe. It cuts arrays into rows and smaller arrays, and copies between them. All bounds are constants,
//! and `pad-kernels` asserts them during compilation.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Type;

use super::adjoint;
use super::nest::nest;
use crate::form::Segment;
use crate::layout::Level;
use crate::model::{Fill, Function, Functions};

/// Generates all functions, each with a module of its constants.
pub(crate) fn expand_fixed(functions: &Functions) -> TokenStream {
    functions.functions.iter().map(|function| expand(&functions.krate, function)).collect()
}

fn expand(krate: &TokenStream, function: &Function) -> TokenStream {
    let Function { attrs, vis, name, element, batch, input, output, fill, .. } = function;
    let docs = docs(function);
    let (src, dst) = (array(element, function.input_len()), array(element, function.output_len()));
    let fill = match fill {
        Fill::Given(fill) => Some(quote! { const __FILL: #element = #fill; }),
        Fill::Zero => Some(quote! { const __FILL: #element = __fixed::zero(); }),
        Fill::Unneeded => None,
    };
    let body = body(function);
    let adjoint = function.adjoint.as_ref().map(|adjoint| adjoint::function(krate, function, adjoint));
    // The generated code is a function of its own, so that `__fixed::run` can compile it for several instruction sets.
    let nest = quote! {
        use #krate::__fixed;
        #[inline(always)]
        fn nest(src: &#src, dst: &mut #dst) {
            #fill
            #body
        }
    };
    let item = if *batch {
        quote! {
            #vis fn #name(src: &[#element], dst: &mut [#element]) -> ::core::result::Result<(), #krate::PadError> {
                #nest
                __fixed::run_batch(nest, src, dst)
            }
        }
    } else {
        quote! {
            #vis fn #name(src: &#src, dst: &mut #dst) {
                #nest
                __fixed::run(nest, src, dst);
            }
        }
    };
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let of = if *batch { "one item of the batch" } else { "a tensor" };
    let module_doc = format!(" The sizes of [`{name}`](fn@{name}): of {of} before and after.");
    let [input_doc, output_doc, input_len_doc, output_len_doc] = [
        format!(" The shape of {of} that is padded."),
        format!(" The shape of {of} once it is padded."),
        format!(" Elements of {of} that is padded."),
        format!(" Elements of {of} once it is padded."),
    ];
    let rank = Literal::usize_unsuffixed(input.len());
    let shape = |lengths: &[usize]| {
        let lengths = lengths.iter().map(|length| Literal::usize_unsuffixed(*length));
        quote! { [#(#lengths),*] }
    };
    let (input, output) = (shape(input), shape(output));
    let input_len = Literal::usize_unsuffixed(function.input_len());
    let output_len = Literal::usize_unsuffixed(function.output_len());
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #item

        #adjoint

        #(#cfgs)*
        #[doc = #module_doc]
        #[allow(dead_code)]
        #vis mod #name {
            #[doc = #input_doc]
            pub const INPUT_SHAPE: [usize; #rank] = #input;
            #[doc = #output_doc]
            pub const OUTPUT_SHAPE: [usize; #rank] = #output;
            #[doc = #input_len_doc]
            pub const INPUT_LEN: usize = #input_len;
            #[doc = #output_len_doc]
            pub const OUTPUT_LEN: usize = #output_len;
        }
    }
}

/// Returns the generated documentation of a function. It follows the documentation that the user wrote.
fn docs(function: &Function) -> Vec<String> {
    let Function { element, batch, mode, frame, input, output, pads, fill, attrs, .. } = function;
    let plain = |tokens: TokenStream| tokens.to_string().replace(" ;", ";").replace(" :: ", "::");
    let element = plain(quote! { #element });
    let mut docs = Vec::new();
    if attrs.iter().any(|attr| attr.path().is_ident("doc")) {
        docs.push(String::new());
    }
    let what = if *batch { "Pads any number of tensors" } else { "Pads a tensor" };
    let fill = match fill {
        Fill::Given(fill) => format!(" with fill `{}`", plain(quote! { #fill })),
        Fill::Zero => " with fill zero".to_string(),
        Fill::Unneeded => String::new(),
    };
    docs.push(format!(
        " {what} of `{element}` from shape `{input:?}` to shape `{output:?}`, in mode {}{fill}.",
        mode.name()
    ));
    if !pads.is_empty() {
        let pads: Vec<_> = pads
            .iter()
            .map(|&(low, high, interior)| match interior {
                0 => format!("`[{low}, {high}]`"),
                _ => format!("`[{low}, {high}, {interior}]`"),
            })
            .collect();
        let negative = function.pads.iter().any(|&(low, high, _)| low < 0 || high < 0);
        let frame = if negative { format!(", {frame:?}").to_lowercase() } else { String::new() };
        docs.push(String::new());
        docs.push(format!(" The pads, from the outermost axis: {}{frame}.", pads.join(", ")));
    }
    if *batch {
        docs.extend([
            String::new(),
            " # Errors".to_string(),
            String::new(),
            " If the input is no whole number of tensors, or the output not the same number of padded ones; nothing is"
                .to_string(),
            " written then.".to_string(),
        ]);
    }
    docs
}

/// Generates the code that pads `src` to `dst`.
fn body(function: &Function) -> TokenStream {
    if function.output_len() == 0 {
        return quote! { let _ = (src, dst); };
    }
    let has_data =
        |level: &Level| level.segments.iter().any(|(_, segment)| matches!(segment, Segment::Source { .. }));
    if !function.levels.iter().all(has_data) {
        return quote! {
            let _ = src;
            __fixed::fill(dst, __FILL);
        };
    }
    let (innermost, outer) = function.levels.split_last().expect("there is at least one");
    let rows = function.levels.iter().map(|level| (level.src, level.dst));
    let rows = Rows::new(&function.element, function.unit, rows);
    let around = |depth: usize, level: &Level, inside| {
        let with_fill = depth + 1 == outer.len() && !matches!(function.fill, Fill::Unneeded);
        let cells = if with_fill { cells(innermost, function.unit) } else { None };
        outer_axis(depth, level, &rows[depth], cells, &inside)
    };
    nest(outer, around, row(innermost, &rows[outer.len()], function.unit))
}

/// The types of a row of one axis in the input and in the output. A row is a flat array of elements.
pub(super) struct Rows {
    pub(super) src: TokenStream,
    pub(super) dst: TokenStream,
}

impl Rows {
    /// Returns the types for each axis. `axes` contains the input and the output length of each axis. `unit` is the number of
    /// elements at one position of the innermost axis.
    pub(super) fn new(
        element: &Type,
        unit: usize,
        axes: impl DoubleEndedIterator<Item = (usize, usize)>,
    ) -> Vec<Rows> {
        let (mut src, mut dst) = (unit, unit);
        let mut rows: Vec<_> = (axes.rev())
            .map(|(from, to)| {
                let rows = Rows { src: array(element, src), dst: array(element, dst) };
                (src, dst) = (src * from, dst * to);
                rows
            })
            .collect();
        rows.reverse();
        rows
    }

    /// Generates the code that cuts `src` and `dst` into arrays of rows.
    pub(super) fn cut(&self, from: usize, to: usize) -> TokenStream {
        let Rows { src, dst } = self;
        let (src, dst) = (array(src, from), array(dst, to));
        quote! {
            let src: &#src = __fixed::rows(src);
            let dst: &mut #dst = __fixed::rows_mut(dst);
        }
    }
}

/// Describes the innermost row if it consists of fill, one copy of consecutive elements, and fill. Otherwise, returns `None`. The
/// description holds the length of the first fill, the index of the first copied element, and the length of the copy.
fn cells(innermost: &Level, unit: usize) -> Option<[usize; 3]> {
    let mut cells = None;
    for &(at, segment) in &innermost.segments {
        match segment {
            Segment::Fill { .. } => {}
            Segment::Source { from, step: 1, count, gap: 0 } if cells.is_none() => {
                cells = Some([at * unit, from as usize * unit, count * unit]);
            }
            _ => return None,
        }
    }
    cells
}

/// Generates the code of an axis that is not the innermost one. The code `inside` pads one row from `src` to `dst`.
fn outer_axis(
    depth: usize,
    level: &Level,
    rows: &Rows,
    cells: Option<[usize; 3]>,
    inside: &TokenStream,
) -> TokenStream {
    let is_cells = |segment: Segment| match segment {
        Segment::Source { step: 1, count: 2.., gap: 0, .. } => cells,
        _ => None,
    };
    let loops = (level.segments.iter())
        .filter(|(_, segment)| matches!(segment, Segment::Source { .. }) && is_cells(*segment).is_none());
    // If several loops contain the inner code, which is rare, it becomes a function, so that the code is emitted once.
    let (shared, inside) = if loops.count() > 1 {
        let (name, Rows { src, dst }) = (format_ident!("inside{depth}"), rows);
        let shared = quote! {
            #[inline(always)]
            fn #name(src: &#src, dst: &mut #dst) {
                #inside
            }
        };
        (Some(shared), quote! { #name(src, dst); })
    } else {
        (None, inside.clone())
    };
    let i = format_ident!("i{depth}");
    let steps = level.segments.iter().map(|&(at, segment)| match segment {
        Segment::Fill { count } => {
            let dst = part_mut(at, count, level.dst);
            quote! { __fixed::fill_rows(#dst, __FILL); }
        }
        Segment::Again { from, step, count } => again(at, (from, step), count),
        Segment::Source { from, step, count, gap } => {
            if let Some([head, first, body]) = is_cells(segment) {
                let (src, dst) = (part(from as usize, count, level.src), part_mut(at, count, level.dst));
                let [head, first, body] = [head, first, body].map(Literal::usize_unsuffixed);
                return quote! { __fixed::cells::<#head, #first, #body, _, _, _, _>(#src, #dst, __FILL); };
            }
            data_loop(&i, (at, gap), (from as usize, step), count, &inside)
        }
    });
    let cut = rows.cut(level.src, level.dst);
    quote! {
        #cut
        #shared
        #(#steps)*
    }
}

/// Generates the loop over `count` input rows. The code `inside` pads one of them, and `gap` rows of fill lie between two rows.
fn data_loop(
    i: &Ident,
    (at, gap): (usize, usize),
    (from, step): (usize, isize),
    count: usize,
    inside: &TokenStream,
) -> TokenStream {
    if count == 1 {
        let (from, at) = (Literal::usize_unsuffixed(from), Literal::usize_unsuffixed(at));
        return quote! {{
            let (src, dst) = (&src[#from], &mut dst[#at]);
            #inside
        }};
    }
    let from = match (from, step) {
        (0, 1) => quote! { #i },
        (from, step) => {
            let from = Literal::usize_unsuffixed(from);
            match step {
                1 => quote! { #from + #i },
                -1 => quote! { #from - #i },
                _ => quote! { #from },
            }
        }
    };
    let stepped = |at: usize| {
        let scaled = match gap {
            0 => quote! { #i },
            _ => {
                let every = Literal::usize_unsuffixed(gap + 1);
                quote! { #every * #i }
            }
        };
        if at == 0 {
            return scaled;
        }
        let at = Literal::usize_unsuffixed(at);
        quote! { #at + #scaled }
    };
    let (here, behind) = (stepped(at), stepped(at + 1));
    let between = (gap > 0).then(|| {
        let (last, gaps) = (Literal::usize_unsuffixed(count - 1), Literal::usize_unsuffixed(gap));
        quote! {
            if #i < #last {
                for gap in 0..#gaps {
                    __fixed::fill(&mut dst[#behind + gap], __FILL);
                }
            }
        }
    });
    let count = Literal::usize_unsuffixed(count);
    quote! {
        for #i in 0..#count {
            #between
            let (src, dst) = (&src[#from], &mut dst[#here]);
            #inside
        }
    }
}

/// Generates the code of the innermost axis.
fn row(level: &Level, rows: &Rows, unit: usize) -> TokenStream {
    let (cut, fill) = match unit {
        1 => (None, quote! { __FILL }),
        _ => {
            let unit = Literal::usize_unsuffixed(unit);
            (Some(rows.cut(level.src, level.dst)), quote! { [__FILL; #unit] })
        }
    };
    let steps = level.segments.iter().map(|&(at, segment)| match segment {
        Segment::Fill { count } => {
            let dst = part_mut(at, count, level.dst);
            quote! { __fixed::fill(#dst, #fill); }
        }
        Segment::Again { from, step, count } => again(at, (from, step), count),
        Segment::Source { from, step, count, gap: 0 } => {
            let dst = part_mut(at, count, level.dst);
            match step {
                1 => {
                    let src = part(from as usize, count, level.src);
                    quote! { __fixed::copy(#src, #dst); }
                }
                -1 => {
                    let src = part(from as usize + 1 - count, count, level.src);
                    quote! { __fixed::reverse(#src, #dst); }
                }
                _ => {
                    let from = Literal::usize_unsuffixed(from as usize);
                    quote! { __fixed::fill(#dst, src[#from]); }
                }
            }
        }
        Segment::Source { from, step, count, gap } => {
            let dst = part_mut(at, segment.positions(), level.dst);
            let (src, name) = match step {
                -1 => (part(from as usize + 1 - count, count, level.src), quote! { spread_reverse }),
                _ => (part(from as usize, count, level.src), quote! { spread }),
            };
            let every = Literal::usize_unsuffixed(gap + 1);
            quote! { __fixed::#name::<#every, _, _, _>(#src, #dst, #fill); }
        }
    });
    quote! {
        #cut
        #(#steps)*
    }
}

/// Generates the copy of `count` earlier output positions, which begin at `from`, to the positions from `at` on.
fn again(at: usize, (from, step): (usize, isize), count: usize) -> TokenStream {
    let name = match step {
        1 => quote! { again },
        -1 => quote! { again_reverse },
        _ => quote! { again_held },
    };
    let [from, at, count] = [from, at, count].map(Literal::usize_unsuffixed);
    quote! { __fixed::#name::<#from, #at, #count, _, _>(dst); }
}

/// Generates the expression for the `count` positions of `src` from `at` on.
pub(super) fn part(at: usize, count: usize, len: usize) -> TokenStream {
    if count == len {
        return quote! { src };
    }
    let (at, count) = (Literal::usize_unsuffixed(at), Literal::usize_unsuffixed(count));
    quote! { __fixed::part::<#at, #count, _, _>(src) }
}

/// Generates the expression for the `count` positions of `dst` from `at` on.
pub(super) fn part_mut(at: usize, count: usize, len: usize) -> TokenStream {
    if count == len {
        return quote! { dst };
    }
    let (at, count) = (Literal::usize_unsuffixed(at), Literal::usize_unsuffixed(count));
    quote! { __fixed::part_mut::<#at, #count, _, _>(dst) }
}

pub(super) fn array(element: &impl quote::ToTokens, len: usize) -> TokenStream {
    let len = Literal::usize_unsuffixed(len);
    quote! { [#element; #len] }
}
