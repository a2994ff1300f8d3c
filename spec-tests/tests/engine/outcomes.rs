//! Checks that `conform --engine` reports every fault of an engine that misbehaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spec_tests::conform::reference_answer;
use spec_tests::engine::{Known, Limits, Outcome, Question, Report, Run, Verdict, questions, run};
use spec_tests::vectors::{Case, Expect};
use tempfile::TempDir;

use crate::common;

pub(crate) const LIMITS: Limits = Limits { start: Duration::from_secs(60), case: Duration::from_secs(1) };

/// Returns a shell command that starts the engine `unruly` with these environment variables.
pub(crate) fn unruly(environment: &str) -> String {
    format!("{environment} exec '{}'", env!("CARGO_BIN_EXE_unruly"))
}

/// Returns a folder that is deleted when the value is dropped. Its name contains spaces, so it needs quotes in a shell.
pub(crate) fn folder() -> TempDir {
    tempfile::Builder::new().prefix("pad engine ").tempdir().expect("a folder")
}

/// Returns the line of the case `unruly/NAME`, after `change`, with the right answer.
pub(crate) fn line(name: &str, flags: &[&str], mut case: Value, change: impl FnOnce(&mut Value)) -> String {
    case["id"] = json!(format!("unruly/{name}"));
    change(&mut case);
    case["expect"] = match reference_answer(&Case::of_call(case.clone()).expect("a case")).expect("is known")
    {
        Expect::Tensor { shape, data } => json!({"shape": shape, "data": data}),
        Expect::Error => json!({"error": true}),
    };
    (case["source"], case["flags"]) = (json!("a test"), json!(flags));
    format!("{case}\n")
}

/// Returns the line of a small case. A refusal is right if its name says so.
fn small(name: &str) -> String {
    // Names get two classes, one class or none.
    let flags: &[&str] = match name {
        name if name.contains("fine") => &[],
        name if name.contains("lie") => &["DtypeBool", "NegativeAxes"],
        _ => &["NegativeAxes"],
    };
    let low = if name.contains("accept") || name.contains("rightly") { -1 } else { 1 };
    let case = json!({
        "id": "", "dialect": "numpy", "dtype": "float32", "shape": [2], "data": [1, 2], "low": [low], "high": [0], "mode": "edge",
    });
    line(name, flags, case, |_| ())
}

fn written(folder: &TempDir, names: &[&str]) -> PathBuf {
    let file = folder.path().join("cases.jsonl");
    fs::write(&file, names.iter().map(|name| small(name)).collect::<String>()).expect("a file");
    file
}

pub(crate) fn asked(lines: &[String]) -> Vec<Question> {
    let folder = folder();
    let file = folder.path().join("cases.jsonl");
    fs::write(&file, lines.concat()).expect("a file");
    questions(&[file]).expect("cases")
}

pub(crate) fn verdicts(run: &Run) -> Vec<Verdict> {
    run.outcomes.iter().map(|outcome| outcome.verdict).collect()
}

/// Sends the engine small cases with these names, and checks that each has an outcome, in order. Returns the run.
fn asked_by_name(command: &str, limits: Limits, names: &[&str]) -> Run {
    let lines: Vec<String> = names.iter().map(|name| small(name)).collect();
    let mut seen = 0;
    let run = run(command, limits, &asked(&lines), |_| seen += 1).expect("the engine starts");
    let ids = run.outcomes.iter().map(|outcome| outcome.id.trim_start_matches("unruly/"));
    assert_eq!((ids.collect::<Vec<_>>(), seen), (names.to_vec(), names.len()));
    run
}

fn report(run: &Run) -> Report {
    Report::new(run.clone(), &Known::default(), &[])
}

#[test]
fn every_outcome_is_the_case_that_caused_it() {
    let names = "fine1 crash1 crash2 abort1 fine2 close1 hang1 rightly1 lie1 accept1 refuse1 cannot1 garbage1 binary1 fine3 \
                 shape1 element1 extra1 both1 other1 flood1 fine4";
    let run = asked_by_name(&unruly(""), LIMITS, &names.split(' ').collect::<Vec<_>>());
    assert_eq!(run.engine, "unruly 1");
    assert_eq!((&run.interruptions[..], &run.broke_off), (&[][..], &None));
    let report = report(&run);
    assert!(!report.holds);
    let mut text = format!("{report}\n");
    for Outcome { id, verdict, what, .. } in &run.outcomes {
        // Operating systems describe a signal differently.
        let what = if what.contains("signal") { "a signal" } else { what };
        text += &format!("{id} {verdict}: {what}\n");
    }
    common::snapshot("spec-tests/tests/snapshots/engine_outcomes.txt", &text, "engine");
}

#[test]
fn a_fault_of_an_earlier_case_is_no_fault_of_the_next() {
    let names = ["fine1", "poison1", "fine2", "leave1", "fine3", "twice1", "fine4", "fine5", "twice2"];
    let run = asked_by_name(&unruly(""), LIMITS, &names);
    assert_eq!(verdicts(&run), [Verdict::Passes; 9]);
    let expected = [
        ("poison1, at unruly/fine2", "memory is not what it was"),
        ("leave1, at unruly/fine3", "exit status: 0"),
        ("twice1, at unruly/fine4", "the answer to 5, but 6 was asked"),
        ("twice2, at the end", "printed after its last answer"),
    ];
    assert_eq!(run.interruptions.len(), expected.len());
    for (line, (place, why)) in run.interruptions.iter().zip(expected) {
        assert!(line.starts_with(&format!("after unruly/{place}")) && line.contains(why), "{line}");
    }
    assert!(!report(&run).holds, "all cases pass, and yet");
}

#[test]
fn an_engine_that_starts_no_more_leaves_the_rest_unasked() {
    use Verdict::*;
    let folder = folder();
    let names = ["fine1", "crash1", "fine2", "crash2"];
    // The second start is for the second attempt at crash1.
    for (most, starts) in [("1", 4), ("2", 5)] {
        let counted = folder.path().join(most);
        let command = unruly(&format!("UNRULY_STARTS='{}' UNRULY_MOST={most}", counted.display()));
        let run = asked_by_name(&command, LIMITS, &names);
        assert_eq!(verdicts(&run), [Passes, Crashes, Unasked, Unasked]);
        let why = run.broke_off.expect("a reason");
        assert!(why.contains("does not start") && why.contains(&format!("started {starts} times")), "{why}");
        assert_eq!(fs::read_to_string(counted).expect("the count").len(), starts);
    }
}

#[test]
fn what_is_no_engine_is_not_asked() {
    let asked = asked(&[small("fine1")]);
    let short = Limits { start: Duration::from_millis(300), ..LIMITS };
    for (command, limits, what) in [
        ("exit 7", LIMITS, "exit status: 7"),
        ("no-such-program-as-this", LIMITS, "no-such-program-as-this"),
        ("echo hello", LIMITS, "it printed \"hello\""),
        ("exec sleep 1000", short, "no word from it in 300ms"),
        (&unruly("UNRULY_PROTOCOL=2"), LIMITS, "it speaks version 2, not 1"),
    ] {
        let error = run(command, limits, &asked, |_| {}).expect_err(command);
        assert!(error.contains("does not start") && error.contains(what), "{command}: {error}");
    }
}

/// Checks that processes of a shell are killed with it. Otherwise their pipe would stay open, and the run would wait.
#[test]
fn what_the_engine_started_is_ended_too() {
    let folder = folder();
    let mark = folder.path().join("still there");
    let script = folder.path().join("engine.sh");
    let text = "read line\necho '{\"protocol\": 1, \"engine\": \"shell\"}'\nread line\n(sleep 3; touch \"$1\") &\nwait\n";
    fs::write(&script, text).expect("a file");
    let command = format!("sh '{}' '{}'; true", script.display(), mark.display());
    let begin = Instant::now();
    let limits = Limits { case: Duration::from_millis(300), ..LIMITS };
    assert_eq!(verdicts(&asked_by_name(&command, limits, &["fine1"])), [Verdict::Hangs]);
    std::thread::sleep(Duration::from_secs(5).saturating_sub(begin.elapsed()));
    assert!(!mark.exists());
}

#[test]
fn lists_of_known_differences_are_read_strictly() {
    for (text, complaint) in [
        ("a/b sometimes", "not `ID VERDICT`"),
        ("a/b", "not `ID VERDICT`"),
        ("a/b differs maybe", "not `ID VERDICT`"),
        ("a/b differs\na/b refuses", "line 2: a/b is there twice"),
    ] {
        assert!(Known::read(text).expect_err(text).contains(complaint), "{text}");
    }
    Known::read("# remark\n\n a/b differs: expected this, got that\nc/d hangs\n").expect("a list");
}

#[test]
fn what_is_no_case_is_an_error() {
    let folder = folder();
    let file = folder.path().join("bad.jsonl");
    for (text, complaint) in [
        (small("a").repeat(2), ":2: the id unruly/a is there twice"),
        ("{}\n".into(), ":1: missing field"),
        (small("a").replace("float32", "float31"), ":1: unknown variant `float31`"),
        (small("a").replace("[1,1,2]", "[1,1]"), "unruly/a: 2 elements in shape [3]"),
    ] {
        fs::write(&file, text).expect("a file");
        let error = questions(std::slice::from_ref(&file)).expect_err(complaint);
        assert!(error.contains(complaint), "{error}");
    }
}

pub(crate) fn conform(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command.args(arguments).output().expect("conform runs")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn the_program_writes_what_it_saw() {
    let folder = folder();
    let names = ["fine1", "lie1", "refuse1", "crash1", "cannot1"];
    let cases = written(&folder, &names);
    let [json, known] = ["a.json", "known"].map(|name| folder.path().join(name));
    let engine = unruly("");
    let all = ["--engine", &engine, text(&cases), "--json", text(&json)];
    let first = conform(&all);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let printed = String::from_utf8(first.stdout).expect("text");
    let lines: Vec<&str> = printed.lines().take(3).collect();
    let all_written = format!("{printed}\n{}", fs::read_to_string(&json).expect("was written"));
    common::snapshot("spec-tests/tests/snapshots/engine_program.txt", &all_written, "engine");

    // The printed lines are a valid list of known differences. With this list, the program succeeds.
    fs::write(&known, lines.join("\n")).expect("a file");
    let expecting = [&all[..], &["--expect", text(&known)]].concat();
    let second = conform(&expecting);
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    // A known difference must still exist, with the same verdict, and its case must be in the run.
    for (line, complaint) in [
        ("unruly/fine1 differs", "unruly/fine1 passes: (known: differs)"),
        ("unruly/cannot1 refuses", "unruly/cannot1 cannot: (known: refuses)"),
        ("unruly/gone differs", "unruly/gone is known to differ, and is not among the cases"),
    ] {
        fs::write(&known, [&lines[..], &[line]].concat().join("\n")).expect("a file");
        let third = conform(&expecting);
        assert_eq!(third.status.code(), Some(1), "{third:?}");
        assert!(String::from_utf8_lossy(&third.stdout).contains(complaint), "{third:?}");
    }
}

#[test]
fn the_program_says_what_it_cannot_run() {
    let folder = folder();
    let cases = written(&folder, &["cannot1"]);
    let cases = text(&cases);
    let engine = unruly("");
    for (arguments, code, complaint) in [
        (&["--engine", "exit 7", cases][..], 2, "does not start"),
        (&["--engine", &engine], 2, "FILE|DIRECTORY"),
        (&["--engine", &engine, cases, "--limit", "0"], 2, "leaves no time"),
        (&["--engine", &engine, cases, "--expect", "no-such-file"], 2, "no-such-file"),
        (&["--engine", &engine, cases, "--within", "3"], 2, "--minimise"),
        (&["--engine", &engine, cases, "--minimise", "--within", "0"], 2, "leaves no time"),
        (&["--limit", "3", cases], 2, "--engine <COMMAND>"),
        // The engine could express no case.
        (&["--engine", &engine, cases], 1, ""),
    ] {
        let output = conform(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(complaint), "{output:?}");
    }
}

/// Checks that a correct engine passes recorded cases of every dialect and type, so the program reads all of them correctly.
#[test]
fn the_reference_as_an_engine_passes() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let files = ["numpy.jsonl", "disagreements.jsonl"].map(|file| vectors.join(file));
    let asked = questions(&files).expect("cases");
    let limits = Limits { case: Duration::from_secs(60), ..LIMITS };
    let run = run(&unruly(""), limits, &asked, |_| {}).expect("the engine starts");
    let report = report(&run);
    assert_eq!(report.total, BTreeMap::from([(Verdict::Passes, asked.len())]), "{:?}", report.surprises);
    assert!(report.holds);
}
