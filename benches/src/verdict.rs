//! The first lines of a report: whether the library is fast, and where it is not.

use std::fmt::Write;

use crate::competitor::Contract;
use crate::expectation::{LARGE, Rows};
use crate::ours::MEMCPY;
use crate::record::{Record, best_peer, by_workload};
use crate::report::{digits, size, time};
use crate::workload::Workload;

/// The minimum output size, in bytes, for which the operating system clears new pages in every call.
const NEW_PAGES: usize = 32 << 20;

/// Smaller differences between two times are noise.
const NOISE: f64 = 1.05;

/// A workload and a number.
type Named<'a> = (&'a str, f64);

/// Writes at most ten lines that say whether the library is fast, and where it is not.
pub fn verdict(records: &[Record], workloads: &[Workload]) -> String {
    let groups = by_workload(records);
    let of = |group: &[&Record], name: &str| -> Option<Record> {
        group
            .iter()
            .find(|record| record.competitor == name && record.threads == 1)
            .map(|&record| record.clone())
    };
    // Divides the first competitor's time by the second's, for each workload that both ran.
    let over = |name: &str, base: &str| -> Vec<Named<'_>> {
        let pair = |group: &Vec<&Record>| Some((of(group, name)?, of(group, base)?));
        let found = groups.iter().filter_map(|group| Some((group, pair(group)?)));
        found.map(|(group, (a, b))| (id(group), a.median_ns / b.median_ns)).collect()
    };
    let large = |group: &&Vec<&Record>| group[0].bytes_out >= LARGE;
    let mut lines = Vec::new();

    let plans: Vec<Named<'_>> = groups
        .iter()
        .filter(large)
        .filter_map(|group| Some((id(group), of(group, "plan")?.ratio(group))))
        .collect();
    if let Some((slowest, least)) = least(&plans) {
        lines.push(format!(
            "**Large outputs** ({} and more): the speed of a prepared plan is {} times that of memcpy (geometric mean of {} workloads). In \
             the slowest workload, {slowest}, it is {} times.",
            size(LARGE),
            digits(mean(&plans)),
            plans.len(),
            digits(least),
        ));
    }
    let times = |name: &str| -> Vec<Named<'_>> {
        let small = groups.iter().filter(|group| !large(group));
        small.filter_map(|group| Some((id(group), of(group, name)?.median_ns))).collect()
    };
    if let (Some(plan), Some(memcpy)) = (range(&times("plan"), time), range(&times(MEMCPY), time)) {
        lines.push(format!(
            "**Small outputs** (below {}): a prepared plan takes {plan}, and memcpy takes {memcpy}.",
            size(LARGE)
        ));
    }
    for (ours, contract, what) in [
        ("plan", Contract::Into, "that write into an existing buffer: a prepared plan"),
        ("alloc", Contract::Alloc, "that make a new tensor: a call that makes one (`alloc`)"),
    ] {
        let mut behind = Vec::new();
        let mut ahead: Vec<Named<'_>> = Vec::new();
        for group in &groups {
            let (Some(ours), Some(peer)) = (of(group, ours), best_peer(group, contract, 1)) else { continue };
            let times = ours.speed() / peer.speed();
            ahead.push((id(group), times));
            if digits(times) != "1.00" && times < 1.0 {
                behind.push(format!(
                    "{} ({} is {} times as fast)",
                    id(group),
                    peer.competitor,
                    digits(1.0 / times)
                ));
            }
        }
        if !ahead.is_empty() {
            let behind = if behind.is_empty() { "no workload".into() } else { behind.join(", ") };
            lines.push(format!(
                "**Other libraries** {what} is {} times as fast as the fastest of them (geometric mean of {} workloads). It is slower in {behind}.",
                digits(mean(&ahead)),
                ahead.len(),
            ));
        }
    }
    let once = over("oneshot", "plan");
    if let Some((id, most)) = most(&once) {
        lines.push(format!(
            "**One-shot calls** (`oneshot`) take {} times as long as prepared plans (geometric mean), and at most {} times as long ({id}).",
            digits(mean(&once)),
            digits(most),
        ));
    }
    let new: Vec<Named<'_>> = groups
        .iter()
        .filter(|group| group[0].bytes_out >= NEW_PAGES)
        .filter_map(|group| Some((id(group), of(group, "alloc")?.ratio(group))))
        .collect();
    if let Some(range) = range(&new, digits) {
        lines.push(format!(
            "**New tensors** of {} and more: the speed of a call is {range} times that of memcpy into an existing buffer. The operating system clears the memory of a new tensor first, which takes time.",
            size(NEW_PAGES)
        ));
    }
    let hint = over("streaming", "plan");
    if let (Some((slow, most)), Some((fast, least))) = (most(&hint), least(&hint)) {
        let slower = hint.iter().filter(|(_, times)| *times > NOISE).count();
        let faster = hint.iter().filter(|(_, times)| *times < 1.0 / NOISE).count();
        lines.push(format!(
            "**The streaming hint** makes {slower} of {} workloads slower, by a factor of at most {} ({slow}). It makes {faster} workloads faster, by a factor of at most {} ({fast}).",
            hint.len(),
            digits(most),
            digits(1.0 / least),
        ));
    }
    let judged: Vec<Option<String>> = groups
        .iter()
        .filter_map(|group| {
            let plan = of(group, "plan")?;
            let workload = workloads.iter().find(|workload| workload.id == plan.workload)?;
            let reached = plan.ratio(group);
            let allowed = Rows::of(workload).allow(plan.median_ns * reached);
            let misses = reached < allowed && digits(reached) != digits(allowed);
            let miss = || format!("{} ({} instead of {})", plan.workload, digits(reached), digits(allowed));
            Some(misses.then(miss))
        })
        .collect();
    if !judged.is_empty() {
        let missed: Vec<String> = judged.into_iter().flatten().collect();
        let missed = if missed.is_empty() { "no workload".into() } else { missed.join(", ") };
        lines
            .push(format!("**Goals** for the speed relative to memcpy: a plan misses its goal in {missed}."));
    }

    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
    text
}

fn id<'a>(group: &[&'a Record]) -> &'a str {
    &group[0].workload
}

fn mean(numbers: &[Named<'_>]) -> f64 {
    (numbers.iter().map(|(_, number)| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

fn least<'a>(numbers: &[Named<'a>]) -> Option<Named<'a>> {
    numbers.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
}

fn most<'a>(numbers: &[Named<'a>]) -> Option<Named<'a>> {
    numbers.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
}

fn range(numbers: &[Named<'_>], show: impl Fn(f64) -> String) -> Option<String> {
    Some(format!("{} to {}", show(least(numbers)?.1), show(most(numbers)?.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::workload::parse;

    #[test]
    fn slow_workloads_are_named() {
        let text = r#"[{"id":"fast","class":"c","dtype":"u8","shape":[1048574],"pads":[[1,1]],"mode":"edge"},
                       {"id":"slow","class":"c","dtype":"u8","shape":[1048574],"pads":[[1,1]],"mode":"edge"}]"#;
        let records = [
            record("fast", "memcpy", 100.0, 1.0),
            record("fast", "plan", 80.0, 1.25),
            record("fast", "oneshot", 160.0, 0.62),
            record("fast", "peer", 200.0, 0.5),
            record("slow", "memcpy", 100.0, 1.0),
            record("slow", "plan", 200.0, 0.5),
            record("slow", "streaming", 500.0, 0.2),
            record("slow", "peer", 100.0, 1.0),
        ];
        let text = verdict(&records, &parse(text).unwrap());
        for line in [
            "is 0.79 times that of memcpy (geometric mean of 2 workloads). In the slowest workload, slow, it is 0.50 times.",
            "is 1.12 times as fast as the fastest of them (geometric mean of 2 workloads). It is slower in slow (peer is 2.00 times as fast).",
            "**One-shot calls** (`oneshot`) take 2.00 times as long as prepared plans (geometric mean), and at most 2.00 times as long (fast).",
            "makes 1 of 1 workloads slower, by a factor of at most 2.50 (slow). It makes 0",
            "**Goals** for the speed relative to memcpy: a plan misses its goal in slow (0.50 instead of 0.85).",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert!(text.lines().count() <= 10, "{text}");
    }

    #[test]
    fn nothing_measured_has_no_figures() {
        assert_eq!(verdict(&[], &[]), "");
    }
}
