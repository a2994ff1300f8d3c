//! Generates the functions of `fixed_pad!`. They pad arrays of a known shape, in loops with constant bounds.
//!
//! For example, a function pads `[a b c]` by one zero on each side. It fills element 0, copies three elements to element 1, and
//! fills element 4. With more axes, each axis is a loop around the axes inside of it. All elements at one position of an axis
//! form a row.
//!
//! The generated code is safe. It cuts arrays into rows and smaller arrays, and copies between them. All bounds are constants,
//! and `pad-kernels` asserts them during compilation.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Type;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::adjoint;
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
    let fill = match fill {
        Fill::Given(fill) => Some(quote! { const __FILL: #element = #fill; }),
        Fill::Zero(at) => {
            let zero = located(quote! { __fixed::zero() }, *at);
            Some(quote! { const __FILL: #element = #zero; })
        }
        Fill::Unneeded => None,
    };
    let body = located(body(function), element.span());
    let body = quote! { #fill #body };
    let lengths = [function.input_len(), function.output_len()];
    let item = item(krate, function, name, (["src", "dst"], lengths), "run_batch", &body);
    let adjoint = function.adjoint.as_ref().map(|adjoint| adjoint::function(krate, function, adjoint));
    let of_module = attrs.iter().filter(|attr| {
        let list = attr.meta.require_list();
        list.is_ok_and(|list| ["allow", "cfg", "doc"].iter().any(|name| list.path.is_ident(name)))
    });
    let of = if *batch { "one item of the batch" } else { "a tensor" };
    let unraw = name.unraw();
    let module_doc = format!(" The sizes of [`{unraw}`](fn@{unraw}): of {of} before and after.");
    let [input_doc, output_doc, input_len_doc, output_len_doc] = [
        format!(" The shape of {of} that is padded."),
        format!(" The shape of {of} once it is padded."),
        format!(" Elements of {of} that is padded."),
        format!(" Elements of {of} once it is padded."),
    ];
    let rank = literal(input.len());
    let [input, output] = [input, output].map(|lengths| {
        let lengths = lengths.iter().copied().map(literal);
        quote! { [#(#lengths),*] }
    });
    let [input_len, output_len] = lengths.map(literal);
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #item

        #adjoint

        #(#of_module)*
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

/// Moves the tokens to `at`, where the compiler then reports their errors.
pub(super) fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let located = |token| {
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), located(group.stream(), at)).into(),
            other => other,
        };
        token.set_span(token.span().located_at(at));
        token
    };
    tokens.into_iter().map(located).collect()
}

/// Generates the function `name` with two parameters, given as their names and their lengths. The code `body` reads the first
/// parameter as `src`, and writes the second one as `dst`. `run_batch` names the function that runs the body on each tensor of a
/// batch.
pub(super) fn item(
    krate: &TokenStream,
    function: &Function,
    name: &Ident,
    (parameters, lengths): ([&str; 2], [usize; 2]),
    run_batch: &str,
    body: &TokenStream,
) -> TokenStream {
    let Function { vis, element, batch, .. } = function;
    let [from, to] = parameters.map(|name| format_ident!("{name}"));
    let [src, dst] = lengths.map(|length| array(element, length));
    let run_batch = format_ident!("{run_batch}");
    // The generated code is a function of its own, so that `__fixed::run` can compile it for several instruction sets.
    let nest = quote! {
        use #krate::__fixed;
        #[inline(always)]
        fn __nest(src: &#src, dst: &mut #dst) {
            #body
        }
    };
    if *batch {
        quote! {
            #vis fn #name(
                #from: &[#element],
                #to: &mut [#element],
            ) -> ::core::result::Result<(), #krate::PadError> {
                #nest
                __fixed::#run_batch(__nest, #from, #to)
            }
        }
    } else {
        quote! {
            #vis fn #name(#from: &#src, #to: &mut #dst) {
                #nest
                __fixed::run(__nest, #from, #to);
            }
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
        Fill::Zero(_) => " with fill zero".to_string(),
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
    docs.extend(batch.then(|| errors("src", "dst")).into_iter().flatten());
    docs
}

/// Returns the documentation of the errors of a function for batches.
pub(super) fn errors(from: &str, to: &str) -> [String; 4] {
    [
        String::new(),
        " # Errors".to_string(),
        String::new(),
        format!(
            " If `{from}` is no whole number of tensors, or `{to}` not the same number; nothing is written then."
        ),
    ]
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
    let row = row(innermost, &rows[outer.len()], function.unit);
    outer.iter().enumerate().rfold(row, |inside, (depth, level)| {
        let with_fill = depth + 1 == outer.len() && !matches!(function.fill, Fill::Unneeded);
        let cells = if with_fill { cells(innermost, function.unit) } else { None };
        outer_axis(depth, level, &rows[depth], cells, &inside)
    })
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

    /// Lets several loops run the code `inside`, which writes one row, although this code is generated only once. If there are
    /// several loops, returns a function that contains the code. Also returns the code that a loop runs for each row: a call of
    /// the function, or `inside` itself.
    pub(super) fn shared(
        &self,
        depth: usize,
        loops: usize,
        inside: &TokenStream,
    ) -> (Option<TokenStream>, TokenStream) {
        if loops <= 1 {
            return (None, inside.clone());
        }
        let (name, Rows { src, dst }) = (format_ident!("__inside{depth}"), self);
        let shared = quote! {
            #[inline(always)]
            fn #name(src: &#src, dst: &mut #dst) {
                #inside
            }
        };
        (Some(shared), quote! { #name(src, dst); })
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
    let (shared, inside) = rows.shared(depth, loops.count(), inside);
    let steps = level.segments.iter().map(|&(at, segment)| match segment {
        Segment::Fill { count } => {
            let dst = part_mut(at, count, level.dst);
            quote! { __fixed::fill_rows(#dst, __FILL); }
        }
        Segment::Again { from, step, count } => again(at, (from, step), count),
        Segment::Source { from, step, count, gap } => {
            if let Some([head, first, body]) = is_cells(segment) {
                let (src, dst) = (part(from as usize, count, level.src), part_mut(at, count, level.dst));
                let [head, first, body] = [head, first, body].map(literal);
                return quote! { __fixed::cells::<#head, #first, #body, _, _, _, _>(#src, #dst, __FILL); };
            }
            let every = gap + 1;
            let between = (gap > 0).then(|| {
                let [last, gaps] = [count - 1, gap].map(literal);
                let (i, behind) = (index(depth), place(depth, (at + 1, every as isize)));
                quote! {
                    if #i < #last {
                        for gap in 0..#gaps {
                            __fixed::fill(&mut dst[#behind + gap], __FILL);
                        }
                    }
                }
            });
            row_loop(depth, count, (from as usize, step), (at, every as isize), (between, &inside))
        }
    });
    let cut = rows.cut(level.src, level.dst);
    quote! {
        #cut
        #shared
        #(#steps)*
    }
}

/// Generates the loop over `count` rows. The code `inside` writes one row, and the code `between` runs before it. `from` holds
/// the index of the first row in `src` and the distance to the next row. `to` holds this index and this distance in `dst`.
pub(super) fn row_loop(
    depth: usize,
    count: usize,
    from: (usize, isize),
    to: (usize, isize),
    (between, inside): (Option<TokenStream>, &TokenStream),
) -> TokenStream {
    let rows = |from: TokenStream, to: TokenStream| {
        quote! {
            let (src, dst) = (&src[#from], &mut dst[#to]);
            #inside
        }
    };
    if count == 1 {
        let rows = rows(place(depth, (from.0, 0)), place(depth, (to.0, 0)));
        return quote! {{ #rows }};
    }
    let rows = rows(place(depth, from), place(depth, to));
    let (i, count) = (index(depth), literal(count));
    quote! {
        for #i in 0..#count {
            #between
            #rows
        }
    }
}

/// Names the variable that counts the rows of a loop.
fn index(depth: usize) -> Ident {
    format_ident!("i{depth}")
}

/// Generates the expression `first + step * i`, in which `i` is the variable of the loop at `depth`.
fn place(depth: usize, (first, step): (usize, isize)) -> TokenStream {
    let (i, start, by) = (index(depth), literal(first), literal(step.unsigned_abs()));
    let scaled = if step.abs() == 1 {
        quote! { #i }
    } else {
        quote! { #by * #i }
    };
    match (first, step) {
        (_, 0) => quote! { #start },
        (0, 1..) => scaled,
        (_, 1..) => quote! { #start + #scaled },
        _ => quote! { #start - #scaled },
    }
}

/// Generates the code of the innermost axis.
fn row(level: &Level, rows: &Rows, unit: usize) -> TokenStream {
    let (cut, fill) = match unit {
        1 => (None, quote! { __FILL }),
        _ => {
            let unit = literal(unit);
            (Some(rows.cut(level.src, level.dst)), quote! { [__FILL; #unit] })
        }
    };
    let steps = level.segments.iter().map(|&(at, segment)| match segment {
        Segment::Fill { count } => {
            let dst = part_mut(at, count, level.dst);
            quote! { __fixed::fill(#dst, #fill); }
        }
        Segment::Again { from, step, count } => again(at, (from, step), count),
        Segment::Source { from, step: 0, count, gap: 0 } => {
            let (dst, from) = (part_mut(at, count, level.dst), literal(from as usize));
            quote! { __fixed::fill(#dst, src[#from]); }
        }
        Segment::Source { from, step, count, gap: 0 } => {
            moved((from as usize, step), count, 1, level.src, &part_mut(at, count, level.dst))
        }
        Segment::Source { from, step, count, gap } => {
            let dst = part_mut(at, segment.positions(), level.dst);
            let back = step < 0;
            let src = part(if back { from as usize + 1 - count } else { from as usize }, count, level.src);
            let every = literal(gap + 1);
            quote! { __fixed::spread::<#every, #back, _, _, _>(#src, #dst, #fill); }
        }
    });
    quote! {
        #cut
        #(#steps)*
    }
}

/// Generates the copy of `count` units from a row of `len` elements. The first unit is unit `at`, and consecutive units are
/// `step` units apart.
pub(super) fn moved(
    (at, step): (usize, isize),
    count: usize,
    unit: usize,
    len: usize,
    dst: &TokenStream,
) -> TokenStream {
    let apart = step.unsigned_abs();
    let span = (count - 1) * apart + 1;
    let lowest = if step < 0 { at + 1 - span } else { at };
    let src = part(lowest * unit, span * unit, len);
    if count == 1 || step == 1 {
        return quote! { __fixed::copy(#src, #dst); };
    }
    let (src, dst) = if unit == 1 {
        (src, dst.clone())
    } else {
        let (from, to) = (units(quote! { rows }, unit, span), units(quote! { rows_mut }, unit, count));
        (quote! { #from(#src) }, quote! { #to(#dst) })
    };
    let (apart, back) = (literal(apart), step < 0);
    match step {
        -1 => quote! { __fixed::reverse(#src, #dst); },
        _ => quote! { __fixed::gather::<#apart, #back, _, _, _>(#src, #dst); },
    }
}

/// Names the function that cuts a row into `count` units.
pub(super) fn units(name: TokenStream, unit: usize, count: usize) -> TokenStream {
    let [unit, count] = [unit, count].map(literal);
    quote! { __fixed::#name::<_, #unit, #count, _> }
}

/// Generates the copy of `count` earlier output positions, which begin at `from`, to the positions from `at` on.
fn again(at: usize, (from, step): (usize, isize), count: usize) -> TokenStream {
    let name = match step {
        1 => quote! { again },
        -1 => quote! { again_reverse },
        _ => quote! { again_held },
    };
    let [from, at, count] = [from, at, count].map(literal);
    quote! { __fixed::#name::<#from, #at, #count, _, _>(dst); }
}

/// Generates the expression for the `count` positions of `src` from `at` on.
fn part(at: usize, count: usize, len: usize) -> TokenStream {
    part_of(quote! { src }, quote! { part }, at, count, len)
}

/// Generates the expression for the `count` positions of `dst` from `at` on.
pub(super) fn part_mut(at: usize, count: usize, len: usize) -> TokenStream {
    part_of(quote! { dst }, quote! { part_mut }, at, count, len)
}

fn part_of(array: TokenStream, name: TokenStream, at: usize, count: usize, len: usize) -> TokenStream {
    if count == len {
        return array;
    }
    let [at, count] = [at, count].map(literal);
    quote! { __fixed::#name::<#at, #count, _, _>(#array) }
}

pub(super) fn array(element: &impl quote::ToTokens, len: usize) -> TokenStream {
    let len = literal(len);
    quote! { [#element; #len] }
}

/// Returns the number without the suffix `usize`.
pub(super) fn literal(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}
