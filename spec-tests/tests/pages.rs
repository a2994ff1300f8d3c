//! The exported guides in the folder `pad-kernels/guide` match their sources, with links to source files and with pictures as
//! files.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use walkdir::WalkDir;

mod common;

use common::{read, root};

/// Returns the library's source files by their paths relative to `pad-kernels/src`.
fn sources() -> BTreeMap<String, String> {
    let base = root().join("pad-kernels/src");
    let paths = WalkDir::new(&base).into_iter().map(|entry| entry.expect("an entry").into_path());
    let rust = paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let name = |path: &std::path::Path| {
        path.strip_prefix(&base).expect("a file of the folder").display().to_string()
    };
    rust.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
}

/// Returns whether `line` declares the public item `name`.
fn declares(line: &str, name: &str) -> bool {
    let Some(item) = line.strip_prefix("pub ").or_else(|| line.strip_prefix("macro_rules! ")) else {
        return false;
    };
    let item = item.trim_start_matches("const ").trim_start_matches("unsafe ");
    let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "mod "];
    let declared = kinds.iter().find_map(|kind| item.strip_prefix(kind)).unwrap_or(item);
    declared
        .strip_prefix(name)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Returns whether `text` defines `name` as a member of `owner`, in its declaration or in an `impl`.
fn has_member(text: &str, owner: &str, name: &str) -> bool {
    let mut inside = false;
    text.lines().any(|line| {
        if !line.starts_with([' ', '}']) && !line.is_empty() {
            let head = line.trim_end_matches(" {");
            inside = head.starts_with("impl") && head.split([' ', '<']).any(|word| word == owner)
                || declares(line, owner);
        }
        let member = line.trim_start();
        inside && (declares(member, name) || declares(&format!("pub {member}"), name))
    })
}

/// Returns the source file that defines the library's item at `path`.
fn definition(sources: &BTreeMap<String, String>, path: &[&str]) -> String {
    // The module is the longest prefix of the path that is a file. An item and perhaps its member follow.
    let module = |depth: usize| {
        let base = path[..depth].join("/");
        [format!("{base}.rs"), format!("{base}/mod.rs")].into_iter().find(|file| sources.contains_key(file))
    };
    let (depth, file) =
        (1..=path.len()).rev().find_map(|depth| Some((depth, module(depth)?))).unwrap_or_default();
    // The module may re-export an item of another file.
    let search = |found: &dyn Fn(&str) -> bool| {
        let own = sources.get_key_value(if depth == 0 { "lib.rs" } else { &file[..] });
        let mut all = own.into_iter().chain(sources);
        all.find(|(_, text)| found(text)).map(|(name, _)| name.clone())
    };
    // A macro may declare the item, with indentation.
    let item = |item: &str| {
        search(&|text| text.lines().any(|line| declares(line, item)))
            .or_else(|| search(&|text| text.lines().any(|line| declares(line.trim_start(), item))))
    };
    let found = match path[depth..] {
        [] => Some(file.clone()),
        [name] => item(name),
        [.., owner, name] => search(&|text| has_member(text, owner, name)).or_else(|| item(name)),
    };
    found.unwrap_or_else(|| panic!("no source file defines {}", path.join("::")))
}

/// Returns the target of a link as a path relative to the exported folder.
fn target(sources: &BTreeMap<String, String>, link: &str) -> String {
    let Some(item) = link.strip_prefix("crate::") else { return link.to_owned() };
    let (item, anchor) =
        item.split_once('#').map_or((item, String::new()), |(item, at)| (item, format!("#{at}")));
    match item.split("::").collect::<Vec<_>>()[..] {
        ["guide"] => "README.md".to_owned(),
        ["guide", page] | ["dialect", page @ "disagreements"] => format!("{page}.md{anchor}"),
        ref path => format!("../src/{}", definition(sources, path)),
    }
}

fn with_links(sources: &BTreeMap<String, String>, line: &str) -> String {
    static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\(([^)]*)\)").expect("a pattern"));
    LINK.replace_all(line, |found: &Captures<'_>| format!("]({})", target(sources, &found[1]))).into_owned()
}

/// Returns a page of the guide as Markdown, and its pictures by name.
fn exported(sources: &BTreeMap<String, String>, name: &str, page: &str) -> (String, Vec<(String, String)>) {
    let marker = format!(
        "<!-- Generated from pad-kernels/src/{name}. PAD_BLESS=1 cargo test -p spec-tests --test pages writes it anew. -->"
    );
    let mut out = format!("{marker}\n\n");
    let mut pictures = Vec::new();
    let mut code = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(request) = line.strip_prefix("<!-- picture: ").and_then(|line| line.strip_suffix(" -->"))
        {
            let svg: Vec<&str> = lines.by_ref().take_while(|line| *line != "</svg>").collect();
            let svg = format!("{}\n</svg>\n", svg.join("\n")).replace("currentColor", "#808080");
            let label =
                svg.split('"').skip_while(|part| !part.ends_with("aria-label=")).nth(1).expect("a label");
            let slug: String = request.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            out += &format!("![{label}](images/{slug}.svg)\n");
            pictures.push((format!("images/{slug}.svg"), svg));
        } else if line.starts_with("<!--") {
            // Comments for editors of the source are not exported.
        } else if let Some(language) = line.strip_prefix("```") {
            code = match code {
                None => Some(if matches!(language, "" | "rust,ignore") { "rust" } else { language }),
                Some(_) => None,
            };
            out += &format!("```{}\n", code.unwrap_or_default());
        } else if code == Some("rust") {
            // Lines that rustdoc hides are not exported.
            if !line.starts_with("# ") && line != "#" {
                out += &format!("{line}\n");
            }
        } else if code.is_some() {
            out += &format!("{line}\n");
        } else {
            out += &format!("{}\n", with_links(sources, line));
        }
    }
    while out.contains("\n\n\n") {
        out = out.replace("\n\n\n", "\n\n");
    }
    (out, pictures)
}

/// Returns every exported file by its path relative to the folder.
fn export() -> BTreeMap<String, String> {
    let sources = sources();
    let index: String = sources["guide/mod.rs"]
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let included = Regex::new(r#"include_str!\("([^"]*)"#).expect("a pattern");
    let pages = included.captures_iter(&sources["guide/mod.rs"]).map(|found| format!("guide/{}", &found[1]));
    let mut files = BTreeMap::new();
    let mut add = |name: &str, text: &str, to: &str| {
        let (page, pictures) = exported(&sources, name, text);
        files.insert(to.to_owned(), page);
        files.extend(pictures);
    };
    // A short link to a page gets its full target.
    let short = Regex::new(r"\[`(\w+)`\]").expect("a pattern");
    add("guide/mod.rs", &short.replace_all(&index, "[$1](crate::guide::$1)"), "README.md");
    for name in pages.chain(["dialect/disagreements.md".to_owned()]) {
        let text = read(&format!("pad-kernels/src/{name}"));
        add(&name, &text, name.rsplit('/').next().expect("a name"));
    }
    files
}

#[test]
fn guides_are_exported() {
    let files = export();
    assert!(files.len() >= 30 && files.contains_key("modes.md"), "{:?}", files.keys());
    for (name, text) in &files {
        common::snapshot(&format!("pad-kernels/guide/{name}"), text, "pages");
    }
    let folder = root().join("pad-kernels/guide");
    for entry in WalkDir::new(&folder).into_iter().map(|entry| entry.expect("an entry")) {
        let name = entry.path().strip_prefix(&folder).expect("a file of the folder");
        let known = entry.file_type().is_dir() || files.contains_key(name.to_str().expect("UTF-8"));
        assert!(known, "no guide makes {}: delete it", entry.path().display());
    }
}

#[test]
fn links_and_hidden_lines_become_what_a_forge_shows() {
    let sources = BTreeMap::from([
        ("lib.rs".to_owned(), "pub use run::Plan;\n".to_owned()),
        ("run/mod.rs".to_owned(), "pub struct Plan;\nimpl Plan {\n    pub fn new() {}\n}\n".to_owned()),
        ("run/more.rs".to_owned(), "impl Plan {\n    pub fn run() {}\n}\n".to_owned()),
    ]);
    let page = "# A\n\n[`run`](crate::Plan::run), [`new`](crate::Plan::new), [b](crate::guide::b#c), [d](../d.md)\n\n\
                ```\nlet a = 1;\n# Ok(())\n```\n";
    let (page, _) = exported(&sources, "a.md", page);
    assert!(
        page.contains("[`run`](../src/run/more.rs), [`new`](../src/run/mod.rs), [b](b.md#c), [d](../d.md)"),
        "{page}"
    );
    assert!(page.ends_with("```rust\nlet a = 1;\n```\n"), "{page}");
}
