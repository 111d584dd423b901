//! The state of the screen, and how keys change it.

use std::collections::BTreeSet;

use aha_core::feedback::FeedbackKind;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Number of lines that a page key scrolls.
const PAGE: u16 = 8;

/// A story of the digest, as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    pub rank: usize,
    /// Whether it is in the top section.
    pub is_top: bool,
    pub title: String,
    pub url: Option<String>,
    /// `None` if the story was not scored.
    pub score: Option<u8>,
    /// The story's sources, and the reason for its label.
    pub told_by: String,
    /// The story's text, one entry per paragraph.
    pub text: Vec<String>,
    /// The reader's feedback on it.
    pub said: BTreeSet<FeedbackKind>,
}

/// The action that a key requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    None,
    Change { story: usize, take_back: Vec<FeedbackKind>, give: Vec<FeedbackKind>, is_undo: bool },
    Open(usize),
    Why(usize),
    Quit,
}

/// The digest, the selected story, and the changes that can be undone.
#[derive(Debug)]
pub struct Review {
    pub(crate) heading: String,
    pub(crate) stories: Vec<Story>,
    pub(crate) selected: usize,
    /// Number of lines of the selected story that are scrolled past.
    pub(crate) scroll: u16,
    /// The explanation of the selected story's rank, while it is shown.
    pub(crate) why: Option<Vec<String>>,
    pub(crate) is_help: bool,
    pub(crate) message: String,
    /// The story's feedback before each change, the latest change last.
    undo: Vec<(usize, BTreeSet<FeedbackKind>)>,
}

impl Review {
    #[must_use]
    pub fn new(heading: String, stories: Vec<Story>) -> Self {
        Self {
            heading,
            stories,
            selected: 0,
            scroll: 0,
            why: None,
            is_help: false,
            message: String::new(),
            undo: Vec::new(),
        }
    }

    /// Handles a key and returns the requested action. Changes that affect only the screen are made here.
    pub fn key(&mut self, key: KeyEvent) -> Command {
        if key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char(_)) {
            return if key.code == KeyCode::Char('c') { Command::Quit } else { Command::None };
        }
        self.message.clear();
        if std::mem::take(&mut self.is_help) {
            return Command::None;
        }
        match key.code {
            KeyCode::Esc if self.why.is_some() => self.why = None,
            KeyCode::Char('q') | KeyCode::Esc => return Command::Quit,
            KeyCode::Char('?') => self.is_help = true,
            KeyCode::Char('u') => return self.undo(),
            _ if self.stories.is_empty() => {}
            KeyCode::Down | KeyCode::Char('n' | 'j') => self.select(self.selected + 1),
            KeyCode::Up | KeyCode::Char('p' | 'k') => self.select(self.selected.saturating_sub(1)),
            KeyCode::Home => self.select(0),
            KeyCode::End => self.select(usize::MAX),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll = self.scroll.saturating_add(PAGE),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::Enter | KeyCode::Char('o') => return Command::Open(self.selected),
            KeyCode::Char('w') if self.why.take().is_none() => return Command::Why(self.selected),
            KeyCode::Char(c) => {
                let kind = kind_of(c);
                return kind.map_or(Command::None, |kind| self.toggle(kind));
            }
            _ => {}
        }
        Command::None
    }

    fn select(&mut self, index: usize) {
        self.selected = index.min(self.stories.len().saturating_sub(1));
        (self.scroll, self.why) = (0, None);
    }

    /// Toggles a kind of feedback: takes it back if it was given, else gives it.
    fn toggle(&self, kind: FeedbackKind) -> Command {
        let Some(story) = self.stories.get(self.selected) else { return Command::None };
        let is_given = story.said.contains(&kind);
        let (take_back, give) = if is_given { (vec![kind], Vec::new()) } else { (Vec::new(), vec![kind]) };
        Command::Change { story: self.selected, take_back, give, is_undo: false }
    }

    /// Returns the change that restores the feedback from before the last change.
    fn undo(&mut self) -> Command {
        let Some((story, before)) = self.undo.last() else {
            "There is nothing to undo.".clone_into(&mut self.message);
            return Command::None;
        };
        let said = self.stories.get(*story).map(|story| story.said.clone()).unwrap_or_default();
        Command::Change {
            story: *story,
            take_back: said.difference(before).copied().collect(),
            give: before.difference(&said).copied().collect(),
            is_undo: true,
        }
    }

    /// Applies the outcome of a change to the screen.
    pub fn changed(
        &mut self,
        story: usize,
        take_back: &[FeedbackKind],
        give: &[FeedbackKind],
        is_undo: bool,
        outcome: Result<(), String>,
    ) {
        if let Err(message) = outcome {
            self.message = message;
            return;
        }
        let Some(changed) = self.stories.get_mut(story) else { return };
        let before = changed.said.clone();
        for kind in take_back {
            changed.said.remove(kind);
        }
        for kind in give {
            if let Some(opposite) = kind.opposite() {
                changed.said.remove(&opposite);
            }
            changed.said.insert(*kind);
        }
        if is_undo {
            self.undo.pop();
            self.select(story);
            "Undone.".clone_into(&mut self.message);
            return;
        }
        self.undo.push((story, before));
        let words = give.first().map_or("Taken back.", |kind| in_words(*kind));
        words.clone_into(&mut self.message);
    }

    /// Shows the explanation of a story's rank, or the error message.
    pub fn show_why(&mut self, story: usize, why: Result<Vec<String>, String>) {
        self.select(story);
        match why {
            Ok(lines) => self.why = Some(lines),
            Err(message) => self.message = message,
        }
    }

    pub(crate) fn is_read(&self, story: usize) -> bool {
        self.stories.get(story).is_some_and(|story| story.said.contains(&FeedbackKind::Read))
    }

    /// Shows the outcome of an action as the message.
    pub fn say(&mut self, outcome: Result<String, String>) {
        self.message = outcome.unwrap_or_else(|message| message);
    }
}

fn kind_of(key: char) -> Option<FeedbackKind> {
    Some(match key {
        'l' => FeedbackKind::Like,
        'd' => FeedbackKind::Dislike,
        's' => FeedbackKind::Save,
        'x' => FeedbackKind::Skip,
        'r' => FeedbackKind::Read,
        _ => return None,
    })
}

const fn in_words(kind: FeedbackKind) -> &'static str {
    match kind {
        FeedbackKind::Like => "Liked: stories like this will stand higher from the next digest on.",
        FeedbackKind::Dislike => "Disliked: stories like this will stand lower from the next digest on.",
        FeedbackKind::Save => "Saved.",
        FeedbackKind::Skip => "Skipped.",
        FeedbackKind::Read => "Marked as read.",
    }
}
