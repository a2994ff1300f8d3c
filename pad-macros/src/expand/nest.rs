//! Loop nests, written out per rank.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{lower, module_name, only_on};
use crate::model::{Isa, Table, Width};

/// Axes whose rows are inline; the nests of higher ranks call the plane of this one.
const PLANE: usize = 2;

/// The kernels of a rank, mode and instruction set, one a width.
pub(super) fn module(table: &Table, isa: &Isa, mode: &Ident, rank: usize) -> TokenStream {
    let name = module_name(rank, mode, isa);
    let cfg = only_on(isa);
    let doc = format!("Rank {rank}, {}, {}.", lower(mode), lower(&isa.name));
    let mut kernels: Vec<_> =
        table.widths.iter().map(|width| kernel(isa, mode, rank, &bytes(width, isa))).collect();
    if isa.needs.is_none() && !table.packed.is_empty() {
        kernels.push(kernel(isa, mode, rank, &bits()));
    }
    quote! {
        #cfg
        #[doc = #doc]
        mod #name {
            use super::*;
            #(#kernels)*
        }
    }
}

/// The name of the kernel of a width: `bytes4`, `bytes`.
pub(super) fn kernel_name(width: &Width) -> Ident {
    match width.bytes {
        Some(bytes) => format_ident!("bytes{bytes}"),
        None => format_ident!("bytes"),
    }
}

/// The name of the kernel of packed types.
pub(super) fn packed_name() -> Ident {
    format_ident!("bits")
}

/// A kernel's name and the sink it writes to.
struct Target {
    name: Ident,
    sink: TokenStream,
    new: TokenStream,
}

fn bytes(width: &Width, isa: &Isa) -> Target {
    let (name, word, vector) = (kernel_name(width), &width.name, &isa.name);
    Target {
        name,
        sink: quote! { ByteSink<'_, #word, #vector> },
        new: quote! { ByteSink::<#word, #vector>::new(job) },
    }
}

fn bits() -> Target {
    Target { name: packed_name(), sink: quote! { BitSink }, new: quote! { BitSink::new(job) } }
}

/// The entry of a kernel, and for rank 2 the plane it shares with the higher ranks.
fn kernel(isa: &Isa, mode: &Ident, rank: usize, target: &Target) -> TokenStream {
    let Target { name, sink, new } = target;
    let features = features(isa);
    let plane = plane_name(name);
    let axes: Vec<_> = (0..rank).map(|axis| format_ident!("axis{axis}")).collect();
    let (start_src, start_dst) = (quote! { job.src_offset }, quote! { job.dst_offset });
    let (bind, body) = match rank {
        1 => (
            Some(quote! { let [axis0] = job.axes else { return }; }),
            quote! {
                let row_plan = RowPlan::<#mode>::new(axis0, sink.unit());
                rows(&mut sink, &row_plan, (#start_src, 0), (#start_dst, 0), 1, 0);
            },
        ),
        PLANE => (
            Some(quote! { let Some(([], axes)) = job.axes.split_last_chunk() else { return }; }),
            quote! {
                let row_plan = RowPlan::new(&axes[1], sink.unit());
                #plane(&mut sink, axes, &row_plan, (#start_src, 0), (#start_dst, 0), 1, 0);
            },
        ),
        _ => {
            let module = module_name(PLANE, mode, isa);
            let cursors = &axes[..rank - PLANE];
            let around = |depth, axis: &_, inside| {
                let stepped = if depth + 1 == cursors.len() { stretch_loop } else { cursor_loop };
                stepped(mode, axis, depth, inside)
            };
            let nest = nest(cursors, around, quote! { super::#module::#plane });
            (
                Some(quote! {
                    let Some((outer, inner)) = job.axes.split_last_chunk() else { return };
                    let [#(#cursors),*] = outer else { return };
                }),
                quote! {
                    let row_plan = RowPlan::new(&inner[1], sink.unit());
                    #nest
                },
            )
        }
    };
    let plane = (rank == PLANE).then(|| {
        quote! {
            /// `count` planes, with `between` atoms of fill between each two if the sink is sequential.
            ///
            /// # Safety
            ///
            /// - As for a kernel, with two axes from these offsets on.
            #features
            #[inline(never)]
            pub(super) unsafe fn #plane(
                sink: &mut #sink,
                axes: &[Axis; 2],
                row_plan: &RowPlan<'_, #mode>,
                (mut src, src_step): (isize, isize),
                (mut dst, dst_step): (isize, isize),
                count: usize,
                between: usize,
            ) {
                let axis0 = &axes[0];
                // SAFETY: the axes reach what the caller vouches for.
                unsafe {
                    if planes(sink, axis0, row_plan, (src, src_step), dst, count, between) {
                        return;
                    }
                    for plane in 0..count {
                        if plane > 0 {
                            sink.fill(between);
                        }
                        let mut cursor0 = Cursor::<#mode>::new(axis0);
                        let (mut dst0, mut left) = (dst, axis0.out);
                        while left > 0 {
                            let stretch = cursor0.stretch(left, sink.sequential());
                            let Stretch { from, step, count, gap } = stretch;
                            match from {
                                Some(offset) => {
                                    let between = gap * axis0.dst_stride as usize;
                                    let (src, dst) = ((src + offset, step), (dst0, axis0.dst_stride + between as isize));
                                    rows(sink, row_plan, src, dst, count, between);
                                }
                                None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                            }
                            let positions = stretch.positions();
                            dst0 = dst0.wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                            left -= positions;
                        }
                        src = src.wrapping_add(src_step);
                        dst = dst.wrapping_add(dst_step);
                    }
                }
            }
        }
    });
    quote! {
        #plane

        /// # Safety
        ///
        /// - The contract of a [`Job`].
        #features
        pub(super) unsafe fn #name(job: &Job<'_>) {
            #bind
            let mut sink = #new;
            // SAFETY: the axes reach what the job vouches for.
            unsafe {
                #body
                sink.finish();
            }
        }
    }
}

/// A loop nest: each axis goes around those inside it, and the last around `innermost`.
pub(super) fn nest<A>(
    axes: &[A],
    around: impl Fn(usize, &A, TokenStream) -> TokenStream,
    innermost: TokenStream,
) -> TokenStream {
    axes.iter().enumerate().rfold(innermost, |inside, (depth, axis)| around(depth, axis, inside))
}

/// The loop over the axis around the planes, which takes those at even distances at once.
fn stretch_loop(mode: &Ident, axis: &Ident, depth: usize, plane: TokenStream) -> TokenStream {
    let (cursor, left, here) =
        (format_ident!("cursor{depth}"), format_ident!("left{depth}"), format_ident!("dst{depth}"));
    let (src, dst) = outer_offsets(depth);
    quote! {
        let mut #cursor = Cursor::<#mode>::new(#axis);
        let (mut #here, mut #left) = (#dst, #axis.out);
        while #left > 0 {
            let stretch = #cursor.stretch(#left, sink.sequential());
            let Stretch { from, step, count, gap } = stretch;
            match from {
                Some(offset) => {
                    let between = gap * #axis.dst_stride as usize;
                    let (src, dst) = ((#src + offset, step), (#here, #axis.dst_stride + between as isize));
                    #plane(&mut sink, inner, &row_plan, src, dst, count, between);
                }
                None => fill_rows(&mut sink, #axis, inner, #here, count),
            }
            let positions = stretch.positions();
            #here = #here.wrapping_add(#axis.dst_stride.wrapping_mul(positions as isize));
            #left -= positions;
        }
    }
}

/// The offsets that the loop at `depth` starts from.
fn outer_offsets(depth: usize) -> (TokenStream, TokenStream) {
    match depth.checked_sub(1) {
        None => (quote! { job.src_offset }, quote! { job.dst_offset }),
        Some(outer) => {
            let (src, dst) = (format_ident!("src{outer}"), format_ident!("dst{outer}"));
            (quote! { #src }, quote! { #dst })
        }
    }
}

/// The loop over an axis whose mode is stepped along at run time, around `inside`.
///
/// Where the cursor says fill, so is all that is inside.
fn cursor_loop(mode: &Ident, axis: &Ident, depth: usize, inside: TokenStream) -> TokenStream {
    let inner = depth + 1;
    let cursor = format_ident!("cursor{depth}");
    let (src_here, dst_here) = (format_ident!("src{depth}"), format_ident!("dst{depth}"));
    let (src, dst) = outer_offsets(depth);
    quote! {
        let mut #cursor = Cursor::<#mode>::new(#axis);
        let mut #dst_here = #dst;
        for _ in 0..#axis.out {
            match #cursor.next() {
                Some(offset) => {
                    let #src_here = #src + offset;
                    #inside
                }
                None => fill_block(&mut sink, &job.axes[#inner..], #dst_here, #axis.dst_stride),
            }
            #dst_here = #dst_here.wrapping_add(#axis.dst_stride);
        }
    }
}

fn plane_name(kernel: &Ident) -> Ident {
    format_ident!("{kernel}_plane")
}

fn features(isa: &Isa) -> Option<TokenStream> {
    let (_, features) = isa.needs.as_ref()?;
    Some(quote! { #[target_feature(enable = #features)] })
}
