//! Ways to make the code wrong, and a copy of the code in which one of them can be chosen at run time.
//!
//! A fault of `fuzz/faults.toml` names a text that is right and a text that is wrong. [`changes`] puts both into the code, with
//! a choice between them that reads the environment variable [`VARIABLE`]. One build of the changed code serves all faults.
//! [`mutants`] does the same with the changes that cargo-mutants lists. [`programs`] are the tests that look for them.

mod choice;
pub mod copy;
pub mod mutants;
pub mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

pub use choice::Kind;
use choice::{Choice, Planted, chooser};

/// What goes wrong around the code, rather than in it.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The list of faults, by its path from the root of the repository.
pub const LIST: &str = "fuzz/faults.toml";

/// Holds the name of the fault of a process.
pub const VARIABLE: &str = "PAD_FAULT";

/// The crate whose code chooses when it runs.
const RUNS: &str = "pad-kernels/src/";

/// The crate whose code runs while the other one is compiled, when nothing is chosen. Its own tests choose, and so does what is
/// compiled in the other one too.
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
pub fn plant(source: &str, faults: &[(usize, &Fault)]) -> Result<String, Vec<String>> {
    let mut complaints = Vec::new();
    let mut places = Vec::new();
    for &(number, fault) in faults {
        match fault.place(source) {
            Ok(place) => {
                let Fault { wrong, kind, .. } = fault;
                places.push((Choice { number, place, wrong, kind: *kind }, fault));
            }
            Err(complaint) => complaints.push(format!("{}: {}: {complaint}", fault.name, fault.file)),
        }
    }
    places.sort_by_key(|(choice, _)| (choice.place.start, choice.number));
    for pair in places.windows(2) {
        let [(first, one), (second, other)] = pair else { continue };
        if first.place.end > second.place.start {
            let (a, b) = (&one.name, &other.name);
            complaints.push(format!("{a} and {b}: {}: their `right` texts overlap", one.file));
        }
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    Ok(Planted::new(source, places.into_iter().map(|(choice, _)| choice).collect()).text)
}

/// The files of the repository at `root` that differ in the copy with the faults: paths from the root, and contents.
pub fn changes(root: &Path, faults: &[Fault]) -> Result<BTreeMap<String, String>, Vec<String>> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    for (number, fault) in faults.iter().enumerate() {
        by_file.entry(&fault.file).or_default().push((number, fault));
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
    add_chooser(root, &mut changed, faults.iter().map(|fault| &fault.name[..]))
        .map_err(|error| vec![error])?;
    Ok(changed)
}

/// Adds to both libraries the module that chooses.
fn add_chooser<'a>(
    root: &Path,
    changed: &mut BTreeMap<String, String>,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let chooser = chooser(names);
    for source in [RUNS, EXPANDS] {
        let library = format!("{source}lib.rs");
        let mut text = match changed.remove(&library) {
            Some(text) => text,
            None => fs::read_to_string(root.join(&library)).map_err(|error| format!("{library}: {error}"))?,
        };
        text += "\n#[allow(dead_code)]\nmod faults;\n";
        changed.insert(library, text);
        changed.insert(format!("{source}faults.rs"), chooser.clone());
    }
    Ok(())
}

fn listed(faults: &[(usize, &Fault)]) -> String {
    let names: Vec<_> = faults.iter().map(|(_, fault)| &fault.name[..]).collect();
    names.join(", ")
}
