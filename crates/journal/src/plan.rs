//! The plan: what to write from some days, how and where. It is a JSON file that a user can review and edit before it
//! is applied.

use std::path::Path;

use aha_core::files::write_atomically;
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

/// A plan file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    pub graph: String,
    /// `local`, or the models that were used.
    pub made_by: String,
    pub blocks: Vec<PlannedBlock>,
    /// Number of proposed pages that already contain the knowledge of their block.
    #[serde(default)]
    pub skipped_existing: usize,
    /// Phases that failed, with reasons. Results from before a failure are in the plan.
    #[serde(default)]
    pub failures: Vec<String>,
}

/// A block of a journal day that contains knowledge.
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
    /// The text to write. The user may edit it.
    pub reworded: String,
    /// Whether the block is written.
    pub apply: bool,
    pub decisions: Vec<Decision>,
    /// A remark: that no page fits, or that a page already contains the knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The action proposed for knowledge on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAction {
    AddSection,
    AddUnder,
    Replace,
    SkipExists,
}

/// A proposed target for knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub target_page: String,
    /// Whether the page does not exist yet.
    #[serde(default)]
    pub is_new_page: bool,
    pub action: PlanAction,
    pub target_block_id: Option<String>,
    pub target_block_title: Option<String>,
    /// Text of the target block when the plan was made.
    #[serde(default)]
    pub target_text: Option<String>,
    pub confidence: f64,
    pub reasoning: String,
    /// Whether this target is written, provided that the block's own `apply` is set.
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

    /// Returns the edit to make, `None` for knowledge that is already on the page.
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

/// Note of a block for which no page fits.
pub const NO_PAGES: &str = "no relevant pages";
/// Note of a block for which only replacements are proposed.
pub const ONLY_REPLACEMENTS: &str = "only the replacement of a block is proposed, which you have to choose yourself";

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

    /// Returns the changes that applying the plan would make, in the plan's order.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let blocks = self.blocks.iter().filter(|block| block.apply);
        blocks.flat_map(|block| block.decisions.iter().filter_map(|decision| block.change(decision))).collect()
    }

    /// # Errors
    /// When the file cannot be read, is not a plan of this version, or belongs to another graph.
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
        write_atomically(path, &json).map_err(|source| PlanError::Io { action: "write", file, source })
    }
}

impl PlannedBlock {
    fn change(&self, decision: &Decision) -> Option<Change> {
        let action = decision.action.change().filter(|_| decision.apply)?;
        Some(Change {
            knowledge: self.block.clone(),
            // Text from outside the journal gets no link in a journal day.
            origin: (!self.file.is_empty()).then(|| Origin { file: self.file.clone(), page: self.page.clone() }),
            page: decision.target_page.clone(),
            action,
            target: decision.target_block_id.clone().filter(|_| action != Action::AddSection),
            target_text: decision.target_text.clone(),
            text: self.reworded.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_a_plan_touches_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("week.part");
        std::fs::write(&other, "of the user").unwrap();
        Plan::new(folder.path(), "rules").write(&folder.path().join("week.json")).unwrap();
        assert_eq!(std::fs::read_to_string(other).unwrap(), "of the user");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
