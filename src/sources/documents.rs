//! The user's documents in a local folder or file. Input: a path and the known hashes. Output: new, changed and
//! deleted documents, in batches. Such a source can only be created on the command line. Called by
//! [`crate::pipeline::documents`].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aha_content::documents::{Document, DocumentError, Format, MAX_DOCUMENT_BYTES, read_with};
use aha_content::language::Languages;
use aha_core::time::Timestamp;
use aha_net::hash::hex32;
use aha_store::NewDocument;
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::fetch::FetchError;
use super::pdf_process::{PdfError, PdfReader};

/// Maximum number of documents of a source; the rest is left out and reported.
const MAX_FILES: usize = 20_000;
/// A batch ends with this many documents, or this much text, whichever comes first. Bounds the memory, and how long
/// storing a batch keeps others from writing.
const BATCH_DOCUMENTS: usize = 100;
const BATCH_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 16;
/// Part of the hash of a document. With another version all documents count as changed and are read again.
const READER_VERSION: u32 = 7;
/// Begin what is stored in place of the hash of a document that could not be read; the hash and the reason follow. It has
/// no passages, or those of an earlier content.
const UNREADABLE: &str = "unreadable ";
const OUTDATED: &str = "outdated ";

/// Changes to a folder since it was last read, or a batch of them.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub read: Vec<NewDocument>,
    /// Documents without passages, which are stored only so that they are not read again before they change.
    pub unreadable: Vec<NewDocument>,
    /// The same, for documents that stay as they were: path, and what is to be stored in place of the hash.
    pub hashes: Vec<(String, String)>,
    /// Paths that no longer exist, or hold no text any more.
    pub removed: Vec<String>,
    pub unchanged: usize,
    /// Path and reason of each document that could not be read.
    pub failed: Vec<(String, String)>,
}

/// Why a document is left out.
#[derive(Debug, Error)]
enum ReadError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Pdf(#[from] PdfError),
}

impl ReadError {
    /// Whether the content is the reason, so that reading it again would fail again.
    const fn is_of_content(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Document(_) => true,
            Self::Pdf(error) => error.is_of_file(),
        }
    }
}

/// Reads new and changed documents; `known` has the hash of each path read before. A known document that cannot be read
/// stays as it was; one that holds no text any more is removed. One that could not be read is not read again before it
/// changes, but is reported each time. `pdf_reader` reads the PDF files. After `stop`, the files that were not read yet
/// stay as they were. Every full batch goes to `hand_over`; the last one, which has the deleted documents, is returned.
/// Blocks, so call it on a blocking thread.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn changes(
    url: &str,
    known: &BTreeMap<String, String>,
    pdf_reader: &PdfReader,
    stop: &CancellationToken,
    now: Timestamp,
    mut hand_over: impl FnMut(Changes),
) -> Result<Changes, FetchError> {
    let root = root(url)?;
    let (mut files, unreadable) = files(&root)?;
    let (mut changes, mut text_bytes) = (Changes::default(), 0);
    if files.len() > MAX_FILES {
        let left_out = files.split_off(MAX_FILES).len();
        changes
            .failed
            .push((root.display().to_string(), format!("{left_out} documents beyond {MAX_FILES} are left out")));
    }
    let base = if root.is_file() { root.parent().unwrap_or(&root) } else { &root };
    let names = names(&files, base);
    let read_pdf = |bytes: &[u8]| pdf_reader.read(bytes, stop).map_err(ReadError::from);
    for (file, (path, name)) in files.iter().zip(&names) {
        if stop.is_cancelled() {
            break;
        }
        match read_one(file, (path, name), known.get(path), read_pdf, now) {
            Reading::Read(document) => {
                text_bytes += document.passages.iter().map(|(_, text)| text.len()).sum::<usize>();
                changes.read.push(*document);
            }
            Reading::Unchanged => changes.unchanged += 1,
            Reading::FailedBefore(reason) => changes.failed.push((path.clone(), reason)),
            Reading::Failed { error, hash } => {
                changes.failed.push((path.clone(), error.to_string()));
                let has_passages = known.get(path).is_some_and(|known| !known.starts_with(UNREADABLE));
                changes.remember(path, name, &error, hash, has_passages, now);
            }
        }
        if changes.documents() >= BATCH_DOCUMENTS || text_bytes >= BATCH_TEXT_BYTES {
            hand_over(std::mem::take(&mut changes));
            text_bytes = 0;
        }
    }
    let there: HashSet<&String> = names.iter().map(|(path, _)| path).collect();
    // What is in a folder that cannot be read now may still be there.
    let is_hidden = |path: &&String| unreadable.iter().any(|(folder, _)| base.join(path).starts_with(folder));
    changes.removed.extend(known.keys().filter(|path| !there.contains(path) && !is_hidden(path)).cloned());
    changes.removed.sort();
    for (folder, reason) in &unreadable {
        let path = folder.strip_prefix(base).unwrap_or(folder).display().to_string();
        changes.failed.push((path, format!("the folder cannot be read: {reason}")));
    }
    Ok(changes)
}

impl Changes {
    /// Returns the number of documents to be stored.
    const fn documents(&self) -> usize {
        self.read.len() + self.unreadable.len() + self.hashes.len()
    }

    /// Records a failure. `hash`: of the content, if it is the reason. `has_passages`: an earlier content was read.
    fn remember(
        &mut self,
        path: &str,
        name: &str,
        error: &ReadError,
        hash: Option<String>,
        has_passages: bool,
        now: Timestamp,
    ) {
        let is_empty = matches!(error, ReadError::Document(DocumentError::NoText));
        if is_empty && has_passages {
            self.removed.push(path.to_owned());
        }
        let Some(hash) = hash else { return };
        let reason: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
        if has_passages && !is_empty {
            self.hashes.push((path.to_owned(), format!("{OUTDATED}{hash} {reason}")));
            return;
        }
        self.unreadable.push(NewDocument {
            path: path.to_owned(),
            name: name.to_owned(),
            title: None,
            content_hash: format!("{UNREADABLE}{hash} {reason}"),
            language: None,
            dated: now,
            is_replaced: false,
            read_at: now,
            passages: Vec::new(),
        });
    }
}

/// Returns the path of a source's address.
fn root(url: &str) -> Result<PathBuf, FetchError> {
    let path = Url::parse(url).ok().and_then(|url| url.to_file_path().ok());
    let reason = "it names no local folder or file";
    path.ok_or_else(|| FetchError::File { path: url.to_owned(), reason: reason.to_owned() })
}

/// A folder that cannot be read, and why.
type Unreadable = (PathBuf, String);

/// Returns the files of a folder in order, or the one file, and the folders within it that cannot be read, with the
/// reasons.
fn files(root: &Path) -> Result<(Vec<PathBuf>, Vec<Unreadable>), FetchError> {
    if root.is_file() {
        return Ok((vec![root.to_owned()], Vec::new()));
    }
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    let listed = list(root, 0, &mut files, &mut unreadable);
    listed.map_err(|error| FetchError::File { path: root.display().to_string(), reason: error.to_string() })?;
    files.sort();
    Ok((files, unreadable))
}

/// Lists files of a known format; hidden files and symbolic links are skipped. `unreadable`: folders within this one
/// that cannot be read, and why.
fn list(
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
    unreadable: &mut Vec<Unreadable>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() && depth < MAX_DEPTH {
            let path = entry.path();
            if let Err(error) = list(&path, depth + 1, files, unreadable) {
                unreadable.push((path, error.to_string()));
            }
        } else if kind.is_file() && Format::of(&name).is_some() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Returns for each file its path relative to the folder, and the name used in citations: the file name if it is
/// unique, otherwise the path.
fn names(files: &[PathBuf], base: &Path) -> Vec<(String, String)> {
    let name = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut uses: HashMap<String, usize> = HashMap::new();
    for file in files {
        *uses.entry(name(file)).or_default() += 1;
    }
    let both = |file: &PathBuf| {
        let path = file.strip_prefix(base).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let name = name(file);
        let cited = if uses.get(&name) == Some(&1) { name } else { path.clone() };
        (path, cited)
    };
    files.iter().map(both).collect()
}

enum Reading {
    Unchanged,
    Read(Box<NewDocument>),
    /// It could not be read before, for this reason, and is unchanged.
    FailedBefore(String),
    Failed {
        error: ReadError,
        /// Of the content, if it is the reason.
        hash: Option<String>,
    },
}

/// Reads a document if it is new or changed.
fn read_one(
    file: &Path,
    (path, name): (&str, &str),
    known: Option<&String>,
    read_pdf: impl FnOnce(&[u8]) -> Result<Document, ReadError>,
    now: Timestamp,
) -> Reading {
    let (bytes, modified) = match contents(file) {
        Ok(contents) => contents,
        Err(error) => return Reading::Failed { error, hash: None },
    };
    // The name is part of it: a citation has another one when a second file of the same name appears.
    let content_hash = hex32(format!("{READER_VERSION} {name} {}", hex32(&bytes)).as_bytes());
    if known == Some(&content_hash) {
        return Reading::Unchanged;
    }
    let failure = known.and_then(|known| known.strip_prefix(UNREADABLE).or_else(|| known.strip_prefix(OUTDATED)));
    if let Some(reason) = failure.and_then(|failure| failure.strip_prefix(content_hash.as_str())) {
        return Reading::FailedBefore(reason.trim_start().to_owned());
    }
    match read_with(name, &bytes, read_pdf) {
        Ok(document) => Reading::Read(Box::new(new_document(document, path, name, content_hash, modified, now))),
        Err(error) => {
            let hash = error.is_of_content().then_some(content_hash);
            Reading::Failed { error, hash }
        }
    }
}

/// Returns a file's content, and when it was changed.
fn contents(file: &Path) -> Result<(Vec<u8>, Option<SystemTime>), ReadError> {
    let metadata = std::fs::metadata(file)?;
    if metadata.len() > MAX_DOCUMENT_BYTES as u64 {
        return Err(DocumentError::TooLarge.into());
    }
    Ok((std::fs::read(file)?, metadata.modified().ok()))
}

fn new_document(
    document: Document,
    path: &str,
    name: &str,
    content_hash: String,
    modified: Option<SystemTime>,
    now: Timestamp,
) -> NewDocument {
    let written = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|at| i64::try_from(at.as_millis()).ok()).map_or(now, Timestamp::from_millis);
    // A time in the future is a mistake of a clock, not the date from which the document applies.
    let written = unlike_a_date(written.min(now));
    let stated = document.status.dated.and_then(|date| date.and_hms_opt(0, 0, 0));
    let dated = stated.map_or(written, |date| Timestamp::from_millis(date.and_utc().timestamp_millis()));
    let texts: Vec<&str> = document.passages.iter().take(8).map(|passage| passage.text.as_str()).collect();
    let text = texts.join("\n");
    let title = document.title.clone().unwrap_or_default();
    let language = Languages::of(std::iter::once((title.as_str(), text.as_str()))).language(&title, &text, None);
    NewDocument {
        path: path.to_owned(),
        name: name.to_owned(),
        title: document.title,
        content_hash,
        language,
        dated,
        is_replaced: document.status.is_replaced,
        read_at: now,
        passages: document.passages.into_iter().map(|passage| (passage.section, passage.text)).collect(),
    }
}

/// Moves the beginning of a day, which an archive may give its files, by a millisecond: such a time is that of a date
/// which a document states (`src/ask/passages.rs`).
fn unlike_a_date(written: Timestamp) -> Timestamp {
    const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
    let millis = written.as_millis();
    Timestamp::from_millis(millis + i64::from(millis % DAY_MILLIS == 0))
}

#[cfg(test)]
mod tests;
