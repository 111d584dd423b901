//! Extracts lasting knowledge from daily notes.
//!
//! Input: the days of a graph of notes. Output: a plan that lists the knowledge found, its text without references to
//! the day, and the pages it belongs to. Once the user agrees, `aha-notes` writes it. This crate contains the plan, the
//! prompts to a model, the parsing of its answers, and the rules that replace a model. It makes no network calls.
//! Called by the product's `journal` command.
//!
//! ```
//! use aha_journal::chunks::{Chunk as _, ContentRewordingChunk};
//! use aha_journal::prompts::{ShortIds, escaped, unescaped};
//!
//! let text = "A Vec<T> owns its elements.";
//! let mut ids = ShortIds::new('b');
//! let answer = serde_json::json!({ "block_id": ids.short("6650a1"), "reworded_content": escaped(text) });
//! let chunk = ContentRewordingChunk::of(&answer).unwrap();
//! assert_eq!(ids.block(&chunk.block_id), Some("6650a1"));
//! assert_eq!(unescaped(&chunk.reworded_content, text), text);
//! ```

pub mod chunks;
pub mod days;
pub mod decisions;
pub mod events;
pub mod local;
pub mod plan;
pub mod prompts;
pub mod terminal;

pub use days::{Day, DaysError, Range, days, days_and_ignored};
pub use plan::{Decision, Plan, PlanAction, PlanError, PlannedBlock};
