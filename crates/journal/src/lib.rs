//! Lasting knowledge out of daily notes.
//!
//! Comes in: the days of a graph of notes. Goes out: a plan, which says what is knowledge, how it reads without its day and where it belongs; once its owner agrees,
//! `aha-notes` writes it. Here are the plan, the questions to a model with the reading of its answers, and the rules that do without one; nothing
//! here calls anybody. Called by the product's `journal` command.
//!
//! ```
//! use aha_journal::ndjson::Collector;
//!
//! let mut collector = Collector::default();
//! let mut found = collector.push("Here you are:\n{\"block_id\": \"b1\", \"confi");
//! found.extend(collector.push("dence\": 0.9, \"reason\": \"r\"}\n{\"block_id\": oops}\n{\"block_id\": \"b2\""));
//! found.extend(collector.finish());
//! assert_eq!(found.len(), 1, "what is broken or cut off costs itself alone");
//! ```

pub mod chunks;
pub mod days;
pub mod decisions;
pub mod events;
pub mod local;
pub mod ndjson;
pub mod plan;
pub mod prompts;
pub mod terminal;

pub use days::{Day, DaysError, Range, days};
pub use plan::{Decision, Plan, PlanAction, PlanError, PlannedBlock};
