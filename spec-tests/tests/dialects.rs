//! The dialects of `pad-kernels` and the rules of the reference must give the same answers to random calls of frameworks.

use spec_tests::generators::Source;
use spec_tests::questions::{self, SYSTEMS, System};
use spec_tests::reach::{self, Class, DIALECT_ERRORS};

mod common;

fn ask(system: &System) {
    let dialect = system.dialect;
    let cases = if cfg!(debug_assertions) { 5_000 } else { 8_000 };
    let answers = Source::check(&format!("questions to {dialect}"), cases, |_, u| {
        questions::ask(&questions::draw(system, u)?).map_err(anyhow::Error::msg)
    });
    let [accepted, refused] =
        [true, false].map(|is| answers.iter().filter(|answer| **answer == Some(is)).count());
    println!("{dialect}: {accepted} accepted, {refused} refused");
    // The comparison needs enough accepted calls and enough refused calls.
    let asked = answers.len();
    assert!(accepted > asked / 8 && refused > asked / 40, "{accepted} accepted, {refused} refused");
}

#[test]
fn every_system_is_asked() {
    for case in common::recorded().values().flatten() {
        let is_asked = SYSTEMS.iter().any(|system| system.dialect == case.dialect);
        assert!(is_asked, "{} has no line in SYSTEMS of spec-tests/src/questions.rs", case.dialect);
    }
    common::each(&SYSTEMS, ask);
}

/// The random calls cause every error of the dialects, so each error is compared with the rules of the reference.
#[test]
fn every_error_is_met() {
    let mut source = Source::of_seed(1, 2_000);
    for system in &SYSTEMS {
        for _ in 0..source.cases() {
            let case = source.draw(|u| questions::draw(system, u));
            questions::ask(&case).unwrap_or_else(|difference| panic!("{difference}"));
        }
    }
    assert_eq!(reach::counts().missed(&[Class::Error], DIALECT_ERRORS.iter().copied()), [""; 0]);
}
