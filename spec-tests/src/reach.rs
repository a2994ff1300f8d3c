//! What was reached: runs per kernel, refusals per error, cases drawn again.
//!
//! A comparison that rejects its inputs, or never comes to a kernel, proves nothing; so everything that runs is
//! counted, and those who want to be sure ask.
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

/// How the tensors of a run lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Both row by row.
    Contiguous,
    /// With strides of their own.
    Strided,
    /// One box of the output is written.
    Windowed,
}

impl Way {
    pub const ALL: [Way; 3] = [Way::Contiguous, Way::Strided, Way::Windowed];
}

/// What is counted by names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Runs of a row.
    Row(Way),
    /// Runs of a row that computes or sums, whose names are no other row's.
    Numeric,
    /// Inputs that were executed, accepted or drawn again, and runs of the any-rank kernel.
    Event,
    Error,
    /// Cases that were refused, by the name of the error or of the system.
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

/// Counts a run of `row`, or of the any-rank kernel. Under Miri rows are not counted: with every look at the registry it
/// notes a borrow of each row.
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

/// The rows that compute that this machine could have run and that were not.
pub fn computed_missed() -> Vec<&'static ComputedKernel> {
    let rows = kernels::computed().iter().filter(|row| row.isa().available());
    rows.filter(|row| counted(Class::Numeric, row.name()) == 0).collect()
}

/// The rows that sum that this machine could have run and that were not.
pub fn sums_missed() -> Vec<&'static AdjointKernel> {
    let rows = kernels::adjoint().iter().filter(|row| row.isa().available());
    rows.filter(|row| counted(Class::Numeric, row.name()) == 0).collect()
}

pub fn generic() -> u64 {
    counted(Class::Event, "any-rank kernel")
}

/// Counts an input, whatever becomes of it.
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

/// Counts an error of the library or of one of its dialects by its variant, whether or not it is a case's only one.
pub fn met(error: &impl Refuses) {
    count(Class::Error, error.variant());
}

/// Those of these variants that no error so far was one of.
pub fn not_met(variants: &[&'static str]) -> Vec<&'static str> {
    variants.iter().copied().filter(|variant| counted(Class::Error, variant) == 0).collect()
}

/// Counts a case that was refused by something else than an error of the library's own.
pub fn refused_by(name: String) {
    count(Class::Refusal, name);
}

/// Counts a draw that did not come to the row it was for.
pub fn redrawn() {
    count(Class::Event, "redrawn");
}

/// The runs of one row in one way.
pub fn runs_of(way: Way, row: &'static PadKernel) -> u64 {
    counted(Class::Row(way), row.name())
}

/// The rows that this machine could have run in this way and that were not.
pub fn missed(way: Way) -> Vec<&'static PadKernel> {
    kernels::pad().iter().filter(|row| row.isa().available() && runs_of(way, row) == 0).collect()
}

/// All counters at one moment.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Rows that were run, for each of [`Way::ALL`].
    pub rows_run: [usize; Way::ALL.len()],
    pub executed: u64,
    pub accepted: u64,
    /// Draws that did not come to the row they were for.
    pub redrawn: u64,
    /// Cases that were refused, by the name of the error or of the system.
    pub refused: BTreeMap<Cow<'static, str>, u64>,
    /// Errors that were met, by their variants.
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

/// An error with a name for each of its variants that tests count.
pub trait Refuses {
    /// The name of the variant; of the error inside where a dialect only passes it on.
    fn variant(&self) -> &'static str;
}

/// The names of variants, and which of them an error has.
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
    /// What the library can refuse.
    PAD_ERRORS PadError: AxisCount ModeCount NegativeOutput AxisOverflow SizeOverflow EmptyWindow FillRequired ZeroSized
    EmptyAxis EmptyStatistic EndValue NegatedInterior NotLinear NotNegatable NotSummable SharedInput LongerAxis ZeroMultiple
    MultipleOverflow
}
variants! {
    /// What a dialect can refuse of itself. Not asked about are types without a tag, modes that compute their values and
    /// numbers that no element is: for these the rules have no words, and the dialects have tests of their own.
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
