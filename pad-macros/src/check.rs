//! Checks the parsed tables. Each error points at the token that breaks a rule, and all errors are reported together.

mod fixed;

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Error, LitInt};

use crate::{model, parse};

pub(crate) use fixed::check_functions;

/// The maximum rank of a nest. More ranks would add code that nobody needs.
const MOST_RANKS: usize = 8;

/// The errors that were found so far.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(Error::new(span, message));
    }

    /// Adds an error that points at all of `tokens`.
    fn add_spanned(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Reports names that occur twice.
    fn unique<'a>(&mut self, what: &str, names: impl IntoIterator<Item = &'a Ident>) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name.to_string()) {
                self.add(name.span(), format!("{what} `{name}` is listed twice"));
            }
        }
    }

    /// Checks that the first instruction set needs no features, that the others name some, and that `as` names an earlier set.
    fn isas<'a>(&mut self, isas: impl Iterator<Item = &'a parse::Isa> + Clone) {
        self.unique("instruction set", isas.clone().map(|isa| &isa.name));
        match isas.clone().next() {
            None => self.add(Span::call_site(), "there must be an instruction set"),
            Some(parse::Isa { name, needs: Some(_), .. }) => {
                self.add(
                    name.span(),
                    format!("the first instruction set must run everywhere, but `{name}` needs features"),
                );
            }
            Some(_) => {}
        }
        for (before, isa) in isas.clone().enumerate() {
            let Some(base) = &isa.moves_as else { continue };
            let Some(other) = isas.clone().take(before).find(|other| other.name == *base) else {
                self.add(base.span(), format!("no instruction set `{base}` stands before `{}`", isa.name));
                continue;
            };
            if !includes(isa, other) {
                self.add(base.span(), format!("`{}` does not need all that `{base}` needs", isa.name));
            }
        }
        for isa in isas.skip(1).filter(|isa| isa.needs.is_none()) {
            let name = &isa.name;
            self.add(name.span(), format!("`{name}` must say `on \"architecture\" with \"features\"`"));
        }
    }

    /// Returns the checked value, or all errors.
    fn unless_any<T>(self, checked: T) -> syn::Result<T> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(checked),
        }
    }

    fn number(&mut self, literal: &LitInt) -> usize {
        literal.base10_parse().unwrap_or_else(|error| {
            self.add(literal.span(), error);
            1
        })
    }
}

pub(crate) fn check(table: parse::Table) -> syn::Result<model::Table> {
    let mut errors = Errors::default();
    let ranks = errors.number(&table.ranks);
    if !(1..=MOST_RANKS).contains(&ranks) {
        errors.add(table.ranks.span(), format!("the last rank is from 1 to {MOST_RANKS}"));
    }

    errors.unique("mode", &table.modes);
    if table.modes.is_empty() {
        errors.add(Span::call_site(), "there must be a mode");
    }
    errors.isas(table.isas.iter());

    errors.unique("element type", table.elements.iter().flat_map(|elements| &elements.dtypes));
    let of_bytes = table.elements.iter().filter(|elements| elements.kind == "bytes");
    errors.unique("width", of_bytes.filter_map(|elements| Some(&elements.width.as_ref()?.0)));
    let mut checked = model::Table {
        ranks,
        modes: table.modes,
        isas: table.isas,
        widths: Vec::new(),
        packed: Vec::new(),
        cloned: Vec::new(),
    };
    for parse::Elements { kind, width, dtypes } in table.elements {
        match (kind.to_string().as_str(), width) {
            ("bytes", Some((name, bytes))) => {
                let bytes = bytes.map(|bytes| {
                    let number = errors.number(&bytes);
                    if !number.is_power_of_two() || number > 16 {
                        errors
                            .add(bytes.span(), "a width is 1, 2, 4, 8 or 16 bytes: others have no register");
                    }
                    number
                });
                if bytes.is_none()
                    && let Some(dtype) = dtypes.first()
                {
                    errors.add(dtype.span(), "a type has a fixed width: list it under its bytes");
                }
                // The names of kernels contain the width in bytes, so two widths must not have the same number of bytes.
                if checked.widths.iter().any(|other| other.bytes == bytes && other.name != name) {
                    let bytes = bytes.map_or("any number of".to_string(), |bytes| bytes.to_string());
                    errors.add(name.span(), format!("there is another width of {bytes} bytes than `{name}`"));
                }
                checked.widths.push(model::Width { name, bytes, dtypes });
            }
            ("bytes", None) => errors.add(kind.span(), "`bytes` needs a width type: `bytes W4 = 4: [..]`"),
            ("packed" | "cloned", Some((name, _))) => {
                errors.add(name.span(), format!("`{kind}` elements have no width type"));
            }
            ("packed", None) => checked.packed.extend(dtypes),
            ("cloned", None) => checked.cloned.extend(dtypes),
            _ => errors.add(kind.span(), format!("`{kind}` is none of `bytes`, `packed`, `cloned`")),
        }
    }
    errors.unless_any(checked)
}

pub(crate) fn check_sums(table: parse::Sums) -> syn::Result<parse::Sums> {
    let mut errors = Errors::default();
    errors.isas(table.isas.iter().map(|of| &of.isa));
    errors.unique("number", table.sums.iter().map(|sum| &sum.number));
    errors.unique("element type", table.sums.iter().flat_map(|sum| &sum.dtypes));
    for name in table.isas.iter().flat_map(|of| &of.only).flatten() {
        if table.sums.iter().all(|sum| sum.number != *name) {
            errors.add(name.span(), format!("there is no number `{name}`"));
        }
    }
    errors.unless_any(table)
}

pub(crate) fn check_computed(table: parse::Computed) -> syn::Result<parse::Computed> {
    let mut errors = Errors::default();
    errors.isas(table.isas.iter());
    for base in table.isas.iter().filter_map(|isa| isa.moves_as.as_ref()) {
        errors.add(base.span(), "kernels that compute have no shells to share");
    }
    errors.unique("computation", table.computations.iter().map(|computation| &computation.name));
    errors.unique("element type", table.elements.iter().map(|number| &number.dtype));
    if table.computations.is_empty() {
        errors.add(Span::call_site(), "there must be a computation");
    }
    let kinds = table.computations.iter().map(|computation| &computation.kind);
    for kind in kinds.chain(table.elements.iter().map(|number| &number.kind)) {
        if kind != "wide" && kind != "vector" && kind != "scalar" {
            errors.add(kind.span(), format!("`{kind}` is none of `wide`, `vector`, `scalar`"));
        }
    }
    errors.unless_any(table)
}

/// Tells whether every machine with `isa` also has `other`.
fn includes(isa: &parse::Isa, other: &parse::Isa) -> bool {
    let Some((arch, features)) = &other.needs else { return true };
    isa.needs.as_ref().is_some_and(|(own_arch, own_features)| {
        let own_features = own_features.value();
        let has = |feature: &str| own_features.split(',').any(|own| own == feature);
        own_arch.value() == arch.value() && features.value().split(',').all(has) && isa.built == other.built
    })
}

#[cfg(test)]
mod tests {
    use syn::parse::Parse;

    use super::*;

    const RANKS: &str = "ranks: 2;";
    const MODES: &str = "modes: [Edge, Wrap];";
    const ISAS: &str = r#"isas: [Portable, Avx2 on "x86_64" with "avx2,bmi1"];"#;
    const ELEMENTS: &str = "elements: [bytes W4 = 4: [F32], bytes Any: [], packed: [I4], cloned: [String]];";

    /// Returns the messages of `check` about a table.
    pub(super) fn messages<T: Parse, C>(check: fn(T) -> syn::Result<C>, table: &str) -> Vec<String> {
        let errors = syn::parse_str(table).and_then(check).err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[track_caller]
    fn expect(sections: [&str; 4], expected: &[&str]) {
        assert_eq!(messages(check, &sections.concat()), expected, "{sections:?}");
    }

    #[test]
    fn a_set_moves_as_one_before_it_that_it_includes() {
        for (last, messages) in [
            (r#"Avx512 as Avx2 on "x86_64" with "avx2,bmi1,avx512f""#, &[][..]),
            (
                r#"Avx512 as Avx2 on "x86_64" with "avx512f""#,
                &["`Avx512` does not need all that `Avx2` needs"],
            ),
            (
                r#"Avx512 as Neon on "x86_64" with "avx512f""#,
                &["no instruction set `Neon` stands before `Avx512`"],
            ),
        ] {
            let isas = ISAS.replace(']', &format!(", {last}]"));
            expect([RANKS, MODES, &isas, ELEMENTS], messages);
        }
    }

    #[test]
    fn there_is_a_kernel() {
        expect(["ranks: 0;", MODES, ISAS, ELEMENTS], &["the last rank is from 1 to 8"]);
        expect([RANKS, "modes: [];", ISAS, ELEMENTS], &["there must be a mode"]);
        expect([RANKS, MODES, "isas: [];", ELEMENTS], &["there must be an instruction set"]);
        let table = "isas: [Portable]; computations: []; elements: [];";
        assert_eq!(messages(check_computed, table), ["there must be a computation"]);
    }

    #[test]
    fn every_power_of_two_up_to_sixteen_is_a_width() {
        for bytes in 0..=40 {
            let elements = format!("elements: [bytes W = {bytes}: []];");
            let message = "a width is 1, 2, 4, 8 or 16 bytes: others have no register";
            let messages = if matches!(bytes, 1 | 2 | 4 | 8 | 16) { &[][..] } else { &[message] };
            expect([RANKS, MODES, ISAS, &elements], messages);
        }
    }

    #[test]
    fn numbers_that_are_none_are_refused_once() {
        let elements = "elements: [bytes W = 99999999999999999999: []];";
        let message = "number too large to fit in target type";
        expect([RANKS, MODES, ISAS, elements], &[message]);
    }

    #[test]
    fn tables_of_sums_are_checked() {
        let isas = r#"isas: [Neon, Avx2, Wide on "x86_64" with "wide" for [F64]];"#;
        assert_eq!(
            messages(check_sums, &format!("{isas} sums: [F32: [F32], F32: [], U8: [F32]];")),
            [
                "`Avx2` must say `on \"architecture\" with \"features\"`",
                "number `F32` is listed twice",
                "element type `F32` is listed twice",
                "there is no number `F64`",
            ]
        );
    }

    #[test]
    fn tables_of_computations_are_checked() {
        let table = r#"
            isas: [Avx2 on "x86_64" with "avx2", Wide as Avx2 on "x86_64" with "avx2"];
            computations: [broad Mean = mean, vector Mean = mean];
            elements: [vector f32: F32, scalar f64: F32];
        "#;
        assert_eq!(
            messages(check_computed, table),
            [
                "the first instruction set must run everywhere, but `Avx2` needs features",
                "kernels that compute have no shells to share",
                "computation `Mean` is listed twice",
                "element type `F32` is listed twice",
                "`broad` is none of `wide`, `vector`, `scalar`",
            ]
        );
    }
}
