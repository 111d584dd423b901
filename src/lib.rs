//! Aha Radar reads many sources so that its user does not have to.
//!
//! The data flow, which is also the order in which to read the folders:
//!
//! ```text
//! sources ─ingest, search→ content_items ─assign→ topic_items ─rules→ ─embed→ embeddings ─dedupe, cluster→ clusters
//!   ─select→ candidates ─triage→ verdicts ─rank→ top and scan ─deep_summary, entities→ summaries
//!   ─digest→ digests, digest_items ─publish→ files
//! ```
//!
//! Independent parts are crates, and none of them depends on this one: `aha_core` (shared domain types, without I/O),
//! `aha_net` (addresses, names, keys), `aha_content` (markup to text, feeds to items), `aha_analysis` (similarity,
//! stories, relevance, noise), `aha_store` (the rows), `aha_llm` (the gateway: tasks, schemas, router, ledger,
//! providers), `aha_planner` (todos, events, habits, goals), `aha_notes` and `aha_journal` (a folder of notes, and the
//! knowledge extracted from it), `aha_sentence` (sentence vectors), `aha_benchmark` (measures an answering API),
//! `aha_review` (a digest on a terminal). This crate contains:
//!
//! - [`config`]: every setting, read once.
//! - [`sources`]: connectors and fetching.
//! - [`pipeline`]: the stages, one a file, and the runner that sets their order.
//! - `embedding_weights`, `sentences`: the models of word and of sentence vectors, which `model_folder` keeps loaded.
//! - [`digest`]: the renderings.
//! - [`app`]: the state that a process shares: store, gateway, fetcher, clock, settings.
//! - [`services`]: the use cases, written once for all interfaces. These have modules of their own:
//! - [`ask`]: questions answered from what was read, each sentence with its source.
//! - [`assistant`]: turns a sentence into planner operations, or answers it.
//! - [`journal`]: extracts lasting knowledge from daily notes.
//! - [`questionnaire`]: one list of questions put to several models.
//! - [`retention`]: removes old data.
//! - [`cli`], [`daemon`], [`web`]: the interfaces for people and schedulers.

pub mod app;
pub mod ask;
pub mod assistant;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod digest;
mod embedding_weights;
pub mod journal;
mod key_locks;
mod model_folder;
pub mod pipeline;
pub mod questionnaire;
pub mod retention;
mod sentences;
pub mod services;
mod shutdown;
mod single_flight;
pub mod sources;
pub mod web;
