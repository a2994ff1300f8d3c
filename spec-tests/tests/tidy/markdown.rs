//! Documents: plain sentences, few lines, and links that lead somewhere.

use std::collections::BTreeSet;
use std::path::Path;

use super::{files, has_word, read, root};

/// The most lines that people have to keep up to date.
const MOST_LINES: usize = 2_600;

/// The most words of a sentence.
const MOST_WORDS: usize = 35;

/// Words that only this project used for things that have a usual name.
const HOUSE_WORDS: [&str; 29] = [
    "alone",
    "as for",
    "at once",
    "behind",
    "below zero",
    "by memcpy",
    "bytes an element",
    "comes to",
    "come to",
    "drawn",
    "gap",
    "gaps",
    "goes round",
    "in front",
    "in the call",
    "inside of",
    "is there already",
    "junk",
    "learnt",
    "mended",
    "memory that is there",
    "no slices",
    "ns a row",
    "odd places",
    "spare work",
    "the inside",
    "told",
    "trial",
    "untagged",
];

/// Words that leave the actor of a sentence open.
const STARTS: [&str; 7] = ["What ", "Who ", "Of ", "So ", "Those ", "As for ", "The same "];

/// The Markdown files that people write, with their text.
fn written() -> Vec<(String, String)> {
    let markdown = files().into_iter().filter(|file| file.ends_with(".md"));
    let texts = markdown.map(|file| (read(&file).expect("text"), file)).map(|(text, file)| (file, text));
    texts.filter(|(_, text)| !text.lines().take(5).any(|line| line.starts_with("<!-- Generated"))).collect()
}

/// The lines without pictures, which a test draws.
fn without_pictures(text: &str) -> Vec<&str> {
    let mut picture = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        picture |= line.starts_with("<svg ");
        if !picture {
            lines.push(line);
        }
        picture &= line != "</svg>";
    }
    lines
}

/// Paragraphs and items of lists, without code, tables, headings and comments.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut code = false;
    for line in without_pictures(text) {
        let line = line.trim();
        let fence = line.starts_with("```");
        code ^= fence;
        let prose = !code && !fence && !line.starts_with(['|', '#', '<']);
        let item = line.starts_with("- ")
            || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        if !prose || line.is_empty() || item {
            paragraphs.push(String::new());
        }
        if prose {
            let paragraph = paragraphs.last_mut().expect("one at least");
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    paragraphs
}

/// The paragraph as it is read: code is one word, and links are their texts.
fn spoken(paragraph: &str) -> String {
    let mut text = String::new();
    for (index, part) in paragraph.split('`').enumerate() {
        text.push_str(if index % 2 == 0 { part } else { "`" });
    }
    let mut parts = text.split("](");
    let mut spoken = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        spoken.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    spoken.replace(['[', ']', '*', '"'], "")
}

fn sentences(paragraph: &str) -> Vec<String> {
    let text = spoken(paragraph);
    let text = text
        .trim_start_matches("- ")
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches(". ");
    let mut sentences = vec![String::new()];
    for word in text.split_whitespace() {
        let sentence = sentences.last_mut().expect("one at least");
        sentence.push_str(word);
        sentence.push(' ');
        if word.trim_end_matches(')').ends_with(['.', '!', '?']) {
            sentences.push(String::new());
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[test]
fn sentences_are_short_and_plain() {
    let mut found = Vec::new();
    let mut seen = 0;
    for (file, text) in written() {
        for sentence in paragraphs(&text).iter().flat_map(|paragraph| sentences(paragraph)) {
            seen += 1;
            let words = sentence
                .split_whitespace()
                .filter(|word| word.contains(|c: char| c.is_alphanumeric() || c == '`'));
            let count = words.count();
            let lower = sentence.to_lowercase();
            if count > MOST_WORDS {
                found.push(format!("{file}: {count} words: {sentence}"));
            }
            for word in HOUSE_WORDS.iter().filter(|word| has_word(&lower, word)) {
                found.push(format!("{file}: the house word {word:?}: {sentence}"));
            }
            for start in
                STARTS.iter().filter(|start| sentence.starts_with(**start) && !sentence.contains('?'))
            {
                found.push(format!("{file}: begins with {start:?}: {sentence}"));
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
    assert!(found.is_empty(), "{} sentences to rewrite:\n{}", found.len(), found.join("\n"));
}

#[test]
fn sentences_are_told_apart() {
    let text = "# Title\n\nOne `a. b` two,\nthree. Version 3.11 (see [it](x.md)). Last\n\n- item one.\n- item two\n\n| a |\n\n```\ncode. code.\n```\n";
    let found: Vec<String> = paragraphs(text).iter().flat_map(|paragraph| sentences(paragraph)).collect();
    assert_eq!(found, ["One ` two, three. ", "Version 3.11 (see it). ", "Last ", "item one. ", "item two "]);
}

#[test]
fn documents_are_short() {
    let mut total = 0;
    for (file, text) in written() {
        let lines = without_pictures(&text).len();
        let most = match &file[..] {
            "README.md" => 180,
            "ARCHITECTURE.md" => 250,
            _ => MOST_LINES,
        };
        assert!(lines <= most, "{file} has {lines} lines, of at most {most}");
        total += lines;
    }
    assert!(total <= MOST_LINES, "people keep {total} lines of Markdown up to date, of at most {MOST_LINES}");
}

/// The names by which a forge links to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        code ^= line.starts_with("```");
        if let Some(name) = line.strip_prefix("<a id=\"") {
            anchors.extend(name.split_once('"').map(|(name, _)| name.to_owned()));
        }
        if !code && line.starts_with('#') {
            let heading = spoken(line.trim_start_matches('#').trim()).to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    anchors
}

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for file in files().into_iter().filter(|file| file.ends_with(".md")) {
        // rustdoc's links are those of the exported pages.
        let of_rustdoc = file.starts_with("pad-kernels/src/");
        let text = read(&file).expect("text");
        let mut code = false;
        for line in text.lines() {
            code ^= line.starts_with("```");
            let targets = line.split("](").skip(1).filter_map(|part| part.split_once(')'));
            for (target, _) in targets.filter(|(target, _)| !code && !target.contains("://")) {
                if of_rustdoc && (target.starts_with("crate::") || target.starts_with('#')) {
                    continue;
                }
                let (page, anchor) = target.split_once('#').unwrap_or((target, ""));
                let folder = Path::new(&file).parent().expect("a folder");
                let path = if page.is_empty() { Path::new(&file).to_path_buf() } else { folder.join(page) };
                assert!(root().join(&path).exists(), "{file}: {target} leads nowhere");
                if !anchor.is_empty() {
                    let text = std::fs::read_to_string(root().join(&path)).expect("a page");
                    assert!(anchors(&text).contains(anchor), "{file}: {target} has no such heading");
                }
                followed += 1;
            }
        }
    }
    assert!(followed > 200, "{followed}");
}

/// A map that names files which were moved sends its readers astray.
#[test]
fn architecture_names_files_that_exist() {
    let text = read("ARCHITECTURE.md").expect("text");
    let files = files();
    let mut named = 0;
    for name in text.split('`').skip(1).step_by(2) {
        let path = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let placeholder = name.contains("NAME");
        if path && !placeholder && (name.contains('/') || name.ends_with(".rs") || name.ends_with(".py")) {
            let ends_so = |file: &String| {
                let at = file.find(name.trim_end_matches('/'));
                at.is_some_and(|at| at == 0 || file[..at].ends_with('/'))
            };
            assert!(files.iter().any(ends_so), "ARCHITECTURE.md names {name}, which is no file");
            named += 1;
        }
    }
    assert!(named > 100, "{named}");
}
