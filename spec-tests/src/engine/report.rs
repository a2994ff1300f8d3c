//! Makes the report of a run: counts the verdicts by class, and compares them with the list of known differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::IntoEnumIterator as _;

use super::{Counts, Outcome, PROTOCOL, Run, Smallest, Verdict};

/// The name for cases without a class.
const NO_CLASS: &str = "(no class)";

/// The known differences of an engine: ids of cases and their verdicts.
#[derive(Clone, Default, Debug)]
pub struct Known(pub BTreeMap<String, Verdict>);

impl Known {
    /// Reads a list of lines `ID VERDICT`, and returns the known differences. Text after a colon is a note, and a line that
    /// begins with `#` is a comment.
    pub fn read(text: &str) -> Result<Known, String> {
        let mut known = BTreeMap::new();
        for (i, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split(": ").next().unwrap_or_default().trim_end_matches(':');
            let (id, word) = entry.split_once(' ').unwrap_or_default();
            let verdict =
                word.parse().map_err(|_| format!("line {}: {line:?} is not `ID VERDICT`", i + 1))?;
            if known.insert(id.to_owned(), verdict).is_some() {
                return Err(format!("line {}: {id} is there twice", i + 1));
            }
        }
        Ok(Known(known))
    }
}

/// A run, its counts, and its unexpected results. This is also the format of the file that `--json` writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub protocol: u64,
    /// The names of the files with the cases.
    pub files: Vec<String>,
    /// Whether nothing is unexpected, and the engine can express at least one case.
    pub holds: bool,
    pub total: Counts,
    /// The counts of each class. A case with several classes counts in each of them.
    pub classes: BTreeMap<String, Counts>,
    /// A line for each unexpected verdict, missing case and interruption. A line with a verdict has the format of a list of known
    /// differences.
    pub surprises: Vec<String>,
    #[serde(flatten)]
    pub run: Run,
}

impl Report {
    /// Compares a run with the known differences. A case that is not among them should have the verdict `passes` or `cannot`.
    pub fn new(run: Run, known: &Known, files: &[PathBuf]) -> Report {
        let (mut total, mut classes) = (Counts::new(), BTreeMap::<String, Counts>::new());
        let (mut surprises, mut missing) = (Vec::new(), known.0.keys().collect::<BTreeSet<_>>());
        for Outcome { id, flags, verdict, what, .. } in &run.outcomes {
            *total.entry(*verdict).or_default() += 1;
            for class in one_or_none(flags) {
                *classes.entry(class.clone()).or_default().entry(*verdict).or_default() += 1;
            }
            missing.remove(id);
            let (is_expected, known) = match known.0.get(id) {
                Some(known) => (known == verdict, format!(" (known: {known})")),
                None => (matches!(verdict, Verdict::Passes | Verdict::Cannot), String::new()),
            };
            if !is_expected {
                let line = format!("{id} {verdict}:{known} {}", short(what));
                surprises.push(line.trim_end().to_owned());
            }
        }
        let missing = missing.into_iter();
        surprises.extend(missing.map(|id| format!("{id} is known to differ, and is not among the cases")));
        surprises.extend(run.interruptions.iter().map(|line| short(line)));
        let holds = surprises.is_empty() && total.keys().any(|verdict| *verdict != Verdict::Cannot);
        let name = |file: &PathBuf| Some(file.file_name()?.to_str()?.to_owned());
        let files = files.iter().filter_map(name).collect();
        Report { protocol: PROTOCOL, files, holds, total, classes, surprises, run }
    }
}

/// Writes the table of counts by class.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = &self.run.engine;
        let width = self.classes.keys().map(String::len).max().unwrap_or(0).max(engine.len());
        write!(f, "{engine:width$}")?;
        Verdict::iter().try_for_each(|verdict| write!(f, " {verdict:>7}"))?;
        let classes = self.classes.iter().map(|(class, counts)| (&class[..], counts));
        for (class, counts) in classes.chain([("all cases", &self.total)]) {
            write!(f, "\n{class:width$}")?;
            for verdict in Verdict::iter() {
                let count = counts.get(&verdict).map_or(".".into(), usize::to_string);
                write!(f, " {count:>7}")?;
            }
        }
        Ok(())
    }
}

/// Writes the call and its difference in several lines.
impl fmt::Display for Smallest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Smallest { verdict, part, classes, from, case, what, .. } = self;
        let part = if part.is_empty() { String::new() } else { format!(" ({part})") };
        let classes: Vec<String> = classes.iter().map(|classes| one_line(classes)).collect();
        write!(f, "{verdict}{part}, {} of {}, from {from}", self.count(), classes.join("; "))?;
        let marks =
            [(self.finished, ", the time was up"), (self.steady, ", another answer when asked again")];
        marks.iter().filter(|(fine, _)| !fine).try_for_each(|(_, mark)| f.write_str(mark))?;
        write!(f, "\n  {case}\n  {}", short(what))
    }
}

/// Returns the classes, or the name for cases without a class.
fn one_or_none(classes: &[String]) -> Vec<String> {
    if classes.is_empty() { vec![NO_CLASS.into()] } else { classes.to_vec() }
}

/// Returns the classes, separated by commas.
pub(super) fn one_line(classes: &[String]) -> String {
    one_or_none(classes).join(", ")
}

/// Returns the text as one line, at most 300 characters of it.
fn short(what: &str) -> String {
    let line = what.replace(['\n', '\r'], " ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{} ..", &line[..end]),
        None => line,
    }
}
