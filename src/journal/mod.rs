//! The journal extracts lasting knowledge from the user's daily notes and adds it to the pages where it belongs.
//!
//! Input: a graph and days of it. Output: a plan (`aha_journal`), and with the user's consent the pages that it changes
//! (`aha_notes`). Called by the command `journal` and by the web. The phases ask models through the gateway, or use
//! rules if none is configured.

pub mod drafts;
mod failure;
pub mod models;
pub mod phases;

use std::path::{Path, PathBuf};

use aha_core::time::Timestamp;
use aha_journal::days::{Day, DaysError, Range, days, days_and_ignored};
use aha_journal::{Plan, PlanError, local};
use aha_llm::probe::Probed;
use aha_notes::apply::FailedChange;
use aha_notes::knowledge::{Hit, PageIndex};
use aha_notes::{Applied, Graph, NotesError, Preview, State, Undone, apply, preview, undo};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Serialize;
use thiserror::Error;

use crate::config::JournalSettings;

/// Why the journal failed.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("no graph is named; say --graph DIR, or set AHA_JOURNAL_GRAPH")]
    NoGraph,
    #[error("there is no folder for the records of changes; set AHA_JOURNAL_STATE")]
    NoState,
    #[error(transparent)]
    Notes(#[from] NotesError),
    #[error(transparent)]
    Days(#[from] DaysError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Store(#[from] aha_store::StoreError),
}

impl JournalError {
    /// Returns whether the user can correct the error by other arguments.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NoGraph
            | Self::NoState
            | Self::Days(DaysError::Range(_) | DaysError::Order(_) | DaysError::NoDays(_)) => true,
            Self::Store(_) => false,
            Self::Plan(error) => !matches!(error, PlanError::Io { action: "write", .. }),
            Self::Notes(error) | Self::Days(DaysError::Notes(error)) => {
                matches!(error, NotesError::DatabaseGraph(_) | NotesError::NotAGraph(_) | NotesError::Config { .. })
            }
        }
    }
}

/// An open graph, and the settings of the commands.
#[derive(Debug)]
pub struct Journal {
    pub graph: Graph,
    state: Option<PathBuf>,
    pub today: NaiveDate,
}

/// A summary of a graph.
#[derive(Debug, Serialize)]
pub struct Overview {
    pub graph: PathBuf,
    /// `logseq` or `markdown`.
    pub kind: &'static str,
    pub pages: usize,
    pub days: usize,
    pub first_day: Option<NaiveDate>,
    pub last_day: Option<NaiveDate>,
    /// Its indentation style, in words.
    pub indentation: String,
    pub state: Option<PathBuf>,
    /// The models of the phases; empty if rules do the work.
    pub models: Vec<Probed>,
}

impl Overview {
    #[must_use]
    pub fn with_models(self, models: Vec<Probed>) -> Self {
        Self { models, ..self }
    }
}

impl Journal {
    /// # Errors
    /// When no graph is named or the folder is not a graph.
    pub fn open(
        named: Option<&Path>,
        settings: &JournalSettings,
        now: Timestamp,
        zone: Tz,
    ) -> Result<Self, JournalError> {
        let folder = named.or(settings.graph.as_deref()).ok_or(JournalError::NoGraph)?;
        let today = now.to_utc().with_timezone(&zone).date_naive();
        Ok(Self { graph: Graph::open(folder)?, state: settings.state.clone(), today })
    }

    /// # Errors
    /// When its files cannot be listed.
    pub fn overview(&self) -> Result<Overview, JournalError> {
        let days = self.graph.days()?;
        let kind = match self.graph.format() {
            aha_notes::Format::Outline => "logseq",
            aha_notes::Format::Markdown => "markdown",
        };
        Ok(Overview {
            graph: self.graph.root().to_owned(),
            kind,
            pages: self.graph.pages()?.len(),
            days: days.len(),
            first_day: days.first().and_then(|day| day.day),
            last_day: days.last().and_then(|day| day.day),
            indentation: aha_journal::prompts::indent_style(self.graph.unit()),
            state: self.state.clone(),
            models: Vec::new(),
        })
    }

    /// Returns the requested days; today's only if it is named.
    ///
    /// # Errors
    /// When there are none, or the range cannot be read.
    pub fn days(&self, range: Option<&str>) -> Result<Vec<Day>, JournalError> {
        Ok(self.days_and_ignored(range)?.0)
    }

    /// Returns the requested days, and the reason of each one that is ignored.
    ///
    /// # Errors
    /// As [`Self::days`].
    pub fn days_and_ignored(&self, range: Option<&str>) -> Result<(Vec<Day>, Vec<DaysError>), JournalError> {
        let range = range.map(|text| Range::parse(text, self.today)).transpose()?;
        Ok(days_and_ignored(&self.graph, range, self.today)?)
    }

    /// Returns the latest days, newest first, each with the number of blocks from which nothing was extracted yet. A
    /// day that is not UTF-8 is left out.
    ///
    /// # Errors
    /// When their files cannot be read.
    pub fn latest_days(&self, limit: usize) -> Result<Vec<(NaiveDate, usize)>, JournalError> {
        let mut found: Vec<NaiveDate> = self.graph.days()?.iter().filter_map(|page| page.day).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        let count = |day| match self.days_of(&[day]) {
            Ok(days) => Some(Ok((day, days.iter().map(|day| day.blocks().len()).sum()))),
            Err(JournalError::Days(error)) if error.is_of_one_day() => None,
            Err(error) => Some(Err(error)),
        };
        found.into_iter().filter_map(count).take(limit).collect()
    }

    /// Returns these days, which need not be consecutive.
    ///
    /// # Errors
    /// When one does not exist or cannot be read.
    pub fn days_of(&self, wanted: &[NaiveDate]) -> Result<Vec<Day>, JournalError> {
        let one = |day: &NaiveDate| days(&self.graph, Some(Range { first: *day, last: *day }), self.today);
        let found: Result<Vec<Vec<Day>>, DaysError> = wanted.iter().map(one).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Makes a plan for a statement that belongs to no day, such as a story.
    ///
    /// # Errors
    /// When the pages cannot be read.
    pub fn keep(&self, id: &str, text: &str) -> Result<Plan, JournalError> {
        Ok(local::keep(&self.graph, id, self.today, text)?)
    }

    /// Makes a plan by rules.
    ///
    /// # Errors
    /// When the pages cannot be read.
    pub fn extract_by_rules(&self, days: &[Day]) -> Result<Plan, JournalError> {
        Ok(local::extract(&self.graph, days)?)
    }

    /// Returns an index of the pages for searching.
    ///
    /// # Errors
    /// When the pages cannot be read.
    pub fn index(&self) -> Result<PageIndex, JournalError> {
        Ok(PageIndex::read(&self.graph)?)
    }

    /// Makes a plan by models; their calls are in the ledger.
    ///
    /// # Errors
    /// When the pages cannot be read or the store fails. A model's failure is recorded in the plan.
    pub async fn extract_by_models(&self, access: &phases::ModelAccess, days: &[Day]) -> Result<Plan, JournalError> {
        let (events, _) = tokio::sync::mpsc::unbounded_channel();
        let plan = Plan::new(self.graph.root(), phases::MADE_BY);
        Ok(access.extract(days, (&self.index()?, self.graph.unit()), plan, &events).await?)
    }

    /// Returns the changes that a plan would make.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn preview(&self, plan: &Plan) -> Result<(Vec<Preview>, Vec<FailedChange>), JournalError> {
        Ok(preview(&self.graph, &plan.changes())?)
    }

    /// Carries out a plan. `with_today`: today's page may be changed, too.
    ///
    /// # Errors
    /// When the change log cannot be written. An error of a single change is part of its outcome.
    pub fn apply(&self, plan: &Plan, with_today: bool) -> Result<Applied, JournalError> {
        let state = self.state()?;
        Ok(apply(&self.graph, &state, &plan.changes(), (!with_today).then_some(self.today))?)
    }

    /// Undoes the latest apply.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn undo(&self) -> Result<Vec<Undone>, JournalError> {
        Ok(undo(&self.graph, &self.state()?)?)
    }

    fn state(&self) -> Result<State, JournalError> {
        let folder = self.state.as_deref().ok_or(JournalError::NoState)?;
        Ok(State::open(folder, self.graph.root())?)
    }

    /// Returns the blocks of pages that match some words.
    ///
    /// # Errors
    /// When the pages cannot be read.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<Hit>, JournalError> {
        Ok(PageIndex::read(&self.graph)?.search(words, limit))
    }
}
