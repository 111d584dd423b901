//! Builds the operations that a command asks for, or the question to the user instead.
//!
//! What belongs here reads the records and makes operations on them: new ones ([`create`]), changes ([`change`]),
//! completions ([`complete`]), reports of what is done ([`past`]), ends of repetitions ([`until`]), goals.

mod amend;
pub(super) mod change;
mod complete;
mod create;
mod create_checks;
mod done_days;
mod extras;
mod field_changes;
mod goals;
mod past;
mod titles;
mod until;
