//! Checks that the list of seeded faults fits the code, and that the copy of the code contains the texts of the list.

#[path = "../common/mod.rs"]
mod common;

use common::{read, root};
use spec_tests::faults::{Fault, LIST, changes, parse, plant};

/// Returns an entry of a list of faults.
fn entry(name: &str, more: &str) -> String {
    format!("[[fault]]\nname = '{name}'\nwhat = 'w'\nfile = 'pad-kernels/src/a.rs'\n{more}\n")
}

fn planted(source: &str, list: &str) -> Result<String, String> {
    let faults = parse(list)?;
    let numbered: Vec<(usize, &Fault)> = faults.iter().enumerate().collect();
    plant(source, &numbered)
}

// The test is ignored by default. Otherwise `cargo test` would fail after every edit of a line that a fault names.
#[test]
#[ignore = "`.ci/run faults` runs it"]
fn list_fits_the_code() {
    let changed = parse(&read(LIST)).and_then(|faults| changes(&root(), &faults));
    let changed = changed.unwrap_or_else(|complaint| panic!("{LIST}: {complaint}"));
    assert!(changed.len() > 3, "files other than the two libraries and the chooser: {:?}", changed.keys());
}

#[test]
fn both_texts_stand_in_the_copy() {
    let list = [
        entry("first", "within = 'b(1)'\nright = '1'\nwrong = '2'"),
        entry("second", "kind = 'statement'\nright = '''\nc();\n    d();\n'''\nwrong = ''"),
    ];
    let changed = planted("a(1);\nb(1);\n    c();\n    d();\n", &list.concat());
    let expected = "a(1);\nb((if crate::faults::is(0) {\n2\n} else {\n1\n}));\n    \
                    if crate::faults::is(1) {\n\n} else {\nc();\n    d();\n}\n";
    assert_eq!(changed.as_deref(), Ok(expected));
}

#[test]
fn texts_stand_exactly_once() {
    let complaints = |more: &str| planted("a + a; b", &entry("x", more)).unwrap_err();
    for (more, complaint) in [
        ("right = 'c'\nwrong = ''", "`right` text is not there: c"),
        ("right = 'a'\nwrong = ''", "`right` text stands there more than once: a"),
        ("within = 'c'\nright = 'b'\nwrong = ''", "`within` text is not there: c"),
        ("within = 'a'\nright = 'a'\nwrong = ''", "`within` text stands there more than once: a"),
        ("within = 'a + a'\nright = 'b'\nwrong = ''", "`right` text is not there: b"),
        ("within = 'a + a'\nright = 'a'\nwrong = ''", "`right` text stands there more than once: a"),
    ] {
        assert_eq!(complaints(more), format!("x: pad-kernels/src/a.rs: its {complaint}"));
    }
    assert!(planted("a a a", &entry("x", "right = 'a a'\nwrong = ''")).is_err(), "they may overlap");
}

#[test]
fn faults_do_not_overlap() {
    let list = |first: &str, second: &str| {
        let entry = |name, right| entry(name, &format!("right = '{right}'\nwrong = ''"));
        [entry("x", first), entry("y", second)].concat()
    };
    assert!(planted("a + b", &list("b", "a +")).is_ok());
    for (first, second) in [("a +", "+ b"), ("a + b", "+"), ("+", "+")] {
        let complaint = planted("a + b", &list(first, second)).unwrap_err();
        assert!(
            complaint.ends_with(": pad-kernels/src/a.rs: its `right` text overlaps that of another fault")
        );
    }
}

#[test]
fn list_is_checked() {
    let texts = "right = 'a'\nwrong = 'b'";
    let (good, elsewhere) = (entry("x", texts), "x: its file is not in pad-kernels/src/ or pad-macros/src/");
    let letters = "X: a name has only lower-case letters, digits and hyphens";
    let one_line = "x: `what` is one line of a table without `|`";
    for (list, complaint) in [
        (good.repeat(2), "x: the name is not unique"),
        (entry("X", texts), letters),
        (entry("x", "right = ' '\nwrong = 'b'"), "x: `right` is empty"),
        (entry("x", "right = 'a'\nwrong = 'a '"), "x: `right` and `wrong` are the same"),
        (good.replace("pad-kernels", "benches"), elsewhere),
        (good.replace("'w'", "'w | w'"), one_line),
        (entry("x", "right = 'a'"), "missing field `wrong`"),
        (format!("{good}kinds = 'statement'"), "unknown field `kinds`"),
    ] {
        let found = parse(&list).unwrap_err();
        assert!(found == complaint || complaint.contains("field") && found.contains(complaint), "{found}");
    }

    let absent = parse(&entry("x", texts)).expect("a fault");
    let complaint = changes(&root(), &absent).unwrap_err();
    assert!(complaint.starts_with("pad-kernels/src/a.rs: "), "{complaint}");
}
