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
    let mut source = Source::new("every_pair_of_options_is_run", CASES);
    let mut ran = 0;
    for i in 0..source.cases() {
        let (case, options) = source.draw(|u| {
            let choices = u.bytes(16)?;
            options::draw(&mut Unstructured::new(choices), u)
        });
        match options::check(&case, &options) {
            Ok(Outcome::Ran) => ran += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(mismatch) => panic!("case {i} of PAD_SEED={:#x}:\n{mismatch}", source.seed()),
        }
    }
    assert!(ran * 100 >= source.cases() * 95, "only {ran} cases ran");
    let pairs = options::pairs();
    println!("{} pairs, the rarest of them run {} times", pairs.possible, pairs.fewest);
    assert!(source.cases() < CASES || pairs.missed.is_empty(), "not run: {:#?}", pairs.missed);
}
