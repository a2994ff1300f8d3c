//! Smooths an image by a separable filter, from padded rows or from a padded image. Arguments: `separable [HEIGHT [WIDTH [ROUNDS]]]`.

use std::env;
use std::error::Error;
use std::process;
use std::time::{Duration, Instant};

use pad_kernels::{PadError, PadMode, PadPlan, PadSpec};

/// The weights of the filter, which is symmetric: those of the outer rows, of the next rows, and of the row in the middle.
const TAPS: [f32; 3] = [0.0625, 0.25, 0.375];

/// The largest argument. An image of this height and width has 1 GiB.
const MOST: usize = 1 << 14;

/// Writes the weighted sums of five rows.
fn add(rows: [&[f32]; 5], sums: &mut [f32]) {
    let [a, b, c, d, e] = rows;
    let outer = a.iter().zip(e).zip(b.iter().zip(d));
    for ((((a, e), (b, d)), c), sum) in outer.zip(c).zip(sums) {
        *sum = TAPS[0] * (a + e) + TAPS[1] * (b + d) + TAPS[2] * c;
    }
}

/// Filters a padded row.
fn along(row: &[f32], filtered: &mut [f32]) {
    add([row, &row[1..], &row[2..], &row[3..], &row[4..]], filtered);
}

/// Filters an image along its columns. `next` writes the next padded row, already filtered along the row. The function keeps five
/// of these rows.
fn filter(width: usize, result: &mut [f32], mut next: impl FnMut(&mut [f32])) {
    let mut kept = vec![0.0; 5 * width];
    let mut rows: Vec<_> = kept.chunks_mut(width).collect();
    rows[1..].iter_mut().for_each(|row| next(row));
    for result in result.chunks_mut(width) {
        rows.rotate_left(1);
        next(rows[4]);
        add([rows[0], rows[1], rows[2], rows[3], rows[4]], result);
    }
}

fn by_rows(plan: &PadPlan, image: &[f32], result: &mut [f32]) -> Result<(), PadError> {
    let mut row = vec![0.0; plan.output_shape()[1]];
    let mut rows = plan.rows(1, image, &mut row)?;
    filter(plan.input_shape()[1], result, |filtered| {
        along(rows.next_row().expect("four rows more than the image has"), filtered);
    });
    Ok(())
}

fn by_image(plan: &PadPlan, image: &[f32], padded: &mut [f32], result: &mut [f32]) -> Result<(), PadError> {
    plan.run(image, padded)?;
    let mut rows = padded.chunks(plan.output_shape()[1]);
    filter(plan.input_shape()[1], result, |filtered| {
        along(rows.next().expect("four rows more than the image has"), filtered);
    });
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |text: String| text.parse().ok().filter(|number| (1..=MOST).contains(number));
    let numbers: Option<Vec<usize>> = env::args().skip(1).map(number).collect();
    let (height, width, rounds) = match numbers.as_deref() {
        Some(&[]) => (4096, 4096, 5),
        Some(&[height]) => (height, 4096, 5),
        Some(&[height, width]) => (height, width, 5),
        Some(&[height, width, rounds]) => (height, width, rounds),
        _ => {
            eprintln!("Usage: separable [HEIGHT [WIDTH [ROUNDS]]], from 1 to {MOST} (default 4096 4096 5)");
            process::exit(2);
        }
    };

    let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Reflect, [(2, 2), (2, 2)]), &[height, width])?;
    let image: Vec<f32> = (0..height * width).map(|i| (i * 7919 % 1009) as f32).collect();
    let (mut one, mut other) = (vec![1.0; image.len()], vec![2.0; image.len()]);
    let mut padded = vec![0.0; plan.output_len()];
    let (mut best, mut best_padded) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        let start = Instant::now();
        by_rows(&plan, &image, &mut one)?;
        best = best.min(start.elapsed());
        let start = Instant::now();
        by_image(&plan, &image, &mut padded, &mut other)?;
        best_padded = best_padded.min(start.elapsed());
        if one != other {
            return Err("the two ways differ".into());
        }
    }
    let [rows, image] = [best, best_padded].map(|time| time.as_secs_f64() * 1e3);
    println!("{height} x {width} pixels, the best of {rounds} rounds:");
    println!("padded row by row: {rows:8.2} ms");
    println!("padded as a whole: {image:8.2} ms, {:.2} times as long", image / rows);
    Ok(())
}
