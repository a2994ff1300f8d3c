//! The reference agrees with a simpler definition, and refuses sizes that do not fit. The recorded cases in `vectors/` compare
//! it with published examples and with the results of frameworks.

use itertools::iproduct;
use spec_tests::reference::Frame::{Cropped, Uncropped};
use spec_tests::reference::Mode::{Constant, Edge, Reflect, Symmetric, Wrap};
use spec_tests::reference::{AxisPad, Frame, Mode, Refusal, Request, Sides};

const FRAMES: [Frame; 2] = [Uncropped, Cropped];

fn pad(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

/// Walks `steps` positions outwards from the end of `0..w` (`upwards`) or from its start. Returns the source of each position.
fn walk(w: i64, mode: Mode, upwards: bool, steps: usize) -> Vec<Option<usize>> {
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
        seen.push((mode != Constant).then_some(at as usize));
    }
    seen
}

/// Inserts the interior padding, walks outwards from both ends with the mode of each side, and then crops. In the frame
/// `Cropped`, the crop comes before the walks.
#[test]
fn borders_are_walks() {
    const LONG: i64 = 33;
    let widths = [-8, -5, -4, -3, -2, -1, 0, 1, 2, 3, 5, 9, LONG];
    let modes = iproduct!(Mode::ALL, Mode::ALL);
    for (d, interior, low, high, (before, behind), frame) in
        iproduct!(1..=6, 0..3, widths, widths, modes, FRAMES)
    {
        let whole: Vec<_> = (0..d * (interior + 1) - interior)
            .map(|i| (i % (interior + 1) == 0).then_some(i / (interior + 1)))
            .collect();
        let removed = |width: i64| if frame == Cropped { 0.max(-width) as usize } else { 0 };
        let (start, end) = (removed(low), whole.len().saturating_sub(removed(high)));
        let output = whole.len() as i64 + low + high;
        // The recorded cases test axes of which nothing is left.
        if start >= end || output < 0 {
            continue;
        }
        let window = &whole[start..end];
        let w = window.len() as i64;
        let below = walk(w, before, false, LONG as usize).into_iter().rev();
        let above = walk(w, behind, true, LONG as usize);
        let wide: Vec<_> =
            below.chain((0..window.len()).map(Some)).chain(above).map(|at| window[at?]).collect();
        let first = (LONG - low) as usize - start;
        let axis = pad(low, high, interior as u64);
        let map = Request {
            modes: vec![Sides { low: before, high: behind }],
            ..Request::new(&[d], &[axis], before, frame)
        }
        .map(64)
        .unwrap();
        assert_eq!(
            map.source,
            wide[first..][..output as usize],
            "{d} {axis:?} {before:?} {behind:?} {frame:?}"
        );
    }
}

#[test]
fn lengths_and_sizes_that_do_not_fit() {
    let (none, max, half, size) = (pad(0, 0, 0), i64::MAX, 1 << 62, isize::MAX as usize);
    let overflow = Err(Refusal::Overflow { axis: 0 });
    let negative = |axis, output| Err(Refusal::NegativeOutput { axis, output });
    let large = |is_output, axis, length| Err(Refusal::TooLarge { is_output, axis, length });
    let empty = |axis, output| Err(Refusal::EmptyWindow { axis, mode: Edge, output });
    let huge = pad(size as i64 / 2, 0, 0);
    type Case<'a> = (&'a [usize], &'a [AxisPad], u32, Result<&'a [usize], Refusal>);
    let cases: &[Case<'_>] = &[
        (&[2, 2], &[pad(-9, 0, 0)], 8, Err(Refusal::AxisCount { axes: 1, rank: 2 })),
        (&[], &[pad(-9, 0, 0)], 8, Err(Refusal::AxisCount { axes: 1, rank: 0 })),
        (&[1], &[pad(max, 0, 0)], 8, overflow),
        (&[1], &[pad(half, half, 0)], 8, overflow),
        (&[0], &[pad(max, max, 0)], 8, overflow),
        // The sum of the widths is below the range of `i64`, and still counts as negative.
        (&[0], &[pad(i64::MIN, i64::MIN, 0)], 8, negative(0, 2 * i128::from(i64::MIN))),
        (&[0], &[pad(i64::MIN, 0, 0)], 8, negative(0, i64::MIN.into())),
        (&[usize::MAX], &[none], 8, overflow),
        // The dilated axis must fit even if little of it is left. Interior padding counts only between two elements.
        (&[3], &[pad(-max, -max, half as u64)], 8, overflow),
        (&[usize::MAX], &[pad(0, 0, u64::MAX)], 8, overflow),
        (&[2], &[pad(0, 0, u64::MAX)], 8, overflow),
        (&[0], &[pad(0, 0, u64::MAX)], 8, Ok(&[0])),
        (&[1], &[pad(0, 0, u64::MAX)], 8, Ok(&[1])),
        (&[2], &[pad(0, 1 - max, max as u64 - 2)], 8, Ok(&[1])),
        (&[size], &[none], 8, Ok(&[size])),
        (&[size], &[none], 16, large(false, 0, size)),
        (&[size / 2 + 1], &[none], 16, large(false, 0, size / 2 + 1)),
        // Packed elements are counted in bits.
        (&[size], &[none], 4, large(false, 0, size)),
        (&[size / 4], &[none], 4, Ok(&[size / 4])),
        (&[size / 28, 7], &[none; 2], 4, Ok(&[size / 28, 7])),
        (&[size / 28, 8], &[none; 2], 4, large(false, 1, 8)),
        // The input counts as well as the output.
        (&[size], &[pad(-1, 1 - size as i64, 0)], 16, large(false, 0, size)),
        (&[1], &[pad(size as i64 - 1, 0, 0)], 16, large(true, 0, size)),
        (&[size; 9], &[none; 9], 8, large(false, 1, size)),
        // An empty axis counts as length 1 in the limit on sizes.
        (&[0, size], &[none; 2], 8, Ok(&[0, size])),
        (&[size, 0, 2], &[none; 3], 8, large(false, 2, 2)),
        (&[1, 2], &[pad(-1, 0, 0), pad(0, size as i64 - 2, 0)], 16, large(true, 1, size)),
        // The first invalid axis gives the error. Sizes are checked after all axes.
        (&[2, 2], &[pad(max, 0, 0), pad(-9, 0, 0)], 8, overflow),
        (&[2, 2], &[pad(-9, 0, 0), pad(max, 0, 0)], 8, negative(0, -7)),
        (&[0, 2], &[pad(1, 0, 0), pad(max, 0, 0)], 8, empty(0, 1)),
        (&[2, 0], &[pad(1, 1, 1), pad(1, 0, 0)], 8, empty(1, 1)),
        (&[1, 1, 2], &[huge, huge, pad(-9, 0, 0)], 8, negative(2, -7)),
        (&[1, 1, 2], &[huge, huge, pad(1, 0, 0)], 8, large(true, 1, size / 2 + 1)),
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
