//! Every rule of the table, each error at the token that breaks it, all of them at once.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use syn::{Error, LitInt};

use crate::{model, parse};

/// The most axes a nest is written out for; above, code size grows without a use.
const MOST_RANKS: usize = 8;

/// The errors found so far.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, span: Span, message: impl std::fmt::Display) {
        let error = Error::new(span, message);
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Names that were given before.
    fn unique<'a>(&mut self, what: &str, names: impl IntoIterator<Item = &'a Ident>) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name.to_string()) {
                self.add(name.span(), format!("{what} `{name}` is listed twice"));
            }
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
    if errors.number(&table.first_rank) != 1 {
        errors.add(table.first_rank.span(), "ranks start at 1: a plan of no axes is a copy of one element");
    }
    let ranks = errors.number(&table.last_rank);
    if !(1..=MOST_RANKS).contains(&ranks) {
        errors.add(table.last_rank.span(), format!("the last rank is from 1 to {MOST_RANKS}"));
    }

    errors.unique("mode", &table.modes);
    if table.modes.is_empty() {
        errors.add(Span::call_site(), "there must be a mode");
    }
    errors.unique("instruction set", table.isas.iter().map(|isa| &isa.name));
    match table.isas.first() {
        None => errors.add(Span::call_site(), "there must be an instruction set"),
        Some(parse::Isa { name, needs: Some(_) }) => {
            errors.add(
                name.span(),
                format!("the first instruction set must run everywhere, but `{name}` needs features"),
            );
        }
        Some(_) => {}
    }
    for isa in table.isas.iter().skip(1).filter(|isa| isa.needs.is_none()) {
        let name = &isa.name;
        errors.add(name.span(), format!("`{name}` must say `on \"architecture\" with \"features\"`"));
    }

    errors.unique("element type", table.elements.iter().flat_map(|elements| &elements.dtypes));
    errors.unique("width", table.elements.iter().flat_map(|elements| &elements.width).map(|(name, _)| name));
    let mut checked = model::Table {
        ranks,
        modes: table.modes,
        isas: table.isas.into_iter().map(isa).collect(),
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
                if bytes.is_none() && !dtypes.is_empty() {
                    errors.add(dtypes[0].span(), "a type has a fixed width: list it under its bytes");
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
    match errors.0 {
        Some(errors) => Err(errors),
        None => Ok(checked),
    }
}

fn isa(isa: parse::Isa) -> model::Isa {
    let needs = isa.needs.map(|(arch, features)| (arch.value(), features.value()));
    model::Isa { name: isa.name, needs }
}
