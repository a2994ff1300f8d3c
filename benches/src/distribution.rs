//! How a library's speeds are distributed over many workloads, which of them are below what their rows allow, and where
//! a peer is faster.

use std::collections::HashMap;
use std::fmt::Write;

use pad_kernels::{AxisPad, PadPlan, kernels::Isa};

use crate::competitor::Contract;
use crate::expectation::Rows;
use crate::record::{Record, best_peer, by_workload};
use crate::report::{NONE, digits, ratio, size, table, time};
use crate::workload::Workload;

/// How many of the slowest are named.
const WORST: usize = 10;

/// A peer that is so many times faster is faster whatever the noise of a machine that does nothing else.
const CLEARLY: f64 = 1.05;

/// A plan on a workload.
struct Measured<'a> {
    plan: &'a Record,
    workload: &'a Workload,
    /// To memcpy.
    ratio: f64,
    /// The ratio that the output's rows allow.
    allowed: f64,
}

impl Measured<'_> {
    /// Less than 1 is below what the rows allow.
    fn by_allowed(&self) -> f64 {
        self.ratio / self.allowed
    }
}

/// How far from memcpy's speed prepared plans are: a line per class and one for all, then the furthest below what their rows
/// allow, then where a peer is faster if any was measured. `isa` is what the plans were forced to.
pub fn distribution(records: &[Record], workloads: &[Workload], isa: Option<Isa>) -> String {
    let groups = by_workload(records);
    let workloads: HashMap<&str, &Workload> = workloads.iter().map(|one| (one.id.as_str(), one)).collect();
    let measured = groups.iter().filter_map(|group| {
        let plan = *group.iter().find(|record| record.competitor == "plan")?;
        let workload = *workloads.get(plan.workload.as_str())?;
        let ratio = plan.ratio(group);
        let allowed = Rows::of(workload).allow(ratio * plan.median_ns);
        Some(Measured { plan, workload, ratio, allowed })
    });
    let mut measured: Vec<Measured> = measured.collect();
    measured.sort_by(|a, b| a.by_allowed().total_cmp(&b.by_allowed()));
    let mut text = format!("{}\n{}", classes(&measured), slowest(&measured, isa));
    if let Some(behind) = behind(&groups, &workloads) {
        let _ = write!(text, "\n{behind}");
    }
    text
}

/// A line per class and one for all.
fn classes(measured: &[Measured<'_>]) -> String {
    let mut classes: Vec<&str> = measured.iter().map(|one| one.plan.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    let row = |name: &str, of: &[&Measured<'_>]| {
        let mut ratios: Vec<f64> = of.iter().map(|one| one.ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |part: f64| ratio(ratios[((ratios.len() - 1) as f64 * part).round() as usize]);
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        let below = of.iter().filter(|one| one.by_allowed() < 1.0).count();
        let mut row = vec![name.to_string(), of.len().to_string(), below.to_string(), ratio(mean.exp())];
        row.extend([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(at));
        row
    };
    let of_class = |class: &str| measured.iter().filter(|one| one.plan.class == class).collect::<Vec<_>>();
    let mut rows: Vec<_> = classes.iter().map(|class| row(class, &of_class(class))).collect();
    if !measured.is_empty() {
        rows.push(row("all", &measured.iter().collect::<Vec<_>>()));
    }
    let head = [
        "x memcpy",
        "workloads",
        "below what rows allow",
        "geometric mean",
        "least",
        "10 %",
        "25 %",
        "median",
        "75 %",
        "90 %",
        "most",
    ];
    table(&head, 1, &rows)
}

/// The first of them.
fn slowest(measured: &[Measured<'_>], isa: Option<Isa>) -> String {
    let row = |one: &Measured<'_>| {
        let mut row = request(one.workload);
        row.extend([
            executor_of(one.workload, isa),
            size(one.plan.bytes_out),
            time(one.plan.median_ns),
            ratio(one.ratio),
            ratio(one.allowed),
        ]);
        row
    };
    let rows: Vec<_> = measured.iter().take(WORST).map(row).collect();
    let head = [
        "the slowest by what rows allow",
        "type",
        "shape",
        "pads",
        "mode",
        "executor",
        "bytes out",
        "plan",
        "x memcpy",
        "rows allow",
    ];
    table(&head, 6, &rows)
}

/// Where the library is slower than the best peer of the same contract; `None` if no peer was measured beside it.
fn behind(groups: &[Vec<&Record>], workloads: &HashMap<&str, &Workload>) -> Option<String> {
    let mut comparisons = 0;
    let mut slower = Vec::new();
    for group in groups {
        for ours in group.iter().filter(|record| matches!(record.competitor.as_str(), "plan" | "alloc")) {
            let Some(peer) = best_peer(group, ours.contract, ours.threads) else { continue };
            comparisons += 1;
            let times = peer.speed() / ours.speed();
            if times > 1.0 {
                slower.push((times, *ours, peer));
            }
        }
    }
    if comparisons == 0 {
        return None;
    }
    slower.sort_by(|a, b| b.0.total_cmp(&a.0));
    let clearly = slower.iter().filter(|(times, ..)| *times > CLEARLY).count();
    let mut text = format!(
        "Slower than the best peer of the same contract in {} of {comparisons} comparisons, by more than {:.0} % in {clearly}.\n",
        slower.len(),
        (CLEARLY - 1.0) * 100.0
    );
    if slower.is_empty() {
        return Some(text);
    }
    let row = |(times, ours, peer): &(f64, &Record, &Record)| {
        let mut row = match workloads.get(ours.workload.as_str()) {
            Some(workload) => request(workload),
            None => [&ours.workload, NONE, NONE, NONE, NONE].map(str::to_string).into(),
        };
        let is_into = ours.contract == Contract::Into;
        row.extend([
            if is_into { "into" } else { "alloc" }.to_string(),
            peer.competitor.clone(),
            size(ours.bytes_out),
            time(ours.median_ns),
            time(peer.median_ns),
            digits(*times),
        ]);
        row
    };
    let rows: Vec<_> = slower.iter().map(row).collect();
    let head = [
        "slower than a peer",
        "type",
        "shape",
        "pads",
        "mode",
        "contract",
        "best peer",
        "bytes out",
        "library",
        "peer",
        "times slower",
    ];
    let _ = write!(text, "\n{}", table(&head, 7, &rows));
    Some(text)
}

/// What is asked for: name, type, shape, pads and mode.
fn request(workload: &Workload) -> Vec<String> {
    let Workload { id, class, dtype, shape, pads, mode, .. } = workload;
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    // What is drawn has an id that says everything once more.
    let id = match id.split_once('_') {
        Some((number, rest)) if rest.starts_with(class.as_str()) => format!("{number}_{class}"),
        _ => id.clone(),
    };
    let pads: Vec<String> = pads.iter().map(sides).collect();
    vec![id, dtype.to_string(), shape.join("x"), pads.join(", "), mode.to_string()]
}

/// `0`, `1:2`, `1:2 gap 3`.
fn sides(pad: &AxisPad) -> String {
    let AxisPad { low, high, interior } = *pad;
    let gap = if interior > 0 { format!(" gap {interior}") } else { String::new() };
    if (low, high) == (0, 0) { format!("0{gap}") } else { format!("{low}:{high}{gap}") }
}

fn executor_of(workload: &Workload, isa: Option<Isa>) -> String {
    let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype);
    let forced = plan.and_then(|plan| match isa {
        Some(isa) => plan.with_isa(isa),
        None => Ok(plan),
    });
    forced.map_or(NONE.into(), |plan| executor(&plan))
}

/// The name of what runs a plan.
pub fn executor(plan: &PadPlan) -> String {
    match (plan.moves(), plan.kernel()) {
        (Some(moves), _) => format!("{moves} moves"),
        (None, Some(kernel)) => kernel.name().to_string(),
        (None, None) => "any rank".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::workload::parse;

    fn workload(id: &str) -> Workload {
        let text = format!(
            r#"[{{"id":"{id}","class":"test","dtype":"f32","shape":[510,512],"pads":[[1,1],[1,-1]],"mode":"edge"}}]"#
        );
        parse(&text).unwrap().remove(0)
    }

    fn cells(text: &str, start: &str) -> Vec<String> {
        let line = text.lines().find(|line| line.starts_with(&format!("| {start} "))).unwrap();
        line.split('|').map(|cell| cell.trim().to_string()).collect()
    }

    #[test]
    fn the_furthest_below_comes_first() {
        let of = |workload, ns, ratio| record(workload, "plan", ns, ratio);
        let workloads = ["a", "b", "c"].map(workload);
        let text =
            distribution(&[of("a", 10.0, 1.0), of("b", 20.0, 0.5), of("c", 5.0, 2.0)], &workloads, None);
        assert_eq!(
            cells(&text, "all")[2..12],
            ["3", "1", "1.00", "0.50", "0.50", "1.00", "1.00", "2.00", "2.00", "2.00"]
        );
        let b = cells(&text, "b");
        assert_eq!(b[2..6], ["f32", "510x512", "1:1, 1:-1", "edge"]);
        assert_eq!(b[7..11], ["1.00 MiB", "20.0 ns", "0.50", "0.85"]);
        assert!(text.find("| b ").unwrap() < text.find("| a ").unwrap());
        assert!(!text.contains("peer"));
    }

    #[test]
    fn faster_peers_are_named() {
        let records = [
            record("a", "plan", 10.0, 1.0),
            record("a", "tortoise", 20.0, 0.5),
            record("b", "plan", 20.0, 0.5),
            record("b", "hare", 10.0, 1.0),
            record("b", "tortoise", 20.0, 0.5),
            Record { contract: Contract::Alloc, ..record("b", "alloc", 20.0, 0.5) },
        ];
        let text = distribution(&records, &["a", "b"].map(workload), None);
        assert!(text.contains("in 1 of 2 comparisons, by more than 5 % in 1."), "{text}");
        let table = &text[text.find("| slower than a peer").unwrap()..];
        assert_eq!(cells(table, "b")[6..12], ["into", "hare", "1.00 MiB", "20.0 ns", "10.0 ns", "2.00"]);
    }

    #[test]
    fn pads_are_written_by_their_sides() {
        let pads =
            [AxisPad::default(), AxisPad::new(1, 2).with_interior(3), AxisPad::new(0, 0).with_interior(1)];
        assert_eq!(pads.each_ref().map(sides), ["0", "1:2 gap 3", "0 gap 1"]);
    }
}
