//! Workloads and measuring of the benchmarks.
