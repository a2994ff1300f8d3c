//! Rules that must hold between the results of two paddings.

use spec_tests::generators::Source;
use spec_tests::laws;
use spec_tests::oracles::Outcome;

#[test]
fn every_law_holds() {
    Outcome::most_ran(&Source::check("laws", 1200, |_, u| laws::check(u)), 95);
}
