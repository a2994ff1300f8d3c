//! The macro's own messages: each case is a table that it refuses, and what it says to that.
//!
//! After a wanted change run with `TRYBUILD=overwrite`, and read what `git diff` shows.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
