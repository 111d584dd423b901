//! Aha Radar reads what the world publishes so that its owner does not have to.
//!
//! The data's way, which is also the order of the folders to read:
//!
//! ```text
//! sources ─ingest→ content_items ─assign→ topic_items ─rules→ ─embed→ embeddings ─dedupe, cluster→ clusters ─select→
//!   candidates ─triage→ verdicts ─rank→ top and scan ─deep_summary→ summaries ─digest→ digests, digest_items
//! ```
//!
//! What stands alone is a crate, and none of them knows this one: `aha_core` (what all of it talks about, without I/O), `aha_net`
//! (addresses, names, keys), `aha_content` (markup to text, feeds to items), `aha_analysis` (similarity, stories, relevance, noise),
//! `aha_store` (the rows), `aha_llm` (the gateway: tasks, schemas, router, ledger, providers), `aha_planner` (todos, events, habits, goals). Here are:
//!
//! - [`config`]: every setting, read once.
//! - [`sources`]: connectors and fetching.
//! - [`pipeline`]: the ordered list of stages, one a file, and the runner.
//! - `sentences`: vectors of sentences by a model, made and stored.
//! - [`digest`]: the renderings.
//! - [`services`]: every use case, once, for all faces.
//! - [`assistant`]: a sentence becomes operations on what is planned, or an answer.
//! - [`cli`], [`daemon`], [`web`]: how people and schedulers reach it.

pub mod app;
pub mod ask;
pub mod assistant;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod digest;
pub mod journal;
pub mod pipeline;
pub mod questionnaire;
pub mod retention;
mod sentences;
pub mod services;
pub mod sources;
pub mod web;
