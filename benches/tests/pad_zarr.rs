//! Runs the example `pad_zarr` as a process, which some tests kill. To build the example first, run
//! `cargo build -p benches --features zarr --example pad_zarr`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pad_kernels::{AxisPad, PadMode, PadPlan, PadSpec};
use zarrs::array::codec::{Crc32cCodec, ZstdCodec};
use zarrs::array::{Array, ArrayBuilder, data_type};
use zarrs::filesystem::FilesystemStore;

type Tested = Result<(), Box<dyn Error>>;

/// Returns the path of the example. It is beside the folder of the tests.
fn program(arguments: &[&str]) -> Command {
    let test = std::env::current_exe().expect("a test has a path");
    let path = test.ancestors().nth(2).expect("target/*/deps").join("examples").join("pad_zarr");
    let path = path.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.exists(),
        "{} is not there: cargo build -p benches --features zarr --example pad_zarr",
        path.display()
    );
    let mut command = Command::new(path);
    command.args(arguments).stdin(Stdio::null());
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns an empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pad_zarr").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in plain letters")
}

/// Makes an array of the numbers from 1 on, in chunks or in shards of chunks.
fn array(path: &Path, shape: &[u64], chunk: &[u64], inner: &[u64]) -> Result<Vec<u16>, Box<dyn Error>> {
    let store = Arc::new(FilesystemStore::new(path)?);
    let mut builder = ArrayBuilder::new(shape.to_vec(), chunk.to_vec(), data_type::uint16(), 0u16);
    if !inner.is_empty() {
        builder.subchunk_shape(inner.to_vec());
    }
    builder.bytes_to_bytes_codecs(vec![Arc::new(ZstdCodec::new(1, true)), Arc::new(Crc32cCodec::new())]);
    let array = builder.build(store, "/")?;
    let numbers: Vec<u16> = (1..).take(shape.iter().product::<u64>() as usize).collect();
    array.store_array_subset(&array.subset_all(), numbers.clone())?;
    // Like zarr-python, this writes each codec as an object, and adds no attribute.
    fs::write(path.join("zarr.json"), serde_json::to_vec(array.metadata())?)?;
    Ok(numbers)
}

fn read(path: &Path) -> Result<(Vec<usize>, Vec<u16>), Box<dyn Error>> {
    let array = Array::open(Arc::new(FilesystemStore::new(path)?), "/")?;
    let shape = array.shape().iter().map(|&length| length as usize).collect();
    Ok((shape, array.retrieve_array_subset(&array.subset_all())?))
}

fn metadata(path: &Path) -> Result<serde_json::Value, Box<dyn Error>> {
    Ok(serde_json::from_slice(&fs::read(path.join("zarr.json"))?)?)
}

/// Returns the files in a folder, with their contents.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, Box<dyn Error>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_path_buf(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// Tests every mode, borders longer than chunks and than the array, interior padding, and negative pads, in chunks and in shards.
#[test]
fn stores_hold_what_plans_make() -> Tested {
    let folder = folder("modes");
    let (source, target) = (folder.join("in"), folder.join("out"));
    let stores: [[&[u64]; 3]; 3] =
        [[&[11, 9], &[4, 3], &[]], [&[11, 9], &[8, 6], &[4, 3]], [&[3, 4, 5], &[2, 4, 3], &[]]];
    for [shape, chunk, inner] in stores {
        let _ = fs::remove_dir_all(&source);
        let numbers = array(&source, shape, chunk, inner)?;
        let lengths: Vec<usize> = shape.iter().map(|&length| length as usize).collect();
        for mode in PadMode::ALL {
            for ((low, high), interior) in
                [((3, 3), 0), ((13, 1), 0), ((-1, 2), 2), ((0, 0), 0), ((-1, -1), 0)]
            {
                let _ = fs::remove_dir_all(&target);
                let spec = PadSpec::new(mode, AxisPad { low, high, interior }).with_fill(7u16);
                let plan = PadPlan::new::<u16>(&spec, &lengths)?;
                let (pad, gap) = (format!("{low},{high}"), interior.to_string());
                let mut arguments = vec![text(&source), text(&target), "--mode", mode.name(), "--pad", &pad];
                arguments.extend(["--interior", &gap, "--threads", "3"]);
                if mode == PadMode::Constant || interior > 0 {
                    arguments.extend(["--value", "7"]);
                }
                let output = program(&arguments).output()?;
                assert!(output.status.success(), "{arguments:?}: {}", told(&output));
                let (found_shape, found) = read(&target)?;
                assert_eq!(found_shape, plan.output_shape(), "{arguments:?}");
                assert!(found == plan.to_vec(&numbers)?, "{arguments:?}");
                let mut expected = metadata(&source)?;
                expected["shape"] = plan.output_shape().into();
                assert_eq!(metadata(&target)?, expected, "{arguments:?}");
                assert!(!target.join(".pad_zarr").exists(), "{arguments:?}");
            }
        }
    }
    Ok(())
}

/// If the process is killed at any moment, there is no array. After further runs, the result equals that of an undisturbed run.
#[test]
fn killed_and_resumed_is_undisturbed() -> Tested {
    let folder = folder("killed");
    let (source, undisturbed, target) = (folder.join("in"), folder.join("undisturbed"), folder.join("out"));
    let chunks: [[&[u64]; 2]; 2] = [[&[5, 5], &[]], [&[10, 10], &[5, 5]]];
    for [chunk, inner] in chunks {
        for path in [&source, &undisturbed, &target] {
            let _ = fs::remove_dir_all(path);
        }
        array(&source, &[120, 110], chunk, inner)?;
        let request = ["--mode", "wrap", "--pad", "13,8", "--threads", "1000000"];
        let begun = Instant::now();
        let output = program(&[&[text(&source), text(&undisturbed)], &request[..]].concat()).output()?;
        assert!(output.status.success(), "{}", told(&output));
        let most = begun.elapsed().as_micros() as u64;
        // The loop also ends if a run ends by itself, so that the test ends on any machine.
        let (mut killed, mut ran) = (0, 0);
        loop {
            let resumed = [&[text(&source), text(&target)], &request[..], &["--resume"]].concat();
            let mut child = program(&resumed).stderr(Stdio::piped()).spawn()?;
            ran += 1;
            if killed < 10 {
                sleep(Duration::from_micros(fastrand::u64(0..most / 4)));
                child.kill()?;
            }
            let output = child.wait_with_output()?;
            if output.status.success() {
                break;
            }
            assert!(killed < 10, "{}", told(&output));
            killed += 1;
            // The last step of a run removes the folder of the unfinished output.
            if target.join("zarr.json").exists() && !target.join(".pad_zarr").exists() {
                let _ = fs::remove_dir_all(target.join(".pad_zarr.finished"));
                break;
            }
        }
        assert!(killed > 0, "none of {ran} runs was killed");
        assert_eq!(files(&target)?, files(&undisturbed)?, "after {killed} kills");
    }
    Ok(())
}

#[test]
fn refusals_help() -> Tested {
    let folder = folder("refusals");
    let (source, target) = (folder.join("in"), folder.join("out"));
    array(&source, &[6, 6], &[2, 2], &[])?;
    let (from, to) = (text(&source), text(&target));
    let within = source.join("c");
    let missing = source.join("../missing/..").join(source.file_name().expect("a name"));
    let cases: [(&[&str], &str); 13] = [
        (&[from], "name the array to read and the one to write"),
        (&[from, to], "say what to add"),
        (&[from, to, "--pad", "1", "--mode", "around"], "the modes are constant, edge, reflect"),
        (&[from, to, "--pad", "1", "--pad", "1", "--pad", "1"], "given 3 times, but the array has 2 axes"),
        (&[from, to, "--pad", "-9"], "axis 0: length 6 with low -9"),
        (
            &[from, to, "--pad", "1", "--value", "x"],
            "--value x is no value of uint16 / <u2: write it in the form of IN's fill_value, 0",
        ),
        (&[from, to, "--interior", "x"], "--interior takes a whole number, at least 0"),
        (&[from, to, "--pad", "1", "--threads", "0"], "--threads takes a whole number, at least 1"),
        (
            &[from, to, "--pad", "1", "--mode", "wrap", "--value", "1"],
            "--value has an effect only with mode constant or --interior",
        ),
        (&[to, from, "--pad", "1"], "out"),
        (&[from, from, "--pad", "1"], "which is read"),
        (&[from, text(&within), "--pad", "1"], "which is read"),
        (&[from, text(&missing), "--pad", "1"], "which is read"),
    ];
    for (arguments, what) in cases {
        let output = program(arguments).output()?;
        assert!(!output.status.success(), "{arguments:?} was done");
        assert!(told(&output).contains(what), "{arguments:?}: {}, not {what}", told(&output));
        assert!(!target.exists(), "{arguments:?} wrote something");
    }

    // A run does not overwrite an existing array. It continues an unfinished one only with the same terms.
    assert!(program(&[from, to, "--pad", "1"]).status()?.success());
    let there = program(&[from, to, "--pad", "1", "--resume"]).output()?;
    assert!(told(&there).contains("it is there already"), "{}", told(&there));
    fs::create_dir(target.join(".pad_zarr"))?;
    fs::write(target.join(".pad_zarr").join("request.json"), "other terms")?;
    for (arguments, what) in [
        (&[from, to, "--pad", "1"][..], "--resume goes on with it"),
        (&[from, to, "--pad", "1", "--resume"], "it was begun as other terms"),
    ] {
        let output = program(arguments).output()?;
        assert!(!output.status.success() && told(&output).contains(what), "{}", told(&output));
    }
    // Another array with equal metadata has other terms.
    let other = folder.join("other");
    array(&other, &[6, 6], &[2, 2], &[])?;
    let asked = told(&program(&[text(&other), to, "--pad", "1", "--resume"]).output()?);
    let terms = asked.split("go on as ").nth(1).ok_or("no terms")?;
    fs::write(target.join(".pad_zarr").join("request.json"), terms.trim_end())?;
    let output = program(&[from, to, "--pad", "1", "--resume"]).output()?;
    assert!(told(&output).contains("it was begun as {"), "{}", told(&output));
    // An error names the damaged chunk.
    fs::write(other.join("c/2/1"), "damaged")?;
    let output = program(&[text(&other), text(&folder.join("damaged")), "--pad", "1"]).output()?;
    assert!(told(&output).contains("chunk c/2/1 of IN: "), "{}", told(&output));

    let help = program(&["--help"]).output()?;
    assert!(help.status.success() && String::from_utf8(help.stdout)?.starts_with("Pads a zarr array"));
    // A reader may close the pipe. A full disk is an error.
    let (_, closed) = std::io::pipe()?;
    let help = program(&["--help"]).stdout(closed).output()?;
    assert!(help.status.success() && help.stderr.is_empty(), "{}", told(&help));
    if cfg!(target_os = "linux") {
        let full = fs::File::options().write(true).open("/dev/full")?;
        let help = program(&["--help"]).stdout(full).output()?;
        assert_eq!((help.status.code(), told(&help).starts_with("error: No space")), (Some(1), true));
    }
    Ok(())
}
