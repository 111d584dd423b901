//! Where the owner's notes are, and where what the journal changes in them is recorded.

use std::path::PathBuf;

use aha_llm::catalogue::Environment;

/// `AHA_JOURNAL_…`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalSettings {
    /// The graph where the command line names none.
    pub graph: Option<PathBuf>,
    /// Where what is replaced is kept, for `journal undo`.
    pub state: Option<PathBuf>,
}

/// The state is beside that of other programs where it is not set.
pub(super) fn read(graph: Option<String>, state: Option<String>, environment: &Environment) -> JournalSettings {
    let variable = |name: &str| environment.get(name).map(PathBuf::from);
    let usual = || {
        let base = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
        base.map(|base| base.join("aha-radar/journal"))
    };
    JournalSettings { graph: graph.map(PathBuf::from), state: state.map(PathBuf::from).or_else(usual) }
}
