//! The journal on a terminal: three screens, one a phase, and the diff before anything is written.
//!
//! Comes in: events of the phases and keys. Goes out: a plan that its owner has ticked, edited and chosen from. [`Screens`] is pure: it takes keys and draws; [`run`] alone
//! touches the terminal.

mod draw;
mod editor;
mod keys;
mod screens;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEventKind};

pub use keys::Key;
pub use screens::{Command, Screen, Screens};

use crate::events::PhaseEvent;
use crate::plan::Plan;

/// What the screens have done for them.
pub trait Actions {
    /// What carrying the plan out would change, as lines of a diff.
    ///
    /// # Errors
    /// A message for the person.
    fn preview(&self, plan: &Plan) -> Result<String, String>;

    /// Carries it out; what is said then.
    ///
    /// # Errors
    /// A message for the person.
    fn write(&self, plan: &Plan) -> Result<String, String>;

    /// Makes the plan anew, asking only for what was not answered; its events come where those of the first time came.
    fn retry(&self) -> Receiver<PhaseEvent>;
}

/// How long a key is waited for before events are looked at.
const TICK: Duration = Duration::from_millis(50);

/// Shows the screens until the person leaves. Says what was written, if anything was.
///
/// # Errors
/// When the terminal fails.
pub fn run(plan: Plan, mut events: Receiver<PhaseEvent>, actions: &dyn Actions) -> io::Result<Option<String>> {
    let mut terminal = ratatui::try_init()?;
    let mut screens = Screens::new(plan);
    let ended = loop {
        receive(&events, &mut screens);
        if let Err(error) = terminal.draw(|frame| draw::draw(&screens, frame)) {
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
    ended.map(|()| screens.written().map(str::to_owned))
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

fn key() -> io::Result<Option<Key>> {
    if !event::poll(TICK)? {
        return Ok(None);
    }
    Ok(match event::read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => keys::of(key),
        _ => None,
    })
}
