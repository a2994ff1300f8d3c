//! A choice at run time between a text that is right and texts that are wrong.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::ops::Range;

use serde::Deserialize;

use super::VARIABLE;

/// What a text is to the compiler.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The body of a function; the wrong text is a value that it returns instead.
    #[serde(skip)]
    Body,
    /// One expression.
    #[default]
    Expression,
    /// Any number of statements. What they declare is not seen by the statements after them.
    Statement,
    /// The empty place behind the pattern of an arm of a `match`. Chosen, the arm never matches.
    #[serde(skip)]
    Arm,
}

/// What may replace a text of a file.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) number: usize,
    pub(super) place: Range<usize>,
    pub(super) wrong: &'a str,
    pub(super) kind: Kind,
}

/// The text of a file with its choices.
#[derive(Debug, Default)]
pub(super) struct Planted {
    pub(super) text: String,
    pub(super) places: Vec<Place>,
}

/// Where a choice stands in [`Planted::text`].
#[derive(Debug)]
pub(super) struct Place {
    pub(super) number: usize,
    /// The question and the wrong text.
    pub(super) wrong: Range<usize>,
    /// The right text, too.
    pub(super) whole: Range<usize>,
}

impl Planted {
    /// `source` with `choices`, of which one may lie in the right text of another.
    pub(super) fn new(source: &str, mut choices: Vec<Choice<'_>>) -> Planted {
        choices.sort_by_key(|choice| {
            (choice.place.start, Reverse(choice.place.end), choice.kind, choice.number)
        });
        let mut planted = Planted::default();
        planted.add(source, 0..source.len(), &choices);
        planted
    }

    fn add(&mut self, source: &str, range: Range<usize>, mut choices: &[Choice<'_>]) {
        let mut copied = range.start;
        while let [choice, rest @ ..] = choices {
            let Choice { number, ref place, wrong, kind } = *choice;
            self.text += &source[copied..place.start];
            let start = self.text.len();
            let chosen = format!("crate::faults::is({number})");
            // The line breaks end comments.
            let (begin, end) = match kind {
                Kind::Expression => (format!("(if {chosen} {{\n{wrong}\n}} else {{\n"), "\n})"),
                Kind::Statement => (format!("if {chosen} {{\n{wrong}\n}} else {{\n"), "\n}"),
                Kind::Body => (format!("if {chosen} {{\nreturn {wrong};\n}}\n"), ""),
                Kind::Arm => (format!(" if !{chosen}"), ""),
            };
            self.text += &begin;
            let wrong = start..self.text.len();
            let (inner, outer) = rest.split_at(rest.partition_point(|next| next.place.start < place.end));
            self.add(source, place.clone(), inner);
            self.text += end;
            self.places.push(Place { number, wrong, whole: start..self.text.len() });
            (copied, choices) = (place.end, outer);
        }
        self.text += &source[copied..range.end];
    }
}

/// The module that reads which of `names` is chosen.
pub(super) fn chooser<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut list = String::new();
    for name in names {
        writeln!(list, "    {name:?},").expect("strings can be written to");
    }
    format!(
        r#"//! Chooses a fault. Generated.

use std::env;
use std::sync::LazyLock;

const NAMES: &[&str] = &[
{list}];

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
