//! Measures an answering API against a ground truth: whether its answers are correct, whether it cites its sources, and
//! how long it takes.
//!
//! Input: a file of questions with expected answers, and the address of any server with `POST /ask` (`{"question"}` →
//! `{"answer","citations":[{"document","section","relevance_score"}]}`, errors `{"error","message"}`). Output: a
//! [`Report`], written as JSON and HTML and printed as a table. Usable on its own: of this workspace it depends only on
//! `aha-core`, `aha-net` and `aha-yaml`. It does not trust the server.
//!
//! ```
//! use aha_benchmark::ground_truth::GroundTruth;
//! use aha_benchmark::matching::{Thresholds, compare};
//!
//! let mistakes = GroundTruth::parse("version: '1.0'\nquestions: []\n").unwrap_err();
//! assert!(mistakes.to_string().contains("questions"));
//! let right = compare("Within 72 hours.", &["within 72 hours".to_owned()], Thresholds::default());
//! assert!(right.is_match);
//! ```

pub mod baseline;
pub mod citations;
mod client;
pub mod files;
pub mod ground_truth;
pub mod html;
pub mod manifest;
pub mod matching;
mod negation;
pub mod report;
pub mod run;
pub mod statistics;
pub mod table;

pub use report::Report;
pub use run::{BenchmarkError, Settings, run};
