//! Counts the runs per kernel, the refusals per error, and the random cases that were discarded.
//!
//! A comparison that refuses its inputs or never runs a kernel tests nothing. Tests can therefore check these counters.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pad_kernels::{
    PadError,
    dialect::DialectError,
    kernels::{self, AdjointKernel, ComputedKernel, PadKernel},
};

/// The memory layout of the tensors of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Both tensors are contiguous.
    Contiguous,
    /// The tensors have strides.
    Strided,
    /// The run writes one region of the output.
    Windowed,
}

impl Way {
    pub const ALL: [Way; 3] = [Way::Contiguous, Way::Strided, Way::Windowed];
}

/// The class of a counter. Each counter also has a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Runs of a kernel that copies.
    Row(Way),
    /// Runs of a kernel that computes or sums. Its name is unique.
    Numeric,
    /// Inputs that were executed, accepted or discarded, and runs of the any-rank kernel.
    Event,
    Error,
    /// The number of refused cases, by the name of the error or of the framework.
    Refusal,
}

type Counts = BTreeMap<(Class, Cow<'static, str>), u64>;

static COUNTS: Mutex<Counts> = Mutex::new(BTreeMap::new());

fn counts() -> MutexGuard<'static, Counts> {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count(class: Class, name: impl Into<Cow<'static, str>>) {
    *counts().entry((class, name.into())).or_default() += 1;
}

fn counted(class: Class, name: &'static str) -> u64 {
    counts().get(&(class, name.into())).copied().unwrap_or(0)
}

/// Counts a run of the kernel `row`, or of the any-rank kernel for `None`.
///
/// Under Miri, kernels are not counted, because Miri records a borrow of every kernel at each access to the registry.
pub fn ran(way: Way, row: Option<&'static PadKernel>) {
    match row {
        Some(_) if cfg!(miri) => {}
        Some(row) => count(Class::Row(way), row.name()),
        None => count(Class::Event, "any-rank kernel"),
    }
}

pub fn computed(row: &'static ComputedKernel) {
    count(Class::Numeric, row.name());
}

pub fn summed(row: &'static AdjointKernel) {
    count(Class::Numeric, row.name());
}

/// Lists the computing kernels that this CPU can run but that did not run.
pub fn computed_missed() -> Vec<&'static ComputedKernel> {
    let rows = kernels::computed().iter().filter(|row| row.isa().available());
    rows.filter(|row| counted(Class::Numeric, row.name()) == 0).collect()
}

/// Lists the summing kernels that this CPU can run but that did not run.
pub fn sums_missed() -> Vec<&'static AdjointKernel> {
    let rows = kernels::adjoint().iter().filter(|row| row.isa().available());
    rows.filter(|row| counted(Class::Numeric, row.name()) == 0).collect()
}

pub fn generic() -> u64 {
    counted(Class::Event, "any-rank kernel")
}

/// Counts an input, whatever its result is.
pub fn executed() {
    count(Class::Event, "executed");
}

pub fn executions() -> u64 {
    counted(Class::Event, "executed")
}

pub fn accepted() {
    count(Class::Event, "accepted");
}

pub fn refused(error: &PadError) {
    met(error);
    refused_by(error.variant().into());
}

/// Counts an error of the library or of one of its dialects by its variant. A case may have several errors.
pub fn met(error: &impl Refuses) {
    count(Class::Error, error.variant());
}

/// Lists the `variants` that were not counted yet.
pub fn not_met(variants: &[&'static str]) -> Vec<&'static str> {
    variants.iter().copied().filter(|variant| counted(Class::Error, variant) == 0).collect()
}

/// Counts a case that was refused, by the name of the error or of the framework.
pub fn refused_by(name: String) {
    count(Class::Refusal, name);
}

/// Counts a random case that was discarded, such as one that did not reach the intended kernel.
pub fn redrawn() {
    count(Class::Event, "redrawn");
}

/// Returns the number of runs of one kernel in one way.
pub fn runs_of(way: Way, row: &'static PadKernel) -> u64 {
    counted(Class::Row(way), row.name())
}

/// Lists the kernels that this CPU can run in this way but that did not run.
pub fn missed(way: Way) -> Vec<&'static PadKernel> {
    kernels::pad().iter().filter(|row| row.isa().available() && runs_of(way, row) == 0).collect()
}

/// The values of all counters at one moment.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The number of kernels that ran, for each of [`Way::ALL`].
    pub rows_run: [usize; Way::ALL.len()],
    pub executed: u64,
    pub accepted: u64,
    /// The number of random cases that were discarded.
    pub redrawn: u64,
    /// The number of refused cases, by the name of the error or of the framework.
    pub refused: BTreeMap<Cow<'static, str>, u64>,
    /// The number of errors that occurred, by their variants.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
}

pub fn summary() -> Summary {
    let of = |class: Class| -> BTreeMap<Cow<'static, str>, u64> {
        let counts = counts();
        let of = counts.iter().filter(|((of, _), _)| *of == class);
        of.map(|((_, name), count)| (name.clone(), *count)).collect()
    };
    Summary {
        rows_run: Way::ALL.map(|way| of(Class::Row(way)).len()),
        executed: executions(),
        accepted: counted(Class::Event, "accepted"),
        redrawn: counted(Class::Event, "redrawn"),
        refused: of(Class::Refusal),
        errors: of(Class::Error),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { rows_run: [contiguous, strided, windowed], accepted, redrawn, refused, errors, .. } =
            self;
        let rows = kernels::pad().iter().filter(|row| row.isa().available()).count();
        write!(
            f,
            "of {rows} rows {contiguous} contiguous, {strided} strided, {windowed} windowed; {} runs of the any-rank kernel; \
             {accepted} cases accepted, {} refused {refused:?}, {redrawn} drawn again; errors {errors:?}",
            generic(),
            refused.values().sum::<u64>(),
        )
    }
}

/// An error whose variants have names, by which tests count them.
pub trait Refuses {
    /// Returns the name of the variant. If a dialect only passes on another error, this is the variant of the other error.
    fn variant(&self) -> &'static str;
}

/// Generates the list of names of variants, and the function that returns the name for an error.
macro_rules! variants {
    ($(#[$doc:meta])* $NAMES:ident $Type:ident: $($variant:ident)*) => {
        $(#[$doc])*
        pub const $NAMES: &[&str] = &[$(stringify!($variant)),*];

        impl Named for $Type {
            fn own_variant(&self) -> &'static str {
                match self {
                    $($Type::$variant { .. } => stringify!($variant),)*
                    _ => "another",
                }
            }
        }
    };
}
trait Named {
    fn own_variant(&self) -> &'static str;
}
variants! {
    /// The variants of errors of the library.
    PAD_ERRORS PadError: AxisCount ModeCount NegativeOutput AxisOverflow SizeOverflow EmptyWindow FillRequired ZeroSized
    EmptyAxis EmptyStatistic EndValue NegatedInterior NotLinear NotNegatable NotSummable SharedInput LongerAxis ZeroMultiple
    MultipleOverflow
}
variants! {
    /// The variants of errors of the dialects, as far as the rules have them.
    ///
    /// Variants about types without a `DType`, computed values and numbers that no element can be are not listed. The dialects
    /// have separate tests for them.
    DIALECT_ERRORS DialectError: AxisOutOfRange AxisTooShort BorderType ChannelValues Count DType EmptyOutput IsolatedRegion
    NegativePad NotInVersion OutOfRange OverCrop PadTooLong Pairs Rank RegionOutside RepeatedAxis Shape ValueConversion
    ValueForbidden ValueRequired Version Word ZeroPoint
}

impl Refuses for PadError {
    fn variant(&self) -> &'static str {
        self.own_variant()
    }
}

impl Refuses for DialectError {
    fn variant(&self) -> &'static str {
        if let DialectError::Pad(error) = self { error.variant() } else { self.own_variant() }
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
            let before = runs_of(way, row);
            ran(way, Some(row));
            assert!(runs_of(way, row) > before);
            assert!(!missed(way).iter().any(|missed| missed.name() == row.name()));
        }
        refused(&PadError::ZeroSized);
        refused(&PadError::AxisCount { spec: 1, shape: 2 });
        let summary = summary();
        assert!(summary.refused["ZeroSized"] >= 1 && summary.refused["AxisCount"] >= 1, "{summary}");
    }
}
