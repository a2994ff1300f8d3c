//! The rules of each system, written a second time for the reference.
//!
//! A [`Call`] says what a caller of one of the systems says: its attributes, and the shape and element type of its
//! tensor. [`read`] answers with a [`Meaning`] in the reference's terms, or with the rule that refuses the call. What
//! the systems share (output lengths, empty windows, sizes) is left to the reference; these files hold only what a
//! system adds. They share no code with the dialects of `pad-kernels` and were written without looking at them: a
//! misreading passes only if it was made twice.

#![forbid(unsafe_code)]

mod coreml;
mod litert;
mod ngraph;
mod numbers;
mod numpy;
mod onnx;
mod opencv;
mod openvino;
mod scipy;
mod tensorflow;
mod tensorrt;
mod torch;
mod types;
mod webnn;
mod xla;

use serde_json::{Map, Value};

use crate::reference::{self, AxisPad, Frame, Mode};
use crate::vectors;

pub use types::Type;

/// What a caller says.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The system: `core` for the operation itself, else `ngraph`, `openvino`, `onnx`, `xla`, `numpy`, `torch`,
    /// `tensorflow`, `litert`, `opencv`, `scipy`, `webnn`, `coreml` or `tensorrt`.
    pub dialect: &'a str,
    /// The version, where the system has several.
    pub version: Option<&'a str>,
    /// Whose reading it is, where there are two: `spec`, `onnxruntime` or `evaluator`, `spec` or `engine`, `filter` or `interpolation`.
    pub flavour: Option<&'a str>,
    /// The frame asked for; only [the operation itself](Call::dialect) can ask.
    pub frame: Option<&'a str>,
    /// The element type.
    pub element: Type,
    /// The shape of the tensor.
    pub shape: &'a [usize],
    /// Elements before the first one, per axis that is named.
    pub low: &'a [i64],
    /// Elements after the last one, per axis that is named.
    pub high: &'a [i64],
    /// Fillers between two neighbours, per axis that is named.
    pub interior: Option<&'a [i64]>,
    /// The axes that are named; all of them in order, if absent.
    pub axes: Option<&'a [i64]>,
    /// How many trailing axes a call of torch or Core ML names.
    pub npad: Option<usize>,
    /// The mode.
    pub mode: &'a str,
    /// Whether there is a fill value.
    pub value: bool,
    /// Whether that is a zero.
    pub value_is_zero: bool,
    /// The fill value as it was given.
    pub given: Option<&'a Value>,
    /// What only one system can say.
    pub args: &'a Map<String, Value>,
}

impl Call<'_> {
    /// The value as numbers of 64 bits, for systems that take such: none, one, or those of a list.
    fn numbers(&self) -> Answer<Vec<f64>> {
        vectors::numbers(self.given).or_else(refuse)
    }
}

/// What a call asks of the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// One padding per axis.
    pub axes: Vec<AxisPad>,
    /// The mode.
    pub mode: Mode,
    /// How negative widths are read.
    pub frame: Frame,
    /// What the filler is.
    pub fill: Fill,
}

/// Where the filler comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fill {
    /// The type's zero; the empty string.
    Zero,
    /// The text `0`.
    TextZero,
    /// The call's value, an element of the tensor's type.
    Value,
    /// The call's value is a 32-bit float, whatever the tensor's type, and becomes the nearest element of that type.
    Float32,
    /// This element.
    Element(Value),
    /// These elements, one for each position of the last axis, which is not padded.
    Elements(Vec<Value>),
}

/// Why [`read`] has no meaning to give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// No system of that name, version or flavour is known here.
    Unknown(String),
    /// The system refuses the call.
    Rule(String),
}

type Answer<T> = Result<T, Refused>;

/// The answer of a call that breaks a rule.
fn refuse<T>(rule: impl Into<String>) -> Answer<T> {
    Err(Refused::Rule(rule.into()))
}

/// Reads a call as its system does.
pub fn read(call: &Call<'_>) -> Answer<Meaning> {
    let meaning = match call.dialect {
        "core" => core(call),
        "ngraph" => ngraph::read(call),
        "openvino" => openvino::read(call),
        "onnx" => onnx::read(call),
        "xla" => xla::read(call),
        "numpy" => numpy::read(call),
        "torch" => torch::read(call),
        "tensorflow" => tensorflow::read(call),
        "litert" => litert::read(call),
        "opencv" => opencv::read(call),
        "scipy" => scipy::read(call),
        "webnn" => webnn::read(call),
        "coreml" => coreml::read(call),
        "tensorrt" => tensorrt::read(call),
        other => Err(Refused::Unknown(format!("dialect {other}"))),
    }?;
    let gaps = meaning.axes.iter().any(|pad| pad.interior > 0);
    let fills = meaning.mode == Mode::Constant || gaps;
    if fills && meaning.fill == Fill::Zero && !call.element.has_zero() {
        return refuse("the element type has no zero to fill with");
    }
    Ok(meaning)
}

/// Reads a call and asks the reference what shape comes out.
pub fn output_shape(call: &Call<'_>) -> Answer<(Meaning, Vec<usize>)> {
    let meaning = read(call)?;
    let Meaning { axes, mode, frame, .. } = &meaning;
    match reference::output_shape(call.shape, axes, *mode, *frame, bits(call.element)) {
        Ok(shape) => Ok((meaning, shape)),
        Err(refusal) => refuse(format!("{refusal:?}")),
    }
}

/// Asks the reference where each output element of a call with this meaning comes from.
pub fn map(call: &Call<'_>, meaning: &Meaning) -> Answer<reference::Map> {
    let Meaning { axes, mode, frame, .. } = meaning;
    reference::map(call.shape, axes, *mode, *frame, bits(call.element))
        .or_else(|refusal| refuse(format!("{refusal:?}")))
}

/// The size the reference counts with. A text is no less than a byte, wherever its letters are.
fn bits(element: Type) -> u32 {
    if element == Type::String { 8 } else { element.bits() }
}

/// The operation itself: all modes, both frames, interior everywhere.
fn core(call: &Call<'_>) -> Answer<Meaning> {
    let mode = mode_of(call, &Mode::ALL)?;
    let frame = match call.frame {
        None => mode.default_frame(),
        Some("uncropped") => Frame::Uncropped,
        Some("cropped") => Frame::Cropped,
        Some(other) => return Err(Refused::Unknown(format!("frame {other}"))),
    };
    Ok(Meaning { axes: axis_pads(call)?, mode, frame, fill: fill_of(call) })
}

/// The mode under its usual name, if it is one of these.
fn mode_of(call: &Call<'_>, modes: &[Mode]) -> Answer<Mode> {
    let mode = match call.mode {
        "constant" => Mode::Constant,
        "edge" => Mode::Edge,
        "reflect" => Mode::Reflect,
        "symmetric" => Mode::Symmetric,
        "wrap" => Mode::Wrap,
        other => return refuse(format!("no mode {other}")),
    };
    if modes.contains(&mode) { Ok(mode) } else { refuse(format!("{mode:?} is not a mode here")) }
}

/// The call's value, or zero.
fn fill_of(call: &Call<'_>) -> Fill {
    if call.value { Fill::Value } else { Fill::Zero }
}

/// One padding per axis of the tensor, in the order of the axes: what is named, and nothing on the other axes.
///
/// Refused: lists of other lengths than the axes named, an axis that does not exist or is named twice, gaps of less
/// than nothing.
fn axis_pads(call: &Call<'_>) -> Answer<Vec<AxisPad>> {
    axis_pads_with(call, false)
}

/// Reads the widths of axes; if `last_wins`, an axis may be named twice, and its last widths count.
fn axis_pads_with(call: &Call<'_>, last_wins: bool) -> Answer<Vec<AxisPad>> {
    let rank = call.shape.len();
    let axes = match call.axes {
        Some(axes) => axes.to_vec(),
        None => (0..rank as i64).collect(),
    };
    let zeros = vec![0; axes.len()];
    let interior = call.interior.unwrap_or(&zeros);
    if [call.low.len(), call.high.len(), interior.len()] != [axes.len(); 3] {
        return refuse("not one width per axis");
    }
    let mut pads: Vec<Option<AxisPad>> = vec![None; rank];
    for (i, &axis) in axes.iter().enumerate() {
        let counted = if axis < 0 { axis + rank as i64 } else { axis };
        let Some(pad) = usize::try_from(counted).ok().and_then(|axis| pads.get_mut(axis)) else {
            return refuse(format!("no axis {axis}"));
        };
        if pad.is_some() && !last_wins {
            return refuse(format!("axis {axis} is named twice"));
        }
        let Ok(interior) = u64::try_from(interior[i]) else {
            return refuse("negative interior width");
        };
        *pad = Some(AxisPad { low: call.low[i], high: call.high[i], interior });
    }
    let nothing = AxisPad { low: 0, high: 0, interior: 0 };
    Ok(pads.into_iter().map(|pad| pad.unwrap_or(nothing)).collect())
}

/// Refuses interior widths, for systems that have none.
fn no_interior(call: &Call<'_>) -> Answer<()> {
    match call.interior {
        Some(widths) if widths.iter().any(|&width| width != 0) => refuse("no interior widths here"),
        _ => Ok(()),
    }
}

/// Refuses negative widths.
fn no_negatives(axes: &[AxisPad]) -> Answer<()> {
    match axes.iter().position(|pad| pad.low < 0 || pad.high < 0) {
        Some(axis) => refuse(format!("axis {axis}: no negative widths here")),
        None => Ok(()),
    }
}

/// Refuses an axis of which `wrong` is true, given its length and padding.
fn every_axis(
    call: &Call<'_>,
    axes: &[AxisPad],
    rule: &str,
    wrong: impl Fn(i128, AxisPad) -> bool,
) -> Answer<()> {
    match call.shape.iter().zip(axes).position(|(&d, &pad)| wrong(d as i128, pad)) {
        Some(axis) => refuse(format!("axis {axis}: {rule}")),
        None => Ok(()),
    }
}

/// How many elements the wider side of the axis adds; 0 or less if none does.
fn widest(pad: AxisPad) -> i128 {
    i128::from(pad.low.max(pad.high))
}

/// What negative widths leave of an axis of length `d`; below 0 if they overlap.
fn left_of(d: i128, pad: AxisPad) -> i128 {
    d + i128::from(pad.low.min(0)) + i128::from(pad.high.min(0))
}
