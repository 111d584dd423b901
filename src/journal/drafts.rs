//! Plans that a user edits in a browser, step by step. They are held here, so that the browser sends only choices and
//! texts, and never a path.
//!
//! Input: days of the graph that the command line named, choices, edited texts. Output: the current plan, what it would
//! change, and what was written. Called by the web.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aha_journal::Plan;
use aha_journal::events::PhaseEvent;
use aha_notes::Undone;
use chrono::NaiveDate;
use futures::FutureExt as _;
use tokio::sync::mpsc::unbounded_channel;

use super::phases::{self, ModelAccess};
use super::{Journal, JournalError};
use crate::app::App;

/// Maximum number of drafts; the oldest is dropped.
const MAX_DRAFTS: usize = 20;

/// A plan, or one in preparation.
#[derive(Debug, Clone)]
pub enum Draft {
    /// Models are being asked; the text describes the last event.
    Working(String),
    Ready(Plan),
    Failed(String),
}

/// The drafts of this process. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Drafts(Arc<Mutex<Vec<(String, Draft)>>>);

/// Opens the graph that the command line or `AHA_JOURNAL_GRAPH` named.
///
/// # Errors
/// When none is named or the folder is not a graph.
pub fn open(app: &App) -> Result<Journal, JournalError> {
    let config = app.config();
    Journal::open(None, &config.journal, app.clock().now(), config.timezone)
}

impl Drafts {
    /// Makes a plan of these days: immediately by rules, otherwise by models in a separate task, for which a
    /// process that stops waits. Returns its id.
    ///
    /// # Errors
    /// When a day does not exist or cannot be read.
    pub fn extract(&self, app: &App, wanted: &[NaiveDate]) -> Result<String, JournalError> {
        let journal = open(app)?;
        let days = journal.days_of(wanted)?;
        let tier = app.config().budget_tier;
        if !ModelAccess::has_models(app.gateway().router(), tier) {
            return Ok(self.add(Draft::Ready(journal.extract_by_rules(&days)?)));
        }
        let (access, index) = (ModelAccess::of(app, tier, false), journal.index()?);
        let id = self.add(Draft::Working("the models are being asked".to_owned()));
        let (drafts, name) = (self.clone(), id.clone());
        app.spawn(async move {
            let (events, mut received) = unbounded_channel();
            let (watched, watched_name) = (drafts.clone(), name.clone());
            let watching = tokio::spawn(async move {
                while let Some(event) = received.recv().await {
                    if let PhaseEvent::RequestSent { phase, about } = event {
                        watched.put(&watched_name, Draft::Working(format!("{phase}: {about}")));
                    }
                }
            });
            let plan = Plan::new(journal.graph.root(), phases::MADE_BY);
            let extracting = Box::pin(access.extract(&days, (&index, journal.graph.unit()), plan, &events));
            let made = AssertUnwindSafe(extracting).catch_unwind().await;
            drop(events);
            let _ = watching.await;
            drafts.put(
                &name,
                match made {
                    Ok(Ok(plan)) => Draft::Ready(plan),
                    Ok(Err(error)) => Draft::Failed(error.to_string()),
                    Err(_) => Draft::Failed("a defect of the program prevented this; the log says where".to_owned()),
                },
            );
        });
        Ok(id)
    }

    /// Makes a plan for a statement that belongs to no day.
    ///
    /// # Errors
    /// When the pages cannot be read.
    pub fn keep(&self, app: &App, id: &str, text: &str) -> Result<String, JournalError> {
        Ok(self.add(Draft::Ready(open(app)?.keep(id, text)?)))
    }

    #[must_use]
    pub fn find(&self, id: &str) -> Option<Draft> {
        self.locked().iter().find(|(known, _)| known == id).map(|(_, draft)| draft.clone())
    }

    /// Changes a plan that is ready. Returns false if there is none.
    pub fn change(&self, id: &str, change: impl FnOnce(&mut Plan)) -> bool {
        let mut drafts = self.locked();
        let Some((_, Draft::Ready(plan))) = drafts.iter_mut().find(|(known, _)| known == id) else { return false };
        change(plan);
        true
    }

    #[expect(clippy::disallowed_methods, reason = "the name of a draft must not be guessed, AHA_NOW or not")]
    fn add(&self, draft: Draft) -> String {
        let id = format!("{:016x}", rand::random::<u64>());
        let mut drafts = self.locked();
        if drafts.len() >= MAX_DRAFTS {
            drafts.remove(0);
        }
        drafts.push((id.clone(), draft));
        id
    }

    fn put(&self, id: &str, draft: Draft) {
        if let Some((_, place)) = self.locked().iter_mut().find(|(known, _)| known == id) {
            *place = draft;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<(String, Draft)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Describes what was undone in a file.
#[must_use]
pub fn undone_in_words(undone: &Undone) -> String {
    match undone {
        Undone::Restored { file } => format!("{file} is as it was."),
        Undone::Removed { file } => format!("{file} was changed since; only what was written is removed."),
        Undone::Skipped { file, why } => format!("{file} is not changed: {why}."),
    }
}
