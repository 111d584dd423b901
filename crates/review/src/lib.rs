//! A digest on a terminal, controlled by keys: its stories as a list, the selected one below it, and the reader's
//! feedback on it.
//!
//! Input: stories as text, and keys. Output: feedback that is given or taken back, and links to open, through
//! [`Actions`]. [`Review`] has no I/O: it handles keys and draws. Only [`run`] accesses the terminal. The stories' text
//! must contain no control characters.
//!
//! ```
//! use aha_review::{Command, Review, Story};
//! use ratatui::crossterm::event::KeyCode;
//!
//! let mut review = Review::new("default, 19 November".to_owned(), vec![Story::default(), Story::default()]);
//! assert_eq!(review.key(KeyCode::Char('n').into()), Command::None);
//! assert!(matches!(review.key(KeyCode::Char('l').into()), Command::Change { story: 1, .. }));
//! ```

mod draw;
mod review;
#[cfg(test)]
mod tests;

use std::io;

use aha_core::feedback::FeedbackKind;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

pub use review::{Command, Review, Story};

/// Operations that the screen asks its caller to perform.
pub trait Actions {
    /// Takes back feedback on a story, then gives other feedback on it.
    ///
    /// # Errors
    /// A message for the reader. What was taken back or given before the failure stays so.
    fn change(&self, story: usize, take_back: &[FeedbackKind], give: &[FeedbackKind]) -> Result<(), String>;

    /// Opens a story's link in another program. Returns the message to show.
    ///
    /// # Errors
    /// A message for the reader.
    fn open(&self, story: usize) -> Result<String, String>;

    /// Returns the lines that explain a story's rank.
    ///
    /// # Errors
    /// A message for the reader.
    fn why(&self, story: usize) -> Result<Vec<String>, String>;
}

/// Shows the digest until the reader quits.
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
