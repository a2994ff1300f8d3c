//! Thread pools for tests.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Calls `run` on a pool of two threads, or of three threads if `threads` is more than two.
///
/// WebAssembly cannot start threads. On WebAssembly, `run` uses the thread of the caller, as rayon's own pool does.
pub(crate) fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
        [2, 3].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
    });
    if cfg!(target_family = "wasm") { run() } else { POOLS[usize::from(threads > 2)].install(run) }
}
