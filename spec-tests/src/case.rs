//! One request, with everything that a run of it depends on.

use std::fmt;

use bytemuck::{CheckedBitPattern, NoUninit, checked};
use pad_kernels::{
    AxisPad, DType, Element, Fill, Frame, Modes, PadError, PadMode, PadPlan, PadSpec,
    computed::PerSide,
    tensor::{ElementSize, Operand},
};

use crate::convert;
use crate::reference::{Map, Refusal, Request};

/// The element type of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A type with a [`DType`].
    Tagged(DType),
    /// Elements of which only the size in bytes is known. The size is one of [`Kind::RAW_SIZES`].
    Raw(usize),
    /// The Rust type `[u8; N]`, which has no [`DType`], for an `N` of [`Kind::ARRAYS`].
    Array(usize),
}

/// Evaluates an expression with the Rust type of a kind of element. Returns `None` if the list below has no Rust type for the
/// kind.
macro_rules! with_type {
    ($kind:expr, $type:ident => $call:expr) => {
        $crate::case::with_type!(@ $kind, $type => $call;
            Tagged(DType::F64): f64, Tagged(DType::F32): f32, Tagged(DType::I8): i8, Tagged(DType::I16): i16,
            Tagged(DType::I32): i32, Tagged(DType::I64): i64, Tagged(DType::U8): u8, Tagged(DType::U16): u16,
            Tagged(DType::U32): u32, Tagged(DType::U64): u64, Tagged(DType::Bool): bool,
            Tagged(DType::F16): half::f16, Tagged(DType::BF16): half::bf16,
            Tagged(DType::C64): num_complex::Complex<f32>, Tagged(DType::C128): num_complex::Complex<f64>,
            Array(1): [u8; 1], Array(3): [u8; 3], Array(12): [u8; 12], Array(16): [u8; 16], Array(33): [u8; 33])
    };
    (@ $kind:expr, $type:ident => $call:expr; $($variant:ident($of:pat): $rust:ty),*) => {{
        use pad_kernels::DType;
        match $kind {
            $($crate::case::Kind::$variant($of) => { type $type = $rust; Some($call) })*
            _ => None,
        }
    }};
}
pub(crate) use with_type;

impl Kind {
    /// The sizes of elements of which only the size is known, in bytes.
    pub const RAW_SIZES: &[usize] =
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 128, 255, 256, 257];

    /// The sizes of arrays of bytes.
    pub const ARRAYS: [usize; 5] = [1, 3, 12, 16, 33];

    /// Returns every kind. The kinds with a `DType` come first.
    pub fn all() -> impl Iterator<Item = Kind> {
        DType::ALL.iter().map(|&dtype| Kind::Tagged(dtype)).chain(Kind::untagged())
    }

    /// Returns every kind without a `DType`.
    pub fn untagged() -> impl Iterator<Item = Kind> {
        Kind::RAW_SIZES.iter().map(|&size| Kind::Raw(size)).chain(Kind::ARRAYS.map(Kind::Array))
    }

    pub fn dtype(self) -> Option<DType> {
        if let Kind::Tagged(dtype) = self { Some(dtype) } else { None }
    }

    /// Returns the size of an element in memory.
    pub fn element_size(self) -> ElementSize {
        match self {
            Kind::Tagged(dtype) => dtype.element_size(),
            Kind::Raw(size) | Kind::Array(size) => ElementSize::Bytes(size),
        }
    }

    /// Returns the number of bits of an element, with which the reference computes sizes. A cloned element counts as one byte,
    /// because the library allows `isize::MAX` of them.
    pub fn bits(self) -> u32 {
        match self.element_size() {
            ElementSize::Bytes(bytes) => 8 * bytes as u32,
            ElementSize::Bits(bits) => bits as u32,
            ElementSize::Cloned => 8,
        }
    }

    /// Returns whether the type has a default fill.
    pub fn has_zero(self) -> bool {
        match self {
            Kind::Tagged(dtype) => dtype.has_zero(),
            Kind::Raw(_) => false,
            Kind::Array(_) => true,
        }
    }

    /// Returns whether elements are cloned. The tests store such an element as one byte, from which [`text`] makes it.
    pub fn is_cloned(self) -> bool {
        self.element_size() == ElementSize::Cloned
    }

    /// Returns the number of bytes of `elements` elements.
    pub fn bytes(self, elements: usize) -> usize {
        match self.element_size() {
            ElementSize::Bits(bits) => (bits * elements).div_ceil(8),
            _ => self.bits() as usize / 8 * elements,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Tagged(dtype) => write!(f, "{dtype}"),
            Kind::Raw(size) => write!(f, "{size} bytes"),
            Kind::Array(size) => write!(f, "[u8; {size}]"),
        }
    }
}

/// An element type that converts from bytes and to bytes.
pub trait Typed: Element + Send + Sync + NoUninit + CheckedBitPattern {}

impl<T: Element + Send + Sync + NoUninit + CheckedBitPattern> Typed for T {}

pub fn elements<T: Typed>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(checked::pod_read_unaligned).collect()
}

/// Returns the text for which a byte stands in tests of cloned elements.
pub fn text(byte: &u8) -> String {
    format!("text {byte}")
}

/// The types with negative numbers.
pub const SIGNED: [DType; 10] = {
    use DType::*;
    [F64, F32, F16, BF16, I8, I16, I32, I64, C64, C128]
};

/// A request and the data on which it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub shape: Vec<usize>,
    /// One padding per axis. Some cases have a wrong number of paddings, which the library must refuse.
    pub axes: Vec<AxisPad>,
    /// The mode of all axes, or one mode per side.
    pub mode: Modes,
    /// The interpretation of negative widths, or `None` for the default.
    pub frame: Option<Frame>,
    pub kind: Kind,
    /// The bytes of the fill, if it is given. If the fill has several elements, each belongs to one position of an axis (see
    /// [`coloured`](Case::coloured)).
    pub fill: Option<Vec<u8>>,
    /// Whether the low and the high border of each axis are negated. An empty list negates none.
    pub negated: Vec<(bool, bool)>,
    /// A number from which [`data`](Case::data) computes the values of the input.
    pub paint: u8,
}

impl Case {
    /// Creates a request with the default frame and without a fill.
    pub fn new(
        kind: Kind,
        mode: impl Into<Modes>,
        shape: impl Into<Vec<usize>>,
        axes: impl Into<Vec<AxisPad>>,
    ) -> Case {
        let (shape, axes, mode) = (shape.into(), axes.into(), mode.into());
        Case { shape, axes, mode, frame: None, kind, fill: None, negated: Vec::new(), paint: 1 }
    }

    pub fn spec(&self) -> PadSpec {
        let mut spec = PadSpec::new(self.mode.clone(), &self.axes[..]);
        spec.frame = self.frame;
        let along = |fill: Fill| self.coloured().map_or(fill.clone(), |axis| fill.along_axis(axis));
        spec.fill = self.fill.as_ref().map(|bytes| match self.kind {
            Kind::Tagged(dtype) => along(Fill::from_bytes(dtype, bytes)),
            Kind::Raw(_) => along(Fill::untyped(bytes)),
            Kind::Array(_) => with_type!(self.kind, T => match (self.coloured(), elements::<T>(bytes)) {
                (None, fill) => Fill::of(fill[0]),
                (Some(axis), fills) => Fill::along(axis, &fills),
            })
            .expect("a listed size"),
        });
        if self.negated.is_empty() {
            return spec;
        }
        spec.with_negated(PerSide::axes(self.negated.iter().copied()))
    }

    /// Returns the axis that has one fill element per position, if the fill has several elements. It is the first axis without
    /// padding that is as long as the fill.
    pub fn coloured(&self) -> Option<usize> {
        let (bytes, size) = (self.fill.as_ref()?.len(), self.kind.bytes(1));
        let fits = |axis: &usize| {
            self.axes.get(*axis) == Some(&AxisPad::default())
                && self.shape[*axis].checked_mul(size) == Some(bytes)
        };
        (0..self.shape.len()).find(fits).filter(|_| bytes > size)
    }

    /// Returns the case with only its first fill element and without negated borders.
    #[must_use]
    pub fn plain(mut self) -> Case {
        self.negated.clear();
        let size = self.kind.bytes(1);
        if let Some(fill) = &mut self.fill {
            fill.truncate(size);
        }
        self
    }

    pub fn plan(&self) -> Result<PadPlan, PadError> {
        self.plan_of(&self.spec())
    }

    /// Creates the library's plan of `spec` for the shape and the elements of this case.
    pub fn plan_of(&self, spec: &PadSpec) -> Result<PadPlan, PadError> {
        match self.kind {
            Kind::Tagged(dtype) => PadPlan::for_dtype(spec, &self.shape, dtype),
            Kind::Raw(size) => PadPlan::for_bytes(spec, &self.shape, size),
            Kind::Array(_) => {
                with_type!(self.kind, T => PadPlan::new::<T>(spec, &self.shape)).expect("a listed size")
            }
        }
    }

    /// Converts the request to the reference's types.
    pub fn request(&self) -> Request {
        Request {
            shape: self.shape.clone(),
            axes: convert::axes(&self.axes),
            modes: convert::modes(&self.mode, self.shape.len()),
            frame: self.frame.map(convert::frame),
        }
    }

    /// Computes the output shape with the reference.
    pub fn output_shape(&self) -> Result<Vec<usize>, Refusal> {
        self.request().output_shape(self.kind.bits())
    }

    /// Computes the source of each output element with the reference.
    pub fn map(&self) -> Result<Map, Refusal> {
        self.request().map(self.kind.bits())
    }

    /// Converts the reference's refusal of this request to the library's error.
    pub fn error(&self, refusal: Refusal) -> PadError {
        let Case { shape, axes: pads, .. } = self;
        match refusal {
            Refusal::AxisCount { axes, rank } => PadError::AxisCount { spec: axes, shape: rank },
            Refusal::ModeCount { modes, rank } => PadError::ModeCount { modes, shape: rank },
            Refusal::NegativeOutput { axis, output } => {
                PadError::NegativeOutput { axis, length: shape[axis], pad: pads[axis], output }
            }
            Refusal::Overflow { axis } => {
                PadError::AxisOverflow { axis, length: shape[axis], pad: pads[axis] }
            }
            Refusal::EmptyWindow { axis, mode, output } => {
                let (pad, mode) = (pads[axis], convert::pad_mode(mode));
                PadError::EmptyWindow { axis, length: shape[axis], pad, mode, output }
            }
            Refusal::TooLarge { is_output, axis, length } => {
                let operand = if is_output { Operand::Output } else { Operand::Input };
                PadError::SizeOverflow { operand, axis, length, element_size: self.kind.element_size() }
            }
        }
    }

    pub fn turns_signs(&self) -> bool {
        self.negated.iter().any(|&sides| sides != (false, false))
    }

    /// Returns whether the library can negate elements of this type.
    pub fn has_signs(&self) -> bool {
        self.kind.dtype().is_some_and(|dtype| SIGNED.contains(&dtype))
    }

    /// Returns for each output element whether the reference negates it. Fill is never negated.
    ///
    /// `are_made(axis, position)` returns whether the position belongs to the interior or to a border that is written.
    pub(crate) fn turned(&self, map: &Map, are_made: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        // If one axis is empty, the other axes can have any length up to `usize::MAX`.
        if !self.turns_signs() || map.source.is_empty() {
            return vec![false; map.source.len()];
        }
        let mut turned = vec![false];
        for (axis, along) in self.request().signs(&self.negated).iter().enumerate() {
            let along = along.iter().enumerate().map(|(position, turns)| *turns && are_made(axis, position));
            let along: Vec<bool> = along.collect();
            turned = turned.iter().flat_map(|outer| along.iter().map(move |inner| outer ^ inner)).collect();
        }
        turned.into_iter().zip(&map.source).map(|(turned, source)| turned && source.is_some()).collect()
    }

    /// Returns whether the request needs a fill but has none.
    ///
    /// Only the library has this rule. The reference always receives a fill.
    pub fn lacks_fill(&self) -> bool {
        let needed = self.mode.contains(PadMode::Constant) || self.axes.iter().any(|pad| pad.interior > 0);
        self.fill.is_none() && needed && !self.kind.has_zero()
    }

    /// Returns the bytes of the fill, or zeros if none is given. A packed element is in the low bits of one byte. Cloned
    /// elements have the fill 255, which no input contains.
    pub fn fill_bytes(&self) -> Vec<u8> {
        let byte = if self.kind.is_cloned() { u8::MAX } else { 0 };
        self.fill.clone().unwrap_or_else(|| vec![byte; self.kind.bytes(1)])
    }

    /// Returns the bytes of the input.
    pub fn data(&self) -> Vec<u8> {
        paint(self.kind, self.shape.iter().product(), self.paint)
    }

    pub fn output(&self, map: &Map, data: &[u8]) -> Vec<u8> {
        map.apply_bits(data, &self.fill_bytes(), self.coloured(), self.kind.bits())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Returns the bytes of `elements` elements. They repeat after 251 bytes, a prime, so a block at a wrong position looks wrong.
///
/// No byte is above 250, so a fill of higher bytes differs from all data. Booleans are 0 or 1.
pub fn paint(kind: Kind, elements: usize, paint: u8) -> Vec<u8> {
    const CYCLE: usize = 251;
    let step = 1 + usize::from(paint) % (CYCLE - 1);
    let colours = (0..kind.bytes(elements)).map(|i| ((i * step + usize::from(paint)) % CYCLE) as u8);
    match kind {
        Kind::Tagged(DType::Bool) => colours.map(|byte| byte & 1).collect(),
        _ => colours.collect(),
    }
}

/// Negates an element. Floats change their sign bit, and integers become their two's complement.
pub(crate) fn negate(kind: Kind, element: &mut [u8]) {
    let part = match kind {
        Kind::Tagged(DType::C64 | DType::C128) => element.len() / 2,
        Kind::Tagged(DType::I8 | DType::I16 | DType::I32 | DType::I64) => {
            let mut bytes: Vec<&mut u8> = element.iter_mut().collect();
            if cfg!(target_endian = "big") {
                bytes.reverse();
            }
            // Inverts all bits and adds one. The carry continues while bytes become zero.
            let mut carries = true;
            for byte in bytes {
                (*byte, carries) = (!*byte).overflowing_add(carries.into());
            }
            return;
        }
        _ => element.len(),
    };
    let first = if cfg!(target_endian = "little") { part - 1 } else { 0 };
    element.chunks_exact_mut(part).for_each(|number| number[first] ^= 0x80);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_repeat_late_and_are_no_fill() {
        let colours = paint(Kind::Tagged(DType::F64), 40, 3);
        assert_eq!(colours.len(), 320);
        assert_eq!(colours[..69], colours[251..]);
        assert!((1..251).all(|shift| colours[shift] != colours[0]));
        assert!(colours.iter().all(|&byte| byte < 251));
        assert_eq!(paint(Kind::Tagged(DType::I2), 5, 3).len(), 2);
        assert!(paint(Kind::Tagged(DType::Bool), 99, 7).iter().all(|&byte| byte < 2));
    }
}
