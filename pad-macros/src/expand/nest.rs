//! Loop nests, written out per rank.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{features, lower, module_name, only_on};
use crate::model::{Isa, Table, Width};

/// The kernels of a rank, mode and instruction set, one a width.
pub(super) fn module(table: &Table, isa: &Isa, mode: &Ident, rank: usize) -> TokenStream {
    let name = module_name(rank, mode, isa);
    let cfg = only_on(isa);
    let doc = format!("Rank {rank}, {}, {}.", lower(mode), lower(&isa.name));
    let mut kernels: Vec<_> =
        table.widths.iter().map(|width| kernel(isa, mode, rank, &bytes(width, isa))).collect();
    if isa.needs.is_none() && !table.packed.is_empty() {
        kernels.push(kernel(isa, mode, rank, &bits(rank)));
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

/// A kernel's name and the output it writes.
struct Target {
    name: Ident,
    output: TokenStream,
}

fn bytes(width: &Width, isa: &Isa) -> Target {
    let (name, word, simd) = (kernel_name(width), &width.name, &isa.name);
    let output = quote! {
        let depth = job.blocks.depth;
        let mut output = Bytes::<#word, #simd>::new(job);
    };
    Target { name, output }
}

fn bits(rank: usize) -> Target {
    let depth = rank - 1;
    let output = quote! {
        let depth = #depth;
        let mut output = Bits::new(job);
    };
    Target { name: packed_name(), output }
}

/// A kernel: a loop for each axis but the innermost, around the blocks that are inside.
fn kernel(isa: &Isa, mode: &Ident, rank: usize, target: &Target) -> TokenStream {
    let Target { name, output } = target;
    let features = features(isa);
    let axes: Vec<_> = (0..rank - 1).collect();
    let segments: Vec<_> = axes.iter().map(|axis| format_ident!("segments{axis}")).collect();
    let outermost =
        nest(&axes, |_, &axis, inside| axis_loop(axis, axis + 2 < rank, &inside), TokenStream::new());
    quote! {
        /// # Safety
        ///
        /// - The contract of a [`Job`].
        #features
        pub(super) unsafe fn #name(job: &Job<'_>) {
            let axes = axes_of::<#rank>(&job.nest.axes);
            #output
            let (src, dst) = (job.nest.src, job.nest.dst);
            // SAFETY: the axes reach what the job vouches for.
            unsafe {
                if depth == 0 {
                    output.all(src, dst);
                    return output.finish();
                }
                let is_dense = output.is_dense();
                #(let #segments = #mode::segments(&axes[#axes]);)*
                #outermost
                output.finish();
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

/// The loop over the segments of an axis, around what is inside of it: blocks, or if it `is_outer` the next axis.
fn axis_loop(axis: usize, is_outer: bool, inside: &TokenStream) -> TokenStream {
    let segments = format_ident!("segments{axis}");
    let depth = axis + 1;
    let blocks = quote! { output.blocks(#axis, from, step, dst, count, gap); };
    let source = if is_outer {
        quote! {
            if depth == #depth {
                #blocks
            } else {
                let pitch = (gap as isize + 1) * stride;
                // What is held is made once.
                let made = if step == 0 && gap == 0 && is_dense { 1 } else { count };
                for i in 0..made as isize {
                    let (src, dst) = (from + i * step, dst + i * pitch);
                    if i > 0 && gap > 0 {
                        output.fill(#axis, dst - gap as isize * stride, gap);
                    }
                    #inside
                }
                if made < count {
                    output.again(stride, dst + stride, (count - 1) as isize * stride);
                }
            }
        }
    } else {
        blocks
    };
    quote! {
        let stride = axes[#axis].dst_stride;
        let mut at = dst;
        for segment in pieces(&#segments, is_dense) {
            let (begin, dst) = (dst, at);
            match segment {
                Segment::Fill { count } => output.fill(#axis, dst, count),
                Segment::Again { from, count, .. } => {
                    output.again(dst - begin - from as isize * stride, dst, count as isize * stride);
                }
                Segment::Source { from, step, count, gap } => {
                    let (from, step) = (src + from * axes[#axis].src_stride, step * axes[#axis].src_stride);
                    #source
                }
            }
            at += segment.positions() as isize * stride;
        }
    }
}
