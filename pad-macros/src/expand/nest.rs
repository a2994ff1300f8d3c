//! Generates the nests of the kernels: nested loops, one for each axis.
//!
//! A nest iterates over the outer axes. The inner axes form blocks, which the output type copies as a whole. `depth` is the number of axes
//! around the blocks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{features, lower, module_name, only_on};
use crate::model::{Isa, Table, Width};

/// Generates the kernels for one rank and one instruction set. There is one kernel for each width of an element. All widths and modes share
/// one nest, because the nest reads the segments of the axes.
pub(super) fn module(table: &Table, isa: &Isa, rank: usize) -> TokenStream {
    let name = module_name(rank, isa);
    let cfg = only_on(isa);
    let doc = format!("Rank {rank}, {}.", lower(&isa.name));
    let mut kernels = vec![kernel(isa, rank, &bytes(isa))];
    kernels.extend(table.widths.iter().map(|width| kernel_of(isa, width)));
    if isa.needs.is_none() && !table.packed.is_empty() {
        kernels.push(kernel(isa, rank, &bits(rank)));
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

/// Names the kernel of a width, such as `bytes4`, or `bytes` for any width.
pub(super) fn kernel_name(width: &Width) -> Ident {
    match width.bytes {
        Some(bytes) => format_ident!("bytes{bytes}"),
        None => format_ident!("bytes"),
    }
}

/// Names the kernel of packed types.
pub(super) fn packed_name() -> Ident {
    format_ident!("bits")
}

/// Generates the kernel of one width. The kernel calls the nest with the shells of this width.
fn kernel_of(isa: &Isa, width: &Width) -> TokenStream {
    let (features, name) = (features(isa), kernel_name(width));
    let (word, simd) = (&width.name, &isa.name);
    quote! {
        /// # Safety
        ///
        /// - The contract of a [`Job`].
        #features
        pub(super) unsafe fn #name(job: &Job<'_>) {
            // SAFETY: the caller keeps the contract.
            unsafe { any_width(job, const { &Calls::of::<#word, #simd>() }) }
        }
    }
}

/// The properties of a kind of nest. There are two kinds, for bytes and for bits. The properties are the name, the parameters, the output
/// type, its constructor, and the number of axes around the blocks.
struct Target {
    name: Ident,
    params: TokenStream,
    output: TokenStream,
    new: TokenStream,
    depth: TokenStream,
}

fn bytes(isa: &Isa) -> Target {
    let simd = &isa.name;
    Target {
        name: format_ident!("any_width"),
        params: quote! { job: &Job<'_>, calls: &'static Calls },
        output: quote! { Bytes<'_, #simd> },
        new: quote! { Bytes::<#simd>::new(job, calls) },
        depth: quote! { job.blocks.depth },
    }
}

fn bits(rank: usize) -> Target {
    let depth = rank - 1;
    Target {
        name: packed_name(),
        params: quote! { job: &Job<'_> },
        output: quote! { Bits<'_> },
        new: quote! { Bits::new(job) },
        depth: quote! { #depth },
    }
}

/// Generates a nest. From rank 2 on, the nest contains the loop over its outermost axis, which calls the loop of the next lower rank.
fn kernel(isa: &Isa, rank: usize, target: &Target) -> TokenStream {
    let Target { name, params, output, new, depth } = target;
    let features = features(isa);
    let axes_name = format_ident!("{name}_axes");
    let around = (rank > 1).then(|| axis_loop(isa, rank, target));
    let outer = 0..rank - 1;
    let nest = if rank > 1 {
        quote! {
            if depth > 0 {
                let segments = [#(axes[#outer].segments()),*];
                #axes_name(&mut output, axes, &segments, depth, src, dst);
            } else {
                output.all(src, dst);
            }
        }
    } else {
        quote! {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
        }
    };
    quote! {
        #around

        /// # Safety
        ///
        /// - The contract of a [`Job`].
        #features
        #[inline(never)]
        pub(super) unsafe fn #name(#params) {
            let axes = axes_of::<#rank>(&job.nest.axes);
            let depth = #depth;
            let (src, dst) = (job.nest.src, job.nest.dst);
            let mut output: #output = #new;
            // SAFETY: the job guarantees that its axes stay within both arrays.
            unsafe {
                #nest
                output.finish();
            }
        }
    }
}

/// Generates the loop over the segments of the outermost of `rank` axes. If more axes lie around the blocks, it calls the loop of the next
/// lower rank. Otherwise, it copies blocks.
fn axis_loop(isa: &Isa, rank: usize, target: &Target) -> TokenStream {
    let Target { name, output, .. } = target;
    let features = features(isa);
    let axes_name = format_ident!("{name}_axes");
    let outer = rank - 1;
    let blocks = quote! {
        let (src, step) = (src + from * axis.src_stride, step * axis.src_stride);
        output.blocks(#rank, src, step, dst, count, gap);
    };
    let source = if rank > 2 {
        let below = module_name(rank - 1, isa);
        quote! {
            if depth == 1 {
                #blocks
            } else {
                let pitch = (gap as isize + 1) * stride;
                // A replicated position is written once, and then copied.
                let made = if step == 0 && gap == 0 && is_dense { 1 } else { count };
                for i in 0..made as isize {
                    let (src, dst) = (src + (from + i * step) * axis.src_stride, dst + i * pitch);
                    if i > 0 && gap > 0 {
                        output.fill(#rank, dst - gap as isize * stride, gap);
                    }
                    super::#below::#axes_name(output, inner, of_inner, depth - 1, src, dst);
                }
                if made < count {
                    output.again(stride, dst + stride, (count - 1) as isize * stride);
                }
            }
        }
    } else {
        blocks
    };
    let (inner, of_inner, unused) = match rank {
        2 => (quote! { _ }, None, quote! { debug_assert_eq!(depth, 1); }),
        _ => (quote! { inner @ .. }, Some(quote! { , of_inner @ .. }), quote! {}),
    };
    quote! {
        /// Pads these axes, from the places `src` and `dst`. The blocks start `depth` axes further in.
        ///
        /// # Safety
        ///
        /// - The contract of a [`Job`] with these axes and places.
        #features
        #[inline(never)]
        pub(super) unsafe fn #axes_name(
            output: &mut #output,
            axes: &[Axis; #rank],
            segments: &[Segments; #outer],
            depth: usize,
            src: isize,
            dst: isize,
        ) {
            let ([axis, #inner], [of_axis #of_inner]) = (axes, segments);
            #unused
            let (stride, is_dense) = (axis.dst_stride, output.is_dense());
            let mut at = dst;
            for segment in pieces(of_axis, is_dense) {
                let (begin, dst) = (dst, at);
                // SAFETY: the caller guarantees that the axes stay within both arrays.
                unsafe {
                    match segment {
                        Segment::Fill { count } => output.fill(#rank, dst, count),
                        Segment::Again { from, count, .. } => {
                            output.again(dst - begin - from as isize * stride, dst, count as isize * stride);
                        }
                        Segment::Source { from, step, count, gap } => {
                            #source
                        }
                    }
                }
                // The end of the last segment may lie beyond the last address, so the addition wraps.
                at = at.wrapping_add((segment.positions() as isize).wrapping_mul(stride));
            }
        }
    }
}
