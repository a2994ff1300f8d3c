//! Random bytes from a seed.

use std::env;
use std::thread;
use std::time::SystemTime;

use anyhow::Result;
use arbitrary::Unstructured;

/// A generator of random bytes for a number of cases.
///
/// The environment variable `PAD_SEED` sets the seed (`random` for a new one). `PAD_CASES` sets the number of cases, or a
/// fraction such as `1/20` of the usual number.
#[derive(Clone, Debug)]
pub struct Source {
    seed: u64,
    cases: usize,
    state: u64,
    bytes: Vec<u8>,
}

/// The seed if `PAD_SEED` is not set.
const SEED: u64 = 0x7061_642d_3235;

/// The number of words of 8 bytes that a draw takes.
const WORDS: usize = 96;

/// The number that SplitMix64 adds to its state for each word.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Source {
    /// Returns a source of `cases` cases, or of the number that the environment sets. Prints `name` and seed to standard error.
    pub fn new(name: &str, cases: usize) -> Source {
        let seed = match env::var("PAD_SEED") {
            Err(_) => SEED,
            Ok(text) if text == "random" => {
                SystemTime::UNIX_EPOCH.elapsed().map_or(SEED, |time| time.as_nanos() as u64)
            }
            Ok(text) => match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).expect("PAD_SEED is a number or `random`"),
                None => text.parse().expect("PAD_SEED is a number or `random`"),
            },
        };
        let cases = if cfg!(miri) { cases.div_ceil(500) } else { cases };
        let cases = env::var("PAD_CASES").map_or(cases, |text| match text.strip_prefix("1/") {
            Some(part) => cases.div_ceil(part.parse().expect("PAD_CASES is a number or a part, as 1/20")),
            None => text.parse().expect("PAD_CASES is a number or a part, as 1/20"),
        });
        eprintln!("{name}: PAD_SEED={seed:#x} PAD_CASES={cases}");
        let state = name.bytes().fold(seed, |state, byte| next(&mut { state ^ u64::from(byte) }));
        Source { seed, cases, state, bytes: Vec::new() }
    }

    /// Returns a source with this seed. It ignores the environment.
    pub fn of_seed(seed: u64, cases: usize) -> Source {
        Source { seed, cases, state: seed, bytes: Vec::new() }
    }

    /// Calls `check` with random bytes for each of `cases` cases, on all processors, and returns the results in order. Panics at a
    /// mismatch, with the seed in its message.
    pub fn check<T: Send>(
        name: &str,
        cases: usize,
        check: impl Fn(usize, &mut Unstructured<'_>) -> Result<T> + Sync,
    ) -> Vec<T> {
        let source = Source::new(name, cases);
        let (seed, cases) = (source.seed, source.cases);
        let one = &|i| match source.after(i).draw(|u| Ok(check(i, u))) {
            Ok(found) => found,
            Err(what) => panic!("{name}, case {i} of PAD_SEED={seed:#x}:\n{what:#}"),
        };
        if cfg!(any(miri, target_family = "wasm")) {
            return (0..cases).map(one).collect();
        }
        // The threads are not those of a rayon pool, because a check that waits for rayon would begin another check.
        let each = cases.div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
        thread::scope(|scope| {
            let part = |start: usize| (start..(start + each).min(cases)).map(one).collect::<Vec<T>>();
            let parts = (0..cases).step_by(each).map(|start| scope.spawn(move || part(start)));
            let threads: Vec<_> = parts.collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("a case failed, and its message is above"))
                .collect()
        })
    }

    /// Returns the source as it is after `draws` draws.
    fn after(&self, draws: usize) -> Source {
        let steps = (draws * WORDS) as u64;
        Source { state: self.state.wrapping_add(STEP.wrapping_mul(steps)), ..self.clone() }
    }

    pub fn cases(&self) -> usize {
        self.cases
    }

    pub fn draw<T>(&mut self, draw: impl FnOnce(&mut Unstructured<'_>) -> arbitrary::Result<T>) -> T {
        self.bytes.clear();
        add_bytes(&mut self.bytes, &mut self.state);
        draw(&mut Unstructured::new(&self.bytes)).expect("draws do without bytes")
    }
}

/// Adds the random bytes for one case.
pub(crate) fn add_bytes(bytes: &mut Vec<u8>, state: &mut u64) {
    for _ in 0..WORDS {
        bytes.extend_from_slice(&next(state).to_le_bytes());
    }
}

/// Returns the next number of the generator SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(STEP);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
