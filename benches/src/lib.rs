//! What the benchmarks share: workloads as data, the competitors, the check against the reference, and the measuring.
//!
//! Nothing is timed before its bytes were compared with the reference's.
#![forbid(unsafe_code)]

pub mod case;
pub mod check;
pub mod competitor;
pub mod data;
pub mod machine;
pub mod measure;
pub mod naive;
pub mod ours;
pub mod record;
pub mod report;
pub mod workload;

/// Any error; the programs of this crate only print it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
