//! Tensors larger than memory.

use pad_kernels::{
    DType, PadError, PadMode, PadPlan,
    kernels::Isa,
    pad,
    tensor::{ElementSize, Operand},
};

use super::{plan_u8, refused, spec};

/// Half of the bits of a length: the same limits are met on every machine.
const HALF: u32 = usize::BITS / 2;

#[test]
fn output_larger_than_memory() {
    let big = 1 << (HALF - 1);
    let layout = ElementSize::Bytes(4);
    let spec = spec(PadMode::Edge, [(0, 1), (0, 0), (0, 0)]);
    let error = PadError::SizeOverflow { operand: Operand::Output, axis: 2, length: 4, element_size: layout };
    // The input is just small enough, one row more is not.
    let shape = [(1 << (HALF - 3)) - 1, big, 2];
    assert!(PadPlan::new::<u16>(&spec, &shape).is_ok());
    let shape = [(1 << (HALF - 4)) - 1, big, 4];
    refused(PadPlan::new::<u32>(&spec, &shape), error, &["output", "axis 2", "4", "bytes"]);
}

/// Whatever is counted while planning is counted for each of them: rows as long as memory, and as many.
#[test]
fn largest_outputs_have_plans_for_every_instruction_set() {
    let (most, mut plans) = (isize::MAX as usize, 0);
    for mode in PadMode::ALL {
        for shape in [
            [1, 1, most - 1],
            [1, most - 1, 1],
            [most - 1, 1, 1],
            [(1 << (HALF - 3)) - 1, 1 << (HALF - 1), 4],
        ] {
            for pads in [[(0, 0), (0, 0), (0, 1)], [(0, 0), (1, 0), (0, 0)], [(0, 0), (0, 1), (0, 1)]] {
                let Ok(plan) = plan_u8(&spec(mode, pads), &shape) else { continue };
                plans += 1;
                for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                    let forced = plan.with_isa(isa);
                    assert!(
                        forced.is_ok() || plan.kernel().is_none(),
                        "{mode:?} of {shape:?} by {pads:?}, {isa}"
                    );
                }
            }
        }
    }
    assert!(plans > 20, "{plans} plans");
}

#[test]
fn input_larger_than_memory() {
    let spec = spec(PadMode::Constant, [(0, 0), (0, 0), (0, -5)]);
    let length = 1 << (HALF - 1);
    let shape = [1 << HALF, length, 5];
    let error = PadError::SizeOverflow {
        operand: Operand::Input,
        axis: 1,
        length,
        element_size: ElementSize::Bytes(1),
    };
    refused(plan_u8(&spec, &shape), error, &["input", "axis 1", &length.to_string()]);
    // An empty axis does not excuse the others.
    let spec = self::spec(PadMode::Constant, [(0, 0), (0, 0), (0, 0)]);
    refused(
        plan_u8(&spec, &[0, 1 << HALF, length]),
        PadError::SizeOverflow {
            operand: Operand::Input,
            axis: 2,
            length,
            element_size: ElementSize::Bytes(1),
        },
        &["axis 2"],
    );
}

#[test]
fn packed_and_cloned_sizes_have_their_own_limits() {
    let spec = spec(PadMode::Constant, [(0, 0)]);
    let length = 1 << (usize::BITS - 3);
    let error = PadError::SizeOverflow {
        operand: Operand::Input,
        axis: 0,
        length,
        element_size: ElementSize::Bits(4),
    };
    refused(PadPlan::for_dtype(&spec, &[length], DType::U4), error, &["axis 0", "bits", "4 per element"]);
    assert!(PadPlan::for_dtype(&spec, &[length], DType::U2).is_ok());
    let two = self::spec(PadMode::Constant, [(0, 0), (0, 0)]);
    let error = PadError::SizeOverflow {
        operand: Operand::Input,
        axis: 1,
        length: 4,
        element_size: ElementSize::Cloned,
    };
    refused(PadPlan::for_dtype(&two, &[length, 4], DType::String), error, &["axis 1", "elements"]);
}

#[test]
fn memory_that_cannot_be_had() {
    // Valid, but more than any machine has, or with 32 bits more than is left when all else is taken.
    let spec = spec(PadMode::Constant, [(0, isize::MAX as i64 / 16)]);
    let plan = PadPlan::new::<f64>(&spec, &[1]).expect("a size that memory could have");
    let bytes = plan.output_bytes();
    let take = || {
        let mut taken: Vec<u8> = Vec::new();
        taken.try_reserve_exact(bytes).ok().map(|()| taken)
    };
    let taken: Vec<_> = std::iter::from_fn(take).collect();
    assert!(taken.len() < 8);
    refused(plan.to_vec(&[1.0]), PadError::OutOfMemory { bytes }, &[&bytes.to_string()]);
    refused(pad(&[1.0], &[1], &spec), PadError::OutOfMemory { bytes }, &["memory"]);
}

#[test]
fn sizes_that_no_widths_give() {
    use pad_kernels::pad_to::{AxisTo, PadTo};

    let resolve = |to: [AxisTo; 2], shape: &[usize]| PadTo::new(PadMode::Edge, to).resolve(shape);
    let error = PadError::LongerAxis { axis: 1, length: 700, target: 640 };
    let words = ["axis 1", "700", "640", "Longer::Crop"];
    refused(resolve([AxisTo::KEEP, 640.into()], &[3, 700]), error, &words);
    let error = PadError::ZeroMultiple { axis: 0 };
    refused(resolve([AxisTo::multiple(0), AxisTo::KEEP], &[3, 700]), error, &["axis 0", "multiple of 0"]);
    let (length, number) = (usize::MAX, 2);
    let error = PadError::MultipleOverflow { axis: 1, length, number };
    refused(resolve([3.into(), AxisTo::multiple(2)], &[3, length]), error, &["axis 1", &length.to_string()]);
    refused(resolve([3.into(), 3.into()], &[3]), PadError::AxisCount { spec: 2, shape: 1 }, &["2 axes"]);
}
