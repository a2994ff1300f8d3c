//! The search for the smallest case of each kind of difference: the engine is asked smaller and smaller calls, and the
//! reference says what is right.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::session::Session;
use super::shrink::{STEPS, Step, size};
use super::{Limits, Outcome, Question, Run, Verdict};
use crate::conform::reference_answer;
use crate::vectors::Case;

/// The smallest case found of a kind of difference. A kind is a verdict, what is wrong, and the classes of the cases.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Smallest {
    pub verdict: Verdict,
    /// What is wrong: the shape, the elements, that there is a tensor. Empty if the verdict says all.
    pub part: String,
    /// The classes of the recorded cases of this kind. Of several kinds whose smallest cases are the same but for the
    /// version, those of each.
    pub classes: Vec<Vec<String>>,
    /// How many recorded cases are of this kind.
    pub cases: usize,
    pub from: String,
    /// The call, as the format writes it.
    pub case: Value,
    /// The verdict in words.
    pub what: String,
    /// What the engine answered, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    pub asked: usize,
    /// Whether no step makes it smaller. Otherwise the time was up, or the engine could not be started any more.
    pub finished: bool,
    /// Whether the engine did the same when it was asked again.
    pub steady: bool,
}

/// How far the search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    pub kinds: usize,
    pub of: usize,
    pub asked: usize,
}

/// What is wrong with an answer.
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

/// A kind of difference, and the recorded case to begin with.
struct Kind<'a> {
    key: (Verdict, &'static str, &'a str, &'a [String]),
    cases: usize,
    question: &'a Question,
    outcome: &'a Outcome,
}

/// The kinds of differences of a run, in the order of its cases, each with its smallest case.
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

/// Looks for the smallest case of each kind of difference in a run of these questions, for about as long as `within`, and
/// adds what it found to the run. What the engine does to its process meanwhile is told in the run, too, and so is that it could not
/// be started any more.
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
        // An equal share of what is left, so that one kind that hangs leaves time for the others.
        let share = within.saturating_sub(begin.elapsed()) / (kinds.len() - done) as u32;
        let mut search =
            Search { session: &mut session, end: Instant::now() + share, asked: 0, seen: HashSet::new() };
        let smallest = search
            .smallest(kind, |here| progress(Progress { kinds: done, of: kinds.len(), asked: asked + here }));
        asked += smallest.asked;
        // Of several versions the first is told.
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

/// The search for one kind.
struct Search<'s, 'c> {
    session: &'s mut Session<'c>,
    end: Instant,
    asked: usize,
    /// Calls that the engine was asked.
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
        // Once more, unless there is no time: what differs by chance is told as such.
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

    /// The first of the smaller calls that differs in the same way.
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
            // The engine sees whose case it is, and a name that is no other's.
            smaller.id = format!("smaller-{}/{}", self.asked, kind.question.case.id);
            // What the reference does not know, or cannot hold, is no case.
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

/// A call that the reference answers.
fn asked(call: Case) -> Result<Question, String> {
    let expect = reference_answer(&call)?;
    Question::new(Case { expect, ..call })
}
