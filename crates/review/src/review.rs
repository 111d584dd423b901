//! What the screen shows, and what keys make of it.

use std::collections::BTreeSet;

use aha_core::feedback::FeedbackKind;

use crate::keys::Key;

/// Lines that a page key moves by.
const PAGE: u16 = 8;

/// A story of the digest, in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    pub rank: usize,
    /// Whether it stands in the top section.
    pub is_top: bool,
    pub title: String,
    pub url: Option<String>,
    /// Nothing where it was not judged.
    pub score: Option<u8>,
    /// Who told it, and why it is labelled.
    pub told_by: String,
    /// What it says, a paragraph each.
    pub text: Vec<String>,
    /// What the reader said of it.
    pub said: BTreeSet<FeedbackKind>,
}

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    None,
    Change { story: usize, take_back: Vec<FeedbackKind>, give: Vec<FeedbackKind>, is_undo: bool },
    Open(usize),
    Why(usize),
    Quit,
}

/// The digest, the selected story, and what can be undone.
#[derive(Debug)]
pub struct Review {
    pub(crate) heading: String,
    pub(crate) stories: Vec<Story>,
    pub(crate) selected: usize,
    /// Lines of the selected story that are above the screen.
    pub(crate) scroll: u16,
    /// Why the selected story stands there, while that is shown.
    pub(crate) why: Option<Vec<String>>,
    pub(crate) is_help: bool,
    pub(crate) message: String,
    /// What was said of a story before each change, the last one last.
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

    /// What a key asks for; what it changes on the screen alone is done.
    pub fn key(&mut self, key: Key) -> Command {
        self.message.clear();
        if std::mem::take(&mut self.is_help) {
            return if key == Key::Interrupt { Command::Quit } else { Command::None };
        }
        match key {
            Key::Escape if self.why.is_some() => self.why = None,
            Key::Interrupt | Key::Char('q') | Key::Escape => return Command::Quit,
            Key::Char('?') => self.is_help = true,
            Key::Char('u') => return self.undo(),
            _ if self.stories.is_empty() => {}
            Key::Down | Key::Char('n' | 'j') => self.select(self.selected + 1),
            Key::Up | Key::Char('p' | 'k') => self.select(self.selected.saturating_sub(1)),
            Key::Home => self.select(0),
            Key::End => self.select(usize::MAX),
            Key::PageDown | Key::Char(' ') => self.scroll = self.scroll.saturating_add(PAGE),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            Key::Enter | Key::Char('o') => return Command::Open(self.selected),
            Key::Char('w') if self.why.take().is_none() => return Command::Why(self.selected),
            Key::Char(c) => {
                let kind = kind_of(c);
                return kind.map_or(Command::None, |kind| self.say_of(kind));
            }
        }
        Command::None
    }

    fn select(&mut self, index: usize) {
        self.selected = index.min(self.stories.len().saturating_sub(1));
        (self.scroll, self.why) = (0, None);
    }

    /// A kind that was said is taken back; one that was not is said in the place of its opposite.
    fn say_of(&self, kind: FeedbackKind) -> Command {
        let Some(story) = self.stories.get(self.selected) else { return Command::None };
        let is_said = story.said.contains(&kind);
        let (take_back, give) = if is_said { (vec![kind], Vec::new()) } else { (Vec::new(), vec![kind]) };
        Command::Change { story: self.selected, take_back, give, is_undo: false }
    }

    /// What puts back what was said before the last change.
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

    /// What became of a change.
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

    /// Shows why a story stands where it does.
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

    /// Says what became of something.
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
