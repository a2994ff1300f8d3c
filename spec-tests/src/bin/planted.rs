//! Plants the bugs of `pad-kernels/src/planted.rs` one at a time and prints what found each, as a table.
//!
//! `fuzz/planted.sh` builds what it needs and runs it: `[--list] [--fuzz] [NAME...]`.
//!
//! The quickest test binaries of this crate run first; what they let through is fuzzed, each target for a minute. With `--fuzz` there is only fuzzing. It fails if a bug was not found.
#![forbid(unsafe_code)]

#[cfg(pad_planted)]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(pad_planted))]
fn main() -> std::process::ExitCode {
    eprintln!("nothing is planted: build with RUSTFLAGS=\"--cfg pad_planted\"");
    std::process::ExitCode::FAILURE
}

#[cfg(pad_planted)]
mod run {
    use std::path::PathBuf;
    use std::process::{Command, ExitCode, ExitStatus, Stdio};
    use std::time::{Duration, Instant};
    use std::{env, fs, io, thread};

    use pad_kernels::PLANTED;
    use serde_json::Value;
    use spec_tests::fuzzing::TARGETS;

    /// The tests that say most in the least time, in the order in which they are run, with `PAD_CASES`.
    const QUICK: [(&str, Option<&str>); 10] = [
        ("documents", None),
        ("refusals", None),
        ("reference", None),
        ("regressions", None),
        ("laws", Some("150")),
        ("dialects", Some("150")),
        ("views", Some("150")),
        ("bits", None),
        ("dialects", Some("8000")),
        ("registry", None),
    ];
    const FUZZ_SECONDS: u64 = 60;

    /// A test binary.
    struct Binary {
        name: &'static str,
        cases: Option<&'static str>,
        path: PathBuf,
    }

    pub(crate) fn main() -> ExitCode {
        let (flags, names): (Vec<String>, Vec<String>) =
            env::args().skip(1).partition(|argument| argument.starts_with("--"));
        let chosen = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let bugs: Vec<_> = PLANTED.iter().filter(|(name, _)| chosen(name)).collect();
        if flags.iter().any(|flag| flag == "--list") {
            bugs.iter().for_each(|(name, what)| println!("{name}: {what}"));
            return ExitCode::SUCCESS;
        }
        assert!(!bugs.is_empty(), "no bug is called {names:?}");
        let binaries = if flags.iter().any(|flag| flag == "--fuzz") { Vec::new() } else { binaries() };

        println!("| bug | what goes wrong | found by | s |\n|---|---|---|---|");
        let mut missed = 0;
        for (name, what) in bugs {
            let start = Instant::now();
            let found = binaries.iter().find_map(|binary| tested(binary, name)).or_else(|| fuzzed(name));
            missed += usize::from(found.is_none());
            let found = found.unwrap_or_else(|| "**nothing**".to_string());
            println!("| `{name}` | {what} | {found} | {:.1} |", start.elapsed().as_secs_f64());
        }
        if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// The test binaries. Without a bug they pass.
    fn binaries() -> Vec<Binary> {
        let built = Command::new("cargo")
            .args(["test", "--package", "spec-tests", "--tests", "--no-run", "--message-format=json"])
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo runs");
        assert!(built.status.success(), "the tests compile");
        let messages: Vec<Value> = String::from_utf8_lossy(&built.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let binary = |(name, cases): (&'static str, Option<&'static str>)| {
            let path = messages.iter().find_map(|message| {
                let same = message["target"]["name"] == name && message["target"]["kind"][0] == "test";
                message["executable"].as_str().filter(|_| same)
            });
            let binary = Binary { name, cases, path: path.expect("a test of this name").into() };
            assert_eq!(tested(&binary, ""), None, "{name} passes without a bug");
            binary
        };
        QUICK.map(binary).into()
    }

    /// What of `binary` failed with this bug.
    fn tested(binary: &Binary, bug: &str) -> Option<String> {
        let mut command = Command::new(&binary.path);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::null());
        if let Some(cases) = binary.cases {
            command.env("PAD_CASES", cases);
        }
        let (status, output) = finished(&mut command, bug, Duration::from_secs(FUZZ_SECONDS));
        let Some(status) = status else { return Some(format!("`{}`, which does not end", binary.name)) };
        if status.success() {
            return None;
        }
        let failed = output.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        Some(match failed {
            Some(test) => format!("`{}`: `{test}`", binary.name),
            None => format!("`{}`: {status}", binary.name),
        })
    }

    /// The fuzz target that failed with this bug.
    fn fuzzed(bug: &str) -> Option<String> {
        TARGETS.iter().find_map(|target| {
            let corpus = env::temp_dir().join(format!("pad-planted-{}", std::process::id()));
            fs::create_dir_all(&corpus).expect("a folder for the corpus");
            let mut command = Command::new("cargo");
            command.args(["fuzz", "run", "-s", "none", target.name]).arg(&corpus);
            command
                .args(["--", &format!("-max_total_time={FUZZ_SECONDS}"), "-artifact_prefix="])
                .stderr(Stdio::null());
            let (status, _) = finished(&mut command, bug, Duration::from_secs(20 * FUZZ_SECONDS));
            fs::remove_dir_all(&corpus).expect("the folder of the corpus");
            (!status.is_some_and(|status| status.success())).then(|| format!("fuzzing `{}`", target.name))
        })
    }

    /// How `command` ended, if it did within `most`, and its output.
    fn finished(command: &mut Command, bug: &str, most: Duration) -> (Option<ExitStatus>, String) {
        command.env_remove("PAD_PLANTED");
        if !bug.is_empty() {
            command.env("PAD_PLANTED", bug);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let mut stdout = child.stdout.take().expect("piped");
        let reader = thread::spawn(move || {
            let mut output = String::new();
            io::Read::read_to_string(&mut stdout, &mut output).map(|_| output).unwrap_or_default()
        });
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("it is waited for") {
                Some(status) => break Some(status),
                None if start.elapsed() > most => break None,
                None => thread::sleep(Duration::from_millis(20)),
            }
        };
        if status.is_none() {
            child.kill().and_then(|()| child.wait()).expect("it is ended");
        }
        (status, reader.join().expect("its output"))
    }
}
