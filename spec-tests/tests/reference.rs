//! The reference against tables of numbers: what the published engines give for the same requests, and, where they
//! disagree, what each of the two frames gives.

use spec_tests::reference::Frame::{Cropped, Uncropped};
use spec_tests::reference::Mode::{Constant, Edge, Reflect, Symmetric, Wrap};
use spec_tests::reference::{AxisPad, Frame, Map, Mode, Refusal, Sides, map, output_shape, source_of};

const FRAMES: [Frame; 2] = [Uncropped, Cropped];
/// The filler of every table below; no input holds it.
const F: i64 = -99;

fn pad(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

/// The axis `1, 2, ..., d` padded.
fn run(d: usize, axis: AxisPad, mode: Mode, frame: Frame) -> Result<Vec<i64>, Refusal> {
    let data: Vec<i64> = (1..=d as i64).collect();
    Ok(map(&[d], &[axis], mode, frame, 64)?.apply(&data, &F))
}

fn both(d: usize, axis: AxisPad, mode: Mode, want: &[i64]) {
    for frame in FRAMES {
        assert_eq!(run(d, axis, mode, frame).as_deref(), Ok(want), "{d} {axis:?} {mode:?} {frame:?}");
    }
}

fn both_refuse(d: usize, axis: AxisPad, mode: Mode, want: Refusal) {
    for frame in FRAMES {
        assert_eq!(run(d, axis, mode, frame), Err(want), "{d} {axis:?} {mode:?} {frame:?}");
    }
}

/// The two frames differ: uncropped gives `u`, cropped gives `c` or refuses because nothing is left (`None`).
fn differ(d: usize, axis: AxisPad, mode: Mode, u: &[i64], c: Option<&[i64]>) {
    assert_eq!(run(d, axis, mode, Uncropped).as_deref(), Ok(u), "{d} {axis:?} {mode:?}");
    assert_ne!(c, Some(u), "the frames are said to differ");
    let c = c.ok_or(Refusal::EmptyWindow { axis: 0 });
    assert_eq!(run(d, axis, mode, Cropped).as_deref(), c.as_ref().copied(), "{d} {axis:?} {mode:?}");
}

// One side negative, on 1 2 3 4 5 6.

#[test]
fn one_side_negative_edge() {
    both(6, pad(-2, 3, 0), Edge, &[3, 4, 5, 6, 6, 6, 6]);
    differ(6, pad(-6, 3, 0), Edge, &[6, 6, 6], None);
    differ(6, pad(-7, 3, 0), Edge, &[6, 6], None);
}

#[test]
fn one_side_negative_reflect() {
    both(6, pad(-2, 3, 0), Reflect, &[3, 4, 5, 6, 5, 4, 3]);
    differ(6, pad(-2, 5, 0), Reflect, &[3, 4, 5, 6, 5, 4, 3, 2, 1], Some(&[3, 4, 5, 6, 5, 4, 3, 4, 5]));
    differ(6, pad(5, -2, 0), Reflect, &[6, 5, 4, 3, 2, 1, 2, 3, 4], Some(&[2, 3, 4, 3, 2, 1, 2, 3, 4]));
    differ(6, pad(-7, 3, 0), Reflect, &[4, 3], None);
}

#[test]
fn one_side_negative_symmetric() {
    both(6, pad(-2, 3, 0), Symmetric, &[3, 4, 5, 6, 6, 5, 4]);
    differ(6, pad(-2, 5, 0), Symmetric, &[3, 4, 5, 6, 6, 5, 4, 3, 2], Some(&[3, 4, 5, 6, 6, 5, 4, 3, 3]));
}

#[test]
fn one_side_negative_wrap() {
    differ(6, pad(-2, 3, 0), Wrap, &[3, 4, 5, 6, 1, 2, 3], Some(&[3, 4, 5, 6, 3, 4, 5]));
    differ(6, pad(3, -2, 0), Wrap, &[4, 5, 6, 1, 2, 3, 4], Some(&[2, 3, 4, 1, 2, 3, 4]));
    differ(6, pad(-2, 5, 0), Wrap, &[3, 4, 5, 6, 1, 2, 3, 4, 5], Some(&[3, 4, 5, 6, 3, 4, 5, 6, 3]));
}

#[test]
fn one_side_negative_constant() {
    both(6, pad(-2, 3, 0), Constant, &[3, 4, 5, 6, F, F, F]);
    both(6, pad(-7, 3, 0), Constant, &[F, F]);
    both(6, pad(4, -7, 0), Constant, &[F, F, F]);
    both(3, pad(6, -4, 0), Constant, &[F, F, F, F, F]);
}

#[test]
fn cropped_to_nothing_and_below() {
    for mode in Mode::ALL {
        both(6, pad(-3, -3, 0), mode, &[]);
        both_refuse(6, pad(-3, -4, 0), mode, Refusal::NegativeOutput { axis: 0 });
    }
}

// Borders longer than the data, axes of length 0 and 1, no axes at all.

#[test]
fn borders_longer_than_the_data() {
    both(3, pad(1, 8, 0), Reflect, &[2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3]);
    both(3, pad(3, 0, 0), Reflect, &[2, 3, 2, 1, 2, 3]);
    both(6, pad(7, 0, 0), Reflect, &[4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6]);
    both(2, pad(1, 8, 0), Symmetric, &[1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2]);
    both(2, pad(1, 3, 0), Wrap, &[2, 1, 2, 1, 2, 1]);
    both(4, pad(5, 2, 0), Wrap, &[4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2]);
    both(3, pad(4, 4, 0), Edge, &[1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3]);
}

#[test]
fn symmetric_needs_no_particular_width() {
    // A published implementation is right only if the upper width is the length less one.
    both(3, pad(0, 1, 0), Symmetric, &[1, 2, 3, 3]);
    both(5, pad(0, 2, 0), Symmetric, &[1, 2, 3, 4, 5, 5, 4]);
    both(3, pad(0, 3, 0), Symmetric, &[1, 2, 3, 3, 2, 1]);
}

#[test]
fn axis_of_length_one() {
    for mode in [Edge, Reflect, Symmetric, Wrap] {
        both(1, pad(2, 3, 0), mode, &[1, 1, 1, 1, 1, 1]);
    }
    both(1, pad(2, 3, 0), Constant, &[F, F, 1, F, F, F]);
    // The same for a longer axis of which one element is left, in the frame that forgets the others.
    for mode in [Edge, Reflect, Symmetric, Wrap] {
        assert_eq!(run(6, pad(-5, 2, 0), mode, Cropped), Ok(vec![6, 6, 6]), "{mode:?}");
    }
}

#[test]
fn axis_of_length_zero() {
    both(0, pad(2, 1, 0), Constant, &[F, F, F]);
    for mode in Mode::ALL {
        both(0, pad(0, 0, 0), mode, &[]);
        both(0, pad(-1, 1, 3), mode, &[]);
        both_refuse(0, pad(-1, 0, 0), mode, Refusal::NegativeOutput { axis: 0 });
        if mode != Constant {
            both_refuse(0, pad(1, 0, 0), mode, Refusal::EmptyWindow { axis: 0 });
        }
    }
}

#[test]
fn empty_axis_beside_others() {
    for frame in FRAMES {
        for mode in Mode::ALL {
            // Only the other axis grows: a shape without elements.
            let beside = map(&[0, 3], &[pad(0, 0, 0), pad(1, 1, 0)], mode, frame, 8);
            assert_eq!(beside, Ok(Map { shape: vec![0, 5], source: vec![] }));
        }
        for (shape, want) in [([0, 0], [2, 3]), ([0, 3], [2, 6]), ([3, 0], [5, 3])] {
            let axes = [pad(1, 1, 0), pad(2, 1, 0)];
            let filled = map(&shape, &axes, Constant, frame, 8).unwrap();
            assert_eq!(filled.shape, want);
            assert_eq!(filled.source, vec![None; want[0] * want[1]]);
        }
        // An axis that cannot be served is refused although the output has no elements.
        for mode in [Edge, Reflect, Symmetric, Wrap] {
            let refused = map(&[0, 3], &[pad(1, 0, 0), pad(-3, 0, 0)], mode, frame, 8);
            assert_eq!(refused, Err(Refusal::EmptyWindow { axis: 0 }));
            let refused = map(&[3, 0], &[pad(-3, 0, 0), pad(0, 1, 0)], mode, frame, 8);
            assert_eq!(refused, Err(Refusal::EmptyWindow { axis: 1 }));
        }
    }
}

#[test]
fn no_axes_is_a_copy() {
    for frame in FRAMES {
        for mode in Mode::ALL {
            let scalar = map(&[], &[], mode, frame, 64).unwrap();
            assert_eq!(scalar, Map { shape: vec![], source: vec![Some(0)] });
            assert_eq!(scalar.apply(&[7], &F), [7]);
            assert_eq!(source_of(&[], &[], &[], &[], Some(frame)), Some(vec![]));
        }
    }
}

// The three generations of nGraph: its unsigned shape rule, and the values of its own tests.

#[test]
fn ngraph_first_generation_shape() {
    // It computed low + max(0, d(r + 1) - r) + high.
    for d in 0..6_usize {
        for r in 0..4_u64 {
            for (low, high) in [(0, 0), (1, 2), (5, 0)] {
                let dilated = (d as i64 * (r as i64 + 1) - r as i64).max(0);
                let want = vec![(low + dilated + high) as usize];
                assert_eq!(output_shape(&[d], &[pad(low, high, r)], Constant, Uncropped, 8), Ok(want));
            }
        }
    }
}

#[test]
fn ngraph_second_generation_values() {
    assert_eq!(run(6, pad(-7, 3, 0), Edge, Uncropped), Ok(vec![6, 6]));
    assert_eq!(run(6, pad(-7, 3, 0), Reflect, Uncropped), Ok(vec![4, 3]));
    assert_eq!(run(6, pad(4, -7, 0), Constant, Uncropped), Ok(vec![F, F, F]));
    assert_eq!(run(6, pad(-4, -3, 0), Edge, Uncropped), Err(Refusal::NegativeOutput { axis: 0 }));
    // It mirrors in a loop: t < 0 gives -t, t >= d gives 2(d - 1) - t, until the position is inside.
    for d in 2..7_i64 {
        let want = (-20..d + 20).map(|mut t| {
            while t < 0 || t >= d {
                t = if t < 0 { -t } else { 2 * (d - 1) - t };
            }
            t + 1
        });
        both(d as usize, pad(20, 20, 0), Reflect, &want.collect::<Vec<_>>());
    }
}

// Interior padding as XLA has it, with negative widths that cut the dilated axis.

#[test]
fn interior_then_crop() {
    both(6, pad(-3, 2, 2), Constant, &[2, F, F, 3, F, F, 4, F, F, 5, F, F, 6, F, F]);
    both(6, pad(-1, -1, 1), Constant, &[F, 2, F, 3, F, 4, F, 5, F]);
    both(6, pad(-20, 30, 0), Constant, &[F; 16]);
    both(0, pad(1, 2, 5), Constant, &[F, F, F]);
    both(1, pad(1, 1, 5), Constant, &[F, 1, F]);
}

#[test]
fn gaps_follow_the_border_mode() {
    // 1 . 2 . 3 is what the border sees.
    both(3, pad(3, 3, 1), Edge, &[1, 1, 1, 1, F, 2, F, 3, 3, 3, 3]);
    both(3, pad(3, 3, 1), Reflect, &[F, 2, F, 1, F, 2, F, 3, F, 2, F]);
    both(3, pad(3, 3, 1), Symmetric, &[2, F, 1, 1, F, 2, F, 3, 3, F, 2]);
    both(3, pad(3, 3, 1), Wrap, &[2, F, 3, 1, F, 2, F, 3, 1, F, 2]);
    // Cropped by one, the window starts or ends with a gap, and that is what is repeated.
    differ(3, pad(-1, 2, 1), Wrap, &[F, 2, F, 3, 1, F], Some(&[F, 2, F, 3, F, 2]));
    differ(3, pad(3, -1, 1), Wrap, &[2, F, 3, 1, F, 2, F], Some(&[F, 2, F, 1, F, 2, F]));
    both(3, pad(2, -1, 1), Edge, &[1, 1, 1, F, 2, F]);
    differ(3, pad(2, -5, 1), Edge, &[1, 1], None);
    assert_eq!(run(2, pad(-1, 2, 1), Edge, Cropped), Ok(vec![F, 2, 2, 2]));
    assert_eq!(run(2, pad(2, -2, 1), Symmetric, Cropped), Ok(vec![1, 1, 1]));
    assert_eq!(run(3, pad(-1, -3, 1), Edge, Cropped), Ok(vec![F]));
}

#[test]
fn rows_may_be_mirrored_from_what_was_cropped() {
    // Rows 1..=12 of 3 x 4: two rows added above and one taken below, one column taken and three added.
    let data: Vec<i64> = (1..=12).collect();
    let axes = [pad(2, -1, 0), pad(-1, 3, 0)];
    let map = map(&[3, 4], &axes, Reflect, Uncropped, 64).unwrap();
    assert_eq!(map.shape, [4, 6]);
    let want = [[10, 11, 12, 11, 10, 9], [6, 7, 8, 7, 6, 5], [2, 3, 4, 3, 2, 1], [6, 7, 8, 7, 6, 5]];
    assert_eq!(map.apply(&data, &F), want.as_flattened());
}

// What the formulas must be, said another way.

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

#[test]
fn borders_are_walks() {
    for w in 1..8 {
        for mode in Mode::ALL {
            let mut want = walk(w, mode, false, 33);
            want.reverse();
            want.extend((0..w).map(Some));
            want.extend(walk(w, mode, true, 33));
            let want: Vec<i64> = want.into_iter().map(|i| i.map_or(F, |i| i + 1)).collect();
            both(w as usize, pad(33, 33, 0), mode, &want);
        }
    }
}

#[test]
fn interior_is_padding_of_the_dilated_axis() {
    // Dilating first and padding the result afterwards is the same as doing both at once.
    for d in 0..5_usize {
        for interior in 0..4 {
            let dilated = run(d, pad(0, 0, interior), Constant, Uncropped).unwrap();
            for (low, high) in [(0, 0), (2, 9), (-1, 3), (-2, -1), (5, -4), (-9, 12)] {
                for mode in Mode::ALL {
                    for frame in FRAMES {
                        let once = run(d, pad(low, high, interior), mode, frame);
                        let twice = map(&[dilated.len()], &[pad(low, high, 0)], mode, frame, 64);
                        assert_eq!(once, twice.map(|map| map.apply(&dilated, &F)));
                    }
                }
            }
        }
    }
}

#[test]
fn cropped_is_crop_then_pad() {
    for d in 0..7_usize {
        for low in -8..9_i64 {
            for high in -8..9_i64 {
                let (cut_low, cut_high) = ((-low).max(0) as usize, (-high).max(0) as usize);
                if cut_low + cut_high > d {
                    continue;
                }
                let rest: Vec<i64> = (cut_low..d - cut_high).map(|i| i as i64 + 1).collect();
                for mode in Mode::ALL {
                    let twice = map(&[rest.len()], &[pad(low.max(0), high.max(0), 0)], mode, Cropped, 64);
                    let once = run(d, pad(low, high, 0), mode, Cropped);
                    assert_eq!(once, twice.map(|map| map.apply(&rest, &F)), "{d} {low} {high} {mode:?}");
                }
            }
        }
    }
}

#[test]
fn frames_differ_only_where_a_side_is_negative() {
    for d in 0..6 {
        for low in 0..9 {
            for high in 0..9 {
                for mode in Mode::ALL {
                    let axis = pad(low, high, 1);
                    assert_eq!(run(d, axis, mode, Uncropped), run(d, axis, mode, Cropped));
                }
            }
        }
    }
}

#[test]
fn axes_are_independent() {
    let axes = [pad(1, 0, 1), pad(-1, 2, 0), pad(2, 1, 0)];
    for mode in Mode::ALL {
        let frame = mode.default_frame();
        let map = map(&[2, 3, 2], &axes, mode, frame, 8).unwrap();
        assert_eq!(map.shape, [4, 4, 5]);
        let mut flat = 0;
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..5 {
                    let one = |o, d, axis| {
                        source_of(&[o], &[d], &[axis], &[Sides::both(mode)], Some(frame)).map(|s| s[0])
                    };
                    let parts = (one(i, 2, axes[0]), one(j, 3, axes[1]), one(k, 2, axes[2]));
                    let want = match parts {
                        (Some(i), Some(j), Some(k)) => Some((i * 3 + j) * 2 + k),
                        _ => None,
                    };
                    assert_eq!(map.source[flat], want);
                    flat += 1;
                }
            }
        }
    }
}

#[test]
fn default_frames() {
    for mode in Mode::ALL {
        let want = if mode == Wrap { Cropped } else { Uncropped };
        assert_eq!(mode.default_frame(), want);
    }
}

// Refusals and their order.

fn shape_of(shape: &[usize], axes: &[AxisPad], mode: Mode, bits: u32) -> Result<Vec<usize>, Refusal> {
    let uncropped = output_shape(shape, axes, mode, Uncropped, bits);
    assert_eq!(output_shape(shape, axes, mode, Cropped, bits), uncropped);
    uncropped
}

#[test]
fn one_padding_per_axis() {
    let broken = pad(-9, 0, 0);
    let refused = Err(Refusal::AxisCount { axes: 1, rank: 2 });
    assert_eq!(shape_of(&[2, 2], &[broken], Constant, 8), refused);
    assert_eq!(map(&[], &[broken], Edge, Cropped, 8), Err(Refusal::AxisCount { axes: 1, rank: 0 }));
}

#[test]
fn lengths_that_do_not_fit() {
    let overflow = Err(Refusal::Overflow { axis: 0 });
    let max = i64::MAX;
    let half = 1 << 62;
    assert_eq!(shape_of(&[1], &[pad(max, 0, 0)], Constant, 8), overflow);
    assert_eq!(shape_of(&[1], &[pad(half, half, 0)], Constant, 8), overflow);
    assert_eq!(shape_of(&[0], &[pad(max, max, 0)], Constant, 8), overflow);
    // However far below zero, it is below zero.
    assert_eq!(
        shape_of(&[0], &[pad(i64::MIN, i64::MIN, 0)], Constant, 8),
        Err(Refusal::NegativeOutput { axis: 0 })
    );
    assert_eq!(shape_of(&[0], &[pad(i64::MIN, 0, 0)], Constant, 8), Err(Refusal::NegativeOutput { axis: 0 }));
    // A mirror's period is twice its window.
    for mode in [Reflect, Symmetric] {
        assert_eq!(output_shape(&[2], &[pad(0, -half, half as u64)], mode, Uncropped, 8), overflow);
    }
    assert_eq!(output_shape(&[2], &[pad(0, -half, half as u64)], Edge, Uncropped, 8), Ok(vec![2]));
    assert_eq!(shape_of(&[usize::MAX], &[pad(0, 0, 0)], Constant, 8), overflow);
    // The dilated axis must fit even if little of it is left, and gaps count only between two elements.
    assert_eq!(shape_of(&[3], &[pad(-max, -max, half as u64)], Constant, 8), overflow);
    assert_eq!(shape_of(&[usize::MAX], &[pad(0, 0, u64::MAX)], Constant, 8), overflow);
    assert_eq!(shape_of(&[2], &[pad(0, 0, u64::MAX)], Constant, 8), overflow);
    for d in 0..2 {
        assert_eq!(shape_of(&[d], &[pad(0, 0, u64::MAX)], Constant, 8), Ok(vec![d]));
    }
    assert_eq!(shape_of(&[2], &[pad(0, 1 - max, max as u64 - 2)], Constant, 8), Ok(vec![1]));
}

#[test]
fn sizes_that_do_not_fit() {
    let none = pad(0, 0, 0);
    let max = isize::MAX as usize;
    let too_large = Err(Refusal::TooLarge);
    assert_eq!(shape_of(&[max], &[none], Edge, 8), Ok(vec![max]));
    assert_eq!(shape_of(&[max], &[none], Edge, 16), too_large);
    assert_eq!(shape_of(&[max / 2 + 1], &[none], Edge, 16), too_large);
    // Packed elements are counted in bits.
    assert_eq!(shape_of(&[max], &[none], Edge, 4), too_large);
    assert_eq!(shape_of(&[max / 4], &[none], Edge, 4), Ok(vec![max / 4]));
    assert_eq!(shape_of(&[max / 28, 7], &[none; 2], Edge, 4), Ok(vec![max / 28, 7]));
    assert_eq!(shape_of(&[max / 28, 8], &[none; 2], Edge, 4), too_large);
    // The input counts as well as the output.
    assert_eq!(shape_of(&[max], &[pad(-1, 1 - max as i64, 0)], Edge, 16), too_large);
    assert_eq!(shape_of(&[1], &[pad(max as i64 - 1, 0, 0)], Edge, 16), too_large);
    assert_eq!(shape_of(&[max; 9], &[none; 9], Edge, 8), too_large);
    // An empty axis makes no room.
    assert_eq!(shape_of(&[0, max], &[none; 2], Edge, 8), Ok(vec![0, max]));
    assert_eq!(shape_of(&[max, 0, 2], &[none; 3], Edge, 8), too_large);
    assert_eq!(shape_of(&[1, 2], &[pad(-1, 0, 0), pad(0, max as i64 - 2, 0)], Edge, 16), too_large);
}

#[test]
fn order_of_the_rules() {
    let (overflow, negative, empty) = (pad(i64::MAX, 0, 0), pad(-9, 0, 0), pad(1, 0, 0));
    let first = |shape: &[usize], axes: &[AxisPad]| shape_of(shape, axes, Edge, 8);
    assert_eq!(first(&[2, 2], &[overflow, negative]), Err(Refusal::Overflow { axis: 0 }));
    assert_eq!(first(&[2, 2], &[negative, overflow]), Err(Refusal::NegativeOutput { axis: 0 }));
    assert_eq!(first(&[0, 2], &[empty, overflow]), Err(Refusal::EmptyWindow { axis: 0 }));
    assert_eq!(first(&[2, 0], &[pad(1, 1, 1), empty]), Err(Refusal::EmptyWindow { axis: 1 }));
    // Sizes wait until all axes have been seen.
    let huge = pad(isize::MAX as i64 / 2, 0, 0);
    assert_eq!(first(&[1, 1, 2], &[huge, huge, negative]), Err(Refusal::NegativeOutput { axis: 2 }));
    assert_eq!(first(&[1, 1, 2], &[huge, huge, empty]), Err(Refusal::TooLarge));
}

// Carrying the elements.

#[test]
fn bytes_of_any_element_size() {
    let map = map(&[3], &[pad(1, 1, 0)], Reflect, Uncropped, 24).unwrap();
    let data = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let want = [4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6];
    assert_eq!(map.apply_bytes(&data, &[0; 3]), want);
    let map = self::map(&[2], &[pad(1, 0, 1)], Constant, Uncropped, 16).unwrap();
    assert_eq!(map.apply_bytes(&[1, 2, 3, 4], &[8, 9]), [8, 9, 1, 2, 8, 9, 3, 4]);
}

#[test]
fn packed_elements() {
    let nibbles = map(&[4], &[pad(1, 0, 0)], Constant, Uncropped, 4).unwrap();
    assert_eq!(nibbles.apply_packed(&[0x21, 0x43], 4, 0), [0x10, 0x32, 0x04]);
    assert_eq!(nibbles.apply_packed(&[0x21, 0x43], 4, 0xf7), [0x17, 0x32, 0x04]);
    // Rows are not padded to bytes: 1 2 3 / 4 5 6 is three of them.
    let copy = map(&[2, 3], &[pad(0, 0, 0); 2], Edge, Uncropped, 4).unwrap();
    assert_eq!(copy.apply_packed(&[0x21, 0x43, 0x65], 4, 0), [0x21, 0x43, 0x65]);
    let rows = map(&[2, 3], &[pad(0, 0, 0), pad(0, 1, 0)], Wrap, Uncropped, 4).unwrap();
    assert_eq!(rows.apply_packed(&[0x21, 0x43, 0x65], 4, 0), [0x21, 0x13, 0x54, 0x46]);
    // 1 2 3 0 1 in fields of two bits; whatever follows the last one is not carried over.
    let pairs = map(&[5], &[pad(0, 0, 0)], Edge, Uncropped, 2).unwrap();
    assert_eq!(pairs.apply_packed(&[0x39, 0xfd], 2, 0), [0x39, 0x01]);
    let shifted = map(&[5], &[pad(2, 0, 0)], Edge, Uncropped, 2).unwrap();
    assert_eq!(shifted.apply_packed(&[0x39, 0xfd], 2, 0), [0x95, 0x13]);
}
