//! Applies the changes in a file to a graph: `apply GRAPH STATE CHANGES.json`. The crate's kill tests also run it.

use std::path::Path;
use std::process::ExitCode;

use aha_notes::{Change, Graph, Outcome, State, apply};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [graph, state, changes] = arguments.as_slice() else { return ExitCode::from(2) };
    match run(Path::new(graph), Path::new(state), Path::new(changes)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(_) => ExitCode::FAILURE,
    }
}

fn run(graph: &Path, state: &Path, changes: &Path) -> Result<bool, Box<dyn std::error::Error>> {
    let changes: Vec<Change> = serde_json::from_slice(&std::fs::read(changes)?)?;
    let graph = Graph::open(graph)?;
    let state = State::open(state, graph.root())?;
    let applied = apply(&graph, &state, &changes, None)?;
    Ok(applied.outcomes.iter().all(|outcome| !matches!(outcome, Outcome::Failed(_))))
}
