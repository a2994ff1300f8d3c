//! Runs plans on memory. Only this module calls the kernels that copy elements.

/// Declares the methods of a plan that return the sizes of its tensors. The arguments name the input and the output, and end the
/// sentences about bytes.
macro_rules! tensor_sizes {
    ($plan:ty, $input:literal, $output:literal, $bytes:literal) => {
        impl $plan {
            #[doc = concat!("Returns the shape of the ", $input, ".")]
            pub fn input_shape(&self) -> &[usize] {
                &self.geometry.input.shape
            }

            #[doc = concat!("Returns the shape of the ", $output, ".")]
            pub fn output_shape(&self) -> &[usize] {
                &self.geometry.output.shape
            }

            #[doc = concat!("Returns the number of elements of the ", $input, ".")]
            pub fn input_len(&self) -> usize {
                self.geometry.input.len
            }

            #[doc = concat!("Returns the number of elements of the ", $output, ".")]
            pub fn output_len(&self) -> usize {
                self.geometry.output.len
            }

            #[doc = concat!("Returns the number of bytes of the ", $input, $bytes)]
            pub fn input_bytes(&self) -> usize {
                self.geometry.layout.bytes(self.geometry.input.len)
            }

            #[doc = concat!("Returns the number of bytes of the ", $output, $bytes)]
            pub fn output_bytes(&self) -> usize {
                self.geometry.output_bytes()
            }
        }
    };
}
pub(crate) use tensor_sizes;

// This module is first, so that the documentation lists how to make and run a plan before anything else.
mod pad;

mod adjoint;
#[cfg(feature = "ndarray")]
mod array;
mod borders;
mod display;
mod executor;
pub(crate) mod once;
#[cfg(feature = "rayon")]
mod parallel;
mod rows;
mod view;

pub use adjoint::AdjointPlan;
pub(crate) use adjoint::of_gradient;
pub use borders::BorderPlan;
pub use executor::Executor;
pub use pad::{PadPlan, STREAMING_THRESHOLD_BYTES, Streaming};
pub use rows::Rows;
