//! Reads names from text. For a wrong name, it finds the name that was probably meant.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::spec::PadMode;

/// The error for text that is not the name of a [`PadMode`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct UnknownMode {
    /// The name that was given.
    pub given: String,
}

impl fmt::Display for UnknownMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = PadMode::ALL.map(PadMode::name);
        write!(f, "mode \"{}\" is unknown: ", self.given)?;
        if let Some(meant) = meant(&self.given, &known) {
            write!(f, "did you mean {meant}? ")?;
        }
        f.write_str("The modes are ")?;
        list(f, &known)
    }
}

impl fmt::Debug for UnknownMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for UnknownMode {}

/// Reads the name of a mode, in upper or lower case.
///
/// ```
/// use pad_kernels::PadMode;
/// assert_eq!("reflect".parse::<PadMode>(), Ok(PadMode::Reflect));
/// let refused = "replicate".parse::<PadMode>().unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "mode \"replicate\" is unknown: did you mean edge? The modes are constant, edge, reflect, symmetric, wrap"
/// );
/// ```
impl FromStr for PadMode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        PadMode::ALL
            .into_iter()
            .find(|mode| mode.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownMode { given: name.into() })
    }
}

/// Writes names with commas between them.
pub(crate) fn list(f: &mut fmt::Formatter<'_>, names: &[&str]) -> fmt::Result {
    for (i, name) in names.iter().enumerate() {
        write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

/// Names of each mode in other frameworks.
const SYNONYMS: [&[&str]; 5] = [
    &["constant", "zero", "zeros", "fill", "border_constant"],
    &["edge", "replicate", "nearest", "clamp", "border_replicate"],
    &["reflect", "reflection", "mirror", "reflect_101", "border_reflect_101"],
    &["symmetric", "half_sample_symmetric", "border_reflect"],
    &["wrap", "circular", "periodic", "grid-wrap", "border_wrap"],
];

/// Returns the known name that was probably meant. It is a synonym from another framework, or the name that differs from `given`
/// in the fewest letters. At most a third of the letters may differ.
pub(crate) fn meant<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    let is_synonym = |known: &str| {
        let known = known.to_lowercase();
        SYNONYMS.iter().any(|names| names.contains(&&given[..]) && names.contains(&&known[..]))
    };
    let distance = |known: &str| distance(&given, &known.to_lowercase());
    (known.iter().copied().find(|known| is_synonym(known))).or_else(|| {
        known
            .iter()
            .copied()
            .min_by_key(|known| distance(known))
            .filter(|known| distance(known) <= known.len().min(given.len()) / 3)
    })
}

/// Returns how many letters must be added, removed or replaced to turn one word into the other one.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_meant() {
        let known = PadMode::ALL.map(PadMode::name);
        for (given, expected) in [
            ("reflct", Some("reflect")),
            ("Edges", Some("edge")),
            ("symetric", Some("symmetric")),
            ("circular", Some("wrap")),
            ("replicate", Some("edge")),
            ("mean", None),
            ("", None),
        ] {
            assert_eq!(meant(given, &known), expected, "{given}");
        }
        assert_eq!(meant("edge", &["constant", "replicate"]), Some("replicate"));
        assert_eq!(meant("reflect", &["CONSTANT", "REFLECT"]), Some("REFLECT"));
        assert_eq!((distance("", "abc"), distance("abcd", "acbd"), distance("kitten", "sitting")), (3, 2, 3));
    }
}
