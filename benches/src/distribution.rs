//! Reports the distribution of speeds over many workloads, and the workloads that are slowest relative to the expected speed.

use std::collections::HashMap;

use pad_kernels::{AxisPad, PadPlan, kernels::Isa};

use crate::expectation::Rows;
use crate::record::{Record, by_workload};
use crate::report::{NONE, digits, size, table, time};
use crate::workload::Workload;

/// The number of slow workloads to list.
const WORST: usize = 20;

/// The measurement of a plan for a workload.
struct Measured<'a> {
    plan: &'a Record,
    workload: &'a Workload,
    /// The speed relative to memcpy.
    ratio: f64,
    /// The relative speed that the length of the output's rows allows.
    allowed: f64,
}

impl Measured<'_> {
    /// Returns the measured time divided by the expected time, which the speed `allowed` gives.
    fn by_expected(&self) -> f64 {
        self.allowed / self.ratio
    }
}

/// Writes a line per class, a line for all classes, and the slowest workloads. `isa` is the instruction set that the plans had to
/// use.
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
    measured.sort_by(|a, b| b.by_expected().total_cmp(&a.by_expected()));
    format!("{}\n{}", classes(&measured), slowest(&measured, isa))
}

/// Writes a line per class and one for all classes.
fn classes(measured: &[Measured<'_>]) -> String {
    let mut classes: Vec<&str> = measured.iter().map(|one| one.plan.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    let row = |name: &str, of: &[&Measured<'_>]| {
        let mut ratios: Vec<f64> = of.iter().map(|one| one.ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |part: f64| digits(ratios[((ratios.len() - 1) as f64 * part).round() as usize]);
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        let over = |factor| of.iter().filter(|one| one.by_expected() > factor).count().to_string();
        let mut row =
            vec![name.to_string(), of.len().to_string(), over(1.0), over(2.0), over(3.0), digits(mean.exp())];
        row.extend([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(at));
        row
    };
    let of_class = |class: &str| measured.iter().filter(|one| one.plan.class == class).collect::<Vec<_>>();
    let mut rows: Vec<_> = classes.iter().map(|class| row(class, &of_class(class))).collect();
    if !measured.is_empty() {
        rows.push(row("all", &measured.iter().collect::<Vec<_>>()));
    }
    let head = "x memcpy | workloads | below what rows allow | over 2 x expected | over 3 x expected | geometric mean | least | 10 % | 25 % | median | 75 % | 90 % | most";
    table(head, 1, &rows)
}

/// Writes the slowest workloads.
fn slowest(measured: &[Measured<'_>], isa: Option<Isa>) -> String {
    let row = |one: &Measured<'_>| {
        let mut row = request(one.workload);
        row.extend([
            executor_of(one.workload, isa),
            size(one.plan.bytes_out),
            time(one.plan.median_ns),
            digits(one.ratio),
            digits(one.allowed),
            digits(one.by_expected()),
        ]);
        row
    };
    let rows: Vec<_> = measured.iter().take(WORST).map(row).collect();
    let head = "the slowest by what rows allow | type | shape | pads | mode | executor | bytes out | plan | x memcpy | rows allow | x expected";
    table(head, 6, &rows)
}

/// Returns the cells that describe a request: name, type, shape, pads and mode.
fn request(workload: &Workload) -> Vec<String> {
    let Workload { id, class, dtype, shape, pads, mode, .. } = workload;
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    // The id of a random workload repeats its whole description.
    let id = match id.split_once('_') {
        Some((number, rest)) if rest.starts_with(class.as_str()) => format!("{number}_{class}"),
        _ => id.clone(),
    };
    let pads: Vec<String> = pads.iter().map(sides).collect();
    vec![id, dtype.to_string(), shape.join("x"), pads.join(", "), mode.to_string()]
}

/// Writes a pad as `0`, `1:2` or `1:2 gap 3`.
fn sides(pad: &AxisPad) -> String {
    let AxisPad { low, high, interior } = *pad;
    let gap = if interior > 0 { format!(" gap {interior}") } else { String::new() };
    if (low, high) == (0, 0) { format!("0{gap}") } else { format!("{low}:{high}{gap}") }
}

/// Returns the name of the code that runs the plan.
fn executor_of(workload: &Workload, isa: Option<Isa>) -> String {
    let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype);
    let forced = plan.and_then(|plan| match isa {
        Some(isa) => plan.with_isa(isa),
        None => Ok(plan),
    });
    forced.map_or(NONE.into(), |plan| match (plan.moves(), plan.kernel()) {
        (Some(moves), _) => format!("{moves} moves"),
        (None, Some(kernel)) => kernel.name().to_string(),
        (None, None) => "any rank".to_string(),
    })
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
            cells(&text, "all")[2..14],
            ["3", "1", "0", "0", "1.00", "0.50", "0.50", "1.00", "1.00", "2.00", "2.00", "2.00"]
        );
        let b = cells(&text, "b");
        assert_eq!(b[2..6], ["f32", "510x512", "1:1, 1:-1", "edge"]);
        assert_eq!(b[7..12], ["1.00 MiB", "20.0 ns", "0.50", "0.85", "1.70"]);
        assert!(text.find("| b ").unwrap() < text.find("| a ").unwrap());
        assert!(!text.contains("peer"));
    }

    #[test]
    fn pads_are_written_by_their_sides() {
        let pads =
            [AxisPad::default(), AxisPad::new(1, 2).with_interior(3), AxisPad::new(0, 0).with_interior(1)];
        assert_eq!(pads.each_ref().map(sides), ["0", "1:2 gap 3", "0 gap 1"]);
    }
}
