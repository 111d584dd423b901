//! The user's documents in a local folder or file. Input: a path and the known hashes. Output: new, changed and
//! deleted documents. Such a source can only be created on the command line. Called by [`crate::pipeline::documents`].

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
/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 16;
/// Part of the hash of a document. With another version all documents count as changed and are read again.
const READER_VERSION: u32 = 5;
/// Begin what is stored in place of the hash of a document that could not be read; the hash and the reason follow. It has
/// no passages, or those of an earlier content.
const UNREADABLE: &str = "unreadable ";
const OUTDATED: &str = "outdated ";

/// Changes to a folder since it was last read.
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
/// stay as they were. Blocks, so call it on a blocking thread.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn changes(
    url: &str,
    known: &BTreeMap<String, String>,
    pdf_reader: &PdfReader,
    stop: &CancellationToken,
    now: Timestamp,
) -> Result<Changes, FetchError> {
    let failed = |reason: String| FetchError::File { path: url.to_owned(), reason };
    let root = Url::parse(url).ok().and_then(|url| url.to_file_path().ok());
    let root = root.ok_or_else(|| failed("it names no local folder or file".to_owned()))?;
    let failed = |reason: String| FetchError::File { path: root.display().to_string(), reason };
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    if root.is_file() {
        files.push(root.clone());
    } else {
        list(&root, 0, &mut files, &mut unreadable).map_err(|error| failed(error.to_string()))?;
    }
    files.sort();
    let mut changes = Changes::default();
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
            Reading::Read(document) => changes.read.push(*document),
            Reading::Unchanged => changes.unchanged += 1,
            Reading::FailedBefore(reason) => changes.failed.push((path.clone(), reason)),
            Reading::Failed { error, hash } => {
                changes.failed.push((path.clone(), error.to_string()));
                let has_passages = known.get(path).is_some_and(|known| !known.starts_with(UNREADABLE));
                changes.remember(path, name, &error, hash, has_passages, now);
            }
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

/// Lists files of a known format; hidden files and symbolic links are skipped. `unreadable`: folders within this one
/// that cannot be read, and why.
fn list(
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
    unreadable: &mut Vec<(PathBuf, String)>,
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
    let written = written.min(now);
    let stated = document.status.dated.and_then(|date| date.and_hms_opt(0, 0, 0));
    let dated = stated.map_or(written, |date| Timestamp::from_millis(date.and_utc().timestamp_millis()));
    let text: String = document.passages.iter().take(8).map(|passage| passage.text.as_str()).collect();
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns a reader that refuses every PDF.
    fn refusing() -> PdfReader {
        PdfReader::of_script(r#"echo '{"Err":"it is broken"}'"#, Duration::from_mins(1))
    }

    fn changes(url: &str, known: &BTreeMap<String, String>, now: Timestamp) -> Result<Changes, FetchError> {
        super::changes(url, known, &refusing(), &CancellationToken::new(), now)
    }

    #[test]
    fn new_changed_and_deleted_documents_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a.md", "# A\n\n## Berths\n\nSeven.");
        write("b/a.md", "# Another A\n\nEight.");
        write("c.txt", "Nine.");
        write(".hidden.md", "no");
        write("picture.png", "no");
        write("broken.pdf", "no");
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let now = Timestamp::from_millis(5);
        let first = changes(&url, &BTreeMap::new(), now).unwrap();
        let names: Vec<(&str, &str)> = first.read.iter().map(|d| (d.path.as_str(), d.name.as_str())).collect();
        assert_eq!(names, [("a.md", "a.md"), ("b/a.md", "b/a.md"), ("c.txt", "c.txt")]);
        assert_eq!((first.failed.len(), first.failed[0].0.as_str()), (1, "broken.pdf"));
        let mut known: BTreeMap<String, String> =
            first.read.iter().map(|d| (d.path.clone(), d.content_hash.clone())).collect();
        known.insert("was.md".to_owned(), "x".to_owned());
        write("c.txt", "Ten.");
        let second = changes(&url, &known, now).unwrap();
        let read: Vec<&str> = second.read.iter().map(|d| d.path.as_str()).collect();
        assert_eq!((read, second.removed, second.unchanged), (vec!["c.txt"], vec!["was.md".to_owned()], 2));
        assert!(changes("file:///no/such/folder", &known, now).is_err());
    }

    #[test]
    fn an_emptied_document_is_removed_and_one_that_cannot_be_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("fees.md", " \n<!-- withdrawn -->\n");
        write("tides.pdf", "no");
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let known: BTreeMap<String, String> =
            ["fees.md", "tides.pdf"].map(|path| (path.to_owned(), "before".to_owned())).into();
        let found = changes(&url, &known, Timestamp::from_millis(5)).unwrap();
        let failed: Vec<&str> = found.failed.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!((found.removed, failed), (vec!["fees.md".to_owned()], vec!["fees.md", "tides.pdf"]));
        assert!(found.failed[0].1.contains("no text"), "{:?}", found.failed);
        let unknown = changes(&url, &BTreeMap::new(), Timestamp::from_millis(5)).unwrap();
        assert_eq!((unknown.removed.len(), unknown.failed.len()), (0, 2));
    }

    #[test]
    fn a_document_that_cannot_be_read_is_not_read_again_before_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("tides.pdf", "no");
        write("fees.pdf", "no");
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let mut known = BTreeMap::from([("fees.pdf".to_owned(), "read before".to_owned())]);
        let first = changes(&url, &known, Timestamp::from_millis(5)).unwrap();
        let paths: Vec<&str> = first.unreadable.iter().map(|document| document.path.as_str()).collect();
        assert_eq!((paths, first.hashes.len(), first.hashes[0].0.as_str()), (vec!["tides.pdf"], 1, "fees.pdf"));
        known.extend(first.hashes.clone());
        known.extend(first.unreadable.iter().map(|document| (document.path.clone(), document.content_hash.clone())));
        let second = changes(&url, &known, Timestamp::from_millis(6)).unwrap();
        assert_eq!(second.failed, first.failed, "they are still reported");
        assert!(second.unreadable.is_empty() && second.hashes.is_empty() && second.removed.is_empty());
        std::fs::rename(folder.path().join("tides.pdf"), folder.path().join("tides.txt")).unwrap();
        write("fees.pdf", "no again");
        let third = changes(&url, &known, Timestamp::from_millis(7)).unwrap();
        assert_eq!((third.read.len(), third.removed), (1, vec!["tides.pdf".to_owned()]));
        assert_eq!((third.hashes.len(), third.unreadable.len()), (1, 0), "the passages read at first stay");
    }

    #[test]
    fn after_a_stop_no_file_is_read_and_none_counts_as_removed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fees.md"), "Nine euros.").unwrap();
        std::fs::write(folder.path().join("tides.pdf"), "%PDF").unwrap();
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let known = BTreeMap::from([("fees.md".to_owned(), "before".to_owned())]);
        let stop = CancellationToken::new();
        stop.cancel();
        let found = super::changes(&url, &known, &refusing(), &stop, Timestamp::from_millis(5)).unwrap();
        assert!(found.read.is_empty() && found.removed.is_empty() && found.failed.is_empty(), "{found:?}");
    }

    #[test]
    fn a_pdf_is_tried_again_if_its_process_was_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fees-2026.pdf"), "%PDF").unwrap();
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let mut known = BTreeMap::new();
        let found = |known: &BTreeMap<String, String>, script: &str| {
            let reader = PdfReader::of_script(script, Duration::from_mins(1));
            super::changes(&url, known, &reader, &CancellationToken::new(), Timestamp::from_millis(5)).unwrap()
        };
        let stopped = found(&known, "kill -s TERM $$");
        assert_eq!((stopped.failed.len(), stopped.unreadable.len(), stopped.hashes.len()), (1, 0, 0));
        assert!(stopped.failed[0].1.contains("the next run reads it"), "{:?}", stopped.failed);
        let broken = found(&known, "kill -s KILL $$");
        assert!(broken.failed[0].1.contains("1 GiB"), "{:?}", broken.failed);
        known.extend(broken.unreadable.iter().map(|document| (document.path.clone(), document.content_hash.clone())));
        let answer = r#"echo '{"Ok":{"title":null,"passages":[["Page 1","Nine euros."]]}}'"#;
        let again = found(&known, answer);
        assert_eq!((&again.failed, again.read.len()), (&broken.failed, 0), "it is not read before it changes");
        known.clear();
        let read = found(&known, answer).read;
        assert_eq!(read[0].passages, [("Page 1".to_owned(), "Nine euros.".to_owned())]);
        assert_eq!(read[0].dated, Timestamp::parse_rfc3339("2026-01-01T00:00:00Z").unwrap());
    }

    #[test]
    fn a_document_is_cited_by_another_name_when_a_second_one_of_its_name_appears() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "Nine euros.").unwrap();
        };
        write("north/fees.md");
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let first = changes(&url, &BTreeMap::new(), Timestamp::from_millis(5)).unwrap();
        assert_eq!(first.read[0].name, "fees.md");
        let known = BTreeMap::from([(first.read[0].path.clone(), first.read[0].content_hash.clone())]);
        write("south/fees.md");
        let second = changes(&url, &known, Timestamp::from_millis(6)).unwrap();
        let names: Vec<&str> = second.read.iter().map(|document| document.name.as_str()).collect();
        assert_eq!(names, ["north/fees.md", "south/fees.md"]);
    }

    #[test]
    fn a_document_is_read_again_by_a_newer_reader_and_not_dated_in_the_future() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("fees.md"), "Nine euros.").unwrap();
        let url = Url::from_directory_path(folder.path()).unwrap().to_string();
        let by_older_reader = BTreeMap::from([("fees.md".to_owned(), hex32(b"Nine euros."))]);
        let found = changes(&url, &by_older_reader, Timestamp::from_millis(5)).unwrap();
        assert_eq!((found.read.len(), found.read[0].dated), (1, Timestamp::from_millis(5)));
        let known = BTreeMap::from([("fees.md".to_owned(), found.read[0].content_hash.clone())]);
        assert_eq!(changes(&url, &known, Timestamp::from_millis(5)).unwrap().unchanged, 1);
    }
}
