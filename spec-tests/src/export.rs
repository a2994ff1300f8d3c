//! Exports the recorded cases to a folder that can be used without the repository.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::engine::PROTOCOL;

/// The folders of this package that are exported with all their files.
const FOLDERS: [&str; 2] = ["vectors", "engines"];

/// The files that are exported from the root of the repository.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The names of folders that Python creates and that are not exported.
const LEFT_OUT: [&str; 2] = ["__pycache__", "venv"];

/// Writes cases, documents, recorders, adapters and licences to a new or empty folder, with a list of their checksums.
/// Returns one line that describes the written files.
pub fn export(folder: &Path) -> io::Result<String> {
    let at =
        |path: &Path, error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    if fs::read_dir(folder).map_err(|error| at(folder, error))?.next().is_some() {
        return Err(at(folder, io::Error::new(io::ErrorKind::AlreadyExists, "is not empty")));
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = package.parent().unwrap_or(package);
    let mut sources = BTreeMap::<String, PathBuf>::new();
    for name in LICENCES {
        sources.insert(name.into(), repository.join(name));
    }
    for name in FOLDERS {
        collect(&package.join(name), name, &mut sources).map_err(|error| at(&package.join(name), error))?;
    }

    let mut files = Vec::new();
    let (mut sums, mut cases, mut bytes) = (String::new(), 0, 0);
    let mut put = |name: &str, content: &[u8]| -> io::Result<()> {
        let to = folder.join(name);
        let above = to.parent().unwrap_or(folder);
        fs::create_dir_all(above).and_then(|()| fs::write(&to, content)).map_err(|error| at(&to, error))?;
        let sum = checksum(content);
        let _ = writeln!(sums, "{sum}  {name}");
        let mut entry = json!({"path": name, "bytes": content.len(), "sha256": sum});
        if name.ends_with(".jsonl") {
            let count = content.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
            entry["cases"] = json!(count);
            cases += count;
        }
        bytes += content.len();
        files.push(entry);
        Ok(())
    };
    put("README.md", README.as_bytes())?;
    for (name, source) in &sources {
        put(name, &fs::read(source).map_err(|error| at(source, error))?)?;
    }
    let count = files.len();
    let manifest: Value = json!({
        "name": "pad vectors", "version": env!("CARGO_PKG_VERSION"), "protocol": PROTOCOL,
        "licence": "MIT OR Apache-2.0", "files": files,
    });
    let manifest = serde_json::to_string_pretty(&manifest)? + "\n";
    let _ = writeln!(sums, "{}  manifest.json", checksum(manifest.as_bytes()));
    for (name, content) in [("manifest.json", manifest), ("SHA256SUMS", sums)] {
        let to = folder.join(name);
        fs::write(&to, content).map_err(|error| at(&to, error))?;
    }
    Ok(format!("{cases} cases in {count} files, {bytes} bytes, in {}", folder.display()))
}

/// Adds all files of a folder and its subfolders to `files`. The keys are the names in the export.
fn collect(folder: &Path, name: &str, files: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let inside = entry.file_name();
        let Some(inside) = inside.to_str().filter(|inside| !LEFT_OUT.contains(inside)) else { continue };
        let name = format!("{name}/{inside}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.insert(name, entry.path());
        }
    }
    Ok(())
}

/// Returns the SHA-256 of `content` in hexadecimal.
pub fn checksum(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |mut sum, byte| {
        let _ = write!(sum, "{byte:02x}");
        sum
    })
}

/// The README of the exported folder.
const README: &str = include_str!("export.txt");
