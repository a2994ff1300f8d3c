//! Cases of computed borders, and their conversion for the reference.

use pad_kernels::{
    DType, Fill,
    computed::{ComputedMode, ComputedSpec, EndValue, RampPrecision},
    tensor::ElementSize,
};

use crate::reference::computed::{Format, Kind, Mode, Request, Statistic};

/// A request for computed borders, and its input tensor.
#[derive(Clone, Debug)]
pub struct Case {
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub data: Vec<u8>,
    pub spec: ComputedSpec,
}

/// Returns the reference's description of a type.
pub(crate) fn kind(dtype: DType) -> Kind {
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

pub(super) fn size(dtype: DType) -> usize {
    match dtype.element_size() {
        ElementSize::Bytes(bytes) => bytes,
        _ => panic!("{dtype} is no number"),
    }
}

impl Case {
    /// Returns the request in the reference's terms.
    pub(super) fn request(&self) -> Request {
        let rank = self.shape.len();
        let axes = || 0..rank;
        let mut request = Request {
            mode: Mode::Empty,
            widths: self.spec.widths.to_vec(),
            lengths: Vec::new(),
            ends: Vec::new(),
            constants: Vec::new(),
            strides: None,
        };
        use ComputedMode as M;
        let statistic = |of: Statistic, skips_nan: bool| Mode::Statistic { of, skips_nan };
        let (mode, lengths) = match &self.spec.mode {
            M::Constants(fills) => {
                let bytes = |fill: &Fill| {
                    // `Debug` prints the bytes of the fill in the order of memory.
                    let told = format!("{fill:?}");
                    let digits = told.split("0x").nth(1).expect("bits").trim_end_matches(')');
                    little(self.dtype, &hex::decode(digits).expect("hexadecimal digits"))
                };
                let zero = || vec![0; size(self.dtype)];
                let both = |axis| {
                    fills.get(axis).map_or_else(|| (zero(), zero()), |(low, high)| (bytes(low), bytes(high)))
                };
                request.constants = axes().map(both).collect();
                (Mode::Constant, None)
            }
            M::LinearRamp { ends, precision } => {
                let parts = |end: EndValue| [end.re, end.im];
                let ends = axes().map(|axis| ends.get(axis).copied().unwrap_or_default());
                request.ends = ends.map(|(low, high)| (parts(low), parts(high))).collect();
                (Mode::Ramp { double: *precision == RampPrecision::Double }, None)
            }
            M::Maximum(lengths) => (statistic(Statistic::Maximum, false), Some(lengths)),
            M::Mean(lengths) => (statistic(Statistic::Mean, false), Some(lengths)),
            M::Median(lengths) => (statistic(Statistic::Median, false), Some(lengths)),
            M::Minimum(lengths) => (statistic(Statistic::Minimum, false), Some(lengths)),
            M::NanMaximum(lengths) => (statistic(Statistic::Maximum, true), Some(lengths)),
            M::NanMean(lengths) => (statistic(Statistic::Mean, true), Some(lengths)),
            M::NanMedian(lengths) => (statistic(Statistic::Median, true), Some(lengths)),
            M::NanMinimum(lengths) => (statistic(Statistic::Minimum, true), Some(lengths)),
            M::Smooth => (Mode::Smooth, None),
            M::OddReflect => (Mode::Odd { repeats_edge: false }, None),
            M::OddSymmetric => (Mode::Odd { repeats_edge: true }, None),
            _ => (Mode::Empty, None),
        };
        request.mode = mode;
        if let Some(lengths) = lengths {
            request.lengths = axes().map(|axis| lengths.get(axis).copied().unwrap_or_default()).collect();
        }
        request
    }

    /// Returns whether two tensors are equal. Copied values must have equal bits. For computed values, all NaNs are equal.
    /// Medians may also differ in the sign of zero. If one tensor is a result of numpy (`is_of_numpy`), means, maxima and
    /// minima that do not skip NaN may also differ in that sign.
    pub(super) fn same(&self, a: &[u8], b: &[u8], is_of_numpy: bool) -> bool {
        use ComputedMode as M;
        let (copies, either) = match self.spec.mode {
            M::Constants(_) | M::Empty => (true, false),
            M::Median(_) | M::NanMedian(_) => (false, true),
            M::Mean(_) | M::Maximum(_) | M::Minimum(_) => (false, is_of_numpy),
            _ => (false, false),
        };
        same(self.dtype, a, b, |a, b| !copies && (a.is_nan() && b.is_nan() || either && a == b))
    }
}

/// Returns whether two tensors are equal. If two floats, or parts of complex numbers, have different bits, `alike` decides.
pub(crate) fn same(dtype: DType, a: &[u8], b: &[u8], alike: impl Fn(f64, f64) -> bool) -> bool {
    let part = match kind(dtype) {
        Kind::Float(format) | Kind::Complex(format) => Kind::Float(format),
        _ => return a == b,
    };
    let number = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        if cfg!(target_endian = "big") {
            bytes.reverse();
        }
        part.read(&bytes).parts().0
    };
    let mut parts = a.chunks_exact(part.size()).zip(b.chunks_exact(part.size()));
    a.len() == b.len() && parts.all(|(a, b)| a == b || alike(number(a), number(b)))
}

/// Converts a number to the bytes of an element, or of one part of a complex element.
pub(super) fn encode(dtype: DType, value: f64) -> Vec<u8> {
    match dtype {
        DType::F64 | DType::C128 => value.to_ne_bytes().to_vec(),
        DType::F32 | DType::C64 => (value as f32).to_ne_bytes().to_vec(),
        DType::F16 => half::f16::from_f64(value).to_ne_bytes().to_vec(),
        DType::BF16 => half::bf16::from_f64(value).to_ne_bytes().to_vec(),
        _ => little(dtype, &(value as i64).to_le_bytes()[..size(dtype)]),
    }
}

/// Converts elements between the machine's byte order and the reference's order, which is little-endian.
pub(crate) fn little(dtype: DType, data: &[u8]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        return data.to_vec();
    }
    let part = match dtype {
        DType::C64 | DType::C128 => size(dtype) / 2,
        _ => size(dtype),
    };
    data.chunks_exact(part).flat_map(|bytes| bytes.iter().rev().copied()).collect()
}
