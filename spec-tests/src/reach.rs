//! What was reached: runs per kernel, refusals per error, cases drawn again.
//!
//! A comparison that rejects its inputs, or never comes to a kernel, proves nothing; so everything that runs is
//! counted, and those who want to be sure ask.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use pad_kernels::{PadError, Row, registry};

static RUNS: LazyLock<Vec<AtomicU64>> =
    LazyLock::new(|| registry().iter().map(|_| AtomicU64::new(0)).collect());
static GENERIC: AtomicU64 = AtomicU64::new(0);
static ACCEPTED: AtomicU64 = AtomicU64::new(0);
static REDRAWN: AtomicU64 = AtomicU64::new(0);
static REFUSED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Where a row stands in the registry.
///
/// # Panics
///
/// If it is a copy of a row and not the registry's own.
pub fn index_of(row: &'static Row) -> usize {
    let offset = ptr::from_ref(row).addr().wrapping_sub(registry().as_ptr().addr());
    let index = offset / size_of::<Row>();
    assert!(registry().get(index).is_some_and(|found| ptr::eq(found, row)), "a row of the registry");
    index
}

/// Counts a run of `row`, or of the any-rank kernel.
pub fn ran(row: Option<&'static Row>) {
    let counter = row.map_or(&GENERIC, |row| &RUNS[index_of(row)]);
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Counts a case that was accepted.
pub fn accepted() {
    ACCEPTED.fetch_add(1, Ordering::Relaxed);
}

/// Counts a case that was refused.
pub fn refused(error: &PadError) {
    let name = variant(error);
    *REFUSED.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
}

/// Counts a draw that did not come to the row it was for.
pub fn redrawn() {
    REDRAWN.fetch_add(1, Ordering::Relaxed);
}

/// The runs of every row.
pub fn runs() -> impl Iterator<Item = (&'static Row, u64)> {
    registry().iter().zip(RUNS.iter()).map(|(row, runs)| (row, runs.load(Ordering::Relaxed)))
}

/// The rows that this machine could have run and that were not.
pub fn missed() -> Vec<&'static Row> {
    runs().filter(|(row, runs)| *runs == 0 && row.isa().available()).map(|(row, _)| row).collect()
}

/// All counters at one moment.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Rows that were run.
    pub rows_run: usize,
    /// Rows that this machine can run.
    pub rows_available: usize,
    /// Runs of rows.
    pub runs: u64,
    /// Runs of the any-rank kernel.
    pub generic: u64,
    /// Cases that were accepted.
    pub accepted: u64,
    /// Draws that did not come to the row they were for.
    pub redrawn: u64,
    /// Cases that were refused, by the name of the error.
    pub refused: BTreeMap<String, u64>,
}

/// What was reached so far.
pub fn summary() -> Summary {
    Summary {
        rows_run: runs().filter(|(_, runs)| *runs > 0).count(),
        rows_available: registry().iter().filter(|row| row.isa().available()).count(),
        runs: runs().map(|(_, runs)| runs).sum(),
        generic: GENERIC.load(Ordering::Relaxed),
        accepted: ACCEPTED.load(Ordering::Relaxed),
        redrawn: REDRAWN.load(Ordering::Relaxed),
        refused: REFUSED.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: u64 = self.refused.values().sum();
        write!(
            f,
            "{} of {} rows in {} runs, {} runs of the any-rank kernel; {} cases accepted, {refused} refused {:?}, \
             {} drawn again",
            self.rows_run,
            self.rows_available,
            self.runs,
            self.generic,
            self.accepted,
            self.refused,
            self.redrawn
        )
    }
}

/// The name of an error's variant.
pub fn variant(error: &PadError) -> String {
    format!("{error:?}").chars().take_while(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_again() {
        for (i, row) in registry().iter().enumerate() {
            assert_eq!(index_of(row), i);
        }
    }

    #[test]
    fn runs_and_refusals_are_counted() {
        let row = &registry()[3];
        let before = runs().nth(3).expect("a row").1;
        ran(Some(row));
        assert!(runs().nth(3).expect("a row").1 > before);
        assert!(!missed().iter().any(|missed| ptr::eq(*missed, row)));

        refused(&PadError::ZeroSized);
        refused(&PadError::AxisCount { spec: 1, shape: 2 });
        let summary = summary();
        assert!(summary.refused["ZeroSized"] >= 1 && summary.refused["AxisCount"] >= 1, "{summary}");
    }
}
