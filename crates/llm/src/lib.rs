//! The gateway: everything that asks a model, or `local`, goes through here.
//!
//! Comes in: a task with its inputs. Goes out: validated, stamped answers, each with its ledger row. Called by whatever
//! asks a model: the pipeline's stages, deep dives, answers, the assistant, the journal, questionnaires. Downstream code depends on the task's schema, never on the model.
//!
//! What can be asked is in [`tasks`], one file each. The way of a call: `router` chooses a chain of models (`configured_models` has those of
//! catalogue and settings, `model_name` finds one by what was typed, `egress` refuses those that are elsewhere), `request` and `prompt` render the
//! task's input, a `provider`'s dialect encodes it, `metered_call` waits for the model's `pace` (with a `bucket` of tokens), reserves,
//! sends and settles, `exchange` brings what comes over the `transport` and has the dialect decode it, in one piece or as a `stream`
//! (`streaming_only` finds out which models answer in no other way), `answer` reads and `schema` checks and stamps it. `retry` says
//! what follows a failure, `retry_plan` what that leaves to be asked; `gateway` does it. [`streaming`] gives answers in words or in lines
//! as they come, a `conversation` with one model has answers that know of each other, `embedder` makes vectors, and a `service_call` is
//! for what is no model and charges all the same. All are metered calls on one `ledger`, which `ledger_writer` writes.
//!
//! A stage of a run has a lease and a scope of its own; whoever else wants an answer takes a scope without either. The ledger and its
//! caps are the same, and what was answered before is not paid for again:
//!
//! ```
//! # use std::sync::Arc;
//! use aha_core::budget::Caps;
//! use aha_core::clock::Clock;
//! use aha_core::topic::BudgetTier;
//! use aha_llm::breaker::{BreakerPolicy, Breakers};
//! use aha_llm::prompt::Prompts;
//! use aha_llm::settings::{BudgetSettings, Egress};
//! use aha_llm::tasks::summary::SummaryInput;
//! use aha_llm::tasks::deep_summary;
//! use aha_llm::transport::Http;
//! use aha_llm::{Gateway, GatewayParts, Outcome, Router};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = format!("sqlite://{}", folder.path().join("example.db").display());
//! let store = aha_store::open(&url, aha_store::OpenMode::CreateIfMissing).await?;
//! let gateway = Gateway::new(GatewayParts {
//!     router: Router::default(), // no model is configured: `local` answers
//!     prompts: Arc::new(Prompts::load(None)?),
//!     transport: Arc::new(Http::within(Egress::Any)),
//!     clock: Clock::default(),
//!     budget: BudgetSettings::default(),
//!     language: String::new(),
//!     retry_override: None,
//!     breakers: Arc::new(Breakers::new(BreakerPolicy::default())),
//!     jitter: Arc::new(|| 0.5),
//!     dry_run: false,
//! });
//! let text = "Volunteers counted 61,000 cranes at Lake Ansel on Sunday.";
//! let story = SummaryInput {
//!     title: "Crane count".to_owned(),
//!     headlines: vec!["Crane count".to_owned()],
//!     texts: vec![("Wire".to_owned(), text.to_owned())],
//!     discussions: vec![],
//!     interests: String::new(),
//!     evidence: Default::default(),
//! };
//! let scope = gateway.standalone(deep_summary::TASK, BudgetTier::Normal);
//! let Outcome::Answered { answer, .. } = gateway.answer(&store, &scope, deep_summary::input(story)).await? else {
//!     return Err("no answer".into());
//! };
//! assert_eq!(answer["one_liner"], format!("“{text}” — Wire"));
//! # Ok(())
//! # }
//! ```
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
mod call_log;
mod call_scope;
pub mod catalogue;

mod configured_models;
pub mod conversation;
pub mod egress;
pub mod embedder;
pub mod error;
pub mod estimate;
pub mod exchange;
pub mod fence;
pub mod gateway;
mod gateway_parts;
mod ledger;
mod ledger_writer;
pub mod local;
pub mod metered_call;
mod model_call;
mod model_name;
pub mod pace;
pub mod probe;
pub mod prompt;
pub mod provider;
pub mod request;
pub mod retry;
mod retry_plan;
pub mod retry_policy;
pub mod route;
pub mod router;
mod run_call_state;
pub mod schema;
mod service_call;
pub mod settings;
mod spending_limit;
mod standalone;
pub mod stream;
pub mod streaming;
pub mod streaming_only;
mod tally;
mod task_item;
pub mod tasks;
pub mod transport;
mod turn;

pub use aha_core::model::ModelRef;
pub use call_scope::CallScope;
pub use embedder::{Embedder, EmbedderParts};
pub use gateway::Gateway;
pub use gateway_parts::{GatewayParts, Jitter};
pub use ledger::Cost;
pub use metered_call::{Executed, NotSent};
pub use router::Router;
pub use run_call_state::RunCallState;
pub use service_call::{ServiceCall, ServiceCharge};
pub use streaming::{AnswerStream, StreamEvent, StreamFailure, StreamedAnswer};
pub use task_item::{Outcome, TaskItem};
pub use tasks::{Task, TaskInput};
