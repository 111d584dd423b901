//! The elements that contain the texts of an RSS item. If a text occurs only in an extension element, rewriting turns
//! that into the format's own element.

use crate::feed::vocabulary::Space;

/// A text of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Title,
    Summary,
    Content,
}

impl Text {
    /// The element that feed-rs reads it from.
    pub const fn element(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Summary => "description",
            Self::Content => "content:encoded",
        }
    }
}

/// The elements that may contain each text, best first.
const ELEMENTS: [(Text, Space, &str); 12] = [
    (Text::Title, Space::Own, "title"),
    (Text::Title, Space::Extension("dc"), "title"),
    (Text::Title, Space::Extension("media"), "title"),
    (Text::Summary, Space::Own, "description"),
    (Text::Summary, Space::Own, "summary"),
    (Text::Summary, Space::Extension("dc"), "description"),
    (Text::Summary, Space::Extension("atom"), "summary"),
    (Text::Content, Space::Extension("content"), "encoded"),
    (Text::Content, Space::Own, "body"),
    (Text::Content, Space::Own, "fullitem"),
    (Text::Content, Space::Extension("xhtml"), "body"),
    (Text::Content, Space::Extension("atom"), "content"),
];

/// Whether an element is a substitute. Other extension elements are handled by the rewriting as the format's own.
const fn is_substitute(space: Space) -> bool {
    matches!(space, Space::Extension(prefix) if matches!(prefix.as_bytes(), b"dc" | b"media" | b"atom"))
}

/// The text elements that an item has, as bit sets over [`ELEMENTS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextsFound {
    /// Elements that are present.
    present: u16,
    filled: u16,
}

/// How an element is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewriting {
    AsUsual,
    /// Written as the format's own element for this text.
    As(Text),
    /// Omitted: it is empty, and a substitute with content replaces it.
    Dropped,
}

/// Returns the index of an element in [`ELEMENTS`].
pub(super) fn number(space: Space, name: &str) -> Option<usize> {
    ELEMENTS.iter().position(|(_, own, known)| *known == name && *own == space)
}

impl TextsFound {
    pub(super) const fn note(&mut self, number: usize) {
        self.present |= 1 << number;
    }

    pub(super) const fn fill(&mut self, number: usize) {
        self.filled |= 1 << number;
    }

    /// Returns whether there are elements for the text and all of them are empty.
    pub fn is_empty(self, text: Text) -> bool {
        let any = |of: u16| (0..ELEMENTS.len()).any(|number| ELEMENTS[number].0 == text && of & (1 << number) != 0);
        any(self.present) && !any(self.filled)
    }

    /// Returns the best non-empty element for the text if it is one of an extension.
    fn substitute(self, text: Text) -> Option<usize> {
        let best = (0..ELEMENTS.len()).find(|number| ELEMENTS[*number].0 == text && self.filled & (1 << number) != 0);
        best.filter(|number| is_substitute(ELEMENTS[*number].1))
    }

    pub(super) fn needs_rewriting(self) -> bool {
        [Text::Title, Text::Summary, Text::Content].into_iter().any(|text| self.substitute(text).is_some())
    }

    pub(crate) fn rewriting(self, space: Space, name: &str) -> Rewriting {
        let Some(number) = number(space, name) else { return Rewriting::AsUsual };
        let text = ELEMENTS[number].0;
        match self.substitute(text) {
            Some(best) if best == number => Rewriting::As(text),
            Some(_) if !is_substitute(space) => Rewriting::Dropped,
            _ => Rewriting::AsUsual,
        }
    }
}
