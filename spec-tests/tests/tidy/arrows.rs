//! Which modules of the library name which others: the arrows of `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{code, is_word, sources};

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
const ARROWS: [(&str, &[&str]); 13] = [
    ("dtype", &[]),
    ("isa", &[]),
    ("element", &["dtype"]),
    ("spec", &["dtype", "element"]),
    ("names", &["spec"]),
    ("exact", &["dtype", "element", "spec"]),
    ("error", &["dtype", "isa", "spec"]),
    ("pad_to", &["element", "error", "spec"]),
    ("view", &["error"]),
    ("plan", &["dtype", "element", "error", "spec", "view"]),
    ("kernel", &["dtype", "element", "error", "isa", "plan", "spec", "view"]),
    ("run", &["dtype", "element", "error", "isa", "kernel", "plan", "spec", "view"]),
    ("computed", &["dtype", "element", "error", "isa", "kernel", "plan", "run", "spec", "view"]),
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
    let kernel = within("kernel");
    assert!(plan.len() >= 5 && kernel.len() >= 20, "{plan:?} {kernel:?}");
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
