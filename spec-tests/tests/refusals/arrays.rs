//! Refused arrays of `ndarray` and pictures of `image` whose shapes do not fit.

use image::GrayImage;
use ndarray::{Array2, ArrayD, IxDyn};
use pad_kernels::PadMode::{Constant, Edge, Wrap};
use pad_kernels::interop::image::{Border, PadImageExt, Sides};
use pad_kernels::interop::ndarray::{PadArrayError, PadExt};
use pad_kernels::{BorderPlan, PadPlan, PadSpec};

use super::{Errors, spec};

pub(super) fn errors(e: &mut Errors) {
    let (floats, mut bytes) = (Array2::<f32>::zeros((2, 3)), Array2::<u8>::zeros((3, 2)));

    e.about("widths that an array cannot have");
    refused! { e, PadArrayError;
        Width: floats.pad([(1, 1), (1, 1), (1, 1)], Edge),
        Width: floats.pad(-1, Edge),
        Width: bytes.fill_borders([(1, 1); 3], Edge),
        Pad: floats.pad_with_spec(&PadSpec::constant([(1, 1), (0, 0)], 0.1f64)),
        Pad: floats.pad_with_spec(&spec(Constant, [(i64::MAX, 0), (0, 0)])),
    }
    let source = |error: PadArrayError| std::error::Error::source(&error).is_some();
    assert!(source(floats.pad(-1, Edge).unwrap_err()));

    e.about("low and high are swapped, so that only the size of the output does not fit");
    let swapped = Sides { top: 1, bottom: 0, left: 2, right: 2 };
    let picture = GrayImage::new(3, 2);
    refused! { e;
        picture.pad_into(swapped, Border::Replicate, &mut GrayImage::new(3 + 1, 2 + 4)),
        bytes.pad_into([(2, 2), (1, 0)], Edge, &mut Array2::zeros((4, 6))),
        floats.pad_into(1, Wrap, &mut Array2::zeros((4, 4))),
    }
    assert!(!source(floats.pad_into(1, Wrap, &mut Array2::zeros((4, 4))).unwrap_err()));

    e.about("pictures that are cropped to nothing");
    let sides = Sides { top: 0, bottom: 0, left: -9, right: 0 };
    refused! { e;
        GrayImage::new(8, 4).pad(-5, Border::Replicate),
        GrayImage::new(8, 4).pad(sides, Border::Replicate),
    }

    e.about("plans for other arrays");
    let plan = PadPlan::new::<f32>(&spec(Edge, [(1, 1), (0, 2)]), &[2, 3]).expect("valid");
    let turned = Array2::<f32>::zeros((3, 2));
    let mut small = Array2::zeros((4, 4));
    refused! { e, PadArrayError;
        InputShape: turned.pad_with_plan(&plan),
        InputShape: turned.par_pad_with_plan(&plan),
        OutputShape: turned.t().pad_with_plan_into(&plan, &mut small),
        OutputShape: turned.t().par_pad_with_plan_into(&plan, &mut small),
        Pad: Array2::<u32>::zeros((2, 3)).pad_with_plan(&plan),
    }

    e.about("arrays without room for borders");
    let plan = BorderPlan::new::<u8>(&spec(Edge, [(1, 1), (0, 0)]), &[2, 2]).expect("valid");
    refused! { e, PadArrayError;
        Narrow: bytes.fill_borders([(0, 0), (1, 3)], Constant),
        Narrow: bytes.fill_borders(1, Edge),
        OutputShape: bytes.fill_borders_with_plan(&plan),
        Pad: Array2::<u16>::zeros((4, 2)).fill_borders_with_plan(&plan),
    }
    // An array without axes has no border, so the call writes nothing and succeeds.
    let plan = BorderPlan::new::<u8>(&PadSpec::new(Wrap, [(0, 0); 0]), &[]).expect("valid");
    assert_eq!(ArrayD::<u8>::zeros(IxDyn(&[])).fill_borders_with_plan(&plan), Ok(()));
    assert_eq!(Array2::<u8>::zeros((0, 5)).fill_borders([(0, 0), (1, 1)], Wrap), Ok(()));
}
