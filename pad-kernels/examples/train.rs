//! Trains two convolutions of three weights with reflected borders, until their output equals that of two given convolutions.
//!
//! ```sh
//! cargo run --release --example train
//! ```
#![forbid(unsafe_code)]

use std::process::ExitCode;

use pad_kernels::{PadError, PadMode, PadPlan, PadSpec};

const N: usize = 48;

fn convolve(padded: &[f64], weights: &[f64; 3]) -> Vec<f64> {
    padded.windows(3).map(|three| three.iter().zip(weights).map(|(x, w)| x * w).sum()).collect()
}

/// Returns the gradient of the weights.
fn of_weights(padded: &[f64], error: &[f64]) -> [f64; 3] {
    std::array::from_fn(|j| error.iter().zip(&padded[j..]).map(|(e, x)| e * x).sum())
}

/// Trains, starting with convolutions that change nothing. Returns the loss after the last step.
fn train() -> Result<f64, PadError> {
    let border = PadPlan::new::<f64>(&PadSpec::new(PadMode::Reflect, [(1, 1)]), &[N])?;
    let backward = border.adjoint()?;
    let signal: Vec<f64> = (0..N).map(|i| (i as f64 * 0.7).sin() + (i * i % 11) as f64 / 11.0).collect();
    let outside = border.to_vec(&signal)?;
    let wanted = convolve(&border.to_vec(&convolve(&outside, &[0.2, 0.9, -0.3]))?, &[-0.1, 0.8, 0.4]);
    let (mut first, mut second) = ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]);
    let (mut padded, mut through, mut loss) = (vec![0.0; N + 2], vec![0.0; N], f64::INFINITY);
    for _ in 0..4000 {
        border.run(&convolve(&outside, &first), &mut padded)?;
        let error: Vec<f64> =
            convolve(&padded, &second).iter().zip(&wanted).map(|(y, wanted)| y - wanted).collect();
        loss = error.iter().map(|e| e * e).sum::<f64>() / N as f64;
        // The gradient goes back through the second convolution, its border, and the first convolution.
        let mut of_padded = vec![0.0; N + 2];
        for (i, e) in error.iter().enumerate() {
            (0..3).for_each(|j| of_padded[i + j] += e * second[j]);
        }
        backward.run(&of_padded, &mut through)?;
        let steps =
            [(of_weights(&outside, &through), &mut first), (of_weights(&padded, &error), &mut second)];
        for (gradient, weights) in steps {
            (0..3).for_each(|j| weights[j] -= 0.3 / N as f64 * gradient[j]);
        }
    }
    Ok(loss)
}

fn main() -> ExitCode {
    match train() {
        Ok(loss) => {
            println!("loss after 4000 steps: {loss:.1e}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[test]
fn weights_are_learnt() {
    let loss = train().expect("a possible border");
    assert!(loss < 1e-9, "{loss}");
}
