//! Checks that `conform --export` writes a folder that is complete without the repository.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;
use spec_tests::conform::check;
use spec_tests::export::{checksum, export};
use spec_tests::vectors::load;
use walkdir::WalkDir;

#[test]
fn the_archive_is_whole() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("pad export");
    let told = export(&folder).expect("a new folder");
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = |name: &str| String::from_utf8(read(name)).expect("text");
    // Every file of the folder is listed with its checksum, except the list.
    let sums = text("SHA256SUMS");
    let sums = sums.lines().map(|line| line.split_once("  ").expect("a sum and a name"));
    let mut listed: BTreeSet<&str> = BTreeSet::from(["SHA256SUMS"]);
    for (sum, name) in sums {
        assert_eq!(sum, checksum(&read(name)), "{name}");
        assert!(listed.insert(name), "{name}");
    }
    let entries = WalkDir::new(&folder).into_iter().map(|entry| entry.expect("an entry").into_path());
    let files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    let names = files.iter().map(|path| path.strip_prefix(&folder).expect("a file of it").to_str());
    assert_eq!(names.collect::<Option<BTreeSet<_>>>(), Some(listed.clone()));
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "engines/adapter.py"] {
        assert!(listed.contains(name), "{name}");
    }
    let (cases, _) = told.split_once(" cases in ").expect("a count");
    assert!(cases.parse::<usize>().expect("a number") > 8000, "{told}");

    // The pages link only to files of the folder.
    let link = Regex::new(r"\]\(([^)#:]+)[^):]*\)").expect("a pattern");
    for page in ["README.md", "vectors/README.md", "engines/README.md", "engines/PROTOCOL.md"] {
        for found in link.captures_iter(&text(page)) {
            let target = folder.join(page).parent().expect("a folder").join(&found[1]);
            assert!(target.exists(), "{page}: {}", target.display());
        }
    }

    // The exported cases of NumPy can be read, and pass.
    let cases = load(&[folder.join("vectors/numpy.jsonl")]).expect("cases");
    assert!(cases.len() > 500 && cases.iter().all(|case| check(case).is_ok()));

    let again = export(&folder).expect_err("it is not empty");
    assert!(again.to_string().contains("is not empty"), "{again}");
}
