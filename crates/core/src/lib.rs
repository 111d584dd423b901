//! The domain types of the product: items, stories, verdicts, runs, digests. No randomness; only [`clock`] reads the
//! time; no I/O except that of [`files`] and, in debug builds, of [`failpoint`].
//!
//! It depends on no other crate of the workspace; all others except `sentence` build on it. Money is
//! whole micro-credits ([`money`]), times are whole milliseconds ([`time`]) from a [`clock`] that can be pinned, ids
//! are derived from natural identities ([`ids`]), and states and kinds of rows are enumerations ([`run`], [`source`],
//! [`fetch`], [`topic`]). [`settings`] reads variables and collects the problems of each. [`files`] replaces a file as a
//! whole. [`failpoint`] lets a test kill the process at a named point, in debug builds only.
//!
//! ```
//! use aha_core::money::MicroCredits;
//!
//! let cap = MicroCredits::parse_credits("2.5");
//! assert_eq!(cap, MicroCredits::parse_credits("2.500000"));
//! assert_eq!(MicroCredits::parse_credits("0.0000001"), None, "an amount has at most six decimals");
//! ```

pub mod account;
pub mod budget;
pub mod clock;
pub mod database_url;
pub mod digest;
mod evidence;
pub mod failpoint;
pub mod failures;
pub mod feedback;
pub mod fetch;
pub mod files;
pub mod ids;
pub mod item;
pub mod model;
pub mod money;
pub mod purpose;
pub mod queue;
pub mod ranking;
pub mod run;
pub mod schedule;
pub mod score_health;
pub mod settings;
pub mod shell;
pub mod source;
pub mod story;
pub mod summary;
pub mod thresholds;
pub mod time;
pub mod topic;
pub mod verdict;
pub mod window;
