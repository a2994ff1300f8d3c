//! Functions that several test programs share.
#![allow(dead_code, reason = "each program uses some of them")]

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::{env, fs};

use arbitrary::Unstructured;
use pad_kernels::{PadPlan, kernels::Isa};
use regex::Regex;
use spec_tests::conform::files;
use spec_tests::generators::Source;
use spec_tests::vectors::{Case, load};

/// Returns the folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_path_buf()
}

/// Returns the text of a file of the repository.
pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the recorded cases of every file in `vectors/`, by the file's name without its ending.
pub(crate) fn recorded() -> BTreeMap<String, Vec<Case>> {
    let files = files(&[root().join("spec-tests/vectors")], "jsonl").expect("a folder of cases");
    let cases = |file: &PathBuf| load(std::slice::from_ref(file)).unwrap_or_else(|error| panic!("{error}"));
    let name = |file: &PathBuf| file.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
    files.iter().map(|file| (name(file), cases(file))).collect()
}

/// Returns the explanation of each flag in the documentation of the recorded cases.
pub(crate) fn flags() -> BTreeMap<String, String> {
    let text = read("spec-tests/vectors/README.md");
    let (_, flags) = text.split_once("\n## Flags\n").expect("a section about flags");
    let row = Regex::new(r"(?m)^\| `([^`]*)`[^|]*\| (.*) \|$").expect("a pattern");
    row.captures_iter(flags).map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

/// Compares a file of the repository with the expected text. If `PAD_BLESS` is set, writes the text to the file instead.
pub(crate) fn snapshot(file: &str, text: &str, test: &str) {
    let path = root().join(file);
    if env::var_os("PAD_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder that can be made");
        fs::write(&path, text).expect("a file that can be written");
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let mut lines = found.lines().zip(text.lines()).enumerate();
    let differing = lines.find(|(_, (found, text))| found != text);
    assert!(
        found == text,
        "{file} is stale, first in (line - 1, (file, now)): {differing:#?}\n\
         If that is intended, run `PAD_BLESS=1 cargo test -p spec-tests --test {test}` and review `git diff`."
    );
}

/// Returns the instruction sets of this machine.
pub(crate) fn sets() -> impl Iterator<Item = Isa> + Clone {
    Isa::ALL.into_iter().filter(|isa| isa.available())
}

/// Returns copies of the plan: one for each instruction set that has a kernel for it, and one with the any-rank kernel.
pub(crate) fn on_every_kernel(plan: &PadPlan) -> Vec<PadPlan> {
    let own = sets().filter_map(|isa| plan.with_isa(isa).ok());
    own.chain([plan.with_generic_kernel()]).collect()
}

/// Returns bytes for the input of a test. Adjacent bytes differ, and so do most bytes that are one row apart.
pub(crate) fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + i / 251 + 1) as u8).collect()
}

/// The byte that fills outputs before a run.
pub(crate) const JUNK: u8 = 0xee;

/// Runs the plan and returns the output bytes.
pub(crate) fn padded(plan: &PadPlan, src: &[u8]) -> Vec<u8> {
    let mut dst = vec![JUNK; plan.output_bytes()];
    plan.run_bytes(src, &mut dst).expect("lengths are right");
    dst
}

/// Changes, removes or inserts some bytes of a file. Most changed bytes become one of `usual`.
pub(crate) fn corrupt(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>, usual: &[u8]) -> arbitrary::Result<()> {
    for _ in 0..u.int_in_range(1..=3)? {
        let at = u.choose_index(bytes.len().max(1))?;
        match (u.int_in_range(0..=6u8)?, bytes.get_mut(at)) {
            (0, _) => bytes.truncate(at),
            (1, Some(byte)) => *byte ^= 1 << u.int_in_range(0..=7)?,
            (2, Some(_)) => drop(bytes.splice(at..at, [*u.choose(usual)?; 9])),
            (3 | 4, Some(byte)) => *byte = u.arbitrary()?,
            (_, Some(byte)) => *byte = *u.choose(usual)?,
            (_, None) => {}
        }
    }
    Ok(())
}

/// Calls `run` for random cases. It must accept more than 100 of them, and refuse the others, also more than 100, with a message.
pub(crate) fn some_refused<E: Display>(
    seed: u64,
    cases: usize,
    mut run: impl FnMut(&mut Unstructured<'_>) -> arbitrary::Result<Result<(), E>>,
) {
    let mut source = Source::of_seed(seed, cases);
    let results: Vec<_> = (0..cases).map(|_| source.draw(&mut run)).collect();
    let ran = results.iter().filter(|result| result.is_ok()).count();
    let told = results.iter().flat_map(|result| result.as_ref().err()).map(ToString::to_string);
    let refused = told.filter(|why| !why.is_empty()).count();
    println!("{ran} ran, {refused} were refused");
    assert!(ran > 100 && refused > 100 && ran + refused == cases);
}

/// Calls `check` with each item, in parallel if the platform has threads.
pub(crate) fn each<T: Send>(all: impl IntoIterator<Item = T>, check: impl Fn(T) + Copy + Send) {
    if cfg!(any(miri, target_family = "wasm")) {
        return all.into_iter().for_each(check);
    }
    std::thread::scope(|scope| {
        for one in all {
            scope.spawn(move || check(one));
        }
    });
}
