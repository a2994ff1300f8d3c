//! Parses the tokens of a macro call into structs with spans. This module checks only the syntax, and `check` checks the values.

use proc_macro2::{Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, ExprPath, LitInt, LitStr, Token, Type, Visibility, braced, bracketed, parenthesized};

/// The table of kernels that copy.
pub(crate) struct Table {
    pub(crate) ranks: LitInt,
    pub(crate) modes: Vec<Ident>,
    pub(crate) isas: Vec<Isa>,
    pub(crate) elements: Vec<Elements>,
}

/// An instruction set, for example `Avx2 on "x86_64" with "avx2,bmi2"` or `Neon on "aarch64" built with "neon"`. The first set is
/// only a name. `as Avx512` may follow the name.
pub(crate) struct Isa {
    pub(crate) name: Ident,
    /// The set after `as`, whose shells do all work without permutations.
    pub(crate) moves_as: Option<Ident>,
    /// The architecture, and the features with which the kernels are compiled. The first set has none.
    pub(crate) needs: Option<(LitStr, LitStr)>,
    /// True if the whole build must enable the features. These features are not detected at run time.
    pub(crate) built: bool,
}

/// A kind of elements, for example `bytes W4 = 4: [F32, I32]`.
pub(crate) struct Elements {
    pub(crate) kind: Ident,
    /// The width type of `bytes`, and its size. A type for any width has no size.
    pub(crate) width: Option<(Ident, Option<LitInt>)>,
    pub(crate) dtypes: Vec<Ident>,
}

/// The table of kernels that compute.
pub(crate) struct Computed {
    pub(crate) isas: Vec<Isa>,
    pub(crate) computations: Vec<Computation>,
    pub(crate) elements: Vec<Number>,
}

/// A generic function, for example `vector Mean = fold::run::<T, Mean>`. If it is `scalar`, only the first instruction set has a
/// kernel. If it is `vector`, the first two have one.
pub(crate) struct Computation {
    pub(crate) kind: Ident,
    pub(crate) name: Ident,
    /// The path of the function, in which `T` is the element type.
    pub(crate) function: ExprPath,
}

/// A type to compute with, and its variant of `DType`, for example `scalar Complex<f32>: C64`.
pub(crate) struct Number {
    pub(crate) kind: Ident,
    pub(crate) element: Type,
    pub(crate) dtype: Ident,
}

/// The table of kernels that sum.
pub(crate) struct Sums {
    pub(crate) isas: Vec<SumIsa>,
    pub(crate) sums: Vec<Sum>,
}

/// An instruction set of the table of sums, for example `Avx512Vbmi on "x86_64" with "avx512vbmi" for [U8]`.
pub(crate) struct SumIsa {
    pub(crate) isa: Isa,
    /// The number types after `for`, or `None` for all types.
    pub(crate) only: Option<Vec<Ident>>,
}

/// A number type, and the element types that consist of such numbers, for example `F32: [F32, C64]`.
pub(crate) struct Sum {
    pub(crate) number: Ident,
    pub(crate) dtypes: Vec<Ident>,
}

/// The functions of a `fixed_pad!` call, and the crate path that the outer macro puts before them.
pub(crate) struct Functions {
    pub(crate) krate: TokenStream,
    pub(crate) functions: Vec<Function>,
}

/// A function. For example,
/// `pub fn pad_image(f32; [3, 224, 224]) = constant(0.0) { [0, 0], [1, 1], [1, 1] } adjoint image_gradient`.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) element: Type,
    /// True if the lengths begin with `..`.
    pub(crate) batch: bool,
    pub(crate) lengths: Vec<LitInt>,
    pub(crate) mode: Ident,
    pub(crate) fill: Option<TokenStream>,
    pub(crate) frame: Option<Ident>,
    pub(crate) pads: Vec<Pads>,
    /// The span of the braces around the pads.
    pub(crate) pads_span: Span,
    /// The name after `adjoint`.
    pub(crate) adjoint: Option<Ident>,
}

/// The pads of an axis: `[low, high]` or `[low, high, interior]`.
pub(crate) struct Pads {
    pub(crate) numbers: Vec<Integer>,
    pub(crate) span: Span,
}

/// An integer literal with an optional sign.
pub(crate) struct Integer {
    pub(crate) sign: Option<Token![-]>,
    pub(crate) digits: LitInt,
}

impl Parse for Table {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        key(input, "ranks")?;
        let ranks = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Table {
            ranks,
            modes: section(input, "modes")?,
            isas: section(input, "isas")?,
            elements: section(input, "elements")?,
        })
    }
}

impl Parse for Isa {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let moves_as = input.parse::<Option<Token![as]>>()?.map(|_| input.parse()).transpose()?;
        if input.peek(Token![,]) || input.is_empty() {
            return Ok(Isa { name, moves_as, needs: None, built: false });
        }
        word(input, "on")?;
        let arch = input.parse()?;
        let built = input.fork().parse::<Ident>().is_ok_and(|next| next == "built");
        if built {
            word(input, "built")?;
        }
        word(input, "with")?;
        Ok(Isa { name, moves_as, needs: Some((arch, input.parse()?)), built })
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

impl Parse for Computed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Computed {
            isas: section(input, "isas")?,
            computations: section(input, "computations")?,
            elements: section(input, "elements")?,
        })
    }
}

impl Parse for Computation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (kind, name) = (input.parse()?, input.parse()?);
        input.parse::<Token![=]>()?;
        Ok(Computation { kind, name, function: input.parse()? })
    }
}

impl Parse for Number {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (kind, element) = (input.parse()?, input.parse()?);
        input.parse::<Token![:]>()?;
        Ok(Number { kind, element, dtype: input.parse()? })
    }
}

impl Parse for Sums {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Sums { isas: section(input, "isas")?, sums: section(input, "sums")? })
    }
}

impl Parse for SumIsa {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let isa = input.parse()?;
        let only = input.parse::<Option<Token![for]>>()?.map(|_| list(input)).transpose()?;
        Ok(SumIsa { isa, only })
    }
}

impl SumIsa {
    /// Returns the number types for which this set has kernels.
    pub(crate) fn sums<'a>(&'a self, table: &'a Sums) -> impl Iterator<Item = &'a Sum> {
        let has = |sum: &&Sum| self.only.as_ref().is_none_or(|only| only.contains(&sum.number));
        table.sums.iter().filter(has)
    }
}

impl Parse for Sum {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let number = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Sum { number, dtypes: list(input)? })
    }
}

impl Parse for Functions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate;
        bracketed!(krate in input);
        let krate = krate.parse()?;
        let mut functions = Vec::new();
        while functions.is_empty() || !input.is_empty() {
            functions.push(input.parse()?);
        }
        Ok(Functions { krate, functions })
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let signature;
        parenthesized!(signature in input);
        let element = signature.parse()?;
        signature.parse::<Token![;]>()?;
        let shape;
        bracketed!(shape in signature);
        let batch = shape.parse::<Option<Token![..]>>()?.is_some();
        if batch && !shape.is_empty() {
            shape.parse::<Token![,]>()?;
        }
        let lengths = shape.parse_terminated(digits, Token![,])?.into_iter().collect();

        input.parse::<Token![=]>()?;
        let mode: Ident = input.parse()?;
        if mode == "cropped" || mode == "uncropped" {
            let message = format!("the frame `{mode}` follows the mode and its fill");
            return Err(syn::Error::new(mode.span(), message));
        }
        let fill = if input.peek(syn::token::Paren) {
            let fill;
            let parentheses = parenthesized!(fill in input);
            if fill.is_empty() {
                return Err(syn::Error::new(parentheses.span.join(), "expected an expression"));
            }
            Some(one_value(fill.parse()?)?)
        } else {
            None
        };
        let frame = input.parse()?;
        let pads;
        let braces = braced!(pads in input);
        let pads = Punctuated::<Pads, Token![,]>::parse_terminated(&pads)?.into_iter().collect();
        let pads_span = braces.span.join();
        // Without `adjoint`, the call ends, or the next function begins with a keyword or an attribute.
        let adjoint = if input.peek(syn::Ident) {
            word(input, "adjoint")?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Option<Token![;]>>()?;
        Ok(Function {
            attrs,
            vis,
            name,
            element,
            batch,
            lengths,
            mode,
            fill,
            frame,
            pads,
            pads_span,
            adjoint,
        })
    }
}

/// Accepts one expression, which the compiler parses later. Commas are allowed only between the arguments of a type.
fn one_value(fill: TokenStream) -> syn::Result<TokenStream> {
    let (mut open, mut arrow) = (0usize, false);
    for token in fill.clone() {
        let TokenTree::Punct(punct) = token else { continue };
        match punct.as_char() {
            '<' => open += 1,
            '>' if !arrow => open = open.saturating_sub(1),
            sign if sign == ';' || sign == ',' && open == 0 => {
                return Err(syn::Error::new(punct.span(), "unexpected token"));
            }
            _ => {}
        }
        arrow = punct.as_char() == '-' && punct.spacing() == Spacing::Joint;
    }
    Ok(fill)
}

impl Parse for Pads {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Bracket) {
            return Err(input.error("write the pads of an axis as `[low, high]`"));
        }
        let numbers;
        let brackets = bracketed!(numbers in input);
        let numbers = Punctuated::<Integer, Token![,]>::parse_terminated(&numbers)?.into_iter().collect();
        Ok(Pads { numbers, span: brackets.span.join() })
    }
}

impl Parse for Integer {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Integer { sign: input.parse()?, digits: digits(input)? })
    }
}

/// Parses a number without a sign, which a [`LitInt`] could have.
fn digits(input: ParseStream<'_>) -> syn::Result<LitInt> {
    if input.peek(Token![-]) {
        return Err(input.error("expected a number without this sign"));
    }
    let why = "lengths and pads are integer literals, because a macro cannot read constants";
    input.parse().map_err(|_| input.error(why))
}

impl ToTokens for Integer {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.sign.to_tokens(tokens);
        self.digits.to_tokens(tokens);
    }
}

/// Parses `name: [item, item];`.
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
