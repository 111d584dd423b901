//! A line editor: text and a cursor.

use super::keys::Key;

/// Result of a key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditResult {
    Continue,
    /// The edited text is accepted.
    Accepted,
    /// The edit is discarded.
    Cancelled,
}

/// The edited text.
#[derive(Debug, Clone)]
pub(super) struct Editor {
    characters: Vec<char>,
    /// Index of the character after the cursor.
    cursor: usize,
}

impl Editor {
    pub(super) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        Self { cursor: characters.len(), characters }
    }

    pub(super) fn text(&self) -> String {
        self.characters.iter().collect()
    }

    /// Returns the text before and after the cursor.
    pub(super) fn halves(&self) -> (String, String) {
        let (before, after) = self.characters.split_at(self.cursor);
        (before.iter().collect(), after.iter().collect())
    }

    pub(super) fn key(&mut self, key: Key) -> EditResult {
        match key {
            Key::Enter | Key::Save => return EditResult::Accepted,
            Key::Escape | Key::Interrupt => return EditResult::Cancelled,
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.characters.len()),
            Key::Home | Key::Up => self.cursor = 0,
            Key::End | Key::Down => self.cursor = self.characters.len(),
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.characters.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.characters.len() => {
                self.characters.remove(self.cursor);
            }
            Key::Char(c) => {
                self.characters.insert(self.cursor, c);
                self.cursor += 1;
            }
            Key::Backspace | Key::Delete | Key::PageUp | Key::PageDown | Key::Tab | Key::BackTab => {}
        }
        EditResult::Continue
    }
}
