//! An output whose files are either complete or absent. It becomes a valid array only when it is complete.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zarrs::storage::{
    Bytes, OffsetBytesIterator, StorageError, StoreKey, StorePrefix, WritableStorageTraits,
};

use crate::job::Failure;

/// An output that is not complete.
///
/// Until it is complete, it has a folder in which files are written before they are renamed. The folder also holds the terms of the
/// request. Only a request with the same terms can continue the output.
pub(crate) struct Unfinished {
    pub(crate) files: Arc<WholeFiles>,
    /// This file is locked while a process writes.
    _lock: File,
}

impl Unfinished {
    /// Begins an output, or continues one that was begun with the same terms.
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
            // The earlier run ended before it made anything.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files.write(&folder.join("request.json"), terms.as_bytes())?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Unfinished { files: Arc::new(files), _lock: lock })
    }

    /// Removes the folder of the unfinished output in one step. With a part of the folder, another request could continue the output.
    pub(crate) fn finish(self) -> io::Result<()> {
        let finished = self.files.root.join(".pad_zarr.finished");
        fs::rename(&self.files.folder, &finished)?;
        fs::remove_dir_all(finished)
    }
}

/// Files that are written under another name, and then renamed.
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
        // A killed process may have left a file here. It is overwritten now, and removed at the end.
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
