//! The loop that one would write without this library: element by element, in safe Rust.

use bytemuck::Pod;
use pad_kernels::{AxisPad, PadMode, tensor::ElementSize};

use crate::case::Case;
use crate::workload::Workload;

/// Pads `src` into `dst` for elements of whole bytes.
pub fn pad<T: Pod>(workload: &Workload, src: &[T], fill: T, dst: &mut [T]) {
    let mut at = 0;
    walk(workload, 0, Some(0), &mut |source| {
        dst[at] = source.map_or(fill, |i| src[i]);
        at += 1;
    });
}

/// Pads a packed `src` into `dst`.
pub fn pad_packed(workload: &Workload, bits: usize, src: &[u8], fill: u8, dst: &mut [u8]) {
    dst.fill(0);
    let mask = (1 << bits) - 1;
    let mut at = 0;
    walk(workload, 0, Some(0), &mut |source| {
        let element = source.map_or(fill, |i| src[i * bits / 8] >> (i * bits % 8)) & mask;
        dst[at * bits / 8] |= element << (at * bits % 8);
        at += 1;
    });
}

/// The same for the bytes of a case.
pub fn pad_bytes(case: &Case, dst: &mut [u8]) {
    fn typed<T: Pod>(case: &Case, dst: &mut [u8]) {
        let fill = bytemuck::pod_read_unaligned(&case.workload.fill);
        pad::<T>(&case.workload, bytemuck::cast_slice(case.input()), fill, bytemuck::cast_slice_mut(dst));
    }
    match case.workload.dtype.element_size() {
        ElementSize::Bytes(1) => typed::<u8>(case, dst),
        ElementSize::Bytes(2) => typed::<u16>(case, dst),
        ElementSize::Bytes(4) => typed::<u32>(case, dst),
        ElementSize::Bytes(8) => typed::<u64>(case, dst),
        ElementSize::Bytes(_) => typed::<u128>(case, dst),
        ElementSize::Bits(bits) => pad_packed(&case.workload, bits, case.input(), case.workload.fill[0], dst),
        ElementSize::Cloned => unreachable!("the loader takes no text"),
    }
}

/// Visits the output in order from `axis` on; `base` is the input's number so far, or `None` in the fill.
fn walk(workload: &Workload, axis: usize, base: Option<usize>, visit: &mut impl FnMut(Option<usize>)) {
    let Some(&length) = workload.shape.get(axis) else { return visit(base) };
    let pad = workload.pads[axis];
    let out = (length as i64 - 1).max(0) * pad.interior as i64 + length as i64 + pad.low + pad.high;
    let source = |o| Some(base? * length + source(o, length as i64, pad, workload.mode)?);
    if axis + 1 == workload.shape.len() {
        for o in 0..out {
            visit(source(o));
        }
    } else {
        for o in 0..out {
            walk(workload, axis + 1, source(o), visit);
        }
    }
}

/// Where output position `o` of an axis comes from.
fn source(o: i64, length: i64, pad: AxisPad, mode: PadMode) -> Option<usize> {
    let step = pad.interior as i64 + 1;
    let mut len = (length - 1) * step + 1;
    let mut t = o - pad.low;
    let mut start = 0;
    if mode == PadMode::Wrap {
        // What a negative pad removes is not repeated.
        start = (-pad.low).max(0);
        len -= start + (-pad.high).max(0);
        t -= start;
    }
    if t < 0 || t >= len {
        t = match mode {
            PadMode::Constant => return None,
            PadMode::Edge => t.clamp(0, len - 1),
            PadMode::Wrap => t.rem_euclid(len),
            PadMode::Symmetric => {
                let t = t.rem_euclid(2 * len);
                t.min(2 * len - 1 - t)
            }
            PadMode::Reflect if len == 1 => 0,
            PadMode::Reflect => {
                let t = t.rem_euclid(2 * (len - 1));
                t.min(2 * (len - 1) - t)
            }
        };
    }
    let t = start + t;
    (t % step == 0).then_some((t / step) as usize)
}
