//! A text that is being edited, with a cursor.

use super::keys::Key;

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edited {
    Goes,
    /// The text is to be kept.
    Kept,
    /// It is to be as it was.
    Dropped,
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Editor {
    characters: Vec<char>,
    /// In front of this character.
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

    /// The text before the cursor and behind it.
    pub(super) fn halves(&self) -> (String, String) {
        let (before, after) = self.characters.split_at(self.cursor);
        (before.iter().collect(), after.iter().collect())
    }

    pub(super) fn key(&mut self, key: Key) -> Edited {
        match key {
            Key::Enter | Key::Save => return Edited::Kept,
            Key::Escape | Key::Interrupt => return Edited::Dropped,
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
        Edited::Goes
    }
}
