//! The specialised kernels against the any-rank one and the plain loop, for every rank, mode and width of the registry.
#![allow(missing_docs, reason = "the functions that criterion's macros make")]

mod common;

use criterion::{Criterion, criterion_group, criterion_main};

fn specialised(criterion: &mut Criterion) {
    for workload in benches::registry::workloads() {
        common::bench(criterion, &workload, &["plan", "generic", "naive"]);
    }
}

criterion_group!(name = benches; config = common::criterion(); targets = specialised);
criterion_main!(benches);
