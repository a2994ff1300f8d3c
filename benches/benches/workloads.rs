//! The library on the workloads. Those that do not fit beside each other in memory are left to `compare`.
#![allow(missing_docs, reason = "the functions that criterion's macros make")]

mod common;

use benches::measure::ALONE_FROM;
use criterion::{Criterion, criterion_group, criterion_main};

fn workloads(criterion: &mut Criterion) {
    for workload in common::workloads() {
        let elements: usize = workload.output_shape().iter().product();
        if elements * workload.element_bits() / 8 < ALONE_FROM {
            common::bench(
                criterion,
                &workload,
                &["memcpy", "plan", "streaming", "oneshot", "alloc", "generic"],
            );
        }
    }
}

criterion_group!(name = benches; config = common::criterion(); targets = workloads);
criterion_main!(benches);
