//! What a call costs when there is next to nothing to pad: prepared, planned in the call, and into a new tensor.
#![allow(missing_docs, reason = "the functions that criterion's macros make")]

mod common;

use criterion::{Criterion, criterion_group, criterion_main};

fn calls(criterion: &mut Criterion) {
    for workload in common::workloads().iter().filter(|workload| workload.class == "tiny") {
        common::bench(criterion, workload, &["memcpy", "plan", "oneshot", "alloc"]);
    }
}

criterion_group!(name = benches; config = common::criterion(); targets = calls);
criterion_main!(benches);
