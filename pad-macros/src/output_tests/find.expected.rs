// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

/// Returns the index in `REGISTRY` of a kernel of `isa`. If there is none for this type and unit, this is the
/// index of the kernel for the unit and any type. Returns `None` if `isa` has neither.
pub(crate) fn find(
    rank: usize,
    mode: PadMode,
    unit: Unit,
    dtype: Option<DType>,
    isa: Isa,
) -> Option<usize> {
    let (first, elements) = match isa {
        Isa::Portable => (0, 5usize),
        #[cfg(all(target_arch = "x86_64"))]
        Isa::Avx2 => (0 + 20usize, 3usize),
        #[allow(unreachable_patterns, reason = "on the architecture that has them all")]
        _ => return None,
    };
    let mode = match mode {
        PadMode::Constant => 0usize,
        PadMode::Wrap => 1usize,
    };
    let element = match (dtype, unit) {
        (Some(DType::U8), Unit::Bytes(1usize)) => 0usize,
        (_, Unit::Bytes(1usize)) => 1usize,
        (_, Unit::AnyBytes) => 2usize,
        (Some(DType::U4), Unit::Bits) => 3usize,
        (Some(DType::String), Unit::Value) => 4usize,
        _ => return None,
    };
    let found = (1..=2usize).contains(&rank) && element < elements;
    found.then(|| first + ((rank - 1) * 2usize + mode) * elements + element)
}
