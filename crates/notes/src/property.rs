//! Parses properties, lines of the form `key:: value` as Logseq and Obsidian's Dataview write them, and Obsidian's ids at
//! the end of a block.

/// Property of a journal block with the links to where its knowledge was written.
pub const EXTRACTED_TO: &str = "extracted-to";

/// A property of a page or a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub key: String,
    pub value: String,
    /// Index of its line in the document.
    pub line: usize,
}

/// Returns the key and value of a line's content, if it is a property. A key contains no white space and no markup, so
/// neither `std::vector` nor a link is one.
#[must_use]
pub fn parse(content: &str) -> Option<(&str, &str)> {
    let content = content.trim();
    let (key, value) = content.split_once("::")?;
    let is_key = !key.is_empty() && !key.chars().any(|c| c.is_whitespace() || "[]()#:`\"*<>{}|,;".contains(c));
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// Returns whether a line is planning, which belongs to a block but is not its text.
#[must_use]
pub fn is_planning(content: &str) -> bool {
    let content = content.trim();
    content.starts_with("SCHEDULED: <") || content.starts_with("DEADLINE: <")
}

#[must_use]
pub fn opens_drawer(content: &str) -> bool {
    matches!(content.trim(), ":LOGBOOK:" | ":PROPERTIES:")
}

#[must_use]
pub fn closes_drawer(content: &str) -> bool {
    content.trim() == ":END:"
}

/// Returns Obsidian's block id at the end of a line.
pub(crate) fn block_id(content: &str) -> Option<&str> {
    let (before, id) = content.trim_end().rsplit_once('^')?;
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_id && (before.is_empty() || before.ends_with(' '))).then_some(id)
}

/// Returns a text without the block id at its end.
pub(crate) fn without_block_id(text: &str) -> &str {
    let last = text.lines().last().unwrap_or_default();
    match block_id(last) {
        Some(id) => text.strip_suffix(id).and_then(|text| text.strip_suffix('^')).unwrap_or(text),
        None => text,
    }
}
