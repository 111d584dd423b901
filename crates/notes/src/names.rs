//! Page names and file names: what Logseq writes for what the name of a file cannot hold.

use std::fmt::Write as _;

/// How a graph writes page names as file names (`:file/name-format`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFormat {
    /// `/` is `___`; other reserved characters are percent-encoded.
    TripleLowbar,
    /// Reserved characters are percent-encoded, `/` among them: graphs that were never converted.
    Legacy,
    /// `/` is a folder: plain Markdown.
    Folders,
}

const RESERVED: &str = "<>:\"|?*#\\";
/// Names that Windows keeps for itself.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com1", "lpt1"];

impl NameFormat {
    /// The file's name without its extension, for a page; `None` where no file may be called so.
    #[must_use]
    pub fn file_stem(self, page: &str) -> Option<String> {
        let page = page.trim();
        let is_outside = page.split('/').any(|part| part.trim().is_empty() || part == "." || part == "..");
        if page.is_empty() || is_outside || page.chars().any(char::is_control) {
            return None;
        }
        let stem = match self {
            Self::TripleLowbar => encoded(page, false).replace("___", "%5F%5F%5F").replace('/', "___"),
            Self::Legacy => encoded(page, true),
            Self::Folders => (!page.contains(['\\', ':', '*', '?', '"', '<', '>', '|', '#', '^', '[', ']']))
                .then(|| page.to_owned())?,
        };
        // A name that begins with a dot would be hidden, one that ends with one is none on Windows.
        let stem = stem.strip_prefix('.').map_or(stem.clone(), |rest| format!("%2E{rest}"));
        let stem = stem.strip_suffix('.').map_or(stem.clone(), |rest| format!("{rest}%2E"));
        (stem.len() <= 240 && !DEVICES.contains(&stem.to_lowercase().as_str())).then_some(stem)
    }

    /// The page that a file is about.
    #[must_use]
    pub fn page_name(self, stem: &str) -> String {
        match self {
            Self::TripleLowbar => decoded(&stem.replace("___", "/")),
            Self::Legacy => decoded(stem),
            Self::Folders => stem.to_owned(),
        }
    }
}

fn encoded(name: &str, with_slash: bool) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        // A percent sign only where it would be read as the beginning of a code.
        let is_ambiguous = c == '%' && rest.peek().is_some_and(char::is_ascii_hexdigit);
        if RESERVED.contains(c) || (with_slash && c == '/') || is_ambiguous {
            let _ = write!(text, "%{:02X}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// With its codes `%XX` read as bytes, as long as that gives UTF-8.
fn decoded(stem: &str) -> String {
    let bytes = stem.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%').then(|| stem.get(at + 1..at + 3)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| stem.to_owned())
}

/// Whether a file is a copy that a synchronising program made of a conflict, or a remainder of a write: it is left alone.
#[must_use]
pub fn is_conflict_copy(stem: &str) -> bool {
    let lower = stem.to_lowercase();
    lower.starts_with('.')
        || [".sync-conflict-", "conflicted copy", "(conflict ", ".conflict", "_conflict-", "[conflict", "~"]
            .iter()
            .any(|mark| if *mark == "~" { lower.ends_with('~') } else { lower.contains(mark) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_from_what_is_written() {
        for name in [
            "Rust",
            "Rust/Async",
            "a: b?",
            "50%",
            "100%25",
            "C#/Async",
            "a/b/c",
            ".hidden",
            "etc.",
            "日本/語",
            "snake___case",
        ] {
            for format in [NameFormat::TripleLowbar, NameFormat::Legacy] {
                let stem = format.file_stem(name).unwrap();
                assert!(!stem.contains('/') && !stem.contains(':') && !stem.starts_with('.'), "{stem}");
                assert_eq!(format.page_name(&stem), name, "{stem}");
            }
        }
        assert_eq!(NameFormat::TripleLowbar.file_stem("Rust/Async").as_deref(), Some("Rust___Async"));
        assert_eq!(NameFormat::Legacy.file_stem("Rust/Async").as_deref(), Some("Rust%2FAsync"));
        assert_eq!(NameFormat::Folders.file_stem("Rust/Async").as_deref(), Some("Rust/Async"));
    }

    #[test]
    fn a_name_cannot_lead_out_of_the_graph() {
        for name in ["", " ", "..", "../x", "a/../b", "a//b", "/etc", "a/", "x\0", "nul"] {
            for format in [NameFormat::TripleLowbar, NameFormat::Legacy, NameFormat::Folders] {
                assert_eq!(format.file_stem(name), None, "{name:?}");
            }
        }
    }

    #[test]
    fn conflict_copies_are_recognised() {
        let copies = [
            "Rust.sync-conflict-20260102-101112-ABCDEFG",
            "Rust (conflicted copy 2026-01-02 101112)",
            "Rust (Anna's conflicted copy 2026-01-02)",
            "Rust~",
            ".Rust.aha-1.tmp",
        ];
        assert!(copies.iter().all(|stem| is_conflict_copy(stem)));
        assert!(!["Rust", "Merge conflicts", "Conflict resolution"].iter().any(|stem| is_conflict_copy(stem)));
    }
}
