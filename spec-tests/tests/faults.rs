//! The list of planted faults fits the code, and the copy of the code has what the list says.

use std::fs;
use std::path::Path;

use spec_tests::faults::{Fault, LIST, changes, parse, plant};

/// An entry of a list.
fn entry(name: &str, more: &str) -> String {
    format!("[[fault]]\nname = '{name}'\nwhat = 'w'\nfile = 'pad-kernels/src/a.rs'\n{more}\n")
}

fn planted(source: &str, list: &str) -> Result<String, Vec<String>> {
    let faults = parse(list)?;
    let numbered: Vec<(usize, &Fault)> = faults.iter().enumerate().collect();
    plant(source, &numbered)
}

// Otherwise every edit of a line that a fault names would fail `cargo test`.
#[test]
#[ignore = "`.ci/run faults` runs it"]
fn list_fits_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let list = fs::read_to_string(root.join(LIST)).expect("the list");
    let changed = parse(&list).and_then(|faults| changes(root, &faults));
    let changed = changed.unwrap_or_else(|complaints| panic!("{LIST}:\n{}", complaints.join("\n")));
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
    let complaints = |more: &str| planted("a + a; b", &entry("x", more)).unwrap_err().join("\n");
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
        let complaints = planted("a + b", &list(first, second)).unwrap_err();
        assert_eq!(complaints, ["x and y: pad-kernels/src/a.rs: their `right` texts overlap"]);
    }
}

#[test]
fn list_is_checked() {
    let complaints = |list: &str| parse(list).unwrap_err().join("\n");
    let texts = "right = 'a'\nwrong = 'b'";
    let twice = [entry("x", texts), entry("x", texts)].concat();
    assert_eq!(complaints(&twice), "x: the name is not unique");
    assert_eq!(complaints(&entry("X", texts)), "X: a name is made of lower-case letters, digits and hyphens");
    assert_eq!(complaints(&entry("x", "right = ' '\nwrong = 'b'")), "x: `right` is empty");
    assert_eq!(complaints(&entry("x", "right = 'a'\nwrong = 'a '")), "x: `right` and `wrong` are the same");
    let elsewhere = entry("x", texts).replace("pad-kernels", "benches");
    assert_eq!(complaints(&elsewhere), "x: its file is not in pad-kernels/src/ or pad-macros/src/");
    let long = entry("x", texts).replace("'w'", "'w | w'");
    assert_eq!(complaints(&long), "x: `what` is one line without `|`, for it goes into a table");
    assert!(complaints(&entry("x", "right = 'a'")).contains("missing field `wrong`"));
    assert!(
        complaints(&entry("x", &format!("{texts}\nkinds = 'statement'"))).contains("unknown field `kinds`")
    );

    let [absent] = &parse(&entry("x", texts)).unwrap()[..] else { panic!("one fault") };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace");
    let complaints = changes(root, std::slice::from_ref(absent)).unwrap_err().join("\n");
    assert!(complaints.starts_with("x: pad-kernels/src/a.rs: "), "{complaints}");
}
