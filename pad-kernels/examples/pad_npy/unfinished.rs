//! Writes an output file that is either complete or absent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A temporary file beside the output. It becomes the output when it is complete, and is deleted otherwise. If the program is killed, the
/// temporary file remains. Its name ends in `.tmp`.
pub(crate) struct Unfinished {
    path: PathBuf,
    pub(crate) file: File,
    complete: bool,
}

impl Unfinished {
    pub(crate) fn new(output: &Path) -> io::Result<Self> {
        let name = output.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let path = output.with_file_name(temporary);
        let file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
            io::Error::new(error.kind(), format!("its temporary file {}: {error}", path.display()))
        })?;
        Ok(Unfinished { path, file, complete: false })
    }

    pub(crate) fn finish(mut self, output: &Path) -> io::Result<()> {
        self.file.flush()?;
        self.file.sync_all()?;
        fs::rename(&self.path, output)?;
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
