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
                rows(&mut sink, &row_plan, (#start_src, 0), (#start_dst, 0), 1);
            },
        ),
        PLANE => (
            Some(quote! { let Some(([], axes)) = job.axes.split_last_chunk() else { return }; }),
            quote! {
                let row_plan = RowPlan::new(&axes[1], sink.unit());
                #plane(&mut sink, axes, &row_plan, #start_src, #start_dst);
            },
        ),
        _ => {
            let module = module_name(PLANE, mode, isa);
            let outer = rank - PLANE;
            let last = outer - 1;
            let (src, dst) = (format_ident!("src{last}"), format_ident!("dst{last}"));
            let call = quote! { super::#module::#plane(&mut sink, inner, &row_plan, #src, #dst); };
            let cursors = &axes[..outer];
            let around = |depth, axis: &_, inside| cursor_loop(mode, axis, depth, inside);
            let nest = nest(cursors, around, call);
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
            /// # Safety
            ///
            /// - As for a kernel, with two axes from these offsets on.
            #features
            #[inline(never)]
            pub(super) unsafe fn #plane(
                sink: &mut #sink,
                axes: &[Axis; 2],
                row_plan: &RowPlan<'_, #mode>,
                src: isize,
                dst: isize,
            ) {
                let axis0 = &axes[0];
                let mut cursor0 = Cursor::<#mode>::new(axis0);
                let (mut dst0, mut left) = (dst, axis0.out);
                while left > 0 {
                    let Stretch { from, step, count } = cursor0.stretch(left);
                    let height = axis0.dst_stride.wrapping_mul(count as isize);
                    // SAFETY: the axes reach what the caller vouches for.
                    unsafe {
                        match from {
                            Some(offset) => {
                                rows(sink, row_plan, (src + offset, step), (dst0, axis0.dst_stride), count);
                            }
                            None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                        }
                    }
                    dst0 = dst0.wrapping_add(height);
                    left -= count;
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

/// The loop over an axis whose mode is stepped along at run time, around `inside`.
///
/// Where the cursor says fill, so is all that is inside.
fn cursor_loop(mode: &Ident, axis: &Ident, depth: usize, inside: TokenStream) -> TokenStream {
    let inner = depth + 1;
    let cursor = format_ident!("cursor{depth}");
    let (src_here, dst_here) = (format_ident!("src{depth}"), format_ident!("dst{depth}"));
    let (src, dst) = match depth.checked_sub(1) {
        None => (quote! { job.src_offset }, quote! { job.dst_offset }),
        Some(outer) => {
            let (src, dst) = (format_ident!("src{outer}"), format_ident!("dst{outer}"));
            (quote! { #src }, quote! { #dst })
        }
    };
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
