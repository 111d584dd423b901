//! The commands that a clause can contain, with the words of their parts.

use crate::language::text::tokens::Token;
use crate::language::values::shift::Shift;
use crate::record::{Kind, Priority};

/// A command with the words of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command<'t> {
    /// `subject` contains the title and the time. `certain` is set if the clause asks explicitly, with "add", "remind
    /// me to" and the like.
    Create {
        kind: Option<Kind>,
        priority: Option<Priority>,
        subject: &'t [Token],
        certain: bool,
    },
    /// Moves a record if it exists, else creates one: "schedule", "put … on Friday".
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
    /// Completes a repeating record on some days.
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
    /// "change X to Y": Y is a new date, rule, priority or title.
    Change {
        target: &'t [Token],
        to: &'t [Token],
    },
    AddToGoal {
        item: &'t [Token],
        goal: &'t [Token],
    },
    /// Sets the duration or the end of an event.
    End {
        target: &'t [Token],
        words: &'t [Token],
    },
    /// Lengthens or shortens an event.
    Lengthen {
        target: &'t [Token],
        minutes: i32,
    },
    /// Sets the location or the notes.
    Field {
        target: &'t [Token],
        field: Field,
        text: &'t [Token],
    },
    /// "swap X and Y": exchanges the days and times of two records.
    Swap {
        one: &'t [Token],
        other: &'t [Token],
    },
    /// A question or a greeting, which is answered and changes nothing.
    Chat,
    /// A command without the words that it needs.
    Unclear,
}

/// A field other than the title and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Location,
    Notes,
}

/// Target of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Destination<'t> {
    When(&'t [Token]),
    By(Shift),
    NoDate,
    /// The clause names no target.
    Nowhere,
}
