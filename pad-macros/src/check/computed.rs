//! Checks the tables of kernels that compute borders.

use proc_macro2::Span;

use super::Errors;
use crate::parse::Computed;

pub(crate) fn check_computed(table: Computed) -> syn::Result<Computed> {
    let mut errors = Errors::default();
    errors.isas(table.isas.iter());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(table: &str) -> Vec<String> {
        let checked = syn::parse_str::<Computed>(table).and_then(check_computed);
        let errors = checked.err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn a_right_table_is_taken() {
        let table = r#"
            isas: [Portable, Avx2 on "x86_64" with "avx2"];
            computations: [wide Mean = fold::run::<T, Mean>, scalar Median = median::run::<T>];
            elements: [vector f32: F32, scalar Complex<f32>: C64];
        "#;
        assert_eq!(messages(table), [""; 0]);
    }

    #[test]
    fn all_errors_are_told() {
        let found = messages(
            r#"
            isas: [Avx2 on "x86_64" with "avx2"];
            computations: [broad Mean = mean, vector Mean = mean];
            elements: [vector f32: F32, scalar f64: F32];
            "#,
        );
        assert_eq!(
            found,
            [
                "the first instruction set must run everywhere, but `Avx2` needs features",
                "computation `Mean` is listed twice",
                "element type `F32` is listed twice",
                "`broad` is none of `wide`, `vector`, `scalar`",
            ]
        );
        assert_eq!(
            messages("isas: [Portable]; computations: []; elements: [];"),
            ["there must be a computation"]
        );
    }
}
