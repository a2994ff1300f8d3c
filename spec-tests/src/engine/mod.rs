//! Recorded cases put to any engine: a command that is spoken to in lines of JSON, as `engines/PROTOCOL.md` says.
//!
//! Whatever the engine does is an [`Outcome`] of the case that made it do so. A process that has crashed, hung or
//! printed something else than an answer is ended, and another one goes on.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rules::Type;
use crate::vectors::{Case, Elements, Expect, check_count, load};
use session::{Session, shown};

pub use page::page;
pub use report::{Counts, Known, Report};
pub use smallest::{Progress, Smallest, minimise};

mod page;
mod report;
mod session;
mod shrink;
mod smallest;

pub const PROTOCOL: u64 = 1;

/// What an engine makes of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The right tensor, or a refusal where that is right.
    Passes,
    /// Another tensor, or one where a refusal is right.
    Differs,
    /// A refusal where a tensor is right.
    Refuses,
    /// The engine says that it has no words for this case.
    Cannot,
    /// The process ended.
    Crashes,
    Hangs,
    /// What it printed is no answer.
    Garbles,
    /// Not put to the engine, which could not be started any more.
    Unasked,
}

impl Verdict {
    pub const ALL: [Verdict; 8] = {
        use Verdict::*;
        [Passes, Differs, Refuses, Cannot, Crashes, Hangs, Garbles, Unasked]
    };

    /// The word for it in tables and lists.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Whether the process that did this is not asked again.
    fn ends_process(self) -> bool {
        matches!(self, Verdict::Crashes | Verdict::Hangs | Verdict::Garbles)
    }
}

/// A recorded case that can be put to an engine.
#[derive(Clone, Debug)]
pub struct Question {
    case: Case,
    element: Type,
    /// The right tensor; `None` if the call is to be refused.
    expected: Option<(Vec<usize>, Elements)>,
}

/// How a case went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Outcome {
    pub id: String,
    pub flags: Vec<String>,
    pub verdict: Verdict,
    /// The outcome in words, empty if the case passes.
    pub what: String,
    /// The tensor or refusal as the engine wrote it, unless the case passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// A process that ended or garbled, and no single case is known to cause it: asked alone, the next one was answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Interruption {
    /// The last case that this process answered.
    pub after: String,
    /// The case that it was asked then; `None` at the end of the run.
    pub before: Option<String>,
    pub what: String,
}

/// How long an engine may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub start: Duration,
    pub case: Duration,
}

#[derive(Clone, Debug)]
pub struct Run {
    /// What the engine calls itself.
    pub engine: String,
    /// One for each case, in order.
    pub outcomes: Vec<Outcome>,
    /// What no case answers for.
    pub interruptions: Vec<Interruption>,
    /// Why the run broke off, if it did.
    pub broke_off: Option<String>,
    /// The smallest cases found that still differ, if they were looked for.
    pub smallest: Vec<Smallest>,
}

/// The cases of these files. What cannot be put to an engine is an error: a line that is no case, and an id that is there twice.
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

    /// What a line that the engine printed comes to.
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

/// A tensor as the format writes it.
fn written(shape: &[usize], data: &[Value]) -> String {
    format!("{shape:?} {}", Value::from(data))
}

fn tensor(shape: Vec<usize>, data: &[Value], element: Type) -> Result<(Vec<usize>, Elements), String> {
    check_count(&shape, data.len())?;
    Ok((shape, Elements::from_json(data, element)?))
}

/// A line of the engine's about a case.
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

/// Puts the cases to the engine that a command starts, and hands each outcome to `progress`. It is an error if the
/// engine cannot be started at all.
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
