//! Checks the functions that a call of `fixed_pad!` declares, and plans them.

use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use syn::{LitInt, Token, Type};

use super::Errors;
use crate::fold::Fold;
use crate::form::{Fault, Form};
use crate::model::{Adjoint, Fill, Frame, Function, Functions, PadMode};
use crate::{layout, parse};

pub(crate) fn check_functions(written: parse::Functions) -> syn::Result<Functions> {
    let mut errors = Errors::default();
    let functions = written.functions.into_iter().filter_map(|written| function(written, &mut errors));
    let functions = functions.collect();
    errors.unless_any(Functions { krate: written.krate, functions })
}

/// An axis as the caller wrote it, with the tokens at which errors point.
struct Axis<'a> {
    length: usize,
    length_at: &'a LitInt,
    pad: (i64, i64, u64),
    pads_at: &'a parse::Pads,
}

fn function(written: parse::Function, errors: &mut Errors) -> Option<Function> {
    let bytes = element(&written.element, errors);
    if let Some(name) = &written.adjoint {
        check_adjoint(name, &written, errors);
    }
    let mode = mode(&written.mode, errors);
    let frame = frame(written.frame.as_ref(), mode, errors);
    let lengths: Vec<_> = written.lengths.iter().map(|length| number(None, length, errors)).collect();
    let pads: Vec<_> = written.pads.iter().map(|pads| pad(pads, errors)).collect();
    if pads.len() != lengths.len() {
        // If the numbers of entries differ, the error points at the first entry without a partner.
        let at = match (written.pads.get(lengths.len()), written.lengths.get(pads.len())) {
            (Some(pads), _) => pads.span,
            (_, Some(length)) => length.span(),
            _ => written.pads_span,
        };
        let batch = if written.batch { ", and none for the batch" } else { "" };
        let pads = if pads.len() == 1 { "1 pad".to_string() } else { format!("{} pads", pads.len()) };
        let axes = if lengths.len() == 1 { "1 axis".to_string() } else { format!("{} axes", lengths.len()) };
        errors.add(at, format!("{pads} for {axes}: give one per axis{batch}"));
        return None;
    }
    let axes: Vec<_> = (lengths.iter().zip(&written.lengths))
        .zip(pads.iter().zip(&written.pads))
        .filter_map(|((&length, length_at), (&pad, pads_at))| {
            Some(Axis { length: length?, length_at, pad: pad?, pads_at })
        })
        .collect();
    let (mode, frame) = (mode?, frame?);
    let forms: Vec<_> = axes.iter().filter_map(|axis| form(axis, mode, frame, errors)).collect();
    if forms.len() != lengths.len() {
        return None;
    }
    size(bytes, axes.iter().map(|axis| (axis.length, axis.length_at.span())), "input", errors)?;
    let spans = axes.iter().map(|axis| axis.pads_at.span);
    size(bytes, forms.iter().map(|form| form.out).zip(spans), "output", errors)?;

    let needs_fill = mode == PadMode::Constant || axes.iter().any(|axis| axis.pad.2 > 0);
    let input: Vec<_> = axes.iter().map(|axis| axis.length).collect();
    let output: Vec<_> = forms.iter().map(|form| form.out).collect();
    let axes: Vec<_> = input.iter().copied().zip(forms).collect();
    let (merged, unit) = layout::merged(&axes);
    let levels = layout::levels(&merged);
    let folds = merged.iter().map(|&(length, form)| Fold::new(length, form));
    let adjoint = written.adjoint.map(|name| Adjoint { name, folds: folds.collect() });
    Some(Function {
        attrs: written.attrs,
        vis: written.vis,
        name: written.name,
        element: written.element,
        batch: written.batch,
        mode,
        frame,
        pads: pads.into_iter().flatten().collect(),
        fill: match written.fill {
            Some(fill) => Fill::Given(fill),
            None if needs_fill => Fill::Zero(written.mode.span()),
            None => Fill::Unneeded,
        },
        input,
        output,
        levels,
        unit,
        adjoint,
    })
}

/// Reports an error if an adjoint has the name of its function, or if its elements cannot be summed.
fn check_adjoint(name: &Ident, written: &parse::Function, errors: &mut Errors) {
    if *name == written.name {
        errors.add(name.span(), format!("the adjoint of `{name}` needs a name of its own"));
    }
    let is_sum = match &written.element {
        Type::Path(path) => path.path.get_ident().is_none_or(|name| {
            !["bool", "char", "i128", "u128", "isize", "usize"].contains(&name.to_string().as_str())
        }),
        Type::Array(_) | Type::Tuple(_) => false,
        _ => true,
    };
    if !is_sum {
        let element = written.element.to_token_stream().to_string().replace(" ;", ";");
        errors.add_spanned(
            &written.element,
            format!(
                "gradients of `{element}` cannot be summed: `adjoint` takes integers of 8 to 64 bits, floats of 16 to 64 bits and \
                 complex numbers"
            ),
        );
    }
}

/// Returns the mode with the name `written`.
fn mode(written: &Ident, errors: &mut Errors) -> Option<PadMode> {
    let name = written.to_string();
    let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == name);
    if mode.is_none() {
        let modes = PadMode::ALL.map(PadMode::name);
        let lower = name.to_lowercase();
        let meant = match lower.as_str() {
            "replicate" | "nearest" | "clamp" => "edge",
            "mirror" | "reflect101" | "reflect_101" => "reflect",
            "circular" | "periodic" | "repeat" => "wrap",
            "zero" | "zeros" => "constant",
            lower if modes.iter().any(|mode| mode == lower) => lower,
            _ => "",
        };
        let meant = if meant.is_empty() { String::new() } else { format!("; did you mean `{meant}`?") };
        let modes = modes.join(", ");
        errors.add(written.span(), format!("no mode is called `{name}`: there are {modes}{meant}"));
    }
    mode
}

fn frame(written: Option<&Ident>, mode: Option<PadMode>, errors: &mut Errors) -> Option<Frame> {
    let default = |mode| if mode == PadMode::Wrap { Frame::Cropped } else { Frame::Uncropped };
    let Some(written) = written else { return mode.map(default) };
    match written.to_string().as_str() {
        "cropped" => Some(Frame::Cropped),
        "uncropped" => Some(Frame::Uncropped),
        name => {
            errors.add(written.span(), format!("`{name}` is none of `cropped`, `uncropped`"));
            None
        }
    }
}

/// Returns the size of the element type in bytes, or 1 if the macro does not know the type. Reports an error for types that are not
/// elements.
///
/// The compiler checks the types that the macro does not know.
fn element(written: &Type, errors: &mut Errors) -> usize {
    let Type::Path(path) = written else { return 1 };
    let Some(name) = path.path.get_ident() else { return 1 };
    let message = match name.to_string().as_str() {
        "u16" | "i16" => return 2,
        "u32" | "i32" | "f32" | "char" => return 4,
        "u64" | "i64" | "f64" => return 8,
        "u128" | "i128" => return 16,
        "u4" | "i4" | "u2" | "i2" | "f4e2m1" | "uint4" | "int4" | "uint2" | "int2" | "float4e2m1" => {
            format!("`{name}` is packed into bytes: an element is one byte or more")
        }
        "String" | "str" | "string" => {
            format!("a `{name}` cannot be moved as bytes: pad it with `pad_cloned`")
        }
        other => {
            let rust = match other {
                "float" | "float32" => "f32",
                "double" | "float64" => "f64",
                "float16" => "half::f16",
                "bfloat16" => "half::bf16",
                "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" => {
                    &other.replace("uint", "u").replace("int", "i")
                }
                "boolean" => "bool",
                _ => return 1,
            };
            format!("`{name}` is no type of Rust; did you mean `{rust}`?")
        }
    };
    errors.add(name.span(), message);
    1
}

fn pad(written: &parse::Pads, errors: &mut Errors) -> Option<(i64, i64, u64)> {
    let ([low, high] | [low, high, _]) = &written.numbers[..] else {
        errors.add(written.span, "the pads of an axis are `[low, high]` or `[low, high, interior]`");
        return None;
    };
    let interior = match written.numbers.get(2) {
        None => Some(0),
        Some(interior) if interior.sign.is_some() && interior.digits.base10_digits() != "0" => {
            errors.add_spanned(
                interior,
                "the interior is below zero: elements can be moved apart, and not together",
            );
            None
        }
        Some(interior) => number(interior.sign, &interior.digits, errors),
    };
    Some((number(low.sign, &low.digits, errors)?, number(high.sign, &high.digits, errors)?, interior?))
}

/// Returns the value of a number. Reports an error if the number has a type suffix or does not fit `T`.
fn number<T: TryFrom<i128>>(sign: Option<Token![-]>, digits: &LitInt, errors: &mut Errors) -> Option<T> {
    if !digits.suffix().is_empty() {
        errors.add(digits.span(), format!("a number without `{}`", digits.suffix()));
        return None;
    }
    let number = digits.base10_parse().ok().map(|number: i128| if sign.is_some() { -number } else { number });
    let number = number.and_then(|number| T::try_from(number).ok());
    if number.is_none() {
        errors.add_spanned(quote! { #sign #digits }, "more than an axis can hold");
    }
    number
}

/// Returns the axis in normal form. An error points at the number that causes it.
fn form(axis: &Axis<'_>, mode: PadMode, frame: Frame, errors: &mut Errors) -> Option<Form> {
    let Axis { length, pad: (low, high, interior), pads_at, .. } = *axis;
    let numbers = &pads_at.numbers;
    let fault = match Form::new(length, (low, high, interior), (mode, mode), frame) {
        Ok(form) => return Some(form),
        Err(fault) => fault,
    };
    match fault {
        Fault::NegativeOutput(output) => {
            let at = &numbers[usize::from(high < low)];
            let whole = output - i128::from(low) - i128::from(high);
            errors
                .add_spanned(at, format!("the axis would have length {output}: remove less of its {whole}"));
        }
        Fault::EmptyWindow(output, mode) => {
            let mode = mode.name();
            if length == 0 {
                let why = "only constant mode can extend an empty axis";
                let message = format!("mode {mode} has no element to make {output} from: {why}");
                errors.add(axis.length_at.span(), message);
                return None;
            }
            let removes = match (low < 0, high < 0) {
                (true, false) => "the low pad removes",
                (false, true) => "the high pad removes",
                _ => "the pads remove",
            };
            errors.add(
                pads_at.span,
                format!(
                    "{removes} all {length} elements, and mode {mode} has none left to make {output} from: remove less, or use \
                     constant mode"
                ),
            );
        }
        Fault::Overflow => {
            let message = "more than an axis can hold";
            let sizes = [low.unsigned_abs(), high.unsigned_abs(), interior];
            match numbers.iter().zip(sizes).max_by_key(|(_, size)| *size) {
                Some((number, size)) if size > length as u64 => errors.add_spanned(number, message),
                _ => errors.add(axis.length_at.span(), message),
            }
        }
    }
    None
}

/// Checks that a tensor has at most `isize::MAX` bytes. As in a plan at run time, an axis without elements does not hide the size
/// error of another axis.
fn size(
    bytes: usize,
    lengths: impl Iterator<Item = (usize, Span)>,
    side: &str,
    errors: &mut Errors,
) -> Option<()> {
    let mut size = bytes;
    for (length, at) in lengths.filter(|(length, _)| *length > 0) {
        size = match size.checked_mul(length) {
            Some(size) if size <= isize::MAX as usize => size,
            _ => {
                errors.add(at, format!("with this axis the {side} is larger than memory can be"));
                return None;
            }
        };
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(function: &str) -> Vec<String> {
        crate::check::tests::messages(check_functions, &format!("[pad_kernels] {function}"))
    }

    #[test]
    fn nothing_may_follow() {
        for function in [
            "fn a(u8; [1], 2) = edge { [0, 0] }",
            "fn a(u8; [1]) = edge(1, 2) { [0, 0] }",
            "fn a(u8; [1]) = edge() { [0, 0] }",
            "fn a(u8; [1]) = edge { [0, 0] };;",
            "fn a(u8; [1 2]) = edge { [0, 0] }",
            "fn a(u8; [1]) = edge { [0, 0] } adjoint b c",
        ] {
            let errors = messages(function);
            assert!(
                matches!(&errors[..], [error] if error.starts_with("unexpected token") || error.starts_with("expected")),
                "{function}: {errors:?}"
            );
        }
    }

    #[test]
    fn what_is_right_is_taken() {
        for function in [
            "fn a(f32; []) = constant { }",
            "pub(crate) fn a(f32; [0, 4]) = wrap { [0, 0], [3, 3,] }",
            "#[inline] pub fn a([u8; 3]; [.., 5]) = reflect([0; 3]) cropped { [-1, 9, 2] }",
            "fn a(f32; [..]) = constant {}",
            "fn a(f32; [1]) = edge(of::<fn(u8) -> u8, f32>(1, 2)) { [0, 0] }",
            "fn a(f32; [3]) = edge { [-0, 0, -0] }",
            "fn a(f32; [3]) = edge { [1, 0] }; fn b(f32; [3]) = edge { [1, 0] } adjoint c;",
            "fn a(f32; [3]) = edge { [1, 0] } adjoint b pub fn c(Number; [0]) = edge { [0, 0] } adjoint d",
        ] {
            assert_eq!(messages(function), [""; 0], "{function}");
        }
    }

    /// Checks that the message about each name suggests the name behind `=`.
    fn expect_suggestions(names: &str, function: impl Fn(&str) -> String) {
        for (name, meant) in names.split(' ').map(|pair| pair.split_once('=').expect("two names")) {
            let errors = messages(&function(name));
            let suggestion = format!("; did you mean `{meant}`?");
            assert!(errors.len() == 1 && errors[0].ends_with(&suggestion), "{name}: {errors:?}");
        }
    }

    #[test]
    fn names_of_others_are_known() {
        expect_suggestions(
            "replicate=edge nearest=edge clamp=edge mirror=reflect reflect101=reflect reflect_101=reflect \
             circular=wrap periodic=wrap repeat=wrap zero=constant zeros=constant Reflect=reflect Zeros=constant",
            |name| format!("fn a(u8; [1]) = {name} {{ [0, 0] }}"),
        );
        expect_suggestions(
            "float=f32 float32=f32 double=f64 float64=f64 float16=half::f16 bfloat16=half::bf16 boolean=bool \
             int8=i8 int16=i16 int32=i32 int64=i64 uint8=u8 uint16=u16 uint32=u32 uint64=u64",
            |name| format!("fn a({name}; [1]) = edge {{ [0, 0] }}"),
        );
    }

    #[test]
    fn sizes_are_those_of_a_plan() {
        let most = isize::MAX;
        for (names, bytes) in [
            ("bool u8 i8", 1),
            ("u16 i16", 2),
            ("u32 i32 f32 char", 4),
            ("u64 i64 f64", 8),
            ("u128 i128", 16),
        ] {
            for (name, length) in names
                .split(' ')
                .flat_map(|name| [0, 1].map(|more| (name, most.unsigned_abs() / bytes + more)))
            {
                let errors = messages(&format!("fn a({name}; [{length}]) = constant {{ [-1, 0] }}"));
                let fits = length <= most.unsigned_abs() / bytes;
                assert_eq!(errors.is_empty(), fits, "{length} of {name}: {errors:?}");
            }
        }
        let errors = messages(&format!("fn a(u16; [0, {most}]) = constant {{ [0, 0], [0, 0] }}"));
        assert_eq!(errors, ["with this axis the input is larger than memory can be"]);
        assert_eq!(messages(&format!("fn a(u8; [{most}, 0]) = constant {{ [0, 0], [0, 0] }}")), [""; 0]);
        let errors = messages(&format!("fn a(u16; [{most}, 0]) = constant {{ [0, 0], [0, 0] }}"));
        assert_eq!(errors, ["with this axis the input is larger than memory can be"]);
        let errors = messages(&format!("fn a(u8; [1, 2]) = constant {{ [0, {}], [0, 0] }}", most - 1));
        assert_eq!(errors, ["with this axis the output is larger than memory can be"]);
    }
}
