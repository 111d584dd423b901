//! Models: on whose behalf somebody asks one by hand.

use std::sync::Arc;

use aha_llm::{CallScope, RunCallState};

use crate::app::App;

/// On nobody's behalf but the user's.
#[must_use]
pub fn scope(app: &App, purpose: &str) -> CallScope {
    CallScope {
        lease: None,
        run: None,
        pass: 0,
        attempt: 1,
        topic: None,
        share_percent: None,
        tier: app.config().budget_tier,
        prompt_id: purpose.to_owned(),
        rejudge: false,
        call_state: Arc::new(RunCallState::default()),
    }
}
