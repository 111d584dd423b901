//! Why the settings cannot be used: all problems at once.

use aha_core::settings::Problem;
use aha_llm::catalogue::CatalogueProblem;
use thiserror::Error;

use super::names::UnknownSetting;

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{}", list(.0, .1, .2))]
    Problems(Vec<Problem>, Vec<CatalogueProblem>, Vec<UnknownSetting>),
    #[error("the environment cannot be read: {0}; a variable of ours must be valid UTF-8")]
    Unreadable(#[from] envy::Error),
    #[error("the file .env cannot be read: {0}; each line is NAME=value, with quotes around a value with spaces")]
    DotEnv(#[from] dotenvy::Error),
}

fn list(problems: &[Problem], catalogue_problems: &[CatalogueProblem], unknown: &[UnknownSetting]) -> String {
    let problems = problems.iter().map(Problem::to_string);
    let problems = problems.chain(catalogue_problems.iter().map(CatalogueProblem::to_string));
    problems.chain(unknown.iter().map(UnknownSetting::to_string)).collect::<Vec<_>>().join("\n")
}
