//! Threads that C code makes and ends.
#![forbid(unsafe_code)]

use std::process;
use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::status::Failure;
use crate::types::{PAD_MAX_THREADS, Status};

/// Threads that runs of plans share. The threads end with `pad_pool_free`. They do not survive a `fork`.
pub struct Pool {
    pool: ThreadPool,
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
        Ok(Pool { pool, threads: handles, process: process::id() })
    }

    /// Runs `work` on the threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, Failure> {
        if self.process != process::id() {
            return Err(Failure::new(Status::Refused, "the pool belongs to the process before the fork"));
        }
        Ok(self.pool.install(work))
    }

    /// Ends the threads and waits for them, so that the library can be unloaded.
    pub(crate) fn end(self: Box<Pool>) -> Result<(), Failure> {
        if self.process != process::id() {
            // The threads are the parent's.
            std::mem::forget(self);
            return Ok(());
        }
        drop(self.pool);
        // A panic of a thread was reported to the call that caused it.
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
        Ok(())
    }
}
