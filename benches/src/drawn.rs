//! Generates random workloads, so that the measurements also cover shapes that nobody has tuned the library for.
//!
//! Some classes have the shapes that layers, images, signals and batches have. Each other class covers one kind of shapes
//! (regime), such as short rows.

use fastrand::Rng;
use pad_kernels::{AxisPad, DType, PadMode, tensor::ElementSize};

use crate::data::paint;
use crate::workload::Workload;

/// The range of output sizes in bytes: from calls with more overhead than work, to far more than the second-level cache.
const BYTES: (usize, usize) = (512, 32 << 20);

/// The range of output sizes in bytes for the classes in [`ASKED`].
const ASKED_BYTES: (usize, usize) = (8 << 10, 32 << 20);

/// The sizes in bytes of elements that are not packed.
const WIDTHS: [usize; 5] = [1, 2, 4, 8, 16];

/// The maximum number of output elements on an axis. The check has a table of this length.
const MOST_LENGTH: usize = 1 << 20;

/// The number of shapes that are tried for one size before another size is chosen.
const ATTEMPTS: usize = 50;

/// Classes with the shapes, types and modes that programs use.
const ASKED: [&str; 9] =
    ["conv", "nhwc", "image", "batch", "causal", "volume", "channels", "signal", "dilated"];

/// Classes that each cover one kind of shape, in every mode, with every unpacked type and outputs of every size.
const REGIMES: [(&str, Regime); 9] = [
    ("short-axes", short_axes),
    ("small-planes", small_planes),
    ("pixels", pixels),
    ("long-borders", long_borders),
    ("voxels", voxels),
    ("gaps", gaps),
    ("short-rows", short_rows),
    ("long-rows", long_rows),
    ("crops", crops),
];

/// An axis without padding.
const NONE: AxisPad = AxisPad::new(0, 0);

/// The reason that the workloads state.
const WHY: &str = "drawn at random";

/// Generates the shape and pads of an input. The arguments are the element size in bytes and the approximate number of output
/// elements.
type Regime = fn(&mut Rng, usize, usize) -> (Vec<usize>, Vec<AxisPad>);

/// Generates `count` workloads. Equal seeds give equal workloads. The classes take turns.
///
/// An id contains the number, the class, the type, the shape and the mode: `017_conv_f32_64x57x57_reflect`.
pub fn workloads(count: usize, seed: u64) -> Vec<Workload> {
    let mut rng = Rng::with_seed(seed);
    (0..count).map(|number| workload(&mut rng, number)).collect()
}

fn workload(rng: &mut Rng, number: usize) -> Workload {
    let turn = number % (ASKED.len() + REGIMES.len());
    let mut drawn = match ASKED.get(turn) {
        Some(class) => loop {
            let drawn = asked(rng, class);
            if (ASKED_BYTES.0..=ASKED_BYTES.1).contains(&drawn.output_bytes()) {
                break drawn;
            }
        },
        None => {
            let (class, regime) = REGIMES[turn - ASKED.len()];
            of_regime(rng, class, regime)
        }
    };
    let shape: Vec<String> = drawn.shape.iter().map(ToString::to_string).collect();
    let Workload { class, dtype, mode, .. } = &drawn;
    drawn.id = format!("{number:03}_{class}_{dtype}_{}_{mode}", shape.join("x"));
    drawn
}

/// Generates one workload of a regime. The logarithm of its size is uniformly distributed.
fn of_regime(rng: &mut Rng, class: &str, regime: Regime) -> Workload {
    let width = any(rng, &WIDTHS);
    let of_width = |dtype: &DType| dtype.element_size() == ElementSize::Bytes(width);
    let dtypes: Vec<DType> = DType::ALL.iter().copied().filter(of_width).collect();
    let dtype = any(rng, &dtypes);
    let mode = any(rng, &PadMode::ALL);
    let mut fill = vec![0; width];
    // A fill whose bytes differ is written by other code than zeros.
    if rng.usize(..3) == 0 {
        paint(&mut fill, dtype);
    }
    let mut drawn = Workload {
        id: String::new(),
        class: class.into(),
        dtype,
        shape: Vec::new(),
        pads: Vec::new(),
        mode,
        fill,
        why: WHY.into(),
    };
    loop {
        let wanted = log_uniform(rng, BYTES.0 as f64, BYTES.1 as f64);
        for _ in 0..ATTEMPTS {
            (drawn.shape, drawn.pads) = regime(rng, width, (wanted / width as f64).ceil() as usize);
            let bytes = drawn.output_bytes();
            let near = (wanted / 1.5..=wanted * 1.5).contains(&(bytes as f64));
            let fits = drawn.output_shape().iter().all(|&length| length <= MOST_LENGTH);
            if near && fits && (BYTES.0..=BYTES.1).contains(&bytes) {
                return drawn;
            }
        }
    }
}

/// Short axes. On most of them, both borders together are at least twice as long as the data.
fn short_axes(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let rank = rng.usize(1..=5);
    let outputs = lengths(rng, elements, rank);
    let axis = |&output: &usize| repeated(rng, output, 12);
    outputs.iter().map(axis).unzip()
}

/// The shapes of the last layers of a network: `[channels, h, w]`.
fn small_planes(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let height = rng.usize(4..=28);
    let width = if rng.bool() { height } else { rng.usize(4..=28) };
    // The borders are those of a convolution, or up to a whole period.
    let most = if rng.usize(..3) > 0 { 3 } else { height.min(width) as i64 };
    let pads = [sides(rng, most), sides(rng, most)];
    let plane = padded(height, pads[0]) * padded(width, pads[1]);
    let channels = outer(elements, plane);
    (vec![channels, height, width], vec![NONE, pads[0], pads[1]])
}

/// Images `[h, w, channels]` without padding on the channels. One image in four is smaller than its border.
fn pixels(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let channels = rng.usize(2..=6);
    let outputs = lengths(rng, elements / channels, 2);
    let long = rng.usize(..4) == 0;
    let axis = |&output: &usize| if long { repeated(rng, output, output) } else { bordered(rng, output, 32) };
    let (mut shape, mut pads): (Vec<_>, Vec<_>) = outputs.iter().map(axis).unzip();
    shape.push(channels);
    pads.push(NONE);
    (shape, pads)
}

/// Short rows, each with a border of many times its length.
fn long_borders(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let length = rng.usize(2..=32);
    let (low, high) = (rng.usize(length..=32 * length), rng.usize(length..=32 * length));
    let pad = AxisPad::new(low as i64, high as i64);
    (vec![outer(elements, padded(length, pad)), length], vec![NONE, pad])
}

/// Volumes: `[d, h, w]`, with or without channels, or with time as a fourth padded axis.
fn voxels(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let channels = any(rng, &[None, None, Some(2), Some(4), Some(16)]);
    let rank = if channels.is_some() || rng.bool() { 3 } else { 4 };
    let outputs = lengths(rng, elements / channels.unwrap_or(1), rank);
    let most = any(rng, &[1, 2, 4, 16]);
    let axis = |&output: &usize| bordered(rng, output, most);
    let (mut shape, mut pads): (Vec<_>, Vec<_>) = outputs.iter().map(axis).unzip();
    if let Some(channels) = channels {
        shape.insert(0, channels);
        pads.insert(0, NONE);
    }
    (shape, pads)
}

/// Interior padding, as in the gradient of a strided convolution: in signals, planes and images with channels.
fn gaps(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let gap = |rng: &mut Rng, least| sides(rng, 3).with_interior(rng.u64(least..=3));
    match rng.usize(..4) {
        0 => {
            let (length, pad) = (length(rng, 8, 8192), gap(rng, 1));
            (vec![outer(elements, padded(length, pad)), length], vec![NONE, pad])
        }
        1 => {
            let channels = rng.usize(1..=6);
            let pads = [gap(rng, 0), gap(rng, 1)];
            let outputs = lengths(rng, elements / channels, 2);
            let inputs = [0, 1].map(|axis| outputs[axis] / (pads[axis].interior as usize + 1) + 1);
            (vec![inputs[0], inputs[1], channels], vec![pads[0], pads[1], NONE])
        }
        _ => {
            let (height, width) = (rng.usize(4..=112), rng.usize(4..=112));
            let (first, second) = any(rng, &[(1, 1), (1, 0), (0, 1)]);
            let pads = [gap(rng, first), gap(rng, second)];
            let plane = padded(height, pads[0]) * padded(width, pads[1]);
            (vec![outer(elements, plane), height, width], vec![NONE, pads[0], pads[1]])
        }
    }
}

/// Output rows shorter than 64 bytes.
fn short_rows(rng: &mut Rng, width: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let row = rng.usize(2..=63 / width);
    let (length, pad) = bordered(rng, row, 4);
    let rows = outer(elements, row);
    let (rows, outer_pad) = if rng.bool() { bordered(rng, rows.max(2), 4) } else { (rows, NONE) };
    (vec![rows, length], vec![outer_pad, pad])
}

/// Output rows of a cache line or more.
fn long_rows(rng: &mut Rng, width: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let least = 64 / width + 2;
    let row = log_uniform(rng, least as f64, elements.max(least + 1) as f64) as usize;
    let most = any(rng, &[1, 3, 64]);
    let (length, pad) = bordered(rng, row, most);
    let rows = outer(elements, row).max(2);
    let (rows, outer_pad) = if rng.bool() { bordered(rng, rows, most) } else { (rows, NONE) };
    (vec![rows, length], vec![outer_pad, pad])
}

/// Crops on some sides and borders on others, as in a random shift of an image.
fn crops(rng: &mut Rng, _: usize, elements: usize) -> (Vec<usize>, Vec<AxisPad>) {
    let channels = any(rng, &[1, 1, 3, 16]);
    let rank = rng.usize(1..=3);
    let outputs = lengths(rng, elements / channels, rank);
    let mut axis = |&output: &usize| {
        let (kept, mut pad) = bordered(rng, output, 16);
        let removed = rng.usize(1..=(kept / 4).clamp(1, 32)) as i64;
        // At least one side keeps its border.
        if pad.low == 0 || pad.high > 0 && rng.bool() {
            pad.low = -removed;
        } else {
            pad.high = -removed;
        }
        (kept + removed as usize, pad)
    };
    let (mut shape, mut pads): (Vec<_>, Vec<_>) = outputs.iter().map(&mut axis).unzip();
    let place = if rng.bool() { 0 } else { rank };
    shape.insert(place, channels);
    pads.insert(place, NONE);
    (shape, pads)
}

/// Returns `rank` lengths whose product is near `elements`. They usually differ at most by a factor of four.
fn lengths(rng: &mut Rng, elements: usize, rank: usize) -> Vec<usize> {
    let mut left = elements.max(1) as f64;
    let length = |axes: usize| {
        let even = left.powf(1.0 / axes as f64);
        let length = if axes == 1 { even } else { log_uniform(rng, even / 2.0, even * 2.0) };
        let length = length.round().max(1.0);
        left = (left / length).max(1.0);
        length as usize
    };
    (1..=rank).rev().map(length).collect()
}

/// Returns an axis of `output` elements whose borders have at most `most` elements each, and at most half of the axis. One side
/// may have no border.
fn bordered(rng: &mut Rng, output: usize, most: usize) -> (usize, AxisPad) {
    let low = rng.usize(..=most.min(output / 4));
    let high = if rng.bool() { low } else { rng.usize(..=most.min(output / 4)) };
    // If there is room, at least one side has a border.
    let high = if (low, high) == (0, 0) { 1.min(output - 1) } else { high };
    (output - low - high, AxisPad::new(low as i64, high as i64))
}

/// Returns an axis of `output` elements. At most a third of them, and at most `most`, are data.
fn repeated(rng: &mut Rng, output: usize, most: usize) -> (usize, AxisPad) {
    let length = rng.usize(1..=(output / 3).clamp(1, most.max(1)));
    let border = output - length;
    let low = match rng.usize(..3) {
        0 => rng.usize(..=border),
        _ => border / 2,
    };
    (length, AxisPad::new(low as i64, (border - low) as i64))
}

/// Returns up to `most` elements per side. In half of the cases both sides are equal.
fn sides(rng: &mut Rng, most: i64) -> AxisPad {
    let low = rng.i64(0..=most);
    let high = if rng.bool() { low } else { rng.i64(0..=most) };
    AxisPad::new(low, if (low, high) == (0, 0) { 1 } else { high })
}

/// Returns the output length of an axis.
fn padded(length: usize, pad: AxisPad) -> usize {
    length + (length - 1) * pad.interior as usize + (pad.low + pad.high) as usize
}

/// Returns how many parts of `part` elements make about `elements`.
fn outer(elements: usize, part: usize) -> usize {
    (elements + part / 2) / part.max(1)
}

fn log_uniform(rng: &mut Rng, least: f64, most: f64) -> f64 {
    (least.ln() + rng.f64() * (most / least).ln()).exp()
}

/// Generates one workload of a class of [`ASKED`], of any size.
fn asked(rng: &mut Rng, class: &str) -> Workload {
    let floats = [DType::F32, DType::F16, DType::BF16, DType::I8];
    let samples = [DType::F32, DType::F64, DType::I16, DType::C64];
    let (small, most) = (rng.i64(1..=3), rng.i64(1..=32));
    let side = |pad| AxisPad::new(pad, pad);
    // The input is large enough that every border can be made of its own elements.
    let (dtype, shape, pads) = match class {
        "conv" => {
            let hw = length(rng, 5, 224);
            (any(rng, &floats), vec![channels(rng), hw, hw], vec![NONE, side(small), side(small)])
        }
        "nhwc" => {
            let hw = length(rng, 5, 224);
            // The pads of a convolution with stride 2.
            let same = AxisPad::new(small - 1, small);
            (any(rng, &floats), vec![hw, hw, channels(rng)], vec![same, same, NONE])
        }
        "image" => {
            let shape = vec![length(rng, 64, 1080), length(rng, 64, 1920), any(rng, &[1, 3, 3, 4])];
            (DType::U8, shape, vec![side(most), side(most), NONE])
        }
        "batch" => {
            let dtype = any(rng, &[DType::I64, DType::I32, DType::Bool, DType::F16]);
            let room = rng.i64(1..=60);
            (dtype, vec![length(rng, 1, 128), length(rng, 64, 2048)], vec![NONE, (0, room).into()])
        }
        "causal" => {
            let pad = rng.i64(1..=15);
            (DType::F32, vec![channels(rng), length(rng, 64, 8192)], vec![NONE, (pad, 0).into()])
        }
        "volume" => {
            let lengths = vec![length(rng, 40, 160), length(rng, 40, 160), length(rng, 40, 160)];
            (any(rng, &samples), lengths, vec![side(small), side(most), side(most)])
        }
        "channels" => {
            let (from, to) = any(rng, &[(1, 4), (3, 4), (3, 8), (4, 16), (6, 8)]);
            let shape = vec![length(rng, 32, 512), length(rng, 32, 512), from as usize];
            (any(rng, &[DType::U8, DType::F16, DType::F32]), shape, vec![NONE, NONE, (0, to - from).into()])
        }
        "signal" => {
            let pad = rng.i64(100..=2048);
            (any(rng, &samples), vec![length(rng, 1, 4), length(rng, 4000, 480_000)], vec![NONE, side(pad)])
        }
        _ => {
            let hw = length(rng, 5, 112);
            let gaps = AxisPad { interior: any(rng, &[1, 1, 2]), ..side(small) };
            (DType::F32, vec![channels(rng), hw, hw], vec![NONE, gaps, gaps])
        }
    };
    // These classes always use constant mode.
    let constant = matches!(class, "batch" | "causal" | "channels" | "dilated");
    let mode = if constant || rng.bool() { PadMode::Constant } else { any(rng, &PadMode::ALL) };
    let ElementSize::Bytes(bytes) = dtype.element_size() else { unreachable!("whole bytes are drawn") };
    let fill = vec![0; bytes];
    Workload { id: String::new(), class: class.into(), dtype, shape, pads, mode, fill, why: WHY.into() }
}

fn channels(rng: &mut Rng) -> usize {
    any(rng, &[1, 3, 16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 512, 768])
}

/// Returns a power of two, a size that images are resized to, or any length.
fn length(rng: &mut Rng, least: usize, most: usize) -> usize {
    let lengths: Vec<usize> = match rng.usize(..3) {
        0 => (0..20).map(|power| 1 << power).collect(),
        1 => {
            (0..6).flat_map(|halvings| [224, 299, 384, 416, 640, 1080].map(|size| size >> halvings)).collect()
        }
        _ => return rng.usize(least..=most),
    };
    let within: Vec<usize> = lengths.into_iter().filter(|length| (least..=most).contains(length)).collect();
    if within.is_empty() { rng.usize(least..=most) } else { any(rng, &within) }
}

fn any<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use pad_kernels::PadPlan;

    use super::*;
    use crate::check::Expected;
    use crate::expectation::{LONG_ROW, Rows};

    /// The number of workloads in tests: 40 per class.
    const DRAWN: usize = 40 * (ASKED.len() + REGIMES.len());

    #[test]
    fn what_is_drawn_can_be_padded_and_differs() {
        let drawn = workloads(DRAWN, 1);
        assert_eq!(drawn, workloads(DRAWN, 1));
        assert_ne!(drawn[0], workloads(1, 2)[0]);
        for workload in &drawn {
            let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype).unwrap();
            assert!((BYTES.0..=BYTES.1).contains(&plan.output_bytes()), "{}", workload.id);
            // The reference must accept the workload, too.
            if plan.output_bytes() < 64 << 10 {
                Expected::new(workload);
            }
        }
        let ids: HashSet<&str> = drawn.iter().map(|workload| &*workload.id).collect();
        assert_eq!(ids.len(), DRAWN);
    }

    #[test]
    fn every_regime_has_all_modes_widths_and_sizes() {
        let drawn = workloads(DRAWN, 1);
        for (class, _) in REGIMES {
            let of_class: Vec<&Workload> = drawn.iter().filter(|workload| workload.class == class).collect();
            let modes: HashSet<PadMode> = of_class.iter().map(|workload| workload.mode).collect();
            let widths: HashSet<usize> = of_class.iter().map(|workload| workload.element_bits()).collect();
            let magnitudes = of_class.iter().map(|workload| workload.output_bytes().ilog2() / 4);
            let magnitudes: HashSet<u32> = magnitudes.collect();
            assert_eq!((modes.len(), widths.len()), (PadMode::ALL.len(), WIDTHS.len()), "{class}");
            assert!(magnitudes.len() >= 4, "{class}: {magnitudes:?}");
        }
        let classes: HashSet<&str> = drawn.iter().map(|workload| &*workload.class).collect();
        assert_eq!(classes.len(), ASKED.len() + REGIMES.len());
        let dtypes: HashSet<DType> = drawn.iter().map(|workload| workload.dtype).collect();
        let of_bytes =
            DType::ALL.iter().filter(|dtype| matches!(dtype.element_size(), ElementSize::Bytes(_))).count();
        assert_eq!(dtypes.len(), of_bytes);
    }

    #[test]
    fn regimes_are_what_they_are_called() {
        let drawn = workloads(DRAWN, 1);
        let of = |class: &'static str| drawn.iter().filter(move |workload| workload.class == class);
        let ranks: HashSet<usize> = of("short-axes").map(|workload| workload.shape.len()).collect();
        assert_eq!(ranks.len(), 5);
        assert!(of("short-axes").all(|workload| workload.shape.iter().all(|&length| length <= 12)));
        assert!(
            of("small-planes").all(|workload| workload.shape[1..].iter().all(|side| (4..=28).contains(side)))
        );
        assert!(of("pixels").all(|workload| (2..=6).contains(&workload.shape[2])));
        assert!(of("gaps").all(|workload| workload.pads.iter().any(|pad| pad.interior > 0)));
        assert!(of("crops").all(|workload| workload.pads.iter().any(|pad| pad.low < 0 || pad.high < 0)));
        assert!(of("crops").any(|workload| workload.pads.iter().any(|pad| pad.low > 0 || pad.high > 0)));
        let ranks: HashSet<usize> = of("voxels").map(|workload| workload.shape.len()).collect();
        assert_eq!(ranks, HashSet::from([3, 4]));
        let row = |workload: &Workload| Rows::of(workload).bytes;
        assert!(of("short-rows").all(|workload| row(workload) < LONG_ROW));
        assert!(of("long-rows").all(|workload| row(workload) >= LONG_ROW));
    }
}
