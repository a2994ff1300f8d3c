//! Implements the rules of each framework a second time, for the reference.
//!
//! A [`Case`] holds the attributes of a framework's call, and the shape and element type of its tensor. [`read`] translates it to
//! a [`Meaning`] in the reference's terms, or returns the rule that refuses the call. The reference itself checks what all
//! frameworks share: output lengths, sizes and empty windows. A window is the part of an axis that its borders read.
//!
//! These files share no code with the dialects of `pad-kernels`, and were written without reading them. Tests miss a mistake only
//! if both implementations contain it.

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

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reference::{AxisPad, Frame, Map, Mode, Request};
use crate::vectors::{self, Case};

pub use types::Type;

type Fill = Option<Vec<Value>>;

/// The meaning of a call in the reference's terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    pub axes: Vec<AxisPad>,
    pub mode: Mode,
    /// The interpretation of negative widths.
    pub frame: Frame,
    /// The fill: one element, or one for each position of the last axis, which then has no padding. `None` stands for the
    /// type's zero, or the empty string.
    pub fill: Fill,
}

/// The reason why a call has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The framework refuses the call.
    Rule(String),
    /// There is no framework, version or flavour of this name, the case is malformed, or there is a bug.
    Broken(String),
}

pub(crate) type Answer<T> = Result<T, Refused>;

/// Returns the refusal of a call that breaks a rule.
pub(crate) fn refuse<T>(rule: impl Into<String>) -> Answer<T> {
    Err(Refused::Rule(rule.into()))
}

/// Refuses the call if `broken` is true.
pub(crate) fn deny(broken: bool, rule: impl Into<String>) -> Answer<()> {
    if broken { refuse(rule) } else { Ok(()) }
}

/// Reads a call by the rules of its framework.
pub fn read(call: &Case) -> Answer<Meaning> {
    let (dialect, version) = (&call.dialect[..], call.version.as_deref());
    let takes_interior = matches!(
        (dialect, version),
        ("core" | "xla", _) | ("ngraph", Some("v0" | "v0-interior")) | ("litert", Some("DILATE"))
    );
    let has_interior = call.interior.iter().flatten().any(|&width| width != 0);
    deny(has_interior && !takes_interior, "no interior widths here")?;
    let meaning = match dialect {
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
        other => Err(Refused::Broken(format!("dialect {other}"))),
    }?;
    let fills = meaning.mode == Mode::Constant || meaning.axes.iter().any(|pad| pad.interior > 0);
    let lacks_fill = fills && meaning.fill.is_none() && !call.dtype.has_zero();
    deny(lacks_fill, "the element type has no zero to fill with")?;
    Ok(meaning)
}

/// Reads a call, and asks the reference for the output's shape.
pub fn output_shape(call: &Case) -> Answer<(Meaning, Vec<usize>)> {
    let meaning = read(call)?;
    let Meaning { axes, mode, frame, .. } = &meaning;
    match Request::new(&call.shape, axes, *mode, *frame).output_shape(bits(call.dtype)) {
        Ok(shape) => Ok((meaning, shape)),
        Err(refusal) => refuse(format!("{refusal:?}")),
    }
}

/// Asks the reference for the source of each output element.
pub fn map(call: &Case, meaning: &Meaning) -> Answer<Map> {
    let Meaning { axes, mode, frame, .. } = meaning;
    let map = Request::new(&call.shape, axes, *mode, *frame).map(bits(call.dtype));
    map.or_else(|refusal| refuse(format!("{refusal:?}")))
}

/// Returns the number of bits of an element for the reference. A text counts as one byte.
fn bits(element: Type) -> u32 {
    if element == Type::String { 8 } else { element.bits() }
}

/// Reads a call in the terms of the library itself, with all modes, both frames, and interior padding.
fn core(call: &Case) -> Answer<Meaning> {
    let mode = mode_of(call, &Mode::ALL)?;
    let frame = match call.frame.as_deref() {
        None => mode.default_frame(),
        Some("uncropped") => Frame::Uncropped,
        Some("cropped") => Frame::Cropped,
        Some(other) => return Err(Refused::Broken(format!("frame {other}"))),
    };
    Ok(Meaning { axes: axis_pads(call)?, mode, frame, fill: fill_of(call) })
}

/// Returns the call's mode, if it is one of `modes`.
fn mode_of(call: &Case, modes: &[Mode]) -> Answer<Mode> {
    mode_named(&call.mode, modes)
}

fn mode_named(name: &str, modes: &[Mode]) -> Answer<Mode> {
    let mode = modes.iter().copied().find(|mode| format!("{mode:?}").to_lowercase() == name);
    mode.map_or_else(|| refuse(format!("{name} is not a mode here")), Ok)
}

/// Returns an argument that only one framework has.
pub(crate) fn argument<T: DeserializeOwned>(call: &Case, name: &str) -> Answer<Option<T>> {
    call.argument(name).or_else(refuse)
}

/// Returns the call's value as 64-bit floats, for frameworks that convert it. If the call has no value, the result is empty.
fn numbers_of(call: &Case) -> Answer<Vec<f64>> {
    vectors::numbers(call.value.as_ref()).or_else(refuse)
}

/// Returns the call's value, if any.
fn fill_of(call: &Case) -> Fill {
    call.value.clone().map(|value| vec![value])
}

/// Returns one padding per axis of the tensor. Axes that the call does not name have no padding.
///
/// Refuses lists of a wrong length, axes that do not exist or are named twice, and negative interior widths.
fn axis_pads(call: &Case) -> Answer<Vec<AxisPad>> {
    axis_pads_with(call, false)
}

/// Returns one padding per axis. If `last_wins`, an axis may be named twice, and its last widths count.
fn axis_pads_with(call: &Case, last_wins: bool) -> Answer<Vec<AxisPad>> {
    let call = call.clone().spread(last_wins).or_else(refuse)?;
    let rank = call.shape.len();
    let interior = call.interior.unwrap_or_else(|| vec![0; rank]);
    if [call.low.len(), call.high.len(), interior.len()] != [rank; 3] {
        return refuse("not one width per axis");
    }
    let Ok(interior) = interior.into_iter().map(u64::try_from).collect::<Result<Vec<_>, _>>() else {
        return refuse("negative interior width");
    };
    let sides = call.low.into_iter().zip(call.high).zip(interior);
    Ok(sides.map(|((low, high), interior)| AxisPad { low, high, interior }).collect())
}

/// Refuses element types that are not in `types`.
fn only_types(call: &Case, types: &[Type]) -> Answer<()> {
    if types.contains(&call.dtype) { Ok(()) } else { refuse(format!("no type {:?} here", call.dtype)) }
}

/// Refuses reflect borders of more than `d - 1` elements, and symmetric borders of more than `d`, where `d` is the length of the
/// axis. Reflect on an empty axis is refused even without a border.
fn only_one_mirror(call: &Case, axes: &[AxisPad], mode: Mode) -> Answer<()> {
    match mode {
        Mode::Reflect => every_axis(call, axes, "more than d - 1", |d, pad| widest(pad) > d - 1),
        Mode::Symmetric => every_axis(call, axes, "more than d", |d, pad| widest(pad) > d),
        _ => Ok(()),
    }
}

/// Returns one padding per axis, and the number of leading axes that the list `args.pad` of torch and Core ML does not name.
/// Without the list, reads the widths. The list has one pair for each trailing axis, the last axis first if `is_backwards`.
fn of_last_axes(call: &Case, is_backwards: bool) -> Answer<(Vec<AxisPad>, usize)> {
    let rank = call.shape.len();
    let Some(numbers) = argument::<Vec<i64>>(call, "pad")? else {
        let axes = axis_pads(call)?;
        let Some(first) = rank.checked_sub(call.npad.unwrap_or(rank)) else {
            return refuse("more pairs than axes");
        };
        let out_of_reach = axes[..first].iter().any(|pad| pad.low != 0 || pad.high != 0);
        deny(out_of_reach, "the list does not reach this axis")?;
        return Ok((axes, first));
    };
    deny(numbers.len() % 2 != 0 || numbers.len() > 2 * rank, "a list that is odd or longer than the axes")?;
    let mut pairs: Vec<_> =
        numbers.chunks(2).map(|pair| AxisPad { low: pair[0], high: pair[1], interior: 0 }).collect();
    if is_backwards {
        pairs.reverse();
    }
    let first = rank - pairs.len();
    let mut axes = vec![AxisPad { low: 0, high: 0, interior: 0 }; first];
    axes.extend(pairs);
    Ok((axes, first))
}

/// Refuses negative widths.
fn no_negatives(axes: &[AxisPad]) -> Answer<()> {
    deny(axes.iter().any(|pad| pad.low < 0 || pad.high < 0), "no negative widths here")
}

/// Refuses the call if `wrong` is true for an axis. `wrong` gets the axis's length and padding.
fn every_axis(call: &Case, axes: &[AxisPad], why: &str, wrong: impl Fn(i128, AxisPad) -> bool) -> Answer<()> {
    match call.shape.iter().zip(axes).position(|(&d, &pad)| wrong(d as i128, pad)) {
        Some(axis) => refuse(format!("axis {axis}: {why}")),
        None => Ok(()),
    }
}

/// Returns how many elements the wider side of the axis adds. The result is at most 0 if no side adds any.
fn widest(pad: AxisPad) -> i128 {
    i128::from(pad.low.max(pad.high))
}

/// Returns the length of an axis of length `d` with its padding.
fn padded(d: i128, pad: AxisPad) -> i128 {
    d + i128::from(pad.low) + i128::from(pad.high)
}

/// Returns the length that negative widths leave of an axis of length `d`. It is negative if they overlap.
fn left_of(d: i128, pad: AxisPad) -> i128 {
    d + i128::from(pad.low.min(0)) + i128::from(pad.high.min(0))
}
