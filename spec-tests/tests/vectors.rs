//! The recorded cases in `vectors/`: one trial per file and dialect, and what their documentation says of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use libtest_mimic::{Arguments, Failed, Trial};
use spec_tests::conform::{Tally, check_file, files};
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, load};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut trials = Vec::new();
    let mut cases = Vec::new();
    for file in files(std::slice::from_ref(&folder))? {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let mut dialects = BTreeMap::<String, usize>::new();
        for (_, line) in load(&file)? {
            match line {
                Ok(case) => {
                    *dialects.entry(dialect(&case)).or_default() += 1;
                    cases.push(case);
                }
                // Reported by every trial of the file, of which there is one at least.
                Err(_) => drop(dialects.entry("malformed".into()).or_default()),
            }
        }
        for (dialect, cases) in dialects {
            let file = file.clone();
            trials.push(Trial::test(format!("{name}::{dialect}"), move || conform(&file, &dialect, cases)));
        }
    }
    let readme = folder.join("README.md");
    trials.push(Trial::test("ids_are_unique", {
        let ids: Vec<String> = cases.iter().map(|case| case.id.clone()).collect();
        move || unique(&ids)
    }));
    let flags: BTreeSet<String> = cases.iter().flat_map(|case| case.flags.clone()).collect();
    trials.push(Trial::test("flags_are_the_documented_ones", {
        let readme = readme.clone();
        move || documented(&readme, &flags)
    }));
    trials.push(Trial::test("every_type_is_covered", {
        let types: BTreeSet<String> = cases.iter().map(|case| case.dtype.clone()).collect();
        move || covered(&types)
    }));
    let total = cases.len();
    trials.push(Trial::test("there_are_thousands_of_cases", move || match total {
        2000.. => Ok(()),
        _ => Err(format!("only {total}").into()),
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// The name of a case's dialect, with the flavour where there are two.
fn dialect(case: &Case) -> String {
    match &case.flavour {
        Some(flavour) => format!("{}_{flavour}", case.dialect),
        None => case.dialect.clone(),
    }
}

/// Every case of this dialect passes, and none is skipped.
fn conform(file: &Path, wanted: &str, cases: usize) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let mut lines = Vec::new();
    check_file(file, &mut tally, |case| dialect(case) == wanted, |line| lines.push(line))?;
    if tally.failed == 0 && tally.skipped.is_empty() && tally.passed == cases {
        return Ok(());
    }
    lines.extend(tally.skipped.iter().map(|(what, cases)| format!("skipped {cases}: {what}")));
    let more = lines.len().saturating_sub(20);
    lines.truncate(20);
    if more > 0 {
        lines.push(format!("and {more} more; run the program conform on {}", file.display()));
    }
    Err(format!("{}\n{tally}", lines.join("\n")).into())
}

/// No two cases have the same name, in all files.
fn unique(ids: &[String]) -> Result<(), Failed> {
    let mut seen = BTreeSet::new();
    match ids.iter().find(|id| !seen.insert(*id)) {
        Some(id) => Err(format!("{id} is there twice").into()),
        None => Ok(()),
    }
}

/// Every flag has a row in a table of flags of the documentation, and every row is used.
fn documented(readme: &PathBuf, used: &BTreeSet<String>) -> Result<(), Failed> {
    let text = fs::read_to_string(readme)?;
    let mut tables = false;
    let mut flags = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with('#') {
            tables = line.trim_start_matches('#').trim() == "Flags";
        }
        let cell = line.strip_prefix("| `").and_then(|line| line.split_once('`'));
        if let Some((flag, _)) = cell.filter(|_| tables) {
            flags.insert(flag.to_owned());
        }
    }
    let undocumented: Vec<_> = used.difference(&flags).collect();
    let unused: Vec<_> = flags.difference(used).collect();
    if undocumented.is_empty() && unused.is_empty() {
        return Ok(());
    }
    Err(format!("not documented: {undocumented:?}; not used: {unused:?}").into())
}

/// Every type that the library knows is in some case.
fn covered(names: &BTreeSet<String>) -> Result<(), Failed> {
    let types: Vec<_> = names.iter().filter_map(|name| Type::from_name(name)).collect();
    match Type::all().find(|element| !types.contains(element)) {
        Some(element) => Err(format!("no case of {}", element.name()).into()),
        None => Ok(()),
    }
}
