//! The two output files: the lines of both with the same number are about the same question to the same model.

use std::io;
use std::path::Path;

use aha_core::files::write_atomically;
use aha_core::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

pub const RESPONSES: &str = "responses.jsonl";
pub const METADATA: &str = "metadata.jsonl";

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    pub model: String,
    pub section: String,
    pub question: String,
    /// A number for a rating, the option for a choice; `None` if no answer was accepted.
    pub answer: Option<Value>,
    pub reason: Option<String>,
}

/// How the answer was obtained.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Metadata {
    pub model: String,
    pub section: String,
    pub question: String,
    pub asked_at: Option<Timestamp>,
    pub answered_at: Option<Timestamp>,
    pub attempts: u32,
    pub verification_errors: Vec<String>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    /// That of all attempts; `None` if the model has no price.
    pub cost_microcredits: Option<i64>,
    /// Ids of ledger rows.
    pub calls: Vec<String>,
    /// Why there is no answer.
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub response: Response,
    pub metadata: Metadata,
    /// Whether there is no answer because no budget was left.
    pub budget_exhausted: bool,
}

/// Writes both files and the report, each atomically: a reader sees the old or the new version of each. If the process
/// is killed between two of them, the next write brings them together again.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write(folder: &Path, lines: &[Line], report: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let metadata: Vec<&Metadata> = lines.iter().map(|line| &line.metadata).collect();
    let responses: Vec<&Response> = lines.iter().map(|line| &line.response).collect();
    write_atomically(&folder.join(METADATA), json_lines(&metadata)?.as_bytes())?;
    write_atomically(&folder.join(RESPONSES), json_lines(&responses)?.as_bytes())?;
    write_atomically(&folder.join("report.md"), report.as_bytes())
}

fn json_lines(rows: &[impl Serialize]) -> io::Result<String> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&serde_json::to_string(row)?);
        text.push('\n');
    }
    Ok(text)
}
