//! Simulates heat on a periodic grid. The halo is written in place, or by padding. Arguments: `heat [SIZE [STEPS]]`.

use std::env;
use std::error::Error;
use std::process;
use std::time::{Duration, Instant};

use pad_kernels::{BorderPlan, PadMode, PadPlan, PadSpec};

/// The part of the difference to a neighbour that a cell takes over in a step.
const RATE: f32 = 0.2;

/// The largest argument. A grid of this size has 1 GiB.
const MOST: usize = 1 << 14;

/// Computes one step of a grid with a halo of one cell, and writes it to `next`. The rows of `next` are `pitch` cells apart.
fn step(grid: &[f32], size: usize, next: &mut [f32], pitch: usize) {
    let row = |i: usize| &grid[i * (size + 2)..][..size + 2];
    for (i, next) in next.chunks_mut(pitch).take(size).enumerate() {
        let (above, here, below) = (row(i), row(i + 1), row(i + 2));
        for (j, next) in next[..size].iter_mut().enumerate() {
            let around = above[j + 1] + below[j + 1] + here[j] + here[j + 2];
            *next = here[j + 1] + RATE * (around - 4.0 * here[j + 1]);
        }
    }
}

/// Computes all steps with two grids that have a halo. A step writes only the cells, and then the halo is updated.
fn in_place(start: &[f32], size: usize, steps: usize, halo: &BorderPlan) -> Result<Vec<f32>, Box<dyn Error>> {
    let (pitch, len) = (size + 2, halo.output_len());
    // The second grid begins half a page later. Two arrays can begin at the same offset in a page. The CPU then mistakes loads
    // from one array for loads of data that it has just stored to the other, and waits.
    let mut both = vec![0.0; 2 * len + 512];
    let (mut grid, mut next) = both.split_at_mut(len + 512);
    grid = &mut grid[..len];
    for (row, start) in grid[pitch + 1..].chunks_mut(pitch).zip(start.chunks(size)) {
        row[..size].copy_from_slice(start);
    }
    for _ in 0..steps {
        halo.run(grid)?;
        step(grid, size, &mut next[pitch + 1..], pitch);
        std::mem::swap(&mut grid, &mut next);
    }
    Ok(grid[pitch + 1..].chunks(pitch).take(size).flat_map(|row| &row[..size]).copied().collect())
}

/// Computes all steps with a grid without a halo, which is padded before each step.
fn padded(start: &[f32], size: usize, steps: usize, plan: &PadPlan) -> Result<Vec<f32>, Box<dyn Error>> {
    let mut grid = start.to_vec();
    let mut wide = vec![0.0; plan.output_len()];
    for _ in 0..steps {
        plan.run(&grid, &mut wide)?;
        step(&wide, size, &mut grid, size);
    }
    Ok(grid)
}

/// Returns the result of `run`, and the time that it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed())
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |text: String| text.parse().ok().filter(|number| (1..=MOST).contains(number));
    let numbers: Option<Vec<usize>> = env::args().skip(1).map(number).collect();
    let (size, steps) = match numbers.as_deref() {
        Some(&[]) => (2048, 50),
        Some(&[size]) => (size, 50),
        Some(&[size, steps]) => (size, steps),
        _ => {
            eprintln!("Usage: heat [SIZE [STEPS]], numbers from 1 to {MOST} (default 2048 50)");
            process::exit(2);
        }
    };

    let spec = PadSpec::new(PadMode::Wrap, [(1, 1), (1, 1)]);
    let halo = BorderPlan::new::<f32>(&spec, &[size, size])?;
    let plan = PadPlan::new::<f32>(&spec, &[size, size])?;
    let start: Vec<f32> = (0..size * size).map(|i| if i % 97 == 0 { 100.0 } else { 0.0 }).collect();

    let (mut best, mut best_padded) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        let (one, time) = timed(|| in_place(&start, size, steps, &halo));
        let (other, time_padded) = timed(|| padded(&start, size, steps, &plan));
        if one? != other? {
            return Err("the two ways differ".into());
        }
        (best, best_padded) = (best.min(time), best_padded.min(time_padded));
    }
    println!("{size} x {size} cells, {steps} steps, the best of three runs:");
    println!("halo in place:      {:8.1} us a step", best.as_secs_f64() * 1e6 / steps as f64);
    println!("padded before each: {:8.1} us a step", best_padded.as_secs_f64() * 1e6 / steps as f64);
    Ok(())
}
