//! Other libraries of Rust that pad. Each is given what it can do, in the way its documentation says; an entrant says
//! `None` to what its interface cannot express, and what it gets wrong is dropped by the check.

mod burn;
mod candle;
mod ndarray;
mod ndimage;
mod rten;
mod tract;

use bytemuck::Pod;
use pad_kernels::AxisPad;

use crate::case::Case;
use crate::competitor::Competitor;
use crate::workload::Workload;

/// The packages whose versions a report names.
pub const PACKAGES: [&str; 6] = ["ndarray-ndimage", "tract-core", "candle-core", "burn", "burn-flex", "rten"];

/// All of them.
pub fn all() -> Vec<Competitor> {
    let whole = [ndimage::ENTRANT, tract::ENTRANT, candle::ENTRANT, burn::ENTRANT, rten::ENTRANT];
    ndarray::ENTRANTS.into_iter().chain(whole).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::competitor::checked;
    use crate::workload::parse;

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
                if checked(&competitor, &case).unwrap().is_some() {
                    able.insert((competitor.name, competitor.contract));
                }
            }
        }
        assert_eq!(able.len(), all().len(), "{able:?}");
    }
}
