//! The faults of `fuzz/faults.toml`, and a copy of the code in which one of them can be chosen at run time.
//!
//! A fault names a text that is right and a text that is wrong. [`changes`] puts both into the code, with a choice between
//! them that reads the environment variable [`VARIABLE`]. One build of the changed code serves all faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

/// The list of faults, by its path from the root of the repository.
pub const LIST: &str = "fuzz/faults.toml";

/// Holds the name of the fault of a process.
pub const VARIABLE: &str = "PAD_FAULT";

/// The crate whose code chooses when it runs.
const RUNS: &str = "pad-kernels/src/";

/// The crate whose code runs while the other one is compiled, and then it is right. What is compiled in the other one too
/// chooses there.
const EXPANDS: &str = "pad-macros/src/";

/// One way to make the code wrong.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Lower-case words with hyphens.
    pub name: String,
    /// What goes wrong.
    pub what: String,
    /// The path from the root of the repository.
    pub file: String,
    /// A text that stands exactly once in the file. Without it, the whole file.
    pub within: Option<String>,
    /// A text that stands exactly once in `within`.
    pub right: String,
    /// What replaces it.
    pub wrong: String,
    /// What both texts are.
    #[serde(default)]
    pub kind: Kind,
}

/// What a text is to the compiler.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One expression.
    #[default]
    Expression,
    /// Any number of statements. What they declare is not seen by the statements after them.
    Statement,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

impl Fault {
    /// The place of the right text.
    fn place(&self, source: &str) -> Result<Range<usize>, String> {
        let within = match &self.within {
            Some(within) => once(source, within, "`within`")?,
            None => 0..source.len(),
        };
        let right = once(&source[within.clone()], &self.right, "`right`")?;
        Ok(within.start + right.start..within.start + right.end)
    }

    /// The choice that replaces the right text. The line breaks end comments.
    fn choice(&self, number: usize) -> String {
        let (open, close) = match self.kind {
            Kind::Expression => ("(", ")"),
            Kind::Statement => ("", ""),
        };
        let (right, wrong) = (&self.right, &self.wrong);
        format!("{open}if crate::faults::is({number}) {{\n{wrong}\n}} else {{\n{right}\n}}{close}")
    }
}

/// The one place of `text` in `source`.
fn once(source: &str, text: &str, key: &str) -> Result<Range<usize>, String> {
    // Unlike `match_indices`, this also finds places that overlap.
    let first = source.find(text).ok_or_else(|| format!("its {key} text is not there: {text}"))?;
    let next = first + source[first..].chars().next().map_or(1, char::len_utf8);
    if source.get(next..).is_some_and(|rest| rest.contains(text)) {
        return Err(format!("its {key} text stands there more than once: {text}"));
    }
    Ok(first..first + text.len())
}

/// Reads a list of faults.
///
/// White space around a text is not part of it.
///
/// # Errors
///
/// If the list is not as `fuzz/faults.toml` describes it, all that is wrong with it.
pub fn parse(list: &str) -> Result<Vec<Fault>, Vec<String>> {
    let List { mut fault } = toml::from_str(list).map_err(|error| vec![error.to_string()])?;
    let mut names = BTreeSet::new();
    let mut complaints = Vec::new();
    for Fault { name, what, file, within, right, wrong, kind: _ } in &mut fault {
        for text in [&mut *what, right, wrong].into_iter().chain(within) {
            *text = text.trim().to_string();
        }
        let mut complain = |what: &str| complaints.push(format!("{name}: {what}"));
        if name.is_empty()
            || name.contains(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
        {
            complain("a name is made of lower-case letters, digits and hyphens");
        }
        if what.is_empty() || what.contains(['|', '\n']) {
            complain("`what` is one line without `|`, for it goes into a table");
        }
        if right.is_empty() {
            complain("`right` is empty");
        }
        if right == wrong {
            complain("`right` and `wrong` are the same");
        }
        if ![RUNS, EXPANDS].iter().any(|source| file.starts_with(source)) {
            complain(&format!("its file is not in {RUNS} or {EXPANDS}"));
        }
        if !names.insert(name.clone()) {
            complain("the name is not unique");
        }
    }
    if complaints.is_empty() { Ok(fault) } else { Err(complaints) }
}

/// The text of a file with a choice for each fault that has a number.
///
/// # Errors
///
/// If a text does not stand exactly once where it should, or if two faults overlap, all faults of which that is so.
pub fn plant(source: &str, faults: &[(usize, &Fault)]) -> Result<String, Vec<String>> {
    let mut complaints = Vec::new();
    let mut places = Vec::new();
    for &(number, fault) in faults {
        match fault.place(source) {
            Ok(place) => places.push((place, number, fault)),
            Err(complaint) => complaints.push(format!("{}: {}: {complaint}", fault.name, fault.file)),
        }
    }
    places.sort_by_key(|(place, number, _)| (place.start, *number));
    for pair in places.windows(2) {
        let [(first, _, one), (second, _, other)] = pair else { continue };
        if first.end > second.start {
            let (a, b) = (&one.name, &other.name);
            complaints.push(format!("{a} and {b}: {}: their `right` texts overlap", one.file));
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut changed = String::new();
    let mut copied = 0;
    for (place, number, fault) in places {
        changed += &source[copied..place.start];
        changed += &fault.choice(number);
        copied = place.end;
    }
    changed += &source[copied..];
    Ok(changed)
}

/// The files of the repository at `root` that differ in the copy with the faults: paths from the root, and contents.
///
/// # Errors
///
/// If a file cannot be read, and as for [`plant`].
pub fn changes(root: &Path, faults: &[Fault]) -> Result<BTreeMap<String, String>, Vec<String>> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    for (number, fault) in faults.iter().enumerate() {
        by_file.entry(&fault.file).or_default().push((number, fault));
    }
    let libraries = [RUNS, EXPANDS].map(|source| format!("{source}lib.rs"));
    for library in &libraries {
        by_file.entry(library).or_default();
    }
    let mut changed = BTreeMap::new();
    let mut complaints = Vec::new();
    for (file, faults) in by_file {
        let planted = fs::read_to_string(root.join(file))
            .map_err(|error| vec![format!("{}: {file}: {error}", listed(&faults))])
            .and_then(|source| plant(&source, &faults));
        match planted {
            Ok(planted) => drop(changed.insert(file.to_string(), planted)),
            Err(found) => complaints.extend(found),
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let [runs, expands] = libraries;
    let never = "mod faults {\n    pub(crate) const fn is(_: usize) -> bool {\n        false\n    }\n}\n";
    for (library, module) in [(runs, "mod faults;\n"), (expands, never)] {
        let library = changed.get_mut(&library).expect("it was read above");
        *library += "\n#[allow(dead_code)]\n";
        *library += module;
    }
    changed.insert(format!("{RUNS}faults.rs"), chooser(faults));
    Ok(changed)
}

fn listed(faults: &[(usize, &Fault)]) -> String {
    let names: Vec<_> = faults.iter().map(|(_, fault)| &fault.name[..]).collect();
    names.join(", ")
}

/// The module that reads which fault is chosen.
fn chooser(faults: &[Fault]) -> String {
    let mut names = String::new();
    for fault in faults {
        writeln!(names, "    {:?},", fault.name).expect("strings can be written to");
    }
    format!(
        r#"//! Chooses a fault. Generated: see fuzz/faults.toml.

use std::env;
use std::sync::LazyLock;

const NAMES: &[&str] = &[
{names}];

static CHOSEN: LazyLock<Option<usize>> = LazyLock::new(|| {{
    let name = env::var("{VARIABLE}").ok()?;
    Some(NAMES.iter().position(|listed| *listed == name).unwrap_or_else(|| panic!("no fault is called {{name}}")))
}});

#[inline]
pub(crate) fn is(number: usize) -> bool {{
    *CHOSEN == Some(number)
}}
"#
    )
}
