//! The plan: what would be kept of some days, how and where. A JSON file that a person can read and change before it is carried out.

use std::path::Path;

use aha_notes::{Action, Change, Origin};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a plan file cannot be used.
#[derive(Debug, Error)]
pub enum PlanError {
    #[error("cannot {action} the plan {file}: {source}")]
    Io { action: &'static str, file: String, source: std::io::Error },
    #[error("{file} is no plan: {source}; make one with `aha-radar journal extract --plan FILE`")]
    Json { file: String, source: serde_json::Error },
    #[error("the plan {file} is of version {found}, this program knows {VERSION}; make it again")]
    Version { file: String, found: u32 },
    #[error("the plan {file} is for the graph {of}, not for {given}; name that one, or make the plan again")]
    OtherGraph { file: String, of: String, given: String },
}

const VERSION: u32 = 1;

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    pub graph: String,
    /// `local`, or the models that were asked.
    pub made_by: String,
    pub blocks: Vec<PlannedBlock>,
    /// Blocks whose knowledge stands on a page already.
    #[serde(default)]
    pub skipped_existing: usize,
    /// Phases that could not be finished, and why: what came before is in the plan.
    #[serde(default)]
    pub failures: Vec<String>,
}

/// A block of a journal day with knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedBlock {
    pub block: String,
    pub day: NaiveDate,
    /// The day's page and its file, relative to the graph.
    pub page: String,
    pub file: String,
    pub text: String,
    pub above: Vec<String>,
    pub confidence: f64,
    pub reason: String,
    /// What is written; may be edited.
    pub reworded: String,
    /// Whether it is written at all.
    pub apply: bool,
    pub decisions: Vec<Decision>,
    /// What there is to say of it: that no page fits, or that a page says it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What may be done with knowledge on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAction {
    AddSection,
    AddUnder,
    Replace,
    SkipExists,
}

/// A place where knowledge may go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub target_page: String,
    /// The page does not exist yet.
    #[serde(default)]
    pub is_new_page: bool,
    pub action: PlanAction,
    pub target_block_id: Option<String>,
    pub target_block_title: Option<String>,
    /// What the target block said.
    #[serde(default)]
    pub target_text: Option<String>,
    pub confidence: f64,
    pub reasoning: String,
    /// Whether it is carried out, if the block is.
    pub apply: bool,
}

impl PlanAction {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddSection => "add_section",
            Self::AddUnder => "add_under",
            Self::Replace => "replace",
            Self::SkipExists => "skip_exists",
        }
    }

    /// What is written; nothing for knowledge that is there.
    #[must_use]
    pub const fn change(self) -> Option<Action> {
        match self {
            Self::AddSection => Some(Action::AddSection),
            Self::AddUnder => Some(Action::AddUnder),
            Self::Replace => Some(Action::Replace),
            Self::SkipExists => None,
        }
    }
}

/// What is said where no page fits.
pub const NO_PAGES: &str = "no relevant pages";

impl Plan {
    #[must_use]
    pub fn new(graph: &Path, made_by: impl Into<String>) -> Self {
        Self {
            version: VERSION,
            graph: graph.to_string_lossy().into_owned(),
            made_by: made_by.into(),
            blocks: Vec::new(),
            skipped_existing: 0,
            failures: Vec::new(),
        }
    }

    /// What carrying it out would write, in the plan's order.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let blocks = self.blocks.iter().filter(|block| block.apply);
        blocks.flat_map(|block| block.decisions.iter().filter_map(|decision| block.change(decision))).collect()
    }

    /// # Errors
    /// When the file cannot be read, is no plan of this version, or is for another graph.
    pub fn read(path: &Path, graph: &Path) -> Result<Self, PlanError> {
        let file = path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|source| PlanError::Io { action: "read", file: file.clone(), source })?;
        let plan: Self =
            serde_json::from_slice(&bytes).map_err(|source| PlanError::Json { file: file.clone(), source })?;
        if plan.version != VERSION {
            return Err(PlanError::Version { file, found: plan.version });
        }
        let given = graph.to_string_lossy().into_owned();
        if plan.graph == given { Ok(plan) } else { Err(PlanError::OtherGraph { file, of: plan.graph, given }) }
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PlanError> {
        let file = path.display().to_string();
        let json = serde_json::to_vec_pretty(self).map_err(|source| PlanError::Json { file: file.clone(), source })?;
        // Beside and renamed, so that a plan is never cut off.
        let part = path.with_extension("part");
        let written = std::fs::write(&part, json).and_then(|()| std::fs::rename(&part, path));
        written.map_err(|source| PlanError::Io { action: "write", file, source })
    }
}

impl PlannedBlock {
    fn change(&self, decision: &Decision) -> Option<Change> {
        let action = decision.action.change().filter(|_| decision.apply)?;
        Some(Change {
            knowledge: self.block.clone(),
            // What is from elsewhere than a day gets no link there.
            origin: (!self.file.is_empty()).then(|| Origin { file: self.file.clone(), page: self.page.clone() }),
            page: decision.target_page.clone(),
            action,
            target: decision.target_block_id.clone().filter(|_| action != Action::AddSection),
            target_text: decision.target_text.clone(),
            text: self.reworded.clone(),
        })
    }
}
