//! A line editor: text and a cursor.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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

    pub(super) fn key(&mut self, key: KeyEvent) -> EditResult {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('s') if is_control => return EditResult::Accepted,
            KeyCode::Char('c') if is_control => return EditResult::Cancelled,
            KeyCode::Char(_) if is_control => {}
            KeyCode::Enter => return EditResult::Accepted,
            KeyCode::Esc => return EditResult::Cancelled,
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.characters.len()),
            KeyCode::Home | KeyCode::Up => self.cursor = 0,
            KeyCode::End | KeyCode::Down => self.cursor = self.characters.len(),
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.characters.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.characters.len() => {
                self.characters.remove(self.cursor);
            }
            KeyCode::Char(c) => {
                self.characters.insert(self.cursor, c);
                self.cursor += 1;
            }
            _ => {}
        }
        EditResult::Continue
    }
}
