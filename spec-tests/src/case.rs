//! One request with everything that a run of it depends on.
#![forbid(unsafe_code)]

use std::fmt;

use pad_kernels::{
    AxisMode, AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadError, PadMode, PadPlan, PadSpec,
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

macro_rules! raw_sizes {
    ($($size:literal)*) => {
        impl Kind {
            /// The sizes of elements without a tag.
            pub const RAW_SIZES: &[usize] = &[$($size),*];
        }

        fn raw_plan(size: usize, spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
            match size {
                $($size => PadPlan::new::<[u8; $size]>(spec, shape),)*
                _ => panic!("no element of {size} bytes is listed"),
            }
        }

        fn raw_borders(size: usize, spec: &PadSpec, shape: &[usize]) -> Result<BorderPlan, PadError> {
            match size {
                $($size => BorderPlan::new::<[u8; $size]>(spec, shape),)*
                _ => panic!("no element of {size} bytes is listed"),
            }
        }

        fn run_raw_borders(size: usize, plan: &BorderPlan, bytes: &mut [u8]) -> Result<(), PadError> {
            match size {
                $($size => plan.run::<[u8; $size]>(bytes.as_chunks_mut().0),)*
                _ => panic!("no element of {size} bytes is listed"),
            }
        }

        fn raw_fill(size: usize, bytes: &[u8], axis: Option<usize>) -> Fill {
            match size {
                $($size => match axis {
                    Some(axis) => Fill::along::<[u8; $size]>(axis, bytes.as_chunks().0),
                    None => Fill::of::<[u8; $size]>(bytes.try_into().expect("one element of fill")),
                },)*
                _ => panic!("no element of {size} bytes is listed"),
            }
        }
    };
}
raw_sizes! { 1 2 3 4 5 6 7 8 9 12 15 16 17 24 31 32 33 48 63 64 65 96 128 255 256 257 }

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

/// A request, and the data it is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The input's shape.
    pub shape: Vec<usize>,
    /// One padding per axis, unless the case is about another number of them.
    pub axes: Vec<AxisPad>,
    /// The mode, or the modes.
    pub mode: Modes,
    /// How negative pads are read, if the case says so.
    pub frame: Option<Frame>,
    /// The elements.
    pub kind: Kind,
    /// The fill as the bytes of one element, if the case gives one. Cloned elements have one in any case. Of several elements each
    /// is that of a position of an axis: see [`coloured`](Case::coloured).
    pub fill: Option<Vec<u8>>,
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
        Case { shape, axes, mode, frame: None, kind, fill: None, paint: 1 }
    }

    /// The fill of cloned elements.
    pub const TEXT_FILL: &str = "fill";

    /// The request.
    pub fn spec(&self) -> PadSpec {
        let mut spec = PadSpec::new(self.mode.clone(), &self.axes[..]);
        spec.frame = self.frame;
        spec.fill = self.fill.as_ref().map(|bytes| match (self.kind, self.coloured()) {
            (Kind::Tagged(dtype), None) => Fill::from_bytes(dtype, bytes),
            (Kind::Tagged(dtype), Some(axis)) => Fill::from_bytes(dtype, bytes).along_axis(axis),
            (Kind::Raw(size), axis) => raw_fill(size, bytes, axis),
        });
        spec
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

    /// The case with one fill, the first, if it has several.
    #[must_use]
    pub fn with_one_fill(mut self) -> Case {
        let size = self.kind.bytes(1);
        if let Some(fill) = &mut self.fill {
            fill.truncate(size);
        }
        self
    }

    /// The library's plan.
    pub fn plan(&self) -> Result<PadPlan, PadError> {
        self.plan_of(&self.spec())
    }

    /// The library's plan of a spec for the shape and the elements of this case.
    pub fn plan_of(&self, spec: &PadSpec) -> Result<PadPlan, PadError> {
        match self.kind {
            Kind::Tagged(dtype) => PadPlan::for_dtype(spec, &self.shape, dtype),
            Kind::Raw(size) => raw_plan(size, spec, &self.shape),
        }
    }

    /// The library's plan of the borders alone, of elements without a tag.
    pub fn border_plan(&self) -> Result<BorderPlan, PadError> {
        let Kind::Raw(size) = self.kind else { panic!("{} has a tag", self.kind) };
        raw_borders(size, &self.spec(), &self.shape)
    }

    /// Runs it on an array held as bytes.
    pub fn run_borders(&self, plan: &BorderPlan, bytes: &mut [u8]) -> Result<(), PadError> {
        let Kind::Raw(size) = self.kind else { panic!("{} has a tag", self.kind) };
        run_raw_borders(size, plan, bytes)
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

    /// The reference's output as bytes.
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

    /// A Rust test of this case, to be pasted into a file of tests.
    pub fn as_test(&self) -> String {
        self.as_test_of("oracles", "oracles::check(&case)")
    }

    /// A Rust test of a call of something that is to be imported from this crate.
    pub fn as_test_of(&self, imports: &str, call: &str) -> String {
        let Case { shape, axes, mode, frame, kind, fill, paint } = self;
        let frame = frame.map_or("None".to_string(), |frame| format!("Some(Frame::{frame:?})"));
        let kind = match kind {
            Kind::Tagged(dtype) => format!("Kind::Tagged(DType::{dtype:?})"),
            Kind::Raw(size) => format!("Kind::Raw({size})"),
        };
        let mode = match mode {
            Modes::All(mode) => format!("PadMode::{mode:?}.into()"),
            Modes::Each(modes) => {
                let axis =
                    |AxisMode { low, high }: &AxisMode| format!("(PadMode::{low:?}, PadMode::{high:?})");
                let modes: Vec<_> = modes.iter().map(axis).collect();
                format!("vec![{}].into()", modes.join(", "))
            }
        };
        let fill = fill.as_ref().map_or("None".to_string(), |fill| format!("Some(vec!{fill:?})"));
        let axes: String = axes.iter().map(|pad| format!("\n            {pad:?},")).collect();
        let axes = if axes.is_empty() { axes } else { axes + "\n        " };
        format!(
            "#[test]
fn found() {{
    use pad_kernels::{{AxisPad, DType, Frame, PadMode}};
    use spec_tests::case::{{Case, Kind}};
    use spec_tests::{imports};

    let case = Case {{
        shape: vec!{shape:?},
        axes: vec![{axes}],
        mode: {mode},
        frame: {frame},
        kind: {kind},
        fill: {fill},
        paint: {paint},
    }};
    {call}.unwrap_or_else(|mismatch| panic!(\"{{mismatch}}\"));
}}
"
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_to_paste_is_the_case() {
        let case = Case {
            shape: vec![2, 3],
            axes: vec![AxisPad { low: 1, high: -1, interior: 0 }, AxisPad { low: 0, high: 2, interior: 3 }],
            mode: vec![(PadMode::Reflect, PadMode::Edge), (PadMode::Wrap, PadMode::Wrap)].into(),
            frame: Some(Frame::Cropped),
            kind: Kind::Tagged(DType::U16),
            fill: Some(vec![255, 254]),
            paint: 17,
        };
        // The very text above, however it is broken into lines.
        let plain = |text: &str| text.split_whitespace().collect::<String>().replace(",]", "]");
        let file = plain(include_str!("case.rs"));
        let (_, written) = file.split_once("letcase=Case{shape").expect("the case above");
        let (written, _) = written.split_once("};").expect("its end");
        assert!(plain(&case.as_test()).contains(written), "{}", case.as_test());
        assert_eq!(case.mode.to_string(), "[reflect|edge, wrap]");
    }

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
