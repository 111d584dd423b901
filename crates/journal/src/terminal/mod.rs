//! The terminal interface of the journal: one screen per phase, and a diff before anything is written.
//!
//! Input: events of the phases, and keys. Output: a plan with the user's selections and edits. [`Screens`] has no I/O:
//! it handles keys and draws. Only [`run`] accesses the terminal.

mod draw;
mod editor;
mod screens;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};

pub use screens::{Command, Screen, Screens};

use crate::events::PhaseEvent;
use crate::plan::Plan;

/// Operations that the screens ask their caller to perform.
pub trait Actions {
    /// Returns the changes that applying the plan would make, as a diff.
    ///
    /// # Errors
    /// A message for the user.
    fn preview(&self, plan: &Plan) -> Result<String, String>;

    /// Applies the plan and returns the message to show.
    ///
    /// # Errors
    /// A message for the user.
    fn write(&self, plan: &Plan) -> Result<String, String>;

    /// Makes the plan again, repeating only the failed requests. Returns the receiver of the new events.
    fn retry(&self) -> Receiver<PhaseEvent>;
}

/// Maximum wait for a key before events are handled.
const TICK: Duration = Duration::from_millis(50);

/// Shows the screens until the user quits. Returns them: with the plan, and the message about what was written.
///
/// # Errors
/// When the terminal fails.
pub fn run(plan: Plan, mut events: Receiver<PhaseEvent>, actions: &dyn Actions) -> io::Result<Screens> {
    let mut terminal = ratatui::try_init()?;
    let mut screens = Screens::new(plan);
    let ended = loop {
        receive(&events, &mut screens);
        if let Err(error) = terminal.draw(|frame| draw::draw(&mut screens, frame)) {
            break Err(error);
        }
        match key() {
            Err(error) => break Err(error),
            Ok(None) => {}
            Ok(Some(key)) => match screens.key(key) {
                Command::None => {}
                Command::Quit => break Ok(()),
                Command::Preview => screens.show_diff(actions.preview(screens.plan())),
                Command::Write => screens.show_written(actions.write(screens.plan())),
                Command::Retry => events = actions.retry(),
            },
        }
    };
    ratatui::try_restore()?;
    ended.map(|()| screens)
}

fn receive(events: &Receiver<PhaseEvent>, screens: &mut Screens) {
    loop {
        match events.try_recv() {
            Ok(event) => screens.event(event),
            Err(TryRecvError::Empty) => break,
            Err(TryRecvError::Disconnected) => {
                screens.no_more_events();
                break;
            }
        }
    }
}

fn key() -> io::Result<Option<KeyEvent>> {
    if !event::poll(TICK)? {
        return Ok(None);
    }
    Ok(match event::read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
        _ => None,
    })
}
