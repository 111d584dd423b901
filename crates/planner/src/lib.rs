//! The planner: todos, events, habits and goals, and the conversion of sentences into changes of them.
//!
//! Input: sentences, operations as JSON, the records they concern, today's date. Output: valid operations or the errors
//! in each; updated records; text and calendars. Called by `aha-store`, which applies operations inside its
//! transaction, and by the product's assistant. It uses no I/O, no clock and no randomness.
//!
//! The steps of a change: [`shape`] normalises an operation, [`validate`] reports its errors, [`repair`] corrects what
//! rules can correct, [`apply`] updates the records, [`summary`] describes it in text. [`language`] interprets
//! sentences without a model (`local`). [`unknown_fields`] names the fields of an operation that are not used.

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
pub mod unknown_fields;
pub mod validate;

/// Maximum number of operations in a proposal and in a batch.
pub const MAX_OPERATIONS: usize = 20;
