//! Checks which modules of the library name which other modules. An arrow is a pair of a module and another module that it names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use super::sources;

type Path = Vec<String>;

/// A module of the library that has its own file.
#[derive(Debug, Default)]
struct Module {
    file: String,
    /// The names of the modules that this module declares.
    children: Vec<String>,
    /// The paths in its code that begin with `crate`, `self`, `super` or a child module. They are written from the library's
    /// root.
    paths: Vec<Path>,
    /// The imported and re-exported paths, by their last name.
    imports: BTreeMap<String, Path>,
}

/// The library's modules by their paths. The path of `lib.rs` is empty, and `plan/axis.rs` has the path `plan`, `axis`.
struct Library(BTreeMap<Path, Module>);

impl Library {
    fn read() -> Library {
        let mut modules = BTreeMap::new();
        for (file, source) in sources() {
            let Some(name) = file.strip_prefix("pad-kernels/src/").and_then(|file| file.strip_suffix(".rs"))
            else {
                continue;
            };
            let mut path: Path = name.split('/').map(str::to_owned).collect();
            path.pop_if(|last| last == "mod" || last == "lib");
            modules.insert(path.clone(), Module { file, ..Module::of(&path, &source) });
        }
        Library(modules)
    }

    /// Returns the module that defines the item of a path. It follows re-exports to the original module.
    fn module_of(&self, path: &[String]) -> Path {
        let mut path = path.to_vec();
        // No name is re-exported eight times, unless the re-exports form a cycle.
        for _ in 0..8 {
            let depth = (0..=path.len()).rev().find(|&depth| self.0.contains_key(&path[..depth]));
            let (module, rest) = path.split_at(depth.expect("the root is a module"));
            let target = rest.first().and_then(|name| self.0[module].imports.get(name));
            match target {
                Some(target) => path = [&target[..], &rest[1..]].concat(),
                None => return module.to_vec(),
            }
        }
        panic!("{} is exported in a circle", path.join("::"));
    }

    /// Returns all arrows of the library.
    fn arrows(&self) -> BTreeSet<(Path, Path)> {
        let mut arrows = BTreeSet::new();
        for (from, module) in &self.0 {
            arrows.extend(module.paths.iter().map(|path| (from.clone(), self.module_of(path))));
        }
        arrows.retain(|(from, to)| from != to);
        arrows
    }
}

fn is(token: Option<&TokenTree>, text: &str) -> bool {
    token.is_some_and(|token| token.to_string() == text)
}

impl Module {
    /// Parses the code of the module at `path`, and returns the module with the paths that it names.
    fn of(path: &[String], source: &str) -> Module {
        let declarations =
            source.lines().filter_map(|line| line.trim().strip_suffix(';')?.split_once("mod "));
        let children = declarations.map(|(_, name)| name.to_owned()).collect();
        let mut module = Module { children, ..Module::default() };
        module.walk(source.parse().expect("code"), path, path);
        module
    }

    /// Adds the paths in these tokens. The file is the module at `path`, and the tokens are in its inner module `here`.
    fn walk(&mut self, stream: TokenStream, path: &[String], here: &[String]) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut import = false;
        for (i, token) in tokens.iter().enumerate() {
            let before = i.checked_sub(1).map(|before| &tokens[before]);
            match token {
                TokenTree::Group(group) if i >= 2 && is(tokens.get(i - 2), "mod") => {
                    self.walk(group.stream(), path, &[here, &[tokens[i - 1].to_string()]].concat());
                }
                // The list at the end of a path is already read.
                TokenTree::Group(_) if is(before, ":") => {}
                TokenTree::Group(group) => self.walk(group.stream(), path, here),
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    import = word == "use" || import;
                    let own = here == path && self.children.contains(&word);
                    let begins = own || ["crate", "self", "super"].contains(&&word[..]);
                    // Skip words in the middle of a path, and the path in `pub(in path)`.
                    let follows = [":", "$", "in"].iter().any(|sign| is(before, sign));
                    if begins && !follows && is(tokens.get(i + 1), ":") && is(tokens.get(i + 2), ":") {
                        let begin = self.paths.len();
                        self.follow(&tokens[i..], if word == "crate" { &[] } else { here });
                        if import && here == path {
                            let last = |path: &Path| {
                                Some((path.last().filter(|name| *name != "*")?.clone(), path.clone()))
                            };
                            self.imports.extend(self.paths[begin..].iter().filter_map(last));
                        }
                    }
                }
                TokenTree::Punct(sign) => import &= sign.as_char() != ';',
                TokenTree::Literal(_) => {}
            }
        }
    }

    /// Adds the path at the beginning of these tokens. If it ends with a list in braces, adds each path of the list.
    fn follow(&mut self, mut tokens: &[TokenTree], base: &[String]) {
        let mut path = base.to_vec();
        while let [first, rest @ ..] = tokens {
            match first {
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let parts = inside.split(|token| is(Some(token), ",")).filter(|part| !part.is_empty());
                    return parts.for_each(|part| self.follow(part, &path));
                }
                first if is(Some(first), "super") => drop(path.pop()),
                first if is(Some(first), "crate") || is(Some(first), "self") => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                first if is(Some(first), "*") => path.push("*".to_owned()),
                _ => break,
            }
            if !is(rest.first(), ":") || !is(rest.get(1), ":") {
                break;
            }
            tokens = &rest[2..];
        }
        self.paths.push(path);
    }
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
    let expected = "here::child::Item a a::b::C a::b::D a::f::* here::Item g::h i::J here::child::k";
    assert_eq!(paths.join(" "), expected);
    let imports: Vec<(&str, String)> =
        module.imports.iter().map(|(name, path)| (&name[..], path.join("::"))).collect();
    let expected = [("C", "a::b::C"), ("D", "a::b::D"), ("Item", "here::child::Item"), ("a", "a")];
    assert_eq!(imports, expected.map(|(name, path)| (name, path.to_owned())));
}

/// The other modules that each module may name. Modules that are not in this table may name any module.
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

/// Checks that the files of `plan`, and the files and folders of `kernel`, do not depend on each other in a cycle.
#[test]
fn nothing_is_made_of_itself() {
    let library = Library::read();
    // Returns the arrows between the entries of a folder. `kernel/mod.rs` is left out: it defines the contract of a kernel, which
    // all other files name.
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
        assert_eq!(circles(arrows), BTreeSet::new());
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
