//! A competitor: a library that pads. It is prepared for one case, checked once, and then run many times.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::data::Buffer;

/// The destination of a competitor's output. The report compares only competitors with equal contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// The output goes to a buffer of the caller.
    Into,
    /// The output is a new tensor, which is dropped within the measured time.
    Alloc,
}

impl Contract {
    /// Returns the name of the contract.
    pub fn name(self) -> &'static str {
        if self == Contract::Into { "into" } else { "alloc" }
    }
}

/// A function that gets the bytes of an output. The bytes are borrowed, because a copy could take 1 GiB.
pub type Look<'a> = dyn FnMut(&[u8]) + 'a;

/// A competitor that is ready to run.
pub trait Prepared {
    /// Pads `calls` times.
    fn run(&mut self, calls: usize);

    /// Pads once and calls `look` with the output. If there is a buffer, the call fills it with `junk` first.
    fn output(&mut self, junk: u8, look: &mut Look<'_>);
}

/// A library, or one way to call it.
pub struct Competitor {
    /// The name in every report.
    pub name: &'static str,
    /// The destination of its output.
    pub contract: Contract,
    /// Prepares the competitor for a case, with its own buffers. Returns `None` if it cannot do the case.
    pub prepare: for<'a> fn(&'a Case) -> Option<Box<dyn Prepared + 'a>>,
}

/// Makes a competitor that writes to a buffer of the output's size.
pub fn into<'a>(case: &Case, mut pad: impl FnMut(&mut [u8]) + 'a) -> Box<dyn Prepared + 'a> {
    let buffer = Buffer::filled(case.output_bytes(), 0);
    into_own(buffer, move |buffer: &mut Buffer| pad(buffer), |buffer| buffer)
}

/// Makes a competitor that writes to an output of another type. `bytes` returns the bytes of the output.
pub fn into_own<'a, O: 'a>(
    output: O,
    pad: impl FnMut(&mut O) + 'a,
    bytes: impl Fn(&mut O) -> &mut [u8] + 'a,
) -> Box<dyn Prepared + 'a> {
    Box::new(Into { output, pad, bytes })
}

struct Into<O, F, B> {
    output: O,
    pad: F,
    bytes: B,
}

impl<O, F: FnMut(&mut O), B: Fn(&mut O) -> &mut [u8]> Prepared for Into<O, F, B> {
    fn run(&mut self, calls: usize) {
        for _ in 0..calls {
            (self.pad)(black_box(&mut self.output));
        }
    }

    fn output(&mut self, junk: u8, look: &mut Look<'_>) {
        (self.bytes)(&mut self.output).fill(junk);
        self.run(1);
        look((self.bytes)(&mut self.output));
    }
}

/// Makes a competitor that returns a new tensor. `show` passes the bytes of the tensor on.
pub fn alloc<'a, T: 'a>(
    pad: impl FnMut() -> T + 'a,
    show: impl Fn(T, &mut Look<'_>) + 'a,
) -> Box<dyn Prepared + 'a> {
    Box::new(Alloc { pad, show })
}

struct Alloc<F, S> {
    pad: F,
    show: S,
}

impl<T, F: FnMut() -> T, S: Fn(T, &mut Look<'_>)> Prepared for Alloc<F, S> {
    fn run(&mut self, calls: usize) {
        for _ in 0..calls {
            drop(black_box((self.pad)()));
        }
    }

    fn output(&mut self, _junk: u8, look: &mut Look<'_>) {
        (self.show)((self.pad)(), look);
    }
}

/// A competitor whose output for a case is right.
pub struct Checked<'a> {
    /// The competitor's name.
    pub name: &'static str,
    /// The destination of its output.
    pub contract: Contract,
    /// The prepared competitor.
    pub prepared: Box<dyn Prepared + 'a>,
}

/// Prepares `competitor` and compares its output with the reference, twice with different poison bytes. Returns `None` if it
/// cannot do the case.
///
/// # Errors
///
/// The call fails if the output is wrong, or if the competitor panics.
pub fn checked<'a>(competitor: &Competitor, case: &'a Case) -> Result<Option<Checked<'a>>, String> {
    let Competitor { name, contract, prepare } = *competitor;
    // memcpy does not pad. Its expected output is its source.
    let check = |bytes: &[u8]| match name == crate::ours::MEMCPY {
        true if bytes == case.memcpy_source() => Ok(()),
        true => Err("not a copy".to_string()),
        false => case.check(bytes),
    };
    let ready = || {
        let Some(mut prepared) = prepare(case) else { return Ok(None) };
        for junk in [0xA5, 0x5A] {
            let mut right = Err("shows no bytes".into());
            prepared.output(junk, &mut |bytes| right = check(bytes));
            right?;
        }
        Ok(Some(Checked { name, contract, prepared }))
    };
    catch_unwind(AssertUnwindSafe(ready)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("for a reason it does not say");
        Err(format!("panics: {text}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::workload::parse;

    fn case() -> Case {
        let text = r#"[{"id":"a","class":"","dtype":"u8","shape":[3],"pads":[[1,1]],"mode":"edge"}]"#;
        Case::new(&parse(text).unwrap()[0], Settings { isa: None, threads: 1 }).unwrap()
    }

    fn entrant(prepare: for<'a> fn(&'a Case) -> Option<Box<dyn Prepared + 'a>>) -> Competitor {
        Competitor { name: "test", contract: Contract::Into, prepare }
    }

    #[test]
    fn right_answers_are_taken() {
        let right = entrant(|case| Some(into(case, |dst| case.plan.run_bytes(case.input(), dst).unwrap())));
        assert_eq!(checked(&right, &case()).unwrap().unwrap().name, "test");
    }

    #[test]
    fn wrong_answers_are_named() {
        let lazy = entrant(|case| Some(into(case, |_| ())));
        assert!(checked(&lazy, &case()).err().unwrap().contains("element 0 of 5"));
        let short = entrant(|_| Some(alloc(|| (), |(), look| look(&[1]))));
        assert!(checked(&short, &case()).err().unwrap().contains("1 bytes instead of 5"));
        let angry = entrant(|case| Some(into(case, |_| panic!("no"))));
        assert!(checked(&angry, &case()).err().unwrap().contains("panics: no"));
        let unable = entrant(|_| None);
        assert!(checked(&unable, &case()).unwrap().is_none());
    }
}
