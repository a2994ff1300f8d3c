//! Measures competitors in turns, each with its own warm buffers.
//!
//! Short calls are measured in batches, so that the timer and the scheduler do not matter. Two calls before each sample are not
//! timed. They bring the competitor's buffers back into the caches, which the previous competitor may have evicted.

use std::time::{Duration, Instant};

use crate::case::Case;
use crate::competitor::{Checked, Competitor, Contract, checked};
use crate::ours::MEMCPY;
use crate::record::Record;
use crate::workload::Workload;

/// The minimum output size, in bytes, for which competitors are measured one at a time, so that all buffers fit the memory.
pub const ALONE_FROM: usize = 256 << 20;

/// The number of untimed calls before each sample.
const WARM_UP: usize = 2;

/// The minimum length of a sample. It is about a thousand times as long as reading the timer.
const SAMPLE: Duration = Duration::from_micros(40);

/// The maximum and the minimum number of samples per competitor.
const ROUNDS: (usize, usize) = (31, 5);

/// The time after which a competitor gets only the minimum number of samples.
const BUDGET: Duration = Duration::from_millis(1500);

/// The results for one case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One record per competitor with the right output, memcpy first.
    pub records: Vec<Record>,
    /// The wrong outputs and the panics.
    pub dropped: Vec<String>,
}

/// Checks and measures `competitors`. The first one is memcpy.
///
/// `rounds` is the number of samples. Without it, the number depends on the time that the samples take. The function calls
/// `progress` with the name of the next competitor.
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
    if case.output_bytes() < ALONE_FROM || competitors.len() == 1 {
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
        // The check runs before memcpy has its buffer, because some libraries need extra memory to show their output.
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

/// A competitor with its samples.
struct Lane<'a> {
    competitor: Checked<'a>,
    calls: usize,
    /// The nanoseconds of one call.
    samples: Vec<f64>,
    spent: Duration,
}

impl<'a> Lane<'a> {
    /// Finds the number of calls per sample.
    fn new(mut competitor: Checked<'a>) -> Self {
        competitor.prepared.run(WARM_UP);
        let mut calls = 1;
        loop {
            let time = time(&mut competitor, calls);
            if time >= SAMPLE {
                return Lane { competitor, calls, samples: Vec::new(), spent: Duration::ZERO };
            }
            // The number grows at most tenfold per step, because the first calls are slow.
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

/// Takes samples in turns. Each round starts with another competitor.
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

/// Returns the middle sample, or the mean of the two middle samples.
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
