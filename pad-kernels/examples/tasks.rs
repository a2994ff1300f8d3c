//! Shows twelve common tasks, each in a few lines. Run it with `cargo run --example tasks --features image,ndarray,rayon`.

use std::error::Error;

use pad_kernels::PadMode::{Constant, Edge, Reflect, Wrap};
use pad_kernels::dialect::{Dialect, onnx};
use pad_kernels::interop::image::{Border, PadImageExt};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{AxisMode, DType, PadError, PadPlan, PadSpec, fixed_pad, pad};

type Outcome = Result<(), Box<dyn Error>>;

/// Reflects one pixel around a grey image of two rows and three columns.
fn reflect_an_image() -> Outcome {
    let spec = PadSpec::new(Reflect, 1);
    let padded = pad(&[1u8, 2, 3, 4, 5, 6], &[2, 3], &spec)?;
    assert_eq!(spec.output_shape(&[2, 3])?, [4, 5]);
    assert_eq!(padded, [5, 4, 5, 6, 5, 2, 1, 2, 3, 2, 5, 4, 5, 6, 5, 2, 1, 2, 3, 2]);
    Ok(())
}

/// Makes one plan and runs it on every batch, without allocating.
fn a_plan_in_a_loop() -> Outcome {
    let plan = PadPlan::new::<f32>(&PadSpec::constant([(0, 0), (1, 1)], 0.0), &[2, 2])?;
    let mut padded = vec![0.0; plan.output_len()];
    for batch in [[1.0f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]] {
        plan.run(&batch, &mut padded)?;
        assert_eq!(padded, [0.0, batch[0], batch[1], 0.0, 0.0, batch[2], batch[3], 0.0]);
    }
    Ok(())
}

/// Pads a map of the world: rows end at the poles, and columns wrap. Then pads one axis with a different mode on each side.
fn modes_per_axis_and_side() -> Outcome {
    let map = pad(&[1, 2, 3, 4, 5, 6], &[2, 3], &PadSpec::new([Edge, Wrap], [(0, 1), (1, 1)]))?;
    assert_eq!(map, [3, 1, 2, 3, 1, 6, 4, 5, 6, 4, 6, 4, 5, 6, 4]);
    let modes = [AxisMode::from(Edge), (Reflect, Constant).into()];
    assert_eq!(pad(&[1, 2, 3], &[1, 3], &PadSpec::new(modes, [(0, 0), (2, 1)]))?, [3, 2, 1, 2, 3, 0]);
    Ok(())
}

/// Crops with a negative pad, and inserts elements between neighbours.
fn negative_and_interior() -> Outcome {
    let spec = PadSpec::constant([(-1, 2, 1)], 9);
    assert_eq!(pad(&[1u8, 2, 3], &[3], &spec)?, [9, 2, 9, 3, 9, 9]);
    Ok(())
}

/// Runs a Pad node of ONNX opset 18 whose input `axes` names the last axis.
fn an_onnx_node_with_axes() -> Outcome {
    let node = onnx::Pad::new(18, &[1, 2]).axes(&[-1]).mode("reflect");
    assert_eq!(node.output_shape(&[1, 3], DType::F32)?, [1, 6]);
    assert_eq!(node.pad(&[1.0f32, 2.0, 3.0], &[1, 3])?, [2.0, 1.0, 2.0, 3.0, 2.0, 1.0]);
    Ok(())
}

/// Pads a transposed view of an array, without a copy of the view.
fn an_ndarray_view() -> Outcome {
    let array = ndarray::array![[1, 2, 3], [4, 5, 6]];
    let padded = array.t().pad([(0, 0), (1, 1)], Edge)?;
    assert_eq!(padded, ndarray::array![[1, 1, 4, 4], [2, 2, 5, 5], [3, 3, 6, 6]]);
    Ok(())
}

/// Reads a PNG file, pads it with OpenCV's `BORDER_REFLECT_101`, and writes it.
fn an_image_file() -> Outcome {
    let path = std::env::temp_dir().join(format!("pad-kernels-task-{}.png", std::process::id()));
    image::RgbImage::from_fn(4, 3, |x, y| image::Rgb([x as u8, y as u8, 7])).save(&path)?;
    let padded = image::open(&path)?.to_rgb8().pad(2, Border::Reflect101)?;
    padded.save(&path)?;
    assert_eq!((padded.width(), padded.height()), (8, 7));
    assert_eq!(padded.get_pixel(0, 0), &image::Rgb([2, 2, 7]));
    Ok(std::fs::remove_file(path)?)
}

fixed_pad! {
    /// Pads a signal of four samples, whose length is known at compile time, and computes its gradient.
    fn pad_signal(f32; [4]) = reflect { [1, 1] } adjoint signal_gradient
}

/// Calls functions that the macro `fixed_pad!` generates for one shape.
fn a_fixed_shape_with_its_adjoint() -> Outcome {
    let (mut padded, mut gradient) = ([0.0; pad_signal::OUTPUT_LEN], [0.0; pad_signal::INPUT_LEN]);
    pad_signal(&[1.0, 2.0, 3.0, 4.0], &mut padded);
    assert_eq!(padded, [2.0, 1.0, 2.0, 3.0, 4.0, 3.0]);
    signal_gradient(&[1.0; 6], &mut gradient);
    assert_eq!(gradient, [1.0, 2.0, 2.0, 1.0]);
    Ok(())
}

/// Computes one region of a result with a billion samples, from the few samples that the region needs.
fn a_region_of_an_array_larger_than_memory() -> Outcome {
    let plan = PadPlan::new::<u8>(&PadSpec::new(Wrap, 3), &[1_000_000_000])?;
    let window = 0..5;
    let regions = plan.input_regions(std::slice::from_ref(&window))?;
    let mut samples = vec![0; regions.shape().iter().product()];
    for (source, place) in regions.boxes() {
        for (sample, at) in samples[place[0].clone()].iter_mut().zip(source[0].clone()) {
            // A real program reads the sample from a file here.
            *sample = (at % 100) as u8;
        }
    }
    let region = plan.window_from_regions(&[window])?.to_vec(&samples)?;
    assert_eq!(region, [97, 98, 99, 0, 1]);
    Ok(())
}

/// Adds the gradient of each output element to the input element of which it is a copy.
fn a_gradient() -> Outcome {
    let plan = PadPlan::new::<f32>(&PadSpec::new(Edge, 1), &[3])?;
    let mut gradient = [0.0; 3];
    plan.adjoint()?.run(&[1.0f32, 2.0, 3.0, 4.0, 5.0], &mut gradient)?;
    assert_eq!(gradient, [3.0, 3.0, 9.0]);
    Ok(())
}

/// Pads a large tensor on the threads of rayon's pool.
fn threads() -> Outcome {
    let plan = PadPlan::new::<u16>(&PadSpec::new(Reflect, 2), &[1000, 1000])?;
    let image: Vec<u16> = (0..plan.input_len()).map(|i| i as u16).collect();
    assert_eq!(plan.par_to_vec(&image)?, plan.to_vec(&image)?);
    Ok(())
}

/// Prints the errors for some mistakes. An error names the axis, the values, and a remedy.
fn every_error_printed() -> Outcome {
    let data = [1.0f32, 2.0, 3.0];
    let plan = PadPlan::new::<f32>(&PadSpec::new(Edge, 1), &[3])?;
    let mistakes: [Result<Vec<f32>, PadError>; 6] = [
        pad(&data, &[3, 1], &PadSpec::new(Reflect, [(1, 1); 3])),
        pad(&data, &[3], &PadSpec::new(Edge, [(-4, 0)])),
        pad(&data, &[3], &PadSpec::new(Wrap, [(-3, 2)])),
        pad(&data, &[3], &PadSpec::constant(1, 0.1)),
        pad(&data, &[3, 3], &PadSpec::new(Edge, 1)),
        plan.run(&data, &mut [0.0; 3]).map(|()| Vec::new()),
    ];
    for mistake in mistakes {
        let error = mistake.expect_err("a mistake");
        println!("{error}");
        // If `main` returns the error, the program prints the same text.
        assert_eq!(format!("{error:?}"), error.to_string());
    }
    println!("{}", "replicate".parse::<pad_kernels::PadMode>().expect_err("a word of PyTorch"));
    Ok(())
}

fn main() -> Outcome {
    reflect_an_image()?;
    a_plan_in_a_loop()?;
    modes_per_axis_and_side()?;
    negative_and_interior()?;
    an_onnx_node_with_axes()?;
    an_ndarray_view()?;
    an_image_file()?;
    a_fixed_shape_with_its_adjoint()?;
    a_region_of_an_array_larger_than_memory()?;
    a_gradient()?;
    threads()?;
    every_error_printed()
}

#[test]
fn all_tasks_are_done() {
    main().expect("every task succeeds");
}
