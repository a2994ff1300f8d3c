//! Other Rust libraries that pad. Each adapter calls its library as the documentation of the library recommends, and returns `None` for
//! requests that the library cannot express. The check removes wrong results.

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

/// The packages whose versions a report lists.
pub const PACKAGES: [&str; 6] = ["ndarray-ndimage", "tract-core", "candle-core", "burn", "burn-flex", "rten"];

/// Returns all other libraries.
pub fn all() -> Vec<Competitor> {
    let whole = [ndimage::ENTRANT, tract::ENTRANT, candle::ENTRANT, burn::ENTRANT, rten::ENTRANT];
    ndarray::ENTRANTS.into_iter().chain(whole).collect()
}

/// Calls `$function::<T>($case)` with the Rust type of the case's dtype, if the list contains that dtype.
macro_rules! typed {
    ($function:ident($case:expr) for $($dtype:ident = $type:ty),* $(,)?) => {
        match $case.workload.dtype {
            $(pad_kernels::DType::$dtype => $function::<$type>($case),)*
            _ => None,
        }
    };
}
use typed;

/// Returns the input as values.
fn input<T: Pod>(case: &Case) -> &[T] {
    bytemuck::cast_slice(case.input())
}

/// Tells whether all buffers stay below 4 GiB, if a library holds `tensors` tensors besides our input and memcpy's output.
fn room_for(case: &Case, tensors: u64) -> bool {
    (2 + tensors) * case.output_bytes() as u64 <= 4 << 30
}

/// Returns the fill as a value.
fn fill<T: Pod>(case: &Case) -> T {
    bytemuck::pod_read_unaligned(&case.workload.fill)
}

/// Returns the pads, if none is negative and none is interior.
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

    /// Each library gives the right output for every small workload that it accepts, and accepts at least one.
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
