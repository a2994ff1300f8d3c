//! Writes the page with the results of several engines. It reads the files that `conform --json` wrote, one for each engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use strum::IntoEnumIterator as _;

use super::report::one_line;
use super::{Report, Smallest, Verdict};
use crate::conform::files;

/// A note about a difference. It names the document that the engine contradicts, or says that no document decides the case.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The name of the engine's `--json` file, without `.json`.
    engine: String,
    /// If the list is not empty, the note applies only to kinds of differences with one of these classes.
    #[serde(default)]
    classes: Vec<String>,
    verdict: Option<Verdict>,
    /// If given, the note applies only to kinds with this wrong part.
    part: Option<String>,
    /// If given, the note applies only to kinds whose smallest case, written as JSON, contains this text.
    case: Option<String>,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    note: Vec<Note>,
}

const HEAD: &str = include_str!("../../engines/page-head.txt");

const VERDICTS: &str = include_str!("../../engines/page-verdicts.txt");

/// Returns the page about the runs whose `--json` files are in the folder `results`, with the notes of `documents.toml`. Returns
/// an error if a difference has no note, or if a note fits no difference.
pub fn page(results: &Path) -> Result<String, String> {
    fn parsed<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        text.and_then(|text| parse(&text)).map_err(|error| format!("{}: {error}", path.display()))
    }
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/documents.toml");
    let Notes { note: notes } =
        parsed(&notes, |text| toml::from_str(text).map_err(|error| error.to_string()))?;
    let mut runs = BTreeMap::new();
    for path in files(&[results.to_owned()], "json").map_err(|error| error.to_string())? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let report = parsed(&path, |text| {
            let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
            match report.run.broke_off {
                Some(why) => Err(format!("the run broke off: {why}")),
                None => Ok(report),
            }
        })?;
        runs.insert(name, report);
    }
    if runs.is_empty() {
        return Err(format!("{}: no results", results.display()));
    }
    write(&runs, &notes)
}

/// Appends a row of a Markdown table: the cell `first`, and then `cells`.
fn row(page: &mut String, first: &str, cells: impl IntoIterator<Item = String>) {
    let cells: String = cells.into_iter().map(|cell| format!(" {cell} |")).collect();
    let _ = write!(page, "\n| {first} |{cells}");
}

fn write(runs: &BTreeMap<String, Report>, notes: &[Note]) -> Result<String, String> {
    let mut page = HEAD.to_owned() + "\n## All cases\n";
    let verdicts = || Verdict::iter().filter(|verdict| *verdict != Verdict::Unasked);
    row(&mut page, "engine | asked", verdicts().map(|verdict| verdict.to_string()));
    page += "\n|---|---|";
    page += &"---:|".repeat(verdicts().count());
    for (name, report) in runs {
        let files: Vec<String> = report.files.iter().map(|file| format!("`{file}`")).collect();
        let count = |verdict| report.total.get(&verdict).copied().unwrap_or(0).to_string();
        row(
            &mut page,
            &format!("[{}](#{name}) | {}", report.run.engine, files.join(", ")),
            verdicts().map(count),
        );
    }
    page += VERDICTS;
    row(&mut page, "class", runs.keys().cloned());
    page += "\n|---|";
    page += &"---:|".repeat(runs.len());
    for class in runs.values().flat_map(|report| report.classes.keys()).collect::<BTreeSet<_>>() {
        let cell = |report: &Report| {
            let counts = report.classes.get(class).cloned().unwrap_or_default();
            let passes = counts.get(&Verdict::Passes).copied().unwrap_or(0);
            let asked: usize = counts
                .iter()
                .filter(|(verdict, _)| **verdict != Verdict::Cannot)
                .map(|(_, count)| count)
                .sum();
            match passes {
                _ if asked == 0 => ".".into(),
                _ if asked == passes => passes.to_string(),
                _ => format!("{passes} of {asked}"),
            }
        };
        row(&mut page, class, runs.values().map(cell));
    }
    page += "\n";

    let (mut used, mut faults) = (BTreeSet::new(), Vec::new());
    for (name, Report { run, .. }) in runs {
        let _ = write!(page, "\n<a id=\"{name}\"></a>\n\n## {}\n", run.engine);
        if run.smallest.is_empty() {
            page += "\nNo differences.\n";
        }
        for smallest in &run.smallest {
            let note = notes.iter().position(|note| note.engine == *name && note.is_about(smallest));
            if note.is_none() {
                faults.push(format!("a difference without a note: {name}: {smallest}"));
            }
            used.extend(note);
            page += &example(smallest, note.map_or("", |note| &notes[note].text));
        }
        if !run.interruptions.is_empty() {
            let count = run.interruptions.len();
            let _ = writeln!(page, "\nInterruptions: {count}. {INTERRUPTION}");
        }
    }
    // A note is a fault if no difference needs it. Notes about engines without a file are not checked.
    let unused =
        notes.iter().enumerate().filter(|(i, note)| !used.contains(i) && runs.contains_key(&note.engine));
    faults.extend(unused.map(|(_, note)| format!("a note without a difference: {note:?}")));
    if faults.is_empty() { Ok(page) } else { Err(format!("documents.toml:\n{}", faults.join("\n"))) }
}

const INTERRUPTION: &str =
    "In an interruption, the process of the engine ended, and no single case was the cause.";

fn example(smallest: &Smallest, note: &str) -> String {
    let Smallest { verdict, part, classes, from, case, what, .. } = smallest;
    let names: BTreeSet<String> = classes.iter().map(|classes| one_line(classes)).collect();
    let classes = names.into_iter().collect::<Vec<_>>().join("; ");
    let part = if part.is_empty() { String::new() } else { format!(", {part}") };
    // If the answer changes from run to run, leave it out, so that the page is reproducible.
    let (steady, what) = match what.split_once(", got ") {
        Some((expected, _)) if !smallest.steady => {
            (" The engine gave another answer when it was asked again.", expected)
        }
        _ => ("", &what[..]),
    };
    let unfinished =
        if smallest.finished { "" } else { " The search ended early, so there may be a smaller call." };
    let (count, note) = (smallest.count(), note.trim());
    format!(
        "\n**{verdict}{part}**: {count}. Classes: {classes}. The example comes from `{from}`.{steady}{unfinished}\n\n\
         ```text\n{case}\n{what}\n```\n\n{note}\n"
    )
}

impl Note {
    fn is_about(&self, smallest: &Smallest) -> bool {
        let mut classes = smallest.classes.iter().flatten();
        (self.classes.is_empty() || classes.any(|class| self.classes.contains(class)))
            && self.verdict.is_none_or(|verdict| verdict == smallest.verdict)
            && self.part.as_ref().is_none_or(|part| *part == smallest.part)
            && self.case.as_ref().is_none_or(|text| smallest.case.to_string().contains(&text[..]))
    }
}
