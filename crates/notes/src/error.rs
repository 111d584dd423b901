//! Errors of reading and writing a graph.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::edit::EditError;

/// An error of reading or writing a graph.
#[derive(Debug, Error)]
pub enum NotesError {
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is not UTF-8, so it is not read and never written; convert it to UTF-8", .0.display())]
    NotUtf8(PathBuf),
    #[error(
        "{} is a graph in Logseq's database form: its notes are rows of db.sqlite, which only Logseq may write. \
         Export it as a standard (Markdown) graph and name that folder",
        .0.display()
    )]
    DatabaseGraph(PathBuf),
    #[error("{} is no graph: it has neither logseq/config.edn nor Markdown files; name the folder that holds pages/ and journals/", .0.display())]
    NotAGraph(PathBuf),
    #[error("{}: {problem}; fix it or remove the setting", path.display())]
    Config { path: PathBuf, problem: String },
    #[error("\"{0}\" cannot be the name of a page: it is empty or leads out of the graph; choose another name")]
    PageName(String),
    #[error("\"{0}\" names a journal day, and knowledge is written to pages only; choose the name of a page")]
    DayName(String),
    #[error(
        "page \"{page}\" is not written: {} or a folder above it is a symbolic link, and these are ignored; choose \
         another page, or put the file itself there",
        path.display()
    )]
    SymbolicLink { page: String, path: PathBuf },
    #[error("page \"{page}\" has no block {block} any more; extract again to see where the knowledge belongs now")]
    NoBlock { page: String, block: String },
    #[error("page \"{page}\": {source}; nothing was written")]
    Edit { page: String, source: EditError },
    #[error(
        "page \"{page}\" is written, but the journal day is not marked with a link to it: {source}; correct that and \
         repeat the command, which adds the link only"
    )]
    NotLinked { page: String, source: Box<NotesError> },
    #[error("{} keeps being changed by another program; nothing was written there, try again when that program is idle", .0.display())]
    Busy(PathBuf),
    #[error("{} is today's page, which may still be written by hand; say --today to change it", .0.display())]
    Today(PathBuf),
    #[error("{}: not a record of changes ({problem}); remove it to go on without it", path.display())]
    Record { path: PathBuf, problem: String },
}

impl NotesError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
