//! An output whose files are whole or not there, and which looks like an array only once it is complete.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zarrs::storage::{
    Bytes, OffsetBytesIterator, StorageError, StoreKey, StorePrefix, WritableStorageTraits,
};

use crate::job::Failure;

/// An output that is being made.
///
/// Until it is complete it has a folder in which files are written before they get their names. The folder also holds what is
/// being made, so that nothing else is made to go on with it.
pub(crate) struct Unfinished {
    pub(crate) files: Arc<WholeFiles>,
    /// Locked while a process writes.
    _lock: File,
}

impl Unfinished {
    /// Begins an output, or goes on with one that was begun on the same terms.
    pub(crate) fn begin(output: &Path, terms: &str, resume: bool) -> Result<Unfinished, Failure> {
        let folder = output.join(".pad_zarr");
        let begun = folder.exists();
        if begun && !resume {
            return Err("it was begun and not finished: --resume goes on with it, or remove it".into());
        }
        if !begun && fs::read_dir(output).is_ok_and(|mut files| files.next().is_some()) {
            return Err(
                "it is there already and complete, or of another program: remove it, or name another".into(),
            );
        }
        fs::create_dir_all(&folder)?;
        let lock = File::options().create(true).append(true).open(folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err("another process is writing it".into()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let files =
            WholeFiles { root: output.to_path_buf(), folder: folder.clone(), number: AtomicU64::new(0) };
        match fs::read_to_string(folder.join("request.json")) {
            Ok(before) if before == terms => {}
            Ok(before) => {
                return Err(format!("it was begun as {before}\nand is asked to go on as {terms}").into());
            }
            // It ended before anything was made.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files.write(&folder.join("request.json"), terms.as_bytes())?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Unfinished { files: Arc::new(files), _lock: lock })
    }

    /// Takes away what only an unfinished output has, at once: with a part of it the output could be gone on with on other terms.
    pub(crate) fn finish(self) -> io::Result<()> {
        let finished = self.files.root.join(".pad_zarr.finished");
        fs::rename(&self.files.folder, &finished)?;
        fs::remove_dir_all(finished)
    }
}

/// Files that are written under another name and then get their own.
#[derive(Debug)]
pub(crate) struct WholeFiles {
    root: PathBuf,
    folder: PathBuf,
    number: AtomicU64,
}

impl WholeFiles {
    pub(crate) fn path(&self, key: &StoreKey) -> PathBuf {
        self.root.join(key.as_str())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // What a process that was killed has left here is written over, and taken away in the end.
        let unnamed = self.folder.join(self.number.fetch_add(1, Ordering::Relaxed).to_string());
        let mut file = File::create(&unnamed)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::rename(unnamed, path)
    }
}

impl WritableStorageTraits for WholeFiles {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        Ok(self.write(&self.path(key), &value)?)
    }

    fn set_partial_many(&self, _: &StoreKey, _: OffsetBytesIterator<'_>) -> Result<(), StorageError> {
        Err(StorageError::Unsupported("parts of files are never whole".into()))
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        match fs::remove_file(self.path(key)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn erase_prefix(&self, _: &StorePrefix) -> Result<(), StorageError> {
        Err(StorageError::Unsupported("an output only grows".into()))
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}
