//! Reports of a run: counts by class, the list of known differences, and files for other programs.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::{Interruption, Outcome, PROTOCOL, Run, Smallest, Verdict};

/// The name for cases without a class.
const NO_CLASS: &str = "(no class)";

/// The known differences of an engine: ids of cases and their verdicts.
#[derive(Clone, Default, Debug)]
pub struct Known(BTreeMap<String, Verdict>);

impl Known {
    /// Reads a list of lines `ID VERDICT`, and returns the known differences. Text after a colon is a note, and a line that
    /// begins with `#` is a comment.
    pub fn read(text: &str) -> Result<Known, String> {
        let mut known = BTreeMap::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let id = words.next().unwrap_or_default();
            let word = words.next().unwrap_or_default();
            let (word, note) = (word.trim_end_matches(':'), word.ends_with(':'));
            let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == word);
            let Some(verdict) = verdict.filter(|_| note || words.next().is_none()) else {
                return Err(format!("line {}: {line:?} is not `ID VERDICT`", i + 1));
            };
            if known.insert(id.to_owned(), verdict).is_some() {
                return Err(format!("line {}: {id} is there twice", i + 1));
            }
        }
        Ok(Known(known))
    }
}

/// The number of cases with each verdict, in the order of [`Verdict::ALL`].
pub type Counts = [usize; Verdict::ALL.len()];

/// A run, together with the known differences of the engine.
#[derive(Debug)]
pub struct Report<'a> {
    run: &'a Run,
    known: &'a Known,
}

impl<'a> Report<'a> {
    pub fn new(run: &'a Run, known: &'a Known) -> Self {
        Report { run, known }
    }

    /// Returns the cases with an unexpected verdict. For a known difference, the listed verdict is expected. For other cases,
    /// `passes` and `cannot` are expected.
    pub fn surprises(&self) -> impl Iterator<Item = &'a Outcome> {
        let known = self.known;
        self.run.outcomes.iter().filter(move |outcome| match known.0.get(&outcome.id) {
            Some(&verdict) => verdict != outcome.verdict,
            None => !matches!(outcome.verdict, Verdict::Passes | Verdict::Cannot),
        })
    }

    /// Returns the ids of known differences whose cases are not in the run.
    pub fn missing(&self) -> impl Iterator<Item = &'a str> {
        let run = self.run;
        let asked = move |id: &str| run.outcomes.iter().any(|outcome| outcome.id == id);
        self.known.0.keys().map(|id| &id[..]).filter(move |id| !asked(id))
    }

    /// Returns whether the run is as expected: every verdict is expected, no known case is missing, there is no interruption, and
    /// the engine can express at least one case.
    pub fn holds(&self) -> bool {
        self.surprises().next().is_none()
            && self.missing().next().is_none()
            && self.run.interruptions.is_empty()
            && self.run.outcomes.iter().any(|outcome| outcome.verdict != Verdict::Cannot)
    }

    /// Returns a line for each unexpected verdict, in the format of a list of known differences.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let surprises = self.surprises().map(|outcome| {
            let Outcome { id, verdict, what, .. } = outcome;
            let known =
                self.known.0.get(id).map_or_else(String::new, |known| format!(" (known: {})", known.name()));
            let what = short(what);
            format!("{id} {}:{known}{}{what}", verdict.name(), if what.is_empty() { "" } else { " " })
        });
        let missing = self.missing().map(|id| format!("{id} is known to differ, and is not among the cases"));
        surprises.chain(missing).chain(self.run.interruptions.iter().map(Interruption::to_string))
    }

    /// Returns the smallest case of each kind of difference, as text of several lines.
    pub fn smallest(&self) -> impl Iterator<Item = String> + '_ {
        self.run.smallest.iter().map(|smallest| {
            let Smallest { verdict, part, classes, cases, from, case, what, .. } = smallest;
            let part = if part.is_empty() { String::new() } else { format!(" ({part})") };
            let classes: Vec<String> = classes.iter().map(|classes| one_line(classes)).collect();
            let mut marks = String::new();
            if !smallest.finished {
                marks += ", the time was up";
            }
            if !smallest.steady {
                marks += ", another answer when asked again";
            }
            let (s, classes, what) = (if *cases == 1 { "" } else { "s" }, classes.join("; "), short(what));
            format!(
                "{}{part}, {cases} case{s} of {classes}, from {from}{marks}\n  {case}\n  {what}",
                verdict.name()
            )
        })
    }

    /// Returns the counts of each class. A case with several classes counts in each of them.
    pub fn classes(&self) -> BTreeMap<&'a str, Counts> {
        let mut classes = BTreeMap::<&str, Counts>::new();
        for outcome in &self.run.outcomes {
            let none = outcome.flags.is_empty().then_some(NO_CLASS);
            for class in outcome.flags.iter().map(|flag| &flag[..]).chain(none) {
                classes.entry(class).or_default()[outcome.verdict as usize] += 1;
            }
        }
        classes
    }

    /// Returns the counts of all cases. Each case counts once.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.run.outcomes.iter().for_each(|outcome| total[outcome.verdict as usize] += 1);
        total
    }

    /// Returns the whole report as JSON.
    pub fn json(&self) -> Value {
        let counts = |counts: Counts| -> Value {
            let entry = |(verdict, count): (Verdict, usize)| (verdict.name(), json!(count));
            Value::Object(Verdict::ALL.into_iter().zip(counts).map(entry).collect())
        };
        let classes = self.classes().into_iter().map(|(class, of)| (class.to_owned(), counts(of)));
        json!({
            "protocol": PROTOCOL,
            "engine": self.run.engine,
            "holds": self.holds(),
            "broke_off": self.run.broke_off,
            "total": counts(self.total()),
            "classes": Value::Object(classes.collect()),
            "surprises": self.surprises().map(|outcome| &outcome.id).collect::<Vec<_>>(),
            "missing": self.missing().collect::<Vec<_>>(),
            "interruptions": self.run.interruptions,
            "cases": self.run.outcomes,
            "smallest": self.run.smallest,
        })
    }

    /// Returns the results in the XML format of JUnit. Known differences and cases that the engine cannot express are skipped
    /// tests.
    pub fn junit(&self) -> String {
        let surprising: Vec<&str> = self.surprises().map(|outcome| &outcome.id[..]).collect();
        let mut cases = String::new();
        let (mut failures, mut errors, mut skipped) = (0, 0, 0);
        let mut case = |class: &str, name: &str, verdict: Verdict, what: &str, surprise: bool| {
            let message = escape(&format!("{} {}", verdict.name(), short(what)));
            let inside = match verdict {
                Verdict::Passes if !surprise => String::new(),
                _ if !surprise => {
                    skipped += 1;
                    format!("<skipped message=\"{message}\"/>")
                }
                verdict if verdict.ends_process() || verdict == Verdict::Unasked => {
                    errors += 1;
                    format!("<error message=\"{message}\"/>")
                }
                _ => {
                    failures += 1;
                    format!("<failure message=\"{message}\"/>")
                }
            };
            let (class, name) = (escape(class), escape(name));
            cases += &format!("    <testcase classname=\"{class}\" name=\"{name}\">{inside}</testcase>\n");
        };
        // Both lists have the order of the run.
        let mut surprising = surprising.into_iter().peekable();
        for Outcome { id, verdict, what, .. } in &self.run.outcomes {
            let (class, name) = id.split_once('/').unwrap_or(("", id));
            let surprise = surprising.next_if(|&surprise| surprise == id).is_some();
            case(class, name, *verdict, what, surprise);
        }
        for id in self.missing() {
            case("known", id, Verdict::Unasked, "is not among the cases", true);
        }
        for interruption in &self.run.interruptions {
            case("interruption", &interruption.after, Verdict::Crashes, &interruption.to_string(), true);
        }
        let tests = self.run.outcomes.len() + self.missing().count() + self.run.interruptions.len();
        let suite = escape(&self.run.engine);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{suite}\" tests=\"{tests}\" \
             failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n{cases}  </testsuite>\n</testsuites>\n"
        )
    }
}

/// Writes the table of counts by class.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = self.classes();
        let width = classes.keys().map(|class| class.len()).max().unwrap_or(0).max(self.run.engine.len());
        write!(f, "{:width$}", self.run.engine)?;
        Verdict::ALL.iter().try_for_each(|verdict| write!(f, " {:>7}", verdict.name()))?;
        for (class, counts) in classes.into_iter().chain([("all cases", self.total())]) {
            write!(f, "\n{class:width$}")?;
            for count in counts {
                match count {
                    0 => write!(f, " {:>7}", ".")?,
                    count => write!(f, " {count:>7}")?,
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}", self.after)?;
        match &self.before {
            Some(before) => write!(f, ", at {before}, which is answered when asked alone: ")?,
            None => f.write_str(", at the end: ")?,
        }
        f.write_str(&short(&self.what))
    }
}

/// Returns the classes, separated by commas.
pub(super) fn one_line(classes: &[String]) -> String {
    if classes.is_empty() { NO_CLASS.into() } else { classes.join(", ") }
}

/// Returns the text as one line, at most 300 characters of it.
fn short(what: &str) -> String {
    let line = what.replace(['\n', '\r'], " ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{} ..", &line[..end]),
        None => line,
    }
}

/// Escapes text for an attribute of XML. XML cannot represent most control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
