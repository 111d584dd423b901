//! The state folder of a graph. It records what each write replaced, so that writes can be undone and interrupted ones
//! cleaned up.
//!
//! A set is the records of one apply: a folder with one record per write, created before the write, and the replaced
//! text. The graph can be read without it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use aha_core::failpoint;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::NotesError;
use crate::replace_file::{Replaced, content, exchange_until_settled, move_to_backup, rename_new, temp_path};

/// How a write is undone if the file was changed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "wrote")]
pub enum WriteKind {
    /// A block with this id was added.
    Block { id: String, text: String },
    /// A block's text was replaced.
    Replacement { id: String },
    /// A link was added to a journal's block.
    Link { link: String },
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file, relative to the graph.
    pub file: String,
    /// Hash of the previous content. `None` for a new file.
    pub base: Option<String>,
    /// Hash of the written content.
    pub new: String,
    #[serde(flatten)]
    pub wrote: WriteKind,
}

/// The opened state folder. While it is open, no other process that uses this crate writes to the graph.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    graph: PathBuf,
    _lock: File,
}

/// The records of one apply.
#[derive(Debug)]
pub struct Set {
    pub folder: PathBuf,
    next: usize,
}

#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(32);
    for byte in Sha256::digest(bytes).iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

const UNDONE: &str = "undone";

impl State {
    /// Opens the state of a graph below `folder`, and cleans up after a killed process. Waits while another process has
    /// it open.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn open(folder: &Path, graph: &Path) -> Result<Self, NotesError> {
        let folder = folder.join(hash(graph.to_string_lossy().as_bytes()));
        fs::create_dir_all(&folder).map_err(NotesError::io("create", &folder))?;
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(NotesError::io("create", &path))?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| NotesError::io("lock", &path)(error.into()))?;
        let state = Self { folder, graph: graph.to_owned(), _lock: lock };
        state.clean_up()?;
        Ok(state)
    }

    /// Returns the path of a scratch file.
    pub(crate) fn probe(&self) -> PathBuf {
        self.folder.join("probe")
    }

    /// Returns all sets that are not undone, the latest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn sets(&self) -> Result<Vec<PathBuf>, NotesError> {
        let entries = fs::read_dir(&self.folder).map_err(NotesError::io("list", &self.folder))?;
        let folders = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let is_set = |path: &PathBuf| path.is_dir() && path.extension().is_none();
        let mut sets: Vec<PathBuf> = folders.filter(is_set).collect();
        sets.sort_by(|a, b| b.cmp(a));
        Ok(sets)
    }

    /// # Errors
    /// When its folder cannot be created.
    pub fn new_set(&self) -> Result<Set, NotesError> {
        let entries = fs::read_dir(&self.folder).map_err(NotesError::io("list", &self.folder))?;
        let stems = entries.filter_map(|entry| entry.ok()?.path().file_stem()?.to_str()?.parse::<u64>().ok());
        let folder = self.folder.join(format!("{:08}", stems.max().unwrap_or_default() + 1));
        fs::create_dir(&folder).map_err(NotesError::io("create", &folder))?;
        Ok(Set { folder, next: 0 })
    }

    /// Marks a set as undone. It is not deleted.
    pub(crate) fn set_undone(set: &Path) -> Result<(), NotesError> {
        fs::rename(set, set.with_extension(UNDONE)).map_err(NotesError::io("rename", set))
    }

    /// Returns the records of a set with their paths, in order.
    pub(crate) fn records(set: &Path) -> Result<Vec<(PathBuf, Record)>, NotesError> {
        let entries = fs::read_dir(set).map_err(NotesError::io("list", set))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        paths.into_iter().map(|path| Ok((path.clone(), read_record(&path)?))).collect()
    }

    /// Cleans up temporary files that a killed process left next to their targets. Text from other programs is
    /// restored, our own is removed.
    fn clean_up(&self) -> Result<(), NotesError> {
        for set in self.sets()? {
            for (path, record) in Self::records(&set)? {
                let file = self.graph.join(&record.file);
                let moved_aside = temp_path(&file, &undo_tag(&path));
                // An undo was killed while it removed a new page.
                if record.base.is_none() && moved_aside.exists() && !file.exists() {
                    rename_new(&moved_aside, &file).map_err(NotesError::io("restore", &file))?;
                }
                let _ = fs::remove_file(temp_path(&file, &tag(&path)).with_extension("aha-part"));
                let temp_path = temp_path(&file, &tag(&path));
                let Some(left) = content(&temp_path)? else { continue };
                let left_hash = hash(&left);
                if left_hash == record.new {
                    fs::remove_file(&temp_path).map_err(NotesError::io("remove", &temp_path))?;
                } else if record.base.as_ref() == Some(&left_hash) {
                    move_to_backup(&temp_path, &path.with_extension("kept"))?;
                } else {
                    Self::restore_other(&file, &temp_path, &record, left, &path)?;
                }
            }
        }
        Ok(())
    }

    /// Restores another program's text. The process was killed after an exchange replaced that text and before it could
    /// put it back.
    fn restore_other(
        file: &Path,
        temp_path: &Path,
        record: &Record,
        left: Vec<u8>,
        path: &Path,
    ) -> Result<(), NotesError> {
        let present = content(file)?;
        if let Some(present) = present.filter(|present| hash(present) == record.new) {
            let settled = exchange_until_settled(file, temp_path, present, left);
            settled.map_err(|error| NotesError::io("replace", file)(error.into()))?;
        }
        move_to_backup(temp_path, &path.with_extension("other"))
    }

    /// Returns the replaced files that another program, which had them open, wrote to afterwards, with the path of the
    /// saved text.
    ///
    /// # Errors
    /// When a set cannot be read.
    pub fn written_late(&self) -> Result<Vec<(String, PathBuf)>, NotesError> {
        let mut late = Vec::new();
        for set in self.sets()?.into_iter().take(1) {
            for (path, record) in Self::records(&set)? {
                let backup = path.with_extension("kept");
                let hash_of_kept = content(&backup)?.map(|bytes| hash(&bytes));
                if hash_of_kept.is_some_and(|hash| Some(hash) != record.base) {
                    late.push((record.file, backup));
                }
            }
        }
        Ok(late)
    }
}

/// Returns the tag that identifies the temporary file of a record.
pub(crate) fn tag(record: &Path) -> String {
    let set = record.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("{set}-{}", record.file_stem().unwrap_or_default().to_string_lossy())
}

/// Returns the tag that identifies the temporary file of a record's undo.
pub(crate) fn undo_tag(record: &Path) -> String {
    format!("undo-{}", tag(record))
}

fn read_record(path: &Path) -> Result<Record, NotesError> {
    let bytes = fs::read(path).map_err(NotesError::io("read", path))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| NotesError::Record { path: path.to_owned(), problem: error.to_string() })
}

impl Set {
    /// Records a write before it is made, first the text to be replaced. Returns the record's path.
    pub(crate) fn record(&mut self, record: &Record, base: Option<&[u8]>) -> Result<PathBuf, NotesError> {
        self.next += 1;
        let path = self.folder.join(format!("{:05}.json", self.next));
        if let Some(base) = base {
            write_synced(&path.with_extension("before"), base)?;
        }
        let json = serde_json::to_vec_pretty(record).unwrap_or_default();
        let part = path.with_extension("part");
        write_synced(&part, &json)?;
        fs::rename(&part, &path).map_err(NotesError::io("rename", &part))?;
        failpoint::hit("notes.recorded");
        Ok(path)
    }

    /// Deletes the record of a write that was not made.
    pub(crate) fn discard(path: &Path) {
        let _ = fs::remove_file(path);
        let _ = fs::remove_file(path.with_extension("before"));
    }

    /// Removes the set if nothing was written, else returns its folder.
    pub(crate) fn finish(self) -> Option<PathBuf> {
        fs::remove_dir(&self.folder).is_err().then_some(self.folder)
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), NotesError> {
    use std::io::Write as _;
    let mut file = File::create(path).map_err(NotesError::io("create", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(NotesError::io("write", path))
}

/// Returns whether a replacement was made.
pub(crate) const fn is_done(replaced: Replaced) -> bool {
    matches!(replaced, Replaced::Done)
}
