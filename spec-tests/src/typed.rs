//! Every entry of the library that takes elements of a Rust type, against the bytes that the reference gives.
#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use pad_kernels::{Element, PadError, PadPlan, Strides, pad, pad_into};

use crate::case::Case;

/// An element that can be made of bytes and taken apart again.
pub trait Typed: Element + Send + Sync {
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

/// Calls a function of one type with the Rust type of elements of a kind, if it is one of those that are tried.
macro_rules! with_type {
    ($kind:expr, $call:ident($($argument:expr),*)) => {{
        use $crate::case::Kind;
        use pad_kernels::DType;
        match $kind {
            Kind::Tagged(DType::F64) => Some($call::<f64>($($argument),*)),
            Kind::Tagged(DType::F32) => Some($call::<f32>($($argument),*)),
            Kind::Tagged(DType::I8) => Some($call::<i8>($($argument),*)),
            Kind::Tagged(DType::I16) => Some($call::<i16>($($argument),*)),
            Kind::Tagged(DType::I32) => Some($call::<i32>($($argument),*)),
            Kind::Tagged(DType::I64) => Some($call::<i64>($($argument),*)),
            Kind::Tagged(DType::U8) => Some($call::<u8>($($argument),*)),
            Kind::Tagged(DType::U16) => Some($call::<u16>($($argument),*)),
            Kind::Tagged(DType::U32) => Some($call::<u32>($($argument),*)),
            Kind::Tagged(DType::U64) => Some($call::<u64>($($argument),*)),
            Kind::Tagged(DType::Bool) => Some($call::<bool>($($argument),*)),
            Kind::Raw(1) => Some($call::<[u8; 1]>($($argument),*)),
            Kind::Raw(3) => Some($call::<[u8; 3]>($($argument),*)),
            Kind::Raw(12) => Some($call::<[u8; 12]>($($argument),*)),
            Kind::Raw(16) => Some($call::<[u8; 16]>($($argument),*)),
            Kind::Raw(33) => Some($call::<[u8; 33]>($($argument),*)),
            _ => None,
        }
    }};
}
pub(crate) use with_type;

/// Elements of bytes.
pub fn elements<T: Typed>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::of).collect()
}

/// Bytes of elements.
pub fn bytes<T: Typed>(elements: &[T]) -> Vec<u8> {
    elements.iter().flat_map(T::to).collect()
}

/// Runs `case` through every typed entry, if there is a Rust type for it. `data` and `output` are the reference's.
pub fn check(case: &Case, data: &[u8], output: &[u8]) -> Result<(), String> {
    with_type!(case.kind, check_as(case, data, output)).unwrap_or(Ok(()))
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
        for plan in [plan.clone(), plan.with_generic_kernel()] {
            let mut dst = junk.clone();
            same("run", plan.run(&src, &mut dst).map(|()| dst))?;
        }
        let mut dst = junk.clone();
        same("pad_into", pad_into(&src, &case.shape, &spec, &mut dst).map(|()| dst))?;
        let mut dst: Vec<_> = junk.iter().map(|&value| MaybeUninit::new(value)).collect();
        same("run_uninit", plan.run_uninit(&src, &mut dst).map(|dst| dst.to_vec()))?;
    }
    // One number of axes a case. The rows of an empty output may be as many as numbers can say.
    let axes = usize::from(case.paint) % (case.shape.len() + 1);
    let most = if axes == 0 { 200 } else { usize::MAX };
    if (1..=most).contains(&plan.output_len()) {
        same("rows", rows(&plan, axes, &src))?;
        let as_they_are = [&case.shape[..], plan.output_shape()].map(Strides::row_major);
        let strided = plan.with_strides(&as_they_are[0], &as_they_are[1]);
        same("rows of a view", strided.and_then(|plan| rows(&plan, axes, &src)))?;
    }
    same("to_vec", plan.to_vec(&src))?;
    same("to_vec of the any-rank kernel", plan.with_generic_kernel().to_vec(&src))?;
    same("pad", pad(&src, &case.shape, &spec))
}

/// All rows along the last `axes` axes, one after the other.
///
/// # Errors
///
/// As for [`PadPlan::rows`].
pub fn rows<T: Typed>(plan: &PadPlan, axes: usize, src: &[T]) -> Result<Vec<T>, PadError> {
    let shape = plan.output_shape();
    let mut buffer = vec![T::of(&vec![0; size_of::<T>()]); shape[shape.len() - axes..].iter().product()];
    let (mut rows, mut all) = (plan.rows(axes, src, &mut buffer)?, Vec::new());
    while let Some(row) = rows.next_row() {
        all.extend_from_slice(row);
    }
    Ok(all)
}
