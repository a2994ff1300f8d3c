//! The rules of tables of kernels that compute.

use proc_macro2::{Ident, Span};

use super::{Errors, isa};
use crate::{model, parse};

pub(crate) fn check_computed(table: parse::Computed) -> syn::Result<model::Computed> {
    let mut errors = Errors::default();
    errors.isas(table.isas.iter());
    errors.unique("computation", table.computations.iter().map(|computation| &computation.name));
    errors.unique("element type", table.elements.iter().map(|number| &number.dtype));
    if table.computations.is_empty() {
        errors.add(Span::call_site(), "there must be a computation");
    }
    let mut is_vector = |kind: &Ident| {
        if kind != "vector" && kind != "scalar" {
            errors.add(kind.span(), format!("`{kind}` is none of `vector`, `scalar`"));
        }
        kind == "vector"
    };
    let computations = table.computations.into_iter().map(|parse::Computation { kind, name, function }| {
        model::Computation { name, function, is_vector: is_vector(&kind) }
    });
    let computations = computations.collect();
    let elements = table.elements.into_iter().map(|parse::Number { kind, element, dtype }| model::Number {
        element,
        dtype,
        is_vector: is_vector(&kind),
    });
    let elements = elements.collect();
    let isas = table.isas.into_iter().map(isa).collect();
    errors.unless_any(model::Computed { isas, computations, elements })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(table: &str) -> Vec<String> {
        let checked = syn::parse_str::<parse::Computed>(table).and_then(check_computed);
        let errors = checked.err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn a_right_table_becomes_plain_data() {
        let table = r#"
            isas: [Portable, Avx2 on "x86_64" with "avx2"];
            computations: [vector Mean = fold::run::<T, Mean>, scalar Median = median::run::<T>];
            elements: [vector f32: F32, scalar Complex<f32>: C64];
        "#;
        let table = syn::parse_str::<parse::Computed>(table).and_then(check_computed);
        let table = table.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(table.isas.len(), 2);
        let kinds = |list: &mut dyn Iterator<Item = bool>| list.collect::<Vec<_>>();
        assert_eq!(kinds(&mut table.computations.iter().map(|it| it.is_vector)), [true, false]);
        assert_eq!(kinds(&mut table.elements.iter().map(|it| it.is_vector)), [true, false]);
    }

    #[test]
    fn all_errors_are_told() {
        let found = messages(
            r#"
            isas: [Avx2 on "x86_64" with "avx2"];
            computations: [wide Mean = mean, vector Mean = mean];
            elements: [vector f32: F32, scalar f64: F32];
            "#,
        );
        assert_eq!(
            found,
            [
                "the first instruction set must run everywhere, but `Avx2` needs features",
                "computation `Mean` is listed twice",
                "element type `F32` is listed twice",
                "`wide` is none of `vector`, `scalar`",
            ]
        );
        assert_eq!(
            messages("isas: [Portable]; computations: []; elements: [];"),
            ["there must be a computation"]
        );
    }
}
