//! Functions for shapes known when compiling against prepared plans.
#![allow(missing_docs, reason = "the functions that criterion's macros make")]

mod common;

use criterion::{Criterion, criterion_group, criterion_main};

fn fixed(criterion: &mut Criterion) {
    for workload in benches::fixed::workloads() {
        common::bench(criterion, &workload, &["memcpy", "plan", "fixed"]);
    }
}

criterion_group!(name = benches; config = common::criterion(); targets = fixed);
criterion_main!(benches);
