//! Draws a small image without any symmetry, so that a mirrored border looks different from a repeated one.

use image::{Rgb, RgbImage};

/// The width of the drawing in pixels.
pub(crate) const WIDTH: u32 = 240;
/// The height of the drawing in pixels.
pub(crate) const HEIGHT: u32 = 180;

/// The number of samples per pixel, in each direction.
const SAMPLES: u32 = 4;

type Colour = [f32; 3];

/// A point. The unit is the height of the image, and the origin is its top left corner.
type Point = (f32, f32);

const HORIZON: f32 = 0.60;
const SUN: Point = (0.37, 0.405);

const FAR_RIDGE: &[Point] = &[
    (0.0, 0.50),
    (0.10, 0.46),
    (0.22, 0.53),
    (0.40, 0.57),
    (0.58, 0.50),
    (0.68, 0.42),
    (0.74, 0.44),
    (0.90, 0.27),
    (1.02, 0.39),
    (1.08, 0.36),
    (1.20, 0.47),
    (1.34, 0.43),
];
const NEAR_RIDGE: &[Point] = &[
    (0.0, 0.56),
    (0.14, 0.58),
    (0.30, 0.60),
    (0.72, 0.60),
    (0.86, 0.55),
    (1.06, 0.57),
    (1.20, 0.51),
    (1.34, 0.48),
];
const HEADLAND: &[Point] =
    &[(0.0, 0.72), (0.08, 0.735), (0.16, 0.80), (0.27, 0.86), (0.34, 0.95), (0.38, 1.01), (1.34, 1.01)];

/// Returns the drawing.
pub(crate) fn draw() -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let mut sum = [0.0; 3];
        for sample in 0..SAMPLES * SAMPLES {
            let (dx, dy) = (sample % SAMPLES, sample / SAMPLES);
            let at =
                |pixel: u32, part: u32| (pixel as f32 + (part as f32 + 0.5) / SAMPLES as f32) / HEIGHT as f32;
            let colour = colour((at(x, dx), at(y, dy)));
            sum = std::array::from_fn(|i| sum[i] + colour[i]);
        }
        Rgb(sum.map(|sum| (sum / (SAMPLES * SAMPLES) as f32).round() as u8))
    })
}

fn colour(at: Point) -> Colour {
    let mut colour = if at.1 < HORIZON { sky(at) } else { sea(at) };
    for (shape, paint) in lighthouse().iter().chain(&boat()) {
        if inside(at, shape) {
            colour = *paint;
        }
    }
    if at.1 > height(HEADLAND, at.0) {
        let depth = at.1 - height(HEADLAND, at.0);
        colour = mix(rgb(0x3f6b4a), rgb(0x16302f), (depth / 0.16).min(1.0));
    }
    colour
}

fn sky(at: Point) -> Colour {
    let far = height(FAR_RIDGE, at.0);
    if at.1 > height(NEAR_RIDGE, at.0) {
        return mix(rgb(0x3c3a63), rgb(0x4d4470), (HORIZON - at.1) / 0.12);
    }
    if at.1 > far {
        // High points are covered with snow, whose lower edge is ragged.
        let ragged = 0.355 + 0.016 * (at.0 * 71.0).sin() + 0.010 * (at.0 * 163.0).sin();
        if at.1 < ragged {
            return if at.0 < 0.90 { rgb(0xffe9dc) } else { rgb(0xc9b4cc) };
        }
        let lit = if (0.90..1.0).contains(&at.0) || at.0 > 1.08 { 0.0 } else { 0.35 };
        return mix(rgb(0x6f5f8c), rgb(0xb98293), lit);
    }
    let sky = mix(rgb(0x24427a), rgb(0xf08f6a), (at.1 / 0.44).min(1.0).powf(0.9));
    let sky = mix(sky, rgb(0xffd59a), ((at.1 - 0.36) / 0.24).clamp(0.0, 1.0));
    let distance = length(at, SUN);
    if distance < 0.085 {
        return rgb(0xfff3cd);
    }
    let sky = mix(sky, rgb(0xffdf9f), (1.0 - (distance - 0.085) / 0.26).clamp(0.0, 1.0).powi(2) * 0.85);
    let birds = [(0.66, 0.17, 0.050), (0.78, 0.12, 0.036), (0.80, 0.22, 0.030)];
    if birds.iter().any(|&bird| is_bird(at, bird)) { rgb(0x1c2544) } else { sky }
}

fn sea(at: Point) -> Colour {
    let depth = (at.1 - HORIZON) / (1.0 - HORIZON);
    let water = mix(rgb(0xd98b78), rgb(0x2d5f86), (depth * 2.6).min(1.0));
    let water = mix(water, rgb(0x12304f), ((depth - 0.35) / 0.65).clamp(0.0, 1.0));
    // The reflection of the sun consists of waves. Nearer waves are longer and further apart.
    let wave = (depth.sqrt() * 46.0 + (at.0 * 9.0).sin() * 0.5).sin();
    let road = 0.035 + 0.11 * depth;
    let from_road = (at.0 - SUN.0 + 0.02 * (depth * 40.0).sin()).abs();
    if wave > 0.15 && from_road < road {
        return mix(rgb(0xffe2ab), water, (depth * 0.75 + from_road / road * 0.3).min(1.0));
    }
    if wave > 0.86 { mix(water, rgb(0xf0b49a), 0.35 * (1.0 - depth)) } else { water }
}

/// Convex shapes with their colours, from back to front.
type Shapes<const N: usize> = [(Vec<Point>, Colour); N];

fn boat() -> Shapes<6> {
    [
        (vec![(0.86, 0.885), (1.14, 0.885), (1.10, 0.93), (0.90, 0.93)], rgb(0x1c3550)),
        (vec![(0.985, 0.38), (0.995, 0.38), (0.995, 0.84), (0.985, 0.84)], rgb(0x3a2a2a)),
        (vec![(1.003, 0.41), (1.19, 0.80), (1.003, 0.80)], rgb(0xfdf6e8)),
        (vec![(1.003, 0.66), (1.122, 0.66), (1.145, 0.71), (1.003, 0.71)], rgb(0xe4573d)),
        (vec![(0.975, 0.45), (0.975, 0.80), (0.845, 0.80)], rgb(0xe4573d)),
        (vec![(0.83, 0.82), (1.19, 0.82), (1.13, 0.885), (0.875, 0.885)], rgb(0x7a2f3a)),
    ]
}

fn lighthouse() -> Shapes<6> {
    let tower = |from: f32, to: f32| {
        let half = |y: f32| 0.024 + (y - 0.50) * 0.045;
        vec![
            (0.115 - half(from), from),
            (0.115 + half(from), from),
            (0.115 + half(to), to),
            (0.115 - half(to), to),
        ]
    };
    [
        (tower(0.50, 0.80), rgb(0xf7efe2)),
        (tower(0.545, 0.60), rgb(0xd9463e)),
        (tower(0.655, 0.71), rgb(0xd9463e)),
        (vec![(0.082, 0.488), (0.148, 0.488), (0.148, 0.502), (0.082, 0.502)], rgb(0x2b2a3f)),
        (vec![(0.097, 0.448), (0.133, 0.448), (0.133, 0.488), (0.097, 0.488)], rgb(0xffe28a)),
        (vec![(0.115, 0.412), (0.141, 0.450), (0.089, 0.450)], rgb(0xd9463e)),
    ]
}

/// Tells whether a point is inside a convex shape.
fn inside(at: Point, shape: &[Point]) -> bool {
    let edges = shape.iter().zip(shape.iter().cycle().skip(1));
    let mut sides = edges.map(|(a, b)| (b.0 - a.0) * (at.1 - a.1) - (b.1 - a.1) * (at.0 - a.0) > 0.0);
    let first = sides.next();
    sides.all(|side| Some(side) == first)
}

/// Tells whether a point is on a bird, which is drawn as two arcs that meet in the middle.
fn is_bird(at: Point, (x, y, size): (f32, f32, f32)) -> bool {
    let across = (at.0 - x).abs() / size;
    let wing = y - size * 0.55 * (across * std::f32::consts::PI * 0.8).sin();
    across < 1.0 && (at.1 - wing).abs() < 0.0055 * (1.2 - across)
}

/// Returns the height of a ridge at `x`.
fn height(ridge: &[Point], x: f32) -> f32 {
    let next = ridge.iter().position(|point| point.0 > x).unwrap_or(ridge.len() - 1).max(1);
    let (a, b) = (ridge[next - 1], ridge[next]);
    a.1 + (b.1 - a.1) * ((x - a.0) / (b.0 - a.0))
}

fn length(a: Point, b: Point) -> f32 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn mix(a: Colour, b: Colour, part: f32) -> Colour {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * part)
}

fn rgb(hex: u32) -> Colour {
    [16, 8, 0].map(|shift| (hex >> shift & 0xff) as f32)
}
