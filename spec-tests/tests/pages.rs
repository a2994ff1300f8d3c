//! Compares the exported guides in the folder `pad-kernels/guide` with their sources. In an exported guide, links to items lead
//! to source files, and pictures are files.

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

/// Returns the source file that defines the library's item at `path`.
fn definition(sources: &BTreeMap<String, String>, path: &[&str]) -> String {
    // The module is the longest prefix of the path that is a file. An item and perhaps its member follow.
    let module = |depth: usize| {
        let base = path[..depth].join("/");
        [format!("{base}.rs"), format!("{base}/mod.rs")].into_iter().find(|file| sources.contains_key(file))
    };
    let module = (1..=path.len()).rev().find_map(|depth| Some((depth, module(depth)?)));
    let (depth, file) = module.unwrap_or((0, "lib.rs".into()));
    let [.., name] = path[depth..] else { return file };
    let public = r"pub (const |unsafe )*((fn|struct|enum|trait|type|mod) )?|macro_rules! ";
    // A macro may declare the item, with indentation.
    let mut patterns = vec![format!(r"(?m)^({public}){name}\b"), format!(r"(?m)^\s*({public}){name}\b")];
    if let [.., owner, _] = path[depth..] {
        let head = format!(r"(?m)^(impl|pub (struct|enum|trait))\b.*\b{owner}\b.*\n(([ w{{].*)?\n)*?    ");
        let members = [format!(r"{head}({public}|fn |const ){name}\b"), format!(r"{head}{name}\b")];
        patterns.splice(0..0, members);
    }
    // The module may re-export an item of another file.
    let files =
        || sources.get_key_value(&file).into_iter().chain(sources).filter(|(_, text)| text.contains(name));
    let found = patterns.iter().find_map(|pattern| {
        let pattern = Regex::new(pattern).expect("a pattern");
        files().find(|(_, text)| pattern.is_match(text))
    });
    found.unwrap_or_else(|| panic!("no source file defines {}", path.join("::"))).0.clone()
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

/// Returns a page of the guide as Markdown, and its pictures by name.
fn exported(sources: &BTreeMap<String, String>, name: &str, page: &str) -> (String, Vec<(String, String)>) {
    static PARTS: LazyLock<Regex> = LazyLock::new(|| {
        let (code, comment) = (r"^```(?<language>[^\n]*)\n(?<code>.*?)^```$", r"^<!--[^\n]*-->\n");
        let picture = r"^<!-- picture: (?<picture>[^\n]*) -->\n(?<svg>.*?</svg>\n)";
        Regex::new(&format!(r"(?ms){code}|{picture}|{comment}|\]\((?<link>[^)]*)\)")).expect("a pattern")
    });
    let mut pictures = Vec::new();
    let page = PARTS.replace_all(page, |found: &Captures<'_>| {
        if let (Some(language), Some(code)) = (found.name("language"), found.name("code")) {
            let language = match language.as_str() {
                "" | "rust,ignore" => "rust",
                other => other,
            };
            // Lines that rustdoc hides are not exported.
            let is_shown =
                |line: &&str| language != "rust" || !line.starts_with("# ") && line.trim_end() != "#";
            let shown: String = code.as_str().split_inclusive('\n').filter(is_shown).collect();
            format!("```{language}\n{shown}```")
        } else if let (Some(request), Some(svg)) = (found.name("picture"), found.name("svg")) {
            let svg = svg.as_str().replace("currentColor", "#808080");
            let (_, label) = svg.split_once("aria-label=\"").expect("a label");
            let label = label.split('"').next().unwrap_or_default().to_owned();
            let name =
                format!("images/{}.svg", request.as_str().replace(|c: char| !c.is_alphanumeric(), "-"));
            let link = format!("![{label}]({name})\n");
            pictures.push((name, svg));
            link
        } else if let Some(link) = found.name("link") {
            format!("]({})", target(sources, link.as_str()))
        } else {
            // Comments for editors of the source are not exported.
            String::new()
        }
    });
    let mut page = format!(
        "<!-- Generated from pad-kernels/src/{name}. PAD_BLESS=1 cargo test -p spec-tests --test pages writes it anew. -->\n\n{page}"
    );
    while page.contains("\n\n\n") {
        page = page.replace("\n\n\n", "\n\n");
    }
    (page, pictures)
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
