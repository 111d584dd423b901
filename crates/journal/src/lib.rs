//! Extracts lasting knowledge from daily notes.
//!
//! Input: the days of a graph of notes. Output: a plan that lists the knowledge found, its text without references to
//! the day, and the pages it belongs to. Once the user agrees, `aha-notes` writes it. This crate contains the plan, the
//! prompts to a model, the parsing of its answers, and the rules that replace a model. It makes no network calls.
//! Called by the product's `journal` command.
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
