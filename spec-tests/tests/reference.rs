//! The reference agrees with tables of published results. If frameworks disagree, the tables list the result of each of the two
//! frames.

use itertools::iproduct;
use spec_tests::reference::Frame::{Cropped, Uncropped};
use spec_tests::reference::Mode::{Constant, Edge, Reflect, Symmetric, Wrap};
use spec_tests::reference::{AxisPad, Frame, Map, Mode, Refusal, Request, Sides};

const FRAMES: [Frame; 2] = [Uncropped, Cropped];
/// The fill of every table; no input contains it.
const F: i64 = -99;

fn pad(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

/// Pads the axis `1, 2, ..., d`.
fn run(d: usize, axis: AxisPad, mode: Mode, frame: Frame) -> Result<Vec<i64>, Refusal> {
    let data: Vec<i64> = (1..=d as i64).collect();
    Ok(Request::new(&[d], &[axis], mode, frame).map(64)?.apply(&data, &F))
}

/// The reference gives the results in `reference.txt`, which explains its own format.
#[test]
fn table() {
    let output = |cells: &str| match cells.trim() {
        "none" => Err(Refusal::EmptyWindow { axis: 0 }),
        "negative" => Err(Refusal::NegativeOutput { axis: 0 }),
        cells => Ok(cells.split_whitespace().map(|cell| cell.parse().unwrap_or(F)).collect::<Vec<i64>>()),
    };
    for line in
        include_str!("reference.txt").lines().filter(|line| line.contains('=') && !line.starts_with('#'))
    {
        let (request, outputs) = line.split_once('=').expect("a request and its output");
        let words: Vec<&str> = request.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<i64>().expect("a number");
        let axis = pad(number(2), number(3), number(4) as u64);
        let (uncropped, cropped) = outputs.split_once('|').unwrap_or((outputs, outputs));
        assert!(
            !outputs.contains('|') || output(uncropped) != output(cropped),
            "{line}: the frames are said to differ"
        );
        for (mode, name) in [
            (Constant, "constant"),
            (Edge, "edge"),
            (Reflect, "reflect"),
            (Symmetric, "symmetric"),
            (Wrap, "wrap"),
        ] {
            if words[0] == name || words[0] == "any" || words[0] == "copying" && mode != Constant {
                assert_eq!(run(number(1) as usize, axis, mode, Uncropped), output(uncropped), "{line}");
                assert_eq!(run(number(1) as usize, axis, mode, Cropped), output(cropped), "{line}");
            }
        }
    }
    // In the frame `Cropped`, the one remaining element is the whole axis.
    for mode in [Edge, Reflect, Symmetric, Wrap] {
        assert_eq!(run(6, pad(-5, 2, 0), mode, Cropped), Ok(vec![6, 6, 6]), "{mode:?}");
    }
}

#[test]
fn empty_axis_beside_others() {
    for (mode, frame) in iproduct!(Mode::ALL, FRAMES) {
        // Only the axis with elements grows, so the output has no elements.
        let beside = Request::new(&[0, 3], &[pad(0, 0, 0), pad(1, 1, 0)], mode, frame).map(8);
        assert_eq!(beside, Ok(Map { shape: vec![0, 5], source: vec![] }));
        if mode == Constant {
            for (shape, want) in [([0, 0], [2, 3]), ([0, 3], [2, 6]), ([3, 0], [5, 3])] {
                let filled = Request::new(&shape, &[pad(1, 1, 0), pad(2, 1, 0)], mode, frame).map(8);
                assert_eq!(filled, Ok(Map { shape: want.to_vec(), source: vec![None; want[0] * want[1]] }));
            }
            continue;
        }
        // An empty axis that needs an element is refused, although the output has no elements.
        for (shape, axes, axis) in
            [([0, 3], [pad(1, 0, 0), pad(-3, 0, 0)], 0), ([3, 0], [pad(-3, 0, 0), pad(0, 1, 0)], 1)]
        {
            assert_eq!(Request::new(&shape, &axes, mode, frame).map(8), Err(Refusal::EmptyWindow { axis }));
        }
    }
}

#[test]
fn no_axes_is_a_copy() {
    for (mode, frame) in iproduct!(Mode::ALL, FRAMES) {
        let scalar = Request::new(&[], &[], mode, frame).map(64).unwrap();
        assert_eq!(scalar, Map { shape: vec![], source: vec![Some(0)] });
        assert_eq!(scalar.apply(&[7], &F), [7]);
        assert_eq!(Request::new(&[], &[], mode, frame).source_of(&[]), Some(vec![]));
    }
}

#[test]
fn rows_may_be_mirrored_from_what_was_cropped() {
    // The input is 1..=12 as 3 x 4. The request adds two rows above and removes one below, removes one column and adds three.
    let data: Vec<i64> = (1..=12).collect();
    let axes = [pad(2, -1, 0), pad(-1, 3, 0)];
    let map = Request::new(&[3, 4], &axes, Reflect, Uncropped).map(64).unwrap();
    assert_eq!(map.shape, [4, 6]);
    let want = [[10, 11, 12, 11, 10, 9], [6, 7, 8, 7, 6, 5], [2, 3, 4, 3, 2, 1], [6, 7, 8, 7, 6, 5]];
    assert_eq!(map.apply(&data, &F), want.as_flattened());
}

// The next tests compare the formulas with simpler definitions.

/// Walks `steps` outwards from the end of `0..w` (upwards) or from its start (downwards), one element at a time.
fn walk(w: i64, mode: Mode, upwards: bool, steps: usize) -> Vec<Option<i64>> {
    let (mut at, mut step) = if upwards { (w - 1, 1) } else { (0, -1) };
    let mut seen = Vec::new();
    for _ in 0..steps {
        let next = at + step;
        let inside = 0 <= next && next < w;
        match mode {
            Constant => {}
            Edge if !inside => {}
            Wrap if !inside => at = if step > 0 { 0 } else { w - 1 },
            Symmetric if !inside => step = -step,
            Reflect if !inside => {
                step = -step;
                at = if w == 1 { at } else { at + step };
            }
            _ => at = next,
        }
        seen.push((mode != Constant).then_some(at));
    }
    seen
}

/// Each side follows its own mode, whatever the mode of the other side is.
#[test]
fn borders_are_walks() {
    for (w, before, behind, frame) in iproduct!(1..8, Mode::ALL, Mode::ALL, FRAMES) {
        let low = walk(w, before, false, 33).into_iter().rev();
        let want = low.chain((0..w).map(Some)).chain(walk(w, behind, true, 33));
        let want: Vec<_> = want.map(|i| i.map(|i| i as usize)).collect();
        let modes = vec![Sides { low: before, high: behind }];
        let request = Request::new(&[w as usize], &[pad(33, 33, 0)], Constant, frame);
        let map = Request { modes, ..request }.map(64).unwrap();
        assert_eq!(map.source, want, "{w} {before:?} {behind:?}");
    }
}

/// Dilating and then padding gives the result of doing both at once.
#[test]
fn interior_is_padding_of_the_dilated_axis() {
    let widths = [(0, 0), (2, 9), (-1, 3), (-2, -1), (5, -4), (-9, 12)];
    for (d, interior, (low, high), mode, frame) in iproduct!(0..5, 0..4, widths, Mode::ALL, FRAMES) {
        let dilated = run(d, pad(0, 0, interior), Constant, Uncropped).unwrap();
        let twice = Request::new(&[dilated.len()], &[pad(low, high, 0)], mode, frame).map(64);
        let once = run(d, pad(low, high, interior), mode, frame);
        assert_eq!(once, twice.map(|map| map.apply(&dilated, &F)));
    }
}

/// In the frame `Uncropped`, a negative width removes elements of a wider output.
#[test]
fn uncropped_is_pad_then_crop() {
    for (d, low, high, mode, interior) in iproduct!(1..7, -8..9_i64, -8..9_i64, Mode::ALL, 0..2) {
        let wide = run(d, pad(9, 9, interior), mode, Uncropped).unwrap();
        let once = run(d, pad(low, high, interior), mode, Uncropped);
        if let Ok(once) = once {
            let first = (9 - low) as usize;
            assert_eq!(once, wide[first..first + once.len()], "{d} {low} {high} {mode:?}");
        }
    }
}

#[test]
fn cropped_is_crop_then_pad() {
    for (d, low, high, mode) in iproduct!(0..7_i64, -8..9_i64, -8..9_i64, Mode::ALL) {
        let rest: Vec<i64> = ((-low).max(0)..d - (-high).max(0)).map(|i| i + 1).collect();
        if (-low).max(0) + (-high).max(0) <= d {
            let twice =
                Request::new(&[rest.len()], &[pad(low.max(0), high.max(0), 0)], mode, Cropped).map(64);
            let once = run(d as usize, pad(low, high, 0), mode, Cropped);
            assert_eq!(once, twice.map(|map| map.apply(&rest, &F)), "{d} {low} {high} {mode:?}");
        }
    }
}

// Refusals and their order.

#[test]
fn lengths_and_sizes_that_do_not_fit() {
    let (none, max, half, size) = (pad(0, 0, 0), i64::MAX, 1 << 62, isize::MAX as usize);
    let (overflow, negative) = (Err(Refusal::Overflow { axis: 0 }), Err(Refusal::NegativeOutput { axis: 0 }));
    let huge = pad(size as i64 / 2, 0, 0);
    type Case<'a> = (&'a [usize], &'a [AxisPad], u32, Result<&'a [usize], Refusal>);
    let cases: &[Case<'_>] = &[
        (&[2, 2], &[pad(-9, 0, 0)], 8, Err(Refusal::AxisCount { axes: 1, rank: 2 })),
        (&[], &[pad(-9, 0, 0)], 8, Err(Refusal::AxisCount { axes: 1, rank: 0 })),
        (&[1], &[pad(max, 0, 0)], 8, overflow),
        (&[1], &[pad(half, half, 0)], 8, overflow),
        (&[0], &[pad(max, max, 0)], 8, overflow),
        // The sum of the widths is below the range of `i64`, and still counts as negative.
        (&[0], &[pad(i64::MIN, i64::MIN, 0)], 8, negative),
        (&[0], &[pad(i64::MIN, 0, 0)], 8, negative),
        (&[usize::MAX], &[none], 8, overflow),
        // The dilated axis must fit even if little of it is left. Interior padding counts only between two elements.
        (&[3], &[pad(-max, -max, half as u64)], 8, overflow),
        (&[usize::MAX], &[pad(0, 0, u64::MAX)], 8, overflow),
        (&[2], &[pad(0, 0, u64::MAX)], 8, overflow),
        (&[0], &[pad(0, 0, u64::MAX)], 8, Ok(&[0])),
        (&[1], &[pad(0, 0, u64::MAX)], 8, Ok(&[1])),
        (&[2], &[pad(0, 1 - max, max as u64 - 2)], 8, Ok(&[1])),
        (&[size], &[none], 8, Ok(&[size])),
        (&[size], &[none], 16, Err(Refusal::TooLarge)),
        (&[size / 2 + 1], &[none], 16, Err(Refusal::TooLarge)),
        // Packed elements are counted in bits.
        (&[size], &[none], 4, Err(Refusal::TooLarge)),
        (&[size / 4], &[none], 4, Ok(&[size / 4])),
        (&[size / 28, 7], &[none; 2], 4, Ok(&[size / 28, 7])),
        (&[size / 28, 8], &[none; 2], 4, Err(Refusal::TooLarge)),
        // The input counts as well as the output.
        (&[size], &[pad(-1, 1 - size as i64, 0)], 16, Err(Refusal::TooLarge)),
        (&[1], &[pad(size as i64 - 1, 0, 0)], 16, Err(Refusal::TooLarge)),
        (&[size; 9], &[none; 9], 8, Err(Refusal::TooLarge)),
        // An empty axis counts as length 1 in the limit on sizes.
        (&[0, size], &[none; 2], 8, Ok(&[0, size])),
        (&[size, 0, 2], &[none; 3], 8, Err(Refusal::TooLarge)),
        (&[1, 2], &[pad(-1, 0, 0), pad(0, size as i64 - 2, 0)], 16, Err(Refusal::TooLarge)),
        // The first invalid axis gives the error. Sizes are checked after all axes.
        (&[2, 2], &[pad(max, 0, 0), pad(-9, 0, 0)], 8, overflow),
        (&[2, 2], &[pad(-9, 0, 0), pad(max, 0, 0)], 8, negative),
        (&[0, 2], &[pad(1, 0, 0), pad(max, 0, 0)], 8, Err(Refusal::EmptyWindow { axis: 0 })),
        (&[2, 0], &[pad(1, 1, 1), pad(1, 0, 0)], 8, Err(Refusal::EmptyWindow { axis: 1 })),
        (&[1, 1, 2], &[huge, huge, pad(-9, 0, 0)], 8, Err(Refusal::NegativeOutput { axis: 2 })),
        (&[1, 1, 2], &[huge, huge, pad(1, 0, 0)], 8, Err(Refusal::TooLarge)),
    ];
    for (shape, axes, bits, want) in cases {
        // Mode edge needs an element, mode constant does not.
        let mode = if matches!(want, Err(Refusal::EmptyWindow { .. })) { Edge } else { Constant };
        for frame in FRAMES {
            let got = Request::new(shape, axes, mode, frame).output_shape(*bits);
            assert_eq!(got.as_deref(), want.as_ref().copied(), "{shape:?} {axes:?} {frame:?}");
        }
    }
    // The period of a mirrored axis is about twice its length.
    for (mode, want) in [(Reflect, overflow), (Symmetric, overflow), (Edge, Ok(&[2][..]))] {
        let got = Request::new(&[2], &[pad(0, -half, half as u64)], mode, Uncropped).output_shape(8);
        assert_eq!(got.as_deref(), want.as_ref().copied(), "{mode:?}");
    }
}

// The next tests apply a map to elements.

#[test]
fn bytes_of_any_element_size() {
    let map = Request::new(&[3], &[pad(1, 1, 0)], Reflect, Uncropped).map(24).unwrap();
    let data = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let want = [4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6];
    assert_eq!(map.apply_bits(&data, &[0; 3], None, 24), want);
    let map = Request::new(&[2], &[pad(1, 0, 1)], Constant, Uncropped).map(16).unwrap();
    assert_eq!(map.apply_bits(&[1, 2, 3, 4], &[8, 9], None, 16), [8, 9, 1, 2, 8, 9, 3, 4]);
}

#[test]
fn packed_elements() {
    let nibbles = Request::new(&[4], &[pad(1, 0, 0)], Constant, Uncropped).map(4).unwrap();
    assert_eq!(nibbles.apply_bits(&[0x21, 0x43], &[0], None, 4), [0x10, 0x32, 0x04]);
    assert_eq!(nibbles.apply_bits(&[0x21, 0x43], &[0xf7], None, 4), [0x17, 0x32, 0x04]);
    // Rows are not padded to whole bytes: 1 2 3 / 4 5 6 takes three bytes.
    let copy = Request::new(&[2, 3], &[pad(0, 0, 0); 2], Edge, Uncropped).map(4).unwrap();
    assert_eq!(copy.apply_bits(&[0x21, 0x43, 0x65], &[0], None, 4), [0x21, 0x43, 0x65]);
    let rows = Request::new(&[2, 3], &[pad(0, 0, 0), pad(0, 1, 0)], Wrap, Uncropped).map(4).unwrap();
    assert_eq!(rows.apply_bits(&[0x21, 0x43, 0x65], &[0], None, 4), [0x21, 0x13, 0x54, 0x46]);
    // The input is 1 2 3 0 1 in fields of two bits. Bits after the last field are not copied.
    let pairs = Request::new(&[5], &[pad(0, 0, 0)], Edge, Uncropped).map(2).unwrap();
    assert_eq!(pairs.apply_bits(&[0x39, 0xfd], &[0], None, 2), [0x39, 0x01]);
    let shifted = Request::new(&[5], &[pad(2, 0, 0)], Edge, Uncropped).map(2).unwrap();
    assert_eq!(shifted.apply_bits(&[0x39, 0xfd], &[0], None, 2), [0x95, 0x13]);
}
