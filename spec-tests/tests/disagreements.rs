//! The page of the library's documentation about where the systems disagree, which is written from the recorded cases.
//!
//! If a case has changed, write the page anew with `PAD_BLESS=1 cargo test -p spec-tests --test disagreements`, and
//! read what `git diff` shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use spec_tests::conform::files;
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, Expect, load, numbers};

/// What a section of the page is about.
struct Section {
    title: &'static str,
    text: &'static str,
}

const CROPS: Section = Section {
    title: "Negative pads",
    text: "NumPy, TensorFlow and ONNX's reference evaluator refuse negative pads. Other frameworks read them in two ways. Some mirror cropped elements \
           back into the border (`Frame::Uncropped`). Others make the border only from what remains (`Frame::Cropped`). The difference shows only if the border is \
           longer than what remains. Frameworks also differ if a crop removes everything or more.",
};
const LONG: Section = Section {
    title: "Borders longer than the data",
    text: "NumPy and ONNX's text repeat the data as often as needed. Most engines set a limit of one reflection or one \
           period.",
};
const SYMMETRIC: Section = Section {
    title: "Symmetric borders in nGraph",
    text: "nGraph's documents agree with all other frameworks. Its code agrees below the data. Above the data it agrees only if the pad is \
           the length of the axis minus one. Other pads read past the data, so this page does not list their results.",
};
const NOTHING: Section = Section {
    title: "Empty axes, scalars and single elements",
    text: "The input is a scalar, or has an axis without elements, or reflects an axis of one element.",
};
const SIZES: Section = Section {
    title: "Negative sizes",
    text: "The crop removes more than there is, and nothing is added back.",
};
const FILLS: Section = Section {
    title: "The fill",
    text: "The cases ask what the fill is if it is not given, and what a narrower type makes of it.",
};
const ARGUMENTS: Section = Section {
    title: "Allowed forms of axes, pads and values",
    text: "All frameworks agree on the result here. They differ on whether the call is allowed.",
};
const TEXTS: Section = Section {
    title: "A text against itself, or against its own engine",
    text: "Some examples contradict the rule that they explain. Some engines accept more than the text of their version.",
};
const MEMORY: Section = Section {
    title: "Memory that was never written",
    text: "In these cases an engine reads or leaves memory that nobody wrote. Its results differ from run to run, or it does not return. \
           This page lists only reliable answers.",
};

/// In the order of the page.
const SECTIONS: [&Section; 9] =
    [&CROPS, &LONG, &SYMMETRIC, &NOTHING, &SIZES, &FILLS, &ARGUMENTS, &TEXTS, &MEMORY];

/// The flags that make a disagreement, and where it then belongs: the first that a case carries counts.
const FLAGS: [(&str, &Section); 41] = [
    ("WrapOverlaps", &LONG),
    ("RegionIsolated", &ARGUMENTS),
    ("RankOfImage", &ARGUMENTS),
    ("TypeNarrowed", &FILLS),
    ("ChannelFill", &FILLS),
    ("ValueToMachine", &FILLS),
    ("ThroughDouble", &FILLS),
    ("SignOfZero", &FILLS),
    ("NegativeShape", &SIZES),
    ("ClampedSize", &SIZES),
    ("DocExampleInvalid", &TEXTS),
    ("ModeOutsideVersion", &TEXTS),
    ("TypeOutsideVersion", &TEXTS),
    ("Pad1Negative", &TEXTS),
    ("AxesRepeated", &ARGUMENTS),
    ("AxesOutOfRange", &ARGUMENTS),
    ("AxesInt32", &ARGUMENTS),
    ("ValueShape", &ARGUMENTS),
    ("WidthTruncated", &ARGUMENTS),
    ("AttributeF32", &FILLS),
    ("DefaultOfString", &FILLS),
    ("DefaultOfE8M0", &FILLS),
    ("StringCut", &FILLS),
    ("NaNPayload", &FILLS),
    ("ComplexFill", &FILLS),
    ("NegativeZeroFill", &FILLS),
    ("NegativeRefused", &CROPS),
    ("ConstantThroughF32", &FILLS),
    ("RankZero", &NOTHING),
    ("EmptyAxis", &NOTHING),
    ("ReflectSingleton", &NOTHING),
    ("UncheckedAxis", &NOTHING),
    ("UnwrittenMemory", &MEMORY),
    ("SymmetricAbove", &SYMMETRIC),
    ("CropToEmpty", &CROPS),
    ("NegativeThenReflectOrder", &CROPS),
    ("NegativeBeyondAxis", &CROPS),
    ("CropFoldedIntoPad", &CROPS),
    ("ReflectManyPeriods", &LONG),
    ("ReflectReadsUnfilledPad", &LONG),
    ("WrapManyPeriods", &LONG),
];

/// The engines by the names they have in the cases.
const ENGINES: [(&str, &str); 18] = [
    ("numpy", "NumPy"),
    ("onnx", "ONNX's reference evaluator"),
    ("onnx-evaluator", "ONNX's reference evaluator, 1.24 in development"),
    ("onnx-shape-inference", "ONNX's shape inference"),
    ("onnx-text", "ONNX's text"),
    ("onnxruntime", "onnxruntime"),
    ("openvino", "OpenVINO, reference path"),
    ("openvino-cpu", "OpenVINO, CPU plugin"),
    ("openvino-cpu-dynamic", "OpenVINO, CPU plugin, dynamic shape"),
    ("openvino-text", "OpenVINO's text"),
    ("xla", "XLA"),
    ("torch", "PyTorch"),
    ("tensorflow", "TensorFlow, `tf.pad`"),
    ("tensorflow-raw", "TensorFlow, `PadV2`"),
    ("ngraph", "nGraph"),
    ("litert", "LiteRT"),
    ("opencv", "OpenCV"),
    ("scipy", "scipy"),
];

#[test]
fn page_is_what_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = page(&folder.join("vectors"));
    let path = folder.join("../pad-kernels/src/dialect/disagreements.md");
    if env::var_os("PAD_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, page).expect("the page can be written");
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let mut lines = found.lines().zip(page.lines()).enumerate();
    let parts = lines.find(|(_, (found, page))| found != page);
    assert!(
        found == page,
        "the page is stale, first in (line, (page, cases)): {parts:#?}\n\
         If that is wanted, run `PAD_BLESS=1 cargo test -p spec-tests --test disagreements` and review `git diff`."
    );
}

#[test]
fn every_flag_of_the_page_is_explained_and_every_section_is_reached() {
    let explained = explanations(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/README.md"));
    for (flag, section) in FLAGS {
        assert!(explained.contains_key(flag), "{flag}");
        assert!(SECTIONS.iter().any(|shown| shown.title == section.title), "{}", section.title);
    }
}

fn page(vectors: &Path) -> String {
    let explained = explanations(&vectors.join("README.md"));
    let mut recordings: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for file in files(&[PathBuf::from(vectors)]).expect("a folder of cases") {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let cases = load(&file).expect("a file of cases").into_iter();
        recordings
            .insert(name, cases.map(|(at, case)| case.unwrap_or_else(|e| panic!("{at}: {e}"))).collect());
    }
    let questions = recordings.remove("disagreements").expect("the questions that everyone was asked");

    let mut page = String::from(
        "# Where frameworks disagree\n\n\
         <!-- Generated from spec-tests/vectors by the test `disagreements` of spec-tests; PAD_BLESS=1 writes it anew. -->\n\n\
         Each table on this page shows one request and the answers of the engines. Every engine that has the mode got the request in \
         its own terms. **Ours** is the answer of this library: of the dialect that the case names, or of a `PadSpec` if it names \
         none.\n\n\
         If a table does not list an engine, the engine lacks the mode or the type, or gave no answer that can be written down. An axis that is not \
         mentioned is not padded. A flag names the topic of a case, or a bug that the case would find. The file \
         `spec-tests/vectors/disagreements.jsonl` of the repository has the same cases for programs.\n\n",
    );
    let sources: BTreeSet<&str> = questions.iter().flat_map(|case| case.source.split("; ")).collect();
    let sources: Vec<&str> = sources.into_iter().filter(|source| *source != "documents").collect();
    writeln!(page, "Engines: {}.", sources.join("; ")).unwrap();

    for section in SECTIONS {
        let cases: Vec<&Case> =
            questions.iter().filter(|case| std::ptr::eq(section_of(case), section)).collect();
        assert!(!cases.is_empty(), "nothing in the section {}", section.title);
        write!(page, "\n## {}\n\n{}\n", section.title, section.text).unwrap();
        let mut merged: Vec<(String, Vec<&Case>)> = Vec::new();
        for case in &cases {
            // What is asked in both frames is one question.
            let question = format!("{}{:?}", in_words(case), answers(case));
            match merged.iter_mut().find(|(other, _)| *other == question) {
                Some((_, cases)) => cases.push(case),
                None => merged.push((question, vec![case])),
            }
        }
        for (_, cases) in merged {
            entry(&mut page, &cases);
        }
        let used: BTreeSet<&str> =
            cases.iter().flat_map(|case| case.flags.iter().map(String::as_str)).collect();
        page.push_str("\nFlags of this section:\n\n");
        for flag in used {
            let explained = &explained[flag];
            let end = if explained.ends_with('?') { "" } else { "." };
            writeln!(page, "- `{flag}`: {explained}{end}").unwrap();
        }
    }
    others(&mut page, &recordings, &explained);
    page
}

/// One question, with everyone's answer.
fn entry(page: &mut String, cases: &[&Case]) {
    let case = cases[0];
    write!(page, "\n**{}**\n\n| who | answer |\n|---|---|\n", in_words(case)).unwrap();
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |answer: String, who: String| match rows.iter_mut().find(|(other, _)| *other == answer) {
        Some((_, everyone)) => everyone.push(who),
        None => rows.push((answer, vec![who])),
    };
    for case in cases {
        // How negative pads are read is said where there are any.
        let negative = case.low.iter().chain(&case.high).any(|&pad| pad < 0);
        let frame = match case.frame.as_deref() {
            Some("uncropped") if negative => ", `Frame::Uncropped`",
            Some("cropped") if negative => ", `Frame::Cropped`",
            _ => "",
        };
        add(answer(case, &case.expect), format!("**ours**{frame}"));
    }
    for (engine, theirs) in answers(case) {
        add(theirs, engine.to_owned());
    }
    for (answer, everyone) in rows {
        writeln!(page, "| {} | {answer} |", everyone.join("; ")).unwrap();
    }
    let flags: Vec<String> = case.flags.iter().map(|flag| format!("`{flag}`")).collect();
    let ids: Vec<String> =
        cases.iter().map(|case| format!("`{}`", case.id.trim_start_matches("disagreements/"))).collect();
    write!(page, "\n{}, flagged {}.\n", ids.join(" and "), flags.join(", ")).unwrap();
}

/// What else is recorded: how often each engine differs from us in its own file, and one case of each kind.
fn others(page: &mut String, recordings: &BTreeMap<String, Vec<Case>>, explained: &BTreeMap<String, String>) {
    page.push_str(
        "\n## Differences in the engines' own files\n\n\
         This table counts the cases of each engine's own file in which its answer differs from ours. Each row has the reason and the smallest \
         case.\n\n\
         | engine | cases | why | example | ours | theirs |\n|---|---|---|---|---|---|\n",
    );
    for (file, cases) in recordings {
        // By engine and flag, the cases as the last columns of a row.
        let mut kinds: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        for case in cases {
            let ours = answer(case, &case.expect);
            for (engine, theirs) in answers(case) {
                if theirs != ours {
                    let columns = format!("{} | {ours} | {theirs}", in_words(case));
                    kinds.entry((engine, flag_of(case))).or_default().push(columns);
                }
            }
        }
        for ((engine, flag), found) in kinds {
            let example = found.iter().min_by_key(|columns| (columns.len(), *columns)).expect("at least one");
            let (count, why) = (found.len(), &explained[flag]);
            writeln!(page, "| {engine} | {count} in `{file}.jsonl` | {why} | {example} |").unwrap();
        }
    }
}

/// The flag that says why a case is a disagreement.
fn flag_of(case: &Case) -> &'static str {
    let flag = FLAGS.iter().find(|(flag, _)| case.flags.iter().any(|own| own == flag));
    flag.unwrap_or_else(|| panic!("{} has no flag that has a section: {:?}", case.id, case.flags)).0
}

fn section_of(case: &Case) -> &'static Section {
    let flag = flag_of(case);
    FLAGS.iter().find(|(other, _)| *other == flag).expect("a flag of the list").1
}

/// The answers of the engines, in the order of the list above.
fn answers(case: &Case) -> Vec<(&'static str, String)> {
    let known = |name: &String| ENGINES.iter().any(|(engine, _)| engine == name);
    assert!(case.answers.keys().all(known), "{}: an engine without a name", case.id);
    let of = |(engine, name)| case.answers.get(engine).map(|theirs| (name, answer(case, theirs)));
    ENGINES.into_iter().filter_map(of).collect()
}

fn answer(case: &Case, expect: &Expect) -> String {
    match expect {
        Expect::Error => "refused".into(),
        Expect::Tensor { shape, data } if data.is_empty() => format!("nothing, of shape `{shape:?}`"),
        Expect::Tensor { shape, data } => format!("{} of shape `{shape:?}`", elements(case, data)),
    }
}

fn elements(case: &Case, data: &[Value]) -> String {
    let shown: Vec<String> = data.iter().map(|value| element(case, value)).collect();
    format!("`{}`", shown.join(" "))
}

/// An element for people: single precision in as many digits as tell it from its neighbours.
fn element(case: &Case, value: &Value) -> String {
    let element = Type::from_name(&case.dtype).expect("a known type");
    let bits = |value: &Value| {
        let bits = value.get("bits")?.as_str()?;
        u64::from_str_radix(bits.trim_start_matches("0x"), 16).ok()
    };
    match (value, element) {
        (Value::String(text), _) => format!("\"{text}\""),
        (Value::Array(parts), _) => {
            let parts: Vec<String> = parts.iter().map(|part| self::element(case, part)).collect();
            format!("({})", parts.join(", "))
        }
        (Value::Object(_), _) => match (bits(value), element) {
            (Some(0x8000_0000), Type::Float32) | (Some(0x8000_0000_0000_0000), Type::Float64) => {
                "-0.0".into()
            }
            (Some(bits), _) => format!("{bits:#x}"),
            (None, _) => panic!("{}: {value} is no element", case.id),
        },
        (Value::Number(number), Type::Float32) => {
            format!("{}", number.as_f64().expect("a number") as f32)
        }
        (Value::Number(number), _) => match number.as_f64() {
            // 1.0 and 1 are the same element.
            Some(float) if !number.is_i64() && !number.is_u64() => format!("{float}"),
            _ => number.to_string(),
        },
        _ => panic!("{}: {value} is no element", case.id),
    }
}

/// A number of 64 bits, or a list of them.
fn doubles(value: &Value) -> String {
    let shown: Vec<String> = numbers(Some(value)).expect("numbers").iter().map(f64::to_string).collect();
    format!("`{}`", shown.join(" "))
}

/// What is asked, as a person would say it.
fn in_words(case: &Case) -> String {
    let mut words = match (&case.dialect[..], case.version.as_deref(), case.flavour.as_deref()) {
        ("onnx", Some(version), Some("onnxruntime")) => format!("ONNX {version} in onnxruntime, "),
        ("onnx", Some(version), Some("evaluator")) => format!("ONNX {version} in its evaluator, "),
        ("onnx", Some(version), _) => format!("ONNX {version}, "),
        ("openvino", Some(version), Some(_)) => format!("OpenVINO Pad-{version} in its engine, "),
        ("openvino", Some(version), _) => format!("OpenVINO Pad-{version}, "),
        ("ngraph", Some(version), _) => format!("nGraph {version}, "),
        ("numpy", ..) => "NumPy, ".into(),
        ("torch", ..) => "PyTorch, ".into(),
        ("tensorflow", ..) => "TensorFlow, ".into(),
        ("xla", ..) => "XLA, ".into(),
        ("litert", Some(operator), _) => format!("LiteRT {operator}, "),
        ("opencv", ..) => "OpenCV, ".into(),
        ("webnn", ..) => "WebNN, ".into(),
        ("coreml", ..) => "Core ML, ".into(),
        ("tensorrt", ..) => "TensorRT, ".into(),
        ("scipy", _, Some(family)) => format!("scipy, {family}, "),
        ("core", ..) => String::new(),
        other => panic!("{}: {other:?} has no name", case.id),
    };
    words += &case.mode;
    if case.mode == "constant" {
        match &case.value {
            // A double, whatever the type of the data.
            Some(value) if ["opencv", "scipy", "webnn"].contains(&&case.dialect[..]) => {
                write!(words, " with {}", doubles(value)).unwrap();
            }
            Some(value) => write!(words, " with `{}`", element(case, value)).unwrap(),
            None => words += " with the default",
        }
    }
    words += match case.data[..] {
        [] => " of nothing".to_owned(),
        _ => format!(" of {}", elements(case, &case.data)),
    }
    .as_str();
    write!(words, " (`{}`, shape `{:?}`); ", case.dtype, case.shape).unwrap();
    words += &pads(case);
    for (name, value) in &case.args {
        match &name[..] {
            "axes_dtype" => write!(words, "; axes of type `{}`", value.as_str().expect("a type")),
            "value_shape" => write!(words, "; the value in a tensor of shape `{value}`"),
            "pads_shape" => write!(words, "; the pads in a tensor of shape `{value}`"),
            "paddings" => {
                write!(words, "; the widths in an array of {}", value.as_str().expect("a kind of array"))
            }
            "mode" => write!(words, "; its word is `{}`", value.as_str().expect("a mode")),
            "roi" => write!(words, "; of the region of rows and columns `{value}`"),
            "isolated" => write!(words, "; isolated"),
            "zero_point" => write!(words, "; quantised with zero point {value}"),
            "value_zero_point" => write!(words, "; the value with zero point {value}"),
            "paddings_dtype" => write!(words, "; paddings of type `{}`", value.as_str().expect("a type")),
            "clamp" => write!(words, "; sizes clamped at 0"),
            "itemsize" => write!(words, "; {value} bytes an item"),
            "pad_width" | "pad" => write!(words, "; `{name}` is `{value}`"),
            other => panic!("{}: {other} has no words", case.id),
        }
        .unwrap();
    }
    words
}

fn pads(case: &Case) -> String {
    let side = |width: i64, place: &str| match width {
        0 => None,
        1.. => Some(format!("{width} added {place}")),
        _ => Some(format!("{} removed {place}", width.unsigned_abs())),
    };
    let mut parts = Vec::new();
    for (i, (&low, &high)) in case.low.iter().zip(&case.high).enumerate() {
        let gaps = case.interior.as_ref().map_or(0, |interior| interior[i]);
        let gaps = (gaps != 0).then(|| format!("{gaps} added between neighbours"));
        let sides = [side(low, "in front"), side(high, "at the end"), gaps];
        let sides: Vec<String> = sides.into_iter().flatten().collect();
        let sides = if sides.is_empty() { "nothing".to_owned() } else { sides.join(", ") };
        match &case.axes {
            Some(axes) => parts.push(format!("axis {}: {sides}", axes[i])),
            None if sides == "nothing" => {}
            None if case.shape.len() == 1 => parts.push(sides),
            None => parts.push(format!("axis {i}: {sides}")),
        }
    }
    if parts.is_empty() { "no pads".into() } else { parts.join("; ") }
}

/// What the documentation of the cases says of each flag.
fn explanations(readme: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(readme).expect("the documentation of the cases");
    let (_, flags) = text.split_once("\n## Flags\n").expect("a section about flags");
    let rows = flags.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once('`'));
    let explained = rows.map(|(flag, rest)| {
        let (_, words) = rest.split_once("| ").expect("two columns");
        (flag.to_owned(), words.to_owned())
    });
    explained.collect()
}
