//! Pads a tensor, one element at a time. The tests compare all other implementations with this one.
//!
//! This code is slow and simple on purpose. It imports nothing from the library and uses `i128`. Each function names its formula.
//!
//! Every axis has an input length `d`, two signed widths `low` and `high`, and `interior`, the number of fill elements between two
//! neighbours.
//!
//! 1. **Dilated length.** `D = (d - 1)(interior + 1) + 1`. For `d = 0`, `D = 0`, because an empty axis has no neighbours.
//! 2. **Output length.** `out = D + low + high`. Negative widths remove elements of the *dilated* axis.
//! 3. **Window.** The border mode reads only the positions `[a, b)` of the dilated axis. They are the window, and `w = b - a`
//!    is its length. The window depends on the frame, which is one of two:
//!    - Uncropped: `a = 0`, `b = D`. The mode still reads elements that a negative width removed.
//!    - Cropped: `a = min(D, max(0, -low))`, `b = max(a, D - max(0, -high))`. The mode does not read removed elements.
//!
//!    The default frame of wrap is cropped, and that of the other modes is uncropped. An axis without a frame has the default of
//!    its low side's mode if `low > 0`, otherwise of its high side's mode. The frame matters only if a width is negative, and
//!    then at most one side has a border.
//! 4. **Coordinate.** Output position `o` has the coordinate `t = o - low - a`, counted from the start of the window.
//! 5. **Border.** If `0 <= t < w`, a position stands for itself. If `t < 0`, the mode of the low side applies, and if `t >= w`,
//!    that of the high side. The result of `mod` is never negative:
//!    - constant: fill;
//!    - edge: the nearer of `0` and `w - 1`;
//!    - wrap: `t mod w`;
//!    - symmetric: `m = t mod 2w`, then `m` if `m < w`, else `2w - 1 - m`;
//!    - reflect: `0` if `w = 1`, else `m = t mod 2(w - 1)`, then `m` if `m < w`, else `2(w - 1) - m`.
//!
//!    Each side uses only its own mode, however far `t` is from the window. If `w = 0`, constant gives the fill. Any other mode
//!    is refused if its side has a position.
//! 6. **Input index.** `u = a + border(t)` is a position of the dilated axis. If `interior + 1` divides `u`, it is the input index `u /
//!    (interior + 1)`. Otherwise, it is a fill element. Modes mirror and repeat these fill elements like elements.
//! 7. **Element.** An output element is the fill if its position on any axis is a fill element. Otherwise, it is the input element
//!    at the indices of all axes, copied bit for bit. If an axis without padding has a fill element per position, a filled
//!    element gets the fill of its position on that axis.
//! 8. **Sizes.** The bytes of input and output are at most `isize::MAX`, counted over the axes that are not empty. If an element
//!    has less than a byte, the limit is that many bits.

#![forbid(unsafe_code)]

mod adjoint;
mod apply;
mod borders;
pub mod computed;
mod signs;
pub mod sizes;

pub use adjoint::sum_along;
pub use apply::copy;

/// The source of elements outside of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Constant,
    /// The nearest element of the window.
    Edge,
    /// A mirror on the outermost element, which is not repeated.
    Reflect,
    /// A mirror outside of the outermost element, which is repeated.
    Symmetric,
    /// The window again, as if its ends were joined.
    Wrap,
}

impl Mode {
    pub const ALL: [Mode; 5] = [Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric, Mode::Wrap];

    pub fn default_frame(self) -> Frame {
        if self == Mode::Wrap { Frame::Cropped } else { Frame::Uncropped }
    }
}

/// The modes of the two sides of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides {
    /// The mode before the first element.
    pub low: Mode,
    /// The mode after the last element.
    pub high: Mode,
}

impl Sides {
    pub fn both(mode: Mode) -> Sides {
        Sides { low: mode, high: mode }
    }

    /// Returns the default frame (formula 3).
    pub fn default_frame(self, pad: AxisPad) -> Frame {
        if pad.low > 0 { self.low.default_frame() } else { self.high.default_frame() }
    }
}

/// The part of an axis with a negative width that the border mode sees (formula 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The whole axis, including removed elements.
    Uncropped,
    /// The part that is left after negative widths.
    Cropped,
}

/// The padding of one axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AxisPad {
    /// The number of elements before the first one. A negative number removes elements.
    pub low: i64,
    /// The number of elements after the last one. A negative number removes elements.
    pub high: i64,
    /// The number of fill elements between two neighbours.
    pub interior: u64,
}

/// The first rule that a request breaks. Axes are checked in the order of these variants, and sizes last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The number of paddings differs from the number of axes.
    AxisCount { axes: usize, rank: usize },
    /// The dilated length of the axis does not fit `i64`, or its output length does not fit `isize`. Or a side has mode reflect
    /// or symmetric, and twice the length of the window does not fit `i64`.
    Overflow { axis: usize },
    /// The number of modes differs from the number of axes.
    ModeCount { modes: usize, rank: usize },
    /// The widths remove more than the axis has. The output would have this length.
    NegativeOutput { axis: usize, output: i128 },
    /// A side of the axis has positions, its mode reads the window, and the window is empty. The low side is checked first.
    EmptyWindow { axis: usize, mode: Mode, output: usize },
    /// The input or the output exceeds `isize::MAX` bytes, or that many bits for packed elements. The product of
    /// the lengths exceeds it at this axis. Empty axes are not counted, so an empty axis does not hide this error.
    TooLarge { is_output: bool, axis: usize, length: usize },
}

/// Formula 1. Returns `None` if the result does not fit `i128`.
fn dilated(d: usize, interior: u64) -> Option<i128> {
    if d == 0 {
        return Some(0);
    }
    (d as i128 - 1).checked_mul(i128::from(interior) + 1)?.checked_add(1)
}

/// Formula 3: returns `(a, b)` for an axis of dilated length `len`.
fn window(len: i128, pad: AxisPad, frame: Frame) -> (i128, i128) {
    match frame {
        Frame::Uncropped => (0, len),
        Frame::Cropped => {
            let a = len.min(0.max(-i128::from(pad.low)));
            let b = a.max(len - 0.max(-i128::from(pad.high)));
            (a, b)
        }
    }
}

/// Formula 5: returns the position of a window of length `w` that the coordinate `t` stands for, or `None` for the fill.
fn border(t: i128, w: i128, sides: Sides) -> Option<i128> {
    if 0 <= t && t < w {
        return Some(t);
    }
    match if t < 0 { sides.low } else { sides.high } {
        Mode::Constant => None,
        Mode::Edge => Some(t.clamp(0, w - 1)),
        Mode::Wrap => Some(t.rem_euclid(w)),
        Mode::Symmetric => {
            let m = t.rem_euclid(2 * w);
            Some(if m < w { m } else { 2 * w - 1 - m })
        }
        Mode::Reflect if w == 1 => Some(0),
        Mode::Reflect => {
            let m = t.rem_euclid(2 * (w - 1));
            Some(if m < w { m } else { 2 * (w - 1) - m })
        }
    }
}

/// Formulas 3 to 6: returns the input index of output position `o` of one axis, or `None` for the fill.
fn axis_source(o: usize, d: usize, pad: AxisPad, sides: Sides, frame: Frame) -> Option<usize> {
    let len = dilated(d, pad.interior).expect("an axis that was accepted");
    let (a, b) = window(len, pad, frame);
    let t = o as i128 - i128::from(pad.low) - a;
    let u = a + border(t, b - a, sides)?;
    let step = i128::from(pad.interior) + 1;
    (u % step == 0).then_some((u / step) as usize)
}

/// Formula 2: returns the output length of an axis, or the rule that the axis breaks.
fn output_length(axis: usize, d: usize, pad: AxisPad, sides: Sides, frame: Frame) -> Result<usize, Refusal> {
    let overflow = Refusal::Overflow { axis };
    let len = dilated(d, pad.interior).filter(|&len| len <= i128::from(i64::MAX)).ok_or(overflow)?;
    let out = len + i128::from(pad.low) + i128::from(pad.high);
    if out < 0 {
        return Err(Refusal::NegativeOutput { axis, output: out });
    }
    if out > isize::MAX as i128 {
        return Err(overflow);
    }
    let (a, b) = window(len, pad, frame);
    let mirrors = |mode| matches!(mode, Mode::Reflect | Mode::Symmetric);
    if (mirrors(sides.low) || mirrors(sides.high)) && 2 * (b - a) > i128::from(i64::MAX) {
        return Err(overflow);
    }
    // The coordinates of the first and of the last output position.
    let (first, last) = (-i128::from(pad.low) - a, out - 1 - i128::from(pad.low) - a);
    let output = out as usize;
    for (mode, has_positions) in [(sides.low, first < 0), (sides.high, last >= 0)] {
        if a == b && out > 0 && mode != Mode::Constant && has_positions {
            return Err(Refusal::EmptyWindow { axis, mode, output });
        }
    }
    Ok(output)
}

/// Formula 8: checks whether a tensor of this shape exceeds the limit.
fn check_size(is_output: bool, shape: &[usize], element_bits: u32) -> Result<(), Refusal> {
    let most = isize::MAX as i128 * if element_bits < 8 { 1 } else { 8 };
    let mut bits = i128::from(element_bits);
    for (axis, &length) in shape.iter().enumerate().filter(|(_, length)| **length > 0) {
        let product = bits.checked_mul(length as i128).filter(|&bits| bits <= most);
        bits = product.ok_or(Refusal::TooLarge { is_output, axis, length })?;
    }
    Ok(())
}

/// A request to pad a tensor of this shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub shape: Vec<usize>,
    /// The padding of every axis.
    pub axes: Vec<AxisPad>,
    /// The modes of every axis.
    pub modes: Vec<Sides>,
    /// The frame, or `None` if each axis has the default frame of its modes.
    pub frame: Option<Frame>,
}

impl Request {
    /// Creates a request with one mode for all sides.
    pub fn new(shape: &[usize], axes: &[AxisPad], mode: Mode, frame: impl Into<Option<Frame>>) -> Request {
        let modes = vec![Sides::both(mode); shape.len()];
        Request { shape: shape.to_vec(), axes: axes.to_vec(), modes, frame: frame.into() }
    }

    fn frame_of(&self, axis: usize) -> Frame {
        self.frame.unwrap_or(self.modes[axis].default_frame(self.axes[axis]))
    }

    /// Formulas 3 to 6: returns the input index of output position `o` of this axis, or `None` for the fill.
    fn source_along(&self, axis: usize, o: usize) -> Option<usize> {
        axis_source(o, self.shape[axis], self.axes[axis], self.modes[axis], self.frame_of(axis))
    }

    /// Returns the shape of the output, or the first rule that the request breaks.
    ///
    /// `element_bits` is the size of one element: 2 or 4 for packed types.
    pub fn output_shape(&self, element_bits: u32) -> Result<Vec<usize>, Refusal> {
        let Request { shape, axes, modes, .. } = self;
        if axes.len() != shape.len() {
            return Err(Refusal::AxisCount { axes: axes.len(), rank: shape.len() });
        }
        if modes.len() != shape.len() {
            return Err(Refusal::ModeCount { modes: modes.len(), rank: shape.len() });
        }
        let mut out = Vec::new();
        for (axis, &d) in shape.iter().enumerate() {
            out.push(output_length(axis, d, axes[axis], modes[axis], self.frame_of(axis))?);
        }
        check_size(false, shape, element_bits)?;
        check_size(true, &out, element_bits)?;
        Ok(out)
    }

    /// Formula 7 for one output position: returns the input position that it copies, or `None` for the fill.
    ///
    /// [`output_shape`](Self::output_shape) must accept the request. `position` must be inside the shape that it returns.
    pub fn source_of(&self, position: &[usize]) -> Option<Vec<usize>> {
        assert!(position.len() == self.shape.len(), "one number per axis");
        position.iter().enumerate().map(|(axis, &o)| self.source_along(axis, o)).collect()
    }

    /// Returns the sources of all output elements, or the first rule that the request breaks.
    ///
    /// Formula 7 treats axes separately, so this function computes each position of an axis once. The result equals that of
    /// [`source_of`](Self::source_of) for every position.
    pub fn map(&self, element_bits: u32) -> Result<Map, Refusal> {
        let shape = self.output_shape(element_bits)?;
        if shape.contains(&0) {
            return Ok(Map { shape, source: Vec::new() });
        }
        let mut source = vec![Some(0)];
        for (axis, &length) in shape.iter().enumerate() {
            let along: Vec<_> = (0..length).map(|o| self.source_along(axis, o)).collect();
            source = combined(&source, &along, self.shape[axis]);
        }
        Ok(Map { shape, source })
    }
}

/// The origin of each element of an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// The shape of the output.
    pub shape: Vec<usize>,
    /// For each output element in row-major order: the row-major index of the input element, or `None` for the fill.
    pub source: Vec<Option<usize>>,
}

/// Formula 7: combines the sources along the outer axes with those along the next axis, which has input length `d`.
fn combined(outer: &[Option<usize>], along: &[Option<usize>], d: usize) -> Vec<Option<usize>> {
    outer.iter().flat_map(|outer| along.iter().map(move |inner| Some((*outer)? * d + (*inner)?))).collect()
}
