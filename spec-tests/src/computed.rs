//! Computed borders: cases drawn and recorded, run in every way and compared with the reference.
#![forbid(unsafe_code)]

use std::path::Path;
use std::{fs, io};

use arbitrary::{Result, Unstructured};
use pad_kernels::dialect::{Dialect, numpy};
use pad_kernels::{
    ComputedMode, ComputedPlan, ComputedRow, ComputedSpec, DType, EndValue, Fill, Isa, Layout, PerSide,
    RampPrecision, Strides, computed_registry,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::reach;
use crate::reference::computed::{Format, Kind, Mode, Request, pad};

/// A request, a tensor, and the same for the reference.
#[derive(Clone, Debug)]
pub struct Case {
    /// The type of the elements.
    pub dtype: DType,
    /// The shape of the tensor.
    pub shape: Vec<usize>,
    /// Its elements, row by row.
    pub data: Vec<u8>,
    /// The request.
    pub spec: ComputedSpec,
}

/// The types that there is arithmetic for.
pub const NUMBERS: [DType; 15] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::Bool,
    DType::C64,
    DType::C128,
];

/// The reference's name of a type.
pub fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::F64 => Kind::Float(Format::F64),
        DType::F32 => Kind::Float(Format::F32),
        DType::F16 => Kind::Float(Format::F16),
        DType::BF16 => Kind::Float(Format::BF16),
        DType::C64 => Kind::Complex(Format::F32),
        DType::C128 => Kind::Complex(Format::F64),
        DType::Bool => Kind::Bool,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Integer(8 * size(dtype) as u32, true),
        _ => Kind::Integer(8 * size(dtype) as u32, false),
    }
}

fn size(dtype: DType) -> usize {
    match dtype.layout() {
        Layout::Bytes(bytes) => bytes,
        _ => panic!("{dtype} is no number"),
    }
}

impl Case {
    /// The same for the reference.
    fn request(&self) -> Request {
        let rank = self.shape.len();
        let axes = || 0..rank;
        let of = |lengths: &PerSide<Option<usize>>| {
            axes().map(|axis| lengths.get(axis).copied().unwrap_or_default()).collect()
        };
        let mut request = Request {
            mode: Mode::Empty,
            widths: self.spec.widths.to_vec(),
            lengths: Vec::new(),
            ends: Vec::new(),
            constants: Vec::new(),
        };
        request.mode = match &self.spec.mode {
            ComputedMode::Constants(fills) => {
                let bytes = |fill: &Fill| {
                    // The bits as they are printed, the lowest first.
                    let told = format!("{fill:?}");
                    let digits = told.split("0x").nth(1).expect("bits").trim_end_matches(')');
                    hex(digits).expect("hexadecimal digits")
                };
                let zero = || vec![0; size(self.dtype)];
                request.constants = axes()
                    .map(|axis| {
                        fills
                            .get(axis)
                            .map_or_else(|| (zero(), zero()), |(low, high)| (bytes(low), bytes(high)))
                    })
                    .collect();
                Mode::Constant
            }
            ComputedMode::LinearRamp { ends, precision } => {
                let parts = |end: EndValue| [end.re, end.im];
                request.ends = axes()
                    .map(|axis| ends.get(axis).copied().unwrap_or_default())
                    .map(|(low, high)| (parts(low), parts(high)))
                    .collect();
                Mode::Ramp { double: *precision == RampPrecision::Double }
            }
            ComputedMode::Maximum(lengths) => {
                request.lengths = of(lengths);
                Mode::Maximum
            }
            ComputedMode::Mean(lengths) => {
                request.lengths = of(lengths);
                Mode::Mean
            }
            ComputedMode::Median(lengths) => {
                request.lengths = of(lengths);
                Mode::Median
            }
            ComputedMode::Minimum(lengths) => {
                request.lengths = of(lengths);
                Mode::Minimum
            }
            ComputedMode::OddReflect => Mode::Odd { repeats_edge: false },
            ComputedMode::OddSymmetric => Mode::Odd { repeats_edge: true },
            _ => Mode::Empty,
        };
        request
    }

    /// Whether zeros of both signs count as equal: medians are of either.
    fn ignores_zeros(&self) -> bool {
        matches!(self.spec.mode, ComputedMode::Median(_))
    }

    /// Whether two tensors are the same: bit by bit, but that any NaN is as good as another.
    fn same(&self, a: &[u8], b: &[u8]) -> bool {
        let copies = matches!(self.spec.mode, ComputedMode::Constants(_) | ComputedMode::Empty);
        let part = match self.dtype {
            DType::F64 | DType::C128 => 8,
            DType::F32 | DType::C64 => 4,
            DType::F16 | DType::BF16 => 2,
            _ => return a == b,
        };
        a.len() == b.len()
            && a.chunks_exact(part).zip(b.chunks_exact(part)).all(|(a, b)| {
                a == b
                    || !copies && {
                        let (a, b) = (float(self.dtype, a), float(self.dtype, b));
                        a.is_nan() && b.is_nan() || self.ignores_zeros() && a == b
                    }
            })
    }
}

/// The number of these bytes, or of one part of a complex number.
fn float(dtype: DType, bytes: &[u8]) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => f64::from_ne_bytes(bytes.try_into().expect("eight bytes")),
        DType::F32 | DType::C64 => f32::from_ne_bytes(bytes.try_into().expect("four bytes")).into(),
        DType::F16 => half::f16::from_ne_bytes(bytes.try_into().expect("two bytes")).into(),
        _ => half::bf16::from_ne_bytes(bytes.try_into().expect("two bytes")).into(),
    }
}

/// Draws a case. Few are refused.
///
/// # Errors
///
/// None: where the bytes end, so do the choices.
pub fn draw(row: &ComputedRow, u: &mut Unstructured<'_>) -> Result<Case> {
    use pad_kernels::Computation as C;
    let dtype = row.dtype();
    let rank = usize::from(*u.choose(&[1, 2, 3, 1, 2, 3, 4, 6, 0u8])?);
    // Axes that are long enough for lanes, for groups of neighbours, and for medians that do not fit the stack.
    let long = if u.ratio(1, 6)? && rank > 0 { Some(u.int_in_range(0..=rank - 1)?) } else { None };
    let most = [24, 24, 9, 5, 3, 2, 2][rank];
    let mut shape = Vec::new();
    for axis in 0..rank {
        shape.push(match () {
            () if long == Some(axis) => u.int_in_range(60..=if rank < 3 { 300 } else { 80 })?,
            () if u.ratio(1, 40)? => 0,
            () => u.int_in_range(1..=if long.is_some() { most.min(3) } else { most })?,
        });
    }
    let mut widths = Vec::new();
    for &length in &shape {
        let width = |u: &mut Unstructured<'_>| {
            let most = if rank == 1 { 40 } else { 7 - rank.min(5) };
            Ok::<_, arbitrary::Error>(if u.ratio(1, 4)? { 0 } else { u.int_in_range(0..=most)? })
        };
        let pair = (width(u)?, width(u)?);
        widths.push(if length == 0 && !u.ratio(1, 4)? { (0, 0) } else { pair });
    }
    let least = usize::from(!u.ratio(1, 12)?);
    let lengths =
        per_side(rank, u, |u| Ok(if u.ratio(1, 3)? { None } else { Some(u.int_in_range(least..=9)?) }))?;
    let mode = match row.computation() {
        C::LinearRamp => {
            let complex = matches!(dtype, DType::C64 | DType::C128) || u.ratio(1, 60)?;
            let ends = per_side(rank, u, |u| {
                let end = *u.choose(&[
                    0.0,
                    1.0,
                    -3.0,
                    2.5,
                    1e-3,
                    300.0,
                    -70000.0,
                    1e10,
                    f64::INFINITY,
                    f64::NAN,
                    1e-310,
                ])?;
                let im = if complex { *u.choose(&[0.0, 2.0, -0.5])? } else { 0.0 };
                Ok(EndValue { re: end, im })
            })?;
            let precision = *u.choose(&[RampPrecision::Double, RampPrecision::Data])?;
            ComputedMode::LinearRamp { ends, precision }
        }
        C::Maximum => ComputedMode::Maximum(lengths),
        C::Mean => ComputedMode::Mean(lengths),
        C::Median => ComputedMode::Median(lengths),
        C::Minimum => ComputedMode::Minimum(lengths),
        C::Odd => match u.int_in_range(0..=9u8)? {
            // What has no row is drawn along with it.
            0 => ComputedMode::Empty,
            1 => ComputedMode::Constants(per_side(rank, u, |u| {
                Ok(Fill::from_bytes(dtype, &element(dtype, u)?))
            })?),
            2..=5 => ComputedMode::OddReflect,
            _ => ComputedMode::OddSymmetric,
        },
    };
    let count: usize = shape.iter().product();
    // Few bytes make a case: the rest repeats in a cycle of a prime number.
    let cycle = (0..count.min(131)).map(|_| element(dtype, u)).collect::<Result<Vec<_>>>()?;
    let data = (0..count).flat_map(|index| cycle[index % cycle.len()].clone()).collect();
    Ok(Case { dtype, shape, data, spec: ComputedSpec::new(mode, widths) })
}

fn per_side<T>(
    rank: usize,
    u: &mut Unstructured<'_>,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<PerSide<T>> {
    Ok(match u.int_in_range(0..=3u8)? {
        0 => PerSide::default(),
        1 => PerSide::axes([(one(u)?, one(u)?)]),
        _ => PerSide::axes((0..rank).map(|_| Ok((one(u)?, one(u)?))).collect::<Result<Vec<_>>>()?),
    })
}

/// A number that is likely to be an awkward one.
fn element(dtype: DType, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    if matches!(dtype, DType::C64 | DType::C128) {
        let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
        return Ok([element(part, u)?, element(part, u)?].concat());
    }
    let bytes = size(dtype);
    Ok(match kind(dtype) {
        Kind::Bool => vec![u.int_in_range(0..=1)?],
        Kind::Float(_) => {
            let value = match u.int_in_range(0..=15u8)? {
                0 => *u.choose(&[f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0, 1e300, -1e300])?,
                1 => *u.choose(&[1e-310, 6e-8, -1e-40, 65504.0, 3.3e38, -3.3e38])?,
                2 => return Ok(u.arbitrary::<u64>()?.to_ne_bytes()[..bytes].to_vec()),
                3..=8 => f64::from(u.int_in_range(-99..=99i32)?),
                _ => f64::from(u.arbitrary::<i32>()?) * 1e-6,
            };
            match dtype {
                DType::F64 => value.to_ne_bytes().to_vec(),
                DType::F32 => (value as f32).to_ne_bytes().to_vec(),
                DType::F16 => half::f16::from_f64(value).to_ne_bytes().to_vec(),
                _ => half::bf16::from_f64(value).to_ne_bytes().to_vec(),
            }
        }
        _ => match u.int_in_range(0..=5u8)? {
            0 => vec![*u.choose(&[0, 0xff])?; bytes],
            1 => (u64::MAX >> 1 >> (64 - 8 * bytes)).to_ne_bytes()[..bytes].to_vec(),
            2 => u.arbitrary::<u64>()?.to_ne_bytes()[..bytes].to_vec(),
            _ => i64::from(u.int_in_range(-99..=99i32)?).to_ne_bytes()[..bytes].to_vec(),
        },
    })
}

/// Runs a case in every way and compares.
///
/// # Errors
///
/// What is wrong.
pub fn check(case: &Case, u: &mut Unstructured<'_>) -> std::result::Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}: {case:?}"));
    let expected = pad(&case.request(), kind(case.dtype), &case.shape, &little(case.dtype, &case.data));
    let plan = ComputedPlan::for_dtype(&case.spec, &case.shape, case.dtype);
    let (plan, (shape, bytes)) = match (plan, expected) {
        (Ok(plan), Ok(expected)) => (plan, expected),
        (Err(error), Err(_)) => {
            reach::refused(&error);
            return Ok(());
        }
        (Err(error), Ok(_)) => return wrong(&format!("refused with {error}")),
        (Ok(_), Err(reason)) => return wrong(&format!("not refused, although {reason}")),
    };
    reach::accepted();
    let bytes = little(case.dtype, &bytes);
    if plan.output_shape() != shape {
        return wrong("another shape");
    }
    let size = size(case.dtype);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let plan = plan.clone().with_isa(isa).map_err(|error| error.to_string())?;
        plan.kernels().for_each(reach::computed);
        for junk in [0x5a, 0xa5] {
            // At an odd address, in a buffer of its own length.
            let mut memory = vec![junk; bytes.len() + 1];
            let dst = &mut memory[1..];
            plan.run_bytes(&case.data, dst).map_err(|error| error.to_string())?;
            if case.spec.mode == ComputedMode::Empty {
                let zeros = pad_empty(case, junk);
                if dst != zeros {
                    return wrong("borders that were to stay are written, or the inside is not");
                }
            } else if !case.same(dst, &bytes) {
                return wrong(&format!("with {isa} {dst:?} instead of {bytes:?}"));
            }
        }
    }
    // Tensors that lie otherwise: axes in another order, with gaps, and of the input also backwards.
    let (input, src_len) = strides(&case.shape, true, u).map_err(|error| error.to_string())?;
    let (output, dst_len) = strides(&shape, false, u).map_err(|error| error.to_string())?;
    let placed =
        plan.with_strides(&input.strides, &output.strides).map_err(|error| format!("{error}: {case:?}"))?;
    let mut src = vec![0xee; src_len * size];
    let elements = case.data.chunks_exact(size);
    for (place, element) in input.places(&case.shape).zip(elements) {
        src[place * size..][..size].copy_from_slice(element);
    }
    let mut dst = vec![0x77; dst_len * size];
    placed.run_bytes(&src, &mut dst).map_err(|error| error.to_string())?;
    let mut got = Vec::new();
    for place in output.places(&shape) {
        got.extend_from_slice(&dst[place * size..][..size]);
        dst[place * size..][..size].fill(0x77);
    }
    if case.spec.mode != ComputedMode::Empty && !case.same(&got, &bytes) {
        return wrong(&format!("placed as {input:?} and {output:?}, {got:?} instead of {bytes:?}"));
    }
    if dst.iter().any(|&byte| byte != 0x77) {
        return wrong("what lies between the elements of the output is written");
    }
    Ok(())
}

/// What a plan of no borders leaves of memory of such bytes.
fn pad_empty(case: &Case, junk: u8) -> Vec<u8> {
    let fill = vec![junk; size(case.dtype)];
    let constants = case.shape.iter().map(|_| (fill.clone(), fill.clone())).collect();
    let request = Request { mode: Mode::Constant, constants, ..case.request() };
    // Bytes are moved, whatever they mean.
    let bytes = Kind::Integer(8 * size(case.dtype) as u32, false);
    pad(&request, bytes, &case.shape, &case.data).expect("constants pad everything").1
}

/// Elements in the order of bytes that the reference reads, or back: least significant first.
fn little(dtype: DType, data: &[u8]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        return data.to_vec();
    }
    let part = match dtype {
        DType::C64 | DType::C128 => size(dtype) / 2,
        _ => size(dtype),
    };
    data.chunks_exact(part).flat_map(|bytes| bytes.iter().rev().copied()).collect()
}

/// Where a tensor lies.
#[derive(Debug)]
struct Placed {
    strides: Strides,
    offset: usize,
    steps: Vec<isize>,
}

impl Placed {
    /// The places of all elements, row by row.
    fn places(&self, shape: &[usize]) -> impl Iterator<Item = usize> + use<'_> {
        let shape = shape.to_vec();
        (0..shape.iter().product()).map(move |mut index: usize| {
            let mut place = self.offset as isize;
            for (&length, step) in shape.iter().zip(&self.steps).rev() {
                place += (index % length) as isize * step;
                index /= length;
            }
            place as usize
        })
    }
}

/// Strides in any order, with gaps; and as many elements as the buffer needs.
fn strides(shape: &[usize], backwards: bool, u: &mut Unstructured<'_>) -> Result<(Placed, usize)> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for index in (1..order.len()).rev() {
        order.swap(index, u.int_in_range(0..=index)?);
    }
    let (mut steps, mut reach, mut offset) = (vec![0; shape.len()], 1, 0);
    for &axis in order.iter().rev() {
        let step = reach + if u.ratio(1, 3)? { u.int_in_range(0..=2)? } else { 0 };
        let span = shape[axis].saturating_sub(1) * step;
        reach = step * shape[axis].max(1);
        steps[axis] = step as isize;
        if backwards && u.ratio(1, 4)? {
            steps[axis] = -(step as isize);
            offset += span;
        }
    }
    let start = u.int_in_range(0..=3usize)?;
    offset += start;
    let strides = Strides::new(offset, steps.iter().copied());
    Ok((Placed { strides, offset, steps }, start + reach + 4))
}

/// A row that this machine can run.
pub fn row(index: usize) -> &'static ComputedRow {
    let rows = || computed_registry().iter().filter(|row| row.isa().available());
    rows().nth(index % rows().count()).expect("an index of a row")
}

/// A recorded call: see `vectors/README.md`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// A name of its own.
    pub id: String,
    dtype: String,
    shape: Vec<usize>,
    data: String,
    /// numpy's mode, for odd reflections with `odd_` before it.
    pub mode: String,
    pad_width: Value,
    args: Map<String, Value>,
    expect: Answer,
    #[allow(dead_code, reason = "for readers")]
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    shape: Option<Vec<usize>>,
    data: Option<String>,
    error: Option<String>,
}

/// The recorded calls of a file.
///
/// # Errors
///
/// If it cannot be read, or a line of it is no call.
pub fn load(path: &Path) -> io::Result<Vec<Recorded>> {
    let text = fs::read_to_string(path)?;
    text.lines().map(|line| serde_json::from_str(line).map_err(io::Error::other)).collect()
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

impl Recorded {
    /// Puts the call to the dialect and to the reference, and compares with what numpy answered.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn check(&self) -> std::result::Result<(), String> {
        let wrong = |what: String| Err(format!("{}: {what}", self.id));
        let dtype: DType = self.dtype.parse().map_err(|_| format!("{} is no type", self.dtype))?;
        let data = little(dtype, &hex(&self.data).ok_or("the data is not hexadecimal")?);
        let numpy_mode = self.mode.strip_prefix("odd_").unwrap_or(&self.mode);
        let mut call = numpy::Pad::new(width(&self.pad_width)).mode(numpy_mode);
        if self.mode.starts_with("odd_") {
            call = call.reflect_type("odd");
        }
        for (name, value) in &self.args {
            call = match &name[..] {
                "stat_length" => call.stat_length(width(value)),
                "end_values" => call.end_values(values(value, &|value| {
                    let (re, im) = number(value);
                    EndValue { re, im }
                })),
                "constant_values" => call.constant_values(values(value, &|value| fill(dtype, value))),
                name => return wrong(format!("{name} is no argument")),
            };
        }
        let ours = call.pad_bytes(&data, &self.shape, dtype);
        let (ours, theirs) = match (ours, &self.expect) {
            (Ok(ours), Answer { shape: Some(shape), data: Some(theirs), error: None }) => {
                let own = call.output_shape(&self.shape, dtype).map_err(|error| error.to_string())?;
                if own != *shape {
                    return wrong(format!("shape {own:?} instead of {shape:?}"));
                }
                (ours, little(dtype, &hex(theirs).ok_or("the answer is not hexadecimal")?))
            }
            (Err(error), Answer { shape: None, data: None, error: Some(_) }) => {
                reach::met(&error);
                return Ok(());
            }
            (ours, theirs) => return wrong(format!("{ours:?} instead of {theirs:?}")),
        };
        let spec = call.computed_spec(&self.shape).map_err(|error| error.to_string())?;
        let Some(spec) = spec else {
            return if ours == theirs { Ok(()) } else { wrong(format!("{ours:?} instead of {theirs:?}")) };
        };
        let case = Case { dtype, shape: self.shape.clone(), data, spec };
        if !case.agrees(&ours, &theirs) {
            return wrong(format!("{ours:?} instead of {theirs:?}"));
        }
        let (_, reference) = pad(&case.request(), kind(dtype), &case.shape, &little(dtype, &case.data))?;
        let reference = little(dtype, &reference);
        if case.spec.mode != ComputedMode::Empty && !case.same(&ours, &reference) {
            return wrong(format!("{ours:?}, and the reference {reference:?}"));
        }
        Ok(())
    }
}

impl Case {
    /// Whether numpy's answer is ours: as for the reference, but that of equal zeros any is an extreme or a mean, and that numpy's
    /// means of floats are off by the rounding errors of a sum.
    fn agrees(&self, ours: &[u8], theirs: &[u8]) -> bool {
        let part = match self.dtype {
            DType::F64 | DType::C128 => 8,
            DType::F32 | DType::C64 => 4,
            DType::F16 => 2,
            _ => return self.same(ours, theirs),
        };
        let is_mean = matches!(self.spec.mode, ComputedMode::Mean(_));
        let is_statistic = is_mean
            || matches!(
                self.spec.mode,
                ComputedMode::Maximum(_) | ComputedMode::Minimum(_) | ComputedMode::Median(_)
            );
        if !is_statistic {
            return self.same(ours, theirs);
        }
        let number = |bytes: &[u8]| float(self.dtype, bytes);
        let largest = self.data.chunks_exact(part).map(number).filter(|value| value.is_finite());
        let largest = largest.fold(0.0, |most, value| value.abs().max(most));
        let off = match part {
            _ if !is_mean => 0.0,
            8 => largest * 1e-14,
            4 => largest * 3e-6,
            _ => largest * 4e-3,
        };
        ours.len() == theirs.len()
            && ours.chunks_exact(part).zip(theirs.chunks_exact(part)).all(|(a, b)| {
                let (a, b) = (number(a), number(b));
                a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= off
            })
    }
}

fn width(value: &Value) -> numpy::PadWidth {
    let number = |value: &Value| value.as_i64().expect("a width is an integer");
    match value {
        Value::Array(rows) if rows.iter().any(Value::is_array) => {
            let row = |row: &Value| row.as_array().expect("rows alone").iter().map(number).collect();
            numpy::PadWidth::Rows(rows.iter().map(row).collect())
        }
        Value::Array(sides) => numpy::PadWidth::List(sides.iter().map(number).collect()),
        both => numpy::PadWidth::Scalar(number(both)),
    }
}

fn values<T>(value: &Value, one: &dyn Fn(&Value) -> T) -> numpy::Values<T> {
    match value {
        Value::Array(rows) if rows.iter().any(Value::is_array) => {
            let row = |row: &Value| row.as_array().expect("rows alone").iter().map(one).collect();
            numpy::Values::Rows(rows.iter().map(row).collect())
        }
        Value::Array(sides) => numpy::Values::List(sides.iter().map(one).collect()),
        both => numpy::Values::Scalar(one(both)),
    }
}

/// Real and imaginary part.
fn number(value: &Value) -> (f64, f64) {
    match value {
        Value::Object(parts) => (number(&parts["re"]).0, number(&parts["im"]).0),
        Value::String(name) => (name.parse().expect("inf or nan"), 0.0),
        Value::Bool(flag) => (f64::from(u8::from(*flag)), 0.0),
        value => (value.as_f64().expect("a number"), 0.0),
    }
}

/// A constant of the type, which it holds as it is written.
fn fill(dtype: DType, value: &Value) -> Fill {
    let (re, im) = number(value);
    match dtype {
        DType::F64 => Fill::of(re),
        DType::F32 => Fill::of(re as f32),
        DType::F16 => Fill::of(half::f16::from_f64(re)),
        DType::C64 => {
            Fill::from_bytes(dtype, &[(re as f32).to_ne_bytes(), (im as f32).to_ne_bytes()].concat())
        }
        DType::C128 => Fill::from_bytes(dtype, &[re.to_ne_bytes(), im.to_ne_bytes()].concat()),
        _ => {
            let bytes = (re as i64).to_le_bytes()[..size(dtype)].to_vec();
            Fill::from_bytes(dtype, &little(dtype, &bytes))
        }
    }
}
