//! Keeps an engine running: sends its process one case at a time, and starts a new process after a failure.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::{Limits, Outcome, PROTOCOL, Question, Verdict};

/// The number of attempts to start an engine.
const STARTS: usize = 3;

/// The largest number of bytes in a line. A longer line is read in pieces, and no piece is a valid answer.
const LONGEST: u64 = 1 << 28;

/// The number of bytes at the end of the engine's standard error that messages quote.
const TAIL: i64 = 2000;

/// The time that a process may run after it has closed its output.
const GRACE: Duration = Duration::from_secs(2);

/// A running process of an engine. Dropping this value kills the process.
struct Engine {
    /// The name that the engine gives itself.
    name: String,
    /// The id of the last case that the process answered.
    answered: Option<String>,
    child: Child,
    /// Lines to write. A thread writes them, because writing blocks if the engine does not read.
    to: Option<Sender<String>>,
    from: Receiver<Vec<u8>>,
    /// The file that receives the standard error of the process.
    errors: File,
}

impl Engine {
    /// Starts a shell command.
    fn spawn(command: &str) -> io::Result<Engine> {
        let errors = tempfile::tempfile()?;
        let mut child = shell(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .spawn()?;
        let taken = "the pipe is there, and nobody has taken it";
        let (mut stdin, stdout) = (child.stdin.take().expect(taken), child.stdout.take().expect(taken));
        let (to, lines) = channel::<String>();
        thread::spawn(move || {
            lines
                .iter()
                .try_for_each(|line| stdin.write_all((line + "\n").as_bytes()).and_then(|()| stdin.flush()))
        });
        // The channel is bounded, so an engine that never stops printing has to wait.
        let (heard, from) = sync_channel(16);
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let read = stdout.by_ref().take(LONGEST).read_until(b'\n', &mut line);
                // Drop a line without a line break: the process ended while it wrote the line, and the outcome reports that it
                // ended.
                let whole = line.pop_if(|last| *last == b'\n').is_some() || line.len() as u64 == LONGEST;
                if read.is_err() || !whole || heard.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Engine { name: String::new(), answered: None, child, to: Some(to), from, errors })
    }

    /// Sends a line. Only [`hear`](Engine::hear) shows whether the engine received it.
    fn say(&self, line: String) {
        // Sending fails if the thread has ended because the engine has ended.
        let _ = self.to.as_ref().map(|to| to.send(line));
    }

    /// Returns the next line. If there is none, returns how the process ended, or `None` if it is late.
    fn hear(&mut self, limit: Duration) -> Result<Vec<u8>, Option<String>> {
        self.from.recv_timeout(limit).map_err(|error| {
            let status = (error == RecvTimeoutError::Disconnected).then(|| self.wait(GRACE))?;
            Some(self.obituary(status))
        })
    }

    /// Closes the engine's input, which asks the engine to end. If the engine does anything else, returns a description of it.
    fn finish(mut self, limit: Duration) -> Option<String> {
        self.to = None;
        match self.from.recv_timeout(limit) {
            Ok(line) => return Some(format!("printed after its last answer: {}", shown(&line))),
            Err(RecvTimeoutError::Timeout) => return Some("did not end when its input did".into()),
            Err(RecvTimeoutError::Disconnected) => {}
        }
        match self.wait(limit) {
            Some(status) if status.success() => None,
            None => Some("did not end when its input did".into()),
            status => Some(self.obituary(status)),
        }
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if begin.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Returns how the process ended, and the end of its standard error.
    fn obituary(&mut self, status: Option<ExitStatus>) -> String {
        let how = match status {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".into(),
        };
        let mut words = Vec::new();
        let end = self.errors.seek(SeekFrom::End(-TAIL)).or_else(|_| self.errors.rewind().map(|()| 0));
        let _ = end.and_then(|_| self.errors.read_to_end(&mut words));
        match String::from_utf8_lossy(&words).trim() {
            "" => how,
            words => format!("{how}: {words}"),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            if cfg!(unix) {
                // The standard library kills single processes only. The `kill` of the shell also works on machines without a
                // program of this name.
                let kill = format!("kill -s KILL -- -{}", self.child.id());
                let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Returns the shell command. It runs in a new process group, so that the processes that it starts can be killed with it.
#[cfg(unix)]
fn shell(command: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).process_group(0);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

/// Returns a line as quoted text, at most 200 bytes of it.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(200)]);
    format!("{text:?}{}", if line.len() > 200 { " .." } else { "" })
}

/// The first line that the engine prints.
#[derive(Deserialize)]
struct Hello {
    protocol: u64,
    engine: String,
}

impl Engine {
    /// Starts the engine, and reads its first line.
    fn start(command: &str, limits: Limits) -> Result<Engine, String> {
        let attempt = || Engine::start_once(command, limits.start);
        let started = (1..STARTS).fold(attempt(), |started, _| started.or_else(|_| attempt()));
        started.map_err(|why| format!("the engine does not start: {why}"))
    }

    fn start_once(command: &str, limit: Duration) -> Result<Engine, String> {
        let mut engine = Engine::spawn(command).map_err(|error| error.to_string())?;
        engine.say(json!({ "protocol": PROTOCOL }).to_string());
        let line = match engine.hear(limit) {
            Ok(line) => line,
            Err(Some(how)) => return Err(format!("it {how}")),
            Err(None) => return Err(format!("no word from it in {limit:?}")),
        };
        match serde_json::from_slice(&line) {
            Ok(Hello { protocol: PROTOCOL, engine: name }) => {
                engine.name = name;
                Ok(engine)
            }
            Ok(Hello { protocol, .. }) => Err(format!("it speaks version {protocol}, not {PROTOCOL}")),
            Err(error) => Err(format!("it printed {}: {error}", shown(&line))),
        }
    }

    fn ask(&mut self, number: usize, question: &Question, limit: Duration) -> Outcome {
        let begin = Instant::now();
        self.say(json!({ "n": number, "case": question.case }).to_string());
        let outcome = match self.hear(limit) {
            Ok(line) => question.judge(number, &line),
            Err(Some(how)) => question.outcome(Verdict::Crashes, how, None),
            Err(None) => {
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

/// A sequence of cases for one engine, which may need several processes.
pub(super) struct Session<'a> {
    command: &'a str,
    limits: Limits,
    running: Option<Engine>,
    put: usize,
    pub(super) engine: String,
    pub(super) interruptions: Vec<String>,
    /// The reason why the engine cannot be started any more.
    pub(super) broke_off: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn start(command: &'a str, limits: Limits) -> Result<Self, String> {
        let first = Engine::start(command, limits)?;
        let engine = first.name.clone();
        let running = Some(first);
        Ok(Session { command, limits, running, put: 0, engine, interruptions: Vec::new(), broke_off: None })
    }

    /// Sends one case and returns its outcome. If the process fails and has answered earlier cases, one of these may be the
    /// cause. A new process therefore gets the case once more, and its outcome counts.
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
                let (id, verdict, what) = (first.id, first.verdict, first.what);
                let answered = "which is answered when asked alone";
                self.interruptions.push(format!("after {after}, at {id}, {answered}: {verdict}: {what}"));
            }
            return outcome;
        }
    }

    pub(super) fn end(&mut self) {
        if let Some(mut engine) = self.running.take()
            && let Some(after) = engine.answered.take()
            && let Some(what) = engine.finish(self.limits.case)
        {
            self.interruptions.push(format!("after {after}, at the end: {what}"));
        }
    }
}
