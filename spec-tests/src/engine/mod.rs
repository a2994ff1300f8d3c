//! Sends recorded cases to any engine. An engine is a command that reads and writes lines of JSON, as `engines/PROTOCOL.md` says.
//!
//! Each case has one [`Outcome`]. If the process crashes, hangs or prints anything but an answer, it is killed. A new process
//! continues with the next case.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rules::Type;
use crate::vectors::{Case, Elements, Expect, check_count, load};
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The right tensor, or a refusal where that is right.
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
    pub const ALL: [Verdict; 8] = {
        use Verdict::*;
        [Passes, Differs, Refuses, Cannot, Crashes, Hangs, Garbles, Unasked]
    };

    /// Returns the name of the verdict in tables and lists.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Returns whether the process with this outcome must not get another case.
    fn ends_process(self) -> bool {
        matches!(self, Verdict::Crashes | Verdict::Hangs | Verdict::Garbles)
    }
}

/// A recorded case that can be sent to an engine.
#[derive(Clone, Debug)]
pub struct Question {
    case: Case,
    element: Type,
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

/// A failure of a process that no single case is known to cause. If the process got another case, a new process got this case
/// again and did not fail in the same way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interruption {
    /// The last case that this process answered.
    pub after: String,
    /// The case that the process got next. `None` if the failure was at the end of the run.
    pub before: Option<String>,
    pub what: String,
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
    /// The failures that no single case is known to cause.
    pub interruptions: Vec<Interruption>,
    /// The reason why the engine could not be started any more, if so.
    pub broke_off: Option<String>,
    /// The smallest cases that still differ, if [`minimise`] was called.
    pub smallest: Vec<Smallest>,
}

/// Reads the cases of these files. Returns an error if a line is no valid case, or if two cases have the same id.
pub fn questions(files: &[PathBuf]) -> Result<Vec<Question>, String> {
    let mut questions = Vec::new();
    let mut ids = BTreeSet::new();
    for file in files {
        for (place, line) in load(file).map_err(|error| format!("{}: {error}", file.display()))? {
            let question = line.and_then(Question::new).map_err(|error| format!("{place}: {error}"))?;
            if !ids.insert(question.case.id.clone()) {
                return Err(format!("{place}: the id {} is there twice", question.case.id));
            }
            questions.push(question);
        }
    }
    Ok(questions)
}

impl Question {
    fn new(case: Case) -> Result<Question, String> {
        let element = Type::from_name(&case.dtype).ok_or_else(|| format!("no type {}", case.dtype))?;
        let expected = match &case.expect {
            Expect::Error => None,
            Expect::Tensor { shape, data } => Some(tensor(shape.clone(), data, element)?),
        };
        Ok(Question { case, element, expected })
    }

    pub fn id(&self) -> &str {
        &self.case.id
    }

    fn outcome(&self, verdict: Verdict, what: String, answer: Option<Value>) -> Outcome {
        Outcome { id: self.case.id.clone(), flags: self.case.flags.clone(), verdict, what, answer }
    }

    /// Compares a line that the engine printed with the right answer, and returns the outcome.
    fn judge(&self, number: usize, line: &[u8]) -> Outcome {
        let reply = serde_json::from_slice::<Reply>(line).map_err(|error| error.to_string());
        let reply = match reply.and_then(|reply| reply.read(number, self.element)) {
            Ok(reply) => reply,
            Err(why) => {
                return self.outcome(Verdict::Garbles, format!("printed {}: {why}", shown(line)), None);
            }
        };
        let (verdict, got, answer) = match reply {
            Answer::Cannot(why) => return self.outcome(Verdict::Cannot, why, None),
            Answer::Refusal(_) if self.expected.is_none() => (Verdict::Passes, String::new(), Value::Null),
            Answer::Refusal(why) => (Verdict::Refuses, format!("refused ({why})"), json!({"error": why})),
            Answer::Tensor(tensor, _) if Some(&tensor) == self.expected.as_ref() => {
                (Verdict::Passes, String::new(), Value::Null)
            }
            Answer::Tensor((shape, _), data) => {
                (Verdict::Differs, written(&shape, &data), json!({"shape": shape, "data": data}))
            }
        };
        if verdict == Verdict::Passes {
            return self.outcome(verdict, got, None);
        }
        let expected = match &self.case.expect {
            Expect::Tensor { shape, data } => written(shape, data),
            Expect::Error => "a refusal".into(),
        };
        self.outcome(verdict, format!("expected {expected}, got {got}"), Some(answer))
    }
}

/// Returns a tensor as text for messages.
fn written(shape: &[usize], data: &[Value]) -> String {
    format!("{shape:?} {}", Value::from(data))
}

fn tensor(shape: Vec<usize>, data: &[Value], element: Type) -> Result<(Vec<usize>, Elements), String> {
    check_count(&shape, data.len())?;
    Ok((shape, Elements::from_json(data, element)?))
}

/// A line that the engine prints as the answer to a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    n: usize,
    shape: Option<Vec<usize>>,
    data: Option<Vec<Value>>,
    error: Option<String>,
    cannot: Option<String>,
}

enum Answer {
    Tensor((Vec<usize>, Elements), Vec<Value>),
    Refusal(String),
    Cannot(String),
}

impl Reply {
    fn read(self, number: usize, element: Type) -> Result<Answer, String> {
        if self.n != number {
            return Err(format!("the answer to {}, but {number} was asked", self.n));
        }
        match self {
            Reply { shape: Some(shape), data: Some(data), error: None, cannot: None, .. } => {
                Ok(Answer::Tensor(tensor(shape, &data, element)?, data))
            }
            Reply { shape: None, data: None, error: Some(why), cannot: None, .. } => Ok(Answer::Refusal(why)),
            Reply { shape: None, data: None, error: None, cannot: Some(why), .. } => Ok(Answer::Cannot(why)),
            _ => Err("neither a tensor, nor an error, nor cannot".into()),
        }
    }
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
