//! The checked input as plain data, from which `expand` generates code.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Attribute, Type, Visibility};

use crate::fold::Fold;
use crate::layout::Level;
pub(crate) use crate::parse::{Computation, Computed, Isa, Number, Sum, SumIsa, Sums};

/// The kernels to generate.
pub(crate) struct Table {
    pub(crate) ranks: usize,
    pub(crate) modes: Vec<Ident>,
    pub(crate) isas: Vec<Isa>,
    pub(crate) widths: Vec<Width>,
    pub(crate) packed: Vec<Ident>,
    pub(crate) cloned: Vec<Ident>,
}

/// A width of elements, and the element types of this width.
pub(crate) struct Width {
    pub(crate) name: Ident,
    /// The width in bytes, or `None` for any width.
    pub(crate) bytes: Option<usize>,
    pub(crate) dtypes: Vec<Ident>,
}

/// The functions of a `fixed_pad!` call.
pub(crate) struct Functions {
    /// The path of `pad-kernels` in the crate that calls the macro.
    pub(crate) krate: TokenStream,
    pub(crate) functions: Vec<Function>,
}

/// A function for one shape.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) element: Type,
    /// True if the function pads a batch, whose length is known at run time.
    pub(crate) batch: bool,
    pub(crate) mode: PadMode,
    pub(crate) frame: Frame,
    /// The low, high and interior widths of every axis.
    pub(crate) pads: Vec<(i64, i64, u64)>,
    pub(crate) fill: Fill,
    pub(crate) input: Vec<usize>,
    pub(crate) output: Vec<usize>,
    /// The merged axes, the outermost first. There is at least one.
    pub(crate) levels: Vec<Level>,
    /// The number of elements in a copy unit of the innermost axis.
    pub(crate) unit: usize,
    pub(crate) adjoint: Option<Adjoint>,
}

/// The adjoint of a function.
pub(crate) struct Adjoint {
    pub(crate) name: Ident,
    /// A fold per merged axis.
    pub(crate) folds: Vec<Fold>,
}

/// The fill of constant borders and of interior padding.
pub(crate) enum Fill {
    /// An expression that the caller wrote.
    Given(TokenStream),
    /// The zero of the element type. If there is none, the error points at the mode.
    Zero(Span),
    /// The output contains no fill.
    Unneeded,
}

impl Function {
    /// Returns the number of elements of the input.
    pub(crate) fn input_len(&self) -> usize {
        self.input.iter().product()
    }

    /// Returns the number of elements of the output.
    pub(crate) fn output_len(&self) -> usize {
        self.output.iter().product()
    }
}

/// A copy of the type `PadMode` of `pad-kernels`, on which this crate cannot depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PadMode {
    Constant,
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

impl PadMode {
    pub(crate) const ALL: [PadMode; 5] =
        [PadMode::Constant, PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap];

    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A copy of the type `Frame` of `pad-kernels`, on which this crate cannot depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Uncropped,
    Cropped,
}
