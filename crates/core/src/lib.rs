//! What the product talks about: items, stories, verdicts, runs, digests. No I/O, no clock, no randomness.

pub mod budget;
pub mod clock;
pub mod database_url;
pub mod digest;
pub mod failpoint;
pub mod failures;
pub mod feedback;
pub mod ids;
pub mod item;
pub mod model;
pub mod money;
pub mod queue;
pub mod ranking;
pub mod run;
pub mod schedule;
pub mod score_health;
pub mod settings;
pub mod source;
pub mod story;
pub mod summary;
pub mod task;
pub mod thresholds;
pub mod time;
pub mod topic;
pub mod verdict;
pub mod window;
