//! Compares random functions of `fixed_pad!`, which `build.rs` generates, with the reference.
#![forbid(unsafe_code)]

use arbitrary::{Result, Unstructured};
use bytemuck::Pod;
use num_complex::Complex;
use pad_kernels::{AxisPad, DType, Frame, PadError, PadMode, tensor::Operand};

use crate::adjoint::Question;
use crate::case::{Case, Kind, Typed, elements};
use crate::oracles::{self, Junk, Place};
use crate::views::Layout;

/// A function of `fixed_pad!` for one shape.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// Returns the request that the function performs. If it takes a batch, this is the request for one item.
    pub case: fn() -> Case,
    /// Whether the function takes a batch of any number of items.
    pub batch: bool,
    align: usize,
    /// The constants of the function: shape and number of elements of the input, then of the output.
    sizes: (&'static [usize], usize, &'static [usize], usize),
    run: Run,
    /// The adjoint of the function, if the type can be summed.
    adjoint: Option<Run>,
}

include!(concat!(env!("OUT_DIR"), "/fixed.rs"));

pub fn all() -> &'static [Fixed] {
    DRAWN
}

type Ran = std::result::Result<(), PadError>;

/// Runs a function on the bytes of its input and output.
type Run = fn(&[u8], &mut [u8]) -> Ran;

fn cast<T: Pod, const IN: usize, const OUT: usize>(
    function: fn(&[T; IN], &mut [T; OUT]),
    src: &[u8],
    dst: &mut [u8],
) -> Ran {
    let src = bytemuck::cast_slice(src).try_into().expect("the input's length");
    function(src, bytemuck::cast_slice_mut(dst).try_into().expect("the output's length"));
    Ok(())
}

fn cast_batch<T: Pod>(function: fn(&[T], &mut [T]) -> Ran, src: &[u8], dst: &mut [u8]) -> Ran {
    function(bytemuck::cast_slice(src), bytemuck::cast_slice_mut(dst))
}

/// Runs a function for a type such as `bool`, for which some bytes are not a valid value.
fn typed<T: Typed, const IN: usize, const OUT: usize>(
    function: fn(&[T; IN], &mut [T; OUT]),
    src: &[u8],
    dst: &mut [u8],
) -> Ran {
    typed_batch::<T>(
        |src, dst| {
            function(
                src.try_into().expect("the input's length"),
                dst.try_into().expect("the output's length"),
            );
            Ok(())
        },
        src,
        dst,
    )
}

fn typed_batch<T: Typed>(function: impl FnOnce(&[T], &mut [T]) -> Ran, src: &[u8], dst: &mut [u8]) -> Ran {
    let size = size_of::<T>();
    // The test runs with two different junk values, so elements that the function does not write are found.
    let junk = elements::<T>(&vec![u8::from(dst.first().is_some_and(|byte| *byte > 0x7f)); size])[0];
    let mut values = vec![junk; dst.len() / size];
    function(&elements(src), &mut values)?;
    dst.copy_from_slice(bytemuck::cast_slice(&values));
    Ok(())
}

impl Fixed {
    /// Runs the function on the data of its case, or on random bytes, at every [`Place`] that the alignment allows.
    pub fn check(&self, drawn: Option<&mut Unstructured<'_>>) -> Result<std::result::Result<(), String>> {
        let case = (self.case)();
        let map = case.map().expect("a function was made of it");
        let (items, data) = match drawn {
            None => (2, None),
            Some(u) => (u.int_in_range(0..=3)?, Some(u)),
        };
        let items = if self.batch { items } else { 1 };
        let mut src = case.data().repeat(items);
        if let Some(u) = data {
            u.fill_buffer(&mut src)?;
            if case.kind == Kind::Tagged(DType::Bool) {
                src.iter_mut().for_each(|byte| *byte &= 1);
            }
        }
        let output = |item| case.output(&map, item);
        let item = case.kind.bytes(self.sizes.1);
        let output = match item {
            0 => output(&[]).repeat(items),
            _ => src.chunks_exact(item).flat_map(output).collect(),
        };
        Ok(self.compare(&src, &output).map_err(|what| format!("{case}, {items} items\n{what}")))
    }

    /// Returns whether the function has an adjoint.
    pub fn has_adjoint(&self) -> bool {
        self.adjoint.is_some()
    }

    /// Runs the adjoint, if there is one, on random gradients at every [`Place`] that the alignment allows.
    pub fn check_adjoint(&self, seed: u64) -> std::result::Result<(), String> {
        let Some(run) = self.adjoint else { return Ok(()) };
        let items = if self.batch { seed % 4 } else { 1 };
        let question = |item| {
            let (case, seed) = ((self.case)(), seed.wrapping_add(item));
            Question { layout: Layout::whole(self.sizes.2), case, seed }
        };
        let (grad, expected): (Vec<_>, Vec<_>) = (0..items).map(|item| question(item).gradients()).unzip();
        let (grad, expected) = (grad.concat(), expected.concat());
        let settled = |src: &[u8], dst: &mut [u8]| {
            run(src, dst)?;
            // Any NaN is right.
            if question(0).same(dst, &expected) {
                dst.copy_from_slice(&expected);
            }
            Ok(())
        };
        self.everywhere(&grad, &expected, settled)
            .map_err(|what| format!("the adjoint of {}, {items} items, seed {seed}\n{what}", (self.case)()))
    }

    /// Calls `run` at every [`Place`] that the alignment allows, and compares the output.
    fn everywhere(
        &self,
        src: &[u8],
        output: &[u8],
        run: impl Fn(&[u8], &mut [u8]) -> Ran,
    ) -> std::result::Result<(), String> {
        for (junk, place) in Junk::twice(output).iter().flat_map(|junk| Place::ALL.map(|place| (junk, place)))
        {
            if place != Place::Odd || self.align == 1 {
                oracles::observe(place, junk, src, &run)?;
            }
        }
        Ok(())
    }

    fn compare(&self, src: &[u8], output: &[u8]) -> std::result::Result<(), String> {
        let case = (self.case)();
        let map = case.map().expect("a function was made of it");
        let shape = (case.shape.iter().product(), map.shape.iter().product());
        if self.sizes != (&case.shape, shape.0, &map.shape, shape.1) {
            return Err(format!("its constants are {:?}, not {shape:?} of {:?}", self.sizes, map.shape));
        }
        self.everywhere(src, output, self.run)
    }

    /// Checks that a function of slices refuses wrong lengths and then writes nothing.
    pub fn refuses_other_lengths(&self) -> std::result::Result<(), String> {
        let case = (self.case)();
        let (input, output) = (self.sizes.1, self.sizes.3);
        let call = |run: Run, src: usize, dst: usize, error: PadError| {
            let (src, mut dst) = (vec![0; case.kind.bytes(src)], vec![0xee; case.kind.bytes(dst)]);
            // The function casts vectors of bytes, so the check runs only for types with an alignment of 1.
            let told = run(&src, &mut dst);
            match told {
                Err(told) if told == error && dst.iter().all(|&byte| byte == 0xee) => Ok(()),
                _ => Err(format!("{case}: {told:?}, not {error:?}")),
            }
        };
        let refused = |src: usize, dst: usize, operand: Operand, expected: usize, got: usize| {
            call(self.run, src, dst, PadError::Length { operand, expected, got })
        };
        if !self.batch || self.align > 1 {
            return Ok(());
        }
        if input > 1 {
            refused(input + 1, output, Operand::Input, 2 * input, input + 1)?;
            refused(2 * input - 1, 2 * output, Operand::Input, 2 * input, 2 * input - 1)?;
        }
        if input > 0 {
            refused(2 * input, 2 * output + 1, Operand::Output, 2 * output, 2 * output + 1)?;
        } else {
            refused(1, output, Operand::Input, 0, 1)?;
        }
        if output > 1 {
            let expected = if input > 0 { output } else { 2 * output };
            refused(input, output + 1, Operand::Output, expected, output + 1)?;
        }
        if let (Some(run), 2.., 1..) = (self.adjoint, output, input) {
            let error = |operand, expected, got| PadError::GradientLength { operand, expected, got };
            call(run, output + 1, input, error(Operand::Output, 2 * output, output + 1))?;
            call(run, 2 * output, 2 * input + 1, error(Operand::Input, 2 * input, 2 * input + 1))?;
        }
        Ok(())
    }
}
