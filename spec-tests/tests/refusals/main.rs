//! Checks the errors of wrong requests. Each error has the right values, and its text says in one sentence what is wrong and what
//! to do.
//!
//! The folder `snapshots/refusals` has one file per module, with each call, its error and the text of the error. If an
//! error is meant to change, run `PAD_BLESS=1 cargo test -p spec-tests --test refusals` and review `git diff`.

use std::error::Error;
use std::fmt::{Debug, Display, Write};

use pad_kernels::{AxisPad, PadError, PadMode, PadPlan, PadSpec};
use serde_json::{Map, Value, json};
use spec_tests::{conform, vectors::Case};

#[path = "../common/mod.rs"]
mod common;

/// Records the error of each call together with the source text of the call. A given variant must be that of the error.
macro_rules! refused {
    ($errors:ident; $($call:expr),+ $(,)?) => {
        $( $errors.add(stringify!($call), "", $call, |_| true); )+
    };
    ($errors:ident, $Error:ident; $($Variant:ident: $call:expr),+ $(,)?) => {$(
        let is = |error: &_| matches!(error, $Error::$Variant { .. });
        $errors.add(stringify!($call), concat!(stringify!($Variant), ":"), $call, is);
    )+};
}

mod arrays;
mod computed;
mod elements;
mod places;
mod runs;
mod sizes;

const JUNK: u8 = 0xd7;

/// The errors of one module, as the text of its snapshot.
#[derive(Default)]
struct Errors(String);

impl Errors {
    fn about(&mut self, heading: &str) {
        writeln!(self.0, "\n# {heading}\n").expect("room");
    }

    /// Records the values that the next calls use.
    fn with(&mut self, values: impl Display) {
        writeln!(self.0, "{values}:").expect("room");
    }

    fn add<T: Debug, E: Error + Send + Sync + 'static>(
        &mut self,
        call: &str,
        variant: &str,
        result: Result<T, E>,
        is: impl Fn(&E) -> bool,
    ) {
        // Compilers print calls that have several lines differently.
        let call = call.split_whitespace().collect::<Vec<_>>().join(" ");
        let error = result.expect_err(&call);
        let text = error.to_string();
        assert!(is(&error), "{call} gives no {variant} {text}");
        assert!(!text.contains('\n') && !text.ends_with('.'), "one sentence for a log: {text:?}");
        let boxed: Box<dyn Error + Send + Sync> = error.into();
        assert_eq!(boxed.to_string(), text);
        writeln!(self.0, "{call}\n    {variant} {text}").expect("room");
    }
}

macro_rules! modules {
    ($($module:ident)*) => {$(
        #[test]
        fn $module() {
            let mut errors = Errors::default();
            $module::errors(&mut errors);
            let file = format!("spec-tests/tests/snapshots/refusals/{}.txt", stringify!($module));
            common::snapshot(&file, errors.0.trim_start(), "refusals");
        }
    )*};
}
modules! { arrays computed elements places runs sizes }

/// Checks the refused calls that the snapshot lists as JSON. To add a call, add a line to the snapshot.
#[test]
fn requests() {
    let file = "spec-tests/tests/snapshots/refusals/requests.txt";
    let mut text = String::new();
    for line in common::read(file).lines().filter(|line| !line.starts_with(' ')) {
        writeln!(text, "{line}").expect("room");
        if line.starts_with('{') {
            let mut call = json!({"id": "", "dtype": "uint8", "data": []});
            let fields: Map<String, Value> = serde_json::from_str(line).expect("a call");
            call.as_object_mut().expect("an object").extend(fields);
            let refused = conform::refusal(&Case::of_call(call).expect("a call"));
            writeln!(text, "    {}", refused.as_deref().unwrap_or("accepted")).expect("room");
        }
    }
    common::snapshot(file, &text, "refusals");
}

fn spec<A: Into<AxisPad>, const N: usize>(mode: PadMode, pads: [A; N]) -> PadSpec {
    PadSpec::new(mode, pads)
}

fn plan_u8(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
    PadPlan::new::<u8>(spec, shape)
}

fn plan<A: Into<AxisPad>, const N: usize>(
    mode: PadMode,
    pads: [A; N],
    shape: &[usize],
) -> Result<PadPlan, PadError> {
    plan_u8(&spec(mode, pads), shape)
}
