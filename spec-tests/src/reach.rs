//! Counts the runs per kernel, the refusals per error, and the random cases that were discarded.
//!
//! A comparison tests nothing if the library refuses all its inputs, or if no kernel runs. Tests can therefore check these
//! counters.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pad_kernels::{
    PadError,
    dialect::DialectError,
    kernels::{self, PadKernel},
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Runs of a kernel that copies.
    Row(Way),
    /// Runs of a kernel that computes borders or sums gradients, in any layout. No two of these kernels have the same name.
    Numeric,
    /// Inputs that were executed, accepted or discarded, and runs of the any-rank kernel (the loop for any number of axes).
    Event,
    Error,
    /// Refused cases, by the name of the error or of the framework.
    Refusal,
}

/// The values of all counters.
#[derive(Clone, Debug, Default)]
pub struct Counts(pub BTreeMap<(Class, Cow<'static, str>), u64>);

impl Counts {
    const fn new() -> Counts {
        Counts(BTreeMap::new())
    }

    /// Returns the value of a counter.
    pub fn of(&self, class: Class, name: &str) -> u64 {
        self.0.get(&(class, Cow::Borrowed(name))).copied().unwrap_or(0)
    }

    /// Returns the values of all counters of a class that are not zero, by name.
    pub fn all(&self, class: Class) -> BTreeMap<&str, u64> {
        let of = self.0.iter().filter(|((of, _), _)| *of == class);
        of.map(|((_, name), count)| (&name[..], *count)).collect()
    }

    /// Lists the `names` that were counted in none of the classes.
    pub fn missed<'a>(&self, classes: &[Class], names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let is_missed = |name: &&str| classes.iter().all(|&class| self.of(class, name) == 0);
        names.into_iter().filter(is_missed).map(String::from).collect()
    }
}

static COUNTS: Mutex<Counts> = Mutex::new(Counts::new());

/// Returns the counters of this process.
pub fn counts() -> MutexGuard<'static, Counts> {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn count(class: Class, name: impl Into<Cow<'static, str>>) {
    *counts().0.entry((class, name.into())).or_default() += 1;
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

/// Lists the computing kernels that this CPU can run but that did not run.
pub fn computed_missed() -> Vec<String> {
    let rows = kernels::computed().iter().filter(|row| row.isa().available());
    counts().missed(&[Class::Numeric], rows.map(|row| row.name()))
}

/// Lists the summing kernels that this CPU can run but that did not run.
pub fn sums_missed() -> Vec<String> {
    let rows = kernels::adjoint().iter().filter(|row| row.isa().available());
    counts().missed(&[Class::Numeric], rows.map(|row| row.name()))
}

pub fn accepted() {
    count(Class::Event, "accepted");
}

/// Counts a case that the library refused.
pub fn refused(error: &PadError) {
    met(error);
    count(Class::Refusal, error.variant());
}

/// Counts an error of the library or of one of its dialects by its variant. A case may have several errors.
pub fn met(error: &impl Refuses) {
    count(Class::Error, error.variant());
}

/// Counts a random case that was discarded, such as one that did not reach the intended kernel.
pub fn redrawn() {
    count(Class::Event, "redrawn");
}

/// An error whose variants have names, by which tests count them.
pub trait Refuses {
    /// Returns the name of the variant. If the error of a dialect only contains an error of the library, returns the variant of
    /// the contained error.
    fn variant(&self) -> &'static str;
}

/// Generates the list of names of variants, and the function that returns the name for an error. The list lacks the variants
/// `$other`. The variant `$inner` only contains an error of another type, which gives the name.
macro_rules! variants {
    ($(#[$doc:meta])* $NAMES:ident $Type:ident: $($variant:ident)*; $($other:ident)*; $($inner:ident)?) => {
        $(#[$doc])*
        pub const $NAMES: &[&str] = &[$(stringify!($variant)),*];

        impl Refuses for $Type {
            fn variant(&self) -> &'static str {
                match self {
                    $($Type::$inner(error) => error.variant(),)?
                    $($Type::$variant { .. } => stringify!($variant),)*
                    $($Type::$other { .. } => stringify!($other),)*
                    _ => "another",
                }
            }
        }
    };
}
variants! {
    /// The variants of errors of the library that random requests for a plan must cause.
    PLAN_ERRORS PadError: AxisCount ArgumentCount AxisOverflow EmptyWindow FillRequired LongerAxis ModeCount MultipleOverflow
    NegatedInterior NegativeOutput NotNegatable SizeOverflow ZeroMultiple;
    EmptyAxis EmptyStatistic EndValue NotLinear NotSummable SharedInput ZeroSized;
}
variants! {
    /// The variants of errors of the dialects that random calls of the dialects must cause.
    ///
    /// Variants about types without a `DType`, computed values, lists that do not match listed axes, and numbers that no element can
    /// represent are not listed. The dialects have separate tests for them.
    DIALECT_ERRORS DialectError: AxisOutOfRange AxisTooShort BorderType ChannelValues Count DType EmptyOutput IsolatedRegion
    NegativePad NotInVersion OutOfRange OverCrop PadTooLong Pairs Rank RegionOutside RepeatedAxis Shape ValueConversion
    ValueForbidden ValueRequired Version Word ZeroPoint; ListedCount; Pad
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = kernels::pad().iter().filter(|row| row.isa().available()).count();
        let [contiguous, strided, windowed] = Way::ALL.map(|way| self.all(Class::Row(way)).len());
        write!(
            f,
            "of {rows} rows {contiguous} contiguous, {strided} strided, {windowed} windowed; {:?}; refused {:?}; errors {:?}",
            self.all(Class::Event),
            self.all(Class::Refusal),
            self.all(Class::Error),
        )
    }
}
