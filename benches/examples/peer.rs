//! Runs recorded cases on another Rust library that pads. It is an engine for `conform --engine`.
//!
//! Usage: peer candle|burn|tract|rten|ndarray-ndimage. The protocol is in `spec-tests/engines/PROTOCOL.md`.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytemuck::Pod;
use half::{bf16, f16};
use pad_kernels::{DType, PadMode};
use serde_json::{Value, json};
use spec_tests::conform;
use spec_tests::vectors::{Case, Elements};

/// A call in the form of these libraries.
struct Call {
    dtype: DType,
    shape: Vec<usize>,
    input: Vec<u8>,
    borders: Vec<(usize, usize)>,
    mode: PadMode,
    /// The bytes of one element.
    fill: Vec<u8>,
}

/// The shape and the bytes of a tensor.
type Tensor = (Vec<usize>, Vec<u8>);

enum Silence {
    /// The library refuses the call.
    Refused(String),
    /// The interface of the library cannot express the call.
    Cannot(String),
}

type Answer = Result<Tensor, Silence>;

fn cannot(what: impl ToString) -> Silence {
    Silence::Cannot(what.to_string())
}

fn refused(why: impl ToString) -> Silence {
    Silence::Refused(why.to_string())
}

/// The name of a library in this program, and the function that calls it.
type Peer = (&'static str, fn(&Call) -> Answer);

const PEERS: [Peer; 5] =
    [("candle", candle), ("burn", burn), ("tract", tract), ("rten", rten), ("ndarray-ndimage", ndimage)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(&(name, pad)) = PEERS.iter().find(|(peer, _)| *peer == name) else {
        return Err(format!("no library {name:?}; there are {:?}", PEERS.map(|(peer, _)| peer)).into());
    };
    let mut lines = io::stdin().lock().lines();
    let mut out = io::stdout().lock();
    lines.next().transpose()?;
    writeln!(
        out,
        "{}",
        json!({"protocol": spec_tests::engine::PROTOCOL, "engine": format!("{name} {}", version(name))})
    )?;
    out.flush()?;
    for line in lines {
        let asked: Value = serde_json::from_str(&line?)?;
        // Some libraries panic to refuse a call.
        let answer = catch_unwind(AssertUnwindSafe(|| answer(&asked["case"], pad))).unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<String>().cloned();
            let why = why.or_else(|| panic.downcast_ref::<&str>().map(|&why| why.to_owned()));
            Ok(json!({"error": format!("panics: {}", why.unwrap_or_default())}))
        });
        let mut answer = answer.unwrap_or_else(|why| json!({"cannot": why}));
        answer["n"] = asked["n"].clone();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the version of the library with which this program was built.
fn version(name: &str) -> String {
    let package = match name {
        "candle" => "candle-core",
        "tract" => "tract-core",
        name => name,
    };
    let found = benches::machine::versions(&[package]);
    found.first().and_then(|found| found.split(' ').nth(1)).unwrap_or("?").to_owned()
}

/// Returns the answer to a case, or the reason why the case cannot be run.
fn answer(told: &Value, pad: fn(&Call) -> Answer) -> Result<Value, String> {
    let case = Case::of_call(told.clone())?;
    if case.dialect != "core" {
        return Err(format!("dialect {}", case.dialect));
    }
    let (element, dtype) = (case.dtype, conform::dtype(&case));
    let mode =
        PadMode::ALL.into_iter().find(|mode| mode.name() == case.mode).ok_or("the mode is not known")?;
    let width = |&width: &i64| usize::try_from(width).map_err(|_| "negative widths".to_owned());
    let borders = |widths: &[i64]| widths.iter().map(width).collect::<Result<Vec<_>, _>>();
    let (low, high) = (borders(&case.low)?, borders(&case.high)?);
    if low.len() != case.shape.len()
        || high.len() != case.shape.len()
        || case.interior.iter().flatten().any(|&gap| gap != 0)
    {
        return Err("widths that are no borders".into());
    }
    let fill = match case.value {
        Some(ref value) => Elements::from_json([value], element)?,
        None => Elements::zero(element),
    };
    let (Elements::Bytes(input), Elements::Bytes(fill)) = (case.input()?, fill) else {
        return Err("strings".into());
    };
    // A tensor that exceeds the memory says nothing about padding, so the case is skipped.
    let room =
        case.shape.iter().zip(low.iter().zip(&high)).try_fold(1usize, |count, (&length, (&low, &high))| {
            count.checked_mul(length.checked_add(low)?.checked_add(high)?)
        });
    if room.is_none_or(|count| count > 1 << 20) {
        return Err("too large".into());
    }
    let call = Call {
        dtype,
        shape: case.shape.clone(),
        input,
        borders: low.into_iter().zip(high).collect(),
        mode,
        fill,
    };
    match pad(&call) {
        Ok((shape, bytes)) => {
            let count = shape.iter().product();
            Ok(json!({"shape": shape, "data": Elements::Bytes(bytes).to_json(element, count)}))
        }
        Err(Silence::Refused(why)) => Ok(json!({ "error": why })),
        Err(Silence::Cannot(why)) => Err(why),
    }
}

/// Calls `$function::<T>($call)` with the Rust type of the call's element type, if the list contains it.
macro_rules! typed {
    ($function:ident($call:expr) for $($dtype:ident = $type:ty),* $(,)?) => {
        match $call.dtype {
            $(DType::$dtype => $function::<$type>($call),)*
            other => Err(cannot(format!("type {}", other.name()))),
        }
    };
}

impl Call {
    fn values<T: Pod>(&self) -> Vec<T> {
        bytemuck::pod_collect_to_vec(&self.input)
    }

    fn value<T: Pod>(&self) -> T {
        bytemuck::pod_read_unaligned(&self.fill)
    }

    fn no_mode(&self) -> Silence {
        cannot(format!("mode {}", self.mode.name()))
    }
}

fn bytes<T: Pod>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// Calls candle, which pads one axis at a time, with zeros or with the nearest element.
fn candle(call: &Call) -> Answer {
    fn of<T: Pod + candle_core::WithDType>(call: &Call) -> Answer {
        let zeros = call.mode == PadMode::Constant && call.fill.iter().all(|&byte| byte == 0);
        if !zeros && call.mode != PadMode::Edge {
            return Err(cannot("a mode or a fill of its own"));
        }
        let device = candle_core::Device::Cpu;
        let mut tensor = candle_core::Tensor::from_vec(call.values::<T>(), call.shape.clone(), &device)
            .map_err(refused)?;
        for (axis, &(low, high)) in call.borders.iter().enumerate() {
            let padded = if zeros {
                tensor.pad_with_zeros(axis, low, high)
            } else {
                tensor.pad_with_same(axis, low, high)
            };
            tensor = padded.map_err(refused)?;
        }
        let values = tensor.flatten_all().and_then(|flat| flat.to_vec1::<T>()).map_err(refused)?;
        Ok((tensor.dims().to_vec(), bytes(&values)))
    }
    typed!(of(call) for F64 = f64, F32 = f32, F16 = f16, BF16 = bf16, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U32 = u32)
}

/// Calls burn on its CPU backend.
fn burn(call: &Call) -> Answer {
    use burn::tensor::kind::Numeric;
    use burn::tensor::ops::PadMode as Mode;
    use burn::tensor::{DType as Kind, Device, Float, Int, Tensor, TensorData};

    fn of<const D: usize, K: Numeric + 'static>(
        call: &Call,
        device: Device,
        kind: Kind,
        value: f32,
    ) -> Answer {
        let mode = match call.mode {
            PadMode::Constant => Mode::Constant(value),
            PadMode::Edge => Mode::Edge,
            PadMode::Reflect => Mode::Reflect,
            PadMode::Symmetric | PadMode::Wrap => return Err(call.no_mode()),
        };
        let borders: [(usize, usize); D] = call.borders.clone().try_into().map_err(|_| cannot("the rank"))?;
        let data = TensorData::from_bytes_vec(call.input.clone(), call.shape.clone(), kind);
        let output = Tensor::<D, K>::from_data(data, (&device, kind)).pad(borders, mode);
        Ok((output.dims().to_vec(), output.into_data().as_bytes().to_vec()))
    }
    let device = Device::flex();
    // The fill of burn is a 32-bit float for every type.
    let exact = |exact: bool, value: f32| {
        exact.then_some(value).ok_or_else(|| cannot("a fill that is no 32-bit float"))
    };
    let integer = |value: i128| exact(value as f32 as i128 == value, value as f32);
    let (kind, value) = match call.dtype {
        DType::F64 => {
            let value = call.value::<f64>();
            (Kind::F64, exact(f64::from(value as f32).to_bits() == value.to_bits(), value as f32)?)
        }
        DType::F32 => (Kind::F32, call.value::<f32>()),
        DType::F16 => (Kind::F16, call.value::<f16>().to_f32()),
        DType::BF16 => (Kind::BF16, call.value::<bf16>().to_f32()),
        DType::I8 => (Kind::I8, call.value::<i8>().into()),
        DType::I16 => (Kind::I16, call.value::<i16>().into()),
        DType::I32 => (Kind::I32, integer(call.value::<i32>().into())?),
        DType::I64 => (Kind::I64, integer(call.value::<i64>().into())?),
        DType::U8 => (Kind::U8, call.value::<u8>().into()),
        DType::U16 => (Kind::U16, call.value::<u16>().into()),
        DType::U32 => (Kind::U32, integer(call.value::<u32>().into())?),
        DType::U64 => (Kind::U64, integer(call.value::<u64>().into())?),
        other => return Err(cannot(format!("type {}", other.name()))),
    };
    if !device.supports_dtype(kind) {
        return Err(cannot(format!("type {}", call.dtype.name())));
    }
    macro_rules! of_rank {
        ($kind:ty: $($rank:literal)*) => {
            match call.shape.len() {
                $($rank => of::<$rank, $kind>(call, device, kind, value),)*
                _ => Err(cannot("the rank")),
            }
        };
    }
    if kind.is_float() { of_rank!(Float: 1 2 3 4 5 6) } else { of_rank!(Int: 1 2 3 4 5 6) }
}

/// Calls tract's operator directly.
fn tract(call: &Call) -> Answer {
    use tract_core::internal::{Datum, EvalOp, IntoTValue, Tensor, tensor0, tvec};
    use tract_core::ops::array;

    fn of<T: Pod + Datum>(call: &Call) -> Answer {
        let mode = match call.mode {
            PadMode::Constant => array::PadMode::Constant(tensor0(call.value::<T>()).into()),
            PadMode::Edge => array::PadMode::Edge,
            PadMode::Reflect => array::PadMode::Reflect,
            PadMode::Symmetric | PadMode::Wrap => return Err(call.no_mode()),
        };
        let op = array::Pad { pads: call.borders.clone(), mode };
        let input = Tensor::from_shape(&call.shape, &call.values::<T>()).map_err(refused)?.into_tvalue();
        let outputs =
            op.eval_out_of_plan(tvec!(input)).map_err(refused)?.ok_or_else(|| cannot("has a state"))?;
        Ok((outputs[0].shape().to_vec(), outputs[0].as_bytes().to_vec()))
    }
    typed!(of(call) for
        F64 = f64, F32 = f32, F16 = f16, I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U16 = u16, U32 = u32, U64 = u64)
}

/// Calls rten's operator as a function. The function is generic, and the operator accepts these types.
fn rten(call: &Call) -> Answer {
    use rten::ops::{self, pad};
    use rten_tensor::prelude::*;
    use rten_tensor::{NdTensor, TensorView};

    fn of<T: Pod + Default + PartialEq>(call: &Call) -> Answer {
        let mode = match call.mode {
            PadMode::Constant => ops::PadMode::Constant,
            PadMode::Edge => ops::PadMode::Edge,
            PadMode::Reflect => ops::PadMode::Reflect,
            PadMode::Wrap => ops::PadMode::Wrap,
            PadMode::Symmetric => return Err(call.no_mode()),
        };
        let lows = call.borders.iter().map(|&(low, _)| low as i32);
        let highs = call.borders.iter().map(|&(_, high)| high as i32);
        let padding = NdTensor::from(lows.chain(highs).collect::<Vec<_>>());
        let values = call.values::<T>();
        let input = TensorView::from_data(call.shape.as_slice(), &values[..]);
        let output = pad(&rten::BufferPool::new(), input, &padding.view(), mode, call.value::<T>());
        let output = output.map_err(|error| refused(format!("{error:?}")))?;
        let values = output.data().ok_or_else(|| refused("the output is not contiguous"))?;
        Ok((output.shape().to_vec(), bytes(values)))
    }
    typed!(of(call) for F32 = f32, I32 = i32, I8 = i8, U8 = u8)
}

/// Calls a function that is modelled on NumPy's.
fn ndimage(call: &Call) -> Answer {
    use ndarray_ndimage::PadMode as Mode;

    fn of<T: Pod + num_traits::Num + num_traits::FromPrimitive + PartialOrd>(call: &Call) -> Answer {
        let values = call.values::<T>();
        let source = ndarray::ArrayViewD::from_shape(call.shape.clone(), &values).map_err(refused)?;
        let borders: Vec<_> = call.borders.iter().map(|&(low, high)| [low, high]).collect();
        let mode = match call.mode {
            PadMode::Constant => Mode::Constant(call.value::<T>()),
            PadMode::Edge => Mode::Edge,
            PadMode::Reflect => Mode::Reflect,
            PadMode::Symmetric => Mode::Symmetric,
            PadMode::Wrap => Mode::Wrap,
        };
        let output = ndarray_ndimage::pad(&source, &borders, mode);
        let shape = output.shape().to_vec();
        Ok((shape, bytes(&output.into_iter().collect::<Vec<T>>())))
    }
    typed!(of(call) for
        F64 = f64, F32 = f32, F16 = f16, BF16 = bf16, I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U16 = u16, U32 = u32,
        U64 = u64)
}
