//! Changes a copy of the code such that an environment variable can activate one of many faults.
//!
//! Each fault of `fuzz/faults.toml` has a right text and a wrong text. [`changes`] puts both into the code, and the variable
//! [`VARIABLE`] selects one at run time. One build of the changed code serves all faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

/// The path of the list of faults, relative to the root of the repository.
pub const LIST: &str = "fuzz/faults.toml";

/// The environment variable with the name of the active fault.
pub const VARIABLE: &str = "PAD_FAULT";

/// The folders of the code that may have faults. When the compiler runs code of `pad-macros`, no fault is active. Faults of
/// `pad-macros` are active only in the tests of `pad-macros`, and in its files that `pad-kernels` also compiles.
const SOURCES: [&str; 2] = ["pad-kernels/src/", "pad-macros/src/"];

/// The syntax of a text.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One expression.
    #[default]
    Expression,
    /// Any number of statements. The statements after them do not see their declarations.
    Statement,
}

/// One way to make the code wrong.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The name, in lower-case words with hyphens.
    pub name: String,
    pub what: String,
    /// The path of the file, relative to the root of the repository.
    pub file: String,
    /// A text that occurs exactly once in the file, or `None` for the whole file.
    pub within: Option<String>,
    /// A text that occurs exactly once in `within`.
    pub right: String,
    pub wrong: String,
    /// The syntax of both texts.
    #[serde(default)]
    pub kind: Kind,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

impl Fault {
    /// Returns the byte range of the right text in `source`.
    fn place(&self, source: &str) -> Result<Range<usize>, String> {
        let range = || {
            let within = self.within.as_ref().map(|within| once(source, within, "`within`")).transpose()?;
            let within = within.unwrap_or(0..source.len());
            let right = once(&source[within.clone()], &self.right, "`right`")?;
            Ok(within.start + right.start..within.start + right.end)
        };
        range().map_err(|complaint: String| format!("{}: {}: {complaint}", self.name, self.file))
    }
}

/// Returns the byte range of `text`, which must occur exactly once in `source`.
fn once(source: &str, text: &str, key: &str) -> Result<Range<usize>, String> {
    // Unlike `match_indices`, this search also finds occurrences that overlap.
    let first = source.find(text).ok_or_else(|| format!("its {key} text is not there: {text}"))?;
    let next = first + source[first..].chars().next().map_or(1, char::len_utf8);
    if source.get(next..).is_some_and(|rest| rest.contains(text)) {
        return Err(format!("its {key} text stands there more than once: {text}"));
    }
    Ok(first..first + text.len())
}

/// Parses a list of faults. White space around a text is removed. Returns an error for the first mistake of the list.
pub fn parse(list: &str) -> Result<Vec<Fault>, String> {
    let List { mut fault } = toml::from_str(list).map_err(|error| error.to_string())?;
    let mut names = BTreeSet::new();
    for Fault { name, what, file, within, right, wrong, kind: _ } in &mut fault {
        for text in [&mut *what, right, wrong].into_iter().chain(within) {
            *text = text.trim().to_string();
        }
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let in_sources = SOURCES.iter().any(|source| file.starts_with(source));
        let rules = [
            (
                !name.is_empty() && name.chars().all(is_word),
                "a name has only lower-case letters, digits and hyphens",
            ),
            (!what.is_empty() && !what.contains(['|', '\n']), "`what` is one line of a table without `|`"),
            (!right.is_empty(), "`right` is empty"),
            (right != wrong, "`right` and `wrong` are the same"),
            (in_sources, "its file is not in pad-kernels/src/ or pad-macros/src/"),
            (names.insert(name.clone()), "the name is not unique"),
        ];
        if let Some((_, rule)) = rules.iter().find(|(holds, _)| !holds) {
            return Err(format!("{name}: {rule}"));
        }
    }
    Ok(fault)
}

/// Returns `source` with an `if` for each of the numbered faults, which selects the right or the wrong text. Returns an error if a
/// text is missing, occurs more than once, or overlaps another one.
pub fn plant(source: &str, faults: &[(usize, &Fault)]) -> Result<String, String> {
    let mut places = Vec::new();
    for &(number, fault) in faults {
        places.push((fault.place(source)?, number, fault));
    }
    places.sort_by_key(|(place, ..)| place.start);
    // The last text is replaced first, so that the places of the others stay right.
    let (mut text, mut end) = (source.to_owned(), source.len());
    for (place, number, Fault { name, file, wrong, kind, .. }) in places.into_iter().rev() {
        if place.end > end {
            return Err(format!("{name}: {file}: its `right` text overlaps that of another fault"));
        }
        end = place.start;
        let (open, close) = if *kind == Kind::Expression { ("(", ")") } else { ("", "") };
        let right = &source[place.clone()];
        // A text may end with a line comment, so a line break follows each text.
        let planted =
            format!("{open}if crate::faults::is({number}) {{\n{wrong}\n}} else {{\n{right}\n}}{close}");
        text.replace_range(place, &planted);
    }
    Ok(text)
}

/// Returns the paths and contents of the files that the copy with faults changes. Paths are relative to `root`, the repository.
/// Returns an error if a fault does not fit the code.
pub fn changes(root: &Path, faults: &[Fault]) -> Result<BTreeMap<String, String>, String> {
    let libraries = SOURCES.map(|source| format!("{source}lib.rs"));
    let mut by_file: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    libraries.iter().for_each(|library| drop(by_file.insert(library, Vec::new())));
    for (number, fault) in faults.iter().enumerate() {
        by_file.entry(&fault.file).or_default().push((number, fault));
    }
    let mut changed = BTreeMap::new();
    for (file, faults) in by_file {
        let source = fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let modules = if libraries.iter().any(|library| library == file) {
            "\n#[allow(dead_code)]\nmod faults;\n"
        } else {
            ""
        };
        changed.insert(file.to_owned(), plant(&source, &faults)? + modules);
    }
    let names: Vec<&str> = faults.iter().map(|fault| &fault.name[..]).collect();
    let chooser = include_str!("faults.txt").replace("&[]", &format!("&{names:?}"));
    changed.extend(SOURCES.map(|source| (format!("{source}faults.rs"), chooser.clone())));
    Ok(changed)
}
