//! What a clause can ask for: a command with the words that belong to each part of it.

use super::shift::Shift;
use super::tokens::Token;
use crate::record::{Kind, Priority};

/// A command with the words of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command<'t> {
    /// `subject` holds what and when. `certain`: it was asked for by "add", "remind me to" and the like.
    Create {
        kind: Option<Kind>,
        priority: Option<Priority>,
        subject: &'t [Token],
        certain: bool,
    },
    /// To move what is there, else to create: "schedule", "put … on Friday".
    Place {
        target: &'t [Token],
        when: &'t [Token],
        subject: &'t [Token],
    },
    Move {
        target: &'t [Token],
        to: Destination<'t>,
    },
    Rename {
        target: &'t [Token],
        title: &'t [Token],
    },
    Prioritise {
        target: &'t [Token],
        priority: Priority,
    },
    Complete {
        target: &'t [Token],
        done: bool,
    },
    /// Done, with the days that are done where it repeats.
    CompleteOn {
        target: &'t [Token],
        day: &'t [Token],
    },
    Delete {
        target: &'t [Token],
    },
    Repeat {
        target: &'t [Token],
        when: &'t [Token],
    },
    StopRepeating {
        target: &'t [Token],
    },
    /// "change X to Y": a new date, rule, priority or title, whichever Y is.
    Change {
        target: &'t [Token],
        to: &'t [Token],
    },
    Note {
        target: &'t [Token],
        text: &'t [Token],
    },
    AddToGoal {
        item: &'t [Token],
        goal: &'t [Token],
    },
    /// How long an event takes, or when it ends.
    End {
        target: &'t [Token],
        words: &'t [Token],
    },
    /// By how much longer, or shorter, an event takes.
    Lengthen {
        target: &'t [Token],
        minutes: i32,
    },
    /// Where something takes place, or a note on it.
    Field {
        target: &'t [Token],
        field: Field,
        text: &'t [Token],
    },
    /// "swap X and Y": each takes the other's day and time.
    Swap {
        one: &'t [Token],
        other: &'t [Token],
    },
    /// A question or a greeting: to be answered, not planned.
    Chat,
    /// What is meant is not said.
    Unclear,
}

/// What a record has besides its title and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Location,
    Notes,
}

/// Where something is moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Destination<'t> {
    When(&'t [Token]),
    By(Shift),
    NoDate,
    /// It was not said.
    Nowhere,
}
