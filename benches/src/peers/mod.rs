//! Other libraries of Rust that pad. Each is given what it can do, in the way its documentation says; an entrant says
//! `None` to what its interface cannot express, and what it gets wrong is dropped by the check.

mod burn;
mod candle;
mod ndarray;
mod ndimage;
mod rten;
mod tract;

use bytemuck::Pod;
use pad_kernels::{AxisPad, tensor::ElementSize};

use crate::case::Case;
use crate::competitor::Competitor;
use crate::workload::Workload;

/// The packages whose versions a report names.
pub const PACKAGES: [&str; 6] = ["ndarray-ndimage", "tract-core", "candle-core", "burn", "burn-flex", "rten"];

/// All of them.
pub fn all() -> Vec<Box<dyn Competitor>> {
    let whole = [ndimage::ENTRANT, tract::ENTRANT, candle::ENTRANT, burn::ENTRANT, rten::ENTRANT];
    ndarray::ENTRANTS
        .into_iter()
        .chain(whole)
        .map(|entrant| Box::new(entrant) as Box<dyn Competitor>)
        .collect()
}

/// Calls `$function::<T>($case)` with the type of Rust that stands for the case's dtype, if it is among those named.
macro_rules! typed {
    ($function:ident($case:expr) for $($dtype:ident = $type:ty),* $(,)?) => {
        match $case.workload.dtype {
            $(pad_kernels::DType::$dtype => $function::<$type>($case),)*
            _ => None,
        }
    };
}
use typed;

/// The input as values.
fn input<T: Pod>(case: &Case) -> &[T] {
    bytemuck::cast_slice(case.input())
}

/// Whether all buffers stay within 4 GiB if a peer has `tensors` of its own at a time, beside our input and memcpy's output.
fn room_for(case: &Case, tensors: u64) -> bool {
    (2 + tensors) * case.output_bytes() as u64 <= 4 << 30
}

/// The fill as a value.
fn fill<T: Pod>(case: &Case) -> T {
    bytemuck::pod_read_unaligned(&case.workload.fill)
}

/// The pads, if none is negative and none is interior.
fn borders(workload: &Workload) -> Option<Vec<(usize, usize)>> {
    let border = |pad: &AxisPad| {
        let plain = pad.interior == 0;
        plain.then(|| Some((usize::try_from(pad.low).ok()?, usize::try_from(pad.high).ok()?)))?
    };
    workload.pads.iter().map(border).collect()
}

/// The same workload on bytes, if it is packed and every row begins and ends at one: what a library without packed types
/// would be given.
fn as_bytes(workload: &Workload) -> Option<Workload> {
    let ElementSize::Bits(bits) = workload.dtype.element_size() else { return None };
    let per_byte = 8 / bits;
    let (length, pad) = (*workload.shape.last()?, *workload.pads.last()?);
    let whole = |count: i64| count % per_byte as i64 == 0;
    if !whole(length as i64) || !whole(pad.low) || !whole(pad.high) || pad.interior > 0 {
        return None;
    }
    let mut bytes = workload.clone();
    bytes.dtype = pad_kernels::DType::U8;
    *bytes.shape.last_mut()? = length / per_byte;
    *bytes.pads.last_mut()? = AxisPad::new(pad.low / per_byte as i64, pad.high / per_byte as i64);
    bytes.fill = vec![(0..per_byte).fold(0, |byte, i| byte | workload.fill[0] << (i * bits))];
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::competitor::checked;
    use crate::workload::parse;

    #[test]
    fn packed_rows_become_bytes() {
        let text = r#"[{"id":"a","class":"","dtype":"u4","shape":[3,4],"pads":[[1,0],[0,2]],"mode":"constant","value":8}]"#;
        let workload = parse(text).unwrap().remove(0);
        let of_bytes = as_bytes(&workload).unwrap();
        assert_eq!((of_bytes.shape, of_bytes.fill), (vec![3, 2], vec![0x88]));
        assert_eq!(of_bytes.pads, [AxisPad::new(1, 0), AxisPad::new(0, 1)]);
        let odd = parse(&text.replace("[0,2]", "[0,1]")).unwrap().remove(0);
        assert!(as_bytes(&odd).is_none());
    }

    /// Each peer that says it can do a small workload gives the right bytes, and each can do some.
    #[test]
    fn peers_are_right_on_the_small_workloads() {
        let workloads = parse(include_str!("../../workloads.json")).unwrap();
        let mut able = std::collections::BTreeSet::new();
        for workload in &workloads {
            if workload.output_shape().iter().product::<usize>() > 1 << 16 {
                continue;
            }
            let case = Case::new(workload, Settings { isa: None, threads: 1 }).unwrap();
            for competitor in all() {
                if checked(&*competitor, &case).unwrap().is_some() {
                    able.insert((competitor.name(), competitor.contract()));
                }
            }
        }
        assert_eq!(able.len(), all().len(), "{able:?}");
    }
}
