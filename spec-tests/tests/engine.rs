//! `conform --engine` against an engine that crashes, hangs and lies where a case's name says so: every outcome is right, and
//! no case is lost. The engine is `src/bin/unruly.rs`.

// Emulators run this program, but not the engine that it starts.
#![cfg(all(unix, any(target_arch = "x86_64", target_os = "macos")))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use serde_json::{Value, json};
use spec_tests::engine::{Interruption, Known, Limits, Question, Report, Run, Verdict, questions, run};
use spec_tests::vectors::{Case, Expect, load};

const UNRULY: &str = env!("CARGO_BIN_EXE_unruly");
const LIMITS: Limits = Limits { start: Duration::from_secs(60), case: Duration::from_secs(4) };

/// A folder of a test's own, which is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = env::temp_dir().join(format!("pad engine {test} {}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file of cases with these names, whose engine's answer is right unless the name says otherwise.
    fn cases(&self, names: &[&str]) -> PathBuf {
        let lines: String = names.iter().map(|name| format!("{}\n", line(name))).collect();
        let file = self.path("cases.jsonl");
        fs::write(&file, lines).expect("a file");
        file
    }

    fn questions(&self, names: &[&str]) -> Vec<Question> {
        questions(&[self.cases(names)]).expect("cases")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder is there");
    }
}

fn line(name: &str) -> Value {
    let refused = name.contains("accept") || name.contains("rightly");
    let expect = match refused {
        true => json!({"error": true}),
        false => json!({"shape": [3], "data": [1, 1, 2]}),
    };
    let low = if refused { -1 } else { 1 };
    // Two classes, one, and none.
    let flags = match name {
        name if name.contains("fine") => json!([]),
        name if name.contains("lie") => json!(["DtypeBool", "NegativeAxes"]),
        _ => json!(["NegativeAxes"]),
    };
    json!({
        "id": format!("unruly/{name}"), "dialect": "numpy", "dtype": "float32", "shape": [2], "data": [1, 2],
        "low": [low], "high": [0], "mode": "edge", "expect": expect, "source": "a test", "flags": flags,
    })
}

fn quiet(run: Result<Run, String>) -> Run {
    run.expect("the engine starts")
}

/// The verdicts of the names, in order, after which each of them is checked to be there once.
fn verdicts(names: &[&str], run: &Run) -> Vec<Verdict> {
    let ids: Vec<&str> =
        run.outcomes.iter().map(|outcome| outcome.id.trim_start_matches("unruly/")).collect();
    assert_eq!(ids, names);
    run.outcomes.iter().map(|outcome| outcome.verdict).collect()
}

/// A command of the shell, with this in the engine's environment.
fn with(environment: &[(&str, &str)]) -> String {
    let set: String = environment.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    format!("{set}exec '{UNRULY}'")
}

#[test]
fn every_outcome_is_the_case_that_caused_it() {
    use Verdict::*;
    let folder = Folder::new("outcomes");
    let expected = [
        ("fine1", Passes, ""),
        ("crash1", Crashes, "about to fall over"),
        ("crash2", Crashes, "exit status: 3"),
        ("abort1", Crashes, "signal"),
        ("fine2", Passes, ""),
        ("close1", Crashes, "exit status: 0"),
        ("hang1", Hangs, "no answer in 4"),
        ("rightly1", Passes, ""),
        ("lie1", Differs, "expected [3] [1,1,2], got [1] [99]"),
        ("accept1", Differs, "expected a refusal, got [0] []"),
        ("refuse1", Refuses, "refused (no \"mood\" <today>)"),
        ("cannot1", Cannot, "no words"),
        ("garbage1", Garbles, "something is deprecated"),
        ("binary1", Garbles, "expected value"),
        ("fine3", Passes, ""),
        ("shape1", Garbles, "3 elements in shape [7]"),
        ("element1", Garbles, "\"seven\" is no float32"),
        ("extra1", Garbles, "unknown field"),
        ("both1", Garbles, "neither a tensor, nor an error"),
        ("other1", Garbles, "the answer to 1000000, but"),
        ("flood1", Garbles, "all work and no answer"),
        ("fine4", Passes, ""),
    ];
    let names = expected.map(|(name, _, _)| name);
    let mut seen = 0;
    let run = quiet(run(&with(&[]), LIMITS, &folder.questions(&names), |_| seen += 1));
    assert_eq!(run.engine, "unruly 1");
    assert_eq!(verdicts(&names, &run), expected.map(|(_, verdict, _)| verdict));
    for (outcome, (name, _, what)) in run.outcomes.iter().zip(expected) {
        assert!(outcome.what.contains(what), "{name}: {}", outcome.what);
    }
    assert_eq!((seen, &run.interruptions[..], &run.broke_off), (names.len(), &[][..], &None));

    let known = Known::default();
    let report = Report::new(&run, &known);
    // Passes, differs, refuses, cannot, crashes, hangs, garbles, unasked.
    assert_eq!(report.total(), [5, 2, 1, 1, 4, 1, 8, 0]);
    let classes = report.classes();
    assert_eq!(classes["DtypeBool"], [0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(classes["NegativeAxes"], [1, 2, 1, 1, 4, 1, 8, 0]);
    assert_eq!(classes["(no class)"], [4, 0, 0, 0, 0, 0, 0, 0]);
    let table = report.to_string();
    assert!(table.contains("\nDtypeBool          .       1       ."), "{table}");
    assert!(!report.holds());
}

#[test]
fn a_fault_of_an_earlier_case_is_no_fault_of_the_next() {
    use Verdict::*;
    let folder = Folder::new("interruptions");
    let names = ["fine1", "poison1", "fine2", "leave1", "fine3", "twice1", "fine4", "fine5", "twice2"];
    let run = quiet(run(&with(&[]), LIMITS, &folder.questions(&names), |_| {}));
    assert_eq!(verdicts(&names, &run), [Passes; 9]);
    let places: Vec<(&str, Option<&str>)> = run
        .interruptions
        .iter()
        .map(|Interruption { after, before, .. }| (&after[..], before.as_deref()))
        .collect();
    assert_eq!(
        places,
        [
            ("unruly/poison1", Some("unruly/fine2")),
            ("unruly/leave1", Some("unruly/fine3")),
            ("unruly/twice1", Some("unruly/fine4")),
            ("unruly/twice2", None),
        ]
    );
    for (interruption, what) in run.interruptions.iter().zip([
        "memory is not what it was",
        "exit status: 0",
        "the answer to 5, but 6 was asked",
        "printed after its last answer",
    ]) {
        assert!(interruption.what.contains(what), "{interruption}");
    }
    assert!(!Report::new(&run, &Known::default()).holds(), "all cases pass, and yet");
}

#[test]
fn an_engine_that_starts_no_more_leaves_the_rest_unasked() {
    use Verdict::*;
    let folder = Folder::new("starts");
    let names = ["fine1", "crash1", "fine2", "crash2"];
    // The second start is for the second chance of crash1.
    for (most, starts) in [("1", 4), ("2", 5)] {
        let counted = folder.path(most);
        let command = with(&[("UNRULY_STARTS", &counted.display().to_string()), ("UNRULY_MOST", most)]);
        let run = quiet(run(&command, LIMITS, &folder.questions(&names), |_| {}));
        assert_eq!(verdicts(&names, &run), [Passes, Crashes, Unasked, Unasked]);
        let why = run.broke_off.expect("a reason");
        assert!(why.contains("does not start") && why.contains(&format!("started {starts} times")), "{why}");
        assert_eq!(fs::read_to_string(counted).expect("the count").len(), starts);
    }
}

#[test]
fn what_is_no_engine_is_not_asked() {
    let folder = Folder::new("none");
    let asked = folder.questions(&["fine1"]);
    let short = Limits { start: Duration::from_millis(300), ..LIMITS };
    for (command, limits, what) in [
        ("exit 7", LIMITS, "exit status: 7"),
        ("no-such-program-as-this", LIMITS, "no-such-program-as-this"),
        ("echo hello", LIMITS, "it printed \"hello\""),
        ("exec sleep 1000", short, "no word from it in 300ms"),
        (&with(&[("UNRULY_PROTOCOL", "2")]), LIMITS, "it speaks version 2, not 1"),
    ] {
        let error = run(command, limits, &asked, |_| {}).expect_err(command);
        assert!(error.contains("does not start") && error.contains(what), "{command}: {error}");
    }
}

/// What a shell started is ended with it, or its pipe would stay open and the run would wait.
#[test]
fn what_the_engine_started_is_ended_too() {
    let folder = Folder::new("children");
    let mark = folder.path("still there");
    let script = folder.path("engine.sh");
    let text = "read line\necho '{\"protocol\": 1, \"engine\": \"shell\"}'\nread line\n(sleep 3; touch \"$1\") &\nwait\n";
    fs::write(&script, text).expect("a file");
    let command = format!("sh '{}' '{}'; true", script.display(), mark.display());
    let begin = Instant::now();
    let limits = Limits { case: Duration::from_millis(300), ..LIMITS };
    let run = quiet(run(&command, limits, &folder.questions(&["fine1"]), |_| {}));
    assert_eq!(verdicts(&["fine1"], &run), [Verdict::Hangs]);
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
    let folder = Folder::new("malformed");
    let file = folder.path("bad.jsonl");
    for (text, complaint) in [
        (format!("{}\n{}\n", line("a"), line("a")), ":2: the id unruly/a is there twice"),
        ("{}\n".into(), ":1: missing field"),
        (line("a").to_string().replace("float32", "float31"), ":1: no type float31"),
        (line("a").to_string().replace("[1,1,2]", "[1,1]"), ":1: 2 elements in shape [3]"),
    ] {
        fs::write(&file, text).expect("a file");
        let error = questions(std::slice::from_ref(&file)).expect_err(complaint);
        assert!(error.contains(complaint), "{error}");
    }
}

fn conform(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command.args(arguments).output().expect("conform runs")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn the_program_writes_what_it_saw() {
    let folder = Folder::new("program");
    let names = ["fine1", "lie1", "refuse1", "crash1", "cannot1"];
    let cases = folder.cases(&names);
    let (json, junit, known) = (folder.path("a.json"), folder.path("a.xml"), folder.path("known"));
    let engine = with(&[]);
    let all = ["--engine", &engine, text(&cases), "--json", text(&json), "--junit", text(&junit)];
    let first = conform(&all);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let printed = String::from_utf8(first.stdout).expect("text");
    let lines: Vec<&str> = printed.lines().take(3).collect();
    assert!(lines[0].starts_with("unruly/lie1 differs: expected [3] [1,1,2], got [1] [99]"), "{printed}");
    assert!(
        lines[1].starts_with("unruly/refuse1 refuses: ") && lines[2].starts_with("unruly/crash1 crashes: ")
    );

    let read = |path: &Path| fs::read_to_string(path).expect("was written");
    let written: Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!(written["total"]["passes"], 1);
    assert_eq!(written["classes"]["DtypeBool"]["differs"], 1);
    assert_eq!(written["cases"].as_array().map(Vec::len), Some(names.len()));
    assert_eq!(written["cases"][1]["answer"], json!({"shape": [1], "data": [99]}));
    assert_eq!(written["surprises"], json!(["unruly/lie1", "unruly/refuse1", "unruly/crash1"]));
    assert_eq!(written["holds"], false);
    let written = read(&junit);
    assert!(written.contains("tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\""), "{written}");
    assert!(written.contains("refused (no &quot;mood&quot; &lt;today&gt;)"), "{written}");
    let count = |what| written.matches(what).count();
    assert_eq!((count("<testcase "), count("</testcase>")), (5, 5));
    assert_eq!((count("<failure "), count("<error "), count("<skipped ")), (2, 1, 1));

    // What was printed is a list of what is known, and with it all is well.
    fs::write(&known, lines.join("\n")).expect("a file");
    let expecting = [&all[..], &["--expect", text(&known)]].concat();
    let second = conform(&expecting);
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    assert!(read(&junit).contains("failures=\"0\" errors=\"0\" skipped=\"4\""));
    // It must still differ, in the same way, and be there.
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
    let folder = Folder::new("refused");
    let cases = folder.cases(&["cannot1"]);
    let cases = text(&cases);
    let engine = with(&[]);
    for (arguments, code, complaint) in [
        (&["--engine", "exit 7", cases][..], 2, "does not start"),
        (&["--engine", &engine], 2, "FILE|DIRECTORY"),
        (&["--engine", &engine, cases, "--limit", "0"], 2, "leaves no time"),
        (&["--engine", &engine, cases, "--expect", "no-such-file"], 2, "no-such-file"),
        (&["--limit", "3", cases], 2, "--engine <COMMAND>"),
        // Nothing was wrong, and nothing was asked.
        (&["--engine", &engine, cases], 1, ""),
    ] {
        let output = conform(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(complaint), "{output:?}");
    }
}

/// An engine that is right passes recorded cases of every dialect and type, so the judge reads them as they are meant.
#[test]
fn the_reference_as_an_engine_passes() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let files = ["numpy.jsonl", "disagreements.jsonl"].map(|file| vectors.join(file));
    let asked = questions(&files).expect("cases");
    let limits = Limits { case: Duration::from_secs(60), ..LIMITS };
    let run = quiet(run(&with(&[]), limits, &asked, |_| {}));
    let known = Known::default();
    let report = Report::new(&run, &known);
    assert_eq!(
        report.total(),
        [asked.len(), 0, 0, 0, 0, 0, 0, 0],
        "{:?}",
        report.lines().collect::<Vec<_>>()
    );
    assert!(report.holds());
}

/// The lines of a file that are no remarks.
fn entries(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// The adapters, and the cases that are put to them.
fn adapters() -> Vec<(String, Vec<Case>)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |line: &String| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = words.next().expect("a name");
        let lines = words.flat_map(|file| load(&here.join("vectors").join(file)).expect("a file"));
        (name, lines.map(|(_, case)| case.expect("a case")).collect())
    };
    entries(&here.join("engines/list.txt")).iter().map(read).collect()
}

/// What the adapters need is pinned, to the releases that the vectors were recorded from, and their known differences from
/// what they were recorded in are those recorded.
#[test]
fn adapters_are_of_the_recorded_releases() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recorded = entries(&here.join("vectors/record/requirements.txt"));
    let (mut pinned, mut differences) = (0, 0);
    for (name, cases) in adapters() {
        let folder = here.join("engines").join(&name);
        if folder.join("engine.py").is_file() {
            for line in entries(&folder.join("requirements.txt")) {
                let (package, _) = line.split_once("==").unwrap_or_else(|| panic!("{name}: {line}"));
                let other = recorded.iter().find(|recorded| recorded.starts_with(&format!("{package}==")));
                assert!(other.is_none_or(|other| *other == line), "{name}: {line}, recorded from {other:?}");
                pinned += 1;
            }
        }
        let known = fs::read_to_string(folder.join("known.txt")).expect("a list");
        Known::read(&known).expect("a list");
        for line in entries(&folder.join("known.txt")) {
            let mut words = line.split([' ', ':']);
            let (id, verdict) = (words.next(), words.next());
            let case = cases
                .iter()
                .find(|case| Some(&case.id[..]) == id)
                .unwrap_or_else(|| panic!("{name}: {line}"));
            differences += 1;
            // The others are asked what was recorded from another system.
            let recorder = if name == "jax" { "xla" } else { &name };
            if id.is_none_or(|id| !id.starts_with(&format!("{recorder}/"))) {
                continue;
            }
            let flagged = |class: &str| case.flags.iter().any(|flag| flag == class);
            let recorded = match case.answers.iter().find(|(engine, _)| engine.starts_with(recorder)) {
                Some((_, Expect::Tensor { .. })) => "differs",
                Some((_, Expect::Error)) => "refuses",
                // OpenVINO's refusals to clamp are in no field, and neither is what cannot be recorded.
                None if flagged("ClampedSize") => "refuses",
                None if ["UnwrittenMemory", "UncheckedAxis", "EmptyImage"].into_iter().any(flagged) => {
                    continue;
                }
                None => panic!("{line}: agrees in the vectors"),
            };
            assert_eq!(verdict, Some(recorded), "{line}");
        }
    }
    assert!(pinned >= 20 && differences >= 100, "{pinned} {differences}");
}

/// The page has a row for each adapter, of the release that is pinned, with as many differences as are known.
#[test]
fn the_page_is_of_the_known_differences() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("ENGINES.md")).expect("the page");
    let head = page.lines().find(|line| line.starts_with("| engine |")).expect("a table");
    let column = |verdict: &str| head.split('|').position(|cell| cell.trim() == verdict).expect("a column");
    for (name, cases) in adapters() {
        let folder = here.join("engines").join(&name);
        let row = page
            .lines()
            .find(|line| line.contains(&format!("](#{name}) |")))
            .unwrap_or_else(|| panic!("no row of {name}"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let count = |verdict: &str| cells[column(verdict)].parse::<usize>().expect("a count");
        if folder.join("requirements.txt").is_file() {
            let pins = entries(&folder.join("requirements.txt"));
            // OpenCV's package has a number of its own after OpenCV's.
            let version = |pin: &String| {
                pin.split("==").nth(1)?.splitn(4, '.').take(3).map(str::to_owned).reduce(|a, b| a + "." + &b)
            };
            assert!(
                pins.iter().filter_map(version).any(|version| cells[1].contains(&version)),
                "{name}: {}",
                cells[1]
            );
        }
        let known = entries(&folder.join("known.txt"));
        let verdicts = ["differs", "refuses", "crashes", "hangs", "garbles"];
        for verdict in verdicts {
            let known = known.iter().filter(|line| line.split([' ', ':']).nth(1) == Some(verdict)).count();
            assert_eq!(count(verdict), known, "{name} {verdict}");
        }
        let all: usize = verdicts.into_iter().chain(["passes", "cannot"]).map(count).sum();
        assert_eq!(all, cases.len(), "{name}");
    }
}
