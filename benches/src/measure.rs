//! Measuring: interleaved, each competitor on its own warm buffers.
//!
//! Timer and scheduler are not to be seen in a sample: short calls are measured in batches. Two untimed calls before each
//! sample bring a competitor's own buffers back into the caches: what stores past the caches would otherwise make the next
//! one slow.

use std::time::{Duration, Instant};

use crate::case::Case;
use crate::competitor::{Checked, Competitor, Contract, checked};
use crate::ours::MEMCPY;
use crate::record::Record;
use crate::workload::Workload;

/// Outputs from here on are measured one competitor at a time, with memcpy beside each: not all buffers fit into memory.
pub const ALONE_FROM: usize = 256 << 20;

/// Untimed calls before each sample.
const WARM_UP: usize = 2;

/// A sample is at least this long; the timer's own time is a thousandth of it.
const SAMPLE: Duration = Duration::from_micros(40);

/// Most samples of a competitor, and fewest, whatever time they take.
const ROUNDS: (usize, usize) = (31, 5);

/// Time after which a competitor gets no more than the fewest samples.
const BUDGET: Duration = Duration::from_millis(1500);

/// What came out for one case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One per competitor that gave the right bytes, memcpy first.
    pub records: Vec<Record>,
    /// Wrong answers and panics.
    pub dropped: Vec<String>,
}

/// Checks and measures `competitors`, the first of which is memcpy. `rounds` is the number of samples of each, if it is
/// not to be found by the time they take. `progress` is told who is next.
pub fn measure(
    case: &Case,
    competitors: &[Competitor],
    rounds: Option<usize>,
    mut progress: impl FnMut(&str),
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut check = |competitor: &Competitor, dropped: &mut Vec<String>| {
        progress(competitor.name);
        checked(competitor, case).unwrap_or_else(|wrong| {
            dropped.push(format!("{} on {}: {wrong}", competitor.name, case.workload.id));
            None
        })
    };
    if case.output_bytes() < ALONE_FROM {
        let ready = competitors.iter().filter_map(|one| check(one, &mut outcome.dropped)).map(Lane::new);
        let mut lanes: Vec<Lane<'_>> = Vec::from_iter(ready);
        interleave(&mut lanes, rounds);
        let memcpy = median(&lanes[0].samples);
        let record = |lane: &Lane<'_>| lane.record(&case.workload, case.settings.threads, memcpy);
        outcome.records = lanes.iter().map(record).collect();
        return outcome;
    }
    let mut memcpy_samples = Vec::new();
    for competitor in &competitors[1..] {
        // Checked before memcpy has its buffer, as peers may need more to show their bytes.
        let Some(ready) = check(competitor, &mut outcome.dropped) else { continue };
        let Some(memcpy) = check(&competitors[0], &mut outcome.dropped) else { continue };
        let mut lanes = [Lane::new(memcpy), Lane::new(ready)];
        interleave(&mut lanes, rounds);
        let record = lanes[1].record(&case.workload, case.settings.threads, median(&lanes[0].samples));
        outcome.records.push(record);
        memcpy_samples.append(&mut lanes[0].samples);
    }
    if !memcpy_samples.is_empty() {
        let (median, threads) = (median(&memcpy_samples), case.settings.threads);
        let memcpy = record(&case.workload, threads, MEMCPY, Contract::Into, &memcpy_samples, median);
        outcome.records.insert(0, memcpy);
    }
    outcome
}

/// A competitor and its samples.
struct Lane<'a> {
    competitor: Checked<'a>,
    calls: usize,
    /// Nanoseconds of one call.
    samples: Vec<f64>,
    spent: Duration,
}

impl<'a> Lane<'a> {
    /// Finds how many calls make a sample.
    fn new(mut competitor: Checked<'a>) -> Self {
        competitor.prepared.run(WARM_UP);
        let mut calls = 1;
        loop {
            let time = time(&mut competitor, calls);
            if time >= SAMPLE {
                return Lane { competitor, calls, samples: Vec::new(), spent: Duration::ZERO };
            }
            // At most tenfold, as the first calls are slow.
            let wanted = SAMPLE.as_nanos() * calls as u128 / time.as_nanos().max(1);
            calls = (wanted as usize + wanted as usize / 8 + 1).clamp(calls + 1, 10 * calls);
        }
    }

    fn sample(&mut self) {
        let start = Instant::now();
        self.competitor.prepared.run(WARM_UP);
        let time = time(&mut self.competitor, self.calls);
        self.samples.push(time.as_secs_f64() * 1e9 / self.calls as f64);
        self.spent += start.elapsed();
    }

    fn record(&self, workload: &Workload, threads: usize, memcpy: f64) -> Record {
        let Checked { name, contract, .. } = self.competitor;
        record(workload, threads, name, contract, &self.samples, memcpy)
    }
}

/// One after the other, each round beginning with another.
fn interleave(lanes: &mut [Lane<'_>], rounds: Option<usize>) {
    for round in 0..rounds.unwrap_or(ROUNDS.0) {
        for i in 0..lanes.len() {
            let lane = (round + i) % lanes.len();
            let lane = &mut lanes[lane];
            if rounds.is_some() || lane.spent < BUDGET || lane.samples.len() < ROUNDS.1 {
                lane.sample();
            }
        }
    }
}

fn time(competitor: &mut Checked<'_>, calls: usize) -> Duration {
    let start = Instant::now();
    competitor.prepared.run(calls);
    start.elapsed()
}

fn record(
    workload: &Workload,
    threads: usize,
    name: &str,
    contract: Contract,
    samples: &[f64],
    memcpy: f64,
) -> Record {
    let median = median(samples);
    Record {
        workload: workload.id.clone(),
        class: workload.class.clone(),
        competitor: name.to_string(),
        median_ns: median,
        min_ns: samples.iter().copied().fold(f64::INFINITY, f64::min),
        bytes_out: workload.output_bytes(),
        ratio_memcpy: memcpy / median,
        threads,
        contract,
    }
}

/// The middle one, or the mean of the middle two.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        len if len % 2 == 0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Settings;
    use crate::ours;
    use crate::workload::parse;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_tiny_workload_is_measured() {
        let text = r#"[{"id":"a","class":"tiny","dtype":"u8","shape":[3],"pads":[[1,1]],"mode":"edge"}]"#;
        let case = Case::new(&parse(text).unwrap()[0], Settings { isa: None, threads: 1 }).unwrap();
        let outcome = measure(&case, &ours::all(), Some(2), |_| ());
        assert!(outcome.dropped.is_empty());
        let names: Vec<_> = outcome.records.iter().map(|record| record.competitor.as_str()).collect();
        assert_eq!(names, ["memcpy", "plan", "streaming", "oneshot", "alloc", "generic"]);
        for record in outcome.records {
            assert!(record.min_ns > 0.0 && record.min_ns <= record.median_ns && record.bytes_out == 5);
        }
    }
}
