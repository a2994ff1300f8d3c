//! Every input and seed that fuzzing kept still passes in its own fuzz target.

use std::fs;
use std::path::{Path, PathBuf};

use pad_kernels::{AxisPad, DType, Frame, PadMode};
use spec_tests::case::{Case, Kind};
use spec_tests::fuzzing::{self, TARGETS};
use spec_tests::generators::Source;
use spec_tests::oracles::{self, Outcome};
use spec_tests::views;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(name)
}

/// Returns the entries of a folder by name, or none if the folder does not exist.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> = read.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries
}

fn replay(kept: &str) -> usize {
    let mut count = 0;
    for target in &TARGETS {
        for file in entries(&folder(kept).join(target.name)) {
            println!("{}", file.display());
            fuzzing::run(target.name, &fs::read(&file).expect("a file"));
            count += 1;
        }
    }
    count
}

#[test]
fn kept_inputs_pass() {
    println!("{} inputs", replay("regressions"));
}

#[test]
fn seeds_pass() {
    assert!(replay("seeds") >= 2 * TARGETS.len());
}

#[test]
fn random_bytes_pass() {
    for target in &TARGETS {
        for bytes in [&[][..], &[0], &[255; 7], &[1; 200]] {
            fuzzing::run(target.name, bytes);
        }
        let mut source = Source::new(target.name, 60);
        for _ in 0..source.cases() {
            let bytes = source.draw(|u| {
                let length = u.int_in_range(0..=300)?;
                Ok(u.bytes(length)?.to_vec())
            });
            fuzzing::run(target.name, &bytes);
        }
    }
}

/// Every folder of inputs has the name of a fuzz target, and the library knows every target. Otherwise inputs would never run.
#[test]
fn every_file_belongs_to_a_target() {
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut files: Vec<_> = entries(&folder("fuzz_targets")).iter().map(|path| name(path)).collect();
    files.sort();
    let mut targets: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    targets.sort_unstable();
    assert_eq!(files, targets);
    for kept in ["regressions", "seeds"] {
        for path in entries(&folder(kept)).iter().filter(|path| path.is_dir()) {
            assert!(targets.contains(&&name(path)[..]), "{}", path.display());
        }
    }
}

/// A tile of packed elements that ends within a byte keeps the bits of the next tile.
#[test]
fn packed_tiles_end_within_a_byte() {
    let case = Case {
        frame: Some(Frame::Cropped),
        paint: 177,
        ..Case::new(Kind::Tagged(DType::I2), PadMode::Wrap, [3], [AxisPad::new(2, -1)])
    };
    for window in [3..4, 0..3] {
        views::check_window(&case, &[window]).unwrap();
    }
}

/// The test support does not walk along a long axis if another axis is empty.
#[test]
fn long_axes_beside_an_empty_one() {
    for shape in [[1 << (usize::BITS - 6), 0], [0, 1 << (usize::BITS - 6)]] {
        let kind = Kind::Tagged(DType::F32);
        let case = Case {
            negated: vec![(true, false); 2],
            ..Case::new(kind, PadMode::Edge, shape, [AxisPad::new(0, 0); 2])
        };
        assert_eq!(oracles::check(&case).unwrap(), Outcome::Ran);
    }
}
