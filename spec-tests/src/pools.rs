//! Threads to run on.
#![forbid(unsafe_code)]

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of two threads, or of three where more than two are asked for.
pub(crate) fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
        [2, 3].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
    });
    &POOLS[usize::from(threads > 2)]
}
