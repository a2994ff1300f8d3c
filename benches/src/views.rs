//! Views of ndarray, padded into the caller's array: what a layout costs beside the contiguous one.
//!
//! Each is padded with a plan made in the call, as callers of the extension trait do; ndarray fills the output and assigns
//! the view to its inside, which is what its users write, and knows constant borders only.

use std::hint::black_box;

use bytemuck::Pod;
use ndarray::{
    Array, Array3, ArrayView, ArrayViewMut, Axis, AxisDescription, Dimension, ShapeBuilder, Slice,
};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{AxisPad, DType, Element, PadMode};

use crate::Error;
use crate::case::Settings;
use crate::check::Expected;
use crate::competitor::{Checked, Contract, Look, Prepared, compared, into_own};
use crate::data::{Buffer, paint};
use crate::measure::{Outcome, measure_checked};
use crate::ours::MEMCPY;
use crate::record::{Record, by_workload};
use crate::report::{NONE, ratio, size, table, time};
use crate::workload::Workload;

/// The library's name in these records.
pub const PAD_INTO: &str = "pad_into";

/// The competitor's.
pub const NDARRAY: &str = "ndarray";

/// The view that the others of its class are compared with.
const CONTIGUOUS: &str = "contiguous";

/// The view whose output is a slice.
const OUTPUT_SLICE: &str = "output_slice";

/// What a slice leaves out of the array that it is of, on every side of every axis.
const MARGIN: usize = 8;

/// An axis from its last element to its first.
const BACKWARDS: Slice = Slice { start: 0, end: None, step: -1 };

const MODES: [PadMode; 2] = [PadMode::Constant, PadMode::Reflect];

/// Views that are alike in all but layout: a name, the type, which axes are padded by 1, and the views with their shapes.
struct Class {
    name: &'static str,
    dtype: DType,
    padded: [bool; 3],
    views: &'static [(&'static str, &'static [usize])],
}

const CLASSES: [Class; 4] = [
    Class {
        name: "matrix",
        dtype: DType::F32,
        padded: [true; 3],
        views: &[
            (CONTIGUOUS, &[1024, 1024]),
            ("transposed", &[1024, 1024]),
            ("second_columns", &[1024, 512]),
            ("crop", &[1004, 1004]),
            ("reversed_rows", &[1024, 1024]),
            ("reversed_columns", &[1024, 1024]),
            ("reversed", &[1024, 1024]),
            (OUTPUT_SLICE, &[1024, 1024]),
        ],
    },
    Class {
        name: "cube",
        dtype: DType::F32,
        padded: [true; 3],
        views: &[
            (CONTIGUOUS, &[64, 64, 64]),
            ("axes_210", &[64, 64, 64]),
            ("axes_021", &[64, 64, 64]),
            ("axes_102", &[64, 64, 64]),
            ("axes_201", &[64, 64, 64]),
            ("axes_120", &[64, 64, 64]),
        ],
    },
    Class {
        name: "chw",
        dtype: DType::U8,
        padded: [false, true, true],
        views: &[(CONTIGUOUS, &[3, 512, 512]), ("of_hwc", &[3, 512, 512])],
    },
    Class {
        name: "hwc",
        dtype: DType::U8,
        padded: [true, true, false],
        views: &[(CONTIGUOUS, &[512, 512, 3]), ("of_chw", &[512, 512, 3])],
    },
];

/// The views as workloads, in both modes: `matrix_constant_transposed`.
pub fn workloads() -> Vec<Workload> {
    let mut workloads = Vec::new();
    for (class, mode) in CLASSES.iter().flat_map(|class| MODES.map(|mode| (class, mode))) {
        for &(view, shape) in class.views {
            let pads =
                class.padded.map(|padded| if padded { AxisPad::new(1, 1) } else { AxisPad::default() });
            workloads.push(Workload {
                id: format!("{}_{mode}_{view}", class.name),
                class: class.name.into(),
                dtype: class.dtype,
                shape: shape.into(),
                pads: pads[..shape.len()].into(),
                mode,
                fill: vec![0; if class.dtype == DType::U8 { 1 } else { 4 }],
                why: String::from("a view of ndarray"),
            });
        }
    }
    workloads
}

/// The name of a workload's view.
fn view_of(workload: &Workload) -> &str {
    let prefix = format!("{}_{}_", workload.class, workload.mode);
    workload.id.strip_prefix(&prefix).unwrap_or(&workload.id)
}

/// Checks and measures those of `names` on a workload of [`workloads`], beside memcpy.
///
/// # Errors
///
/// If another instruction set or more threads are asked for: the extension trait takes neither.
pub fn measure(
    workload: &Workload,
    settings: Settings,
    names: &[String],
    rounds: Option<usize>,
) -> Result<Outcome, Error> {
    if settings.isa.is_some() || settings.threads != 1 {
        return Err("views are padded on one thread, with the best instruction set".into());
    }
    let measured = |lanes: Lanes<'_>| {
        let (checked, dropped) = lanes;
        Outcome { records: measure_checked(workload, 1, checked, rounds), dropped }
    };
    let view = view_of(workload);
    Ok(match workload.class.as_str() {
        "matrix" => {
            let whole = painted::<f32, _>((1024, 1024), workload.dtype);
            let view = match view {
                "transposed" => whole.t(),
                "second_columns" => whole.slice_axis(Axis(1), Slice::from(..).step_by(2)),
                "crop" => whole.slice_each_axis(|_| Slice::new(10, Some(-10), 1)),
                "reversed_rows" => whole.slice_axis(Axis(0), BACKWARDS),
                "reversed_columns" => whole.slice_axis(Axis(1), BACKWARDS),
                "reversed" => whole.slice_each_axis(|_| BACKWARDS),
                _ => whole.view(),
            };
            measured(lanes(workload, &view, names))
        }
        "cube" => {
            let whole = painted::<f32, _>((64, 64, 64), workload.dtype);
            let axes = match view {
                "axes_210" => [2, 1, 0],
                "axes_021" => [0, 2, 1],
                "axes_102" => [1, 0, 2],
                "axes_201" => [2, 0, 1],
                "axes_120" => [1, 2, 0],
                _ => [0, 1, 2],
            };
            measured(lanes(workload, &whole.view().permuted_axes(axes), names))
        }
        _ => {
            let shape: [usize; 3] = workload.shape[..].try_into()?;
            let [a, b, c] = shape;
            let (whole, axes): (Array3<u8>, _) = match view {
                "of_hwc" => (painted((b, c, a), workload.dtype), [2, 0, 1]),
                "of_chw" => (painted((c, a, b), workload.dtype), [1, 2, 0]),
                _ => (painted((a, b, c), workload.dtype), [0, 1, 2]),
            };
            measured(lanes(workload, &whole.view().permuted_axes(axes), names))
        }
    })
}

/// Competitors whose bytes are right, memcpy first, and who was dropped.
type Lanes<'a> = (Vec<Checked<'a>>, Vec<String>);

fn lanes<'a, A, D>(workload: &'a Workload, view: &'a ArrayView<'a, A, D>, names: &[String]) -> Lanes<'a>
where
    A: Element + Pod,
    D: Dimension + 'a,
{
    let elements: Vec<A> = view.iter().copied().collect();
    let expected = Expected::new(workload);
    let (mut checked, mut dropped) = (vec![memcpy(workload)], Vec::new());
    type Prepare<'a, A, D> = fn(&'a Workload, &'a ArrayView<'a, A, D>) -> Option<Box<dyn Prepared + 'a>>;
    let entrants: [(&'static str, Prepare<'a, A, D>); 2] = [(PAD_INTO, pad_into), (NDARRAY, fill_assign)];
    for (name, prepare) in entrants.into_iter().filter(|(name, _)| names.iter().any(|asked| asked == name)) {
        let check = |bytes: &[u8]| expected.check(bytemuck::cast_slice(&elements), bytes);
        match compared(|| prepare(workload, view), check) {
            Ok(Some(prepared)) => checked.push(Checked { name, contract: Contract::Into, prepared }),
            Ok(None) => {}
            Err(wrong) => dropped.push(format!("{name} on {}: {wrong}", workload.id)),
        }
    }
    (checked, dropped)
}

/// Copies as many bytes as the output has.
fn memcpy(workload: &Workload) -> Checked<'static> {
    let mut source = Buffer::filled(workload.output_bytes(), 0);
    paint(&mut source, workload.dtype);
    let output = Buffer::filled(source.len(), 0);
    let copy = move |output: &mut Buffer| output.copy_from_slice(black_box(&source));
    Checked { name: MEMCPY, contract: Contract::Into, prepared: into_own(output, copy, |output| output) }
}

fn pad_into<'a, A: Element + Pod, D: Dimension + 'a>(
    workload: &'a Workload,
    view: &'a ArrayView<'a, A, D>,
) -> Option<Box<dyn Prepared + 'a>> {
    let widths: Vec<(i64, i64)> = workload.pads.iter().map(|pad| (pad.low, pad.high)).collect();
    Some(into_array(workload, move |output: &mut ArrayViewMut<'_, A, D>| {
        black_box(view)
            .pad_into(&widths[..], workload.mode, output)
            .expect("an output of the result's shape");
    }))
}

fn fill_assign<'a, A: Element + Pod, D: Dimension + 'a>(
    workload: &'a Workload,
    view: &'a ArrayView<'a, A, D>,
) -> Option<Box<dyn Prepared + 'a>> {
    if workload.mode != PadMode::Constant {
        return None;
    }
    let fill: A = bytemuck::pod_read_unaligned(&workload.fill);
    Some(into_array(workload, move |output: &mut ArrayViewMut<'_, A, D>| {
        output.fill(fill);
        let inside = |axis: AxisDescription| {
            let Axis(axis) = axis.axis;
            let low = workload.pads[axis].low as usize;
            Slice::from(low..low + workload.shape[axis])
        };
        output.slice_each_axis_mut(inside).assign(black_box(view));
    }))
}

/// An output, which may be a slice of a larger array, and what pads into it.
struct IntoArray<A, D, F> {
    whole: Array<A, D>,
    margin: usize,
    pad: F,
}

fn into_array<'a, A, D, F>(workload: &Workload, pad: F) -> Box<dyn Prepared + 'a>
where
    A: Pod,
    D: Dimension + 'a,
    F: FnMut(&mut ArrayViewMut<'_, A, D>) + 'a,
{
    let margin = if view_of(workload) == OUTPUT_SLICE { MARGIN } else { 0 };
    let mut shape = D::zeros(workload.shape.len());
    for (length, output) in shape.slice_mut().iter_mut().zip(workload.output_shape()) {
        *length = output + 2 * margin;
    }
    Box::new(IntoArray { whole: Array::from_elem(shape, A::zeroed()), margin, pad })
}

/// The array without what the slice leaves out.
fn region<A, D: Dimension>(whole: &mut Array<A, D>, margin: usize) -> ArrayViewMut<'_, A, D> {
    whole.slice_each_axis_mut(|axis| Slice::from(margin..axis.len - margin))
}

impl<A: Pod, D: Dimension, F: FnMut(&mut ArrayViewMut<'_, A, D>)> Prepared for IntoArray<A, D, F> {
    fn run(&mut self, calls: usize) {
        let mut output = region(&mut self.whole, self.margin);
        for _ in 0..calls {
            (self.pad)(black_box(&mut output));
        }
    }

    /// Panics if the call writes beside the slice.
    fn output(&mut self, junk: u8, look: &mut Look<'_>) {
        let junk: A = bytemuck::pod_read_unaligned(&vec![junk; size_of::<A>()]);
        self.whole.fill(junk);
        self.run(1);
        let mut output = region(&mut self.whole, self.margin);
        look(bytemuck::cast_slice(&output.iter().copied().collect::<Vec<A>>()));
        output.fill(junk);
        let is_junk = |element: &A| bytemuck::bytes_of(element) == bytemuck::bytes_of(&junk);
        assert!(self.whole.iter().all(is_junk), "wrote beside its output");
    }
}

/// A row-major array with values of `dtype`, no two neighbours alike.
fn painted<A: Pod, Sh: ShapeBuilder>(shape: Sh, dtype: DType) -> Array<A, Sh::Dim> {
    let mut array = Array::from_elem(shape, A::zeroed());
    paint(bytemuck::cast_slice_mut(array.as_slice_mut().expect("a row-major array")), dtype);
    array
}

/// A line per view: how near to memcpy it is padded, to the contiguous view of its class by bytes of the output, and to ndarray.
pub fn report(records: &[Record]) -> String {
    let groups = by_workload(records);
    let of = |group: &[&Record], name: &str| {
        group.iter().find(|record| record.competitor == name).map(|record| record.median_ns)
    };
    let mut rows = Vec::new();
    for workload in workloads() {
        let group_of = |id: &str| groups.iter().find(|group| group[0].workload == id);
        let Some(group) = group_of(&workload.id) else { continue };
        let contiguous = format!("{}_{}_{CONTIGUOUS}", workload.class, workload.mode);
        let per_byte = |group: &Vec<&Record>| Some(of(group, PAD_INTO)? / group[0].bytes_out as f64);
        let ours = of(group, PAD_INTO);
        let over_ours = |ns: Option<f64>| ns.zip(ours).map_or(NONE.into(), |(ns, ours)| ratio(ns / ours));
        let by_contiguous = group_of(&contiguous).and_then(per_byte).zip(per_byte(group));
        let shown = |ns: Option<f64>| ns.map_or(NONE.into(), time);
        rows.push(vec![
            workload.class.clone(),
            view_of(&workload).to_string(),
            workload.mode.to_string(),
            size(group[0].bytes_out),
            shown(of(group, MEMCPY)),
            shown(ours),
            over_ours(of(group, MEMCPY)),
            by_contiguous.map_or(NONE.into(), |(contiguous, ours)| ratio(contiguous / ours)),
            shown(of(group, NDARRAY)),
            over_ours(of(group, NDARRAY)),
        ]);
    }
    let head = [
        "class",
        "view",
        "mode",
        "bytes out",
        "memcpy",
        PAD_INTO,
        "x memcpy",
        "x contiguous a byte",
        NDARRAY,
        "x ndarray",
    ];
    table(&head, 3, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    const ONE_THREAD: Settings = Settings { isa: None, threads: 1 };

    #[test]
    fn every_view_is_padded_right() {
        let names = [PAD_INTO, NDARRAY].map(str::to_string);
        let workloads = workloads();
        assert_eq!(workloads.len(), 2 * (8 + 6 + 2 + 2));
        for workload in &workloads {
            // The large ones take a debug build too long.
            if workload.class != "cube" {
                continue;
            }
            let outcome = measure(workload, ONE_THREAD, &names, Some(1)).unwrap();
            assert!(outcome.dropped.is_empty(), "{:?}", outcome.dropped);
            let competitors = if workload.mode == PadMode::Constant { 3 } else { 2 };
            assert_eq!(outcome.records.len(), competitors, "{}", workload.id);
        }
    }

    #[test]
    fn what_lies_beside_a_slice_is_not_to_be_written() {
        let workload = &workloads()[7];
        assert_eq!(view_of(workload), OUTPUT_SLICE);
        let mut prepared = into_array::<u8, ndarray::Ix2, _>(workload, |output| output.fill(1));
        prepared.output(7, &mut |bytes| {
            assert!(bytes.len() == 1026 * 1026 && bytes.iter().all(|&byte| byte == 1))
        });
    }

    #[test]
    fn a_line_compares_with_the_contiguous_view() {
        let of = |view: &str, name, ns, bytes_out| Record {
            bytes_out,
            ..record(&format!("matrix_constant_{view}"), name, ns, 1.0)
        };
        let text = report(&[
            of("contiguous", PAD_INTO, 100.0, 1000),
            of("crop", PAD_INTO, 100.0, 500),
            of("crop", NDARRAY, 300.0, 500),
        ]);
        let cells: Vec<&str> = text.lines().last().unwrap().split('|').map(str::trim).collect();
        assert_eq!(cells[1..4], ["matrix", "crop", "constant"]);
        assert_eq!(cells[6..11], ["100 ns", "-", "0.50", "300 ns", "3.00"]);
    }
}
