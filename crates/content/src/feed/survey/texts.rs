//! The elements that hold the texts of an RSS item. Of a text that stands in an extension alone, the rewriting makes
//! the format's own.

use crate::feed::vocabulary::Space;

/// A text of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Title,
    Summary,
    Content,
}

impl Text {
    /// What feed-rs reads it from.
    pub const fn element(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Summary => "description",
            Self::Content => "content:encoded",
        }
    }
}

/// Where each may stand, best first.
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

/// Those that the rewriting knows as the format's own need no substitute.
const fn is_substitute(space: Space) -> bool {
    matches!(space, Space::Extension(prefix) if matches!(prefix.as_bytes(), b"dc" | b"media" | b"atom"))
}

/// The elements with texts that an item has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextsFound {
    /// A bit for each of [`ELEMENTS`].
    present: u16,
    filled: u16,
}

/// What the rewriting does with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewriting {
    AsUsual,
    /// Written as the format's own.
    As(Text),
    /// Left out: it is empty, and what is written in its place is not.
    Dropped,
}

/// The number of an element among those with texts.
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

    /// Whether elements for the text are there, and all of them empty.
    pub fn is_empty(self, text: Text) -> bool {
        let any = |of: u16| (0..ELEMENTS.len()).any(|number| ELEMENTS[number].0 == text && of & (1 << number) != 0);
        any(self.present) && !any(self.filled)
    }

    /// The best element with the text, if it is one of an extension.
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
