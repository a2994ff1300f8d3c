//! Compares random functions of `fixed_pad!`, which `build.rs` generates, with the reference.

use anyhow::{Context as _, Result, ensure};
use arbitrary::Unstructured;
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
    /// The constants of the function: shape and number of elements of the input, and the same of the output.
    sizes: (&'static [usize], usize, &'static [usize], usize),
    run: Run,
    /// The adjoint of the function, if the type can be summed.
    adjoint: Option<Run>,
}

include!(concat!(env!("OUT_DIR"), "/fixed.rs"));

type Ran = Result<(), PadError>;

/// Runs a function on the bytes of its input and output.
type Run = fn(&[u8], &mut [u8]) -> Ran;

/// Converts a function of arrays to a function of slices.
fn once<T, const IN: usize, const OUT: usize>(
    function: fn(&[T; IN], &mut [T; OUT]),
) -> impl FnOnce(&[T], &mut [T]) -> Ran {
    move |src, dst| {
        let dst = dst.try_into().expect("the output's length");
        function(src.try_into().expect("the input's length"), dst);
        Ok(())
    }
}

fn cast<T: Pod>(function: impl FnOnce(&[T], &mut [T]) -> Ran, src: &[u8], dst: &mut [u8]) -> Ran {
    function(bytemuck::cast_slice(src), bytemuck::cast_slice_mut(dst))
}

/// Runs a function for a type such as `bool`, for which some bytes are not a valid value.
fn typed<T: Typed>(function: impl FnOnce(&[T], &mut [T]) -> Ran, src: &[u8], dst: &mut [u8]) -> Ran {
    let size = size_of::<T>();
    // The test runs with two different junk values, so elements that the function does not write are found.
    let junk = elements::<T>(&vec![u8::from(dst.first().is_some_and(|byte| *byte > 0x7f)); size])[0];
    let mut values = vec![junk; dst.len() / size];
    function(&elements(src), &mut values)?;
    dst.copy_from_slice(bytemuck::cast_slice(&values));
    Ok(())
}

impl Fixed {
    /// Runs the function on the data of its case, or on bytes from `drawn`, at every [`Place`] that the alignment allows.
    pub fn check(&self, drawn: Option<&mut Unstructured<'_>>) -> Result<()> {
        let case = (self.case)();
        let map = case.map().expect("a function was made of it");
        let shape = (case.shape.iter().product(), map.shape.iter().product());
        let right = (&case.shape[..], shape.0, &map.shape[..], shape.1);
        ensure!(self.sizes == right, "{case}: its constants are {:?}, not {right:?}", self.sizes);
        let mut items = if self.batch { 2 } else { 1 };
        let mut src = case.data().repeat(items);
        if let Some(u) = drawn {
            items = if self.batch { u.int_in_range(0..=3)? } else { 1 };
            src = case.data().repeat(items);
            u.fill_buffer(&mut src)?;
            if case.kind == Kind::Tagged(DType::Bool) {
                src.iter_mut().for_each(|byte| *byte &= 1);
            }
        }
        let output = |item| case.output(&map, item);
        let output = match case.kind.bytes(shape.0) {
            0 => output(&[]).repeat(items),
            item => src.chunks_exact(item).flat_map(output).collect(),
        };
        self.everywhere(&src, &output, self.run).with_context(|| format!("{case}, {items} items"))
    }

    /// Returns whether the function has an adjoint.
    pub fn has_adjoint(&self) -> bool {
        self.adjoint.is_some()
    }

    /// Runs the adjoint, if there is one, on random gradients at every [`Place`] that the alignment allows.
    pub fn check_adjoint(&self, seed: u64) -> Result<()> {
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
            // All NaNs count as equal.
            if question(0).same(dst, &expected) {
                dst.copy_from_slice(&expected);
            }
            Ok(())
        };
        self.everywhere(&grad, &expected, settled)
            .with_context(|| format!("the adjoint of {}, {items} items, seed {seed}", (self.case)()))
    }

    /// Calls `run` at every [`Place`] that the alignment allows, and compares the output.
    fn everywhere(&self, src: &[u8], output: &[u8], run: impl Fn(&[u8], &mut [u8]) -> Ran) -> Result<()> {
        for (junk, place) in Junk::twice(output).iter().flat_map(|junk| Place::ALL.map(|place| (junk, place)))
        {
            if place != Place::Odd || self.align == 1 {
                oracles::observe(place, junk, src, &run)?;
            }
        }
        Ok(())
    }

    /// Checks that a function of slices refuses wrong lengths and then writes nothing.
    pub fn refuses_other_lengths(&self) -> Result<()> {
        let case = (self.case)();
        let (input, output) = (self.sizes.1, self.sizes.3);
        // The function casts vectors of bytes, so the check runs only for types with an alignment of 1.
        if !self.batch || self.align > 1 {
            return Ok(());
        }
        use Operand::{Input, Output};
        let length = |operand, expected, got| PadError::Length { operand, expected, got };
        let gradient = |operand, expected, got| PadError::GradientLength { operand, expected, got };
        let batch = |name, item, got| PadError::BatchLength { name, item, got };
        // For each call: whether its lengths are wrong, the function, the lengths of source and destination, and the error.
        let less = (2 * input).saturating_sub(1);
        let (run, sums) = (self.run, self.adjoint.filter(|_| input > 0 && output > 1));
        let calls = [
            (input > 1, Some(run), input + 1, output, batch("src", input, input + 1)),
            (input > 1, Some(run), less, 2 * output, batch("src", input, less)),
            (input > 0, Some(run), 2 * input, 2 * output + 1, length(Output, 2 * output, 2 * output + 1)),
            (input == 0, Some(run), 1, output, length(Input, 0, 1)),
            (output > 1 && input > 0, Some(run), input, output + 1, length(Output, output, output + 1)),
            (output > 1 && input == 0, Some(run), 0, output + 1, batch("dst", output, output + 1)),
            (true, sums, output + 1, input, batch("grad_out", output, output + 1)),
            (true, sums, 2 * output, 2 * input + 1, gradient(Input, 2 * input, 2 * input + 1)),
        ];
        for (_, run, src, dst, error) in calls.into_iter().filter(|call| call.0) {
            let Some(run) = run else { continue };
            let (src, mut dst) = (vec![0; case.kind.bytes(src)], vec![0xee; case.kind.bytes(dst)]);
            let told = run(&src, &mut dst);
            let kept = dst.iter().all(|&byte| byte == 0xee);
            ensure!(told == Err(error) && kept, "{case}: {told:?}, not {error:?}");
        }
        Ok(())
    }
}
