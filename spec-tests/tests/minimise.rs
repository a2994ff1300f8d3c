//! `conform --minimise` against an engine that crashes, hangs and lies where a case's name and call say so: of each kind of
//! difference the smallest case is found, in time, and nothing is lost.

// Emulators run this program, but not the engine that it starts.
#![cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use serde_json::{Value, json};
use spec_tests::conform::reference_answer;
use spec_tests::engine::{
    Known, Limits, Progress, Question, Report, Run, Smallest, Verdict, minimise, questions, run,
};
use spec_tests::vectors::{Case, Expect};

const UNRULY: &str = env!("CARGO_BIN_EXE_unruly");
const LIMITS: Limits = Limits { start: Duration::from_secs(60), case: Duration::from_secs(3) };
const LONG: Duration = Duration::from_secs(300);

/// A file of a test's own, which is gone afterwards.
struct File(PathBuf);

impl File {
    fn new(test: &str, content: &str) -> File {
        let path = env::temp_dir().join(format!("pad minimise {test} {}", process::id()));
        fs::write(&path, content).expect("a file");
        File(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A call with much that can be left out, and what is right.
fn line(name: &str, flags: &[&str], change: impl FnOnce(&mut Value)) -> String {
    let data: Vec<f64> = (0..15).map(|i| f64::from(i) * 1.5 - 7.0).collect();
    let mut case = json!({
        "id": format!("unruly/{name}"), "dialect": "core", "frame": "uncropped", "dtype": "float64", "shape": [3, 5],
        "data": data, "low": [-1, 3], "high": [2, 2], "interior": [0, 1], "mode": "reflect", "value": 0.5,
    });
    change(&mut case);
    case["expect"] = match reference_answer(&Case::of_call(&case).expect("a case")).expect("is known") {
        Expect::Tensor { shape, data } => json!({"shape": shape, "data": data}),
        Expect::Error => json!({"error": true}),
    };
    case["source"] = json!("a test");
    case["flags"] = json!(flags);
    format!("{case}\n")
}

fn asked(test: &str, lines: &[String]) -> Vec<Question> {
    let file = File::new(test, &lines.concat());
    questions(std::slice::from_ref(&file.0)).expect("cases")
}

fn command(environment: &str) -> String {
    format!("{environment} exec '{UNRULY}'")
}

fn smallest_of(command: &str, questions: &[Question], within: Duration) -> Run {
    let mut run = run(command, LIMITS, questions, |_| {}).expect("the engine starts");
    let mut last = None;
    minimise(command, LIMITS, questions, &mut run, within, |at| last = Some(at));
    assert!(last.is_none_or(|Progress { kinds, of, asked }| kinds < of && asked > 0), "{last:?}");
    run
}

fn the(run: &Run, name: &str) -> Smallest {
    let found: Vec<_> = run.smallest.iter().filter(|one| one.from == format!("unruly/{name}")).collect();
    assert_eq!(found.len(), 1, "{name}: {:?}", run.smallest);
    found[0].clone()
}

#[test]
fn of_each_kind_the_smallest_case_is_found() {
    use Verdict::*;
    let lines = [
        line("fine", &["A"], |_| {}),
        line("lie-when-cropped", &["A"], |_| {}),
        line("crash-when-long", &["A"], |_| {}),
        line("garbage-when-double", &["A"], |_| {}),
        line("refuse-when-mirrored", &["A"], |_| {}),
        line("element-when-filled", &["B"], |case| case["mode"] = json!("constant")),
        line("hang-when-filled", &["A"], |case| {
            *case = json!({"id": case["id"], "dialect": "core", "dtype": "float32", "shape": [1], "data": [1],
                "low": [0], "high": [1], "mode": "constant", "value": 7});
        }),
        line("cannot", &["A"], |_| {}),
    ];
    let questions = asked("kinds", &lines);
    let run = smallest_of(&command(""), &questions, LONG);
    let verdicts: Vec<Verdict> = run.outcomes.iter().map(|outcome| outcome.verdict).collect();
    assert_eq!(verdicts, [Passes, Differs, Crashes, Garbles, Refuses, Garbles, Hangs, Cannot]);
    assert_eq!((run.smallest.len(), &run.broke_off, &run.interruptions[..]), (6, &None, &[][..]));
    let plain = |change: &dyn Fn(&mut Value)| {
        let mut case = json!({"dialect": "core", "dtype": "float32", "shape": [1], "data": [1], "low": [0], "high": [0], "mode": "constant"});
        change(&mut case);
        case
    };
    for (name, verdict, case, what) in [
        (
            "lie-when-cropped",
            Differs,
            plain(&|case| case["high"] = json!([-1])),
            "expected [0] [], got [1] [99]",
        ),
        (
            "crash-when-long",
            Crashes,
            plain(&|case| (case["shape"], case["data"]) = (json!([3]), json!([1, 2, 3]))),
            "about to fall over",
        ),
        ("garbage-when-double", Garbles, plain(&|case| case["dtype"] = json!("float64")), "deprecated"),
        (
            "refuse-when-mirrored",
            Refuses,
            plain(&|case| {
                (case["high"], case["mode"]) = (json!([2]), json!("reflect"));
            }),
            "refused (no \"mood\" <today>)",
        ),
        ("element-when-filled", Garbles, plain(&|case| case["value"] = json!(9)), "\"seven\" is no float32"),
        ("hang-when-filled", Hangs, plain(&|case| case["value"] = json!(9)), "no answer in 3"),
    ] {
        let found = the(&run, name);
        assert_eq!((found.verdict, &found.case), (verdict, &case), "{name}");
        assert!(found.what.contains(what), "{name}: {}", found.what);
        assert!(found.finished && found.steady && found.cases == 1, "{found:?}");
    }
    assert_eq!(the(&run, "lie-when-cropped").part, "another shape");
}

#[test]
fn cases_of_a_kind_and_kinds_of_a_case_are_counted() {
    let lines = [
        // The kind begins with its smallest case.
        line("lie1", &["A"], |_| {}),
        line("lie2", &["A"], |case| (case["interior"], case["high"]) = (json!([0, 0]), json!([2, 1]))),
        line("lie3", &["A", "B"], |_| {}),
        line("accept1", &["A"], |case| case["low"] = json!([-9, 0])),
    ];
    let questions = asked("counts", &lines);
    let run = smallest_of(&command(""), &questions, LONG);
    let found = the(&run, "lie2");
    assert_eq!(
        (found.cases, &found.classes),
        (3, &vec![vec!["A".to_owned()], vec!["A".to_owned(), "B".to_owned()]])
    );
    assert_eq!(the(&run, "accept1").part, "a tensor where a refusal is right");
    assert_eq!((run.smallest.len(), found.steady), (2, true), "{:?}", run.smallest);
    let known = Known::default();
    let report = Report::new(&run, &known);
    let told: Vec<String> = report.smallest().collect();
    assert!(
        told[0].starts_with(
            "differs (another shape), 3 cases of A; A, B, from unruly/lie2\n  {\"dialect\":\"core\""
        ),
        "{told:?}"
    );
    assert_eq!(report.json()["smallest"][0]["cases"], 3);

    let questions = asked("wavers", &[line("waver1", &["A"], |_| {})]);
    let run = smallest_of(&command(""), &questions, LONG);
    assert!(!the(&run, "waver1").steady);
    let told: Vec<String> = Report::new(&run, &known).smallest().collect();
    assert!(told[0].contains("another answer when asked again"), "{told:?}");
}

#[test]
fn without_time_every_kind_is_told_as_it_was_recorded() {
    let lines = [line("hang1", &["A"], |_| {}), line("lie1", &["A"], |_| {}), line("crash1", &["B"], |_| {})];
    let questions = asked("time", &lines);
    let limits = Limits { case: Duration::from_millis(800), ..LIMITS };
    let command = command("");
    let mut told = run(&command, limits, &questions, |_| {}).expect("the engine starts");
    minimise(&command, limits, &questions, &mut told, Duration::ZERO, |_| panic!("asked"));
    assert_eq!(told.smallest.len(), 3);
    for one in &told.smallest {
        assert!(!one.finished && one.asked == 0 && one.case["shape"] == json!([3, 5]), "{one:?}");
    }
    // A kind that hangs at every question leaves time for the others, and the whole ends.
    let begin = Instant::now();
    minimise(&command, limits, &questions, &mut told, Duration::from_secs(6), |_| {});
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    let lie = the(&told, "lie1");
    assert!(lie.asked > 5 && lie.case["shape"] != json!([3, 5]), "{lie:?}");
}

#[test]
fn an_engine_that_starts_no_more_loses_nothing() {
    let starts = File::new("starts", "");
    let lines =
        [line("crash-when-long1", &["A"], |_| {}), line("fine", &[], |_| {}), line("lie1", &["B"], |_| {})];
    let questions = asked("no more", &lines);
    // The run starts it twice, and the search as often again.
    for (most, kinds) in [(2, 0), (3, 2)] {
        fs::write(&starts.0, "").expect("a file");
        let command = command(&format!("UNRULY_STARTS='{}' UNRULY_MOST={most}", starts.text()));
        let run = smallest_of(&command, &questions, LONG);
        use Verdict::*;
        let verdicts: Vec<Verdict> = run.outcomes.iter().map(|outcome| outcome.verdict).collect();
        assert_eq!(verdicts, [Crashes, Passes, Differs], "{most}");
        assert!(
            run.broke_off.as_ref().is_some_and(|why| why.contains("does not start")),
            "{:?}",
            run.broke_off
        );
        assert_eq!(run.smallest.len(), kinds);
        assert!(run.smallest.iter().all(|one| !one.finished), "{:?}", run.smallest);
    }
}

#[test]
fn the_program_prints_and_writes_them() {
    let lines =
        [line("lie-when-cropped1", &["A"], |_| {}), line("crash1", &[], |_| {}), line("fine", &[], |_| {})];
    let (cases, written) = (File::new("program.jsonl", &lines.concat()), File::new("program.json", ""));
    let engine = command("");
    let conform = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
        command.args(["--engine", &engine, cases.text()]).args(arguments).output().expect("conform runs")
    };
    let output = conform(&["--minimise", "--within", "60", "-q", "--json", written.text()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("\nall cases "), "{printed}");
    assert!(
        printed.contains("\ndiffers (another shape), 1 case of A, from unruly/lie-when-cropped1\n  {"),
        "{printed}"
    );
    assert!(printed.contains("\ncrashes, 1 case of (no class), from unruly/crash1\n  {"), "{printed}");
    let json: Value = serde_json::from_str(&fs::read_to_string(&written.0).expect("a file")).expect("JSON");
    assert_eq!(
        (json["cases"].as_array().map(Vec::len), json["smallest"].as_array().map(Vec::len)),
        (Some(3), Some(2))
    );
    assert_eq!(json["smallest"][0]["case"]["high"], json!([-1]));
    for (arguments, complaint) in
        [(&["--within", "3"][..], "--minimise"), (&["--minimise", "--within", "0"], "leaves no time")]
    {
        let output = conform(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(complaint), "{output:?}");
    }
}
