//! A fill for each position of an axis gives the results of separate requests with one fill each.

use pad_kernels::{Fill, PadMode, PadSpec, pad};

/// A request with a fill per plane gives the result of padding each plane with its fill.
#[test]
fn colours_are_the_fills_of_planes() {
    let (shape, values) = ([3usize, 5, 4], [7u16, 8, 9]);
    let data: Vec<u16> = (100..160).collect();
    let spec = PadSpec::new(PadMode::Constant, [(0, 0), (2, 1), (1, 3)]).with_fill_along(0, &values);
    let mut planes = Vec::new();
    for (plane, value) in data.chunks_exact(20).zip(values) {
        let spec = PadSpec::constant([(2, 1), (1, 3)], value);
        planes.extend(pad(plane, &shape[1..], &spec).expect("valid"));
    }
    assert_eq!(pad(&data, &shape, &spec).expect("valid"), planes);
    assert_eq!(format!("{:?}", spec.fill.expect("given")), "Fill(u16 0x070008000900 along axis 0)");
    assert_ne!(Fill::along(0, &values), Fill::along(1, &values));
}
