//! The database's file: whether it is still the one that was opened, and whether files can be created next to it.
//!
//! Nothing here opens the file itself: closing it would release the locks of this process's connections (POSIX).

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::{Result, StoreError};

/// Number of bytes of the index that SQLite creates next to a database with a write-ahead log.
const INDEX_BYTES: usize = 32 * 1024;

/// The file that the first connection opened.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    /// Numbers of the device and of the file on it.
    identity: (u64, u64),
}

impl DatabaseFile {
    /// Returns the file at this path.
    pub(super) fn of(path: &Path) -> Result<Self> {
        let identity = identity(path).map_err(|_| removed(path))?;
        Ok(Self { path: path.to_owned(), identity })
    }

    /// Fails if the path no longer leads to the file that was opened: writes to that one would be lost.
    pub(super) fn check(&self) -> Result<()> {
        match identity(&self.path) {
            Ok(found) if found != self.identity => Err(removed(&self.path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(removed(&self.path)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    pub(super) fn is_in_use(&self) -> bool {
        is_in_use(&self.path)
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

fn removed(path: &Path) -> StoreError {
    let reason = "the file was removed or replaced while this program uses it; restart this program".to_owned();
    StoreError::CannotOpen { path: path.display().to_string(), reason }
}

/// Whether there is something at this path other than an empty file, which SQLite takes for an empty database.
pub(super) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() > 0)
}

/// Whether a process uses the database or left changes in its write-ahead log.
pub(super) fn is_in_use(path: &Path) -> bool {
    beside(path, "-shm").exists() || fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Creates and removes a file next to the database, of the size that SQLite needs there.
pub(super) fn create_beside(path: &Path) -> io::Result<()> {
    let probe = beside(path, &format!("-probe-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&probe)?;
    let outcome = file.write_all(&vec![0; INDEX_BYTES]).and_then(|()| file.sync_all());
    fs::remove_file(&probe)?;
    outcome
}

pub(super) fn is_about_space(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

pub(super) fn is_about_rights(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{create_beside, is_about_rights, is_about_space};

    /// Error numbers of Linux.
    #[test]
    fn a_full_disk_is_told_from_missing_rights() {
        let [no_space, quota, no_access, not_permitted, read_only, too_many_files] =
            [28, 122, 13, 1, 30, 24].map(io::Error::from_raw_os_error);
        for error in [&no_space, &quota] {
            assert!(is_about_space(error) && !is_about_rights(error), "{error}");
        }
        for error in [&no_access, &not_permitted, &read_only] {
            assert!(is_about_rights(error) && !is_about_space(error), "{error}");
        }
        assert!(!is_about_space(&too_many_files) && !is_about_rights(&too_many_files));
    }

    #[test]
    fn nothing_is_left_next_to_the_database() {
        let folder = tempfile::tempdir().unwrap();
        create_beside(&folder.path().join("a.db")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
