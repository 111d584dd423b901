//! Reads and edits a folder of notes, either Logseq's or plain Markdown, without losing a byte.
//!
//! Input: a folder. Output: its pages and journal days as blocks, and files in which only the intended lines have
//! changed. It needs no model and no database. Called by the product's journal, and usable on its own.
//!
//! ```
//! use aha_notes::{Document, Format};
//!
//! let mut page = Document::parse(Format::Outline, "tags:: #db\r\n\r\n- Indexes\r\n\t- B-tree");
//! page.add_under(0, "A partial index covers only the rows of its predicate.", "6650a1", "\t").unwrap();
//! let added = "\r\n\t- A partial index covers only the rows of its predicate.\r\n\t  id:: 6650a1";
//! assert_eq!(page.text(), format!("tags:: #db\r\n\r\n- Indexes\r\n\t- B-tree{added}"));
//! ```

pub mod apply;
pub mod block;
pub mod change;
pub mod config;
mod content;
pub mod date_format;
pub mod document;
pub mod edit;
pub mod error;
pub mod graph;
mod insert;
pub mod knowledge;
pub mod lines;
mod markdown;
pub mod names;
mod opaque;
mod open_fence;
mod outline;
pub mod property;
pub mod replace_file;
pub mod state;
mod structure;
pub mod undo;

pub use apply::{Applied, Outcome, Preview, apply, preview};
pub use block::{Block, Kind};
pub use change::{Action, Change, Origin};
pub use content::literal;
pub use document::{Document, Format};
pub use edit::EditError;
pub use error::NotesError;
pub use graph::{Graph, Page};
pub use state::State;
pub use undo::{Undone, undo};
