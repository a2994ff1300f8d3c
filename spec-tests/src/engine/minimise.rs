//! Searches for the smallest call of each kind of difference between an engine and the reference. The search sends the engine
//! smaller and smaller calls, and keeps a call if the engine's answer is wrong in the same way.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::session::Session;
use super::{Limits, Outcome, Question, Run, Verdict};
use crate::conform::reference_answer;
use crate::rules::Type;
use crate::vectors::Case;

/// The smallest call that the search found for one kind of difference. Differences of one kind have the same verdict, wrong part,
/// dialect and classes. The search began with the recorded case `from`, and sent `asked` calls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Smallest {
    pub verdict: Verdict,
    /// A text that names the wrong part: the shape, the elements, or a tensor instead of a refusal. It is empty if the verdict is
    /// not `differs`.
    pub part: String,
    /// The classes of the recorded cases of this kind. If the smallest calls of several kinds differ only in the version, the
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
    /// Whether the search tried all smaller calls. If false, the time was over, or the engine could not be started any more.
    pub finished: bool,
    /// Whether the engine gave the same answer to the same call again.
    pub steady: bool,
}

impl Smallest {
    pub(super) fn count(&self) -> String {
        if self.cases == 1 { "1 case".into() } else { format!("{} cases", self.cases) }
    }

    /// Returns the call without its version, the verdict and the wrong part. Results with equal keys become one.
    fn key(&self) -> (Value, Verdict, String) {
        let mut case = self.case.clone();
        case.as_object_mut().map(|case| case.shift_remove("version"));
        (case, self.verdict, self.part.clone())
    }
}

/// Returns which part of an answer is wrong.
fn part(question: &Question, outcome: &Outcome) -> &'static str {
    let shape = outcome.answer.as_ref().and_then(|answer| answer.get("shape"));
    match (outcome.verdict, &question.expected) {
        (Verdict::Differs, None) => "a tensor where a refusal is right",
        (Verdict::Differs, Some((expected, _))) if shape == Some(&json!(expected)) => "other elements",
        (Verdict::Differs, _) => "another shape",
        _ => "",
    }
}

/// Searches for the smallest call of each kind of difference in a run of these questions, and adds the results to `run`. The
/// search takes about the time `within`. It also adds failures of processes to `run`. If the engine could not be started any
/// more, it adds the reason. It calls `progress` with three numbers: finished kinds, all kinds, and sent calls.
pub fn minimise(
    command: &str,
    limits: Limits,
    questions: &[Question],
    run: &mut Run,
    within: Duration,
    mut progress: impl FnMut(usize, usize, usize),
) {
    // Collect the kinds of differences, each with the number of its cases and its smallest recorded case.
    let mut kinds = Vec::<(usize, &Question, Outcome)>::new();
    let key = |question: &Question, outcome: &Outcome| {
        (part(question, outcome), outcome.verdict, question.case.dialect.clone(), outcome.flags.clone())
    };
    for (question, outcome) in questions.iter().zip(&run.outcomes) {
        if matches!(outcome.verdict, Verdict::Passes | Verdict::Cannot | Verdict::Unasked) {
            continue;
        }
        match kinds.iter_mut().find(|(_, one, other)| key(one, other) == key(question, outcome)) {
            Some((count, smallest, of_smallest)) => {
                *count += 1;
                if size(&question.case) < size(&smallest.case) {
                    (*smallest, *of_smallest) = (question, outcome.clone());
                }
            }
            None => kinds.push((1, question, outcome.clone())),
        }
    }
    if kinds.is_empty() || run.broke_off.is_some() {
        return;
    }
    let begin = Instant::now();
    let mut session = match Session::start(command, limits) {
        Ok(session) => session,
        Err(why) => return run.broke_off = Some(why),
    };
    let (of, mut asked) = (kinds.len(), 0);
    for (done, (count, question, outcome)) in kinds.into_iter().enumerate() {
        // Each kind gets an equal share of the remaining time, so a kind that hangs leaves time for the others.
        let end = Instant::now() + within.saturating_sub(begin.elapsed()) / (of - done) as u32;
        let one = smallest(&mut session, count, question, outcome, end, |here| {
            progress(done, of, asked + here);
        });
        asked += one.asked;
        match run.smallest.iter_mut().find(|other| other.key() == one.key()) {
            Some(other) => {
                other.cases += one.cases;
                other.asked += one.asked;
                other.steady &= one.steady;
                other.finished &= one.finished;
                other.classes.extend(one.classes);
            }
            None => run.smallest.push(one),
        }
    }
    session.end();
    run.interruptions.extend(session.interruptions);
    run.broke_off = session.broke_off;
}

/// Searches for the smallest call with the kind of difference of the recorded case `from`.
fn smallest(
    session: &mut Session<'_>,
    cases: usize,
    from: &Question,
    mut outcome: Outcome,
    end: Instant,
    mut progress: impl FnMut(usize),
) -> Smallest {
    let (verdict, part_of_kind) = (outcome.verdict, part(from, &outcome));
    let (mut call, mut asked, mut finished, mut seen) = (from.case.clone(), 0, true, HashSet::new());
    let mut put = |mut call: Case, asked: &mut usize| {
        // The new id is unique, and contains the id of the recorded case.
        call.id = format!("smaller-{asked}/{}", from.case.id);
        // Calls that the reference does not support, or whose output is too large for it, are skipped.
        let question = reference_answer(&call).and_then(|expect| Question::new(Case { expect, ..call }));
        question.ok().map(|question| {
            *asked += 1;
            progress(*asked);
            let outcome = session.put(&question);
            (question, outcome, session.broke_off.is_some())
        })
    };
    // After a success, the search continues with the next step in the list of the smaller call. After the last step of a list, it
    // returns to the first one.
    let (mut steps, mut at, mut failed) = (smaller(&call), 0, 0);
    while failed < steps.len() && finished {
        let next = &steps[at % steps.len()];
        (at, failed) = (at + 1, failed + 1);
        if size(next) >= size(&call) || !seen.insert(call_json(next).to_string()) {
            continue;
        }
        if Instant::now() >= end {
            finished = false;
        } else if let Some((question, answer, broken)) = put(next.clone(), &mut asked) {
            finished = !broken;
            if answer.verdict == verdict && part(&question, &answer) == part_of_kind {
                (call, outcome) = (question.case, answer);
                (steps, failed) = (smaller(&call), 0);
            }
        }
    }
    // If there is time, ask once more, to see whether the engine gives the same answer every time.
    let again = finished.then(|| put(call.clone(), &mut asked)).flatten();
    let steady = again
        .is_none_or(|(_, again, _)| (again.verdict, &again.answer) == (outcome.verdict, &outcome.answer));
    Smallest {
        verdict,
        part: part_of_kind.to_owned(),
        classes: vec![from.case.flags.clone()],
        cases,
        from: from.case.id.clone(),
        case: call_json(&call),
        what: outcome.what,
        answer: outcome.answer,
        asked,
        finished,
        steady,
    }
}

/// Returns the call as JSON, without the id.
fn call_json(call: &Case) -> Value {
    let mut call = json!(call);
    call.as_object_mut().map(|call| call.shift_remove("id"));
    call
}

/// Arguments that repeat the widths. If a call has one of them, its widths cannot change alone.
const REPEATS: [&str; 3] = ["pad", "pad_width", "pads_shape"];

/// The types and the mode that are easiest to read, the easiest first. All others count as equally hard.
const EASY: [Type; 3] = [Type::Float32, Type::Int32, Type::Uint8];
const EASY_MODE: &str = "constant";

/// Returns the size of a call: its rank, the length of its JSON, and the sum of its numbers. The JSON does not contain the type
/// and the mode. Instead, they add a number to the length, which is larger if they are harder to read.
fn size(call: &Case) -> impl PartialOrd + use<> {
    fn sum(value: &Value) -> f64 {
        match value {
            Value::Array(list) => list.iter().map(sum).sum(),
            Value::Object(fields) => fields.values().map(sum).sum(),
            other => other.as_f64().unwrap_or(0.0).abs(),
        }
    }
    let place = EASY.iter().position(|easy| *easy == call.dtype).unwrap_or(EASY.len());
    let hard = place + usize::from(call.mode != EASY_MODE);
    let mut json = call_json(call);
    for name in ["dtype", "mode"] {
        json.as_object_mut().map(|call| call.shift_remove(name));
    }
    (call.shape.len(), json.to_string().len() + hard, sum(&json))
}

/// Returns calls that may be smaller, in the order in which to try them.
fn smaller(call: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Case)| {
        let mut smaller = call.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    // Drop a field, or give a width for every axis instead of a list of axes.
    add(&|call| call.frame = None);
    add(&|call| call.interior = None);
    add(&|call| call.npad = None);
    add(&|call| call.value = None);
    for name in call.args.keys() {
        add(&|call| drop(call.args.shift_remove(name)));
    }
    add(&|call| *call = call.clone().spread(false).unwrap_or_else(|_| call.clone()));
    // Drop an axis. At least one axis remains, because scalars are a class of their own.
    let (rank, may_change) = (call.shape.len(), !REPEATS.iter().any(|name| call.args.contains_key(*name)));
    for axis in (0..rank).filter(|_| may_change && rank > 1) {
        [false, true].iter().for_each(|&at_end| add(&|call| without_axis(call, axis, at_end)));
    }
    // Move the length of an axis, its widths, or several of them towards 0 by the same amount. Try large amounts first.
    for (axis, which) in (0..rank).flat_map(|axis| (1..16).map(move |which| (axis, which))) {
        let width = |widths: Option<&Vec<i64>>| Some(widths?.get(axis)?.unsigned_abs());
        let sides = [Some(&call.low), Some(&call.high), call.interior.as_ref()].map(width);
        let [low, high, interior] = sides.map(|width| width.unwrap_or(0));
        let all = [(call.shape[axis] as u64).saturating_sub(1), low, high, interior];
        let chosen = |bit: usize| which >> bit & 1 == 1;
        let least = (0..4).filter(|&bit| chosen(bit)).map(|bit| all[bit]).min();
        let amounts =
            std::iter::successors(least, |amount| Some(amount / 2)).take_while(|&amount| amount > 0);
        for (amount, at_end) in amounts.flat_map(|amount| [(amount as i64, false), (amount as i64, true)]) {
            if !may_change && which != 1 || at_end && !chosen(0) {
                continue;
            }
            add(&|call| {
                if chosen(0) {
                    resize(call, axis, call.shape[axis] - amount as usize, at_end);
                }
                for (bit, widths) in (1..).zip(lists(call)) {
                    let width = widths.and_then(|widths| widths.get_mut(axis)).filter(|_| chosen(bit));
                    if let Some(width) = width {
                        *width = width.wrapping_sub(amount.wrapping_mul(width.signum()));
                    }
                }
            });
        }
    }
    // Take the easiest mode, a simple fill value, and an easier type with plain elements (see `plain`).
    add(&|call| call.mode = EASY_MODE.into());
    let values = |dtype: Type| match call.value {
        Some(_) => vec![Some(json!(0)), Some(plain(dtype, 8))],
        None => Vec::new(),
    };
    for value in values(call.dtype) {
        add(&|call| call.value.clone_from(&value));
    }
    for easy in EASY {
        for value in values(easy).into_iter().chain([None]) {
            add(&|call| {
                (call.dtype, call.value) = (easy, value.clone());
                call.data = (0..call.data.len()).map(|i| plain(easy, i)).collect();
            });
        }
    }
    // Make all elements plain, or one of them.
    add(&|call| call.data = (0..call.data.len()).map(|i| plain(call.dtype, i)).collect());
    for i in 0..call.data.len() {
        add(&|call| call.data[i] = plain(call.dtype, i));
    }
    all
}

/// Removes an axis, and keeps the first or the last elements of the tensor.
fn without_axis(call: &mut Case, axis: usize, at_end: bool) {
    let rank = call.shape.len();
    resize(call, axis, 1, at_end);
    call.shape.remove(axis);
    let place = |axis: i64| if axis < 0 { axis + rank as i64 } else { axis };
    let places: Vec<i64> = match &call.axes {
        Some(axes) => axes.iter().map(|&axis| place(axis)).collect(),
        None => (0..rank as i64).collect(),
    };
    let [low, high, interior] = lists(call);
    for widths in [low, high, interior].into_iter().flatten() {
        let mut places = places.iter();
        widths.retain(|_| places.next() != Some(&(axis as i64)));
    }
    let kept = places.into_iter().filter(|&place| place != axis as i64);
    call.axes = call.axes.take().map(|_| kept.map(|place| place - i64::from(place > axis as i64)).collect());
    call.npad = call.npad.map(|named| named.min(rank - 1));
}

/// Changes the length of an axis. Keeps the first or the last elements of the tensor. An empty tensor gets plain elements.
fn resize(call: &mut Case, axis: usize, length: usize, at_end: bool) {
    call.shape[axis] = length;
    let count = call.shape.iter().fold(1usize, |count, &length| count.saturating_mul(length));
    let old = call.data.len();
    if old == 0 {
        call.data = (0..count.min(1 << 12)).map(|i| plain(call.dtype, i)).collect();
    } else {
        call.data.rotate_left(if at_end { old.saturating_sub(count) } else { 0 });
        call.data.truncate(count);
    }
}

/// Returns the plain element for index `i`: a small number that differs from its neighbours.
fn plain(element: Type, i: usize) -> Value {
    use Type::*;
    let numbers = match element {
        String => return json!(char::from(b'a' + (i % 26) as u8).to_string()),
        Complex64 | Complex128 => return json!([1 + i % 99, 0]),
        Float8e8m0 => return json!(1 << (i % 7)),
        Bool | Int2 => 2,
        Uint2 => 4,
        Float4e2m1 => 5,
        Int4 => 8,
        Uint4 => 16,
        element if element.name().starts_with("float8") => 9,
        _ => 100,
    };
    json!((i + 1) % numbers)
}

fn lists(call: &mut Case) -> [Option<&mut Vec<i64>>; 3] {
    [Some(&mut call.low), Some(&mut call.high), call.interior.as_mut()]
}
