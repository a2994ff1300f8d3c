//! What must hold between two paddings, whatever a single one gives.

use pad_kernels::{Frame, PadMode, PadSpec};
use spec_tests::generators::Source;
use spec_tests::laws::{self, LAWS};

fn hold(name: &str) {
    let law = *LAWS.iter().find(|law| law.name == name).expect("a law");
    let said = Source::check(name, 600, |_, u| laws::check(law, u));
    let spoke = said.iter().filter(|&&said| said).count();
    println!("{name}: {spoke} of {} cases", said.len());
    assert!(spoke * 5 >= said.len(), "only {spoke} cases");
}

macro_rules! laws {
    ($($name:ident)*) => {
        $(#[test] fn $name() { hold(stringify!($name)); })*

        #[test]
        fn every_law_is_checked() {
            assert!(LAWS.iter().map(|law| law.name).eq([$(stringify!($name)),*]));
        }
    };
}
laws! {
    crop_after_pad_gives_the_input
    axis_by_axis_is_all_at_once
    borders_of_constant_and_edge_add_up
    gaps_come_first
    frames_are_what_they_say
    mirrored_requests_give_mirrored_outputs
    modes_that_are_alike_are_one
    sides_are_as_they_are_alone
}

/// A wrapped output repeats after the length of the axis, a mirrored one after two.
#[test]
fn borders_are_periodic() {
    for length in 1..=7usize {
        let data: Vec<u16> = (0..length as u16).map(|i| 1000 + i).collect();
        let modes = [
            (PadMode::Wrap, length),
            (PadMode::Symmetric, 2 * length),
            (PadMode::Reflect, (2 * (length - 1)).max(1)),
            (PadMode::Edge, 1),
        ];
        for (mode, period) in modes {
            let spec = PadSpec::new(mode, [(40, 45)]);
            let out = pad_kernels::pad(&data, &[length], &spec).expect("valid");
            // Behind the data an edge repeats at once; the others everywhere.
            let from = if mode == PadMode::Edge { 40 + length } else { 0 };
            let from = &out[from..];
            assert!(from.iter().zip(&from[period..]).all(|(a, b)| a == b), "{mode} {out:?}");
        }
    }
}

/// A mirror is the data and its mirror image, repeated.
#[test]
fn symmetric_is_wrap_of_the_data_and_its_mirror_image() {
    for length in 1..=6usize {
        for low in 0..=14i64 {
            for high in 0..=14i64 {
                let data: Vec<u32> = (1..=length as u32).collect();
                let both: Vec<u32> = data.iter().chain(data.iter().rev()).copied().collect();
                let symmetric = PadSpec::new(PadMode::Symmetric, [(low, high)]);
                let wrap =
                    PadSpec::new(PadMode::Wrap, [(low, high - length as i64)]).with_frame(Frame::Uncropped);
                let one = pad_kernels::pad(&data, &[length], &symmetric).expect("valid");
                let other = pad_kernels::pad(&both, &[2 * length], &wrap).expect("valid");
                assert_eq!(one, other, "{length} {low} {high}");
            }
        }
    }
}
