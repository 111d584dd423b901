//! Recognises what a clause asks for: its command, the words of its target, and which records these name.
//!
//! What belongs here decides between kinds of sentence ("move X to Y", "X is done", "delete X"). It changes nothing;
//! [`interpret`] calls the others in turn.

pub(super) mod command;
mod completing;
mod deleting;
pub(super) mod fields;
pub(super) mod guard;
pub(super) mod interpret;
pub(super) mod moving;
mod naming;
mod recognise;
pub(super) mod target;
