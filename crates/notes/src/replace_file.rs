//! Replaces a file's content atomically while other programs may write to it. Nothing that they write is lost.
//!
//! The new text is written to a temporary file next to the target. Then the two files are exchanged in one step, and
//! the replaced content is compared with the base of the edit. If another program wrote in between, its text is
//! restored and the caller repeats the edit on it. The replaced file is saved as well, because a program that still has
//! it open may write to it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aha_core::failpoint;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::NotesError;

/// Result of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    Done,
    /// The file's content is not, or no longer, the base of the edit. Nothing was changed.
    Changed,
}

/// Returns the path of the temporary file next to a file, with a name that Logseq and Obsidian ignore. `tag`
/// distinguishes replacements.
pub(crate) fn temp_path(path: &Path, tag: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{}.{tag}.aha-tmp", name.chars().take(60).collect::<String>()))
}

/// Reads a file. `None` if it does not exist.
///
/// # Errors
/// When it exists and cannot be read.
pub fn content(path: &Path) -> Result<Option<Vec<u8>>, NotesError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(NotesError::io("read", path)(error)),
    }
}

/// Replaces the content `base` with `new`, preserving the file's mode; a `base` of `None` means that there is no file.
/// The replaced content is moved to `backup`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn replace(path: &Path, base: Option<&[u8]>, new: &[u8], tag: &str, backup: &Path) -> Result<Replaced, NotesError> {
    let temp_path = temp_path(path, tag);
    write_temp(path, &temp_path, base.is_some(), new)?;
    failpoint::hit("notes.written_beside");
    if content(path)?.as_deref() != base {
        fs::remove_file(&temp_path).map_err(NotesError::io("remove", &temp_path))?;
        return Ok(Replaced::Changed);
    }
    let replaced = match base {
        None => create(path, &temp_path)?,
        Some(base) => exchange(path, &temp_path, base, new, backup)?,
    };
    sync_folder(path);
    Ok(replaced)
}

/// Written in two steps, so that a file with the final name is always complete.
fn write_temp(path: &Path, temp_path: &Path, has_base: bool, new: &[u8]) -> Result<(), NotesError> {
    let part = temp_path.with_extension("aha-part");
    let failed = || NotesError::io("write", &part);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&part).map_err(failed())?;
    let half = new.len() / 2;
    file.write_all(new.get(..half).unwrap_or_default()).map_err(failed())?;
    failpoint::hit("notes.half_written");
    file.write_all(new.get(half..).unwrap_or_default()).map_err(failed())?;
    if has_base && let Ok(metadata) = fs::metadata(path) {
        file.set_permissions(metadata.permissions()).map_err(failed())?;
    }
    file.sync_all().map_err(failed())?;
    fs::rename(&part, temp_path).map_err(NotesError::io("rename", &part))
}

fn create(path: &Path, temp_path: &Path) -> Result<Replaced, NotesError> {
    match rename_new(temp_path, path) {
        Ok(()) => Ok(Replaced::Done),
        Err(error) => {
            fs::remove_file(temp_path).map_err(NotesError::io("remove", temp_path))?;
            match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(Replaced::Changed),
                _ => Err(NotesError::io("create", path)(error)),
            }
        }
    }
}

/// Renames a file. It fails if there is a file with the new name.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
        // If the file system does not support that: creating a hard link also fails if the file exists.
        Err(_) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
    }
}

/// Removes a file whose content is `base`: it is moved to `backup`. It is moved aside first and compared there, and put
/// back if another program has written to it meanwhile.
///
/// # Errors
/// When a file cannot be read or moved.
pub(crate) fn remove(path: &Path, base: &[u8], tag: &str, backup: &Path) -> Result<Replaced, NotesError> {
    let temp_path = temp_path(path, tag);
    match fs::rename(path, &temp_path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
        moved => moved.map_err(NotesError::io("move", path))?,
    }
    failpoint::hit("notes.moved_aside");
    let removed = if content(&temp_path)?.as_deref() == Some(base) {
        move_to_backup(&temp_path, backup).map(|()| Replaced::Done)
    } else {
        match rename_new(&temp_path, path) {
            Ok(()) => Ok(Replaced::Changed),
            // Another program has written a file of this name again.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                move_to_backup(&temp_path, &backup.with_extension("other")).map(|()| Replaced::Changed)
            }
            Err(error) => Err(NotesError::io("restore", path)(error)),
        }
    };
    sync_folder(path);
    removed
}

fn exchange(path: &Path, temp_path: &Path, base: &[u8], new: &[u8], backup: &Path) -> Result<Replaced, NotesError> {
    match exchange_until_settled(path, temp_path, base.to_vec(), new.to_vec()) {
        Ok(Replaced::Done) => move_to_backup(temp_path, backup).map(|()| Replaced::Done),
        Ok(Replaced::Changed) => move_to_backup(temp_path, &backup.with_extension("other")).map(|()| Replaced::Changed),
        // The file was removed or renamed in between. The temporary file may contain what another program wrote.
        Err(Errno::NOENT) if content(temp_path)?.as_deref() == Some(new) => {
            fs::remove_file(temp_path).map_err(NotesError::io("remove", temp_path)).map(|()| Replaced::Changed)
        }
        Err(Errno::NOENT) => move_to_backup(temp_path, &backup.with_extension("other")).map(|()| Replaced::Changed),
        // If the file system cannot exchange files, the comparison just made has to suffice.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::write(backup, base).map_err(NotesError::io("write", backup))?;
            fs::rename(temp_path, path).map_err(NotesError::io("replace", path)).map(|()| Replaced::Done)
        }
        Err(error) => Err(NotesError::io("replace", path)(error.into())),
    }
}

/// Exchanges the two files until the content taken out is what was expected. Unexpected content, written by another
/// program, is put back; the next exchange then expects what was put in before. Content that cannot be read is put back,
/// too, and the error returned.
pub(crate) fn exchange_until_settled(
    path: &Path,
    temp_path: &Path,
    mut expected: Vec<u8>,
    mut offered: Vec<u8>,
) -> Result<Replaced, Errno> {
    let mut settled = Replaced::Done;
    loop {
        renameat_with(CWD, temp_path, CWD, path, RenameFlags::EXCHANGE)?;
        failpoint::hit("notes.exchanged");
        let taken = match fs::read(temp_path) {
            Ok(taken) => taken,
            Err(error) => {
                // What cannot be compared is put back.
                renameat_with(CWD, temp_path, CWD, path, RenameFlags::EXCHANGE)?;
                return Err(read_errno(&error));
            }
        };
        if taken == expected {
            return Ok(settled);
        }
        settled = Replaced::Changed;
        expected = std::mem::replace(&mut offered, taken);
    }
}

/// Returns the number of an error of reading. None of those by which an exchange reports that it is not supported, or
/// that a file is missing: the caller would then go on.
fn read_errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).filter(|errno| *errno == Errno::ACCESS).unwrap_or(Errno::IO)
}

/// Moves a replaced file to the state folder, or copies it there from another file system.
pub(crate) fn move_to_backup(file: &Path, backup: &Path) -> Result<(), NotesError> {
    if fs::rename(file, backup).is_ok() {
        return Ok(());
    }
    fs::copy(file, backup).map_err(NotesError::io("keep", file))?;
    fs::remove_file(file).map_err(NotesError::io("remove", file))
}

fn sync_folder(path: &Path) {
    // Some file systems do not support this; the content itself is synced.
    let _ = path.parent().map(File::open).and_then(Result::ok).map(|folder| folder.sync_all());
}

/// Time for which a file must be unchanged before it is edited. A program that writes in place first truncates the
/// file.
fn quiet_period() -> Duration {
    failpoint::pause("AHA_NOTES_QUIET_MS", Duration::from_millis(300))
}

/// Waits until the file has not been written for a moment, by the file system's own clock. Returns `false` if it keeps
/// changing for twenty checks.
pub(crate) fn wait_until_quiet(path: &Path, probe: &Path) -> Result<bool, NotesError> {
    let quiet = quiet_period();
    for _ in 0..20 {
        let Ok(modified) = fs::metadata(path).and_then(|metadata| metadata.modified()) else { return Ok(true) };
        fs::write(probe, b"").map_err(NotesError::io("write", probe))?;
        let now =
            fs::metadata(probe).and_then(|metadata| metadata.modified()).map_err(NotesError::io("read", probe))?;
        // A modification time in the future contains no information.
        let age = now.duration_since(modified).unwrap_or(quiet);
        if age >= quiet {
            return Ok(true);
        }
        std::thread::sleep(quiet.saturating_sub(age));
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_removed_only_with_the_text_that_it_is_known_to_have() {
        let folder = tempfile::tempdir().unwrap();
        let (page, backup) = (folder.path().join("New.md"), folder.path().join("00001.undone"));
        let remove = || remove(&page, b"- Written\n", "undo-1", &backup).unwrap();
        assert_eq!(remove(), Replaced::Changed, "there is none");
        fs::write(&page, "- Written\n- By hand\n").unwrap();
        assert_eq!(remove(), Replaced::Changed);
        assert_eq!(fs::read_to_string(&page).unwrap(), "- Written\n- By hand\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        fs::write(&page, "- Written\n").unwrap();
        assert_eq!(remove(), Replaced::Done);
        assert_eq!((page.exists(), fs::read_to_string(&backup).unwrap().as_str()), (false, "- Written\n"));
    }

    #[test]
    fn what_cannot_be_read_is_put_back_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let (page, temp_path) = (folder.path().join("Page.md"), folder.path().join("temp"));
        // A folder cannot be read as a file, whoever runs this.
        fs::create_dir(&page).unwrap();
        fs::write(&temp_path, "- Written\n").unwrap();
        let exchanged = exchange_until_settled(&page, &temp_path, b"- By hand\n".to_vec(), b"- Written\n".to_vec());
        assert_eq!(exchanged, Err(Errno::IO));
        assert!(page.is_dir());
        assert_eq!(fs::read_to_string(&temp_path).unwrap(), "- Written\n");
    }

    #[test]
    fn a_file_is_not_renamed_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&from, "a").unwrap();
        fs::write(&to, "b").unwrap();
        assert_eq!(rename_new(&from, &to).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let kept = [&from, &to].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(kept, ["a", "b"]);
    }
}
