//! Rules that must hold between the results of two paddings.

use spec_tests::generators::Source;
use spec_tests::laws::{self, LAWS, Law};

mod common;

fn hold(law: &Law) {
    let said = Source::check(law.name, 600, |_, u| laws::check(*law, u));
    let spoke = said.iter().filter(|&&said| said).count();
    println!("{}: {spoke} of {} cases", law.name, said.len());
    assert!(spoke * 5 >= said.len(), "{}: only {spoke} cases", law.name);
}

#[test]
fn every_law_holds() {
    common::each(LAWS, hold);
}
