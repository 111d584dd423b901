//! Converts page names to file names and back, with Logseq's escapes for characters that a file name cannot contain.

use std::fmt::Write as _;

/// How a graph writes page names as file names (`:file/name-format`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFormat {
    /// `/` becomes `___`; other reserved characters are percent-encoded.
    TripleLowbar,
    /// Reserved characters are percent-encoded, including `/`. Used by graphs that were never converted.
    Legacy,
    /// `/` separates folders, as in plain Markdown.
    Folders,
}

const RESERVED: &str = "<>:\"|?*#\\";
/// Names of devices, which Windows reserves, also before an extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
/// The same with a digit after them, from 1 to 9.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

impl NameFormat {
    /// Returns the file name without extension for a page. `None` if the name is not allowed.
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
        // A file name with a leading dot would be hidden, and Windows does not allow one with a trailing dot.
        let stem = stem.strip_prefix('.').map_or(stem.clone(), |rest| format!("%2E{rest}"));
        let stem = stem.strip_suffix('.').map_or(stem.clone(), |rest| format!("{rest}%2E"));
        (stem.len() <= 240 && !stem.split('/').any(is_device)).then_some(stem)
    }

    /// Returns the name of the page in a file.
    #[must_use]
    pub fn page_name(self, stem: &str) -> String {
        match self {
            Self::TripleLowbar => decoded(&stem.replace("___", "/")),
            Self::Legacy => decoded(stem),
            Self::Folders => stem.to_owned(),
        }
    }
}

/// Returns whether Windows takes a file of this name for a device.
fn is_device(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let has_number = |device: &&str| {
        let mut number = name.strip_prefix(*device).unwrap_or_default().chars();
        matches!((number.next(), number.next()), (Some('1'..='9' | '¹' | '²' | '³'), None))
    };
    DEVICES.contains(&name.as_str()) || NUMBERED_DEVICES.iter().any(has_number)
}

fn encoded(name: &str, with_slash: bool) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        // A percent sign is encoded only if it would be read as the beginning of a code.
        let is_ambiguous = c == '%' && rest.peek().is_some_and(char::is_ascii_hexdigit);
        if RESERVED.contains(c) || (with_slash && c == '/') || is_ambiguous {
            let _ = write!(text, "%{:02X}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// Decodes `%XX` codes as bytes. The name is unchanged if the result is not UTF-8.
fn decoded(stem: &str) -> String {
    let bytes = stem.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%').then(|| stem.get(at + 1..at + 3)).flatten();
        // A number may begin with a plus sign, a code not.
        let code = code.filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| stem.to_owned())
}

/// Returns whether a file is a conflict copy of a synchronisation program or the remainder of an interrupted write.
/// Such files are ignored.
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
            "50%+5",
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
    fn names_of_devices_are_refused_with_any_number_or_extension() {
        let formats = [NameFormat::TripleLowbar, NameFormat::Legacy, NameFormat::Folders];
        for name in ["CON", "con.x", "Aux.tar.gz", "COM2", "com9.notes", "LPT9", "lpt1"] {
            assert!(formats.iter().all(|format| format.file_stem(name).is_none()), "{name}");
        }
        for name in ["Context", "com10", "com", "LPT0", "x.con", "Comet 2"] {
            assert!(formats.iter().all(|format| format.file_stem(name).is_some()), "{name}");
        }
        assert_eq!(NameFormat::Folders.file_stem("a/nul.b"), None);
        assert_eq!(NameFormat::Legacy.file_stem("a/nul.b").as_deref(), Some("a%2Fnul.b"));
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
