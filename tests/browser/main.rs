//! The pages in a browser, each journey with their script and without it.
//!
//! A binary beside `tests/it`, as the client of the browser's driver adds ways to add texts, which leave the compiler
//! in doubt about the usual ones of other tests.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is the report, in its helpers too")]

mod accounts;
mod driver;
mod first_steps;
mod notes;
mod planning;
mod reading;
#[expect(dead_code, unused_imports, reason = "other tests need more of it")]
#[path = "../it/support/mod.rs"]
mod support;

use support::radar::{Radar, repository};

const NOW: &str = "2026-11-19T07:00:00Z";

/// With a digest of the repository's feeds, made without a model.
fn with_a_digest() -> Radar {
    let radar = Radar::at(NOW);
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    radar
}
