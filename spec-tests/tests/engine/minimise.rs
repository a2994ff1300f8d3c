//! Checks that `conform --minimise` finds the smallest call of each kind of difference in time, and keeps all results.

use std::fs;
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::{Value, json};
use spec_tests::engine::{Limits, Question, Run, Verdict, minimise, run};

use crate::common;
use crate::outcomes::{LIMITS, asked, conform, folder, unruly, verdicts};

const LONG: Duration = Duration::from_secs(300);

/// Returns a line with a call that can become much smaller, and with the right answer.
fn line(name: &str, flags: &[&str], change: impl FnOnce(&mut Value)) -> String {
    let data: Vec<f64> = (0..15).map(|i| f64::from(i) * 1.5 - 7.0).collect();
    let case = json!({
        "id": "", "dialect": "core", "frame": "uncropped", "dtype": "float64", "shape": [3, 5],
        "data": data, "low": [-1, 3], "high": [2, 2], "interior": [0, 1], "mode": "reflect", "value": 0.5,
    });
    crate::outcomes::line(name, flags, case, change)
}

fn smallest_of(command: &str, questions: &[Question], within: Duration) -> Run {
    let mut run = run(command, LIMITS, questions, |_| {}).expect("the engine starts");
    let mut last = None;
    minimise(command, LIMITS, questions, &mut run, within, |kinds, of, asked| {
        last = Some((kinds, of, asked))
    });
    assert!(last.is_none_or(|(kinds, of, asked)| kinds < of && asked > 0), "{last:?}");
    run
}

#[test]
fn of_each_kind_the_smallest_call_is_found() {
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
        // The search for a kind begins with its smallest recorded case.
        line("lie1", &["C"], |_| {}),
        line("lie2", &["C"], |case| (case["interior"], case["high"]) = (json!([0, 0]), json!([2, 1]))),
        line("lie3", &["C", "D"], |_| {}),
        line("accept1", &["A"], |case| case["low"] = json!([-9, 0])),
    ];
    let run = smallest_of(&unruly(""), &asked(&lines), LONG);
    let expected = [Passes, Differs, Crashes, Garbles, Refuses, Garbles, Hangs, Cannot];
    assert_eq!(verdicts(&run), [&expected[..], &[Differs; 4]].concat());
    assert_eq!((&run.broke_off, &run.interruptions[..]), (&None, &[][..]));
    assert!(run.smallest.iter().all(|one| one.finished && one.steady), "{:?}", run.smallest);
    let text: String = run.smallest.iter().map(|smallest| format!("{smallest}\n")).collect();
    // The number of questions does not matter.
    let count = Regex::new(r#"\\"n\\":\d+"#).expect("a pattern");
    let text = count.replace_all(&text, "N");
    common::snapshot("spec-tests/tests/snapshots/engine_kinds.txt", &text, "engine");

    let run = smallest_of(&unruly(""), &asked(&[line("waver1", &["A"], |_| {})]), LONG);
    let told = run.smallest[0].to_string();
    assert!(!run.smallest[0].steady && told.contains("another answer when asked again"), "{told}");
}

#[test]
fn without_time_every_kind_is_told_as_it_was_recorded() {
    let lines = [line("hang1", &["A"], |_| {}), line("lie1", &["A"], |_| {}), line("crash1", &["B"], |_| {})];
    let questions = asked(&lines);
    let limits = Limits { case: Duration::from_millis(800), ..LIMITS };
    let command = unruly("");
    let mut told = run(&command, limits, &questions, |_| {}).expect("the engine starts");
    minimise(&command, limits, &questions, &mut told, Duration::ZERO, |_, _, _| panic!("asked"));
    assert_eq!(told.smallest.len(), 3);
    for one in &told.smallest {
        assert!(!one.finished && one.asked == 0 && one.case["shape"] == json!([3, 5]), "{one:?}");
    }
    // A kind that hangs at every question leaves time for the others, and the search ends.
    told.smallest.clear();
    let begin = Instant::now();
    minimise(&command, limits, &questions, &mut told, Duration::from_secs(6), |_, _, _| {});
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    let lie = told.smallest.iter().find(|one| one.from == "unruly/lie1").expect("a smallest one");
    assert!(lie.asked > 5 && lie.case["shape"] != json!([3, 5]), "{lie:?}");
}

#[test]
fn an_engine_that_starts_no_more_loses_nothing() {
    use Verdict::*;
    let folder = folder();
    let starts = folder.path().join("starts");
    let lines =
        [line("crash-when-long1", &["A"], |_| {}), line("fine", &[], |_| {}), line("lie1", &["B"], |_| {})];
    let questions = asked(&lines);
    // The run starts the engine twice. The search starts it up to twice more.
    for (most, kinds) in [(2, 0), (3, 2)] {
        fs::write(&starts, "").expect("a file");
        let command = unruly(&format!("UNRULY_STARTS='{}' UNRULY_MOST={most}", starts.display()));
        let run = smallest_of(&command, &questions, LONG);
        assert_eq!(verdicts(&run), [Crashes, Passes, Differs], "{most}");
        assert!(run.broke_off.as_ref().is_some_and(|why| why.contains("does not start")), "{run:?}");
        assert_eq!(run.smallest.len(), kinds);
        assert!(run.smallest.iter().all(|one| !one.finished), "{:?}", run.smallest);
    }
}

#[test]
fn the_program_prints_and_writes_them() {
    let lines =
        [line("lie-when-cropped1", &["A"], |_| {}), line("crash1", &[], |_| {}), line("fine", &[], |_| {})];
    let folder = folder();
    let [cases, written] =
        ["cases.jsonl", "written.json"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&cases, lines.concat()).expect("a file");
    let engine = unruly("");
    let output =
        conform(&["--engine", &engine, &cases, "--minimise", "--within", "60", "-q", "--json", &written]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("text");
    for text in [
        "\nall cases ",
        "\ndiffers (another shape), 1 case of A, from unruly/lie-when-cropped1\n  {",
        "\ncrashes, 1 case of (no class), from unruly/crash1\n  {",
    ] {
        assert!(printed.contains(text), "{printed}");
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(&written).expect("a file")).expect("JSON");
    assert_eq!(["cases", "smallest"].map(|name| json[name].as_array().map(Vec::len)), [Some(3), Some(2)]);
    assert_eq!(json["smallest"][0]["case"]["low"], json!([-1]));
}
