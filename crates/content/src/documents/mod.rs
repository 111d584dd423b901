//! Reads the user's documents (Markdown, HTML, plain text, PDF) into passages that can be searched and cited.
//!
//! Input: the bytes of a file and its name, or the text of an item. Output: a [`Document`] of [`Passage`]s, each with
//! the name of its section: its heading, the number of its clause, or that of its page or first paragraph. Called where
//! documents are read and where questions are answered. No I/O; a PDF can take long and much memory, and must be read
//! in a process of its own.
//!
//! A passage contains one block (paragraph, list entry, table row) per line. A row names its columns (`Room: Spelt ·
//! Seats: 4`), so that a line can be quoted alone. Comments, scripts, front matter (except its date) and struck-out
//! text are skipped.

mod builder;
mod clauses;
mod dates;
mod hidden;
mod html;
mod markdown;
mod pages;
mod pdf;
mod pdf_check;
mod pdf_size;
mod pdf_widths;
mod plain;
mod printed;
mod stated_dates;
mod status;
mod struck;
mod table;
mod unpacked_length;

use std::borrow::Cow;

use chrono::NaiveDate;
use thiserror::Error;

pub use builder::row_cells;
pub use pdf::read as read_pdf;
pub use stated_dates::date_line;
pub use status::{DocumentStatus, document_status};

/// Larger files are refused.
pub const MAX_DOCUMENT_BYTES: usize = 20 * 1024 * 1024;
/// Maximum text read from a document; the rest is ignored.
pub const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// A part of a document that can be cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The heading above it, otherwise `4. Deposit`, `Page 2`, `Page 2, 4. Deposit` or `Paragraph 3`.
    pub section: String,
    /// One block per line.
    pub text: String,
}

/// A document prepared for search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its title or first heading.
    pub title: Option<String>,
    pub passages: Vec<Passage>,
    /// Its date, and whether another document replaces it.
    pub status: DocumentStatus,
}

/// Why a file cannot be read as a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DocumentError {
    #[error("its name ends in none of .md, .markdown, .html, .htm, .txt, .text, .pdf; convert it to one of these")]
    UnknownFormat,
    #[error("it has more than {} MB; split it", MAX_DOCUMENT_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it cannot be read as a PDF: {0}; export it again, or as text")]
    Pdf(String),
    #[error("it holds no text (a scanned document needs its text recognised first)")]
    NoText,
}

/// A supported file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
    Plain,
    Pdf,
}

impl Format {
    /// Returns the format by the file name's extension; `None` if it is not supported.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "txt" | "text" => Some(Self::Plain),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// Reads a file into a document.
///
/// # Errors
/// When the file is too large, of an unknown format, broken, or without text.
pub fn read(name: &str, bytes: &[u8]) -> Result<Document, DocumentError> {
    read_with(name, bytes, read_pdf)
}

/// Reads a file into a document, a PDF with another function than [`read_pdf`], such as one that calls it in a process
/// of its own.
///
/// # Errors
/// As [`read`], and those of that function.
pub fn read_with<E: From<DocumentError>>(
    name: &str,
    bytes: &[u8],
    of_pdf: impl FnOnce(&[u8]) -> Result<Document, E>,
) -> Result<Document, E> {
    let format = Format::of(name).ok_or(DocumentError::UnknownFormat)?;
    if bytes.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::TooLarge.into());
    }
    let mut document = match format {
        Format::Markdown => markdown::read(&text_of(bytes)),
        Format::Html => html::read(&text_of(bytes)),
        Format::Plain => plain::read(&text_of(bytes)),
        Format::Pdf => of_pdf(bytes)?,
    };
    if document.passages.is_empty() {
        return Err(DocumentError::NoText.into());
    }
    document.status = document_status(name, &document);
    Ok(document)
}

/// Returns the passages of an item: from its markup if that has headings, otherwise from its text.
#[must_use]
pub fn passages_of_item(html: Option<&str>, text: &str) -> Vec<Passage> {
    let marked = html.filter(|html| html.contains("<h")).map(html::read).map(|document| document.passages);
    marked.filter(|passages| !passages.is_empty()).unwrap_or_else(|| plain::read_item(text).passages)
}

/// Decodes bytes: UTF-8, otherwise UTF-16 with a byte order mark, otherwise the detected encoding. At most
/// [`MAX_TEXT_BYTES`].
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let text = if let Ok(text) = std::str::from_utf8(bytes) {
        Cow::Borrowed(text)
    } else {
        let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        let encoding = detector.guess(None, chardetng::Utf8Detection::Allow);
        // `decode` honours a byte order mark first.
        encoding.decode(bytes).0
    };
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text[..end].trim_start_matches('\u{feff}')),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// A date of a document. A month or year alone means its first day.
pub type Date = NaiveDate;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_format() {
        assert_eq!(Format::of("HR_Policy_2026.md"), Some(Format::Markdown));
        assert_eq!(Format::of("a.b.PDF"), Some(Format::Pdf));
        assert_eq!(Format::of("notes.docx"), None);
        assert_eq!(Format::of("README"), None);
    }

    #[test]
    fn a_file_in_latin_1_is_read() {
        let document = read("a.txt", b"Gr\xfc\xdfe aus M\xfcnchen, wo die B\xe4cker fr\xfch aufstehen.").unwrap();
        assert!(document.passages[0].text.contains("München"), "{document:?}");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(read("a.docx", b"x"), Err(DocumentError::UnknownFormat));
        assert_eq!(read("a.md", b" \n<!-- nothing -->\n"), Err(DocumentError::NoText));
        assert!(matches!(read("a.pdf", b"%PDF-1.4 broken"), Err(DocumentError::Pdf(_))));
    }

    #[test]
    fn a_pdf_that_another_function_read_is_checked_and_dated_as_any_document() {
        let read = |text: &str| {
            let passage = Passage { section: "Page 1".to_owned(), text: text.to_owned() };
            let passages = (!text.is_empty()).then_some(passage).into_iter().collect();
            let document = Document { title: None, passages, status: DocumentStatus::default() };
            read_with("fees-2026.pdf", b"%PDF", |_| Ok::<_, DocumentError>(document))
        };
        assert_eq!(read("Nine euros.").unwrap().status.dated, NaiveDate::from_ymd_opt(2026, 1, 1));
        assert_eq!(read(""), Err(DocumentError::NoText));
    }

    #[test]
    fn an_item_without_headings_counts_its_paragraphs() {
        let passages = passages_of_item(None, "One line.\nAnother line.");
        assert_eq!(passages.len(), 1);
        assert_eq!(passages[0].section, "Paragraph 1");
        let marked = passages_of_item(Some("<h2>Rain</h2><p>It rains.</p>"), "Rain\nIt rains.");
        assert_eq!(marked[0].section, "Rain");
    }
}
