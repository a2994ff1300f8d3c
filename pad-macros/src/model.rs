//! The table as plain data: what is known to be right, ready to be expanded.

use proc_macro2::Ident;

/// The kernels to generate.
pub(crate) struct Table {
    pub(crate) ranks: usize,
    pub(crate) modes: Vec<Ident>,
    pub(crate) isas: Vec<Isa>,
    pub(crate) widths: Vec<Width>,
    pub(crate) packed: Vec<Ident>,
    pub(crate) cloned: Vec<Ident>,
}

/// An instruction set.
pub(crate) struct Isa {
    pub(crate) name: Ident,
    /// The architecture it exists on, and the features to compile with; none for the first.
    pub(crate) needs: Option<(String, String)>,
}

/// Kernels that move units of one width, and the element types that have it.
pub(crate) struct Width {
    pub(crate) name: Ident,
    /// `None` for any number.
    pub(crate) bytes: Option<usize>,
    pub(crate) dtypes: Vec<Ident>,
}
