//! Properties: lines `key:: value`, as Logseq and Obsidian's Dataview write them.

/// A property of a page or a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub key: String,
    pub value: String,
    /// The line it stands in.
    pub line: usize,
}

/// Key and value of a line's content, if it is a property. A key has no white space and no markup: `std::vector` is none, nor is a link.
#[must_use]
pub fn parse(content: &str) -> Option<(&str, &str)> {
    let content = content.trim();
    let (key, value) = content.split_once("::")?;
    let is_key = !key.is_empty() && !key.chars().any(|c| c.is_whitespace() || "[]()#:`\"*<>{}|,;".contains(c));
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// Lines that belong to a block and are not its text: planning and drawers. The drawer's end is looked for by the caller.
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
