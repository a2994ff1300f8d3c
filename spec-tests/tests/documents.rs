//! The worked examples of the documents that describe this operation give the documents' own numbers. The documents are nGraph's
//! Pad with interior padding (its first version), nGraph's Pad with modes (as a page and as its source text), OpenVINO's Pad-1,
//! and ONNX's Pad 1, 2, 11, 13, 18, 19 and 21.
//!
//! If a document contradicts itself, the file `documents.txt` names the contradiction and the interpretation that the test takes.

use std::fmt::Debug;
use std::str::FromStr;

use pad_kernels::{AxisPad, Element, Frame, PadMode, PadPlan, PadSpec};
use spec_tests::convert;
use spec_tests::reference::Request;

mod common;

/// A request with its input and output, which are written as text with one matrix row per line.
struct Example<'a> {
    fill: &'a str,
    mode: PadMode,
    axes: Vec<AxisPad>,
    input: Vec<Vec<&'a str>>,
    output: Vec<Vec<&'a str>>,
}

impl<'a> Example<'a> {
    /// Parses a paragraph into the element type and the example, or returns `None` if it is no example.
    fn read(paragraph: &'a str) -> Option<(&'a str, Example<'a>)> {
        let mut lines = paragraph.lines().filter(|line| !line.starts_with('#'));
        let [element, fill, mode, pads @ ..] = &lines.next()?.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let axis = |pad: &&str| {
            let [low, high, interior] = pad.split(',').collect::<Vec<_>>()[..] else { panic!("{pad}") };
            let number = |text: &str| text.parse().expect("a number");
            pad_of(number(low), number(high), number(interior) as u64)
        };
        let mut picture = || {
            let rows = lines.by_ref().take_while(|line| *line != "=");
            rows.map(|row| row.split_whitespace().collect()).collect::<Vec<Vec<_>>>()
        };
        let (input, output) = (picture(), picture());
        let axes = pads.iter().map(axis).collect();
        Some((element, Example { fill, mode: mode.parse().expect("a mode"), axes, input, output }))
    }

    fn check<T: Element + PartialEq + Debug + FromStr>(&self) {
        let number = |text: &str| text.parse::<T>().unwrap_or_else(|_| panic!("{text} is no number"));
        let fill = number(self.fill);
        let numbers = |picture: &[Vec<&str>]| -> Vec<T> {
            picture.iter().flatten().map(|&word| if word == "." { fill } else { number(word) }).collect()
        };
        // Each line is a matrix row, or the only axis.
        let shape = |picture: &[Vec<&str>]| [picture.len(), picture[0].len()][2 - self.axes.len()..].to_vec();
        let (input, output) = (numbers(&self.input), numbers(&self.output));
        check(&shape(&self.input), &input, &self.axes, self.mode, fill, &shape(&self.output), &output);
    }
}

/// Runs an example on the reference, and on the library with every instruction set and with the any-rank kernel.
///
/// No example has a negative width, so both frames must give the documented output.
fn check<T: Element + PartialEq + Debug>(
    shape: &[usize],
    data: &[T],
    axes: &[AxisPad],
    mode: PadMode,
    fill: T,
    padded: &[usize],
    output: &[T],
) {
    let rule = convert::mode(mode);
    let mut spec = PadSpec::new(mode, axes).with_fill(fill);
    for frame in [None, Some(Frame::Uncropped), Some(Frame::Cropped)] {
        let request = Request::new(shape, &convert::axes(axes), rule, frame.map(convert::frame));
        let map = request.map(8 * size_of::<T>() as u32).expect("a document's example");
        assert_eq!((&map.shape[..], &map.apply(data, &fill)[..]), (padded, output), "{mode:?} {frame:?}");
        spec.frame = frame;
        let plan = PadPlan::new::<T>(&spec, shape).expect("a document's example");
        assert_eq!(plan.output_shape(), padded, "{mode:?} {frame:?}");
        assert_eq!(plan.to_vec(data).as_deref(), Ok(output), "{mode:?} {frame:?}");
        for plan in common::on_every_kernel(&plan) {
            let mut dst = vec![data[data.len() - 1]; output.len()];
            plan.run(data, &mut dst).expect("lengths are right");
            assert_eq!(dst, output, "{mode:?} {frame:?} {:?}", plan.kernel());
        }
    }
}

fn pad_of(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

#[test]
fn examples() {
    let paragraphs = include_str!("documents.txt").split("\n\n");
    let examples: Vec<_> = paragraphs.filter_map(Example::read).collect();
    assert_eq!(examples.len(), 16);
    for (element, example) in examples {
        match element {
            "i32" => example.check::<i32>(),
            "f32" => example.check::<f32>(),
            _ => panic!("{element}"),
        }
    }
}

/// The layer at the end of OpenVINO's document gives the documented shape: [1, 3, 32, 40] with begin [0, 5, 2, 1], end [1, 0, 3,
/// 7] and fill 15.0 gives [2, 8, 37, 48].
#[test]
fn layer() {
    let data: Vec<f32> = (0..3 * 32 * 40).map(|i| (i % 8191) as f32 + 0.5).collect();
    let mut output = vec![15.0; 2 * 8 * 37 * 48];
    for (row, source) in data.chunks(40).enumerate() {
        let to = ((row / 32 + 5) * 37 + row % 32 + 2) * 48 + 1;
        output[to..to + 40].copy_from_slice(source);
    }
    let axes = [pad_of(0, 1, 0), pad_of(5, 0, 0), pad_of(2, 3, 0), pad_of(1, 7, 0)];
    check(&[1, 3, 32, 40], &data, &axes, PadMode::Constant, 15.0, &[2, 8, 37, 48], &output);
}
