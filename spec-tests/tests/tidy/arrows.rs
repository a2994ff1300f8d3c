//! Checks which modules of the library name which other modules. An arrow is a pair of a module and another module that it names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use super::sources;

type Path = Vec<String>;

/// Returns the code of the library's modules by their paths. The path of `lib.rs` is empty, and `plan/axis.rs` has the path
/// `plan`, `axis`.
fn library() -> BTreeMap<Path, String> {
    let module = |(file, source): (String, String)| {
        let name = file.strip_prefix("pad-kernels/src/")?.strip_suffix(".rs")?;
        let mut path: Path = name.split('/').map(str::to_owned).collect();
        path.pop_if(|last| last == "mod" || last == "lib");
        Some((path, source))
    };
    sources().into_iter().filter_map(module).collect()
}

/// Returns all arrows of the library. A path leads to the module that is its longest prefix.
fn arrows() -> BTreeSet<(Path, Path)> {
    let library = library();
    let mut arrows = BTreeSet::new();
    for (from, source) in &library {
        for path in paths(from, source, &|path| library.contains_key(path)) {
            let depth = (0..=path.len()).rev().find(|&depth| library.contains_key(&path[..depth]));
            arrows.insert((from.clone(), path[..depth.expect("the root is a module")].to_vec()));
        }
    }
    arrows.retain(|(from, to)| from != to);
    arrows
}

/// Returns the paths in the code of the module `path` that begin with `crate`, `self`, `super` or a child module. The results are
/// relative to the library's root.
fn paths(path: &[String], source: &str, is_module: &dyn Fn(&[String]) -> bool) -> Vec<Path> {
    let mut found = Vec::new();
    walk(source.parse().expect("code"), path, is_module, &mut found);
    found
}

fn is(token: Option<&TokenTree>, text: &str) -> bool {
    token.is_some_and(|token| token.to_string() == text)
}

fn walk(stream: TokenStream, here: &[String], is_module: &dyn Fn(&[String]) -> bool, found: &mut Vec<Path>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &tokens[before]);
        match token {
            TokenTree::Group(group) if i >= 2 && is(tokens.get(i - 2), "mod") => {
                walk(group.stream(), &[here, &[tokens[i - 1].to_string()]].concat(), is_module, found);
            }
            // `follow` has already read the list in braces at the end of a path.
            TokenTree::Group(_) if is(before, ":") => {}
            TokenTree::Group(group) => walk(group.stream(), here, is_module, found),
            TokenTree::Ident(word) => {
                let word = word.to_string();
                let begins = ["crate", "self", "super"].contains(&&word[..])
                    || is_module(&[here, std::slice::from_ref(&word)].concat());
                // Skip words in the middle of a path, and the path in `pub(in path)`.
                let follows = [":", "$", "in"].iter().any(|sign| is(before, sign));
                if begins && !follows && is(tokens.get(i + 1), ":") && is(tokens.get(i + 2), ":") {
                    follow(&tokens[i..], if word == "crate" { &[] } else { here }, found);
                }
            }
            _ => {}
        }
    }
}

/// Adds the path at the beginning of these tokens. If it ends with a list in braces, adds each path of the list.
fn follow(mut tokens: &[TokenTree], base: &[String], found: &mut Vec<Path>) {
    let mut path = base.to_vec();
    while let [first, rest @ ..] = tokens {
        match first {
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let parts = inside.split(|token| is(Some(token), ",")).filter(|part| !part.is_empty());
                return parts.for_each(|part| follow(part, &path, found));
            }
            first if is(Some(first), "super") => drop(path.pop()),
            first if is(Some(first), "crate") || is(Some(first), "self") => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            _ => break,
        }
        if !is(rest.first(), ":") || !is(rest.get(1), ":") {
            break;
        }
        tokens = &rest[2..];
    }
    found.push(path);
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
    let child = |path: &[String]| path == ["here", "child"];
    let paths: Vec<String> =
        paths(&["here".into()], source, &child).iter().map(|path| path.join("::")).collect();
    let expected = "here::child::Item a a::b::C a::b::D a::f here::Item g::h i::J here::child::k";
    assert_eq!(paths.join(" "), expected);
}

/// The other modules that each module may name. Modules that are not in this table may name any module.
const ARROWS: [(&str, &[&str]); 13] = [
    ("dtype", &[]),
    ("isa", &[]),
    ("element", &["dtype"]),
    ("spec", &["dtype", "element"]),
    ("names", &["spec"]),
    ("exact", &["dtype", "element", "spec"]),
    ("error", &["dtype", "exact", "isa", "spec"]),
    ("pad_to", &["dtype", "element", "error", "spec"]),
    ("view", &["error"]),
    ("plan", &["dtype", "element", "error", "spec", "view"]),
    ("kernel", &["dtype", "element", "error", "isa", "plan", "spec", "view"]),
    ("run", &["dtype", "element", "error", "isa", "kernel", "plan", "spec", "view"]),
    ("computed", &["dtype", "element", "error", "isa", "kernel", "plan", "run", "spec", "view"]),
];

#[test]
fn modules_name_only_what_is_below_them() {
    let mut met = 0;
    for (from, to) in arrows() {
        let Some((top, _)) = from.split_first() else { continue };
        let Some(&(_, may)) = ARROWS.iter().find(|(name, _)| name == top) else { continue };
        let target = to.first().map_or("the root", |name| name);
        let (from, to) = (from.join("::"), to.join("::"));
        assert!(target == top || may.contains(&target), "{from} names {to}, and {top} may only name {may:?}");
        met += 1;
    }
    assert!(met >= 60, "{met}");
}

/// Checks that the files of `plan`, and the files and folders of `kernel`, do not depend on each other in a cycle.
#[test]
fn nothing_is_made_of_itself() {
    let arrows = arrows();
    for (folder, least) in [("plan", 5), ("kernel", 20)] {
        // The file `kernel/mod.rs` is left out: it defines the contract of a kernel, which all other files name.
        let node = |path: &[String]| match path {
            [top] if top == folder => (folder != "kernel").then(|| "mod".to_owned()),
            [top, name, ..] if top == folder => Some(name.clone()),
            _ => None,
        };
        let within = arrows.iter().filter_map(|(from, to)| Some((node(from)?, node(to)?)));
        let within: BTreeSet<_> = within.filter(|(from, to)| from != to).collect();
        assert!(within.len() >= least, "{within:?}");
        assert_eq!(circles(within), BTreeSet::new());
    }
}

/// Repeatedly removes arrows to nodes from which no arrow begins. Returns the remaining arrows, which form cycles or lead to
/// them.
fn circles(mut arrows: BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    loop {
        let begins: BTreeSet<String> = arrows.iter().map(|(from, _)| from.clone()).collect();
        let before = arrows.len();
        arrows.retain(|(_, to)| begins.contains(to));
        if arrows.len() == before {
            return arrows;
        }
    }
}

#[test]
fn circles_are_found() {
    let arrows = |list: &[(&str, &str)]| list.iter().map(|&(from, to)| (from.into(), to.into())).collect();
    assert_eq!(circles(arrows(&[("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")])), arrows(&[]));
    let circle = [("b", "c"), ("c", "d"), ("d", "b")];
    assert_eq!(
        circles(arrows(&[&[("a", "b"), ("c", "e")], &circle[..]].concat())),
        arrows(&[&[("a", "b")], &circle[..]].concat())
    );
}
