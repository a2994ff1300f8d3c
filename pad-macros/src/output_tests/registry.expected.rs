// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

/// All kernels, sorted by instruction set, rank, mode and element.
pub(super) static REGISTRY: &[PadKernel] = &[
    PadKernel {
        name: "r1_wrap_u8_portable",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: Some(DType::U8),
        unit: Unit::Bytes(1usize),
        isa: Isa::Portable,
        entry: Entry::Bytes(r1_portable::bytes1),
    },
    PadKernel {
        name: "r1_wrap_bytes1_portable",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::Bytes(1usize),
        isa: Isa::Portable,
        entry: Entry::Bytes(r1_portable::bytes1),
    },
    PadKernel {
        name: "r1_wrap_bytes_portable",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::AnyBytes,
        isa: Isa::Portable,
        entry: Entry::Bytes(r1_portable::bytes),
    },
    PadKernel {
        name: "r1_wrap_u4_portable",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: Some(DType::U4),
        unit: Unit::Bits,
        isa: Isa::Portable,
        entry: Entry::Packed(r1_portable::bits),
    },
    PadKernel {
        name: "r1_wrap_string_portable",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: Some(DType::String),
        unit: Unit::Value,
        isa: Isa::Portable,
        entry: Entry::Cloned,
    },
    #[cfg(
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )]
    PadKernel {
        name: "r1_wrap_u8_neon",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: Some(DType::U8),
        unit: Unit::Bytes(1usize),
        isa: Isa::Neon,
        entry: Entry::Bytes(r1_neon::bytes1),
    },
    #[cfg(
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )]
    PadKernel {
        name: "r1_wrap_bytes1_neon",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::Bytes(1usize),
        isa: Isa::Neon,
        entry: Entry::Bytes(r1_neon::bytes1),
    },
    #[cfg(
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )]
    PadKernel {
        name: "r1_wrap_bytes_neon",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::AnyBytes,
        isa: Isa::Neon,
        entry: Entry::Bytes(r1_neon::bytes),
    },
];
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
        #[cfg(
            all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            )
        )]
        Isa::Neon => (0 + 5usize, 3usize),
        #[allow(unreachable_patterns, reason = "on the architecture that has them all")]
        _ => return None,
    };
    let mode = match mode {
        PadMode::Wrap => 0usize,
    };
    let element = match (dtype, unit) {
        (Some(DType::U8), Unit::Bytes(1usize)) => 0usize,
        (_, Unit::Bytes(1usize)) => 1usize,
        (_, Unit::AnyBytes) => 2usize,
        (Some(DType::U4), Unit::Bits) => 3usize,
        (Some(DType::String), Unit::Value) => 4usize,
        _ => return None,
    };
    let found = (1..=1usize).contains(&rank) && element < elements;
    found.then(|| first + ((rank - 1) * 1usize + mode) * elements + element)
}
