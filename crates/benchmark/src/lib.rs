//! Measures an answering API against a ground truth: are its answers right, does it cite its sources, how long does it take.
//!
//! Comes in: a file of questions with expected answers, and the address of any server with `POST /ask` (`{"question"}` →
//! `{"answer","citations":[{"document","section","relevance_score"}]}`, errors `{"error","message"}`). Goes out: a [`Report`], written as
//! JSON and HTML and shown as a table. Usable alone: of this workspace it uses `aha-net` alone, and it trusts no server.
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
pub mod report;
pub mod run;
pub mod statistics;
pub mod table;
mod yaml;

pub use report::Report;
pub use run::{BenchmarkError, Settings, run};
