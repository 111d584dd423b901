//! A file's content replaced at once, while other programs may write it: nothing that they write is lost.
//!
//! The new text is written beside the file, then the two are exchanged in one step, and what came out is compared with what the edit was made
//! of. Where another program wrote in between, its text goes back and the caller edits that one. The replaced file itself is kept: a
//! program that still had it open may write to it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aha_core::failpoint;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::NotesError;

/// What became of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    Done,
    /// The file is not what the edit was made of (any more); nothing was changed.
    Changed,
}

/// The file beside, named so that Logseq and Obsidian do not see it; `tag` tells replacements apart.
pub(crate) fn beside(path: &Path, tag: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{}.{tag}.aha-tmp", name.chars().take(60).collect::<String>()))
}

/// The content of a file; `None` where there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub fn content(path: &Path) -> Result<Option<Vec<u8>>, NotesError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(NotesError::io("read", path)(error)),
    }
}

/// Puts `new` in the place of `base` (`None`: where no file was), keeping the file's mode. What was replaced is moved to `kept`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn replace(path: &Path, base: Option<&[u8]>, new: &[u8], tag: &str, kept: &Path) -> Result<Replaced, NotesError> {
    let beside = beside(path, tag);
    write_beside(path, &beside, base.is_some(), new)?;
    failpoint::hit("notes.written_beside");
    if content(path)?.as_deref() != base {
        fs::remove_file(&beside).map_err(NotesError::io("remove", &beside))?;
        return Ok(Replaced::Changed);
    }
    let replaced = match base {
        None => create(path, &beside)?,
        Some(base) => exchange(path, &beside, base, new, kept)?,
    };
    sync_folder(path);
    Ok(replaced)
}

/// In two steps, so that a file of the final name is always whole.
fn write_beside(path: &Path, beside: &Path, has_base: bool, new: &[u8]) -> Result<(), NotesError> {
    let part = beside.with_extension("aha-part");
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
    fs::rename(&part, beside).map_err(NotesError::io("rename", &part))
}

fn create(path: &Path, beside: &Path) -> Result<Replaced, NotesError> {
    let created = match renameat_with(CWD, beside, CWD, path, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(Replaced::Done),
        Err(Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
        // Where the file system cannot do that: a link to it is made only if no file is there.
        Err(_) => fs::hard_link(beside, path),
    };
    fs::remove_file(beside).map_err(NotesError::io("remove", beside))?;
    match created {
        Ok(()) => Ok(Replaced::Done),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Replaced::Changed),
        Err(error) => Err(NotesError::io("create", path)(error)),
    }
}

fn exchange(path: &Path, beside: &Path, base: &[u8], new: &[u8], kept: &Path) -> Result<Replaced, NotesError> {
    match exchange_until_settled(path, beside, base.to_vec(), new.to_vec()) {
        Ok(Replaced::Done) => keep(beside, kept).map(|()| Replaced::Done),
        Ok(Replaced::Changed) => keep(beside, &kept.with_extension("other")).map(|()| Replaced::Changed),
        // It was removed or renamed in between.
        Err(Errno::NOENT) => {
            fs::remove_file(beside).map_err(NotesError::io("remove", beside)).map(|()| Replaced::Changed)
        }
        // Where the file system cannot exchange: the comparison above was just made.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::write(kept, base).map_err(NotesError::io("write", kept))?;
            fs::rename(beside, path).map_err(NotesError::io("replace", path)).map(|()| Replaced::Done)
        }
        Err(error) => Err(NotesError::io("replace", path)(error.into())),
    }
}

/// Exchanges the two files; where something else than `expected` comes out, that goes back, until what comes out is what was put in before.
pub(crate) fn exchange_until_settled(
    path: &Path,
    beside: &Path,
    mut expected: Vec<u8>,
    mut offered: Vec<u8>,
) -> Result<Replaced, Errno> {
    let mut settled = Replaced::Done;
    loop {
        renameat_with(CWD, beside, CWD, path, RenameFlags::EXCHANGE)?;
        failpoint::hit("notes.exchanged");
        let taken = fs::read(beside).unwrap_or_default();
        if taken == expected {
            return Ok(settled);
        }
        settled = Replaced::Changed;
        expected = std::mem::replace(&mut offered, taken);
    }
}

/// Moves a replaced file to the state folder; on another file system it is copied there.
pub(crate) fn keep(file: &Path, kept: &Path) -> Result<(), NotesError> {
    if fs::rename(file, kept).is_ok() {
        return Ok(());
    }
    fs::copy(file, kept).map_err(NotesError::io("keep", file))?;
    fs::remove_file(file).map_err(NotesError::io("remove", file))
}

fn sync_folder(path: &Path) {
    // Some file systems refuse it; the content itself is synced.
    let _ = path.parent().map(File::open).and_then(Result::ok).map(|folder| folder.sync_all());
}

/// How long a file has to be unchanged before it is edited: a program that writes in place empties it first.
fn quiet_for() -> Duration {
    failpoint::pause("AHA_NOTES_QUIET_MS", Duration::from_millis(300))
}

/// Waits until the file has not been written for a moment, by the file system's own clock; gives up after a while.
pub(crate) fn is_quiet(path: &Path, probe: &Path) -> Result<bool, NotesError> {
    let quiet = quiet_for();
    for _ in 0..20 {
        let Ok(modified) = fs::metadata(path).and_then(|metadata| metadata.modified()) else { return Ok(true) };
        fs::write(probe, b"").map_err(NotesError::io("write", probe))?;
        let now =
            fs::metadata(probe).and_then(|metadata| metadata.modified()).map_err(NotesError::io("read", probe))?;
        // A time in the future tells nothing.
        let age = now.duration_since(modified).unwrap_or(quiet);
        if age >= quiet {
            return Ok(true);
        }
        std::thread::sleep(quiet.saturating_sub(age));
    }
    Ok(false)
}
