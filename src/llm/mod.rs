//! The gateway: everything that asks a model, or `local`, goes through here.
//!
//! Comes in: a task with its inputs. Goes out: validated, stamped answers, each with its ledger row. Called by the stages
//! `triage` and `deep_summary`. Downstream code depends on the task's schema, never on the model.

pub mod gateway;
pub mod input;
pub mod provider;
pub mod router;
pub mod schema;
pub mod task;

pub use gateway::{Ask, CallScope, Gateway, Outcome};
pub use router::{ModelRef, Router};
pub use task::Task;
