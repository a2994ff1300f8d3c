//! Every pair of options of a run is tested, with options generated at random.

use arbitrary::Unstructured;
use spec_tests::generators::Source;
use spec_tests::options;
use spec_tests::oracles::Outcome;

/// The number of cases. With fewer cases, some seeds would miss the rarest pair of options.
const CASES: usize = 12_000;

#[test]
#[cfg_attr(miri, ignore = "threads")]
fn every_pair_of_options_is_run() {
    let outcomes = Source::check("every_pair_of_options_is_run", CASES, |_, u| {
        let choices = u.bytes(16)?;
        let (case, options) = options::draw(&mut Unstructured::new(choices), u)?;
        options::check(&case, &options)
    });
    Outcome::most_ran(&outcomes, 95);
    let pairs = options::pairs();
    println!("{} pairs, the rarest of them run {} times", pairs.possible, pairs.fewest);
    assert!(outcomes.len() < CASES || pairs.missed.is_empty(), "not run: {:#?}", pairs.missed);
}
