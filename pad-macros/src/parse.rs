//! What the user wrote, with spans and without judgement.

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{LitInt, LitStr, Token, bracketed};

/// The whole table.
pub(crate) struct Table {
    pub(crate) first_rank: LitInt,
    pub(crate) last_rank: LitInt,
    pub(crate) modes: Vec<Ident>,
    pub(crate) isas: Vec<Isa>,
    pub(crate) elements: Vec<Elements>,
}

/// `Avx2 on "x86_64" with "avx2,bmi2"`, or the name alone.
pub(crate) struct Isa {
    pub(crate) name: Ident,
    pub(crate) needs: Option<(LitStr, LitStr)>,
}

/// `bytes W4 = 4: [F32, I32]` and its like.
pub(crate) struct Elements {
    pub(crate) kind: Ident,
    /// The width type of `bytes`, and its size unless it is any.
    pub(crate) width: Option<(Ident, Option<LitInt>)>,
    pub(crate) dtypes: Vec<Ident>,
}

impl Parse for Table {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        key(input, "ranks")?;
        let first_rank = input.parse()?;
        input.parse::<Token![..=]>()?;
        let last_rank = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Table {
            first_rank,
            last_rank,
            modes: section(input, "modes")?,
            isas: section(input, "isas")?,
            elements: section(input, "elements")?,
        })
    }
}

impl Parse for Isa {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let needs = if input.peek(Token![,]) || input.is_empty() {
            None
        } else {
            word(input, "on")?;
            let arch = input.parse()?;
            word(input, "with")?;
            Some((arch, input.parse()?))
        };
        Ok(Isa { name, needs })
    }
}

impl Parse for Elements {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kind: Ident = input.parse()?;
        let width = if input.peek(Token![:]) {
            None
        } else {
            let name = input.parse()?;
            let bytes = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
            Some((name, bytes))
        };
        input.parse::<Token![:]>()?;
        Ok(Elements { kind, width, dtypes: list(input)? })
    }
}

/// `name: [item, item];`
fn section<T: Parse>(input: ParseStream<'_>, name: &str) -> syn::Result<Vec<T>> {
    key(input, name)?;
    let items = list(input)?;
    input.parse::<Token![;]>()?;
    Ok(items)
}

fn list<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let content;
    bracketed!(content in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

fn key(input: ParseStream<'_>, name: &str) -> syn::Result<()> {
    word(input, name)?;
    input.parse::<Token![:]>().map(drop)
}

fn word(input: ParseStream<'_>, expected: &str) -> syn::Result<()> {
    let found: Ident = input.parse()?;
    if found == expected {
        return Ok(());
    }
    Err(syn::Error::new(found.span(), format!("expected `{expected}`, found `{found}`")))
}
