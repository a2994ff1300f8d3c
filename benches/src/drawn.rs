//! Workloads drawn at random from what layers, images, signals and batches look like: a library that is only fast on the
//! shapes that it was tuned with would show it here.

use fastrand::Rng;
use pad_kernels::{AxisPad, DType, Layout, PadMode};

use crate::workload::Workload;

/// Outputs are within these bytes: from what fits the first cache to what passes the second by far.
const BYTES: (usize, usize) = (8 << 10, 32 << 20);

/// `count` workloads; the same for the same seed.
///
/// The class is the family, the id says everything: `017_conv_f32_64x57x57_reflect`.
pub fn workloads(count: usize, seed: u64) -> Vec<Workload> {
    let mut rng = Rng::with_seed(seed);
    (0..count).map(|number| workload(&mut rng, number)).collect()
}

fn workload(rng: &mut Rng, number: usize) -> Workload {
    loop {
        let mut drawn = draw(rng);
        let output: usize = drawn.output_shape().iter().product();
        let bytes = output * drawn.element_bits() / 8;
        if (BYTES.0..=BYTES.1).contains(&bytes) {
            let shape: Vec<String> = drawn.shape.iter().map(ToString::to_string).collect();
            let Workload { class, dtype, mode, .. } = &drawn;
            drawn.id = format!("{number:03}_{class}_{dtype}_{}_{mode}", shape.join("x"));
            return drawn;
        }
    }
}

/// One of any size.
fn draw(rng: &mut Rng) -> Workload {
    let floats = [DType::F32, DType::F16, DType::BF16, DType::I8];
    let samples = [DType::F32, DType::F64, DType::I16, DType::C64];
    let (small, most) = (rng.i64(1..=3), rng.i64(1..=32));
    let none = AxisPad::default();
    let side = |pad| AxisPad::new(pad, pad);
    // Shape and pads of an input that has room for a border of its own elements in every padded axis.
    let (class, dtype, shape, pads) = match rng.usize(..9) {
        0 => {
            let hw = length(rng, 5, 224);
            ("conv", any(rng, &floats), vec![channels(rng), hw, hw], vec![none, side(small), side(small)])
        }
        1 => {
            let hw = length(rng, 5, 224);
            // As much as a stride of 2 needs.
            let same = AxisPad::new(small - 1, small);
            ("nhwc", any(rng, &floats), vec![hw, hw, channels(rng)], vec![same, same, none])
        }
        2 => {
            let shape = vec![length(rng, 64, 1080), length(rng, 64, 1920), any(rng, &[1, 3, 3, 4])];
            ("image", DType::U8, shape, vec![side(most), side(most), none])
        }
        3 => {
            let dtype = any(rng, &[DType::I64, DType::I32, DType::Bool, DType::F16]);
            let room = rng.i64(1..=60);
            ("batch", dtype, vec![length(rng, 1, 128), length(rng, 64, 2048)], vec![none, (0, room).into()])
        }
        4 => {
            let pad = rng.i64(1..=15);
            ("causal", DType::F32, vec![channels(rng), length(rng, 64, 8192)], vec![none, (pad, 0).into()])
        }
        5 => {
            let lengths = vec![length(rng, 40, 160), length(rng, 40, 160), length(rng, 40, 160)];
            ("volume", any(rng, &samples), lengths, vec![side(small), side(most), side(most)])
        }
        6 => {
            let (from, to) = any(rng, &[(1, 4), (3, 4), (3, 8), (4, 16), (6, 8)]);
            let shape = vec![length(rng, 32, 512), length(rng, 32, 512), from as usize];
            (
                "channels",
                any(rng, &[DType::U8, DType::F16, DType::F32]),
                shape,
                vec![none, none, (0, to - from).into()],
            )
        }
        7 => {
            let pad = rng.i64(100..=2048);
            (
                "signal",
                any(rng, &samples),
                vec![length(rng, 1, 4), length(rng, 4000, 480_000)],
                vec![none, side(pad)],
            )
        }
        _ => {
            let hw = length(rng, 5, 112);
            let gaps = AxisPad { interior: any(rng, &[1, 1, 2]), ..side(small) };
            ("dilated", DType::F32, vec![channels(rng), hw, hw], vec![none, gaps, gaps])
        }
    };
    // What these fill is not up to a mode.
    let constant = matches!(class, "batch" | "causal" | "channels" | "dilated");
    let mode = if constant || rng.bool() { PadMode::Constant } else { any(rng, &PadMode::ALL) };
    let Layout::Bytes(bytes) = dtype.layout() else { unreachable!("whole bytes are drawn") };
    let why = String::from("drawn at random");
    Workload { id: String::new(), class: class.into(), dtype, shape, pads, mode, fill: vec![0; bytes], why }
}

fn channels(rng: &mut Rng) -> usize {
    any(rng, &[1, 3, 16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 512, 768])
}

/// A power of two, one of the sizes that images shrink to, or any.
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

    #[test]
    fn what_is_drawn_can_be_padded_and_differs() {
        let drawn = workloads(300, 1);
        assert_eq!(drawn, workloads(300, 1));
        assert_ne!(drawn[0], workloads(1, 2)[0]);
        for workload in &drawn {
            let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype).unwrap();
            assert!((BYTES.0..=BYTES.1).contains(&plan.output_bytes()), "{}", workload.id);
        }
        let classes: HashSet<&str> = drawn.iter().map(|workload| &*workload.class).collect();
        let modes: HashSet<PadMode> = drawn.iter().map(|workload| workload.mode).collect();
        assert_eq!((classes.len(), modes.len()), (9, PadMode::ALL.len()));
    }
}
