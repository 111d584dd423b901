//! The command line's definition and its help.

mod ask;
mod assistant;
mod deep_dive;
mod feedback;
mod journal;
mod ledger;
mod llm;
mod miniflux;
mod source;
mod topic;
mod user;

use std::ffi::OsString;
use std::path::PathBuf;

pub(super) use ask::{BenchmarkArguments, QuestionArguments, SearchArguments, SearchedBy};
pub(super) use assistant::{AgendaArguments, AssistantArguments, TodoCommand};
pub(super) use deep_dive::DeepDiveArguments;
pub(super) use feedback::{FeedbackArguments, FeedbackCommand};
pub(super) use journal::{ExtractArguments, GraphArgument, JournalCommand};
pub(super) use ledger::{AdjustArguments, CallsArguments, SpendArguments, SpendCommand};
pub(super) use llm::{AskArguments, CheckArguments, LlmCommand, ModelsArguments, QuestionnaireArguments};
pub(super) use miniflux::MinifluxArguments;
pub(super) use source::{AddArguments, OpmlCommand, SourceChoice, SourceCommand};
pub(super) use topic::{TopicCommand, TopicSettings};
pub(super) use user::UserCommand;

use clap::{Args, Parser, Subcommand};

/// Reads what the world publishes, folds the many reports of one story into one, scores each from 0 to 100, and hands
/// over a digest in which every score and source can be traced.
#[derive(Debug, Parser)]
#[command(
    name = "aha-radar",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "A first look, with no key and no server:\n  aha-radar --run-once --import sources.opml\n\nThen tell it what matters to you, and let it run:\n  aha-radar topic set default --interests \"sqlite, heat pumps, ferries\"\n  aha-radar daemon\n\n`aha-radar --run-once` is the same as `aha-radar run`. Settings are read from the environment and .env; see .env.example.\nExit codes: 0 ok, 1 failed, 2 usage or configuration, 3 partial (a digest exists, something is missing), 4 the budget is used up (a degraded digest exists), 130 interrupted."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Read the sources once and make a digest (the same as --run-once).
    Run(RunArguments),
    /// Keep running: each topic on its schedule, with pages, API and GET /health on `AHA_LISTEN`.
    Daemon,
    /// Serve pages, API and GET /health on `AHA_LISTEN`, without running topics on their schedules.
    Serve(GraphArgument),
    /// Accounts for the web: add, list, remove, password.
    #[command(subcommand)]
    User(UserCommand),
    /// Create the database and the topic "default".
    Init(InitArguments),
    /// Topics: interests, schedule and muted words.
    #[command(subcommand)]
    Topic(TopicCommand),
    /// Sources: add, list, test, enable, disable, remove.
    #[command(subcommand)]
    Source(SourceCommand),
    /// Import sources from a feed reader, or export them.
    #[command(subcommand)]
    Opml(OpmlCommand),
    /// Show a digest.
    Digest(DigestArguments),
    /// Read a digest by keys: next, open, like, dislike, save, why, undo.
    Review(ReviewArguments),
    /// Explain why a story is shown: every term of its score, in words.
    Item(ItemArguments),
    /// Rank a past run again with other weights, from stored answers. No model is called and nothing is stored. Your
    /// feedback since then counts too.
    Replay(ReplayArguments),
    /// Summarise a text that you paste for a story: the article behind a teaser, a paper, a discussion.
    ///
    /// It asks the model of the task `manual_summary`; with none configured `local` quotes from the text, free. The
    /// text is not stored; its summary is, and repeating the same text costs nothing. Then keep the summary (--promote)
    /// or discard it (--drop).
    DeepDive(DeepDiveArguments),
    /// List runs and their attempts.
    Runs(RunsArguments),
    /// List calls to models, and what each cost.
    ///
    /// Every attempt is a row, also if it failed. A cost in parentheses is the most the call can have cost:
    /// it is under way (reserved), or its outcome is unknown (unsettled).
    Calls(CallsArguments),
    /// Report what was spent, on what, and what is left of the budget; or correct the cost of a call.
    ///
    /// Days and months are those of UTC, as the caps count them. What is set aside for calls that are unsettled or
    /// under way counts as spent, and is also shown apart.
    Spend(SpendArguments),
    /// Models: list the configured ones, ask one, check whether all answer, send a questionnaire to several.
    #[command(subcommand)]
    Llm(LlmCommand),
    /// Give feedback on a story, which the next digests take into account; or list, export and import feedback.
    ///
    /// Each kind counts once per story: like and save raise stories with its terms, source and author, dislike and skip
    /// lower them.
    Feedback(FeedbackArguments),
    /// Plan by a sentence: todos, events, habits and goals. It shows what it would change; --apply changes it.
    ///
    /// It asks the models of the tasks `assistant_…`; with none configured the sentence is read by rules (English),
    /// free.
    Assistant(AssistantArguments),
    /// Todos: list, add, done, delete, undo.
    Todo {
        #[command(subcommand)]
        command: Option<TodoCommand>,
    },
    /// What is planned on which day.
    Agenda(AgendaArguments),
    /// Your daily notes: find what will still be true next year and copy it to the pages where it belongs.
    #[command(subcommand)]
    Journal(JournalCommand),
    /// Estimate how likely headlines are noise: clickbait, lists, promotions, job advertisements. One headline per
    /// line.
    Noise(NoiseArguments),
    /// Measure clustering on labelled stories, and find the thresholds that suit them.
    ///
    /// The input has a JSON object a line: {"id", "story", "title", "text"} and, if known, `published_at`. All of them
    /// are put together as a run does it, and compared with the labels.
    Calibrate(CalibrateArguments),
    /// Report the settings, what is wrong and how to fix it.
    Doctor(DoctorArguments),
    /// Bring the database to this program's schema.
    Migrate(MigrateArguments),
    /// Copy all rows of the database to another, empty one, and compare them.
    Copy(CopyArguments),
    /// Remove what is older than the limits `AHA_RETAIN_…_DAYS`; the daemon does so once a day.
    Retain(RetainArguments),
    /// Search items and documents: words, "several words" side by side, -word, source:NAME, topic:NAME, since:DATE.
    Search(SearchArguments),
    /// Answer a question from what was read, each sentence with its source; or report that nothing answers it (exit 1).
    ///
    /// Sentences are picked, not written, at most 60 words. Where two texts disagree the newer one is followed.
    Ask(QuestionArguments),
    /// Rebuild the search index from the stored items and documents.
    Reindex,
    /// Measure an API that answers questions (POST /ask) against expected answers: accuracy, citations, latency.
    ///
    /// It exits with 0 if 80 % of the questions pass, with 1 if fewer do, and writes results/benchmark_<timestamp>.json
    /// and .html. The ground truth is YAML: version, created, description and questions of id, category, question,
    /// `expected_answer`, variations, `citation_required` and tags. Set `BENCHMARK_API_TOKEN` where the API wants a
    /// bearer token.
    Benchmark(BenchmarkArguments),
    /// Query the health of a running daemon; for containers.
    Healthcheck,
    /// Print the completions of a shell: bash, elvish, fish, powershell or zsh.
    ///
    /// For bash: aha-radar completions bash > ~/.local/share/bash-completion/completions/aha-radar
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write that of every command into a folder.
    Man {
        /// Where `aha-radar.1`, `aha-radar-run.1`, … are written.
        #[arg(long = "into", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The topic to run.
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
    /// Read this window whatever was read before, and claim nothing: START..END, each a date (its local midnight) or
    /// an RFC 3339 time. One that is not over ends now. Without it: from where the last run ended to now.
    #[arg(long, value_name = "START..END")]
    pub(super) window: Option<String>,
    /// First add the sources of an OPML file; those already there are left as they are.
    #[arg(long, value_name = "FILE.opml")]
    pub(super) import: Option<PathBuf>,
    /// Judge stories again that were judged before.
    #[arg(long)]
    pub(super) rejudge: bool,
    /// Only estimate the model calls and their cost: nothing is spent, nothing is stored, no file is written. The
    /// sources are fetched as in a real run.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the digest (or the estimate) as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// What matters to you, in your own words, separated by commas.
    #[arg(long)]
    pub(super) interests: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct DigestArguments {
    /// `latest`, or the id of a digest.
    #[arg(default_value = "latest")]
    pub(super) which: String,
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
    /// md, html, json or rss; without it, as text for the terminal.
    #[arg(long)]
    pub(super) format: Option<String>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReviewArguments {
    /// `latest`, or the id of a digest.
    #[arg(default_value = "latest")]
    pub(super) which: String,
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
}

#[derive(Debug, Args)]
pub(super) struct ItemArguments {
    /// The rank in the latest digest, or the id that a line of any digest shows.
    pub(super) item: String,
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunsArguments {
    /// Only this topic's.
    #[arg(long)]
    pub(super) topic: Option<String>,
    /// At most this many, newest window first.
    #[arg(long, default_value_t = 20)]
    pub(super) limit: u32,
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReplayArguments {
    /// The id of a finished run (`aha-radar runs --json`) or of its digest (`aha-radar runs`), or `latest`.
    #[arg(default_value = "latest")]
    pub(super) run: String,
    /// A weight to rank by instead of the run's: NAME=NUMBER, with the names of `AHA_RANK_WEIGHTS`. May be repeated.
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(super) weight: Vec<String>,
    /// Print the digest as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct NoiseArguments {
    /// A file with a headline a line; `-` is standard input.
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub(super) input: PathBuf,
    /// One JSON object a line: `{"headline":…,"noise":…}`, from 0 to 1.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CalibrateArguments {
    /// The labelled documents.
    #[arg(long, value_name = "LABELLED.jsonl")]
    pub(super) input: PathBuf,
    /// Write {"id", "cluster"} for each document to this file.
    #[arg(long, value_name = "OUT.jsonl")]
    pub(super) assignments: Option<PathBuf>,
    /// Find the thresholds that suit these labels and keep them for the runs to come.
    #[arg(long)]
    pub(super) tune: bool,
    /// Decides the order of documents of one time.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct MigrateArguments {
    /// Only report the database's schema version and what is pending; exit 1 unless it is up to date.
    #[arg(long)]
    pub(super) check: bool,
    #[arg(long, requires = "check")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CopyArguments {
    /// The other database, SQLite or Postgres, written as in `DATABASE_URL`. It is made (SQLite) and migrated first.
    #[arg(long, value_name = "URL")]
    pub(super) to: String,
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RetainArguments {
    /// Only show what would go.
    #[arg(long)]
    pub(super) dry_run: bool,
    #[arg(long)]
    pub(super) json: bool,
}

/// Replaces `--run-once` anywhere before a command by the command `run`.
pub(super) fn normalise(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--run-once") {
        arguments.remove(at);
        arguments.insert(1.min(arguments.len()), OsString::from("run"));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_once_is_the_command_run() {
        let typed = ["aha-radar", "--import", "a.opml", "--run-once"].map(OsString::from);
        let cli = Cli::try_parse_from(normalise(typed.into_iter())).unwrap();
        assert!(matches!(cli.command, Command::Run(RunArguments { import: Some(_), .. })));
    }
}
