//! Generates the guide page about calls for which frameworks disagree, from the recorded cases. Compares it with the stored page.
//!
//! If a case has changed, write the page anew with `PAD_BLESS=1 cargo test -p spec-tests --test disagreements`, and
//! review the output of `git diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use spec_tests::conform::files;
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, Expect, load, numbers};

/// A section of the page: its heading, and the text below the heading.
struct Section {
    title: &'static str,
    text: &'static str,
}

const CROPS: Section = Section {
    title: "Negative pads",
    text: "A negative pad crops. NumPy, TensorFlow and ONNX's reference evaluator return an error for it. Other frameworks differ if one side crops and \
           the other adds a border. Some make the border from the whole axis, including cropped elements (`Frame::Uncropped`). Others make it only \
           from the elements that remain (`Frame::Cropped`). The results differ only if the border is longer than the axis that remains. Frameworks \
           also differ if a crop removes all elements, or more than there are.",
};
const LONG: Section = Section {
    title: "Borders longer than the data",
    text: "In NumPy and in the specification of ONNX, the data is mirrored or repeated as often as needed. Most engines allow only one mirror image or \
           one repetition.",
};
const SYMMETRIC: Section = Section {
    title: "Symmetric borders in nGraph",
    text: "The documents of nGraph agree with all other frameworks. Its code agrees for the border before the data. After the data, the code is right \
           only if the pad is the length of the axis minus one. For other pads, the code reads outside the data, so this page does not list their \
           results.",
};
const NOTHING: Section = Section {
    title: "Empty axes, scalars and single elements",
    text: "In these calls, the input is a scalar, has an axis without elements, or has an axis of one element that is reflected.",
};
const SIZES: Section = Section {
    title: "Negative sizes",
    text: "In these calls, a crop removes more elements than the axis has.",
};
const FILLS: Section = Section {
    title: "The fill",
    text: "These calls show the default fill, and how engines convert a fill to the element type.",
};
const ARGUMENTS: Section = Section {
    title: "Allowed forms of axes, pads and values",
    text: "For these calls, some engines return a result and others an error. All results are equal.",
};
const TEXTS: Section = Section {
    title: "Specifications that contradict themselves or their engine",
    text: "Some examples of a specification contradict its rules. Some engines accept calls that their specification forbids.",
};
const MEMORY: Section = Section {
    title: "Memory that was never written",
    text: "For these calls, some engine reads memory that was never written, or does not write all of its output. Its results differ from run to run, or \
           it does not return. This page lists only reliable answers.",
};

/// The sections, in the order of the page.
const SECTIONS: [&Section; 9] =
    [&CROPS, &LONG, &SYMMETRIC, &NOTHING, &SIZES, &FILLS, &ARGUMENTS, &TEXTS, &MEMORY];

/// The flags that name a disagreement, and the section for each flag. If a case has several flags, the first one of this list
/// counts.
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

/// The names of the engines in the recorded cases, and their names on the page.
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
         Each table on this page shows one pad call and the answers of several engines. An engine is a library that pads, such as NumPy. Each \
         engine got the call with its own names of arguments. If the call names a framework, the answer of this library is that of its module \
         `dialect`. Otherwise it is the answer to a `PadSpec`.\n\n\
         If a table does not list an engine, the engine lacks the mode or the element type, or it gave no reliable answer. Axes that a call does \
         not mention are not padded. A flag is a topic to which the case belongs. At the end of each section, a list explains its flags. The file \
         `spec-tests/vectors/disagreements.jsonl` of the repository has the same cases for programs. \
         A call that names a program, such as *ONNX 25 in its evaluator*, follows the rules of this program and not of the specification. OpenVINO \
         runs a model in two ways: by its reference path (`Model.evaluate`) and by its CPU plugin. A number such as `0x7fc0` is the bit pattern of \
         an element. For example, `0x80000000` is -0.0 in `float32`.\n\n",
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
            // Cases that differ only in `frame`, and have equal answers, become one table.
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

/// Writes the table of one call, with the answers of all engines. `cases` differ only in `frame`.
fn entry(page: &mut String, cases: &[&Case]) {
    let case = cases[0];
    write!(page, "\n**{}**\n\n| engine | answer |\n|---|---|\n", in_words(case)).unwrap();
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |answer: String, who: String| match rows.iter_mut().find(|(other, _)| *other == answer) {
        Some((_, everyone)) => everyone.push(who),
        None => rows.push((answer, vec![who])),
    };
    for case in cases {
        // The frame matters only if a pad is negative.
        let negative = case.low.iter().chain(&case.high).any(|&pad| pad < 0);
        let frame = match case.frame.as_deref() {
            Some("uncropped") if negative => ", `Frame::Uncropped`",
            Some("cropped") if negative => ", `Frame::Cropped`",
            _ => "",
        };
        add(answer(case, &case.expect), format!("**this library**{frame}"));
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
    write!(page, "\nCase {}. Flags: {}.\n", ids.join(" and "), flags.join(", ")).unwrap();
}

/// Writes the table that counts how often each engine differs from the library in its own file, with one example for each reason.
fn others(page: &mut String, recordings: &BTreeMap<String, Vec<Case>>, explained: &BTreeMap<String, String>) {
    page.push_str(
        "\n## Other differences\n\n\
         Each engine also has a file of cases that no other engine got. This table counts the cases of that file in which the answers of the \
         engine and of this library differ. Each row shows the reason and the smallest case.\n\n\
         | engine | cases | reason | example | this library | engine |\n|---|---|---|---|---|---|\n",
    );
    for (file, cases) in recordings {
        // The key is the engine and the flag. The value has the last columns of a row for each case.
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

/// Returns the flag that names the reason of a disagreement.
fn flag_of(case: &Case) -> &'static str {
    let flag = FLAGS.iter().find(|(flag, _)| case.flags.iter().any(|own| own == flag));
    flag.unwrap_or_else(|| panic!("{} has no flag that has a section: {:?}", case.id, case.flags)).0
}

fn section_of(case: &Case) -> &'static Section {
    let flag = flag_of(case);
    FLAGS.iter().find(|(other, _)| *other == flag).expect("a flag of the list").1
}

/// Returns the answers of the engines, in the order of [`ENGINES`].
fn answers(case: &Case) -> Vec<(&'static str, String)> {
    let known = |name: &String| ENGINES.iter().any(|(engine, _)| engine == name);
    assert!(case.answers.keys().all(known), "{}: an engine without a name", case.id);
    let of = |(engine, name)| case.answers.get(engine).map(|theirs| (name, answer(case, theirs)));
    ENGINES.into_iter().filter_map(of).collect()
}

fn answer(case: &Case, expect: &Expect) -> String {
    match expect {
        Expect::Error => "error".into(),
        Expect::Tensor { shape, data } if data.is_empty() => format!("no elements, shape `{shape:?}`"),
        Expect::Tensor { shape, data } => format!("{}, shape `{shape:?}`", elements(case, data)),
    }
}

fn elements(case: &Case, data: &[Value]) -> String {
    let shown: Vec<String> = data.iter().map(|value| element(case, value)).collect();
    format!("`{}`", shown.join(" "))
}

/// Formats an element. A `float32` number gets only the digits that distinguish it from the next `float32` numbers.
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

/// Formats a number of 64 bits, or a list of such numbers.
fn doubles(value: &Value) -> String {
    let shown: Vec<String> = numbers(Some(value)).expect("numbers").iter().map(f64::to_string).collect();
    format!("`{}`", shown.join(" "))
}

/// Describes a call in words.
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
    write!(words, "mode {}", case.mode).unwrap();
    if case.mode == "constant" {
        match &case.value {
            // In these dialects, the fill is a double for every element type.
            Some(value) if ["opencv", "scipy", "webnn"].contains(&&case.dialect[..]) => {
                write!(words, " with fill {}", doubles(value)).unwrap();
            }
            Some(value) => write!(words, " with fill `{}`", element(case, value)).unwrap(),
            None => words += " with the default fill",
        }
    }
    words += match case.data[..] {
        [] => "; input without elements".to_owned(),
        _ => format!("; input {}", elements(case, &case.data)),
    }
    .as_str();
    write!(words, " (`{}`, shape `{:?}`); ", case.dtype, case.shape).unwrap();
    words += &pads(case);
    for (name, value) in &case.args {
        match &name[..] {
            "axes_dtype" => write!(words, "; axes given as `{}`", value.as_str().expect("a type")),
            "value_shape" => write!(words, "; fill in a tensor of shape `{value}`"),
            "pads_shape" => write!(words, "; pads in a tensor of shape `{value}`"),
            "paddings" => {
                write!(words, "; widths in an array of {}", value.as_str().expect("a kind of array"))
            }
            "mode" => write!(words, "; mode written as `{}`", value.as_str().expect("a mode")),
            "roi" => write!(words, "; the image is the region of rows and columns `{value}`"),
            "isolated" => write!(words, "; with `BORDER_ISOLATED`"),
            "zero_point" => write!(words, "; quantised with zero point {value}"),
            "value_zero_point" => write!(words, "; fill with zero point {value}"),
            "paddings_dtype" => write!(words, "; paddings given as `{}`", value.as_str().expect("a type")),
            "clamp" => write!(words, "; sizes clamped at 0"),
            "itemsize" => write!(words, "; {value} bytes per string"),
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
        let sides = [side(low, "at the start"), side(high, "at the end"), gaps];
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

/// Returns the meaning of each flag, from the tables of flags in the README of the cases.
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
