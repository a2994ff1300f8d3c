//! What must hold between two paddings, whatever a single one gives.

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisPad, DType, Frame, Layout, PadMode, PadSpec};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};

/// A tensor as bytes, or bits, and how to pad it on.
#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    kind: Kind,
    fill: Option<Vec<u8>>,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Tensor {
    /// The case's input. Bits behind the last element are zero, as they are in every output.
    fn of(case: &Case) -> Tensor {
        let mut data = case.data();
        let used = case.kind.bits() as usize * case.shape.iter().product::<usize>() % 8;
        if let (Some(last), 1..) = (data.last_mut(), used) {
            *last &= (1 << used) - 1;
        }
        Tensor { kind: case.kind, fill: Some(case.fill_bytes()), shape: case.shape.clone(), data }
    }

    /// Padded by the library, with the tensor's own fill.
    fn pad(&self, mode: PadMode, frame: Option<Frame>, axes: &[AxisPad]) -> Tensor {
        let case = Case {
            shape: self.shape.clone(),
            axes: axes.to_vec(),
            mode,
            frame,
            kind: self.kind,
            fill: self.fill.clone(),
            paint: 0,
        };
        let plan = case.plan().unwrap_or_else(|error| panic!("{case}: {error}"));
        let mut data = vec![0x99; plan.output_bytes()];
        plan.run_bytes(&self.data, &mut data).expect("lengths are right");
        Tensor { shape: plan.output_shape().to_vec(), data, ..self.clone() }
    }

    fn crop(&self, axes: impl Iterator<Item = (i64, i64)>) -> Tensor {
        let axes: Vec<_> = axes.map(|(low, high)| AxisPad::new(-low, -high)).collect();
        self.pad(PadMode::Constant, None, &axes)
    }

    /// Every axis the other way round. Elements of whole bytes only.
    fn reversed(&self) -> Tensor {
        let mut data = self.data.clone();
        if !data.is_empty() {
            let size = self.kind.bytes(1);
            data.reverse();
            data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Tensor { data, ..self.clone() }
    }
}

fn laws(name: &str, law: impl Fn(&Case, &mut Unstructured<'_>) -> Result<()>) {
    let mut source = Source::new(name, 600);
    let mut held = 0;
    for _ in 0..source.cases() {
        source.draw(|u| {
            let mut kind = generators::kind(u)?;
            if kind == Kind::Tagged(DType::String) {
                kind = Kind::Tagged(DType::U4);
            }
            let case = generators::case_of(kind, u)?;
            if case.plan().is_ok_and(|plan| plan.output_len() <= 2000) {
                held += 1;
                law(&case, u)?;
            }
            Ok(())
        });
    }
    assert!(held * 10 >= source.cases() * 9, "only {held} cases");
}

fn axes(case: &Case, change: impl Fn(AxisPad) -> AxisPad) -> Vec<AxisPad> {
    case.axes.iter().map(|&pad| change(pad)).collect()
}

/// Whether an output of `axes` would take long: borders that a removal on the other side outweighed are small no more.
fn long(case: &Case, axes: &[AxisPad]) -> bool {
    let length = |(&length, pad): (&usize, &AxisPad)| {
        length * (1 + pad.interior as usize) + (pad.low.max(0) + pad.high.max(0)) as usize
    };
    case.shape.iter().zip(axes).map(length).product::<usize>() > 10_000
}

/// Taking away what was added gives the input back, in every mode.
#[test]
fn crop_after_pad_gives_the_input() {
    laws("crop_after_pad", |case, _| {
        let wide = axes(case, |pad| AxisPad::new(pad.low.max(0), pad.high.max(0)));
        // Where there is nothing to add to, nothing is added.
        if long(case, &wide) || case.mode != PadMode::Constant && case.shape.contains(&0) {
            return Ok(());
        }
        let input = Tensor::of(case);
        let back = input.pad(case.mode, case.frame, &wide).crop(wide.iter().map(|pad| (pad.low, pad.high)));
        assert_eq!(back, input, "{case}");
        Ok(())
    });
}

/// Many axes at once are the same as one after the other, in any order.
#[test]
fn axis_by_axis_is_all_at_once() {
    laws("axis_by_axis", |case, u| {
        let want = Tensor::of(case).pad(case.mode, case.frame, &case.axes);
        let mut left: Vec<usize> = (0..case.shape.len()).collect();
        let mut got = Tensor::of(case);
        while !left.is_empty() {
            let axis = left.swap_remove(u.choose_index(left.len())?);
            let mut one = vec![AxisPad::default(); case.shape.len()];
            one[axis] = case.axes[axis];
            got = got.pad(case.mode, case.frame, &one);
        }
        assert_eq!(got, want, "{case}");
        Ok(())
    });
}

/// In constant and edge mode a border may be grown in two steps.
#[test]
fn borders_of_constant_and_edge_add_up() {
    laws("borders_add_up", |case, u| {
        let mode = if case.mode == PadMode::Constant { PadMode::Constant } else { PadMode::Edge };
        if mode == PadMode::Edge && case.shape.contains(&0) {
            return Ok(());
        }
        let first = axes(case, |pad| AxisPad { low: pad.low.max(0), high: pad.high.max(0), ..pad });
        let second: Vec<_> = first
            .iter()
            .map(|_| Ok(AxisPad::new(u.int_in_range(0..=2)?, u.int_in_range(0..=2)?)))
            .collect::<Result<_>>()?;
        let sum: Vec<_> = first
            .iter()
            .zip(&second)
            .map(|(a, b)| AxisPad { low: a.low + b.low, high: a.high + b.high, interior: a.interior })
            .collect();
        if long(case, &sum) {
            return Ok(());
        }
        let input = Tensor::of(case);
        let twice = input.pad(mode, None, &first).pad(mode, None, &second);
        assert_eq!(twice, input.pad(mode, None, &sum), "{case} {second:?}");
        Ok(())
    });
}

/// Gaps come first: opening them and then padding is the same as both at once, in both frames.
#[test]
fn gaps_come_first() {
    laws("gaps_come_first", |case, _| {
        let gaps = axes(case, |pad| AxisPad { low: 0, high: 0, ..pad });
        let borders = axes(case, |pad| AxisPad { interior: 0, ..pad });
        let input = Tensor::of(case);
        let two = input.pad(case.mode, case.frame, &gaps).pad(case.mode, case.frame, &borders);
        assert_eq!(two, input.pad(case.mode, case.frame, &case.axes), "{case}");
        Ok(())
    });
}

/// Uncropped: removing is cutting from a wider output. Cropped: removing is cutting from the input.
#[test]
fn frames_are_what_they_say() {
    laws("frames", |case, u| {
        let input = Tensor::of(case);
        if case.mode != PadMode::Constant && case.shape.contains(&0) {
            return Ok(());
        }
        let frame = case.frame.unwrap_or(case.mode.default_frame());
        let want = input.pad(case.mode, case.frame, &case.axes);
        match frame {
            Frame::Uncropped => {
                let more = u.int_in_range(0..=3)?;
                let wider = axes(case, |pad| AxisPad {
                    low: pad.low.max(0) + more,
                    high: pad.high.max(0) + more,
                    ..pad
                });
                if long(case, &wider) {
                    return Ok(());
                }
                let cut: Vec<_> = wider
                    .iter()
                    .zip(&case.axes)
                    .map(|(wide, pad)| (wide.low - pad.low, wide.high - pad.high))
                    .collect();
                let wide = input.pad(case.mode, Some(frame), &wider);
                assert_eq!(wide.crop(cut.into_iter()), want, "{case}");
            }
            Frame::Cropped => {
                let gaps = axes(case, |pad| AxisPad { low: 0, high: 0, ..pad });
                let cut = axes(case, |pad| AxisPad::new(pad.low.min(0), pad.high.min(0)));
                let borders = axes(case, |pad| AxisPad::new(pad.low.max(0), pad.high.max(0)));
                let open = input.pad(case.mode, case.frame, &gaps);
                let possible =
                    cut.iter().zip(&open.shape).all(|(pad, &length)| -pad.low - pad.high <= length as i64);
                if possible {
                    let kept = open.pad(case.mode, case.frame, &cut);
                    let two = kept.pad(case.mode, case.frame, &borders);
                    assert_eq!(two, want, "{case}");
                }
            }
        }
        Ok(())
    });
}

/// Padding the other way round is padding of the other way round.
#[test]
fn mirrored_requests_give_mirrored_outputs() {
    laws("mirrored", |case, _| {
        if !matches!(case.kind.layout(), Layout::Bytes(_)) {
            return Ok(());
        }
        let swapped = axes(case, |pad| AxisPad { low: pad.high, high: pad.low, ..pad });
        let input = Tensor::of(case);
        let want = input.pad(case.mode, case.frame, &case.axes).reversed();
        let got = input.reversed().pad(case.mode, case.frame, &swapped);
        assert_eq!(got, want, "{case}");
        Ok(())
    });
}

/// Elements are as many single bytes, one axis more.
#[test]
fn every_width_moves_the_same_bytes() {
    laws("every_width", |case, _| {
        let Layout::Bytes(bytes) = case.kind.layout() else { return Ok(()) };
        let fill = case.fill_bytes();
        if fill.iter().any(|&byte| byte != fill[0]) {
            return Ok(());
        }
        let wide = Tensor::of(case).pad(case.mode, case.frame, &case.axes);
        let single = Tensor {
            kind: Kind::Tagged(DType::U8),
            fill: Some(vec![fill[0]]),
            shape: [&case.shape[..], &[bytes]].concat(),
            data: case.data(),
        };
        let narrow = single.pad(case.mode, case.frame, &[&case.axes[..], &[AxisPad::default()]].concat());
        assert_eq!(narrow.data, wide.data, "{case}");
        Ok(())
    });
}

/// A wrapped output repeats after the length of the axis, a mirrored one after two.
#[test]
fn borders_are_periodic() {
    for length in 1..=7usize {
        let data: Vec<u16> = (0..length as u16).map(|i| 1000 + i).collect();
        let modes = [
            (PadMode::Wrap, length),
            (PadMode::Symmetric, 2 * length),
            (PadMode::Reflect, (2 * (length - 1)).max(1)),
            (PadMode::Edge, 1),
        ];
        for (mode, period) in modes {
            let spec = PadSpec::new(mode, [(40, 45)]);
            let out = pad_kernels::pad(&data, &[length], &spec).expect("valid");
            // Behind the data an edge repeats at once; the others everywhere.
            let from = if mode == PadMode::Edge { 40 + length } else { 0 };
            let from = &out[from..];
            assert!(from.iter().zip(&from[period..]).all(|(a, b)| a == b), "{mode} {out:?}");
        }
    }
}

/// A mirror is the data and its mirror image, repeated.
#[test]
fn symmetric_is_wrap_of_the_data_and_its_mirror_image() {
    for length in 1..=6usize {
        for low in 0..=14i64 {
            for high in 0..=14i64 {
                let data: Vec<u32> = (1..=length as u32).collect();
                let both: Vec<u32> = data.iter().chain(data.iter().rev()).copied().collect();
                let symmetric = PadSpec::new(PadMode::Symmetric, [(low, high)]);
                let wrap =
                    PadSpec::new(PadMode::Wrap, [(low, high - length as i64)]).with_frame(Frame::Uncropped);
                let one = pad_kernels::pad(&data, &[length], &symmetric).expect("valid");
                let other = pad_kernels::pad(&both, &[2 * length], &wrap).expect("valid");
                assert_eq!(one, other, "{length} {low} {high}");
            }
        }
    }
}

/// Padding by nothing is a copy.
#[test]
fn nothing_changes_nothing() {
    laws("nothing", |case, _| {
        let input = Tensor::of(case);
        let same = input.pad(case.mode, case.frame, &axes(case, |_| AxisPad::default()));
        assert_eq!(same, input, "{case}");
        Ok(())
    });
}
