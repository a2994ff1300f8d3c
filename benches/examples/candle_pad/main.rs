//! Padding as an operation of candle: a `CustomOp1` with every mode, for CPU tensors of any layout.
//!
//! ```sh
//! cargo run -p benches --features candle --example candle_pad
//! ```
//!
//! A program needs only `adapter.rs`. This example compares its results with candle's, bit by bit. It uses `pad_with_zeros` and
//! `pad_with_same` for modes that candle has, and `index_select` with the formula of the mode for the others. It also compares the
//! gradients. The exit code is 1 if anything differs.

mod adapter;

use adapter::Pad;
use bytemuck::Pod;
use candle_core::{D, Device, Error, Result, Tensor, Var, WithDType, bail};
use half::{bf16, f16};
use pad_kernels::{Element, PadMode, PadSpec};

fn main() -> Result<()> {
    println!("{} tensors padded as candle pads them, bit for bit", compare()?);
    Ok(())
}

/// Compares every type, and counts the tensors.
fn compare() -> Result<usize> {
    // The values include a NaN with a payload, negative zero, and values of every kind.
    let float = |i: usize| [f32::from_bits(0x7fc1_2345), -0.0, f32::INFINITY, 0.5, 1e-40][i % 5] + i as f32;
    let mut tensors = gradients()?;
    tensors += of(|i| i as u8, 7)?;
    tensors += of(|i| (i as u32).wrapping_mul(0x9e37_79b9), 7)?;
    tensors += of(|i| (i as i16).wrapping_mul(-12345), -7)?;
    tensors += of(|i| (i as i32).wrapping_mul(-123_456_789), -7)?;
    tensors += of(|i| (i as i64).wrapping_mul(-12_345_678_901), -7)?;
    tensors += of(|i| bf16::from_f32(float(i)), bf16::NEG_INFINITY)?;
    tensors += of(|i| f16::from_f32(float(i)), f16::NEG_INFINITY)?;
    tensors += of(float, f32::NEG_INFINITY)?;
    tensors += of(|i| f64::from(float(i)), f64::NEG_INFINITY)?;
    Ok(tensors)
}

/// Compares tensors of one type in every mode and layout.
fn of<T: Element + Pod + WithDType>(value: impl Fn(usize) -> T, fill: T) -> Result<usize> {
    let values: Vec<T> = (0..120).map(value).collect();
    let whole = Tensor::from_vec(values, (2, 3, 4, 5), &Device::Cpu)?;
    let layouts = [
        ("contiguous", whole.clone()),
        ("transposed", whole.transpose(1, D::Minus1)?),
        ("narrowed", whole.narrow(3, 1, 3)?.narrow(2, 1, 2)?),
        ("broadcast", whole.narrow(1, 1, 1)?.broadcast_as((2, 6, 4, 5))?),
    ];
    let borders = [
        [(0, 0), (0, 0), (1, 1), (1, 1)],
        [(0, 0), (0, 0), (0, 0), (0, 0)],
        [(1, 0), (0, 2), (3, 1), (0, 1)],
        // The borders are longer than the axes, so that the data is mirrored and repeated more than once.
        [(5, 3), (0, 0), (0, 9), (17, 0)],
    ];
    let mut tensors = 0;
    for (layout, input) in &layouts {
        for border in &borders {
            for mode in PadMode::ALL {
                for fill in [T::zero(), fill] {
                    let axes = border.map(|(low, high)| (low as i64, high as i64));
                    let spec = PadSpec::new(mode, axes).with_fill(fill);
                    let ours = input.apply_op1(Pad(spec))?;
                    let candles = by_candle(input, border, mode, fill)?;
                    if ours.dims() != candles.dims() || bytes::<T>(&ours)? != bytes::<T>(&candles)? {
                        let dtype = input.dtype();
                        bail!("{mode} of {border:?} on a {layout} tensor of {dtype:?} is not candle's");
                    }
                    tensors += 1;
                }
            }
        }
    }
    Ok(tensors)
}

/// Pads with functions of candle, one axis after the other.
fn by_candle<T: WithDType>(
    input: &Tensor,
    border: &[(usize, usize)],
    mode: PadMode,
    fill: T,
) -> Result<Tensor> {
    let mut output = input.contiguous()?;
    for (axis, &(low, high)) in border.iter().enumerate() {
        output = match mode {
            PadMode::Constant if fill.to_f64() == 0.0 => output.pad_with_zeros(axis, low, high)?,
            PadMode::Constant => {
                let side = |length| {
                    let mut shape = output.dims().to_vec();
                    shape[axis] = length;
                    Tensor::full(fill, shape, &Device::Cpu)
                };
                Tensor::cat(&[&side(low)?, &output, &side(high)?], axis)?
            }
            PadMode::Edge => output.pad_with_same(axis, low, high)?,
            PadMode::Reflect | PadMode::Symmetric | PadMode::Wrap => {
                let length = output.dim(axis)? as i64;
                let positions = -(low as i64)..length + high as i64;
                let indices: Vec<i64> = positions.map(|position| source(mode, position, length)).collect();
                output.index_select(&Tensor::new(indices, &Device::Cpu)?, axis)?
            }
        };
    }
    Ok(output)
}

/// Returns the index of the element at a position of an axis. Position 0 is the first element of the axis.
fn source(mode: PadMode, position: i64, length: i64) -> i64 {
    match mode {
        PadMode::Reflect => {
            let within = position.rem_euclid(2 * (length - 1).max(1));
            if length == 1 { 0 } else { within.min(2 * (length - 1) - within) }
        }
        PadMode::Symmetric => {
            let within = position.rem_euclid(2 * length);
            within.min(2 * length - 1 - within)
        }
        _ => position.rem_euclid(length),
    }
}

fn bytes<T: Pod + WithDType>(tensor: &Tensor) -> Result<Vec<u8>> {
    Ok(bytemuck::cast_slice(&tensor.flatten_all()?.to_vec1::<T>()?).to_vec())
}

/// Compares the gradient of every mode with candle's own gradient. The values are integers, so that sums are exact in any order.
fn gradients() -> Result<usize> {
    let input = Var::from_tensor(&Tensor::arange(0f32, 12.0, &Device::Cpu)?.reshape((3, 4))?)?;
    let weights = Tensor::arange(1f32, 43.0, &Device::Cpu)?.reshape((6, 7))?;
    let of = |padded: Tensor| -> Result<Vec<u8>> {
        let gradients = (padded.sqr()? * &weights)?.sum_all()?.backward()?;
        bytes::<f32>(gradients.get(&input).ok_or_else(|| Error::msg("no gradient"))?)
    };
    let border = [(2, 1), (1, 2)];
    for mode in PadMode::ALL {
        let axes = border.map(|(low, high)| (low as i64, high as i64));
        let ours = of(input.apply_op1(Pad(PadSpec::new(mode, axes)))?)?;
        if ours != of(by_candle(&input, &border, mode, 0f32)?)? {
            bail!("the gradient of {mode} is not candle's");
        }
    }
    Ok(PadMode::ALL.len())
}
