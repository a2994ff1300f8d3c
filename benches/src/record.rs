//! Reads, writes and merges files of measured results. Each line is a JSON object.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::competitor::Contract;
use crate::measure::median;
use crate::ours;

/// The result of one competitor for one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The workload's id.
    pub workload: String,
    /// The workload's class.
    pub class: String,
    /// The competitor's name.
    pub competitor: String,
    /// The nanoseconds per call: the median of the samples.
    pub median_ns: f64,
    /// The nanoseconds per call in the fastest sample.
    pub min_ns: f64,
    /// The size of the output in bytes.
    pub bytes_out: usize,
    /// The median time of memcpy in the same process, divided by `median_ns`. A higher number is better.
    pub ratio_memcpy: f64,
    /// The number of threads that the competitor may use.
    pub threads: usize,
    /// The destination of the competitor's output.
    pub contract: Contract,
}

/// The maximum size of outputs, in bytes, for which the time is mostly the overhead of the call.
const CALL_BOUND: usize = 16 << 10;

impl Record {
    /// Returns the number by which competitors for one workload are compared.
    ///
    /// For outputs of more than `CALL_BOUND` bytes, the number is the speed relative to memcpy in the same process. Results of
    /// different processes can then be compared. For smaller outputs, the number is calls per nanosecond, because a memcpy that
    /// Python calls takes longer than one that Rust calls.
    pub fn speed(&self) -> f64 {
        if self.bytes_out > CALL_BOUND { self.ratio_memcpy } else { 1.0 / self.median_ns }
    }

    /// Returns the speed relative to memcpy for tables. For small outputs, the base is memcpy in this group of records.
    pub fn ratio(&self, group: &[&Record]) -> f64 {
        let memcpy = group.iter().find(|record| record.is_memcpy() && record.threads == self.threads);
        match memcpy {
            Some(memcpy) if self.bytes_out <= CALL_BOUND => memcpy.median_ns / self.median_ns,
            _ => self.ratio_memcpy,
        }
    }

    /// Tells whether the competitor is this library.
    pub fn is_ours(&self) -> bool {
        ours::LIBRARY.contains(&self.competitor.as_str())
    }

    /// Tells whether the competitor is memcpy.
    pub fn is_memcpy(&self) -> bool {
        self.competitor == ours::MEMCPY
    }
}

/// Tells whether the competitor is another library.
pub fn is_peer(competitor: &str) -> bool {
    !ours::LIBRARY.contains(&competitor) && competitor != ours::MEMCPY
}

/// Reads the records of a file.
///
/// # Errors
///
/// The call fails if the file cannot be read, or if a line is not a record.
pub fn load(path: &Path) -> Result<Vec<Record>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}, line {}: {error}", path.display(), number + 1).into())
    };
    lines.map(record).collect()
}

/// Writes records as lines.
///
/// # Errors
///
/// The call fails if JSON cannot express a record. For a number that is not finite, it writes `null`, which [`load`] refuses.
pub fn to_lines(records: &[Record]) -> Result<String, Error> {
    let mut lines = String::new();
    for record in records {
        lines += &serde_json::to_string(record)?;
        lines.push('\n');
    }
    Ok(lines)
}

/// Joins the records of several files or runs. The function drops the records of memcpy from runs without this library, because
/// the times of memcpy in such runs are not comparable.
///
/// If no run contains this library, all records stay.
pub fn join(sources: &[Vec<Record>]) -> Vec<Record> {
    let ours: HashSet<&str> = sources
        .iter()
        .flatten()
        .filter(|record| record.is_ours())
        .map(|record| record.workload.as_str())
        .collect();
    let of_source = |source: &Vec<Record>| {
        let has_ours = source.iter().any(Record::is_ours);
        let stays =
            |record: &&Record| !record.is_memcpy() || has_ours || !ours.contains(record.workload.as_str());
        source.iter().filter(stays).cloned().collect::<Vec<_>>()
    };
    sources.iter().flat_map(of_source).collect()
}

/// Merges records, so that there is one per workload, competitor, contract and number of threads. `median_ns` and
/// `ratio_memcpy` become the medians of the merged records, and `min_ns` becomes the smallest `min_ns`.
///
/// A ratio refers to memcpy of its own process, so ratios of different processes are comparable. Times are not.
///
/// # Errors
///
/// The call fails if two records state different output sizes for a workload.
pub fn merge(records: &[Record]) -> Result<Vec<Record>, Error> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    let mut bytes = HashMap::new();
    for record in records {
        if *bytes.entry(&record.workload).or_insert(record.bytes_out) != record.bytes_out {
            return Err(format!("{}: outputs of different sizes under one name", record.workload).into());
        }
        let place = *(places.entry((&record.workload, &record.competitor, record.contract, record.threads)))
            .or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(record);
    }
    let one = |group: Vec<&Record>| {
        let middle =
            |of: fn(&Record) -> f64| median(&group.iter().map(|record| of(record)).collect::<Vec<_>>());
        Record {
            median_ns: middle(|record| record.median_ns),
            min_ns: group.iter().map(|record| record.min_ns).fold(f64::INFINITY, f64::min),
            ratio_memcpy: middle(|record| record.ratio_memcpy),
            ..group[0].clone()
        }
    };
    Ok(groups.into_iter().map(one).collect())
}

/// Groups records by workload. The groups are in the order in which their workloads first occur.
pub fn by_workload(records: &[Record]) -> Vec<Vec<&Record>> {
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    for record in records {
        match groups.iter_mut().find(|group| group[0].workload == record.workload) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    groups
}

/// Returns the fastest other library for a workload, with this contract and number of threads.
pub fn best_peer<'a>(group: &[&'a Record], contract: Contract, threads: usize) -> Option<&'a Record> {
    let fits = |record: &&&Record| {
        is_peer(&record.competitor) && record.contract == contract && record.threads == threads
    };
    group.iter().filter(fits).max_by(|a, b| a.speed().total_cmp(&b.speed())).copied()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(workload: &str, competitor: &str, median_ns: f64, ratio_memcpy: f64) -> Record {
        Record {
            workload: workload.into(),
            class: "test".into(),
            competitor: competitor.into(),
            median_ns,
            min_ns: median_ns - 1.0,
            bytes_out: 1 << 20,
            ratio_memcpy,
            threads: 1,
            contract: if competitor == "numpy" { Contract::Alloc } else { Contract::Into },
        }
    }

    #[test]
    fn a_line_is_what_the_format_says() {
        let line = to_lines(&[record("w", "numpy", 2.0, 0.5)]).unwrap();
        let expected = r#"{"workload":"w","class":"test","competitor":"numpy","median_ns":2.0,"min_ns":1.0,"#
            .to_string()
            + r#""bytes_out":1048576,"ratio_memcpy":0.5,"threads":1,"contract":"alloc"}"#;
        assert_eq!(line.trim_end(), expected);
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record("w", "numpy", 2.0, 0.5));
    }

    #[test]
    fn joining_keeps_the_memcpy_that_is_comparable() {
        let ours = vec![record("w", "memcpy", 4.0, 1.0), record("w", "plan", 4.0, 1.0)];
        let python = vec![record("w", "memcpy", 300.0, 1.0), record("w", "numpy", 600.0, 0.5)];
        let both = join(&[ours.clone(), python.clone()]);
        assert_eq!(both, [ours.clone(), vec![python[1].clone()]].concat());
        assert_eq!(join(std::slice::from_ref(&python)), python);
    }

    #[test]
    fn merging_takes_medians() {
        let runs = [
            record("w", "plan", 10.0, 1.0),
            record("v", "plan", 7.0, 1.0),
            record("w", "plan", 30.0, 0.4),
            record("w", "plan", 20.0, 0.6),
        ];
        let merged = merge(&runs).unwrap();
        assert_eq!(merged.len(), 2);
        assert_eq!((merged[0].median_ns, merged[0].min_ns, merged[0].ratio_memcpy), (20.0, 9.0, 0.6));
        assert_eq!(merged[1], runs[1]);
    }

    #[test]
    fn merging_keeps_contracts_and_threads_apart() {
        let one = record("w", "plan", 10.0, 1.0);
        let two = Record { threads: 2, ..one.clone() };
        let new = Record { contract: Contract::Alloc, ..one.clone() };
        assert_eq!(merge(&[one, two, new]).unwrap().len(), 3);
    }

    #[test]
    fn merging_refuses_other_workloads_of_the_same_name() {
        let one = record("w", "plan", 10.0, 1.0);
        let other = Record { bytes_out: 1, ..record("w", "numpy", 10.0, 1.0) };
        assert!(merge(&[one, other]).is_err());
    }

    #[test]
    fn the_best_peer_is_found_by_ratio() {
        let records = [
            record("w", "memcpy", 1.0, 1.0),
            record("w", "plan", 1.0, 1.0),
            record("w", "slow", 50.0, 0.2),
            record("w", "fast, in a slow process", 90.0, 0.9),
            record("w", "numpy", 1.0, 1.0),
        ];
        let group: Vec<_> = records.iter().collect();
        let name = |contract| best_peer(&group, contract, 1).unwrap().competitor.clone();
        assert_eq!(name(Contract::Into), "fast, in a slow process");
        assert_eq!(name(Contract::Alloc), "numpy");
        assert!(best_peer(&group, Contract::Into, 2).is_none());

        let tiny = records.map(|record| Record { bytes_out: 64, ..record });
        let group: Vec<_> = tiny.iter().collect();
        assert_eq!(tiny[2].ratio(&group), 0.02);
        assert_eq!(best_peer(&group, Contract::Into, 1).unwrap().competitor, "slow");
    }
}
