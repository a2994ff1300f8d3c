//! Checks that documents have plain sentences, few lines, and links to existing targets.

use std::collections::BTreeSet;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::{files, read, root};

/// The largest total number of lines that people have to keep up to date.
const MOST_LINES: usize = 2_600;

/// The largest number of words in a sentence.
const MOST_WORDS: usize = 35;

/// The absolute address of a file of this repository begins so. Documents that other sites show need such links.
const REPOSITORY: &str = "https://github.com/pad-kernels/pad-kernels/blob/main/";

/// Words that only this project used, although a usual word exists.
const HOUSE_WORDS: &str = "alone, as for, at once, behind, below zero, by memcpy, bytes an element, comes to, come to, \
    drawn, gap, gaps, goes round, in front, in the call, inside of, is there already, junk, learnt, \
    mended, memory that is there, no slices, ns a row, odd places, spare work, the inside, told, \
    trial, untagged";

/// Beginnings of sentences that often hide the subject.
const STARTS: [&str; 7] = ["What ", "Who ", "Of ", "So ", "Those ", "As for ", "The same "];

/// Returns the Markdown files that people write, with their text.
fn written() -> Vec<(String, String)> {
    let markdown = files().into_iter().filter(|file| file.ends_with(".md"));
    let texts = markdown.map(|file| (read(&file).expect("text"), file)).map(|(text, file)| (file, text));
    texts.filter(|(_, text)| !text.lines().take(5).any(|line| line.starts_with("<!-- Generated"))).collect()
}

/// Returns the lines of a text without its SVG pictures, which a test generates.
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

/// The parts of a Markdown page.
#[derive(Default)]
struct Page {
    /// The paragraphs and list items as plain text. Code counts as one word, and a link is replaced by its text.
    paragraphs: Vec<String>,
    links: Vec<String>,
    /// The anchors that code hosts generate for the headings.
    anchors: BTreeSet<String>,
}

impl Page {
    fn read(text: &str) -> Page {
        let mut page = Page::default();
        let (mut prose, mut heading) = (true, false);
        for event in Parser::new_ext(&without_pictures(text).join("\n"), Options::ENABLE_TABLES) {
            let said = match &event {
                Event::Text(text) => text.replace(['[', ']', '*', '"'], ""),
                Event::Code(code) if heading => code.to_string(),
                Event::Code(_) => "`".to_owned(),
                _ => " ".to_owned(),
            };
            match event {
                Event::Start(Tag::Table(_) | Tag::CodeBlock(_)) => prose = false,
                Event::End(TagEnd::Table | TagEnd::CodeBlock) => prose = true,
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::Item)
                | Event::End(TagEnd::List(_)) => {
                    heading = matches!(event, Event::Start(Tag::Heading { .. }));
                    page.paragraphs.push(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let name = page.paragraphs.pop().unwrap_or_default().to_lowercase();
                    let kept = name.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                    page.anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let name = html.strip_prefix("<a id=\"").and_then(|name| name.split_once('"'));
                    page.anchors.extend(name.map(|(name, _)| name.to_owned()));
                }
                Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak if prose => {
                    page.paragraphs.last_mut().expect("a paragraph").push_str(&said);
                }
                _ => {}
            }
        }
        page
    }

    fn sentences(&self) -> impl Iterator<Item = String> {
        self.paragraphs.iter().flat_map(|paragraph| sentences(paragraph))
    }
}

fn sentences(paragraph: &str) -> Vec<String> {
    let ends = |word: &&str| word.trim_end_matches(')').ends_with(['.', '!', '?']);
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    words.split_inclusive(ends).map(|words| words.join(" ")).collect()
}

#[test]
fn sentences_are_short_and_plain() {
    let house_words = format!(r"(?i)\b(?:{})\b", HOUSE_WORDS.replace(", ", "|"));
    let house_words = Regex::new(&house_words).expect("a pattern");
    let (mut found, mut seen) = (Vec::new(), 0);
    for (file, text) in written() {
        for sentence in Page::read(&text).sentences() {
            seen += 1;
            let is_word = |word: &&str| word.contains(|c: char| c.is_alphanumeric() || c == '`');
            let count = sentence.split_whitespace().filter(is_word).count();
            if count > MOST_WORDS {
                found.push(format!("{file}: {count} words: {sentence}"));
            }
            for word in house_words.find_iter(&sentence) {
                found.push(format!("{file}: the house word {:?}: {sentence}", word.as_str()));
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
fn comments_name_their_subjects() {
    let mut found = Vec::new();
    for file in files().into_iter().filter(|file| file.ends_with(".rs")) {
        for (number, line) in (1..).zip(read(&file).expect("text").lines()) {
            let comment =
                line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!', ' ']));
            if comment.is_some_and(|text| STARTS.iter().any(|start| text.starts_with(start))) {
                found.push(format!("{file}:{number}: {line}"));
            }
        }
    }
    assert!(found.is_empty(), "{} comments to rewrite:\n{}", found.len(), found.join("\n"));
}

#[test]
fn sentences_are_told_apart() {
    let text = "# Title\n\nOne `a. b` two,\nthree. Version 3.11 (see [it](x.md)). Last\n\n- item one.\n- item two\n\n| a |\n|---|\n\n```\ncode. code.\n```\n";
    let found: Vec<String> = Page::read(text).sentences().collect();
    assert_eq!(found, ["One ` two, three.", "Version 3.11 (see it).", "Last", "item one.", "item two"]);
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

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for file in files().into_iter().filter(|file| file.ends_with(".md")) {
        // In sources of rustdoc pages, links to items and headings are checked by rustdoc.
        let of_rustdoc = file.starts_with("pad-kernels/src/");
        let page = Page::read(&read(&file).expect("text"));
        for target in &page.links {
            let (from, target) = match target.strip_prefix(REPOSITORY) {
                Some(target) => ("README.md", target),
                None => (&file[..], &target[..]),
            };
            let is_item = of_rustdoc && (target.starts_with("crate::") || target.starts_with('#'));
            if is_item || target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = Path::new(from).parent().expect("a folder");
            let path =
                root().join(if path.is_empty() { Path::new(from).to_path_buf() } else { folder.join(path) });
            assert!(path.exists(), "{file}: {target} leads nowhere");
            if !anchor.is_empty() {
                let page = Page::read(&std::fs::read_to_string(path).expect("a page"));
                assert!(page.anchors.contains(anchor), "{file}: {target} has no such heading");
            }
            followed += 1;
        }
    }
    assert!(followed > 200, "{followed}");
}

/// Checks that all files that `ARCHITECTURE.md` names exist.
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
