//! Writes records as Markdown tables.

use std::fmt::Write;

use crate::competitor::Contract;
use crate::expectation::{CALL_NS, LARGE, LONG_ROW, LONG_ROWS, ROW_NS, Rows, SHORT_ROWS};
use crate::record::{Record, best_peer, by_workload};
use crate::verdict::verdict;
use crate::workload::Workload;

/// The content of a cell without a number.
pub(crate) const NONE: &str = "-";

/// Writes an aligned Markdown table. The first `names` columns are aligned left, and the others right. `head` separates column
/// names by ` | `.
pub fn table(head: &str, names: usize, rows: &[Vec<String>]) -> String {
    let head: Vec<&str> = head.split(" | ").collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            let space = " ".repeat(width - cell.chars().count());
            let (before, after) = if i < names { (String::new(), space) } else { (space, String::new()) };
            let _ = write!(text, "| {before}{cell}{after} ");
        }
        text.push_str("|\n");
    };
    line(&head.iter().map(ToString::to_string).collect::<Vec<_>>());
    let rule = |(i, &width): (usize, &usize)| {
        let dashes = "-".repeat(width - 1);
        if i < names { format!("{dashes}-") } else { format!("{dashes}:") }
    };
    line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
    text
}

/// Writes all results for one workload: medians, minima, and ratios to memcpy and to the best library with the same contract.
pub fn details(records: &[Record]) -> String {
    let head =
        "workload | competitor | contract | median | minimum | GB/s | x memcpy | x best peer | best peer";
    let mut rows = Vec::new();
    for group in by_workload(records) {
        for record in &group {
            let peer = best_peer(&group, record.contract, record.threads).filter(|_| !record.is_memcpy());
            rows.push(vec![
                record.workload.clone(),
                name(record),
                record.contract.name().to_string(),
                time(record.median_ns),
                time(record.min_ns),
                digits(record.bytes_out as f64 / record.median_ns),
                digits(record.ratio(&group)),
                peer.map_or(NONE.into(), |peer| digits(record.speed() / peer.speed())),
                peer.map_or(NONE.into(), name),
            ]);
        }
    }
    table(head, 3, &rows)
}

/// Writes a line per workload: the ways to call this library, the expected speed, the best other libraries, and the ratios to
/// them.
pub fn summary(records: &[Record], workloads: &[Workload]) -> String {
    let head = "workload | bytes out | memcpy | plan | rows allow | streaming | oneshot | alloc | generic | best peer, into | plan / it | best peer, alloc | alloc / it";
    let mut rows = Vec::new();
    for group in by_workload(records) {
        let mut threads: Vec<usize> = group.iter().map(|record| record.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        for threads in threads {
            let of = |name: &str| {
                group.iter().find(|record| record.competitor == name && record.threads == threads).copied()
            };
            let cell = |name: &str| {
                of(name).map_or(NONE.into(), |record| {
                    format!("{} {}", time(record.median_ns), digits(record.ratio(&group)))
                })
            };
            let allowed = of("plan").and_then(|plan| {
                let workload = workloads.iter().find(|workload| workload.id == plan.workload)?;
                Some(digits(Rows::of(workload).allow(plan.median_ns * plan.ratio(&group))))
            });
            let peer = |contract| best_peer(&group, contract, threads);
            let peer_cell = |contract| {
                peer(contract)
                    .map_or(NONE.into(), |peer| format!("{} {}", peer.competitor, digits(peer.ratio(&group))))
            };
            let ahead = |ours, contract| match (of(ours), peer(contract)) {
                (Some(ours), Some(peer)) => digits(ours.speed() / peer.speed()),
                _ => NONE.into(),
            };
            let suffix = if threads > 1 { format!(", {threads} threads") } else { String::new() };
            rows.push(vec![
                format!("{}{suffix}", group[0].workload),
                size(group[0].bytes_out),
                of("memcpy").map_or(NONE.into(), |record| time(record.median_ns)),
                cell("plan"),
                allowed.unwrap_or(NONE.into()),
                cell("streaming"),
                cell("oneshot"),
                cell("alloc"),
                cell("generic"),
                peer_cell(Contract::Into),
                ahead("plan", Contract::Into),
                peer_cell(Contract::Alloc),
                ahead("alloc", Contract::Alloc),
            ]);
        }
    }
    table(head, 1, &rows)
}

/// Writes a report: the verdict, a legend, the machine, an overview, a table per class, failed competitors, and all records.
pub fn markdown(
    records: &[Record],
    workloads: &[Workload],
    machine: &[String],
    command: &str,
    dropped: &[String],
    overview: &str,
) -> String {
    let mut text = format!(
        "<!-- Generated by compare --markdown. Do not edit. -->\n\n# Benchmark report\n\nThis report says how fast the library is, and in which workloads it is slow. A workload is a pad with a shape, an element type and widths. `memcpy` is a copy of as many bytes as the output has.\n\n{}",
        verdict(records, workloads)
    );
    text.push_str(
        "\n## How to read the tables\n\n\
         - Numbers without a unit are speeds relative to memcpy. Such a speed is the time of a memcpy of the output's bytes, divided by the \
         time of the library. 1.0 is as fast as memcpy, and higher is better. Both ran in one process, \
         except for Python libraries with outputs of up to 16 KiB.\n\
         - A time is the median of its samples. Unless a row says otherwise, each library used one thread. Each library was measured only if \
         its output had the bytes of the reference implementation. For outputs of 256 MiB and more, each library has a memcpy of its own, \
         and the column `memcpy` shows the median of all samples.\n\
         - These columns are ways to call this library. `plan` is a prepared plan. `streaming` is a plan with the hint that the program \
         does not read the output soon. `oneshot` makes the plan in each call. `alloc` makes the plan and a new tensor in each call. \
         `generic` is the loop in safe code.\n\
         - `best peer` is the fastest other library, and the column after it says how many times as fast this library is. Libraries are \
         compared only if they write to the same place, which is an existing buffer (`into`) or a new tensor (`alloc`). For outputs of up \
         to 16 KiB, this comparison uses times, because a memcpy from Python takes another time than one from Rust.\n\
         - [workloads.json](workloads.json) describes each workload and names the program that needs it.\n",
    );
    let _ = writeln!(
        text,
        "- `rows allow` is the goal for the speed of a plan. The goal is {LONG_ROWS} if rows of the output have {LONG_ROW} bytes or more, and {SHORT_ROWS} \
         otherwise. For an output below {}, a plan also meets the goal if it takes at most {CALL_NS} ns plus {ROW_NS} ns per row.",
        size(LARGE)
    );
    text.push_str("\n## Machine\n\n");
    for line in machine {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "\nCommand: `{command}`");
    let mut classes: Vec<&str> = Vec::new();
    for record in records {
        if !classes.contains(&record.class.as_str()) {
            classes.push(&record.class);
        }
    }
    if !overview.is_empty() {
        let _ = writeln!(text, "\n{}", overview.trim_end());
    }
    for class in classes {
        let of_class: Vec<Record> = records.iter().filter(|record| record.class == class).cloned().collect();
        let _ = writeln!(text, "\n## {class}\n\n{}", summary(&of_class, workloads).trim_end());
    }
    if !dropped.is_empty() {
        text.push_str("\n## Not measured because of wrong bytes or a panic\n\n");
        for line in dropped {
            let _ = writeln!(text, "- {line}");
        }
    }
    let _ = writeln!(text, "\n## All records\n\n{}", details(records).trim_end());
    text
}

fn name(record: &Record) -> String {
    let Record { competitor, threads, .. } = record;
    if *threads == 1 { competitor.clone() } else { format!("{competitor}, {threads} threads") }
}

/// Rounds to three digits, which is more than the precision of the machine.
pub(crate) fn digits(value: f64) -> String {
    let places = match value {
        value if value < 0.0995 => 3,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$}")
}

pub(crate) fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{} ns", digits(ns)),
        ns if ns < 1e6 => format!("{} us", digits(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", digits(ns / 1e6)),
        ns => format!("{} s", digits(ns / 1e9)),
    }
}

pub(crate) fn size(bytes: usize) -> String {
    match bytes as f64 {
        bytes if bytes < 1024.0 => format!("{bytes} B"),
        bytes if bytes < 1048576.0 => format!("{} KiB", digits(bytes / 1024.0)),
        bytes => format!("{} MiB", digits(bytes / 1048576.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::workload::parse;

    fn records() -> Vec<Record> {
        vec![
            record("w", "memcpy", 100.0, 1.0),
            record("w", "plan", 80.0, 1.25),
            record("w", "peer", 200.0, 0.5),
            Record { contract: Contract::Alloc, ..record("w", "alloc", 1e7, 0.9) },
            record("w", "numpy", 1e7, 0.3),
        ]
    }

    fn workloads() -> Vec<Workload> {
        let text =
            r#"[{"id":"w","class":"test","dtype":"u8","shape":[1048574],"pads":[[1,1]],"mode":"edge"}]"#;
        parse(text).unwrap()
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.0123, 0.123, 9.994, 9.996].map(digits), ["0.012", "0.12", "9.99", "10.0"]);
        assert_eq!([99.96, 1234.0].map(digits), ["100", "1234"]);
        assert_eq!([7.0, 7e3, 7e7, 7e9].map(time), ["7.00 ns", "7.00 us", "70.0 ms", "7.00 s"]);
        assert_eq!([7, 1 << 14, 5 << 20].map(size), ["7 B", "16.0 KiB", "5.00 MiB"]);
    }

    #[test]
    fn a_table_is_aligned() {
        let text =
            table("a | number", 1, &[vec!["long name".into(), "1".into()], vec!["b".into(), "12".into()]]);
        assert_eq!(
            text,
            "| a         | number |\n| --------- | -----: |\n| long name |      1 |\n| b         |     12 |\n"
        );
    }

    #[test]
    fn details_compare_equals() {
        let text = details(&records());
        let row = |name: &str| {
            let mut lines = text.lines().filter(|line| line.contains(&format!("| {name:<10} |")));
            let cells = lines.next().unwrap().split('|').map(|cell| cell.trim().to_string());
            cells.collect::<Vec<_>>()
        };
        assert_eq!(row("plan")[3..10], ["into", "80.0 ns", "79.0 ns", "13107", "1.25", "2.50", "peer"]);
        assert_eq!(row("alloc")[3..10], ["alloc", "10.0 ms", "10.0 ms", "0.10", "0.90", "3.00", "numpy"]);
        assert_eq!(row("memcpy")[8..10], ["-", "-"]);
    }

    #[test]
    fn the_summary_is_a_line_per_workload() {
        let text = summary(&records(), &workloads());
        let last = text.lines().last().unwrap();
        assert_eq!(text.lines().count(), 3);
        for cell in ["1.00 MiB", "100 ns", "80.0 ns 1.25", "0.85", "peer 0.50", "2.50", "numpy 0.30", "3.00"]
        {
            assert!(last.contains(&format!(" {cell} |")), "{cell} in {last}");
        }
    }

    #[test]
    fn the_report_names_what_was_dropped() {
        let text = markdown(
            &records(),
            &workloads(),
            &["machine".into()],
            "compare",
            &["liar on w: wrong".into()],
            "",
        );
        assert!(
            text.contains("- machine\n") && text.contains("- liar on w: wrong\n") && text.contains("## test")
        );
    }

    #[test]
    fn the_overview_stands_before_the_classes() {
        let text = markdown(&records(), &[], &[], "compare", &[], "of many\n");
        let at = |part: &str| text.find(part).unwrap();
        assert!(at("**Large outputs**") < at("\nof many\n") && at("\nof many\n") < at("\n## test\n"));
        assert!(at("\n## test\n") < at("\n## All records\n"));
    }
}
