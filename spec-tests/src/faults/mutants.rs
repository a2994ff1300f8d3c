//! The changes that `cargo mutants --list --json` proposes, as choices at run time.
//!
//! cargo-mutants builds the code anew for each of them. Here all of them stand in one build. What does not compile is found by
//! compiling: [`Mutated::blame`] tells which change an error of the compiler belongs to, and the next copy does without it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::choice::{Choice, Kind, Place, Planted};

/// One change of the code.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The file and what is changed in which function. Changes of one function that read the same are numbered.
    pub name: String,
    /// The path from the root of the repository.
    pub file: String,
    genre: Genre,
    returns_impl: bool,
    span: Span,
    replacement: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Genre {
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArm,
    MatchArmGuard,
    StructField,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Span {
    start: Position,
    end: Position,
}

/// Both count from 1; columns are characters.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Position {
    line: usize,
    column: usize,
}

/// An entry of the listing.
#[derive(Deserialize)]
struct Listed {
    name: String,
    file: String,
    function: Option<Function>,
    genre: Genre,
    span: Span,
    replacement: String,
}

#[derive(Deserialize)]
struct Function {
    return_type: String,
}

/// Reads a listing of cargo-mutants.
pub fn parse(listing: &str) -> Result<Vec<Mutant>, String> {
    let listed: Vec<Listed> = serde_json::from_str(listing).map_err(|error| error.to_string())?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mutant = |Listed { name, file, function, genre, span, replacement }| {
        // Lines move, names stay.
        let place = format!("{file}:{}:{}: ", span.start.line, span.start.column);
        let change: Vec<&str> = name.strip_prefix(&place).unwrap_or(&name).split_whitespace().collect();
        let mut name = format!("{file}: {}", change.join(" "));
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name += &format!(" ({count})");
        }
        let returns_impl = function.is_some_and(|Function { return_type }| return_type.contains("impl "));
        Mutant { name, file, genre, returns_impl, span, replacement }
    };
    Ok(listed.into_iter().map(mutant).collect())
}

/// Why a change cannot be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not compile.
    Unviable,
    /// It may compile, but not as a choice at run time.
    NoChoice,
}

/// The changed files of a copy.
#[derive(Debug)]
pub struct Mutated {
    /// Paths from the root of the repository, and contents.
    pub files: BTreeMap<String, String>,
    /// Changes that were left out at once, by their index.
    pub refused: Vec<(usize, Refusal)>,
    places: HashMap<String, Vec<Place>>,
}

/// The files of the repository at `root` that differ in the copy with all `mutants` but those of `without`.
pub fn changes(root: &Path, mutants: &[Mutant], without: &BTreeSet<usize>) -> Result<Mutated, String> {
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        if !without.contains(&number) {
            by_file.entry(&mutant.file).or_default().push(number);
        }
    }
    let mut mutated = Mutated { files: BTreeMap::new(), refused: Vec::new(), places: HashMap::new() };
    for (file, numbers) in by_file {
        let mut source = fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let syntax = syn::parse_file(&source).map_err(|error| format!("{file}: {error}"))?;
        let mut extents = Extents::default();
        extents.visit_file(&syntax);
        for constant in &extents.constants {
            source.replace_range(constant.clone(), &" ".repeat(constant.len()));
        }
        let mut texts = Vec::new();
        for number in numbers {
            match mutants[number].text(&source, &extents) {
                Some(Ok(text)) => texts.push((number, text)),
                Some(Err(refusal)) => mutated.refused.push((number, refusal)),
                None => return Err(format!("the listing is not of this code: {}", mutants[number].name)),
            }
        }
        let choices = texts.iter().map(|(number, (place, wrong, kind))| Choice {
            number: *number,
            place: place.clone(),
            wrong,
            kind: *kind,
        });
        let planted = Planted::new(&source, choices.collect());
        mutated.files.insert(file.to_string(), planted.text);
        mutated.places.insert(file.to_string(), planted.places);
    }
    super::add_chooser(root, &mut mutated.files, mutants.iter().map(|mutant| &mutant.name[..]))?;
    Ok(mutated)
}

/// Which text is replaced, by what, and what both are.
type Text = (Range<usize>, String, Kind);

impl Mutant {
    fn text(&self, source: &str, extents: &Extents) -> Option<Result<Text, Refusal>> {
        let span = self.span.start.offset(source)?..self.span.end.offset(source)?;
        let replacement = || self.replacement.clone();
        Some(Ok(match self.genre {
            Genre::FnValue if self.returns_impl => return Some(Err(Refusal::NoChoice)),
            Genre::FnValue => (span, replacement(), Kind::Body),
            Genre::MatchArmGuard => (span, replacement(), Kind::Expression),
            Genre::MatchArm => {
                let end = *extents.patterns.get(&span.start)?;
                (end..end, String::new(), Kind::Arm)
            }
            Genre::BinaryOperator | Genre::UnaryOperator | Genre::StructField => {
                let Some(whole) = extents.expressions.get(&span.start)?.clone() else {
                    return Some(Err(Refusal::Unviable));
                };
                let (before, after) = (&source[whole.start..span.start], &source[span.end..whole.end]);
                (whole, format!("{before}{}{after}", self.replacement), Kind::Expression)
            }
        }))
    }
}

impl Position {
    fn offset(self, source: &str) -> Option<usize> {
        let line = source.split_inclusive('\n').nth(self.line - 1)?;
        let before: usize = source.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let column = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(self.column - 1)?;
        Some(before + column)
    }
}

/// How far what is changed reaches.
#[derive(Default)]
struct Extents {
    /// Expressions, by where their operator or one of their fields begins; none for a condition with `let`.
    expressions: HashMap<usize, Option<Range<usize>>>,
    /// Where patterns of arms end, by where the arms begin.
    patterns: HashMap<usize, usize>,
    /// The `const` of methods, which cannot choose with it. No constant is made with them.
    constants: Vec<Range<usize>>,
}

impl<'ast> Visit<'ast> for Extents {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let range = (!has_let(&binary.left) && !has_let(&binary.right)).then(|| binary.span().byte_range());
        self.expressions.insert(binary.op.span().byte_range().start, range);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        self.expressions.insert(unary.op.span().byte_range().start, Some(unary.span().byte_range()));
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, fields: &'ast syn::ExprStruct) {
        for field in &fields.fields {
            self.expressions.insert(field.span().byte_range().start, Some(fields.span().byte_range()));
        }
        visit::visit_expr_struct(self, fields);
    }

    fn visit_impl_item_fn(&mut self, method: &'ast syn::ImplItemFn) {
        self.constants.extend(method.sig.constness.map(|constant| constant.span().byte_range()));
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.patterns.insert(arm.span().byte_range().start, arm.pat.span().byte_range().end);
        visit::visit_arm(self, arm);
    }
}

fn has_let(condition: &syn::Expr) -> bool {
    match condition {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl Mutated {
    /// Which change an error is about, from what `cargo --message-format=json` writes of it.
    pub fn blame(&self, message: &Value) -> Option<(usize, Refusal)> {
        let primary = message["spans"].as_array()?.iter().filter(|span| span["is_primary"] == true);
        // Where a macro is to blame, its call.
        let calls = primary.flat_map(|span| {
            std::iter::successors(Some(span), |span| {
                Some(&span["expansion"]["span"]).filter(|span| span.is_object())
            })
        });
        calls.into_iter().find_map(|span| {
            let places = self.places.get(span["file_name"].as_str()?)?;
            let at = usize::try_from(span["byte_start"].as_u64()?).ok()?;
            if let Some(place) = places.iter().find(|place| place.wrong.contains(&at)) {
                let constant = message["code"]["code"] == "E0015";
                return Some((place.number, if constant { Refusal::NoChoice } else { Refusal::Unviable }));
            }
            if message["code"]["code"] == "E0004" {
                // A `match` that needs an arm: the first below it that need not match. Of an arm, the question is all.
                let arms = places.iter().filter(|place| place.wrong == place.whole && place.whole.start > at);
                return Some((arms.min_by_key(|place| place.whole.start)?.number, Refusal::Unviable));
            }
            let around = places.iter().filter(|place| place.whole.contains(&at));
            Some((around.min_by_key(|place| place.whole.len())?.number, Refusal::NoChoice))
        })
    }
}
