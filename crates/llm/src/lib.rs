//! The gateway to models: every call of a model, or of `local`, goes through it.
//!
//! Input: a task with its inputs. Output: validated, stamped answers, each with its ledger row. Called by everything
//! that needs a model: the pipeline's stages, deep dives, answers, the assistant, the journal, questionnaires.
//! Downstream code depends on the task's schema, never on the model.
//!
//! The tasks are in [`tasks`], one file each. The path of a call: `router` chooses a chain of models
//! (`configured_models` holds those of catalogue and settings, `model_name` finds one by what the user typed, `egress`
//! refuses those outside the allowed network). `request` and `prompt` render the task's input, and a `provider`'s
//! dialect encodes it. `metered_call` waits for the model's `rate_limiter` (with a token `bucket`), reserves, sends and
//! settles. `exchange` receives the response over the `transport` and has the dialect decode it, in one piece or as a
//! `stream` (`streaming_only` detects which models answer only as a stream). `answer` reads the text, and `schema`
//! checks and stamps it. `retry` decides what follows a failure, `retry_plan` which items remain; `gateway` executes
//! the plan. [`streaming`] returns answers in plain text or lines as they arrive, `conversation` keeps a history with
//! one model, `embedder` makes vectors, and `service_call` covers paid services that are not models. All are metered
//! calls on one `ledger`, written by `ledger_writer`.
//!
//! A stage of a run has its own lease and scope; other callers use a scope without either. The ledger and its caps are
//! the same, and stored answers are not paid for again:
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
//! A model's answer is taken unchanged or not at all; ignoring noise around it changes no value:
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
mod batch_failure_counts;
pub mod breaker;
mod bucket;
pub mod budget;
mod call_log;
mod call_scope;
mod call_state;
pub mod catalogue;
mod configured_models;
pub mod conversation;
mod egress;
pub mod embedder;
pub mod error;
mod estimate;
pub mod exchange;
mod fence;
mod gateway;
mod gateway_parts;
mod ledger;
mod ledger_writer;
pub mod local;
mod metered_call;
mod model_call;
mod model_name;
pub mod probe;
pub mod prompt;
pub mod provider;
mod rate_limiter;
pub mod request;
pub mod retry;
mod retry_plan;
pub mod retry_policy;
pub mod route;
pub mod router;
pub mod schema;
mod service_call;
pub mod settings;
mod spending_limit;
mod standalone;
mod stored_answers;
mod stream;
pub mod streaming;
pub mod streaming_only;
mod task_item;
pub mod tasks;
pub mod transport;
mod turn;

pub use aha_core::model::ModelRef;
pub use call_scope::CallScope;
pub use call_state::CallState;
pub use embedder::{Embedder, EmbedderParts};
pub use gateway::Gateway;
pub use gateway_parts::{GatewayParts, Jitter};
pub use ledger::Cost;
pub use metered_call::{Executed, FailedCall, NotSent};
pub use router::Router;
pub use service_call::{ServiceCall, ServiceCharge};
pub use streaming::{AnswerStream, StreamEvent, StreamFailure, StreamedAnswer};
pub use task_item::{Outcome, TaskItem};
pub use tasks::{Task, TaskInput};
