//! What a recorded case asks for.

use pad_kernels::{PadPlan, PadSpec};

use super::{Fault, spread, with_dialect};
use crate::rules::{Refused, Type};
use crate::vectors::Case;

/// What a case asks for by its dialect.
pub(super) struct Asked {
    pub(super) spec: PadSpec,
    pub(super) plan: Result<PadPlan, Fault>,
    /// What fills text if the case has no value.
    pub(super) text_fill: &'static str,
}

/// The request that a case comes to by its dialect. An error says whether the dialect refuses the case, or there is no such request.
pub fn request(case: &Case) -> Result<PadSpec, Refused> {
    let element = Type::from_name(&case.dtype).ok_or_else(|| Refused::Unknown("type".into()))?;
    let dtype = element.name().parse().map_err(|_| Refused::Unknown("type".into()))?;
    match spread(case).and_then(|case| with_dialect(&case, element, dtype)) {
        Ok(asked) => Ok(asked.spec),
        Err(Fault::Refused(rule)) => Err(Refused::Rule(rule)),
        Err(Fault::Unknown(what) | Fault::Broken(what)) => Err(Refused::Unknown(what)),
    }
}
