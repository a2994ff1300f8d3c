//! Tests that the documentation page about differences between frameworks matches the recorded cases.
//!
//! If a case has changed, run `PAD_BLESS=1 cargo test -p spec-tests --test disagreements` to write the page again, and read the
//! changes in `git diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use indexmap::IndexMap;
use itertools::Itertools;
use serde::Deserialize;
use serde_json::Value;
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, Expect, numbers};

mod common;

/// The text of the page that does not come from the recorded cases.
#[derive(Deserialize)]
struct Parts {
    /// The beginning of the page. The next field is its last section.
    begin: String,
    others: String,
    /// Pairs of a flag and the section that lists it.
    flags: Vec<[String; 2]>,
    /// Pairs of an engine's name in the cases and its name on the page.
    engines: Vec<[String; 2]>,
    /// The first words of a question, by dialect, or by dialect and flavour.
    asks: BTreeMap<String, String>,
    arguments: BTreeMap<String, String>,
    /// The sections in the order of the page.
    section: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    name: String,
    title: String,
    text: String,
}

#[test]
fn page_is_what_the_cases_say() {
    let (page, file) = (page(), "pad-kernels/src/dialect/disagreements.md");
    common::snapshot(file, &page, "disagreements");
}

fn page() -> String {
    let parts: Parts = toml::from_str(include_str!("disagreements.toml")).expect("the parts of the page");
    let explained = common::flags();
    for [flag, section] in &parts.flags {
        let shown = parts.section.iter().any(|shown| shown.name == *section);
        assert!(explained.contains_key(flag) && shown, "{flag} of {section}");
    }
    let mut recordings = common::recorded();
    let questions = recordings.remove("disagreements").expect("the questions that everyone was asked");

    let mut page = parts.begin.clone();
    let sources: BTreeSet<&str> = questions.iter().flat_map(|case| case.source.split("; ")).collect();
    let mut sources = sources.into_iter().filter(|source| *source != "documents");
    writeln!(page, "Engines: {}.", sources.join("; ")).unwrap();

    for section in &parts.section {
        let cases: Vec<&Case> =
            questions.iter().filter(|case| parts.flag_of(case)[1] == section.name).collect();
        assert!(!cases.is_empty(), "nothing in the section {}", section.title);
        write!(page, "\n## {}\n\n{}\n", section.title, section.text).unwrap();
        // A request that was recorded in both frames is listed as one question.
        let mut merged: IndexMap<String, Vec<&Case>> = IndexMap::new();
        for &case in &cases {
            let question = format!("{}{:?}", parts.in_words(case), parts.answers(case));
            merged.entry(question).or_default().push(case);
        }
        merged.values().for_each(|cases| parts.entry(&mut page, cases));
        let used: BTreeSet<&str> =
            cases.iter().flat_map(|case| case.flags.iter().map(String::as_str)).collect();
        page.push_str("\nFlags of this section:\n\n");
        for flag in used {
            let explained = &explained[flag];
            let end = if explained.ends_with('?') { "" } else { "." };
            writeln!(page, "- `{flag}`: {explained}{end}").unwrap();
        }
    }
    parts.others(&mut page, &recordings, &explained);
    page
}

impl Parts {
    /// Appends one question to the page, with the answers of all engines.
    fn entry(&self, page: &mut String, cases: &[&Case]) {
        let case = cases[0];
        write!(page, "\n**{}**\n\n| engine | answer |\n|---|---|\n", self.in_words(case)).unwrap();
        let mut rows: IndexMap<String, Vec<String>> = IndexMap::new();
        for case in cases {
            // The page names the frame only if the request has negative pads.
            let negative = case.low.iter().chain(&case.high).any(|&pad| pad < 0);
            let frame = match case.frame.as_deref() {
                Some("uncropped") if negative => ", `Frame::Uncropped`",
                Some("cropped") if negative => ", `Frame::Cropped`",
                _ => "",
            };
            let row = rows.entry(answer(case, &case.expect)).or_default();
            row.push(format!("**this library**{frame}"));
        }
        for (engine, theirs) in self.answers(case) {
            rows.entry(theirs).or_default().push(engine.to_owned());
        }
        for (answer, everyone) in rows {
            writeln!(page, "| {} | {answer} |", everyone.join("; ")).unwrap();
        }
        let flags = case.flags.iter().map(|flag| format!("`{flag}`")).join(", ");
        let id = |case: &&Case| format!("`{}`", case.id.trim_start_matches("disagreements/"));
        write!(page, "\nCase {}. Flags: {flags}.\n", cases.iter().map(id).join(" and ")).unwrap();
    }

    /// Appends how often each engine differs from the library in its own file, and one case of each kind.
    fn others(
        &self,
        page: &mut String,
        recordings: &BTreeMap<String, Vec<Case>>,
        explained: &BTreeMap<String, String>,
    ) {
        page.push_str(&self.others);
        for (file, cases) in recordings {
            // The last columns of a table line, by engine and flag.
            let mut kinds: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
            for case in cases {
                let ours = answer(case, &case.expect);
                for (engine, theirs) in self.answers(case) {
                    if theirs != ours {
                        let columns = format!("{} | {ours} | {theirs}", self.in_words(case));
                        kinds.entry((engine, &self.flag_of(case)[0][..])).or_default().push(columns);
                    }
                }
            }
            for ((engine, flag), found) in kinds {
                let example =
                    found.iter().min_by_key(|columns| (columns.len(), *columns)).expect("at least one");
                let (count, why) = (found.len(), &explained[flag]);
                writeln!(page, "| {engine} | {count} in `{file}.jsonl` | {why} | {example} |").unwrap();
            }
        }
    }

    /// Returns the first flag in `flags` that the case has, and its section.
    fn flag_of(&self, case: &Case) -> &[String; 2] {
        let flag = self.flags.iter().find(|[flag, _]| case.flags.contains(flag));
        flag.unwrap_or_else(|| panic!("{} has no flag that has a section: {:?}", case.id, case.flags))
    }

    /// Returns the answers of the engines, in the order of their list.
    fn answers(&self, case: &Case) -> Vec<(&str, String)> {
        let known = |name: &String| self.engines.iter().any(|[engine, _]| engine == name);
        assert!(case.answers.keys().all(known), "{}: an engine without a name", case.id);
        let of = |engine: &String| Some(answer(case, case.answers.get(engine)?));
        self.engines.iter().filter_map(|[engine, name]| Some((&name[..], of(engine)?))).collect()
    }

    /// Returns the question as an English sentence.
    fn in_words(&self, case: &Case) -> String {
        let (version, flavour) =
            (case.version.as_deref().unwrap_or_default(), case.flavour.as_deref().unwrap_or_default());
        let asks =
            self.asks.get(&format!("{}/{flavour}", case.dialect)).or_else(|| self.asks.get(&case.dialect));
        let asks = asks.unwrap_or_else(|| panic!("{}: {} has no name", case.id, case.dialect));
        let mut words = asks.replace("{version}", version).replace("{flavour}", flavour);
        write!(words, "mode {}", case.mode).unwrap();
        if case.mode == "constant" {
            match &case.value {
                // The fill is a double in these dialects, whatever the type of the data.
                Some(value) if ["opencv", "scipy", "webnn"].contains(&&case.dialect[..]) => {
                    write!(words, " with fill {}", doubles(value)).unwrap();
                }
                Some(value) => write!(words, " with fill `{}`", element(case, value)).unwrap(),
                None => words += " with the default fill",
            }
        }
        words += "; input ";
        words +=
            &if case.data.is_empty() { "without elements".to_owned() } else { elements(case, &case.data) };
        write!(words, " (`{}`, shape `{:?}`); ", case.dtype.name(), case.shape).unwrap();
        words += &pads(case);
        for (name, value) in &case.args {
            let argument =
                self.arguments.get(name).unwrap_or_else(|| panic!("{}: {name} has no words", case.id));
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            write!(words, "; {}", argument.replace("{value}", &value)).unwrap();
        }
        words
    }
}

fn answer(case: &Case, expect: &Expect) -> String {
    match expect {
        Expect::Error => "error".into(),
        Expect::Tensor { shape, data } if data.is_empty() => format!("no elements, shape `{shape:?}`"),
        Expect::Tensor { shape, data } => format!("{}, shape `{shape:?}`", elements(case, data)),
    }
}

fn elements(case: &Case, data: &[Value]) -> String {
    format!("`{}`", data.iter().map(|value| element(case, value)).join(" "))
}

/// Formats an element for readers. Single precision gets as many digits as distinguish it from its neighbours.
fn element(case: &Case, value: &Value) -> String {
    match (value, case.dtype, value["bits"].as_str()) {
        (Value::Array(parts), ..) => format!("({})", parts.iter().map(|part| element(case, part)).join(", ")),
        (_, Type::Float32, Some("0x80000000")) => "-0.0".into(),
        (_, Type::Float64, Some("0x8000000000000000")) => "-0.0".into(),
        (_, _, Some(bits)) => format!("{:#x}", u64::from_str_radix(&bits[2..], 16).expect("a number")),
        (Value::Number(number), Type::Float32, _) => (number.as_f64().expect("a number") as f32).to_string(),
        // 1.0 and 1 are the same element.
        _ => value.to_string().trim_end_matches(".0").into(),
    }
}

/// Formats a 64-bit float, or a list of them.
fn doubles(value: &Value) -> String {
    format!("`{}`", numbers(Some(value)).expect("numbers").iter().join(" "))
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
        let sides = sides.into_iter().flatten().join(", ");
        let sides = if sides.is_empty() { "nothing".to_owned() } else { sides };
        match &case.axes {
            Some(axes) => parts.push(format!("axis {}: {sides}", axes[i])),
            None if sides == "nothing" => {}
            None if case.shape.len() == 1 => parts.push(sides),
            None => parts.push(format!("axis {i}: {sides}")),
        }
    }
    if parts.is_empty() { "no pads".into() } else { parts.join("; ") }
}
