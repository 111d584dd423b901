//! The gateway: everything that asks a model, or `local`, goes through here.
//!
//! Comes in: a task with its inputs. Goes out: validated, stamped answers, each with its ledger row. Called by the stages
//! `triage` and `deep_summary` and by `deep-dive`. Downstream code depends on the task's schema, never on the model.
//!
//! The way of a call: `router` chooses a chain of models (`listed` has those of the catalogue, `model_name` finds one by what was typed, `egress` refuses those that are
//! elsewhere), `request` and `prompt` make what is asked of `input`, `attempt` has a `provider`'s dialect encode it and makes an
//! order of it, `purchase` waits for the model's `pace` (with a `bucket` of tokens) and reserves, `exchange` sends it over the `transport` and has the
//! dialect decode what comes back, in one piece or as a `stream` (`streaming_only` finds out which models answer in no other way), `answer` reads and `schema` checks and stamps it, and the
//! purchase settles. `retry` says what follows a failure, `work` what that leaves to be asked; `gateway` does it. A `conversation` with one model buys its answers in the
//! same way, and `embedder` its vectors; a `fee` is for what is no model and charges all the same. All are on one `ledger`.
//!
//! A model's answer is taken as it is or not at all; noise around it changes no value:
//!
//! ```
//! use aha_llm::answer::object;
//!
//! let answer = "Here you are:\n```json\n{\"score\": 81,}\n```";
//! assert_eq!(object(answer, None).unwrap()["score"], 81);
//! assert!(object("{'score': 81}", None).is_err(), "whoever writes this may mean anything");
//! ```

pub mod answer;
mod attempt;
pub mod breaker;
pub mod bucket;
pub mod budget;
pub mod catalogue;
pub mod conversation;
mod desk;
pub mod egress;
pub mod embedder;
pub mod error;
pub mod estimate;
mod events;
pub mod exchange;
pub mod fee;
pub mod gate;
pub mod gateway;
pub mod input;
mod ledger;
mod listed;
mod model_name;
pub mod pace;
pub mod prompt;
pub mod provider;
mod purchase;
pub mod request;
pub mod retry;
pub mod router;
pub mod schema;
pub mod settings;
pub mod stream;
pub mod streaming_only;
mod tally;
pub mod transport;
mod work;

pub use aha_core::model::ModelRef;
pub use aha_core::task::Task;
pub use embedder::{Embedder, EmbedderParts};
pub use fee::{Bill, Paid, Question};
pub use gate::Gate;
pub use gateway::{Ask, CallScope, Gateway, GatewayParts, Jitter, Outcome};
pub use ledger::Cost;
pub use router::Router;
