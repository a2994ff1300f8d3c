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

use pad_kernels::{
    PadError,
    dialect::DialectError,
    kernels::{self, AdjointKernel, ComputedKernel, PadKernel},
};

/// How the tensors of a run lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Both row by row.
    Contiguous,
    /// With strides of their own.
    Strided,
    /// One box of the output is written.
    Windowed,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 3] = [Way::Contiguous, Way::Strided, Way::Windowed];
}

/// Runs of each row in each way.
static RUNS: LazyLock<Vec<[AtomicU64; Way::ALL.len()]>> =
    LazyLock::new(|| kernels::pad().iter().map(|_| Default::default()).collect());
/// Runs of rows that compute or sum, by their names, of which no two are the same.
static NUMERIC: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());
static GENERIC: AtomicU64 = AtomicU64::new(0);
static EXECUTED: AtomicU64 = AtomicU64::new(0);
static ACCEPTED: AtomicU64 = AtomicU64::new(0);
static REDRAWN: AtomicU64 = AtomicU64::new(0);
static ERRORS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
static REFUSED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Where a row stands in the registry.
pub fn index_of(row: &'static PadKernel) -> usize {
    let offset = ptr::from_ref(row).addr().wrapping_sub(kernels::pad().as_ptr().addr());
    let index = offset / size_of::<PadKernel>();
    assert!(kernels::pad().get(index).is_some_and(|found| ptr::eq(found, row)), "a row of the registry");
    index
}

/// Counts a run of `row`, or of the any-rank kernel. Under Miri rows are not counted: with every look at the registry it
/// notes a borrow of each row.
pub fn ran(way: Way, row: Option<&'static PadKernel>) {
    if cfg!(miri) && row.is_some() {
        return;
    }
    let counter = row.map_or(&GENERIC, |row| &RUNS[index_of(row)][way as usize]);
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Counts a run of a row that computes.
pub fn computed(row: &'static ComputedKernel) {
    count(row.name());
}

/// Counts a run of a row that sums.
pub fn summed(row: &'static AdjointKernel) {
    count(row.name());
}

fn count(name: &'static str) {
    *NUMERIC.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
}

/// The rows that compute that this machine could have run and that were not.
pub fn computed_missed() -> Vec<&'static ComputedKernel> {
    let ran = NUMERIC.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = kernels::computed().iter().filter(|row| row.isa().available());
    rows.filter(|row| !ran.contains_key(row.name())).collect()
}

/// The rows that sum that this machine could have run and that were not.
pub fn sums_missed() -> Vec<&'static AdjointKernel> {
    let ran = NUMERIC.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = kernels::adjoint().iter().filter(|row| row.isa().available());
    rows.filter(|row| !ran.contains_key(row.name())).collect()
}

/// The runs of the any-rank kernel.
pub fn generic() -> u64 {
    GENERIC.load(Ordering::Relaxed)
}

/// Counts an input, whatever becomes of it.
pub fn executed() {
    EXECUTED.fetch_add(1, Ordering::Relaxed);
}

/// The inputs so far.
pub fn executions() -> u64 {
    EXECUTED.load(Ordering::Relaxed)
}

/// Counts a case that was accepted.
pub fn accepted() {
    ACCEPTED.fetch_add(1, Ordering::Relaxed);
}

/// Counts a case that was refused.
pub fn refused(error: &PadError) {
    met(error);
    refused_by(error.variant().into());
}

/// Counts an error of the library or of one of its dialects by its variant, whether or not it is a case's only one.
pub fn met(error: &impl Refuses) {
    *ERRORS.lock().unwrap_or_else(PoisonError::into_inner).entry(error.variant().into()).or_default() += 1;
}

/// Those of these variants that no error so far was one of.
pub fn not_met<'a>(variants: &[&'a str]) -> Vec<&'a str> {
    let met = ERRORS.lock().unwrap_or_else(PoisonError::into_inner);
    variants.iter().copied().filter(|variant| !met.contains_key(*variant)).collect()
}

/// Counts a case that was refused by something else than an error of the library's own.
pub fn refused_by(name: String) {
    *REFUSED.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
}

/// Counts a draw that did not come to the row it was for.
pub fn redrawn() {
    REDRAWN.fetch_add(1, Ordering::Relaxed);
}

/// The runs of every row in one way.
pub fn runs(way: Way) -> impl Iterator<Item = (&'static PadKernel, u64)> {
    kernels::pad()
        .iter()
        .zip(RUNS.iter())
        .map(move |(row, runs)| (row, runs[way as usize].load(Ordering::Relaxed)))
}

/// The runs of one row in one way.
pub fn runs_of(way: Way, row: &'static PadKernel) -> u64 {
    RUNS[index_of(row)][way as usize].load(Ordering::Relaxed)
}

/// The rows that this machine could have run in this way and that were not.
pub fn missed(way: Way) -> Vec<&'static PadKernel> {
    runs(way).filter(|(row, runs)| *runs == 0 && row.isa().available()).map(|(row, _)| row).collect()
}

/// All counters at one moment.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Rows that were run, for each of [`Way::ALL`].
    pub rows_run: [usize; Way::ALL.len()],
    /// Rows that this machine can run.
    pub rows_available: usize,
    /// Runs of rows.
    pub runs: u64,
    /// Runs of the any-rank kernel.
    pub generic: u64,
    /// Inputs of any sort.
    pub executed: u64,
    /// Cases that were accepted.
    pub accepted: u64,
    /// Draws that did not come to the row they were for.
    pub redrawn: u64,
    /// Cases that were refused, by the name of the error or of the system.
    pub refused: BTreeMap<String, u64>,
    /// Errors that were met, by their variants.
    pub errors: BTreeMap<String, u64>,
}

/// What was reached so far.
pub fn summary() -> Summary {
    Summary {
        rows_run: Way::ALL.map(|way| runs(way).filter(|(_, runs)| *runs > 0).count()),
        rows_available: kernels::pad().iter().filter(|row| row.isa().available()).count(),
        runs: Way::ALL.iter().flat_map(|&way| runs(way)).map(|(_, runs)| runs).sum(),
        generic: generic(),
        executed: EXECUTED.load(Ordering::Relaxed),
        accepted: ACCEPTED.load(Ordering::Relaxed),
        redrawn: REDRAWN.load(Ordering::Relaxed),
        refused: REFUSED.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        errors: ERRORS.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: u64 = self.refused.values().sum();
        let [contiguous, strided, windowed] = self.rows_run;
        write!(
            f,
            "of {} rows {contiguous} contiguous, {strided} strided, {windowed} windowed, in {} runs; {} runs of the \
             any-rank kernel; {} cases accepted, {refused} refused {:?}, {} drawn again; errors {:?}",
            self.rows_available,
            self.runs,
            self.generic,
            self.accepted,
            self.refused,
            self.redrawn,
            self.errors
        )
    }
}

/// An error with a name for each of its variants that tests count.
pub trait Refuses {
    /// The name of the variant; of the error inside where a dialect only passes it on.
    fn variant(&self) -> &'static str;
}

macro_rules! variants {
    ($error:expr, $Type:ident: $($variant:ident),*) => {
        match $error {
            $($Type::$variant { .. } => stringify!($variant),)*
            _ => "another",
        }
    };
}

impl Refuses for PadError {
    fn variant(&self) -> &'static str {
        variants!(
            self,
            PadError: AxisCount, ModeCount, NegativeOutput, AxisOverflow, SizeOverflow, EmptyWindow, FillRequired, ZeroSized,
            EmptyAxis, EmptyStatistic, EndValue, NegatedInterior, NotNegatable, NotSummable, SharedInput, LongerAxis, ZeroMultiple, MultipleOverflow
        )
    }
}

impl Refuses for DialectError {
    fn variant(&self) -> &'static str {
        match self {
            DialectError::Pad(error) => error.variant(),
            _ => variants!(
                self,
                DialectError: AxisOutOfRange, AxisTooShort, BorderType, ChannelValues, Count, DType, EmptyOutput,
                IsolatedRegion, NegativePad, NotInVersion, OutOfRange, OverCrop, PadTooLong, Pairs, Rank, RegionOutside,
                RepeatedAxis, Shape, ValueConversion, ValueForbidden, ValueRequired, Version, Word, ZeroPoint
            ),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "rows are not counted")]
    fn runs_and_refusals_are_counted() {
        let row = &kernels::pad()[3];
        for way in Way::ALL {
            let before = runs(way).nth(3).expect("a row").1;
            ran(way, Some(row));
            assert!(runs(way).nth(3).expect("a row").1 > before);
        }
        assert!(!missed(Way::Strided).iter().any(|missed| ptr::eq(*missed, row)));

        refused(&PadError::ZeroSized);
        refused(&PadError::AxisCount { spec: 1, shape: 2 });
        let summary = summary();
        assert!(summary.refused["ZeroSized"] >= 1 && summary.refused["AxisCount"] >= 1, "{summary}");
    }
}
