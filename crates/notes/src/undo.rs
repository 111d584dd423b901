//! Undoes the latest apply. A file that is unchanged since gets its former text. From one that was changed since, only
//! what was written is removed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::apply::relative;
use crate::change::unlink;
use crate::document::Document;
use crate::error::NotesError;
use crate::graph::Graph;
use crate::replace_file::{content, remove, replace, wait_until_quiet};
use crate::state::{Record, State, WriteKind, hash, is_done, undo_tag};

/// Result of undoing one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// The file is as it was before the apply.
    Restored { file: String },
    /// The file was changed since; only what was written was removed.
    Removed { file: String },
    /// What was written was itself changed since; the file was not modified.
    Skipped { file: String, why: &'static str },
}

/// Undoes the latest set. Returns an empty list if there is none.
///
/// # Errors
/// When a file cannot be read or written, or another program keeps changing it. What was undone until then stays
/// undone, and the next call does the rest.
pub fn undo(graph: &Graph, state: &State) -> Result<Vec<Undone>, NotesError> {
    let Some(set) = state.sets()?.into_iter().next() else { return Ok(Vec::new()) };
    let mut undoing = Undoing { graph, state, own_writes: HashMap::new() };
    let (mut records, mut undone) = (State::records(&set)?, Vec::new());
    while let Some((path, record)) = records.pop() {
        undone.push(undoing.undo_one(&path, &record, &records)?);
    }
    State::set_undone(&set)?;
    Ok(undone)
}

struct Undoing<'a> {
    graph: &'a Graph,
    state: &'a State,
    /// Hashes of files written by this undo. There is no need to wait until these are quiet.
    own_writes: HashMap<PathBuf, String>,
}

impl Undoing<'_> {
    /// `earlier` are the records of the same set before this one.
    fn undo_one(
        &mut self,
        recorded: &Path,
        record: &Record,
        earlier: &[(PathBuf, Record)],
    ) -> Result<Undone, NotesError> {
        let path = self.graph.root().join(&record.file);
        let file = relative(self.graph, &path);
        if self.graph.is_behind_link(&path) {
            return Ok(Undone::Skipped { file, why: "it or a folder above it is a symbolic link" });
        }
        let present = self.quiet_content(&path)?;
        // An interrupted undo may already have undone earlier writes of the set, too.
        let mut known = earlier.iter().map(|(_, earlier)| earlier).filter(|earlier| earlier.file == record.file);
        let present_hash = present.as_deref().map(hash);
        if record.base == present_hash || known.any(|earlier| earlier.base == present_hash) {
            return Ok(Undone::Restored { file });
        }
        let Some(present) = present else { return Ok(Undone::Skipped { file, why: "it was removed" }) };
        if present_hash.as_ref() == Some(&record.new) {
            let is_undone = match content(&recorded.with_extension("before"))? {
                Some(before) => self.replace(&path, &present, &before, recorded)?,
                None => is_done(remove(&path, &present, &undo_tag(recorded), &recorded.with_extension("undone"))?),
            };
            if is_undone {
                return Ok(Undone::Restored { file });
            }
        }
        self.remove_from_changed(&path, recorded, record)
    }

    /// Removes what was written from a file that was changed since.
    fn remove_from_changed(&mut self, path: &Path, recorded: &Path, record: &Record) -> Result<Undone, NotesError> {
        let file = relative(self.graph, path);
        let Some(present) = self.quiet_content(path)? else {
            return Ok(Undone::Skipped { file, why: "it was removed" });
        };
        let Ok(text) = std::str::from_utf8(&present) else {
            return Ok(Undone::Skipped { file, why: "it is not UTF-8 any more" });
        };
        let mut document = Document::parse(self.graph.format(), text);
        if let Err(why) = take_out(&mut document, &record.wrote) {
            return Ok(Undone::Skipped { file, why });
        }
        let remaining = document.text();
        if remaining != text && !self.replace(path, &present, remaining.as_bytes(), recorded)? {
            return Err(NotesError::Busy(path.to_owned()));
        }
        Ok(Undone::Removed { file })
    }

    /// Reads a file that no other program is writing to at the moment. `None` if it does not exist.
    fn quiet_content(&self, path: &Path) -> Result<Option<Vec<u8>>, NotesError> {
        let present = content(path)?;
        let is_own = present.as_ref().is_some_and(|present| self.own_writes.get(path) == Some(&hash(present)));
        if is_own {
            return Ok(present);
        }
        if !wait_until_quiet(path, &self.state.probe())? {
            return Err(NotesError::Busy(path.to_owned()));
        }
        content(path)
    }

    /// Returns whether the file was replaced. It was not if another program has changed it.
    fn replace(&mut self, path: &Path, base: &[u8], new: &[u8], recorded: &Path) -> Result<bool, NotesError> {
        let backup = recorded.with_extension("undone");
        let replaced = is_done(replace(path, Some(base), new, &undo_tag(recorded), &backup)?);
        if replaced {
            self.own_writes.insert(path.to_owned(), hash(new));
        }
        Ok(replaced)
    }
}

fn take_out(document: &mut Document, wrote: &WriteKind) -> Result<(), &'static str> {
    match wrote {
        WriteKind::Block { id, text } => {
            let found = (0..document.blocks().len()).find(|index| document.explicit_id(*index).as_deref() == Some(id));
            // If it was already removed, there is nothing to do.
            let Some(index) = found else { return Ok(()) };
            let written = crate::content::lines(document.format(), text).map(|lines| lines.join("\n"));
            if written.as_deref() != Some(document.block_text(index).as_str()) {
                return Err("what was written was edited since");
            }
            document.remove(index).map_err(|_| "something stands below what was written")
        }
        WriteKind::Link { link } => unlink(document, link).map(|_| ()).map_err(|_| "the journal's block was changed"),
        WriteKind::Replacement { .. } => Err("the page was changed since a block of it was replaced"),
    }
}
