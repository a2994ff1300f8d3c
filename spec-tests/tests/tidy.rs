//! Rules of this repository that no compiler checks.

use pad_kernels::kernels::Isa;
use proc_macro2::{TokenStream, TokenTree};
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

/// Returns the paths of all files, relative to the root of the repository.
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

/// Returns the words of code with their line numbers. Comments and literals are left out.
fn words(source: &str) -> Vec<(String, usize)> {
    fn add(stream: TokenStream, found: &mut Vec<(String, usize)>) {
        for token in stream {
            match token {
                TokenTree::Ident(word) => found.push((word.to_string(), word.span().start().line)),
                TokenTree::Group(group) => add(group.stream(), found),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    add(source.parse().unwrap_or_else(|error| panic!("{error}: {source}")), &mut found);
    found
}

/// Returns the numbers of the lines with the word.
fn lines_with(source: &str, word: &str) -> Vec<usize> {
    words(source).into_iter().filter(|(found, _)| found == word).map(|(_, line)| line).collect()
}

/// The files and folders that may have `unsafe` code: kernels, one trait, the memory of numpy's arrays, functions that C and
/// onnxruntime call, calls of the C interface, memory at the edge of a page, and tensors behind pointers.
const UNSAFE: [&str; 7] = [
    "pad-kernels/src/kernel/",
    "pad-kernels/src/element.rs",
    "pad-python/src/array.rs",
    "pad-c/src/lib.rs",
    "pad-c/onnxruntime/src/lib.rs",
    "spec-tests/src/c.rs",
    "spec-tests/src/pointers.rs",
];

#[test]
fn unsafe_has_its_places() {
    let mut found = Vec::new();
    let mut expected = Vec::new();
    for (file, source) in sources() {
        let lines = lines_with(&source, "unsafe");
        if UNSAFE.iter().any(|place| file.starts_with(place)) {
            expected.extend(lines.first().map(|_| file));
        // The macros only write `unsafe` in the code that they generate. Their own crate forbids unsafe code.
        } else if !file.starts_with("pad-macros/src/") {
            found.extend(lines.iter().map(|line| format!("{file}:{line}")));
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
}

/// The reference uses no code of the library, so that it is an independent check.
#[test]
fn reference_is_on_its_own() {
    let import = Regex::new(r"(?m)^ *(?:pub )?use (.*)$").expect("a pattern");
    let mut seen = 0;
    for (file, source) in sources().iter().filter(|(file, _)| file.starts_with("spec-tests/src/reference/")) {
        seen += 1;
        for word in ["pad_kernels", "pad_macros", "convert", "case", "generators", "oracles", "typed"] {
            assert_eq!(lines_with(source, word), [0; 0], "{file} knows {word}");
        }
        for path in import.captures_iter(source).map(|found| found.extract::<1>().1[0]) {
            let own = ["super::", "self::", "crate::reference", "std::", "core::"];
            // A path may also begin with a module that the file declares.
            let first = path.split("::").next().unwrap_or_default();
            let is_child = source.contains(&format!("mod {first};"));
            assert!(own.iter().any(|own| path.starts_with(own)) || is_child, "{file}: {path}");
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
        assert!(
            generated || lines <= MOST_LINES,
            "{file} has {lines} lines, of at most {MOST_LINES}: move a part of it to a file of its own"
        );
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
