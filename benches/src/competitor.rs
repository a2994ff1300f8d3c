//! What is compared: something that pads, made ready for one case, run many times, and its bytes looked at.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::data::Buffer;

/// Where a competitor's output goes. Only competitors of the same contract are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// Into a buffer that the caller has.
    Into,
    /// Into a new tensor, which is dropped within the time measured.
    Alloc,
}

impl Contract {
    /// The word for it.
    pub fn name(self) -> &'static str {
        if self == Contract::Into { "into" } else { "alloc" }
    }
}

/// What is shown the bytes of an output. They are not handed out, as a copy of 1 GiB is one too many.
pub type Look<'a> = dyn FnMut(&[u8]) + 'a;

/// A competitor that is ready to run.
pub trait Prepared {
    /// Pads `calls` times.
    fn run(&mut self, calls: usize);

    /// Pads once, into a buffer full of `junk` if it has one, and lets `look` see the bytes of the output.
    fn output(&mut self, junk: u8, look: &mut Look<'_>);
}

/// Something that pads.
pub struct Competitor {
    /// Its name in every output.
    pub name: &'static str,
    /// Where its output goes.
    pub contract: Contract,
    /// Makes it ready for a case, with buffers of its own; `None` if it has no way to do it.
    pub prepare: for<'a> fn(&'a Case) -> Option<Box<dyn Prepared + 'a>>,
}

/// One that writes into a buffer of the case's output size.
pub fn into<'a>(case: &Case, mut pad: impl FnMut(&mut [u8]) + 'a) -> Box<dyn Prepared + 'a> {
    let buffer = Buffer::filled(case.output_bytes(), 0);
    into_own(buffer, move |buffer: &mut Buffer| pad(buffer), |buffer| buffer)
}

/// One that writes into an output of its own kind, of which `bytes` shows the bytes.
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

/// One whose calls return a new tensor, of which `show` shows the bytes.
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

/// A competitor with a case for which it gives the right bytes.
pub struct Checked<'a> {
    /// Its name.
    pub name: &'static str,
    /// Where its output goes.
    pub contract: Contract,
    /// It, ready to run.
    pub prepared: Box<dyn Prepared + 'a>,
}

/// Prepares `competitor` and compares its output with the reference over two kinds of junk; `None` if it does not do this case.
///
/// # Errors
///
/// If the output is wrong, or the competitor panics.
pub fn checked<'a>(competitor: &Competitor, case: &'a Case) -> Result<Option<Checked<'a>>, String> {
    let Competitor { name, contract, prepare } = *competitor;
    // memcpy pads nothing: what it must write is what it reads.
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
