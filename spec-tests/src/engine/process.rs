//! The process of an engine: started, spoken to in lines, and ended.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is read; a longer one comes in pieces, none of which is an answer.
const LONGEST: u64 = 1 << 28;

/// How much of what the engine last wrote to its standard error is kept.
const TAIL: usize = 2000;

/// How long a process whose output has ended may take to end too.
const GRACE: Duration = Duration::from_secs(2);

/// Why no line came.
pub(super) enum Silence {
    /// The process ended, or closed its output: how, and its last words.
    Ended(String),
    /// The time is up.
    Late,
}

/// A running engine. It is killed when it is dropped.
pub(super) struct Process {
    child: Child,
    /// Lines to write. A thread writes them, for an engine that does not read would block us.
    to: Option<Sender<String>>,
    from: Receiver<Vec<u8>>,
    tail: Arc<Mutex<Vec<u8>>>,
    /// Closed when the standard error has been read to its end.
    tail_done: Receiver<()>,
}

impl Process {
    /// Starts a command of the shell.
    pub(super) fn start(command: &str) -> io::Result<Process> {
        let mut child =
            shell(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let taken = "the pipe is there, and nobody has taken it";
        let (stdin, stdout) = (child.stdin.take().expect(taken), child.stdout.take().expect(taken));
        let mut stderr = child.stderr.take().expect(taken);

        let (to, lines) = channel::<String>();
        thread::spawn(move || write(stdin, &lines));
        // With a bound: an engine that never stops printing has to wait.
        let (heard, from) = sync_channel(16);
        thread::spawn(move || read(BufReader::new(stdout), &heard));
        let tail = Arc::new(Mutex::new(Vec::new()));
        let (done, tail_done) = channel();
        thread::spawn({
            let tail = Arc::clone(&tail);
            move || {
                keep_tail(&mut stderr, &tail);
                drop(done);
            }
        });
        Ok(Process { child, to: Some(to), from, tail, tail_done })
    }

    /// Sends a line. Whether it arrives shows in what is heard.
    pub(super) fn say(&self, line: String) {
        if let Some(to) = &self.to {
            // The thread has ended if the engine has.
            let _ = to.send(line);
        }
    }

    /// The next line.
    pub(super) fn hear(&mut self, limit: Duration) -> Result<Vec<u8>, Silence> {
        match self.from.recv_timeout(limit) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.wait(GRACE);
                Err(Silence::Ended(self.obituary(status)))
            }
        }
    }

    /// Closes the engine's input, which asks it to end, and says what it did instead, if anything.
    pub(super) fn finish(mut self, limit: Duration) -> Option<String> {
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

    /// How it ended, with its last words.
    fn obituary(&self, status: Option<ExitStatus>) -> String {
        let how = match status {
            Some(status) => format!("ended ({status})"),
            None => "closed its output".into(),
        };
        // A child of the engine may hold the pipe, so not for ever.
        let _ = self.tail_done.recv_timeout(Duration::from_millis(500));
        let tail = self.tail.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match String::from_utf8_lossy(&tail).trim() {
            "" => how,
            words => format!("{how}: {words}"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

/// The command, in a group of processes of its own, so that what it starts can be ended with it.
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

/// Ends the engine and what it started. The standard library kills single processes only.
fn kill(child: &mut Child) {
    if cfg!(unix) {
        // The shell's own: not every machine has a program of this name.
        let kill = format!("kill -s KILL -- -{}", child.id());
        let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
}

fn write(mut to: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if to.write_all(line.as_bytes()).and_then(|()| to.write_all(b"\n")).and_then(|()| to.flush()).is_err()
        {
            return;
        }
    }
}

fn read(mut from: impl BufRead, to: &SyncSender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        let read = from.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        // What breaks off is no line: the process has ended, and that is what has happened.
        let whole = line.pop_if(|last| *last == b'\n').is_some() || line.len() as u64 == LONGEST;
        if read.is_err() || !whole || to.send(line).is_err() {
            return;
        }
    }
}

fn keep_tail(from: &mut impl Read, tail: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        let mut tail = tail.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        tail.extend_from_slice(&piece[..count]);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }
}

/// A line for people, not all of it if it is long.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(200)]);
    format!("{text:?}{}", if line.len() > 200 { " .." } else { "" })
}
