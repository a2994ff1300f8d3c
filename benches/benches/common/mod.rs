//! What the benches have in common: every competitor is checked before it is timed.

use std::time::{Duration, Instant};

use benches::case::{Case, Settings};
use benches::competitor::checked;
use benches::workload::{Workload, parse};
use benches::{fixed, ours};
use criterion::{Criterion, Throughput};

/// Short measurements: there are hundreds of them.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(250))
        .configure_from_args()
}

/// The workloads of this crate.
#[allow(dead_code, reason = "not every bench takes them")]
pub(crate) fn workloads() -> Vec<Workload> {
    parse(include_str!("../../workloads.json")).expect("a good file")
}

/// Measures the named competitors on a workload.
///
/// # Panics
///
/// If one of them is wrong.
pub(crate) fn bench(criterion: &mut Criterion, workload: &Workload, names: &[&str]) {
    let case =
        Case::new(workload, Settings { isa: None, threads: 1 }).expect("a workload that can be planned");
    let mut group = criterion.benchmark_group(&workload.id);
    group.throughput(Throughput::Bytes(case.output_bytes() as u64));
    for competitor in
        ours::all().iter().chain([&fixed::competitor()]).filter(|one| names.contains(&one.name()))
    {
        let checked = checked(&**competitor, &case);
        let checked =
            checked.unwrap_or_else(|wrong| panic!("{} on {}: {wrong}", competitor.name(), workload.id));
        let Some(mut ready) = checked else { continue };
        group.bench_function(ready.name, |bencher| {
            bencher.iter_custom(|calls| {
                let start = Instant::now();
                ready.prepared.run(calls as usize);
                start.elapsed()
            });
        });
    }
    group.finish();
}
