//! Writes the page about several engines from their `--json` files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::Verdict;
use super::report::one_line;
use super::smallest::Smallest;

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

/// The fields of a `--json` file that the page uses.
#[derive(Deserialize)]
struct Told {
    engine: String,
    files: Vec<String>,
    total: BTreeMap<String, usize>,
    classes: BTreeMap<String, BTreeMap<String, usize>>,
    smallest: Vec<Smallest>,
    broke_off: Option<String>,
    interruptions: Vec<serde_json::Value>,
}

const HEAD: &str = include_str!("../../engines/page-head.txt");

const VERDICTS: &str = include_str!("../../engines/page-verdicts.txt");

/// Returns the page about the runs whose `--json` files are in the folder `results`, with the notes of `documents.toml`. Returns
/// an error if a difference has no note, or if a note fits no difference.
pub fn page(results: &Path) -> Result<String, String> {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/documents.toml");
    let at = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&notes).map_err(|error| at(&notes, &error))?;
    let Notes { note: mut notes } = toml::from_str(&text).map_err(|error| at(&notes, &error))?;
    let mut runs = BTreeMap::new();
    for entry in fs::read_dir(results).map_err(|error| at(results, &error))? {
        let path = entry.map_err(|error| at(results, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let text = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
            let told: Told = serde_json::from_str(&text).map_err(|error| at(&path, &error))?;
            if let Some(why) = &told.broke_off {
                return Err(at(&path, &format!("the run broke off: {why}")));
            }
            runs.insert(name, told);
        }
    }
    if runs.is_empty() {
        return Err(at(results, &"no results"));
    }
    // Keep the notes about engines that have a file.
    notes.retain(|note| runs.contains_key(&note.engine));
    write(&runs, &notes)
}

fn write(runs: &BTreeMap<String, Told>, notes: &[Note]) -> Result<String, String> {
    let mut page = HEAD.to_owned();
    let verdicts: Vec<String> =
        Verdict::ALL.iter().map(|verdict| verdict.name()).filter(|verdict| verdict != "unasked").collect();
    let _ = write!(page, "\n## All cases\n\n| engine | asked | {} |\n|---|---|", verdicts.join(" | "));
    page += &"---:|".repeat(verdicts.len());
    for (name, told) in runs {
        let files: Vec<String> = told.files.iter().map(|file| format!("`{file}`")).collect();
        let _ = write!(page, "\n| [{}](#{name}) | {} |", told.engine, files.join(", "));
        for verdict in &verdicts {
            let _ = write!(page, " {} |", told.total.get(verdict).copied().unwrap_or(0));
        }
    }
    page += VERDICTS;
    page += "\n## By class\n\nA class is a group of cases with the same [flag](vectors/README.md#flags). A case may belong to several classes. `5 of 6` means that 5 of 6 \
             cases pass.\nA single number means that all of them pass. A dot means that the engine has no case of the class.\n\n| class |";
    for name in runs.keys() {
        let _ = write!(page, " {name} |");
    }
    page += "\n|---|";
    page += &"---:|".repeat(runs.len());
    let classes: BTreeSet<&String> = runs.values().flat_map(|told| told.classes.keys()).collect();
    for class in classes {
        let _ = write!(page, "\n| {class} |");
        for told in runs.values() {
            let count =
                |verdict: &str| told.classes.get(class).and_then(|counts| counts.get(verdict)).copied();
            let passes = count("passes").unwrap_or(0);
            let asked: usize = verdicts
                .iter()
                .filter(|verdict| *verdict != "cannot")
                .filter_map(|verdict| count(verdict))
                .sum();
            match (asked, asked == passes) {
                (0, _) => page += " . |",
                (_, true) => drop(write!(page, " {passes} |")),
                (_, false) => drop(write!(page, " {passes} of {asked} |")),
            }
        }
    }
    page += "\n";

    let (mut used, mut silent) = (BTreeSet::new(), Vec::new());
    for (name, told) in runs {
        let _ = write!(page, "\n<a id=\"{name}\"></a>\n\n## {}\n", told.engine);
        if told.smallest.is_empty() {
            page += "\nNo differences.\n";
        }
        for smallest in &told.smallest {
            let note = notes.iter().position(|note| note.engine == *name && note.is_about(smallest));
            match note {
                Some(note) => drop(used.insert(note)),
                None => silent.push(format!(
                    "{name}: {}, {:?}: {}",
                    smallest.verdict.name(),
                    smallest.classes,
                    smallest.case
                )),
            }
            page += &example(smallest, note.map_or("", |note| &notes[note].text));
        }
        if !told.interruptions.is_empty() {
            let _ = write!(
                page,
                "\nInterruptions: {}. In an interruption, the process of the engine ended, and no single case was the cause.\n",
                told.interruptions.len()
            );
        }
    }
    let stale = (0..notes.len())
        .filter(|note| !used.contains(note))
        .map(|note| format!("a note without a difference: {:?}", notes[note]));
    silent.extend(stale);
    match silent.is_empty() {
        true => Ok(page),
        false => Err(format!("differences without a note in documents.toml:\n{}", silent.join("\n"))),
    }
}

fn example(smallest: &Smallest, note: &str) -> String {
    let Smallest { verdict, part, classes, cases, from, case, what, .. } = smallest;
    let mut names: Vec<String> = classes.iter().map(|classes| one_line(classes)).collect();
    names.sort();
    names.dedup();
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
    let s = if *cases == 1 { "" } else { "s" };
    format!(
        "\n**{}{part}**: {cases} case{s}. Classes: {}. The example comes from `{from}`.{steady}{unfinished}\n\n```text\n{case}\n{what}\n```\n\n{}\n",
        verdict.name(),
        names.join("; "),
        note.trim(),
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
