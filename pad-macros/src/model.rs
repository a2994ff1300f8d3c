//! What was written as plain data: what is known to be right, ready to be expanded.

use proc_macro2::{Ident, TokenStream};
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

/// Kernels that move units of one width, and the element types that have it.
pub(crate) struct Width {
    pub(crate) name: Ident,
    /// `None` for any number.
    pub(crate) bytes: Option<usize>,
    pub(crate) dtypes: Vec<Ident>,
}

/// The functions of a `fixed_pad!`.
pub(crate) struct Functions {
    /// The path of `pad-kernels` where the macro was called.
    pub(crate) krate: TokenStream,
    pub(crate) functions: Vec<Function>,
}

/// A function for one shape.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) element: Type,
    /// The outermost axis is a number that is known at run time.
    pub(crate) batch: bool,
    pub(crate) mode: PadMode,
    pub(crate) frame: Frame,
    /// Low, high and interior of every axis.
    pub(crate) pads: Vec<(i64, i64, u64)>,
    pub(crate) fill: Fill,
    pub(crate) input: Vec<usize>,
    pub(crate) output: Vec<usize>,
    /// The axes that are left, outermost first; at least one.
    pub(crate) levels: Vec<Level>,
    /// Elements that the innermost of them moves at a time.
    pub(crate) unit: usize,
    pub(crate) adjoint: Option<Adjoint>,
}

/// The adjoint of a function.
pub(crate) struct Adjoint {
    pub(crate) name: Ident,
    /// The axes as folds, if the input and the output have elements.
    pub(crate) folds: Vec<Fold>,
}

/// What constant borders and gaps are made of.
pub(crate) enum Fill {
    /// This expression.
    Given(TokenStream),
    /// The type's zero.
    Zero,
    /// There is nothing to fill.
    Unneeded,
}

impl Function {
    /// Elements of the input.
    pub(crate) fn input_len(&self) -> usize {
        self.input.iter().product()
    }

    /// Elements of the output.
    pub(crate) fn output_len(&self) -> usize {
        self.output.iter().product()
    }
}

/// `PadMode` of `pad-kernels`, by name.
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

    pub(crate) fn name(self) -> &'static str {
        match self {
            PadMode::Constant => "constant",
            PadMode::Edge => "edge",
            PadMode::Reflect => "reflect",
            PadMode::Symmetric => "symmetric",
            PadMode::Wrap => "wrap",
        }
    }

    pub(crate) fn default_frame(self) -> Frame {
        if self == PadMode::Wrap { Frame::Cropped } else { Frame::Uncropped }
    }
}

/// `Frame` of `pad-kernels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Uncropped,
    Cropped,
}
