//! An engine that is kept running: it is asked case by case, and started anew after a crash.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::process::{Process, Silence, shown};
use super::{Interruption, Limits, Outcome, PROTOCOL, Question, Verdict};

/// How often an engine is started before it is given up.
const STARTS: usize = 3;

/// The first line of the engine's.
#[derive(Deserialize)]
struct Hello {
    protocol: u64,
    engine: String,
}

/// A process that has said who it is.
struct Engine {
    process: Process,
    name: String,
    /// The last case that it answered.
    answered: Option<String>,
}

impl Engine {
    fn start(command: &str, limits: Limits) -> Result<Engine, String> {
        let mut why = String::new();
        for _ in 0..STARTS {
            match Engine::start_once(command, limits.start) {
                Ok(engine) => return Ok(engine),
                Err(error) => why = error,
            }
        }
        Err(format!("the engine does not start: {why}"))
    }

    fn start_once(command: &str, limit: Duration) -> Result<Engine, String> {
        let mut process = Process::start(command).map_err(|error| error.to_string())?;
        process.say(json!({ "protocol": PROTOCOL }).to_string());
        let line = match process.hear(limit) {
            Ok(line) => line,
            Err(Silence::Ended(how)) => return Err(format!("it {how}")),
            Err(Silence::Late) => return Err(format!("no word from it in {limit:?}")),
        };
        match serde_json::from_slice(&line) {
            Ok(Hello { protocol: PROTOCOL, engine: name }) => Ok(Engine { process, name, answered: None }),
            Ok(Hello { protocol, .. }) => Err(format!("it speaks version {protocol}, not {PROTOCOL}")),
            Err(error) => Err(format!("it printed {}: {error}", shown(&line))),
        }
    }

    fn ask(&mut self, number: usize, question: &Question, limit: Duration) -> Outcome {
        let begin = Instant::now();
        self.process.say(json!({ "n": number, "case": question.told }).to_string());
        let outcome = match self.process.hear(limit) {
            Ok(line) => question.judge(number, &line),
            Err(Silence::Ended(how)) => question.outcome(Verdict::Crashes, how, None),
            Err(Silence::Late) => {
                let what = format!("no answer in {:.1} s", begin.elapsed().as_secs_f64());
                question.outcome(Verdict::Hangs, what, None)
            }
        };
        if !outcome.verdict.ends_process() {
            self.answered = Some(question.case.id.clone());
        }
        outcome
    }
}

/// A conversation with the engine of a command, over as many processes as it takes.
pub(super) struct Session<'a> {
    command: &'a str,
    limits: Limits,
    running: Option<Engine>,
    /// How many cases were put.
    put: usize,
    /// What the engine calls itself.
    pub(super) engine: String,
    pub(super) interruptions: Vec<Interruption>,
    /// Why the engine cannot be asked any more.
    pub(super) broke_off: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn start(command: &'a str, limits: Limits) -> Result<Self, String> {
        let first = Engine::start(command, limits)?;
        let engine = first.name.clone();
        let running = Some(first);
        Ok(Session { command, limits, running, put: 0, engine, interruptions: Vec::new(), broke_off: None })
    }

    /// Puts one case. A process that fails on it may do so for what it was asked before, so the case has a second
    /// chance in a new process, whose answer is the case's.
    pub(super) fn put(&mut self, question: &Question) -> Outcome {
        let number = self.put;
        self.put += 1;
        let mut before: Option<(String, Outcome)> = None;
        loop {
            let mut engine = match self.running.take() {
                Some(engine) => engine,
                None if self.broke_off.is_some() => {
                    return question.outcome(Verdict::Unasked, String::new(), None);
                }
                None => match Engine::start(self.command, self.limits) {
                    Ok(engine) => engine,
                    Err(why) => {
                        self.broke_off = Some(why);
                        if let Some((_, outcome)) = before {
                            return outcome;
                        }
                        continue;
                    }
                },
            };
            let outcome = engine.ask(number, question, self.limits.case);
            if !outcome.verdict.ends_process() {
                self.running = Some(engine);
            } else if let Some(after) = engine.answered.take() {
                before = Some((after, outcome));
                continue;
            }
            if let Some((after, first)) = before.filter(|(_, first)| first.verdict != outcome.verdict) {
                let what = format!("{}: {}", first.verdict.name(), first.what);
                self.interruptions.push(Interruption { after, before: Some(first.id), what });
            }
            return outcome;
        }
    }

    /// Asks the engine to end.
    pub(super) fn end(&mut self) {
        if let Some(Engine { process, answered: Some(after), .. }) = self.running.take()
            && let Some(what) = process.finish(self.limits.case)
        {
            self.interruptions.push(Interruption { after, before: None, what });
        }
    }
}
