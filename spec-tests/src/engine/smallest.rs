//! Searches the smallest case of each kind of difference. It sends the engine smaller and smaller calls, and compares the answers
//! with those of the reference.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::session::Session;
use super::shrink::{STEPS, Step, size};
use super::{Limits, Outcome, Question, Run, Verdict};
use crate::conform::reference_answer;
use crate::vectors::Case;

/// The smallest case that the search found for one kind of difference. Cases of one kind have the same verdict, wrong part,
/// dialect and classes. The search began with the recorded case `from`, and sent `asked` calls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Smallest {
    pub verdict: Verdict,
    /// The wrong part: the shape, the elements, or a tensor instead of a refusal. It is empty if the verdict is not `differs`.
    pub part: String,
    /// The classes of the recorded cases of this kind. If the smallest cases of several kinds differ only in the version, the
    /// list has an entry for each kind.
    pub classes: Vec<Vec<String>>,
    /// The number of recorded cases of this kind.
    pub cases: usize,
    pub from: String,
    /// The call, in the format of recorded cases.
    pub case: Value,
    /// A description of the difference.
    pub what: String,
    /// The tensor or refusal that the engine returned, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    pub asked: usize,
    /// Whether no step makes the case smaller. If false, the time was over, or the engine could not be started any more.
    pub finished: bool,
    /// Whether the engine gave the same answer to the same call again.
    pub steady: bool,
}

/// The progress of the search: it has finished `kinds` of `of` kinds, and has sent `asked` calls to the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    pub kinds: usize,
    pub of: usize,
    pub asked: usize,
}

/// Returns which part of an answer is wrong.
fn part(question: &Question, outcome: &Outcome) -> &'static str {
    let shape = outcome.answer.as_ref().and_then(|answer| answer.get("shape"));
    match (outcome.verdict, &question.expected) {
        (Verdict::Differs, None) => "a tensor where a refusal is right",
        (Verdict::Differs, Some((expected, _))) => match shape == Some(&serde_json::json!(expected)) {
            true => "other elements",
            false => "another shape",
        },
        _ => "",
    }
}

/// A kind of difference, and the recorded case with which the search begins.
struct Kind<'a> {
    key: (Verdict, &'static str, &'a str, &'a [String]),
    cases: usize,
    question: &'a Question,
    outcome: &'a Outcome,
}

/// Returns the kinds of differences of a run, in the order of its cases. Each kind has its smallest recorded case.
fn kinds<'a>(questions: &'a [Question], outcomes: &'a [Outcome]) -> Vec<Kind<'a>> {
    let mut kinds = Vec::<Kind<'_>>::new();
    for (question, outcome) in questions.iter().zip(outcomes) {
        if matches!(outcome.verdict, Verdict::Passes | Verdict::Cannot | Verdict::Unasked) {
            continue;
        }
        let key =
            (outcome.verdict, part(question, outcome), &question.case.dialect[..], &question.case.flags[..]);
        match kinds.iter_mut().find(|kind| kind.key == key) {
            Some(kind) => {
                kind.cases += 1;
                if size(&question.case) < size(&kind.question.case) {
                    (kind.question, kind.outcome) = (question, outcome);
                }
            }
            None => kinds.push(Kind { key, cases: 1, question, outcome }),
        }
    }
    kinds
}

/// Searches the smallest case of each kind of difference in a run of these questions, and adds the results to `run`. The search
/// takes about the time `within`. It also adds failures of processes to `run`, and the reason if the engine could not be started
/// any more.
pub fn minimise(
    command: &str,
    limits: Limits,
    questions: &[Question],
    run: &mut Run,
    within: Duration,
    mut progress: impl FnMut(Progress),
) {
    let kinds = kinds(questions, &run.outcomes);
    if kinds.is_empty() || run.broke_off.is_some() {
        return;
    }
    let begin = Instant::now();
    let mut session = match Session::start(command, limits) {
        Ok(session) => session,
        Err(why) => {
            run.broke_off = Some(why);
            return;
        }
    };
    let mut asked = 0;
    let mut found = Vec::<Smallest>::new();
    for (done, kind) in kinds.iter().enumerate() {
        // Each kind gets an equal share of the remaining time, so a kind that hangs leaves time for the others.
        let share = within.saturating_sub(begin.elapsed()) / (kinds.len() - done) as u32;
        let mut search =
            Search { session: &mut session, end: Instant::now() + share, asked: 0, seen: HashSet::new() };
        let smallest = search
            .smallest(kind, |here| progress(Progress { kinds: done, of: kinds.len(), asked: asked + here }));
        asked += smallest.asked;
        // Kinds whose smallest cases differ only in the version become one entry, with the version of the first kind.
        let call = |one: &Smallest| {
            let mut case = one.case.clone();
            case.as_object_mut().map(|case| case.shift_remove("version"));
            (case, one.verdict, one.part.clone())
        };
        let same = |other: &&mut Smallest| call(other) == call(&smallest);
        match found.iter_mut().find(same) {
            Some(other) => {
                other.cases += smallest.cases;
                other.asked += smallest.asked;
                other.steady &= smallest.steady;
                other.finished &= smallest.finished;
                other.classes.extend(smallest.classes);
            }
            None => found.push(smallest),
        }
    }
    session.end();
    run.interruptions.extend(session.interruptions);
    run.broke_off = session.broke_off;
    run.smallest = found;
}

/// The search for the smallest case of one kind.
struct Search<'s, 'c> {
    session: &'s mut Session<'c>,
    end: Instant,
    asked: usize,
    /// The calls that the search has tried, as JSON.
    seen: HashSet<String>,
}

impl Search<'_, '_> {
    fn smallest(&mut self, kind: &Kind<'_>, mut progress: impl FnMut(usize)) -> Smallest {
        let (verdict, part, _, flags) = kind.key;
        let (mut call, mut outcome) = (kind.question.case.clone(), kind.outcome.clone());
        let mut smaller = true;
        let mut finished = true;
        while smaller && finished {
            smaller = false;
            for step in STEPS {
                while let Some(next) = self.step(kind, &call, step, &mut progress, &mut finished) {
                    (call, outcome) = next;
                    smaller = true;
                }
            }
        }
        // If there is time, ask once more, to see whether the engine gives the same answer every time.
        let mut steady = true;
        if finished && let Ok(question) = asked(call.clone()) {
            self.asked += 1;
            let again = self.session.put(&question);
            steady = (again.verdict, &again.answer) == (outcome.verdict, &outcome.answer);
        }
        let mut case = json!(call);
        case.as_object_mut().map(|case| case.shift_remove("id"));
        Smallest {
            verdict,
            part: part.to_owned(),
            classes: vec![flags.to_vec()],
            cases: kind.cases,
            from: kind.question.case.id.clone(),
            case,
            what: outcome.what,
            answer: outcome.answer,
            asked: self.asked,
            finished,
            steady,
        }
    }

    /// Returns the first of the smaller calls that differs in the same way.
    fn step(
        &mut self,
        kind: &Kind<'_>,
        call: &Case,
        step: Step,
        progress: &mut impl FnMut(usize),
        finished: &mut bool,
    ) -> Option<(Case, Outcome)> {
        let (verdict, what, ..) = kind.key;
        let now = size(call);
        for mut smaller in step(call).into_iter().filter(|smaller| size(smaller) < now) {
            smaller.id.clear();
            if !self.seen.insert(json!(smaller).to_string()) {
                continue;
            }
            if Instant::now() >= self.end || self.session.broke_off.is_some() {
                *finished = false;
                return None;
            }
            // The new id is unique, and contains the id of the recorded case.
            smaller.id = format!("smaller-{}/{}", self.asked, kind.question.case.id);
            // Skip calls that the reference does not support, or whose output is too large for it.
            let Ok(question) = asked(smaller) else { continue };
            self.asked += 1;
            progress(self.asked);
            let outcome = self.session.put(&question);
            if outcome.verdict == verdict && part(&question, &outcome) == what {
                return Some((question.case, outcome));
            }
        }
        None
    }
}

/// Returns the call with the answer of the reference. Returns an error if the reference has no answer.
fn asked(call: Case) -> Result<Question, String> {
    let expect = reference_answer(&call)?;
    Question::new(Case { expect, ..call })
}
