//! Writes an output file that is either complete or absent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Returns an error if the path names no file but standard input or output, a pipe, a device or a folder.
pub(crate) fn check_file(path: &Path) -> io::Result<()> {
    if path == Path::new("-") || fs::metadata(path).is_ok_and(|it| !it.is_file()) {
        return Err(io::Error::other("it is no file: the program cannot use pipes, devices and folders"));
    }
    Ok(())
}

/// A temporary file beside the output. It becomes the output when it is complete, and is deleted otherwise. If the program is killed, the
/// temporary file remains. Its name ends in `.tmp`.
pub(crate) struct Unfinished {
    path: PathBuf,
    output: PathBuf,
    pub(crate) file: File,
    complete: bool,
}

impl Unfinished {
    pub(crate) fn new(output: &Path) -> io::Result<Self> {
        check_file(output)?;
        let permissions = match fs::metadata(output) {
            Ok(replaced) => Some(replaced.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // A symbolic link stays, and its file is replaced or made.
        let mut output = output.to_path_buf();
        while let Ok(target) = fs::read_link(&output) {
            output = output.with_file_name(target);
        }
        let name = output.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let path = output.with_file_name(temporary);
        let file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
            io::Error::new(error.kind(), format!("its temporary file {}: {error}", path.display()))
        })?;
        let unfinished = Unfinished { path, output, file, complete: false };
        if let Some(permissions) = permissions {
            unfinished.file.set_permissions(permissions)?;
        }
        Ok(unfinished)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.sync_all()?;
        fs::rename(&self.path, &self.output)?;
        self.complete = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.complete {
            // An error in `drop` cannot be reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}
