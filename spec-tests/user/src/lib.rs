//! Functions for the layers, tiles and frames of well-known programs.
//!
//! CI measures how long this crate takes to compile.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use padding::fixed_pad;

/// Returns the fill. Its name must not clash with names that the macro uses.
pub const fn nest() -> u8 {
    9
}

/// A pixel.
pub type Rgb = [u8; 3];

fixed_pad! {
    pub fn resnet_0(f32; [3, 224, 224]) = constant(0.0) { [0, 0], [3, 3], [3, 3] }
    pub fn resnet_1(f32; [64, 56, 56]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn resnet_2(f32; [128, 28, 28]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn resnet_3(f32; [256, 14, 14]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn resnet_4(f32; [512, 7, 7]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn vgg_0(f32; [3, 224, 224]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn vgg_1(f32; [64, 112, 112]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn vgg_2(f32; [128, 56, 56]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn vgg_3(f32; [256, 28, 28]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn vgg_4(f32; [512, 14, 14]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
    pub fn mobile_0(f32; [224, 224, 3]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_1(f32; [112, 112, 32]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_2(f32; [112, 112, 96]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_3(f32; [56, 56, 144]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_4(f32; [28, 28, 192]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_5(f32; [14, 14, 384]) = constant(0.0) { [0, 1], [0, 1], [0, 0] }
    pub fn mobile_6(f32; [7, 7, 960]) = constant(0.0) { [1, 1], [1, 1], [0, 0] }
    pub fn tile_16(u8; [16, 16, 3]) = reflect { [2, 2], [2, 2], [0, 0] }
    pub fn tile_edge_16([u8; 3]; [.., 16, 16]) = edge { [1, 1], [1, 1] }
    pub fn tile_32(u8; [32, 32, 3]) = reflect { [2, 2], [2, 2], [0, 0] }
    pub fn tile_edge_32([u8; 3]; [.., 32, 32]) = edge { [1, 1], [1, 1] }
    pub fn tile_64(u8; [64, 64, 3]) = reflect { [2, 2], [2, 2], [0, 0] }
    pub fn tile_edge_64([u8; 3]; [.., 64, 64]) = edge { [1, 1], [1, 1] }
    pub fn tile_128(u8; [128, 128, 3]) = reflect { [2, 2], [2, 2], [0, 0] }
    pub fn tile_edge_128([u8; 3]; [.., 128, 128]) = edge { [1, 1], [1, 1] }
    pub fn frame_400(f32; [400]) = reflect { [200, 200] } adjoint frame_gradient
    pub fn causal_400(f32; [.., 400]) = constant { [3, 0] } adjoint causal_gradient
    pub fn frame_512(f32; [512]) = reflect { [256, 256] }
    pub fn causal_512(f32; [.., 512]) = constant { [3, 0] }
    pub fn frame_1024(f32; [1024]) = reflect { [512, 512] }
    pub fn causal_1024(f32; [.., 1024]) = constant { [3, 0] }
    pub fn frame_2048(f32; [2048]) = reflect { [1024, 1024] }
    pub fn causal_2048(f32; [.., 2048]) = constant { [3, 0] }
    pub fn wrap_8(f64; [8, 8, 8]) = wrap { [1, 1], [1, 1], [1, 1] }
    pub fn apart_8(i16; [16, 8, 8]) = constant(-1) { [0, 0], [1, 1, 1], [1, 1, 1] }
    pub fn crop_8(u64; [4, 8, 8]) = symmetric cropped { [0, 0], [-1, 2], [-2, 1] }
    pub fn wrap_16(f64; [16, 16, 16]) = wrap { [1, 1], [1, 1], [1, 1] } adjoint wrap_gradient
    pub fn apart_16(i16; [16, 16, 16]) = constant(-1) { [0, 0], [1, 1, 1], [1, 1, 1] }
    pub fn crop_16(u64; [4, 16, 16]) = symmetric cropped { [0, 0], [-1, 2], [-2, 1] }
    pub fn wrap_32(f64; [32, 32, 32]) = wrap { [1, 1], [1, 1], [1, 1] }
    pub fn apart_32(i16; [16, 32, 32]) = constant(-1) { [0, 0], [1, 1, 1], [1, 1, 1] }
    pub fn crop_32(u64; [4, 32, 32]) = symmetric cropped { [0, 0], [-1, 2], [-2, 1] }
    pub fn video(f32; [16, 5, 30, 52]) = edge { [0, 0], [2, 0], [1, 1], [1, 1] } adjoint video_gradient
    pub fn volume(i16; [8, 24, 24, 24]) = constant(-1024) { [0, 0], [1, 1], [1, 1], [1, 1] }
    pub fn mask(bool; [32, 300]) = constant(false) { [0, 0], [0, 212] }
    pub fn tokens(i64; [.., 300]) = constant { [0, 212] }
    pub fn cells(char; [9, 9]) = wrap { [4, 4], [4, 4] }
    pub fn tiny(f32; [3, 3]) = constant(0.0) { [1, 1], [1, 1] }
    pub fn scalar(f32; []) = constant(0.0) {  }
    pub fn pixels(Rgb; [4]) = symmetric { [9, 9] }
    fn mirrored(i32; [5, 5]) = reflect uncropped { [7, 7], [7, 7] }
}

/// Functions stand wherever items do, and constants of the caller in them.
pub fn framed() -> [u8; 9] {
    fixed_pad! {
        /// Documented, and inlined.
        #[inline]
        fn frame(u8; [1, 1]) = constant(nest()) { [1, 1], [1, 1] }
        #[cfg(any())]
        fn never(u8; [1]) = edge { [0, 0] }
    }
    let mut dst = [0; frame::OUTPUT_LEN];
    frame(&[1; frame::INPUT_LEN], &mut dst);
    dst
}

#[cfg(test)]
mod tests {
    extern crate std;

    use padding::{PadError, PadMode, PadPlan, PadSpec, pad, tensor::Operand};
    use std::vec::Vec;

    use super::*;

    fn data<const N: usize>() -> [f32; N] {
        core::array::from_fn(|i| i as f32 + 0.5)
    }

    #[test]
    fn layers_are_padded_as_by_a_plan() {
        let mut dst = [9.0; resnet_4::OUTPUT_LEN];
        resnet_4(&data(), &mut dst);
        let spec = PadSpec::constant([(0, 0), (1, 1), (1, 1)], 0.0f32);
        assert_eq!(pad(&data::<{ resnet_4::INPUT_LEN }>(), &resnet_4::INPUT_SHAPE, &spec), Ok(dst.to_vec()));
        assert_eq!(resnet_4::OUTPUT_SHAPE, [512, 9, 9]);
    }

    #[test]
    fn frames_are_padded_as_by_a_plan() {
        let mut dst = [9.0; frame_400::OUTPUT_LEN];
        frame_400(&data(), &mut dst);
        let spec = PadSpec::new(PadMode::Reflect, [(200, 200)]);
        assert_eq!(pad(&data::<400>(), &frame_400::INPUT_SHAPE, &spec), Ok(dst.to_vec()));
    }

    #[test]
    fn private_functions_have_constants_too() {
        let src: [i32; mirrored::INPUT_LEN] = core::array::from_fn(|i| i as i32);
        let mut dst = [-1; mirrored::OUTPUT_LEN];
        mirrored(&src, &mut dst);
        let spec = PadSpec::new(PadMode::Reflect, [(7, 7), (7, 7)]);
        assert_eq!(pad(&src, &[5, 5], &spec), Ok(dst.to_vec()));
    }

    #[test]
    fn any_number_of_items_is_a_batch() {
        for items in [0, 1, 3] {
            let src: Vec<_> = (0..items * causal_400::INPUT_LEN).map(|i| i as f32).collect();
            let mut dst = std::vec![9.0; items * causal_400::OUTPUT_LEN];
            assert_eq!(causal_400(&src, &mut dst), Ok(()));
            let spec = PadSpec::constant([(0, 0), (3, 0)], 0.0f32);
            assert_eq!(pad(&src, &[items, 400], &spec), Ok(dst));
        }
        let wrong = PadError::BatchLength { name: "src", item: 400, got: 401 };
        assert_eq!(causal_400(&[0.0; 401], &mut [0.0; 403]), Err(wrong));
        let wrong = PadError::Length { operand: Operand::Output, expected: 403, got: 400 };
        assert_eq!(causal_400(&[0.0; 400], &mut [0.0; 400]), Err(wrong));
    }

    #[test]
    fn gradients_are_those_of_a_plan() {
        let (grad, mut got, mut expected) = (data(), [9.0; 400], [8.0; frame_400::INPUT_LEN]);
        frame_gradient(&grad, &mut got);
        let spec = PadSpec::new(PadMode::Reflect, [(200, 200)]);
        let adjoint = PadPlan::new::<f32>(&spec, &[400]).and_then(|plan| plan.adjoint());
        assert_eq!(adjoint.and_then(|adjoint| adjoint.run(&grad, &mut expected)), Ok(()));
        assert_eq!(got, expected);

        let (grad, mut got) = (data::<{ 2 * causal_400::OUTPUT_LEN }>(), [9.0; 2 * causal_400::INPUT_LEN]);
        assert_eq!(causal_gradient(&grad, &mut got), Ok(()));
        assert!(got[..400] == grad[3..403] && got[400..] == grad[406..]);
        let wrong = PadError::BatchLength { name: "grad_out", item: 403, got: 404 };
        assert_eq!(causal_gradient(&[0.0; 404], &mut got), Err(wrong));
    }

    #[test]
    fn names_of_the_caller_are_not_taken() {
        assert_eq!(framed(), [9, 9, 9, 9, 1, 9, 9, 9, 9]);
    }
}
