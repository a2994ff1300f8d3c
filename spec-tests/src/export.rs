//! Exports the recorded cases to a folder that can be used without the repository.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

/// The files and folders that are exported, relative to this package.
const SOURCES: [&str; 4] = ["vectors", "engines", "../LICENSE-APACHE", "../LICENSE-MIT"];

/// The names of folders that Python creates and that are not exported.
const LEFT_OUT: [&str; 2] = ["__pycache__", "venv"];

/// The README of the exported folder.
const README: &str = include_str!("export.txt");

/// Writes cases, documents, recorders, adapters and licences to a new or empty folder, with a list of their checksums.
/// Returns one line that describes the written files.
pub fn export(folder: &Path) -> io::Result<String> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::other(format!("{} is not empty", folder.display())));
    }
    let (mut sums, mut count, mut cases) = (String::new(), 0, 0);
    let mut put = |name: &Path, content: &[u8]| {
        let to = folder.join(name);
        fs::create_dir_all(to.parent().unwrap_or(folder))?;
        let _ = writeln!(sums, "{}  {}", checksum(content), name.display());
        count += 1;
        if name.extension().is_some_and(|extension| extension == "jsonl") {
            cases += content.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
        }
        fs::write(to, content)
    };
    put(Path::new("README.md"), README.as_bytes())?;
    for source in SOURCES.map(|source| Path::new(env!("CARGO_MANIFEST_DIR")).join(source)) {
        let entries = WalkDir::new(&source).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| LEFT_OUT.iter().all(|name| entry.file_name() != *name));
        for entry in entries {
            let path = entry?.into_path();
            if path.is_file() {
                let name = path.strip_prefix(source.parent().unwrap_or(&source)).map_err(io::Error::other)?;
                put(name, &fs::read(&path)?)?;
            }
        }
    }
    fs::write(folder.join("SHA256SUMS"), sums)?;
    Ok(format!("{cases} cases in {count} files, in {}", folder.display()))
}

/// Returns the SHA-256 of `content` in hexadecimal.
pub fn checksum(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}
