//! Threads that C code makes and ends.

use std::process;
use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::status::Failure;
use crate::types::{PAD_MAX_THREADS, Status};

/// Threads that runs of plans share. The threads end with `pad_pool_free`. They do not survive a `fork`.
pub struct Pool {
    /// `None` only while it is dropped.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
    process: u32,
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Result<Pool, Failure> {
        if !(1..=PAD_MAX_THREADS).contains(&threads) {
            let what = format!("{threads} threads are not between 1 and {PAD_MAX_THREADS}");
            return Err(Failure::new(Status::Size, what));
        }
        let mut handles = Vec::new();
        let pool = ThreadPoolBuilder::new().num_threads(threads).spawn_handler(|thread| {
            handles.push(Builder::new().name("pad".into()).spawn(|| thread.run())?);
            Ok(())
        });
        let pool = pool.build().map_err(|why| Failure::new(Status::OutOfResources, why.to_string()))?;
        Ok(Pool { pool: Some(pool), threads: handles, process: process::id() })
    }

    /// Runs `work` on the threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, Failure> {
        match &self.pool {
            Some(pool) if self.process == process::id() => Ok(pool.install(work)),
            _ => Err(Failure::new(Status::Refused, "the pool belongs to the process before the fork")),
        }
    }
}

/// Waits for the threads, so that the library can be unloaded.
impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != process::id() {
            // The threads are the parent's.
            std::mem::forget(self.pool.take());
            return;
        }
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // A panic of a thread was reported to the call that caused it.
            drop(thread.join());
        }
    }
}
