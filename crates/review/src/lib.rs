//! A digest on a terminal, by keys: its stories as a list, the selected one below it, and what the reader says of it.
//!
//! Comes in: stories in words, and keys. Goes out: what was said, opened and taken back, through [`Actions`]. [`Review`] is pure: it takes
//! keys and draws; [`run`] alone touches the terminal. Text must be without what would steer a terminal.
//!
//! ```
//! use aha_review::{Command, Key, Review, Story};
//!
//! let mut review = Review::new("default, 19 November".to_owned(), vec![Story::default(), Story::default()]);
//! assert_eq!(review.key(Key::Char('n')), Command::None);
//! assert!(matches!(review.key(Key::Char('l')), Command::Change { story: 1, .. }));
//! ```

mod draw;
mod keys;
mod review;
#[cfg(test)]
mod tests;

use std::io;

use aha_core::feedback::FeedbackKind;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

pub use keys::Key;
pub use review::{Command, Review, Story};

/// What the screen has done for it.
pub trait Actions {
    /// Takes back what was said of a story, then says something of it.
    ///
    /// # Errors
    /// A message for the person; nothing was changed.
    fn change(&self, story: usize, take_back: &[FeedbackKind], give: &[FeedbackKind]) -> Result<(), String>;

    /// Opens a story's link elsewhere. What is said then.
    ///
    /// # Errors
    /// A message for the person.
    fn open(&self, story: usize) -> Result<String, String>;

    /// Why a story stands where it does, in lines.
    ///
    /// # Errors
    /// A message for the person.
    fn why(&self, story: usize) -> Result<Vec<String>, String>;
}

/// Shows the digest until the person leaves.
///
/// # Errors
/// When the terminal fails.
pub fn run(mut review: Review, actions: &dyn Actions) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let ended = loop {
        if let Err(error) = terminal.draw(|frame| draw::draw(&mut review, frame)) {
            break Err(error);
        }
        match event::read() {
            Err(error) => break Err(error),
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                let Some(key) = keys::of(key) else { continue };
                let command = review.key(key);
                if command == Command::Quit {
                    break Ok(());
                }
                carry_out(&mut review, command, actions);
            }
            Ok(_) => {}
        }
    };
    ratatui::try_restore()?;
    ended
}

fn carry_out(review: &mut Review, command: Command, actions: &dyn Actions) {
    match command {
        Command::None | Command::Quit => {}
        Command::Change { story, take_back, give, is_undo } => {
            let outcome = actions.change(story, &take_back, &give);
            review.changed(story, &take_back, &give, is_undo, outcome);
        }
        Command::Open(story) => {
            let outcome = actions.open(story);
            let is_open = outcome.is_ok();
            if is_open && !review.is_read(story) {
                let outcome = actions.change(story, &[], &[FeedbackKind::Read]);
                review.changed(story, &[], &[FeedbackKind::Read], false, outcome);
            }
            review.say(outcome);
        }
        Command::Why(story) => review.show_why(story, actions.why(story)),
    }
}
