//! Checks that `conform --export` writes a folder that is complete without the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use spec_tests::conform::{Tally, check_file, files};
use spec_tests::export::{checksum, export};
use walkdir::WalkDir;

/// Returns the targets of a page's links to local files.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or(target))
}

#[test]
fn the_archive_is_whole() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("pad export");
    let told = export(&folder).expect("a new folder");
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let manifest: Value = serde_json::from_slice(&read("manifest.json")).expect("JSON");
    let mut listed = BTreeSet::new();
    let mut cases = 0;
    for file in manifest["files"].as_array().expect("a list") {
        let name = file["path"].as_str().expect("a name");
        let content = read(name);
        assert_eq!(file["sha256"], checksum(&content), "{name}");
        assert_eq!(file["bytes"], content.len(), "{name}");
        cases += file["cases"].as_u64().unwrap_or(0);
        assert!(listed.insert(name.to_owned()));
    }
    assert!(cases > 8000 && told.starts_with(&format!("{cases} cases in {} files", listed.len())), "{told}");
    for name in
        "README.md LICENSE-MIT LICENSE-APACHE vectors/README.md engines/PROTOCOL.md engines/adapter.py"
            .split(' ')
    {
        assert!(listed.contains(name), "{name}");
    }
    // Every file of the folder is listed, and every listed file exists.
    let entries = WalkDir::new(&folder).into_iter().map(|entry| entry.expect("an entry"));
    let entries = entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path());
    let name = |path: PathBuf| path.strip_prefix(&folder).expect("a file of it").display().to_string();
    let there: BTreeSet<String> = entries.map(name).collect();
    let sums = String::from_utf8(read("SHA256SUMS")).expect("text");
    let summed: BTreeSet<String> = sums
        .lines()
        .map(|line| {
            let (sum, name) = line.split_once("  ").expect("a sum and a name");
            assert_eq!(sum, checksum(&read(name)), "{name}");
            name.to_owned()
        })
        .collect();
    listed.insert("manifest.json".into());
    assert_eq!(summed, listed);
    listed.insert("SHA256SUMS".into());
    assert_eq!(there, listed);

    // The pages link only to files of the folder.
    for page in ["README.md", "vectors/README.md", "engines/README.md", "engines/PROTOCOL.md"] {
        let text = String::from_utf8(read(page)).expect("text");
        for target in links(&text) {
            let target = folder.join(page).parent().expect("a folder").join(target);
            assert!(target.exists(), "{page}: {}", target.display());
        }
    }

    // The exported cases of NumPy can be read, and pass.
    let mut tally = Tally::default();
    let numpy: Vec<PathBuf> = files(&[folder.join("vectors/numpy.jsonl")]).expect("a file");
    check_file(&numpy[0], &mut tally, |_| true, |line| panic!("{line}")).expect("a file");
    assert!(tally.passed > 500 && tally.failed == 0 && tally.skipped.is_empty(), "{tally}");

    let again = export(&folder).expect_err("it is not empty");
    assert!(again.to_string().contains("is not empty"), "{again}");
}

#[test]
fn checksums_are_those_of_the_standard() {
    // Known checksums of two inputs that fit into one block.
    assert_eq!(checksum(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(checksum(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
