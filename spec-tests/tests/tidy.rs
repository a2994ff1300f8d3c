//! The repository's own rules, which no compiler checks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pad_kernels::Isa;

/// The longest a file may grow before it is two.
const MOST_LINES: usize = 900;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_path_buf()
}

/// Every file that is, or is about to be, part of the repository, by its path from the root.
fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let mut files: Vec<String> = match listed {
        Ok(listed) if listed.status.success() => String::from_utf8(listed.stdout)
            .expect("names in UTF-8")
            .split_terminator('\0')
            .map(str::to_owned)
            .collect(),
        // A copy without its history.
        _ => {
            let mut files = Vec::new();
            walk(&root(), "", &mut files);
            files
        }
    };
    files.retain(|file| root().join(file).is_file());
    assert!(files.iter().any(|file| file == "pad-kernels/src/lib.rs"), "{files:?}");
    files.sort();
    files
}

fn walk(directory: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let ignored = ["target", ".git", "corpus", "artifacts", "coverage", "__pycache__"];
        match entry.path() {
            _ if ignored.contains(&&name[..]) => {}
            path if path.is_dir() => walk(&path, &format!("{prefix}{name}/"), files),
            _ => files.push(format!("{prefix}{name}")),
        }
    }
}

fn read(file: &str) -> Option<String> {
    // Pictures and the like have no text.
    String::from_utf8(fs::read(root().join(file)).expect("a file")).ok()
}

fn sources() -> Vec<(String, String)> {
    let rust = |file: &String| file.ends_with(".rs");
    files()
        .into_iter()
        .filter(rust)
        .map(|file| (read(&file).expect("text"), file))
        .map(|(s, f)| (f, s))
        .collect()
}

/// The code without comments, and with literals emptied.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if first == '"' {
            code.push_str("\"\"");
            string(rest)
        } else if let Some(len) = raw_string(rest).filter(|_| !code.ends_with(is_word)) {
            code.push_str("\"\"");
            len
        } else if let Some(len) = character(rest) {
            code.push_str("' '");
            len
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn string(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn raw_string(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let body = inner[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let close = body.find(&end)? + end.len();
    Some(rest.len() - body.len() + close)
}

/// A character literal, which is no lifetime.
fn character(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    let mut chars = inner.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        // What follows a backslash may be a quote.
        return inner.get(2..)?.find('\'').map(|close| 1 + 2 + close + 1);
    }
    let (close, c) = chars.next()?;
    (c == '\'').then_some(1 + close + 1)
}

fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word))
}

/// Lines of `code` (with literals) for messages.
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

/// One folder, one trait, what the macro writes, and memory at the edge of a page.
#[test]
fn unsafe_has_its_places() {
    let mut found = Vec::new();
    let mut expected = Vec::new();
    for (file, source) in sources() {
        let code = code(&source);
        let at_home = file.starts_with("pad-kernels/src/kernel/")
            || file == "pad-kernels/src/element.rs"
            || file == "spec-tests/src/guard.rs";
        // What the macro emits is quoted, and its snapshots are what it emits: the crate itself forbids it.
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
    for file in ["pad-macros/src/lib.rs", "spec-tests/src/oracles.rs", "spec-tests/src/reference/mod.rs"] {
        assert!(read(file).expect("text").contains("#![forbid(unsafe_code)]"), "{file}");
    }
}

/// The compiler holds every module of the library to it but the two that may.
#[test]
fn modules_forbid_unsafe() {
    let lib = read("pad-kernels/src/lib.rs").expect("text");
    assert!(lib.contains("#![deny(unsafe_code)]") || lib.contains("#![forbid(unsafe_code)]"));
    let mut modules = 0;
    let mut attributes = String::new();
    for line in code(&lib).lines().map(str::trim) {
        let declared = line
            .strip_prefix("pub ")
            .unwrap_or(line)
            .strip_prefix("mod ")
            .and_then(|name| name.strip_suffix(';'));
        if let Some(name) = declared {
            modules += 1;
            let path = [format!("pad-kernels/src/{name}.rs"), format!("pad-kernels/src/{name}/mod.rs")];
            let file = path.iter().find_map(|file| root().join(file).is_file().then(|| read(file))).flatten();
            let inside = file.is_some_and(|file| code(&file).contains("#![forbid(unsafe_code)]"));
            let forbidden = attributes.contains("#[forbid(unsafe_code)]") || inside;
            assert_eq!(forbidden, !matches!(name, "element" | "kernel"), "module {name}");
        }
        if line.starts_with("#[") {
            attributes.push_str(line);
        } else if !line.is_empty() {
            attributes.clear();
        }
    }
    assert!(modules >= 6, "{modules}");
    for (file, source) in sources() {
        let allows = code(&source).contains("allow(unsafe_code");
        let may = ["pad-kernels/src/lib.rs", "spec-tests/src/lib.rs"].contains(&&file[..]);
        assert!(!allows || may, "{file} allows unsafe code");
    }
}

/// A second opinion that copies the first is none.
#[test]
fn reference_is_on_its_own() {
    let mut seen = 0;
    for (file, source) in sources().iter().filter(|(file, _)| file.starts_with("spec-tests/src/reference/")) {
        seen += 1;
        let code = code(source);
        for word in ["pad_kernels", "pad_macros", "convert", "case", "generators", "oracles", "typed"] {
            assert!(!has_word(&code, word), "{file} knows {word}");
        }
        for line in code
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("use ") || line.starts_with("pub use "))
        {
            let path = line.trim_start_matches("pub ").trim_start_matches("use ");
            let own = ["super::", "self::", "crate::reference", "std::", "core::"];
            // Or a module of the file's own.
            let child = path.split("::").next().is_some_and(|name| has_word(&code, &format!("mod {name}")));
            assert!(own.iter().any(|own| path.starts_with(own)) || child, "{file}: {line}");
        }
    }
    assert!(seen >= 2, "{seen}");
}

/// A module of the library that is a file.
#[derive(Debug, Default)]
struct Module {
    file: String,
    /// Every path in its code that begins in the library, from the library's root on.
    paths: Vec<Vec<String>>,
    /// What is imported or exported under a name.
    imports: BTreeMap<String, Vec<String>>,
}

/// The library's modules by their paths: `lib.rs` has none, `plan/axis.rs` is `plan`, `axis`.
struct Library(BTreeMap<Vec<String>, Module>);

impl Library {
    fn read() -> Library {
        let mut modules = BTreeMap::new();
        for (file, source) in sources() {
            let Some(name) = file.strip_prefix("pad-kernels/src/").and_then(|file| file.strip_suffix(".rs"))
            else {
                continue;
            };
            let mut path: Vec<String> = name.split('/').map(str::to_owned).collect();
            path.pop_if(|last| last == "mod" || last == "lib");
            let module = Module::of(&path, &code(&source));
            modules.insert(path, Module { file, ..module });
        }
        Library(modules)
    }

    /// The module that defines what a path names: what is exported there from another module belongs to the other.
    fn module_of(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        // No name is exported so often, unless the exports go round.
        for _ in 0..8 {
            let depth = (0..=path.len()).rev().find(|&depth| self.0.contains_key(&path[..depth]));
            let (module, rest) = path.split_at(depth.expect("the root is a module"));
            match rest.split_first().and_then(|(name, rest)| Some((self.0[module].imports.get(name)?, rest)))
            {
                Some((target, rest)) => path = [&target[..], rest].concat(),
                None => return module.to_vec(),
            }
        }
        panic!("{} is exported in a circle", path.join("::"));
    }

    /// Every module with the other modules that it names.
    fn arrows(&self) -> BTreeSet<(Vec<String>, Vec<String>)> {
        let of = |(from, module): (&Vec<String>, &Module)| {
            let to: Vec<_> = module.paths.iter().map(|path| (from.clone(), self.module_of(path))).collect();
            to
        };
        self.0.iter().flat_map(of).filter(|(from, to)| from != to).collect()
    }
}

impl Module {
    /// What the code of the module at `path` names.
    fn of(path: &[String], code: &str) -> Module {
        let tokens = tokens(code);
        let at = |i: usize| tokens.get(i).copied().unwrap_or_default();
        let declared = |name: &str| tokens.windows(3).any(|three| three == ["mod", name, ";"]);
        let mut module = Module::default();
        // Blocks around a token, with the names of those that are modules.
        let mut blocks: Vec<Option<&str>> = Vec::new();
        let mut i = 0;
        while i < tokens.len() {
            let begin = i;
            i += 1;
            let mut here = path.to_vec();
            here.extend(blocks.iter().copied().flatten().map(str::to_owned));
            let in_file = here.len() == path.len();
            let absolute = |path: &[&str]| -> Option<Vec<String>> {
                let mut base = here.clone();
                let mut path = path;
                match path.split_first()? {
                    (&"crate", rest) => (base, path) = (Vec::new(), rest),
                    (&"self", rest) => path = rest,
                    (&"super", _) => {}
                    (name, _) if in_file && declared(name) => {}
                    _ => return None,
                }
                while let Some((&"super", rest)) = path.split_first() {
                    base.pop();
                    path = rest;
                }
                base.extend(path.iter().map(|&name| name.to_owned()));
                Some(base)
            };
            match at(begin) {
                "mod" if at(begin + 2) == "{" => {
                    blocks.push(Some(at(begin + 1)));
                    i += 2;
                }
                "{" => blocks.push(None),
                "}" => drop(blocks.pop()),
                "use" => {
                    for (path, name) in imported(&tokens, &mut i, &[]) {
                        let Some(path) = absolute(&path) else { continue };
                        if in_file && name != "*" {
                            module.imports.insert(name.to_owned(), path.clone());
                        }
                        module.paths.push(path);
                    }
                }
                // Not the rest of a path, nor who may see an item.
                word if word.starts_with(is_word)
                    && at(i) == "::"
                    && !["::", "$", "in"].contains(&at(begin.wrapping_sub(1))) =>
                {
                    let mut path = vec![word];
                    while at(i) == "::" && at(i + 1).starts_with(is_word) {
                        path.push(at(i + 1));
                        i += 2;
                    }
                    module.paths.extend(absolute(&path));
                }
                _ => {}
            }
        }
        module
    }
}

/// Words, `::`, and all other characters one by one.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

/// The paths of an import from token `i` on, behind `prefix`, each with the name that it gets. Goes past the import.
fn imported<'a>(tokens: &[&'a str], i: &mut usize, prefix: &[&'a str]) -> Vec<(Vec<&'a str>, &'a str)> {
    let mut path = prefix.to_vec();
    let mut found = Vec::new();
    let mut name = None;
    while let Some(&token) = tokens.get(*i) {
        *i += 1;
        match token {
            "::" => {}
            "{" => loop {
                found.extend(imported(tokens, i, &path));
                if tokens[*i - 1] == "}" {
                    name = Some("{}");
                    break;
                }
            },
            "as" => {
                name = tokens.get(*i).copied();
                *i += 1;
            }
            "," | "}" | ";" => break,
            "self" if !path.is_empty() => {}
            _ => path.push(token),
        }
    }
    if name != Some("{}") && path.len() > prefix.len() || tokens[*i - 2] == "self" {
        let last = path.last().copied().unwrap_or_default();
        found.push((path, name.unwrap_or(last)));
    }
    found
}

#[test]
fn paths_are_found_in_code() {
    let source = "
        mod child;
        pub(in crate::no) use child::Item;
        use crate::a::{self, b::{C, D as E}, f::*};
        mod inner { use super::Item; fn f() { super::super::g::h() } }
        fn f() -> std::ops::Range<crate::i::J> { child::k::<$crate::no>() }
    ";
    let path: Vec<String> = vec!["here".into()];
    let module = Module::of(&path, source);
    let paths: Vec<String> = module.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(
        paths,
        [
            "here::child::Item",
            "a",
            "a::b::C",
            "a::b::D",
            "a::f::*",
            "here::Item",
            "g::h",
            "i::J",
            "here::child::k"
        ]
    );
    let imports: Vec<(&str, String)> =
        module.imports.iter().map(|(name, path)| (&name[..], path.join("::"))).collect();
    let expected = [("C", "a::b::C"), ("E", "a::b::D"), ("Item", "here::child::Item"), ("a", "a")];
    assert_eq!(imports, expected.map(|(name, path)| (name, path.to_owned())));
}

/// What each module of the library may name beside itself. Others may name all but the library's root.
const ARROWS: [(&str, &[&str]); 9] = [
    ("dtype", &[]),
    ("isa", &[]),
    ("element", &["dtype"]),
    ("spec", &["dtype", "element"]),
    ("error", &["dtype", "isa", "spec"]),
    ("view", &["error"]),
    ("plan", &["dtype", "element", "error", "spec", "view"]),
    ("kernel", &["dtype", "element", "error", "isa", "plan", "spec"]),
    ("run", &["dtype", "element", "error", "isa", "kernel", "plan", "spec", "view"]),
];

#[test]
fn modules_name_only_what_is_below_them() {
    let library = Library::read();
    let mut met = 0;
    for (from, to) in library.arrows() {
        let Some((top, _)) = from.split_first() else { continue };
        let Some(&(_, may)) = ARROWS.iter().find(|(name, _)| name == top) else { continue };
        let target = to.first().map_or("the root", |name| name);
        assert!(
            target == top || may.contains(&target),
            "{} names {}, and {top} may only name {may:?}",
            library.0[&from].file,
            to.join("::"),
        );
        met += 1;
    }
    assert!(met >= 60, "{met}");
}

/// Arrows within the kernels' folder that lead back: `strided` takes the sheet that it writes to, and programs the shells of
/// their instruction set.
const BACK: [(&str, &str); 2] = [("strided", "sheet"), ("program", "sheet")];

/// The files of the plan, and the files and folders of the kernels, can be read in an order in which everything comes after
/// what it is made of.
#[test]
fn nothing_is_made_of_itself() {
    let library = Library::read();
    // Neighbours of a folder. `kernel/mod.rs` is left out: it has the contract of a kernel, which all others name.
    let within = |folder: &str| -> BTreeSet<(String, String)> {
        let node = |path: &[String]| match path {
            [top] if top == folder => (folder != "kernel").then(|| "mod".to_owned()),
            [top, name, ..] if top == folder => Some(name.clone()),
            _ => None,
        };
        let arrows = library.arrows();
        let within = arrows.iter().filter_map(|(from, to)| Some((node(from)?, node(to)?)));
        within.filter(|(from, to)| from != to).collect()
    };
    let plan = within("plan");
    let mut kernel = within("kernel");
    assert!(plan.len() >= 5 && kernel.len() >= 20, "{plan:?} {kernel:?}");
    for (from, to) in BACK {
        assert!(
            kernel.remove(&(from.into(), to.into())),
            "{from} does not name {to}: take it out of the list"
        );
    }
    for arrows in [plan, kernel] {
        assert_eq!(circle(&arrows), None);
    }
}

/// A shortest way that leads back to where it began.
fn circle(arrows: &BTreeSet<(String, String)>) -> Option<String> {
    let ways = arrows.iter().filter_map(|arrow| way_back(arrows, arrow));
    ways.min_by_key(Vec::len).map(|way| way.join(" -> "))
}

/// A shortest way from the begin of an arrow to its end, and on back to its begin.
fn way_back<'a>(
    arrows: &'a BTreeSet<(String, String)>,
    (start, first): &'a (String, String),
) -> Option<Vec<&'a str>> {
    let mut ways = VecDeque::from([vec![&start[..], first]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let end = way[way.len() - 1];
        if end == start {
            return Some(way);
        }
        if seen.insert(end) {
            let next = arrows.iter().filter(|(from, _)| from == end);
            ways.extend(next.map(|(_, to)| [&way[..], &[to]].concat()));
        }
    }
    None
}

#[test]
fn circles_are_found() {
    let arrows = |list: &[(&str, &str)]| list.iter().map(|&(from, to)| (from.into(), to.into())).collect();
    assert_eq!(circle(&arrows(&[("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")])), None);
    let found = circle(&arrows(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]));
    assert_eq!(found.as_deref(), Some("b -> c -> d -> b"));
}

/// What is not done is not there, and what is not run says why.
#[test]
fn nothing_is_left_undone() {
    for (file, source) in sources() {
        let code = code(&source);
        for word in ["todo!", "unimplemented!", "dbg!"] {
            assert!(!code.contains(word), "{file}: {word}");
        }
        assert!(!code.contains("#[ignore]"), "{file}: a test is ignored without a reason");
    }
}

/// Kernels are compiled for the very features that a machine is asked for.
#[test]
fn instruction_sets_are_what_is_asked_for() {
    let quoted_after = |source: &str, start: &str, end: &str| -> Vec<Vec<String>> {
        let calls =
            source.split(start).skip(1).map(|rest| rest.split(end).next().expect("a first part").to_owned());
        let words =
            |call: String| call.split(['"', ',', ' ']).filter(|s| !s.is_empty()).map(str::to_owned).collect();
        calls.map(words).collect()
    };
    let asked = quoted_after(&read("pad-kernels/src/isa.rs").expect("text"), "!has!(", ")");
    // Each set has all of the one before.
    let sets: Vec<Vec<String>> = (1..=asked.len()).map(|n| asked[..n].concat()).collect();
    assert_eq!(sets.len(), Isa::ALL.len() - 1, "all but the portable one are asked for");
    let mut met = 0;
    for (file, source) in sources() {
        if file.starts_with("pad-kernels/src/kernel/") {
            let attributes = quoted_after(&source, "target_feature(enable = \"", "\")]");
            let shells = quoted_after(&source, " on \"x86_64\" with \"", "\",");
            for compiled in attributes.into_iter().chain(shells) {
                assert!(sets.contains(&compiled), "{file}: {compiled:?} is none of {sets:?}");
                met += 1;
            }
        }
    }
    assert!(met >= 10, "only {met} places name features");
}

#[test]
fn files_are_short_enough_to_read() {
    for (file, source) in sources() {
        // Snapshots of generated code are as long as they are.
        let generated = file.contains(".expected.");
        let lines = source.lines().count();
        assert!(generated || lines <= MOST_LINES, "{file} has {lines} lines");
    }
}

/// Nothing depends on where somebody's copy lies.
#[test]
fn no_paths_of_one_machine() {
    let places: Vec<String> =
        ["work", "tmp", "home", "root", "Users"].iter().map(|name| format!("/{name}")).collect();
    for file in files() {
        let Some(text) = read(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            for place in &places {
                let absolute = line.match_indices(&place[..]).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    let after = line[at + place.len()..].chars().next();
                    // Not the middle of a relative path or of an address.
                    !before.is_some_and(|c| is_word(c) || "./-}>~$*)".contains(c))
                        && !after.is_some_and(|c| is_word(c) || c == '-')
                });
                assert!(!absolute, "{file}:{}: {}", number + 1, line.trim());
            }
        }
    }
}
