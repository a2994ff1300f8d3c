//! Rules of this repository that no compiler checks.

use pad_kernels::kernels::Isa;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use regex::Regex;
use walkdir::WalkDir;

#[path = "tidy/arrows.rs"]
mod arrows;
mod common;
#[path = "tidy/markdown.rs"]
mod markdown;

use common::root;

/// The largest number of lines of a source file.
const MOST_LINES: usize = 600;

/// The names of files and folders that are not part of the project.
const IGNORED: [&str; 6] = ["target", ".git", "corpus", "artifacts", "coverage", "__pycache__"];

/// Returns the paths from the root of all files.
fn files() -> Vec<String> {
    let entries = WalkDir::new(root()).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(|entry| IGNORED.iter().all(|name| entry.file_name() != *name));
    let paths = entries.map(|entry| entry.expect("an entry").into_path()).filter(|path| path.is_file());
    paths
        .map(|path| path.strip_prefix(root()).expect("a path below the root").display().to_string())
        .collect()
}

/// Returns the text of a file, or `None` for binary files such as pictures.
fn read(file: &str) -> Option<String> {
    String::from_utf8(std::fs::read(root().join(file)).expect("a file")).ok()
}

/// Returns every Rust file with its text.
fn sources() -> Vec<(String, String)> {
    let rust = files().into_iter().filter(|file| file.ends_with(".rs"));
    rust.map(|file| (read(&file).expect("text"), file)).map(|(text, file)| (file, text)).collect()
}

/// Appends the words and signs of code with their line numbers. Literals become empty strings.
fn tokens(stream: TokenStream, found: &mut Vec<(String, usize)>) {
    for token in stream {
        let line = token.span().start().line;
        match token {
            TokenTree::Ident(word) => found.push((word.to_string(), line)),
            TokenTree::Punct(sign) => found.push((sign.to_string(), line)),
            TokenTree::Literal(_) => found.push(("\"\"".to_owned(), line)),
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::None => ["", ""],
                };
                found.push((open.to_owned(), line));
                tokens(group.stream(), found);
                found.push((close.to_owned(), group.span_close().start().line));
            }
        }
    }
}

/// Returns the code without comments, with empty literals and with the original line breaks.
fn code(source: &str) -> String {
    let (mut code, mut at, mut found) = (String::new(), 1, Vec::new());
    tokens(source.parse().unwrap_or_else(|error| panic!("{error}: {source}")), &mut found);
    for (text, line) in found {
        code.extend(std::iter::repeat_n('\n', line.saturating_sub(at)));
        at = line.max(at);
        if code.ends_with(is_word) && text.starts_with(is_word) {
            code.push(' ');
        }
        code.push_str(&text);
    }
    code
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word))
}

/// Returns the lines of `code` that contain `word`, for messages.
fn lines_with<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = String> + use<'a> {
    code.lines()
        .enumerate()
        .filter(move |(_, line)| has_word(line, word))
        .map(|(number, line)| format!("{}: {}", number + 1, line.trim()))
}

#[test]
fn code_is_told_from_comments_and_literals() {
    let source = concat!(
        "let a = \"unsafe \\\" unsafe\"; // unsafe\n",
        "/* unsafe /* unsafe */ unsafe */ let b = r#\"unsafe \" unsafe\"#;\n",
        "let c = '\"'; let d: &'static str = \"\"; let e = '\\''; let f = b\"unsafe\";\n",
        "fn unsafe_code() {} unsafe { g() }",
    );
    let code = code(source);
    assert_eq!(code.matches("unsafe").count(), 2, "{code}");
    assert!(has_word(&code, "unsafe") && has_word(&code, "unsafe_code") && has_word(&code, "static"));
    assert!(!has_word("not_unsafe unsafe_code", "unsafe"));
}

/// The files and folders that may have `unsafe` code: kernels, one trait, the memory of numpy's arrays, functions that C and
/// onnxruntime call, calls of the C interface, memory at the edge of a page, and tensors behind pointers.
const UNSAFE: [&str; 8] = [
    "pad-kernels/src/kernel/",
    "pad-kernels/src/element.rs",
    "pad-python/src/array.rs",
    "pad-c/src/lib.rs",
    "pad-c/onnxruntime/src/lib.rs",
    "spec-tests/src/c.rs",
    "spec-tests/src/guard.rs",
    "spec-tests/tests/ways/raw.rs",
];

#[test]
fn unsafe_has_its_places() {
    let mut found = Vec::new();
    let mut expected = Vec::new();
    for (file, source) in sources() {
        let code = code(&source);
        let at_home = UNSAFE.iter().any(|place| file.starts_with(place));
        // The macro only quotes `unsafe` as output. Its own crate forbids unsafe code.
        let quoted = file.starts_with("pad-macros/src/");
        if has_word(&code, "unsafe") && !at_home && !quoted {
            found.extend(lines_with(&code, "unsafe").map(|line| format!("{file}: {line}")));
        }
        if at_home && has_word(&code, "unsafe") {
            expected.push(file);
        }
    }
    assert!(found.is_empty(), "unsafe outside of its places:\n{}", found.join("\n"));
    assert!(expected.len() >= 3, "the test sees it where it is: {expected:?}");
    let architecture = read("ARCHITECTURE.md").expect("text");
    for file in expected.iter().filter(|file| !file.starts_with("pad-kernels/src/kernel/")) {
        let named = file.starts_with("spec-tests/") || architecture.contains(&format!("`{file}`"));
        assert!(named, "ARCHITECTURE.md does not name {file} among the places of unsafe code");
    }
    for file in ["pad-macros/src/lib.rs", "spec-tests/src/oracles/mod.rs", "spec-tests/src/reference/mod.rs"]
    {
        assert!(read(file).expect("text").contains("#![forbid(unsafe_code)]"), "{file}");
    }
}

/// Every module of the library forbids unsafe code, except `element` and `kernel`.
#[test]
fn modules_forbid_unsafe() {
    let lib = read("pad-kernels/src/lib.rs").expect("text");
    assert!(lib.contains("#![deny(unsafe_code)]"));
    let module = Regex::new(r"(?m)^((?:#\[.*\n)*)(?:pub )?mod (\w+);").expect("a pattern");
    assert!(module.captures_iter(&lib).count() >= 6);
    for found in module.captures_iter(&lib) {
        let is_forbidden = found[1].contains("#[forbid(unsafe_code)]");
        assert_eq!(is_forbidden, !["element", "kernel"].contains(&&found[2]), "module {}", &found[2]);
    }
    for (file, source) in sources() {
        let code = code(&source);
        let allows = code.contains("allow(unsafe_code") || code.contains("expect(unsafe_code");
        let may = ["pad-kernels/src/lib.rs", "spec-tests/src/lib.rs"].contains(&file.as_str());
        assert!(!allows || may, "{file} allows unsafe code");
    }
}

/// The reference uses no code of the library, so that it is an independent check.
#[test]
fn reference_is_on_its_own() {
    let mut seen = 0;
    for (file, source) in sources().iter().filter(|(file, _)| file.starts_with("spec-tests/src/reference/")) {
        seen += 1;
        let code = code(source);
        for word in ["pad_kernels", "pad_macros", "convert", "case", "generators", "oracles", "typed"] {
            assert!(!has_word(&code, word), "{file} knows {word}");
        }
        for line in code.lines().map(|line| line.trim().trim_start_matches("pub ")) {
            let Some(path) = line.strip_prefix("use ") else { continue };
            let own = ["super::", "self::", "crate::reference", "std::", "core::"];
            // A path may also begin with a module that the file declares.
            let child = path.split("::").next().is_some_and(|name| has_word(&code, &format!("mod {name}")));
            assert!(own.iter().any(|own| path.starts_with(own)) || child, "{file}: {line}");
        }
    }
    assert!(seen >= 2, "{seen}");
}

/// Kernels are compiled for exactly the CPU features that are detected at run time, or that the target has.
#[test]
fn instruction_sets_are_what_is_asked_for() {
    let between = |source: &str, start: &str, end: &str| -> Vec<String> {
        let ends = |rest: &str| rest.split(end).next().expect("a first part").to_owned();
        source.split(start).skip(1).map(ends).collect()
    };
    let words = |features: &String| -> Vec<String> {
        features.split(['"', ',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let table = read("pad-kernels/src/kernel/generated.rs").expect("text");
    let isa = read("pad-kernels/src/isa.rs").expect("text");

    let asked: Vec<_> = between(&isa, "!has!(", ")").iter().map(words).collect();
    // Each set includes all features of the set before.
    let sets: Vec<Vec<String>> = (1..=asked.len()).map(|n| asked[..n].concat()).collect();
    let compiled: Vec<_> = between(&table, " on \"x86_64\" with \"", "\",").iter().map(words).collect();
    assert_eq!(compiled, sets);

    let kernel: String = sources()
        .into_iter()
        .filter(|(file, _)| file.starts_with("pad-kernels/src/kernel/") || file == "pad-kernels/src/isa.rs")
        .map(|(_, source)| source.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let mut built = 0;
    for line in table.lines().filter(|line| line.contains(" built with ")) {
        let [_, arch, _, features, _] = line.split('"').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut conditions = between(&kernel, &format!("(all(target_arch = \"{arch}\","), "))");
        // The condition occurs nine times: at the type, its import, the table and the check of availability, twice in tests, and
        // three times in the code of sums.
        assert_eq!(conditions.len(), 9, "{arch}: {conditions:?}");
        conditions.dedup();
        assert_eq!(conditions.len(), 1, "{arch}");
        for feature in words(&features.to_owned()) {
            let condition = format!("target_feature = \"{feature}\"");
            assert!(conditions[0].contains(&condition), "{line}: {conditions:?}");
        }
        built += 1;
    }
    assert_eq!(1 + sets.len() + built, Isa::ALL.len(), "all but the portable one need something");
    // Handwritten attributes name the features of a whole set.
    for features in between(&kernel, "target_feature(enable = \"", "\")]") {
        assert!(sets.contains(&words(&features)), "{features:?} is none of {sets:?}");
    }
}

#[test]
fn files_are_short_enough_to_read() {
    for (file, source) in sources() {
        // Snapshots of generated code may have any length.
        let generated = file.contains(".expected.");
        let lines = source.lines().count();
        assert!(generated || lines <= MOST_LINES, "{file} has {lines} lines");
    }
}

/// No file contains an absolute path of somebody's computer.
#[test]
fn no_paths_of_one_machine() {
    const NAMES: [&str; 5] = ["work", "tmp", "home", "root", "Users"];
    // The pattern does not match the middle of a relative path or of an address.
    let path = format!(r"(?:^|[^\w./\-}}>~$*)])/(?:{})(?:$|[^\w-])", NAMES.join("|"));
    let path = Regex::new(&path).expect("a pattern");
    for file in files() {
        let text = read(&file).unwrap_or_default();
        assert_eq!(text.lines().find(|line| path.is_match(line)), None, "{file}");
    }
}
