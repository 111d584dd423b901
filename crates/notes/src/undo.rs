//! Undoes the latest apply. A file that is unchanged since gets its former text. From one that was changed since, only
//! what was written is removed.

use std::path::Path;

use crate::apply::relative;
use crate::change::unlink;
use crate::document::Document;
use crate::error::NotesError;
use crate::graph::Graph;
use crate::replace_file::{content, move_to_backup, replace};
use crate::state::{Record, State, WriteKind, hash, is_done};

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
/// When a file cannot be read or written. What was undone until then stays undone, and the next call does the rest.
pub fn undo(graph: &Graph, state: &State) -> Result<Vec<Undone>, NotesError> {
    let Some(set) = state.sets()?.into_iter().next() else { return Ok(Vec::new()) };
    let mut undone = Vec::new();
    for (path, record) in State::records(&set)?.into_iter().rev() {
        undone.push(undo_one(graph, &path, &record)?);
    }
    State::set_undone(&set)?;
    Ok(undone)
}

fn undo_one(graph: &Graph, recorded: &Path, record: &Record) -> Result<Undone, NotesError> {
    let path = graph.root().join(&record.file);
    let file = relative(graph, &path);
    let Some(present) = content(&path)? else {
        return Ok(match record.base {
            None => Undone::Restored { file },
            Some(_) => Undone::Skipped { file, why: "it was removed" },
        });
    };
    let is_before = record.base.as_ref() == Some(&hash(&present));
    if is_before {
        return Ok(Undone::Restored { file });
    }
    let (tag, backup) = (format!("undo-{}", crate::state::tag(recorded)), recorded.with_extension("undone"));
    if hash(&present) == record.new {
        let Some(before) = content(&recorded.with_extension("before"))? else {
            move_to_backup(&path, &backup)?;
            return Ok(Undone::Restored { file });
        };
        if is_done(replace(&path, Some(&present), &before, &tag, &backup)?) {
            return Ok(Undone::Restored { file });
        }
    }
    let Some(present) = content(&path)? else { return Ok(Undone::Skipped { file, why: "it was removed" }) };
    let Ok(text) = std::str::from_utf8(&present) else {
        return Ok(Undone::Skipped { file, why: "it is not UTF-8 any more" });
    };
    let mut document = Document::parse(graph.format(), text);
    if let Err(why) = take_out(&mut document, &record.wrote) {
        return Ok(Undone::Skipped { file, why });
    }
    let replaced = replace(&path, Some(&present), document.text().as_bytes(), &tag, &backup)?;
    Ok(if is_done(replaced) { Undone::Removed { file } } else { Undone::Skipped { file, why: "it is being changed" } })
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
