//! Aha Radar reads what the world publishes so that its owner does not have to.
//!
//! The data's way, which is also the order of the folders to read:
//!
//! ```text
//! sources ─ingest→ content_items ─assign→ topic_items ─rules→ ─embed→ embeddings ─dedupe, cluster→ clusters ─select→
//!   candidates ─triage→ verdicts ─rank→ top and scan ─deep_summary→ summaries ─digest→ digests, digest_items
//! ```
//!
//! - [`domain`]: what all of it talks about, without I/O.
//! - [`sources`]: connectors, fetching, feed parsing; [`text`]: markup to text.
//! - [`pipeline`]: the ordered list of stages, one a file, and the runner.
//! - [`stories`]: similarity, clustering, and what can be counted about a story.
//! - [`relevance`]: how much a text is what a reader asked for.
//! - [`noise`]: how likely a headline is clickbait, promotion or a job advertisement.
//! - [`static_model`]: vectors of texts from a folder of weights.
//! - [`llm`]: the gateway: tasks, schemas, router, ledger, providers.
//! - [`store`]: the rows, behind small traits of whole operations.
//! - [`digest`]: the renderings.
//! - [`cli`], [`daemon`], [`web`]: how people and schedulers reach it.

pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod digest;
pub mod domain;
pub mod failpoint;
pub mod llm;
pub mod noise;
pub mod pipeline;
pub mod questionnaire;
mod queue;
pub mod relevance;
pub mod retention;
pub mod sources;
pub mod static_model;
pub mod store;
pub mod stories;
pub mod text;
pub mod web;
