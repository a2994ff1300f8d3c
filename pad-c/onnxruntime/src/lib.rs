//! The operator `Pad` of the domain `pad_kernels`, for onnxruntime. It runs on the C interface of pad-kernels.
//!
//! Inputs and `mode` are those of ONNX Pad 25. The attribute `interior` adds one count per axis, as XLA's padding has it.
#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod node;
#[expect(unsafe_code, reason = "onnxruntime and pad-c are called through pointers")]
mod ort;
