//! Why the settings cannot be used: all problems at once.

use std::path::PathBuf;

use aha_core::settings::Problem;
use aha_llm::catalogue::CatalogueProblem;
use thiserror::Error;

use super::names::UnknownSetting;

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{}", list(.0, .1, .2))]
    Problems(Vec<Problem>, Vec<CatalogueProblem>, Vec<UnknownSetting>),
    #[error("the value of {} is not UTF-8; set it to text in UTF-8", .0.join(", "))]
    NotText(Vec<String>),
    #[error("the environment cannot be read: {0}")]
    Unreadable(#[from] envy::Error),
    #[error(
        "the file {} cannot be read: {error}; start the program in a folder that this user may read, or let it read that file",
        .path.display()
    )]
    DotEnv { path: PathBuf, error: dotenvy::Error },
    /// Without the value, which may be a key or a password.
    #[error(
        "the file .env cannot be used: the value of {setting} has a $ before the name of a variable that is not set; put single quotes around the value, so that $ stands for itself"
    )]
    DotEnvVariable { setting: String },
    /// Without the line, which may contain a key or a password.
    #[error(
        "the file .env cannot be read: {} is not NAME=value; put quotes around a value with spaces, single ones if it has a backslash",
        which(.after.as_deref())
    )]
    DotEnvLine { after: Option<String> },
}

fn which(after: Option<&str>) -> String {
    after.map_or_else(|| "its first line".to_owned(), |name| format!("the line after {name}"))
}

fn list(problems: &[Problem], catalogue_problems: &[CatalogueProblem], unknown: &[UnknownSetting]) -> String {
    let problems = problems.iter().map(Problem::to_string);
    let problems = problems.chain(catalogue_problems.iter().map(CatalogueProblem::to_string));
    problems.chain(unknown.iter().map(UnknownSetting::to_string)).collect::<Vec<_>>().join("\n")
}
