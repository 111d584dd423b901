//! Settings of the journal: the folder of the user's notes, and the folder that records the journal's changes to them.

use std::path::{Path, PathBuf};

use aha_llm::catalogue::Environment;

/// `AHA_JOURNAL_…`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalSettings {
    /// The graph to use if the command line names none.
    pub graph: Option<PathBuf>,
    /// Folder with the replaced text, for `journal undo`.
    pub state: Option<PathBuf>,
}

impl JournalSettings {
    /// Returns the graph's folder if there is no such folder.
    #[must_use]
    pub fn missing_graph(&self) -> Option<&Path> {
        self.graph.as_deref().filter(|graph| !graph.is_dir())
    }
}

/// Reads the settings. The default of `state` is below `XDG_STATE_HOME`, otherwise `~/.local/state`.
pub(super) fn read(graph: Option<String>, state: Option<String>, environment: &Environment) -> JournalSettings {
    let variable = |name: &str| environment.get(name).map(PathBuf::from);
    let default_state = || {
        let base = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
        base.map(|base| base.join("aha-radar/journal"))
    };
    JournalSettings { graph: graph.map(PathBuf::from), state: state.map(PathBuf::from).or_else(default_state) }
}
