//! The dialects of `pad-kernels` and the rules of the reference must answer the same requests in the same way.

use spec_tests::generators::Source;
use spec_tests::questions::{self, SYSTEMS, System};
use spec_tests::reach::{self, Class, DIALECT_ERRORS};

mod common;

fn ask(system: &System) {
    let dialect = system.dialect;
    let mut source =
        Source::new(&format!("questions to {dialect}"), if cfg!(debug_assertions) { 5_000 } else { 8_000 });
    let (mut accepted, mut refused) = (0, 0);
    let mut differences = Vec::new();
    for _ in 0..source.cases() {
        let case = source.draw(|u| questions::draw(system, u));
        match questions::ask(&case) {
            Ok(Some(true)) => accepted += 1,
            Ok(Some(false)) => refused += 1,
            Ok(None) => {}
            Err(difference) => differences.push(difference),
        }
    }
    println!("{dialect}: {accepted} accepted, {refused} refused");
    let shown = &differences[..differences.len().min(20)];
    assert!(differences.is_empty(), "{dialect}: {} differences:\n{}", differences.len(), shown.join("\n"));
    // The test needs enough accepted requests and enough refused ones to compare both.
    let asked = source.cases();
    assert!(accepted > asked / 8 && refused > asked / 40, "{accepted} accepted, {refused} refused");
}

#[test]
fn every_system_is_asked() {
    common::each(&SYSTEMS, ask);
}

/// The requests lead to every error of the dialects, so that each error is compared with the rules of the reference.
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
