//! Every option of a run, drawn together.

use arbitrary::Unstructured;
use spec_tests::generators::Source;
use spec_tests::options;
use spec_tests::oracles::Outcome;

/// Runs of the pair of options that is drawn most rarely: fewer, and another seed may miss it.
const CASES: usize = 12_000;

#[test]
#[cfg_attr(miri, ignore = "threads")]
fn every_pair_of_options_is_run() {
    let outcomes = Source::check("every_pair_of_options_is_run", CASES, |_, u| {
        let choices = u.bytes(16)?;
        let (case, options) = options::draw(&mut Unstructured::new(choices), u)?;
        Ok(options::check(&case, &options))
    });
    Outcome::most_ran(&outcomes, 95);
    let pairs = options::pairs();
    println!("{} pairs, the rarest of them run {} times", pairs.possible, pairs.fewest);
    assert!(outcomes.len() < CASES || pairs.missed.is_empty(), "not run: {:#?}", pairs.missed);
}
