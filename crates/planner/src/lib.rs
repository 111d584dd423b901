//! What an owner plans: todos, events, habits and goals, and how a sentence becomes a change of them.
//!
//! Comes in: sentences, operations as JSON, the records they concern, today's date. Goes out: operations that are valid, or what is
//! wrong with each; records as they become; text and calendars. Called by `aha-store` (which applies operations inside its
//! transaction) and by the product's assistant. No I/O, no clock, no randomness.
//!
//! The way of a change: [`shape`] brings an operation into its one form, [`validate`] says what is wrong with it, [`repair`] corrects
//! what rules can correct, [`apply`] makes the records, [`summary`] says it in words. [`language`] is how `local`, which has no model,
//! reads a sentence.

pub mod apply;
pub mod calendar;
pub mod language;
pub mod matching;
mod meanings;
pub mod operation;
pub mod record;
pub mod recurrence;
pub mod repair;
pub mod shape;
pub mod state;
pub mod summary;
pub mod time_of_day;
pub mod validate;

/// More operations than these are refused, in a proposal and in a batch to apply.
pub const MAX_OPERATIONS: usize = 20;
