//! Sends recorded cases (calls with their right results) to any engine. An engine is a command that reads and writes lines of
//! JSON, as `engines/PROTOCOL.md` says.
//!
//! Each case has one [`Outcome`]. If the process crashes, hangs or prints anything but an answer, it is killed. A new process
//! continues with the next case.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{Display, EnumIter, EnumString};

use crate::vectors::{Case, Elements, Expect, load, tensor};
use session::{Session, shown};

pub use minimise::{Smallest, minimise};
pub use page::page;
pub use report::{Known, Report};

mod minimise;
mod page;
mod report;
mod session;

pub const PROTOCOL: u64 = 1;

/// How the answer of an engine to a case compares with the right answer.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, EnumIter, EnumString, Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// The right tensor, or a refusal where a refusal is right.
    Passes,
    /// A wrong tensor, or a tensor where a refusal is right.
    Differs,
    /// A refusal where a tensor is right.
    Refuses,
    /// The engine says that it cannot express this case.
    Cannot,
    /// The process ended.
    Crashes,
    Hangs,
    /// The engine printed a line that is no answer.
    Garbles,
    /// The case was not sent, because the engine could not be started any more.
    Unasked,
}

impl Verdict {
    /// Returns whether a process must not get another case after this verdict.
    fn ends_process(self) -> bool {
        matches!(self, Verdict::Crashes | Verdict::Hangs | Verdict::Garbles)
    }
}

/// A recorded case that can be sent to an engine.
#[derive(Clone, Debug)]
pub struct Question {
    case: Case,
    /// The right tensor; `None` if a refusal is right.
    expected: Option<(Vec<usize>, Elements)>,
}

/// The number of cases with each verdict.
pub type Counts = BTreeMap<Verdict, usize>;

/// The result of one case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    pub id: String,
    pub flags: Vec<String>,
    pub verdict: Verdict,
    /// A description of the outcome. It is empty if the case passes.
    pub what: String,
    /// The tensor or refusal as the engine wrote it, unless the case passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// The time limits for the start of an engine and for one case.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub start: Duration,
    pub case: Duration,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The name that the engine gives itself.
    pub engine: String,
    /// One outcome for each case, in the order of the cases.
    #[serde(rename = "cases")]
    pub outcomes: Vec<Outcome>,
    /// The failures of processes that no single case is known to cause. If a process fails at a case after it has answered
    /// other cases, a new process gets the case again. The failure is listed here if the new process does not fail in the same
    /// way. Failures after the last case are listed, too.
    pub interruptions: Vec<String>,
    /// The reason why the engine could not be started any more, if so.
    pub broke_off: Option<String>,
    /// The smallest call of each kind of difference, if [`minimise`] was called.
    pub smallest: Vec<Smallest>,
}

/// Reads the cases of these files.
pub fn questions(files: &[PathBuf]) -> Result<Vec<Question>, String> {
    let question = |case: Case| {
        let id = case.id.clone();
        Question::new(case).map_err(|error| format!("{id}: {error}"))
    };
    load(files)?.into_iter().map(question).collect()
}

impl Question {
    fn new(case: Case) -> Result<Question, String> {
        let expected = match &case.expect {
            Expect::Error => None,
            Expect::Tensor { shape, data } => Some(tensor(shape, data, case.dtype)?),
        };
        Ok(Question { case, expected })
    }

    fn outcome(&self, verdict: Verdict, what: String, answer: Option<Value>) -> Outcome {
        Outcome { id: self.case.id.clone(), flags: self.case.flags.clone(), verdict, what, answer }
    }

    /// Compares a line that the engine printed with the right answer, and returns the outcome.
    fn judge(&self, number: usize, line: &[u8]) -> Outcome {
        let reply = serde_json::from_slice::<Reply>(line).map_err(|error| error.to_string());
        let reply = reply.and_then(|Reply { n, answer }| match (&answer, n == number) {
            (_, false) => Err(format!("the answer to {n}, but {number} was asked")),
            (Answer::Tensor { shape, data }, _) => Ok((Some(tensor(shape, data, self.case.dtype)?), answer)),
            _ => Ok((None, answer)),
        });
        let written = |shape: &[usize], data: &[Value]| format!("{shape:?} {}", Value::from(data));
        let (verdict, got, answer) = match reply {
            Err(why) => {
                return self.outcome(Verdict::Garbles, format!("printed {}: {why}", shown(line)), None);
            }
            Ok((_, Answer::Cannot { cannot })) => return self.outcome(Verdict::Cannot, cannot, None),
            Ok((tensor, _)) if tensor == self.expected => {
                return self.outcome(Verdict::Passes, String::new(), None);
            }
            Ok((_, Answer::Refusal { error })) => {
                (Verdict::Refuses, format!("refused ({error})"), json!({"error": error}))
            }
            Ok((_, Answer::Tensor { shape, data })) => {
                (Verdict::Differs, written(&shape, &data), json!({"shape": shape, "data": data}))
            }
        };
        let expected = match &self.case.expect {
            Expect::Tensor { shape, data } => written(shape, data),
            Expect::Error => "a refusal".into(),
        };
        self.outcome(verdict, format!("expected {expected}, got {got}"), Some(answer))
    }
}

/// A line that the engine prints as the answer to a case.
#[derive(Deserialize)]
struct Reply {
    n: usize,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "neither a tensor, nor an error, nor cannot")]
enum Answer {
    Tensor { shape: Vec<usize>, data: Vec<Value> },
    Refusal { error: String },
    Cannot { cannot: String },
}

/// Starts an engine with `command`, sends it the cases, and returns all outcomes. Calls `progress` with each outcome. Returns an
/// error if the engine cannot be started the first time.
pub fn run(
    command: &str,
    limits: Limits,
    questions: &[Question],
    mut progress: impl FnMut(&Outcome),
) -> Result<Run, String> {
    let mut session = Session::start(command, limits)?;
    let mut outcomes = Vec::new();
    for question in questions {
        let outcome = session.put(question);
        progress(&outcome);
        outcomes.push(outcome);
    }
    session.end();
    let Session { engine, interruptions, broke_off, .. } = session;
    Ok(Run { engine, outcomes, interruptions, broke_off, smallest: Vec::new() })
}
