//! Every entry of the library that takes elements of a Rust type, against the bytes that the reference gives.
#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use pad_kernels::{DType, Element, PadError, PadPlan, pad, pad_into};

use crate::case::{Case, Kind};

/// An element that can be made of bytes and taken apart again.
pub trait Typed: Element {
    /// The value of these bytes, which are one of its own.
    fn of(bytes: &[u8]) -> Self;

    /// Its bytes.
    fn to(&self) -> Vec<u8>;
}

macro_rules! typed {
    ($($type:ty),*) => {$(
        impl Typed for $type {
            fn of(bytes: &[u8]) -> Self {
                <$type>::from_ne_bytes(bytes.try_into().expect("one element"))
            }

            fn to(&self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        }
    )*};
}
typed!(f32, f64, i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

impl Typed for bool {
    fn of(bytes: &[u8]) -> Self {
        assert!(matches!(bytes, [0 | 1]), "a bool");
        bytes == [1]
    }

    fn to(&self) -> Vec<u8> {
        vec![u8::from(*self)]
    }
}

impl<const N: usize> Typed for [u8; N] {
    fn of(bytes: &[u8]) -> Self {
        bytes.try_into().expect("one element")
    }

    fn to(&self) -> Vec<u8> {
        self.to_vec()
    }
}

/// Elements of bytes.
pub fn elements<T: Typed>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::of).collect()
}

/// Bytes of elements.
pub fn bytes<T: Typed>(elements: &[T]) -> Vec<u8> {
    elements.iter().flat_map(T::to).collect()
}

/// Runs `case` through every typed entry, if there is a Rust type for it. `data` and `output` are the reference's.
///
/// # Errors
///
/// The entry that gave something else.
pub fn check(case: &Case, data: &[u8], output: &[u8]) -> Result<(), String> {
    match case.kind {
        Kind::Tagged(DType::F64) => check_as::<f64>(case, data, output),
        Kind::Tagged(DType::F32) => check_as::<f32>(case, data, output),
        Kind::Tagged(DType::I8) => check_as::<i8>(case, data, output),
        Kind::Tagged(DType::I16) => check_as::<i16>(case, data, output),
        Kind::Tagged(DType::I32) => check_as::<i32>(case, data, output),
        Kind::Tagged(DType::I64) => check_as::<i64>(case, data, output),
        Kind::Tagged(DType::U8) => check_as::<u8>(case, data, output),
        Kind::Tagged(DType::U16) => check_as::<u16>(case, data, output),
        Kind::Tagged(DType::U32) => check_as::<u32>(case, data, output),
        Kind::Tagged(DType::U64) => check_as::<u64>(case, data, output),
        Kind::Tagged(DType::Bool) => check_as::<bool>(case, data, output),
        Kind::Raw(1) => check_as::<[u8; 1]>(case, data, output),
        Kind::Raw(3) => check_as::<[u8; 3]>(case, data, output),
        Kind::Raw(12) => check_as::<[u8; 12]>(case, data, output),
        Kind::Raw(16) => check_as::<[u8; 16]>(case, data, output),
        Kind::Raw(33) => check_as::<[u8; 33]>(case, data, output),
        _ => Ok(()),
    }
}

fn check_as<T: Typed>(case: &Case, data: &[u8], output: &[u8]) -> Result<(), String> {
    let spec = case.spec();
    let src = elements::<T>(data);
    let plan = PadPlan::new::<T>(&spec, &case.shape).map_err(|error| format!("PadPlan::new: {error}"))?;
    if case.plan().as_ref() != Ok(&plan) {
        return Err(format!("the typed plan is another than the untyped one: {plan:?}"));
    }
    let same = |entry: &str, result: Result<Vec<T>, PadError>| match result {
        Err(error) => Err(format!("{entry}: {error}")),
        Ok(got) if bytes(&got) != output => Err(format!("{entry}: {:?}, not {output:?}", bytes(&got))),
        Ok(_) => Ok(()),
    };
    // 0 and 1 are values of every type.
    for junk in [0, 1] {
        let junk = vec![T::of(&vec![junk; size_of::<T>()]); plan.output_len()];
        for plan in [plan.clone(), plan.clone().with_generic_kernel()] {
            let mut dst = junk.clone();
            same("run", plan.run(&src, &mut dst).map(|()| dst))?;
        }
        let mut dst = junk.clone();
        same("pad_into", pad_into(&src, &case.shape, &spec, &mut dst).map(|()| dst))?;
        let mut dst: Vec<_> = junk.iter().map(|&value| MaybeUninit::new(value)).collect();
        same("run_uninit", plan.run_uninit(&src, &mut dst).map(|dst| dst.to_vec()))?;
    }
    same("to_vec", plan.to_vec(&src))?;
    same("to_vec of the any-rank kernel", plan.clone().with_generic_kernel().to_vec(&src))?;
    same("pad", pad(&src, &case.shape, &spec))
}
