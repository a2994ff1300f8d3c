//! Padding in burn, with every mode. One function pads the data of tensors of any kind, on any device. Another function is an operation
//! of burn, and computes gradients.
//!
//! ```sh
//! cargo run -p benches --features burn --example burn_pad
//! ```
//!
//! A program needs only `adapter.rs`. This example compares its results with burn's, bit by bit. It uses `Tensor::pad` for modes that burn
//! has, and `select` with the formula of the mode for the others. It also compares the gradients. The exit code is 1 if anything differs.

mod adapter;

use std::error::Error;

use adapter::{pad, pad_floats};
use burn::tensor::kind::Numeric;
use burn::tensor::{self, Bool, DType, Device, Float, Int, Tensor, TensorData};
use half::{bf16, f16};
use pad_kernels::{Element, PadMode, PadSpec};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    println!("{} tensors padded as burn pads them, bit for bit", compare()?);
    Ok(())
}

/// Compares every type that the device supports, and counts the tensors.
fn compare() -> Result<usize> {
    // The values include a NaN with a payload, negative zero, and values of every kind.
    let float = |i: usize| [f32::from_bits(0x7fc1_2345), -0.0, f32::INFINITY, 0.5, 1e-40][i % 5] + i as f32;
    let mut tensors = bools()? + gradients()?;
    tensors += of::<Float, _>(|i| f64::from(float(i)), -7.0)?;
    tensors += of::<Float, _>(float, -7.0)?;
    tensors += of::<Float, _>(|i| f16::from_f32(float(i)), f16::from_f32(-7.0))?;
    tensors += of::<Float, _>(|i| bf16::from_f32(float(i)), bf16::from_f32(-7.0))?;
    tensors += of::<Int, _>(|i| (i as i64).wrapping_mul(-12_345_678_901), -7)?;
    tensors += of::<Int, _>(|i| (i as i32).wrapping_mul(-123_456_789), -7)?;
    tensors += of::<Int, _>(|i| (i as i16).wrapping_mul(-12345), -7)?;
    tensors += of::<Int, _>(|i| (i as i8).wrapping_mul(-3), -7)?;
    tensors += of::<Int, _>(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), 7)?;
    tensors += of::<Int, _>(|i| (i as u32).wrapping_mul(0x9e37_79b9), 7)?;
    tensors += of::<Int, _>(|i| (i as u16).wrapping_mul(0x9e37), 7)?;
    tensors += of::<Int, _>(|i| i as u8, 7)?;
    Ok(tensors)
}

/// Compares tensors of one type in every mode.
fn of<K: Numeric, T>(value: impl Fn(usize) -> T, fill: T) -> Result<usize>
where
    T: Element + tensor::Element,
{
    let device = Device::flex();
    let dtype = <T as tensor::Element>::dtype();
    if !device.supports_dtype(dtype) {
        return Ok(0);
    }
    let shape = [2, 3, 4, 5];
    let values: Vec<T> = (0..shape.iter().product()).map(value).collect();
    let whole = Tensor::<4, K>::from_data(TensorData::new(values, shape), (&device, dtype));
    let inputs = [whole.clone(), whole.clone().swap_dims(1, 3), whole.narrow(3, 1, 3).narrow(2, 1, 3)];
    let borders = [
        [(0, 0), (0, 0), (1, 1), (1, 1)],
        [(0, 0), (0, 0), (0, 0), (0, 0)],
        [(1, 0), (0, 2), (2, 1), (0, 1)],
        // The borders are longer than the axes, so that the data is mirrored and repeated more than once.
        [(5, 3), (0, 0), (0, 9), (17, 0)],
    ];
    let mut tensors = 0;
    for input in &inputs {
        for border in borders {
            for mode in PadMode::ALL {
                let axes = border.map(|(low, high)| (low as i64, high as i64));
                let ours = pad(input.clone(), &PadSpec::new(mode, axes).with_fill(fill))?.into_data();
                let burns = by_burn(input.clone(), border, mode, fill).into_data();
                if ours.shape() != burns.shape() || ours.as_bytes() != burns.as_bytes() {
                    return Err(format!("{mode} of {border:?} on {dtype:?} is not burn's").into());
                }
                tensors += 1;
            }
        }
    }
    Ok(tensors)
}

/// Pads with functions of burn.
fn by_burn<K: Numeric, T: tensor::Element>(
    input: Tensor<4, K>,
    border: [(usize, usize); 4],
    mode: PadMode,
    fill: T,
) -> Tensor<4, K> {
    use burn::tensor::ops::PadMode as Theirs;
    let once = border.iter().zip(input.dims()).all(|(&(low, high), length)| low.max(high) < length);
    match mode {
        PadMode::Constant => input.pad(border, Theirs::Constant(fill.to_f32())),
        PadMode::Edge => input.pad(border, Theirs::Edge),
        PadMode::Reflect if once => input.pad(border, Theirs::Reflect),
        _ => (0..4).zip(border).fold(input, |input, (axis, (low, high))| {
            let length = input.dims()[axis] as i64;
            let positions = -(low as i64)..length + high as i64;
            let indices: Vec<i64> = positions.map(|position| source(mode, position, length)).collect();
            let count = indices.len();
            let options = (&input.device(), DType::I64);
            let indices = Tensor::<1, Int>::from_data(TensorData::new(indices, [count]), options);
            input.select(axis, indices)
        }),
    }
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

/// Compares masks. burn cannot pad masks, so they are compared with numbers.
fn bools() -> Result<usize> {
    let device = Device::flex();
    let mask = Tensor::<2, Int>::from_data([[1, 0, 1], [0, 0, 1]], &device).equal_elem(1);
    for mode in PadMode::ALL {
        let axes = [(1, 0), (2, 4)];
        let ours: Tensor<2, Bool> = pad(mask.clone(), &PadSpec::new(mode, axes))?;
        let numbers = pad(mask.clone().int(), &PadSpec::new(mode, axes))?;
        if ours.into_data() != numbers.equal_elem(1).into_data() {
            return Err(format!("{mode} of a mask is not that of its numbers").into());
        }
    }
    Ok(PadMode::ALL.len())
}

/// Compares the gradient of every mode with burn's own gradient. The values are integers, so that sums are exact in any order.
fn gradients() -> Result<usize> {
    let device = Device::flex().autodiff();
    let numbers = |count: usize| (0..count).map(|i| i as f32 + 1.0).collect::<Vec<_>>();
    // The data is mirrored once, and more than once.
    let borders = [[(0, 0), (0, 0), (2, 1), (1, 2)], [(1, 0), (0, 2), (0, 7), (9, 4)]];
    let mut tensors = 0;
    for (border, mode) in borders.into_iter().flat_map(|border| PadMode::ALL.map(|mode| (border, mode))) {
        let of = |pad: &dyn Fn(Tensor<4>) -> Result<Tensor<4>>| -> Result<TensorData> {
            let data = TensorData::new(numbers(24), [1, 2, 3, 4]);
            let input = Tensor::<4>::from_data(data, (&device, DType::F32)).require_grad();
            let padded = pad(input.clone())?;
            let shape = padded.dims();
            let weights = TensorData::new(numbers(shape.iter().product()), shape);
            let weights = Tensor::<4>::from_data(weights, (&device, DType::F32));
            let gradients = (padded * weights).sum().backward();
            Ok(input.grad(&gradients).ok_or("no gradient")?.into_data())
        };
        let axes = border.map(|(low, high)| (low as i64, high as i64));
        let ours = of(&|input| pad_floats(input, &PadSpec::new(mode, axes)))?;
        let burns = of(&|input| Ok(by_burn(input, border, mode, 0f32)))?;
        if ours.shape() != burns.shape() || ours.as_bytes() != burns.as_bytes() {
            return Err(format!("the gradient of {mode} of {border:?} is not burn's").into());
        }
        tensors += 1;
    }
    Ok(tensors)
}
