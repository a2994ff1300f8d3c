//! Elements are moved as bits: nothing is normalised, rounded, or taken for another value of the same meaning.

use pad_kernels::dialect::{Dialect, torch};
use pad_kernels::{
    AxisPad, DType, Fill, PadMode, PadPlan, PadSpec, Strides, kernels::Isa, pad, tensor::ElementSize,
};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles;

/// Runs a plan on every kernel there is for it; all agree.
fn run(plan: &PadPlan, src: &[u8]) -> Vec<u8> {
    let mut results = Vec::new();
    let mut plans: Vec<_> = Isa::ALL.iter().filter_map(|&isa| plan.with_isa(isa).ok()).collect();
    plans.push(plan.with_generic_kernel());
    for plan in plans {
        for junk in [0x00, 0xff] {
            let mut dst = vec![junk; plan.output_bytes()];
            plan.run_bytes(src, &mut dst).expect("lengths are right");
            results.push(dst);
        }
    }
    let first = results.remove(0);
    assert!(results.iter().all(|result| *result == first), "{results:02x?}, not {first:02x?}");
    first
}

/// Little-endian bits of `bytes` bytes in native order, as many times as a type has parts.
fn native(bits: u64, bytes: usize) -> Vec<u8> {
    let all = bits.to_le_bytes();
    let mut element = all[..bytes].to_vec();
    if cfg!(target_endian = "big") {
        element.reverse();
    }
    element
}

/// The floats with NaNs of their own: name, bytes of a part, parts, and bit patterns that arithmetic would change.
fn floats() -> Vec<(DType, Vec<Vec<u8>>)> {
    // Minus zero, quiet and signalling NaNs with payloads, of both signs, subnormals, infinities.
    let patterns = |exponent: u32, mantissa: u32| {
        let top = 1u64 << (exponent + mantissa);
        let infinity = ((1u64 << exponent) - 1) << mantissa;
        let quiet = infinity | 1 << (mantissa - 1);
        [top, infinity, top | infinity, quiet, top | quiet | 5, infinity | 1, top | infinity | 3, 1, top | 1]
    };
    let of = |bytes: usize, patterns: [u64; 9]| patterns.map(|bits| native(bits, bytes)).to_vec();
    let pairs = |parts: &[Vec<u8>]| {
        let mut others = parts.to_vec();
        others.rotate_left(4);
        parts.iter().zip(others).map(|(re, im)| [re.clone(), im].concat()).collect::<Vec<_>>()
    };
    let (f16, bf16) = (of(2, patterns(5, 10)), of(2, patterns(8, 7)));
    let (f32, f64) = (of(4, patterns(8, 23)), of(8, patterns(11, 52)));
    vec![
        (DType::C64, pairs(&f32)),
        (DType::C128, pairs(&f64)),
        (DType::F16, f16),
        (DType::BF16, bf16),
        (DType::F32, f32),
        (DType::F64, f64),
    ]
}

#[test]
fn bit_patterns_of_floats_survive_as_data() {
    for (dtype, elements) in floats() {
        let data = elements.concat();
        let n = elements.len();
        for mode in PadMode::ALL {
            let spec = PadSpec::new(mode, [AxisPad::new(5, 4)]);
            let plan = PadPlan::for_dtype(&spec, &[n], dtype).expect("valid");
            let out = run(&plan, &data);
            let size = elements[0].len();
            assert_eq!(out[5 * size..][..data.len()], data, "{dtype} {mode}");
            let first = &out[..size];
            match mode {
                PadMode::Constant => assert!(first.iter().all(|&byte| byte == 0), "{dtype}"),
                PadMode::Edge => assert_eq!(first, elements[0], "{dtype}"),
                PadMode::Reflect => assert_eq!(first, elements[5], "{dtype}"),
                PadMode::Symmetric => assert_eq!(first, elements[4], "{dtype}"),
                PadMode::Wrap => assert_eq!(first, elements[n - 5], "{dtype}"),
            }
        }
    }
}

/// Of a fill that is all zero bits nothing need be written over fresh memory. Minus zero equals zero and is not it.
#[test]
fn bit_patterns_of_floats_survive_as_fill() {
    for (dtype, elements) in floats() {
        for fill in &elements {
            for interior in [0, 1, 2] {
                let axes = [AxisPad { low: 3, high: 70, interior }];
                let spec = PadSpec::new(PadMode::Constant, axes).with_fill(Fill::from_bytes(dtype, fill));
                let plan = PadPlan::for_dtype(&spec, &[2], dtype).expect("valid");
                let data = vec![0x11; 2 * fill.len()];
                let out = run(&plan, &data);
                let last = 3 + 1 + interior as usize;
                for (i, element) in out.chunks_exact(fill.len()).enumerate() {
                    let want = if i == 3 || i == last { &data[..fill.len()] } else { fill };
                    assert_eq!(element, want, "{dtype} {i} {interior}");
                }
            }
        }
    }
}

#[test]
fn typed_floats_keep_their_bits() {
    let bits = [0x7fa0_0001u32, 0xffc0_1234, 0x8000_0000, 0x7f80_0000];
    let src = bits.map(f32::from_bits);
    let spec = PadSpec::constant([(2, 1)], f32::from_bits(0xff80_0007));
    let out = pad(&src, &[4], &spec).expect("valid");
    let got: Vec<u32> = out.iter().map(|value| value.to_bits()).collect();
    assert_eq!(got, [0xff80_0007, 0xff80_0007, bits[0], bits[1], bits[2], bits[3], 0xff80_0007]);

    let bits = [0x7ff4_0000_0000_0001u64, 0x8000_0000_0000_0000];
    let out = pad(&bits.map(f64::from_bits), &[2], &PadSpec::new(PadMode::Wrap, [(1, 1)])).expect("valid");
    let got: Vec<u64> = out.iter().map(|value| value.to_bits()).collect();
    assert_eq!(got, [bits[1], bits[0], bits[1], bits[0]]);
}

/// With debug assertions a vector of a mebibyte and more is taken zeroed from the system if the fill is zero; minus zero is
/// not.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn minus_zero_fill_of_a_long_output_is_written() {
    for (fill, high) in [(-0.0f64, 1 << 18), (0.0, 1 << 18), (f64::NAN, 1 << 18)] {
        let out = pad(&[1.5f64], &[1], &PadSpec::constant([(0, high)], fill)).expect("valid");
        assert_eq!(out[0].to_bits(), 1.5f64.to_bits());
        assert!(out[1..].iter().all(|value| value.to_bits() == fill.to_bits()), "{fill}");
    }
}

#[test]
fn integers_beyond_what_floats_hold() {
    for fill in [(1i64 << 53) + 1, i64::MAX, i64::MIN, i64::MIN + 1, -1] {
        let src = [(1i64 << 53) + 3, -((1 << 53) + 1)];
        let out = pad(&src, &[2], &PadSpec::constant([AxisPad { low: 1, high: 1, interior: 1 }], fill));
        assert_eq!(out, Ok(vec![fill, src[0], fill, src[1], fill]));
    }
    let big = (1u64 << 63) + 1;
    assert_eq!(pad(&[big - 2], &[1], &PadSpec::constant([(1, 1)], big)), Ok(vec![big, big - 2, big]));
    let huge = (1u128 << 100) + 1;
    assert_eq!(pad(&[huge], &[1], &PadSpec::constant([(0, 1)], huge + 1)), Ok(vec![huge, huge + 1]));
    assert_eq!(pad(&[16_777_217i32], &[1], &PadSpec::new(PadMode::Edge, [(1, 0)])), Ok(vec![16_777_217; 2]));
}

/// A fill that has the same byte everywhere, or nearly, is the one that a byte-wise fill is for.
#[test]
fn fills_that_look_uniform() {
    for fill in [[7, 7, 7, 7], [7, 7, 7, 8], [8, 7, 7, 7], [0, 0, 0, 1], [0x80, 0, 0, 0], [0; 4]] {
        for high in [1, 15, 16, 17, 40, 300] {
            let out = pad(&[[1u8; 4]], &[1], &PadSpec::constant([(2, high)], fill)).expect("valid");
            assert_eq!(out[2], [1; 4]);
            assert!(out.iter().enumerate().all(|(i, &element)| i == 2 || element == fill), "{fill:?} {high}");
        }
    }
}

/// Types of the same width are moved alike, whatever they mean.
#[test]
fn types_of_a_width_agree() {
    for width in [1, 2, 4, 8, 16] {
        let kinds: Vec<Kind> = (DType::ALL.iter().copied())
            .filter(|dtype| dtype.element_size() == ElementSize::Bytes(width) && *dtype != DType::Bool)
            .map(Kind::Tagged)
            .chain([Kind::Raw(width)])
            .collect();
        for mode in PadMode::ALL {
            let outputs: Vec<_> = kinds
                .iter()
                .map(|&kind| {
                    let axes = [AxisPad::new(2, 1), AxisPad { low: 3, high: 4, interior: 1 }];
                    let fill = Some((0..width).map(|i| 0xf0 | i as u8).collect());
                    let case = Case { fill, paint: 11, ..Case::new(kind, mode, [3, 5], axes) };
                    run(&case.plan().expect("valid"), &case.data())
                })
                .collect();
            assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "{width} {mode}");
        }
    }
}

// Packed types.

const PACKED: [DType; 5] = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];

fn bits_of(dtype: DType) -> usize {
    match dtype.element_size() {
        ElementSize::Bits(bits) => bits,
        _ => unreachable!("a packed type"),
    }
}

/// Elements of a byte each.
fn unpack(data: &[u8], bits: usize, n: usize) -> Vec<u8> {
    (0..n).map(|i| data[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1)).collect()
}

fn pack(elements: &[u8], bits: usize) -> Vec<u8> {
    let mut data = vec![0; (elements.len() * bits).div_ceil(8)];
    for (i, &element) in elements.iter().enumerate() {
        data[i * bits / 8] |= element << (i * bits % 8);
    }
    data
}

/// Lengths and borders of all remainders, so that rows begin and end at every place in a byte.
fn packed_cases(rank: usize) -> Vec<(Vec<usize>, Vec<AxisPad>)> {
    let axes: &[(usize, AxisPad)] = &match rank {
        1 => {
            let mut axes = Vec::new();
            for length in 1..=9 {
                for low in -4..=5 {
                    for high in -4..=5 {
                        for interior in 0..=2 {
                            axes.push((length, AxisPad { low, high, interior }));
                        }
                    }
                }
            }
            axes
        }
        _ => [
            (2, 0, 0, 0),
            (3, 0, 0, 0),
            (3, 1, 0, 0),
            (2, 0, 1, 0),
            (5, 2, 3, 0),
            (4, -1, 0, 0),
            (3, 0, 0, 1),
        ]
        .map(|(length, low, high, interior)| (length, AxisPad { low, high, interior }))
        .to_vec(),
    };
    let mut cases = vec![(Vec::new(), Vec::new())];
    for _ in 0..rank {
        cases = cases
            .iter()
            .flat_map(|(shape, pads)| {
                axes.iter().map(move |&(length, pad)| {
                    ([shape.clone(), vec![length]].concat(), [pads.clone(), vec![pad]].concat())
                })
            })
            .collect();
    }
    cases
}

/// Every combination of odd and even offsets, in ranks 1 to 3: the same as elements of a byte each, packed; bits behind
/// the last element are zero in the output and make no difference in the input.
fn packed(rank: usize) {
    let mut ran = 0;
    for (i, (shape, axes)) in packed_cases(rank).into_iter().enumerate() {
        let n: usize = shape.iter().product();
        // Each type and mode meets each axis, if not each combination of them.
        let dtypes = if rank == 1 { &PACKED[..] } else { &[PACKED[i % 3], PACKED[3 + i % 2]] };
        for &dtype in dtypes {
            let bits = bits_of(dtype);
            let mask = (1u8 << bits) - 1;
            let elements: Vec<u8> = (0..n).map(|i| (i * 7 + 3) as u8 & mask).collect();
            let fill = mask ^ 0b10;
            let modes = if rank < 3 { &PadMode::ALL[..] } else { &PadMode::ALL[i % 5..][..1] };
            for &mode in modes {
                let spec = PadSpec::new(mode, &axes[..]);
                let wide = spec.clone().with_fill(fill);
                let Ok(wide) = pad(&elements, &shape, &wide) else { continue };
                // What stands in the unused bits of a packed fill does not matter either.
                let spec = spec.with_fill(Fill::from_bytes(dtype, &[fill | !mask]));
                let plan = PadPlan::for_dtype(&spec, &shape, dtype).expect("as for bytes");
                let mut data = pack(&elements, bits);
                let used = n * bits % 8;
                for tail in [0x00, 0xff] {
                    if used > 0 {
                        let last = data.len() - 1;
                        data[last] = data[last] & ((1 << used) - 1) | tail << used;
                    }
                    let out = run(&plan, &data);
                    assert_eq!(unpack(&out, bits, wide.len()), wide, "{dtype} {shape:?} {spec:?}");
                    assert_eq!(out, pack(&wide, bits), "{dtype} {shape:?} {spec:?}: the tail");
                    ran += 1;
                }
            }
        }
    }
    println!("rank {rank}: {ran}");
    assert!(ran > 400);
}

#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn packed_offsets_of_rank_1() {
    packed(1);
}

#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn packed_offsets_of_rank_2() {
    packed(2);
}

#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn packed_offsets_of_rank_3() {
    packed(3);
}

/// Units of a few bits are turned round whole, wherever in a byte they begin, and in whatever number.
#[test]
fn packed_units_are_turned_round_at_any_offset() {
    for (dtype, bits) in [(DType::U2, 2), (DType::U4, 4)] {
        for (mode, columns, offset) in [PadMode::Reflect, PadMode::Symmetric].into_iter().flat_map(|mode| {
            (1..=4).flat_map(move |columns| (0..8).map(move |offset| (mode, columns, offset)))
        }) {
            for mirrored in [9, 60, 300] {
                let spec = PadSpec::new(mode, [(mirrored, 0), (0, 0)]);
                let plan = PadPlan::for_dtype(&spec, &[400, columns], dtype).expect("valid");
                let output = Strides::new(offset, [columns as isize, 1]);
                let plan = plan.with_strides(&Strides::row_major(&[400, columns]), &output).expect("room");
                let src: Vec<u8> =
                    (0..(400 * columns * bits).div_ceil(8)).map(|i| (i * 37 + i / 7 + 1) as u8).collect();
                let len = ((plan.output_len() + offset) * bits).div_ceil(8);
                let mut want = vec![0x5a; len];
                plan.with_generic_kernel().run_bytes(&src, &mut want).expect("lengths are right");
                let mut got = vec![0x5a; len];
                plan.run_bytes(&src, &mut got).expect("lengths are right");
                assert!(
                    got == want,
                    "{mode} {dtype}: {columns} columns from {offset} on, {mirrored} mirrored"
                );
            }
        }
    }
}

/// Where all offsets are whole bytes, a packed plan is one of bytes.
#[test]
fn packed_offsets_of_whole_bytes_use_the_kernels_of_bytes() {
    let axes = [AxisPad::new(1, 2), AxisPad::new(4, 2)];
    let case =
        Case { fill: Some(vec![9]), ..Case::new(Kind::Tagged(DType::U4), PadMode::Constant, [3, 8], axes) };
    let plan = case.plan().expect("valid");
    assert_eq!(plan.kernel().map(|row| row.dtype()), Some(None));
    oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

#[test]
fn round_trip_of_typed_bytes() {
    let values = [1.5f32, -0.0, f32::NAN];
    let bytes = bytemuck::cast_slice::<_, u8>(&values).to_vec();
    assert_eq!(bytemuck::cast_slice::<_, u8>(&oracles::elements::<f32>(&bytes)), bytes);
}

/// With debug assertions new vectors of a MiB and more begin as zeroed pages, if and only if every bit of the fill is zero.
#[test]
#[cfg_attr(miri, ignore = "a MiB is too long for it")]
fn large_new_vectors_hold_their_fill() {
    for fill in [0.0f32, -0.0, 1.5, f32::from_bits(0x7fc0_0100), f32::from_bits(0x0000_0001)] {
        let spec = PadSpec::new(PadMode::Constant, [(1 << 17, 1 << 17)]).with_fill(fill);
        let padded = pad(&[2.5f32], &[1], &spec).expect("a valid request");
        let (before, behind) = padded.split_at(1 << 17);
        assert_eq!(behind[0], 2.5);
        let others = before.iter().chain(&behind[1..]);
        assert_eq!(others.filter(|value| value.to_bits() != fill.to_bits()).count(), 0, "{fill:?}");
    }
}

/// Numbers become elements as IEEE 754 rounds them: doubles not at all, the others to the nearest, ties to even.
#[test]
fn numbers_become_elements_exactly() {
    let fill = |number: f64, dtype| {
        let call = torch::Pad::new(&[1, 0]).value(number);
        call.pad_bytes(&[0; 16][..dtype_bytes(dtype)], &[1], dtype).expect("a valid call")
            [..dtype_bytes(dtype)]
            .to_vec()
    };
    fn dtype_bytes(dtype: DType) -> usize {
        if dtype == DType::F64 { 8 } else { 2 }
    }
    assert_eq!(fill(0.1, DType::F64), 0.1f64.to_ne_bytes());
    assert_eq!(fill(-0.0, DType::F64), (-0.0f64).to_ne_bytes());
    for (number, bits) in [(-0.0, 0x8000u16), (1.0 + 1.0 / 2048.0, 0x3c00), (1.0 + 3.0 / 2048.0, 0x3c02)] {
        assert_eq!(fill(number, DType::F16), bits.to_ne_bytes(), "{number}");
    }
}
