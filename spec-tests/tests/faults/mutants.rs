//! Listed changes stand in the copy as choices, and errors of the compiler are told apart by where they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;
use spec_tests::faults::mutants::{Mutated, Refusal, changes, parse};

const FILE: &str = "pad-kernels/src/a.rs";

/// A change of `text`, which stands on `line` alone.
fn listed(
    source: &str,
    line: usize,
    text: &str,
    genre: &str,
    replacement: &str,
    returns: &str,
) -> serde_json::Value {
    let column = 1 + source.lines().nth(line - 1).unwrap().find(text).expect("it is on that line");
    json!({
        "name": format!("{FILE}:{line}:{column}: {genre} with {replacement}"),
        "file": FILE,
        "function": { "return_type": returns },
        "genre": genre,
        "span": {
            "start": { "line": line, "column": column },
            "end": { "line": line, "column": column + text.len() },
        },
        "replacement": replacement,
    })
}

/// `source` as a file of a repository, with changes.
fn mutated(name: &str, source: &str, listing: &[serde_json::Value]) -> Mutated {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in [(FILE, source), ("pad-kernels/src/lib.rs", ""), ("pad-macros/src/lib.rs", "")] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder of the test");
        fs::write(path, text).expect("a file of the test");
    }
    let mutants = parse(&json!(listing).to_string()).expect("a listing");
    changes(&root, &mutants, &BTreeSet::new()).expect("the listing is of the code")
}

#[test]
fn every_kind_of_change_is_a_choice() {
    let source = "\
impl A {
    const fn f(self) -> u8 {
        let b = !self.b && self.c;
        match b {
            true => 1 + 2,
            x if x => A { b, ..self }.f(),
            _ => 0,
        }
    }
}
";
    let listing = [
        listed(source, 3, "let b = !self.b && self.c;", "FnValue", "7", "-> u8"),
        listed(source, 3, "!", "UnaryOperator", "", "-> u8"),
        listed(source, 3, "&&", "BinaryOperator", "||", "-> u8"),
        listed(source, 5, "true => 1 + 2", "MatchArm", "", "-> u8"),
        listed(source, 5, "+", "BinaryOperator", "-", "-> u8"),
        listed(source, 6, "x =>", "MatchArmGuard", "true", "-> u8"),
        listed(source, 6, "b, ", "StructField", "", "-> u8"),
    ];
    // A guard is listed without its arrow.
    let mut listing = listing.to_vec();
    listing[5]["span"]["end"]["column"] = json!(19);
    let mutated = mutated("kinds", source, &listing);
    super::common::snapshot("spec-tests/tests/snapshots/mutants.txt", &mutated.files[FILE], "faults");
    assert_eq!(mutated.refused, []);
}

#[test]
fn what_is_no_choice_is_refused() {
    let source =
        "fn f() -> impl Iterator<Item = u8> {\n    g()\n}\nfn h() {\n    if let 1 = 2 && 3 == 4 {}\n}\n";
    let listing = [
        listed(source, 2, "g()", "FnValue", "std::iter::empty()", "-> impl Iterator<Item = u8>"),
        listed(source, 5, "&&", "BinaryOperator", "||", ""),
        listed(source, 5, "==", "BinaryOperator", "!=", ""),
    ];
    let mutated = mutated("refused", source, &listing);
    assert_eq!(mutated.refused, [(0, Refusal::NoChoice), (1, Refusal::Unviable)]);
    assert!(mutated.files[FILE].contains("if let 1 = 2 && (if crate::faults::is(2) {"));
}

#[test]
fn errors_belong_to_changes() {
    let source = "fn f() -> u8 {\n    1 + g(2 * 3)\n}\n";
    let listing = [
        listed(source, 2, "1 + g(2 * 3)", "FnValue", "true", "-> u8"),
        listed(source, 2, "+", "BinaryOperator", "-", "-> u8"),
        listed(source, 2, "*", "BinaryOperator", "/", "-> u8"),
    ];
    let mutated = mutated("errors", source, &listing);
    let blame = |text: &str, code: &str| {
        let at = mutated.files[FILE].find(text).expect("it is in the copy");
        let macro_call = json!({ "span": { "file_name": FILE, "byte_start": at } });
        let inside =
            json!({ "file_name": "macro.rs", "byte_start": 0, "is_primary": true, "expansion": macro_call });
        let direct = json!({ "file_name": FILE, "byte_start": at, "is_primary": true });
        let [direct, inside] =
            [direct, inside].map(|span| mutated.blame(&json!({ "code": { "code": code }, "spans": [span] })));
        assert_eq!(direct, inside);
        direct
    };
    assert_eq!(blame("true", "E0308"), Some((0, Refusal::Unviable)));
    assert_eq!(blame("1 - g(2 * 3)", "E0308"), Some((1, Refusal::Unviable)));
    assert_eq!(blame("2 / 3", "E0308"), Some((2, Refusal::Unviable)));
    assert_eq!(blame("2 * 3\n})", "E0308"), Some((2, Refusal::NoChoice)));
    assert_eq!(blame("crate::faults::is(1)", "E0015"), Some((1, Refusal::NoChoice)));
    assert_eq!(blame("fn f", "E0308"), None);
}

#[test]
fn names_hold_where_lines_move() {
    let names = |before: &str| -> Vec<String> {
        let source = format!("{before}fn f() -> u8 {{ 1 + 2 }}\nfn g() -> u8 {{ 1 + 2 }}\n");
        let line = 1 + before.lines().count();
        let listing = [line, line + 1].map(|line| listed(&source, line, "+", "BinaryOperator", "-", "-> u8"));
        parse(&json!(listing).to_string()).unwrap().into_iter().map(|mutant| mutant.name).collect()
    };
    let change = format!("{FILE}: BinaryOperator with -");
    assert_eq!(names(""), [change.clone(), format!("{change} (2)")]);
    assert_eq!(names("// One more line.\n"), names(""));
}
