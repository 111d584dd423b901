//! Aha Radar reads what the world publishes so that its owner does not have to.
//!
//! The data's way, which is also the order of the folders to read:
//!
//! ```text
//! sources ─ingest, search→ content_items ─assign→ topic_items ─rules→ ─embed→ embeddings ─dedupe, cluster→ clusters ─select→
//!   candidates ─triage→ verdicts ─rank→ top and scan ─deep_summary, entities→ summaries ─digest→ digests, digest_items ─publish→ files
//! ```
//!
//! What stands alone is a crate, and none of them knows this one: `aha_core` (what all of it talks about, without I/O), `aha_net`
//! (addresses, names, keys), `aha_content` (markup to text, feeds to items), `aha_analysis` (similarity, stories, relevance, noise),
//! `aha_store` (the rows), `aha_llm` (the gateway: tasks, schemas, router, ledger, providers), `aha_planner` (todos, events, habits, goals),
//! `aha_notes` and `aha_journal` (a folder of notes, and what is kept of it), `aha_sentence` (vectors of sentences), `aha_benchmark` (measures an
//! answering API), `aha_review` (a digest on a terminal). Here are:
//!
//! - [`config`]: every setting, read once.
//! - [`sources`]: connectors and fetching.
//! - [`pipeline`]: the ordered list of stages, one a file, and the runner.
//! - `sentences`: vectors of sentences by a model, made and stored.
//! - [`digest`]: the renderings.
//! - [`app`]: what a process shares: store, gateway, fetcher, clock, settings.
//! - [`services`]: the use cases, once, for all faces; those with a subject of their own are beside it:
//! - [`ask`]: questions answered from what was read, each sentence with its source.
//! - [`assistant`]: a sentence becomes operations on what is planned, or an answer.
//! - [`journal`]: what is kept of daily notes.
//! - [`questionnaire`]: one list of questions for many inputs and models.
//! - [`retention`]: what is removed for its age.
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
