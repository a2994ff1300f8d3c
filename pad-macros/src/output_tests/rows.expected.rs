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
    #[cfg(all(target_arch = "x86_64"))]
    PadKernel {
        name: "r1_wrap_u8_avx2",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: Some(DType::U8),
        unit: Unit::Bytes(1usize),
        isa: Isa::Avx2,
        entry: Entry::Bytes(r1_avx2::bytes1),
    },
    #[cfg(all(target_arch = "x86_64"))]
    PadKernel {
        name: "r1_wrap_bytes1_avx2",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::Bytes(1usize),
        isa: Isa::Avx2,
        entry: Entry::Bytes(r1_avx2::bytes1),
    },
    #[cfg(all(target_arch = "x86_64"))]
    PadKernel {
        name: "r1_wrap_bytes_avx2",
        rank: 1usize,
        mode: PadMode::Wrap,
        dtype: None,
        unit: Unit::AnyBytes,
        isa: Isa::Avx2,
        entry: Entry::Bytes(r1_avx2::bytes),
    },
];
