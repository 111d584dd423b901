//! The arguments of `llm`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::hyphens::free_text;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum LlmCommand {
    /// List the models that are configured: where they are, what they can do and cost, which tasks they serve, or why
    /// they are not asked.
    ///
    /// They are configured in the file that `AHA_LLM_CONFIG` names and by the settings `OPENAI_…`. No model is called.
    Models(ModelsArguments),
    /// Ask a model one question. Every attempt is a row of the ledger, and budgets apply as in a run.
    Ask(AskArguments),
    /// Ask each configured model for one word: whether it is there, how soon it answers, what that costs.
    Check(CheckArguments),
    /// Send a questionnaire to several models and compare their answers.
    ///
    /// Each section is a separate conversation. Answers are stored as they arrive: after an interruption the same
    /// command continues, and no answer is paid for twice, not even those that were not accepted.
    Questionnaire(QuestionnaireArguments),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ModelsArguments {
    /// Print them as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar llm ask --model openai/gpt-5-mini \"What is a tidal array?\"
  echo \"Name three rivers.\" | aha-radar llm ask --schema rivers.json --json
  aha-radar llm ask --stream \"Tell me a long story.\"")]
pub(in crate::cli) struct AskArguments {
    /// The question; without it, standard input.
    #[arg(allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) question: Option<String>,
    /// Which model: PROVIDER/MODEL, or any part of it that only one configured model has. Without it, the one of the
    /// task `manual_summary` at the low tier, or the only one there is.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) model: Option<String>,
    /// The system prompt.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) system: Option<String>,
    /// A file with the JSON Schema that the answer has to satisfy.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) schema: Option<PathBuf>,
    /// Show the answer as it comes. With `--json`, a line of JSON for each event: `text` (a piece of it), `retry`
    /// (what came so far is void), and at the end `answer`, the whole, or `error`.
    #[arg(long)]
    pub(in crate::cli) stream: bool,
    /// Maximum number of attempts until an answer is accepted, 1 to 10; if omitted, that of the model's entry in the
    /// catalogue, otherwise 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(in crate::cli) attempts: Option<u32>,
    /// A folder for the archive of the conversation, a JSON file: question, answers and attempts, and the model's
    /// settings without keys. It is written too when no answer was accepted.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) archive: Option<PathBuf>,
    /// Print answer, usage, attempts and cost as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArguments {
    /// Only these, instead of all that are configured: PROVIDER/MODEL, or any part of it that only one has. May be
    /// repeated.
    #[arg(long = "model", value_name = "MODEL")]
    pub(in crate::cli) models: Vec<String>,
    /// Print what each answered as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  aha-radar llm questionnaire examples/questionnaire.yaml --out answers \\
      --models openai/gpt-5-mini,openai/gpt-5

The folder --out gets responses.jsonl and metadata.jsonl, with a line for each model and question in
the same order, and report.md.")]
pub(in crate::cli) struct QuestionnaireArguments {
    /// The questions, in YAML: see examples/questionnaire.yaml.
    pub(in crate::cli) file: PathBuf,
    /// The models to ask, separated by commas: PROVIDER/MODEL, or any part of it that only one configured model has.
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', required = true)]
    pub(in crate::cli) models: Vec<String>,
    /// The folder that answers are written to.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: PathBuf,
    /// A folder for the archives of the conversations, a JSON file for each model and section, with the model's
    /// settings without keys.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) archive: Option<PathBuf>,
    /// Ask again what got no accepted answer before; without it, that is reported as it was, and not paid for again.
    #[arg(long)]
    pub(in crate::cli) again: bool,
    /// Conversations at the same time, 1 to 64.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(in crate::cli) at_once: u32,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
