//! One request with everything that a run of it depends on.
#![forbid(unsafe_code)]

use std::fmt;

use pad_kernels::{
    AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadError, PadMode, PadPlan, PadSpec, computed::PerSide,
    tensor::ElementSize,
};

use crate::convert;
use crate::reference::{self, Map, Refusal};

/// What the elements of a case are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A type with a tag.
    Tagged(DType),
    /// `[u8; N]`, which has none, for an `N` of [`Kind::RAW_SIZES`].
    Raw(usize),
}

/// What the library does with elements of one size without a tag.
struct Raw {
    plan: fn(&PadSpec, &[usize]) -> Result<PadPlan, PadError>,
    borders: fn(&PadSpec, &[usize]) -> Result<BorderPlan, PadError>,
    run_borders: fn(&BorderPlan, &mut [u8]) -> Result<(), PadError>,
    fill: fn(&[u8], Option<usize>) -> Fill,
}

const fn raw<const N: usize>() -> Raw {
    Raw {
        plan: PadPlan::new::<[u8; N]>,
        borders: BorderPlan::new::<[u8; N]>,
        run_borders: |plan, bytes| plan.run::<[u8; N]>(bytes.as_chunks_mut().0),
        fill: |bytes, axis| match axis {
            Some(axis) => Fill::along::<[u8; N]>(axis, bytes.as_chunks().0),
            None => Fill::of::<[u8; N]>(bytes.try_into().expect("one element of fill")),
        },
    }
}

macro_rules! raw_sizes {
    ($($size:literal)*) => {
        impl Kind {
            /// The sizes of elements without a tag.
            pub const RAW_SIZES: &[usize] = &[$($size),*];
        }

        const RAW: &[Raw] = &[$(raw::<$size>()),*];
    };
}
raw_sizes! { 1 2 3 4 5 6 7 8 9 12 15 16 17 24 31 32 33 48 63 64 65 96 128 255 256 257 }

impl Raw {
    fn of(size: usize) -> &'static Raw {
        let listed = Kind::RAW_SIZES.iter().position(|&listed| listed == size);
        &RAW[listed.unwrap_or_else(|| panic!("no element of {size} bytes is listed"))]
    }
}

impl Kind {
    /// Every kind, those with a tag first.
    pub fn all() -> impl Iterator<Item = Kind> {
        let tagged = DType::ALL.iter().map(|&dtype| Kind::Tagged(dtype));
        tagged.chain(Kind::RAW_SIZES.iter().map(|&size| Kind::Raw(size)))
    }

    /// How the elements lie in memory.
    pub fn element_size(self) -> ElementSize {
        match self {
            Kind::Tagged(dtype) => dtype.element_size(),
            Kind::Raw(size) => ElementSize::Bytes(size),
        }
    }

    /// The bits of an element, as the reference counts them.
    pub fn bits(self) -> u32 {
        convert::element_bits(self.element_size())
    }

    /// Whether there is a fill where none is given.
    pub fn has_zero(self) -> bool {
        match self {
            Kind::Tagged(dtype) => dtype.has_zero(),
            Kind::Raw(_) => true,
        }
    }

    /// The bytes of `elements` elements; none for those that are cloned.
    pub fn bytes(self, elements: usize) -> usize {
        match self.element_size() {
            ElementSize::Bytes(bytes) => bytes * elements,
            ElementSize::Bits(bits) => (bits * elements).div_ceil(8),
            ElementSize::Cloned => 0,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Tagged(dtype) => write!(f, "{dtype}"),
            Kind::Raw(size) => write!(f, "[u8; {size}]"),
        }
    }
}

/// The types that have negative numbers.
pub const SIGNED: [DType; 10] = {
    use DType::*;
    [F64, F32, F16, BF16, I8, I16, I32, I64, C64, C128]
};

/// A request, and the data it is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub shape: Vec<usize>,
    /// One padding per axis, unless the case is about another number of them.
    pub axes: Vec<AxisPad>,
    /// The mode, or the modes.
    pub mode: Modes,
    /// How negative pads are read, if the case says so.
    pub frame: Option<Frame>,
    pub kind: Kind,
    /// The fill as the bytes of one element, if the case gives one. Cloned elements have one in any case. Of several elements each
    /// is that of a position of an axis: see [`coloured`](Case::coloured).
    pub fill: Option<Vec<u8>>,
    /// Which sides of each axis turn signs; none, if empty.
    pub negated: Vec<(bool, bool)>,
    /// Which colours [`data`](Case::data) is painted in.
    pub paint: u8,
}

impl Case {
    /// A request of the default frame without a fill.
    pub fn new(
        kind: Kind,
        mode: impl Into<Modes>,
        shape: impl Into<Vec<usize>>,
        axes: impl Into<Vec<AxisPad>>,
    ) -> Case {
        let (shape, axes, mode) = (shape.into(), axes.into(), mode.into());
        Case { shape, axes, mode, frame: None, kind, fill: None, negated: Vec::new(), paint: 1 }
    }

    pub const TEXT_FILL: &str = "fill";

    pub fn spec(&self) -> PadSpec {
        let mut spec = PadSpec::new(self.mode.clone(), &self.axes[..]);
        spec.frame = self.frame;
        spec.fill = self.fill.as_ref().map(|bytes| match (self.kind, self.coloured()) {
            (Kind::Tagged(dtype), None) => Fill::from_bytes(dtype, bytes),
            (Kind::Tagged(dtype), Some(axis)) => Fill::from_bytes(dtype, bytes).along_axis(axis),
            (Kind::Raw(size), axis) => (Raw::of(size).fill)(bytes, axis),
        });
        if self.negated.is_empty() {
            return spec;
        }
        spec.with_negated(PerSide::axes(self.negated.iter().copied()))
    }

    /// The axis for each of whose positions there is a fill: the first that is not padded and as long as the fill's elements, if
    /// these are several.
    pub fn coloured(&self) -> Option<usize> {
        let (bytes, size) = (self.fill.as_ref()?.len(), self.kind.bytes(1));
        let fits = |axis: &usize| {
            self.axes.get(*axis) == Some(&AxisPad::default())
                && self.shape[*axis].checked_mul(size) == Some(bytes)
        };
        (0..self.shape.len()).find(fits).filter(|_| bytes > size)
    }

    /// The case with one fill, the first, if it has several, and without sides that turn signs.
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

    /// The library's plan of a spec for the shape and the elements of this case.
    pub fn plan_of(&self, spec: &PadSpec) -> Result<PadPlan, PadError> {
        match self.kind {
            Kind::Tagged(dtype) => PadPlan::for_dtype(spec, &self.shape, dtype),
            Kind::Raw(size) => (Raw::of(size).plan)(spec, &self.shape),
        }
    }

    /// The library's plan of the borders alone, of elements without a tag or with signs.
    pub fn border_plan(&self) -> Result<BorderPlan, PadError> {
        macro_rules! signed {
            ($($dtype:ident: $type:ty),*) => {
                match self.kind {
                    Kind::Raw(size) => (Raw::of(size).borders)(&self.spec(), &self.shape),
                    $(Kind::Tagged(DType::$dtype) => BorderPlan::new::<$type>(&self.spec(), &self.shape),)*
                    other => panic!("{other} has no negative numbers"),
                }
            };
        }
        signed! {
            F64: f64, F32: f32, F16: half::f16, BF16: half::bf16, I8: i8, I16: i16, I32: i32, I64: i64,
            C64: num_complex::Complex<f32>, C128: num_complex::Complex<f64>
        }
    }

    /// Runs it on an array held as bytes.
    pub fn run_borders(&self, plan: &BorderPlan, bytes: &mut [u8]) -> Result<(), PadError> {
        match self.kind {
            Kind::Raw(size) => (Raw::of(size).run_borders)(plan, bytes),
            Kind::Tagged(_) => plan.run_bytes(bytes),
        }
    }

    /// The reference's shape of the output.
    pub fn output_shape(&self) -> Result<Vec<usize>, Refusal> {
        let (modes, frame) = self.modes();
        let axes = convert::axes(&self.axes);
        reference::output_shape_of_sides(&self.shape, &axes, &modes, frame, self.kind.bits())
    }

    /// The reference's answer, element by element.
    pub fn map(&self) -> Result<Map, Refusal> {
        let (modes, frame) = self.modes();
        let axes = convert::axes(&self.axes);
        reference::map_of_sides(&self.shape, &axes, &modes, frame, self.kind.bits())
    }

    /// The modes and the frame in the reference's words.
    pub(crate) fn modes(&self) -> (Vec<reference::Sides>, Option<reference::Frame>) {
        (convert::modes(&self.mode, self.shape.len()), self.frame.map(convert::frame))
    }

    pub fn turns_signs(&self) -> bool {
        self.negated.iter().any(|&sides| sides != (false, false))
    }

    /// Whether the type has signs to turn.
    pub fn has_signs(&self) -> bool {
        matches!(self.kind, Kind::Tagged(dtype) if SIGNED.contains(&dtype))
    }

    /// Whether the sign of each element of the output turns, by the reference, where the positions of axes `are_made`. Fill keeps
    /// its sign.
    pub(crate) fn turned(&self, map: &Map, are_made: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        // Beside an empty axis others may be as long as numbers can say.
        if !self.turns_signs() || map.source.is_empty() {
            return vec![false; map.source.len()];
        }
        let (modes, frame) = self.modes();
        let along = reference::signs(&self.shape, &convert::axes(&self.axes), &modes, frame, &self.negated);
        let mut turned = vec![false];
        for (axis, along) in along.iter().enumerate() {
            let along = along.iter().enumerate().map(|(position, turns)| *turns && are_made(axis, position));
            let along: Vec<bool> = along.collect();
            turned = turned.iter().flat_map(|outer| along.iter().map(move |inner| outer ^ inner)).collect();
        }
        turned.into_iter().zip(&map.source).map(|(turned, source)| turned && source.is_some()).collect()
    }

    /// Whether there will be no fill although fill is needed: a rule of the library alone, for the reference is
    /// always given a fill.
    pub fn lacks_fill(&self) -> bool {
        let needed = self.mode.contains(PadMode::Constant) || self.axes.iter().any(|pad| pad.interior > 0);
        self.fill.is_none() && needed && !self.kind.has_zero()
    }

    /// The bytes of one element of fill, the given one or zero. A packed element stands in the low bits of one byte.
    pub fn fill_bytes(&self) -> Vec<u8> {
        self.fill.clone().unwrap_or_else(|| vec![0; self.kind.bytes(1)])
    }

    /// The input as bytes, unless its elements are cloned.
    pub fn data(&self) -> Vec<u8> {
        paint(self.kind, self.shape.iter().product(), self.paint)
    }

    /// The input of elements that are cloned.
    pub fn texts(&self) -> Vec<String> {
        (0..self.shape.iter().product()).map(|i: usize| format!("{}-{i}", self.paint)).collect()
    }

    pub fn output(&self, map: &Map, data: &[u8]) -> Vec<u8> {
        let fill = self.fill_bytes();
        match self.kind.element_size() {
            ElementSize::Bytes(size) => match self.coloured() {
                Some(axis) => map.apply_bytes_along(data, &fill, axis, size),
                None => map.apply_bytes(data, &fill),
            },
            ElementSize::Bits(bits) => map.apply_packed(data, bits as u32, fill[0]),
            ElementSize::Cloned => Vec::new(),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {} ", self.kind, self.shape, self.mode)?;
        match self.frame {
            Some(frame) => write!(f, "{frame:?}")?,
            None => f.write_str("default frame")?,
        }
        for pad in &self.axes {
            write!(f, " ({}, {}, {})", pad.low, pad.high, pad.interior)?;
        }
        if let Some(fill) = &self.fill {
            write!(f, " fill {fill:02x?}")?;
        }
        if self.turns_signs() {
            write!(f, " negated {:?}", self.negated)?;
        }
        Ok(())
    }
}

/// Bytes of `elements` elements in a cycle of prime length, so that blocks out of place cannot look right.
///
/// None is above 250, so that a fill of higher bytes cannot be mistaken for data. Booleans are 0 and 1.
pub fn paint(kind: Kind, elements: usize, paint: u8) -> Vec<u8> {
    const CYCLE: usize = 251;
    let step = 1 + usize::from(paint) % (CYCLE - 1);
    let colours = (0..kind.bytes(elements)).map(|i| ((i * step + usize::from(paint)) % CYCLE) as u8);
    match kind {
        Kind::Tagged(DType::Bool) => colours.map(|byte| byte & 1).collect(),
        _ => colours.collect(),
    }
}

/// Turns the sign of an element: the sign bit of floats, the two's complement of integers.
pub(crate) fn negate(kind: Kind, element: &mut [u8]) {
    let part = match kind {
        Kind::Tagged(DType::C64 | DType::C128) => element.len() / 2,
        Kind::Tagged(DType::I8 | DType::I16 | DType::I32 | DType::I64) => {
            let mut bytes: Vec<&mut u8> = element.iter_mut().collect();
            if cfg!(target_endian = "big") {
                bytes.reverse();
            }
            // The complement plus one, which carries over the bytes that become zero.
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

    #[test]
    fn every_kind_has_a_plan() {
        for kind in Kind::all() {
            let case = Case::new(kind, PadMode::Edge, [3], [AxisPad::new(1, 1)]);
            let plan = case.plan().expect("a valid request");
            assert_eq!(plan.input_bytes(), kind.bytes(3), "{kind}");
            assert_eq!(plan.dtype().is_none(), matches!(kind, Kind::Raw(_)), "{kind}");
        }
    }
}
