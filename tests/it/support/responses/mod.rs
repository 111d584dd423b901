//! A provider for tests: `OpenAI`'s `/responses` and `/embeddings` on loopback, with faults on order and a bill of its
//! own.
//!
//! [`OpenAi::start`] answers each request by the request's own schema, always the same for the same story. What goes
//! wrong is said with [`When`] and [`Fault`]; what was sent is read from [`OpenAi::calls`]; what it cost, as the
//! provider counts it, from [`OpenAi::bill`], to hold against the ledger.
//!
//! The way of a request: `wire` reads it, `call` understands it, `strict` checks it, `script` picks a fault, `answer`
//! writes what a model would, `envelope` wraps it, `fault_effects` spoils it, `charges` records what it costs, and
//! `wire` sends it.

mod answer;
mod call;
mod charges;
pub mod embeddings;
mod envelope;
mod errors;
mod fault;
mod fault_effects;
mod provider;
pub mod recorded;
mod script;
mod server;
mod spec;
mod strict;
pub mod wire;

pub use answer::ORDER;
pub use call::{Call, Story};
pub use charges::{Bill, Line, Price};
pub use envelope::dated;
pub use fault::{Fault, Reported};
pub use script::When;
pub use server::{EMBED_MODEL, KEY, MODEL, OpenAi, Stray};
pub use spec::Specification;
