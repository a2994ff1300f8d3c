//! The example `pad_npy` agrees with a simple padding of positions for every type, order and mode, even with very small buffers.

#[path = "../../pad-kernels/examples/pad_npy/npy.rs"]
mod npy;
#[path = "../../pad-kernels/examples/pad_npy/stream.rs"]
mod stream;
#[path = "../../pad-kernels/examples/pad_npy/unfinished.rs"]
mod unfinished;
#[path = "../../pad-kernels/examples/pad_npy/value.rs"]
mod value;

mod common;

use std::fs;
use std::io::{Cursor, Write};

use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use npy::Header;
use pad_kernels::{AxisMode, AxisPad, Modes, PadMode, PadSpec, pad};
use stream::{Job, Request};
use unfinished::Unfinished;

fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend((header.len() as u16).to_le_bytes()),
        _ => file.extend((header.len() as u32).to_le_bytes()),
    }
    file.extend(header.bytes());
    file.extend(data);
    file
}

fn read(version: u8, header: &str) -> Result<Header, String> {
    let file = file(version, header, &[]);
    let (header, start) = Header::read(&mut &file[..]).map_err(|error| error.to_string())?;
    assert_eq!(start, file.len() as u64);
    Ok(header)
}

fn request(mode: PadMode, pads: &[(i64, i64)], interior: &[u64]) -> Request {
    Request { modes: vec![mode.into()], pads: pads.to_vec(), interior: interior.to_vec(), value: None }
}

/// Pads a file and returns the new header and data.
fn run(file: &[u8], request: &Request, room: usize) -> (Header, Vec<u8>) {
    let (header, start) = Header::read(&mut &file[..]).expect("a header");
    let job = Job::new(&header, request).expect("a request that fits");
    assert_eq!(job.input_bytes(), file.len() as u64 - start);
    let mut output = Vec::new();
    job.output.write(&mut output).expect("room");
    assert_eq!(output.len() % 64, 0);
    let mut last = 0;
    job.run(Cursor::new(file), start, &mut output, room, &mut |done| last = done).expect("a result");
    assert_eq!(last, job.output_bytes());
    let (header, start) = Header::read(&mut &output[..]).expect("a header");
    (header, output.split_off(start as usize))
}

/// Returns the elements of `item` bytes each, in logical order.
fn logical(data: &[u8], item: usize, shape: &[usize], fortran: bool) -> Vec<Vec<u8>> {
    let elements = data.chunks(item).map(<[u8]>::to_vec).collect();
    let array = ArrayD::from_shape_vec(IxDyn(shape).set_f(fortran), elements).expect("of this shape");
    array.iter().cloned().collect()
}

#[test]
fn every_type_order_and_mode() {
    let record = "[('a', '<i2'), ('b', [('c', '|u1'), ('d', '>f8', (2, 2))]), (('title', 'e'), '<U2')]";
    let words = "'|b1'=1 '|i1'=1 '<u2'=2 '>i4'=4 '<f2'=2 '>f8'=8 '<c8'=8 '>c16'=16 '<f16'=16 '<c32'=32 \
                 '<M8[ns]'=8 '<m8[25us]'=8 '|S3'=3 '<U5'=20 '|V7'=7";
    let types = words.split(' ').map(|word| word.split_once('=').expect("a type and its bytes"));
    let types = types.map(|(descr, item)| (descr, item.parse().expect("a number"))).chain([(record, 43)]);
    let shape = [3usize, 4, 5];
    let mut requests = Vec::new();
    for mode in PadMode::ALL {
        requests.push(request(mode, &[(1, 2)], &[]));
        requests.push(request(mode, &[(0, 7), (3, 0), (-2, 9)], &[]));
        requests.push(request(mode, &[(5, 5), (0, -1), (0, 0)], &[0, 1, 2]));
    }
    let [wrap, constant, symmetric] = [PadMode::Wrap, PadMode::Constant, PadMode::Symmetric];
    let mixed = [(wrap, PadMode::Edge), (constant, PadMode::Reflect), (symmetric, symmetric)];
    requests.push(Request { modes: mixed.map(AxisMode::from).to_vec(), ..request(wrap, &[(4, 3)], &[]) });
    for (descr, item) in types {
        let count: usize = shape.iter().product();
        // Bools are 0 and 1. Elements of other types all differ.
        let byte = |i: usize| if item == 1 { (i % 2) as u8 } else { (i / item * 7 + i % item * 3) as u8 };
        let data: Vec<u8> = (0..count * item).map(byte).collect();
        for fortran in [false, true] {
            let order = if fortran { "True" } else { "False" };
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': (3, 4, 5), }}\n");
            let file = file(1, &text, &data);
            let before = logical(&data, item, &shape, fortran);
            for request in &requests {
                let gaps = request.interior.iter().copied().chain([0; 3]);
                let axes = request.pads.iter().cycle().zip(gaps).take(3);
                let axes: Vec<_> = axes.map(|(&pad, gap)| AxisPad::from(pad).with_interior(gap)).collect();
                let modes: Modes = request.modes.iter().copied().cycle().take(3).collect();
                let positions: Vec<i64> = (0..count as i64).collect();
                let spec = PadSpec::new(modes, axes).with_fill(-1i64);
                let wanted = pad(&positions, &shape, &spec).expect("a result");
                let mut fill = vec![0; item];
                fill[0] = if ["'|S3'", "'<U5'"].contains(&descr) { b'0' } else { 0 };
                let element = |&at: &i64| usize::try_from(at).map_or(&fill, |at| &before[at]).clone();
                let wanted: Vec<Vec<u8>> = wanted.iter().map(element).collect();
                // With the smallest buffers each element is copied alone, which is slow and equal for all types.
                for room in [if item == 2 || item == 7 { 1 } else { 300 }, 1 << 20] {
                    let (header, after) = run(&file, request, room);
                    assert_eq!((&header.descr[..], header.fortran), (descr, fortran));
                    let after = logical(&after, item, &header.shape, fortran);
                    assert_eq!(after, wanted, "{descr} {fortran} {request:?} {room}");
                }
            }
        }
    }
}

/// Fill values are parsed exactly. One of them lies just above the middle between two floats.
#[test]
fn values_are_elements_of_the_type() {
    let values = "|b1=True |b1=2 |i1=-128 |i1=128 |u1=-1 >u2=258 <u8=18446744073709551615 <i4=1.0 <f2=1.5 \
                  <f2=1.00048828125090949 <f2=70000 >f4=-inf <f4=1e39 <f8=x <f16=0 <f16=1 <c8=1,-2 >M8[s]=NaT \
                  <M8[s]=2020-01-01 |S3=ab |S1=ab >U2=é <U1=ab |V3=0 |V2=1";
    let mut text = String::new();
    for (descr, value) in values.split(' ').filter_map(|case| case.split_once('=')) {
        let header = read(1, &format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,)}}"));
        let fill = value::fill(&header.expect("a header"), Some(value));
        let fill = fill.map_or_else(|error| error.to_string(), |bytes| format!("{bytes:02x?}"));
        text += &format!("{value} of {descr}: {fill}\n");
    }
    common::snapshot("spec-tests/tests/snapshots/pad_npy_values.txt", &text, "pad_npy");
}

#[test]
fn headers_of_every_version() {
    let expected = Header {
        version: 1,
        descr: "'<f4'".into(),
        kind: npy::Kind { letter: b'f', big_endian: false },
        item: 4,
        fortran: true,
        shape: vec![10, 2],
    };
    // Python 2 wrote long integers with an L, and keys may have any order.
    let text = "{ \"shape\" : (10L, 2),'fortran_order':True , 'descr':  '<f4'}    \n";
    assert_eq!(read(1, text), Ok(expected.clone()));
    assert_eq!(read(2, text), Ok(Header { version: 2, ..expected }));
    let text = "{'descr': [('größe', '<f4')], 'fortran_order': False, 'shape': ()}\n";
    let header = read(3, text).expect("a header");
    let mut written = Vec::new();
    header.write(&mut written).expect("room");
    assert_eq!(Header::read(&mut &written[..]).expect("a header").0, header);
    let mut errors = String::new();
    for (version, text) in [
        (1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
        (1, "{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}"),
        (1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"),
        (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
        (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (010,)}"),
        (1, "{'descr': '<f+4', 'fortran_order': False, 'shape': (1,)}"),
        (1, "{'descr': '<f4', 'fortran_order': False}"),
        (1, "{'descr': '|S4194305', 'fortran_order': False, 'shape': (0,)}"),
        (1, "['descr']"),
        (1, &"(".repeat(50)),
        (4, "{}"),
    ] {
        errors += &format!("{text}: {}\n", read(version, text).expect_err("no header"));
    }
    common::snapshot("spec-tests/tests/snapshots/pad_npy_headers.txt", &errors, "pad_npy");
    assert!(read(1, &"(".repeat(1000)).is_err());
    assert!(read(1, "{'descr': '|S4194304', 'fortran_order': False, 'shape': (0,)}").is_ok());
    let cut = Header::read(&mut &b"\x93NUMPY\x01\x00\xff\xff{"[..]).expect_err("no header");
    assert_eq!(cut.to_string(), "it ends before its header does");
}

#[test]
fn small_arrays_and_requests_that_do_not_fit() {
    let scalar = file(1, "{'descr': '|S3', 'fortran_order': False, 'shape': ()}\n", b"abc");
    assert_eq!(run(&scalar, &request(PadMode::Edge, &[(1, 1)], &[]), 1).1, b"abc");
    let scalar = file(1, "{'descr': '<i2', 'fortran_order': False, 'shape': ()}\n", b"ab");
    assert_eq!(run(&scalar, &request(PadMode::Edge, &[(1, 1)], &[]), 1).1, b"ab");
    let nothing = file(1, "{'descr': '<U0', 'fortran_order': False, 'shape': (2,)}\n", b"");
    let (header, data) = run(&nothing, &request(PadMode::Wrap, &[(1, 1)], &[]), 1);
    assert_eq!((header.shape, data.len()), (vec![4], 0));
    let empty = file(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 2)}\n", b"");
    assert_eq!(run(&empty, &request(PadMode::Constant, &[(1, 0), (0, 0)], &[]), 1).1, [0; 4]);

    let header = read(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (4, 2, 3)}").expect("a header");
    let refused = |request: &Request| Job::new(&header, request).err().expect("a refusal");
    assert!(refused(&request(PadMode::Edge, &[(1, 1), (1, 1)], &[])).contains("3 axes"));
    // Errors count the axes of an array in Fortran order as the user does.
    let error = refused(&request(PadMode::Edge, &[(-9, 1), (0, 0), (0, 0)], &[]));
    assert!(error.contains("axis 0"), "{error}");
    let value = Request { value: Some("1".into()), ..request(PadMode::Edge, &[(1, 1)], &[]) };
    assert!(refused(&value).contains("--value has an effect only with mode constant"));
}

#[test]
fn an_output_is_complete_or_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let names = || {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let output = folder.join("out.npy");
    fs::write(&output, "before").expect("a file");

    // If a file is abandoned, the old file stays and no other file remains. If it is finished, the new file replaces the old one.
    for (finish, after) in [(false, &b"before"[..]), (true, b"after")] {
        let mut unfinished = Unfinished::new(&output).expect("a file beside it");
        unfinished.file.write_all(b"after").expect("room");
        assert_eq!(names().len(), 2);
        assert_eq!(fs::read(&output).expect("a file"), b"before");
        if finish {
            unfinished.finish().expect("a file that can be replaced");
        } else {
            drop(unfinished);
        }
        assert_eq!(names(), ["out.npy"]);
        assert_eq!(fs::read(&output).expect("a file"), after);
    }

    // A private file stays private, and links stay, also if their file does not exist yet.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        fs::set_permissions(&output, fs::Permissions::from_mode(0o600)).expect("a file");
        let [link, other, new] = ["link", "other", "new.npy"].map(|name| folder.join(name));
        symlink("out.npy", &link).expect("a link");
        symlink(&new, &other).expect("a link");
        for path in [&link, &other] {
            Unfinished::new(path).and_then(Unfinished::finish).expect("a file");
            assert!(path.is_symlink());
        }
        assert_eq!(fs::metadata(&output).expect("a file").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&new).expect("a file"), b"");
        // A link to itself is an error.
        fs::remove_file(&other).and_then(|()| symlink("other", &other)).expect("a link");
        assert!(Unfinished::new(&other).is_err());
    }

    // The error names the temporary file of another process.
    let _other = Unfinished::new(&output).expect("a file beside it");
    let taken = Unfinished::new(&output).map(drop).expect_err("the same name").to_string();
    assert!(taken.contains("its temporary file") && taken.contains(".out.npy."), "{taken}");

    // A path in a missing folder and a path without a file name are errors.
    assert!(Unfinished::new(&folder.join("none").join("out.npy")).is_err());
    assert!(Unfinished::new(std::path::Path::new("..")).is_err());
}

/// A file with a few changed bytes is padded or refused, without a panic and with no memory except the buffers.
#[test]
fn corrupted_files_are_refused() {
    let shape = "'fortran_order': False, 'shape': (2, 3), }\n";
    let record = "{'descr': [('a', '<i2'), ('b', '|S5', (2,))], 'fortran_order': True, 'shape': (6,), }\n";
    let files = [
        file(1, &format!("{{'descr': '<f4', {shape}"), &[7; 24]),
        file(2, &format!("{{'descr': '>U2', {shape}"), &[0; 48]),
        file(3, record, &[9; 72]),
    ];
    let requests = [
        request(PadMode::Constant, &[(1, 2)], &[1]),
        request(PadMode::Reflect, &[(3, 0)], &[]),
        Request { value: Some("1".into()), ..request(PadMode::Constant, &[(0, 1)], &[]) },
    ];
    common::some_refused(18, 3000, |u| {
        let mut file = u.choose(&files)?.clone();
        // Headers consist mostly of digits and brackets.
        common::corrupt(&mut file, u, b"0123456789()[]{}',:<>|LfiuUSVM ")?;
        let request = u.choose(&requests)?;
        let result = || -> Result<(), String> {
            let told = |error: npy::NpyError| error.to_string();
            let (header, start) = Header::read(&mut &file[..]).map_err(told)?;
            let job = Job::new(&header, request)?;
            // The program makes this check too, before it opens the output.
            if (file.len() as u64).saturating_sub(start) < job.input_bytes() {
                return Err("too short".into());
            }
            let mut output = Vec::new();
            job.output.write(&mut output).map_err(told)?;
            if job.output_bytes() < 1 << 16 {
                job.run(Cursor::new(&file), start, &mut output, 64, &mut |_| ()).map_err(told)?;
            }
            Ok(())
        };
        Ok(result())
    });
}
