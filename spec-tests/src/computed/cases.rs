//! A case, as the library and as the reference have it.

use pad_kernels::{
    DType, Fill,
    computed::{ComputedMode, ComputedSpec, EndValue, PerSide, RampPrecision},
    tensor::ElementSize,
};

use crate::reference::computed::{Format, Kind, Mode, Request};

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

pub(super) fn size(dtype: DType) -> usize {
    match dtype.element_size() {
        ElementSize::Bytes(bytes) => bytes,
        _ => panic!("{dtype} is no number"),
    }
}

impl Case {
    /// The request for the reference.
    pub(super) fn request(&self) -> Request {
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
            strides: None,
        };
        request.mode = match &self.spec.mode {
            ComputedMode::Constants(fills) => {
                let bytes = |fill: &Fill| {
                    // The bits as they are printed, in the order of memory.
                    let told = format!("{fill:?}");
                    let digits = told.split("0x").nth(1).expect("bits").trim_end_matches(')');
                    little(self.dtype, &hex(digits).expect("hexadecimal digits"))
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
            ComputedMode::NanMaximum(lengths) => {
                request.lengths = of(lengths);
                Mode::NanMaximum
            }
            ComputedMode::NanMean(lengths) => {
                request.lengths = of(lengths);
                Mode::NanMean
            }
            ComputedMode::NanMedian(lengths) => {
                request.lengths = of(lengths);
                Mode::NanMedian
            }
            ComputedMode::NanMinimum(lengths) => {
                request.lengths = of(lengths);
                Mode::NanMinimum
            }
            ComputedMode::Smooth => Mode::Smooth,
            ComputedMode::OddReflect => Mode::Odd { repeats_edge: false },
            ComputedMode::OddSymmetric => Mode::Odd { repeats_edge: true },
            _ => Mode::Empty,
        };
        request
    }

    /// Whether zeros of both signs count as equal: medians are of either.
    fn ignores_zeros(&self) -> bool {
        matches!(self.spec.mode, ComputedMode::Median(_) | ComputedMode::NanMedian(_))
    }

    /// Whether two tensors are the same: bit by bit, but that any NaN is as good as another.
    pub(super) fn same(&self, a: &[u8], b: &[u8]) -> bool {
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
pub(super) fn float(dtype: DType, bytes: &[u8]) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => f64::from_ne_bytes(bytes.try_into().expect("eight bytes")),
        DType::F32 | DType::C64 => f32::from_ne_bytes(bytes.try_into().expect("four bytes")).into(),
        DType::F16 => half::f16::from_ne_bytes(bytes.try_into().expect("two bytes")).into(),
        _ => half::bf16::from_ne_bytes(bytes.try_into().expect("two bytes")).into(),
    }
}

/// Elements in the order of bytes that the reference reads, or back: least significant first.
pub(super) fn little(dtype: DType, data: &[u8]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        return data.to_vec();
    }
    let part = match dtype {
        DType::C64 | DType::C128 => size(dtype) / 2,
        _ => size(dtype),
    };
    data.chunks_exact(part).flat_map(|bytes| bytes.iter().rev().copied()).collect()
}

pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
