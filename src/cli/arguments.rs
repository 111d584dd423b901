//! The command line's definition and its help.

mod ask;
mod assistant;
mod deep_dive;
mod digest;
mod feedback;
mod hyphens;
mod journal;
mod ledger;
mod llm;
mod miniflux;
mod source;
#[cfg(test)]
mod tests;
mod topic;
mod user;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::output::ColourChoice;
use hyphens::free_text;

pub(super) use ask::{BenchmarkArguments, QuestionArguments, SearchArguments, SearchedBy};
pub(super) use assistant::{AgendaArguments, AssistantArguments, TodoCommand};
pub(super) use deep_dive::DeepDiveArguments;
pub(super) use digest::{DigestArguments, ReviewArguments};
pub(super) use feedback::{FeedbackArguments, FeedbackCommand};
pub(super) use hyphens::normalise;
pub(super) use journal::{ExtractArguments, GraphArgument, JournalCommand};
pub(super) use ledger::{AdjustArguments, CallsArguments, SpendArguments, SpendCommand};
pub(super) use llm::{AskArguments, CheckArguments, LlmCommand, ModelsArguments, QuestionnaireArguments};
pub(super) use miniflux::MinifluxArguments;
pub(super) use source::{AddArguments, OpmlCommand, SourceChoice, SourceCommand};
pub(super) use topic::{TopicCommand, TopicSettings};
pub(super) use user::UserCommand;

const AFTER_HELP: &str = "\
A first look, with no key and no server:
  aha-radar --run-once --import sources.opml

Then tell it what matters to you, and let it run:
  aha-radar topic set default --interests \"sqlite, heat pumps, ferries\"
  aha-radar daemon

`aha-radar --run-once` is the same as `aha-radar run`.
Settings are read from the environment and .env; .env.example lists them.

Exit codes:
  0    ok
  1    failed
  2    usage or configuration
  3    partial: a digest exists, something is missing
  4    the budget is used up: a degraded digest exists
  130  interrupted";

/// Fetches feeds, groups the reports of one story, scores each story from 0 to 100, and writes a digest in which every
/// score and source can be traced.
#[derive(Debug, Parser)]
#[command(
    name = "aha-radar",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = AFTER_HELP
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    /// When to use colour: auto is on a terminal, unless `NO_COLOR` is set or `TERM` is dumb.
    #[arg(long = "color", alias = "colour", global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) colour: ColourChoice,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Read the sources once and make a digest (the same as --run-once).
    Run(RunArguments),
    /// Keep running: each topic on its schedule, with pages, API and GET /health on the address and port of
    /// `AHA_LISTEN` (127.0.0.1:8080 by default).
    Daemon(GraphArgument),
    /// Serve pages, API and GET /health on the address and port of `AHA_LISTEN` (127.0.0.1:8080 by default), without
    /// running topics on their schedules.
    Serve(GraphArgument),
    /// Accounts for the web: add, list, remove, password, feed-token.
    #[command(subcommand)]
    User(UserCommand),
    /// Create the database and the topic "default", and show the next steps.
    Init(InitArguments),
    /// Topics: list, add, set (interests, schedule, muted words, sizes), try interests, unmute, unboost, remove.
    #[command(subcommand)]
    Topic(TopicCommand),
    /// Sources: add, list, test, set, enable, disable, remove, import from Miniflux.
    #[command(subcommand)]
    Source(SourceCommand),
    /// Import sources from a feed reader's list (OPML), or export them.
    #[command(subcommand)]
    Opml(OpmlCommand),
    /// Show a digest, or list digests.
    Digest(DigestArguments),
    /// Read a digest by keys: next, open, like, dislike, save, why, undo.
    Review(ReviewArguments),
    /// Explain why a story is shown, and each part of its score.
    #[command(aliases = ["explain", "why"])]
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
    #[command(alias = "stats")]
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
    /// Estimate how likely headlines are noise (clickbait, lists, promotions, job advertisements), from 0 to 1.
    Noise(NoiseArguments),
    /// Measure clustering on labelled stories, and find the thresholds that suit them.
    ///
    /// The input has one JSON object per line: {"id", "story", "title", "text"} and, if known, `published_at`. They are
    /// clustered as in a run, and the clusters compared with the stories.
    Calibrate(CalibrateArguments),
    /// Report the settings, what is wrong and how to fix it; exit 1 if something is wrong.
    Doctor(DoctorArguments),
    /// Bring the database to this program's schema.
    Migrate(MigrateArguments),
    /// Copy all rows of the database to another, empty one, and compare them.
    Copy(CopyArguments),
    /// Remove what is older than the limits `AHA_RETAIN_…_DAYS`; the daemon does so once a day.
    Retain(RetainArguments),
    /// Search items and documents: words, "several words" side by side, -word, source:NAME, topic:NAME, since:DATE.
    ///
    /// Filters without words list the newest items, and documents, that pass them. The `id` of a result is that of its
    /// story in the newest digest that shows it; `item` and `feedback` take it.
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
    /// and .html. The ground truth is YAML: version, created, description and at least 20 questions, each of id,
    /// category, question, `expected_answer`, variations, `citation_required` and tags. Set `BENCHMARK_API_TOKEN` where
    /// the API wants a bearer token.
    Benchmark(BenchmarkArguments),
    /// Query the health of a running daemon; for containers.
    Healthcheck,
    /// Print the completions of a shell: bash, elvish, fish, powershell or zsh.
    ///
    /// For bash: aha-radar completions bash > ~/.local/share/bash-completion/completions/aha-radar
    Completions {
        /// The shell that is to complete `aha-radar`.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write that of every command into a folder.
    Man {
        /// Where `aha-radar.1`, `aha-radar-run.1`, … are written.
        #[arg(long = "into", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Read one PDF file from standard input; the program starts itself with this for each PDF among your documents.
    #[command(hide = true)]
    ReadPdf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar run                                    what is new since the last run
  aha-radar run --window 2026-11-16                that day, whatever was read before
  aha-radar run --window 2026-11-16..2026-11-19    from the first midnight to the second
  aha-radar run --dry-run                          what a run would cost")]
pub(super) struct RunArguments {
    /// The topic to run.
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
    /// Read this window whatever was read before: a date for that day, or START..END, each a date (its local midnight)
    /// or an RFC 3339 time. One that is not over ends now. Where the next run without --window begins does not change.
    /// Without it: from where the last run ended to now.
    #[arg(long, value_name = "DAY|START..END")]
    pub(super) window: Option<String>,
    /// First add the sources of an OPML file; those already there are left as they are.
    #[arg(long, value_name = "FILE.opml")]
    pub(super) import: Option<PathBuf>,
    /// Judge stories again that were judged before; the models' answers are paid for again.
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
    /// What matters to you and what does not, in your own words: "embedded databases, tidal energy. No sport."
    #[arg(long, allow_hyphen_values = true, value_parser = free_text)]
    pub(super) interests: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar item 1          the first story of the newest digest
  aha-radar item c33435     a line of any digest, or a result of `aha-radar search`")]
pub(super) struct ItemArguments {
    /// The rank in the newest digest with stories, or the id that a line of any digest shows, or its first digits (4 or
    /// more).
    pub(super) item: String,
    /// The topic of the rank or the id [default: default for a rank, any for an id].
    #[arg(long)]
    pub(super) topic: Option<String>,
    /// Print the story as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunsArguments {
    /// Only this topic's.
    #[arg(long)]
    pub(super) topic: Option<String>,
    /// At most this many, 1 or more, newest window first.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) limit: u32,
    /// Print the runs as JSON, with the process of each attempt and whole ids.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar replay --weight novelty=3                the run of the newest window, new things first
  aha-radar replay 833b324c --weight heuristic=0     the run of that digest")]
pub(super) struct ReplayArguments {
    /// The id of a finished run (`aha-radar runs --json`) or of its digest (`aha-radar runs`), or its first digits
    /// (4 or more), or `latest`: the finished run of the newest window.
    #[arg(default_value = "latest")]
    pub(super) run: String,
    /// A weight to rank by instead of the run's: NAME=NUMBER, with the names and ranges of `AHA_RANK_WEIGHTS` in
    /// .env.example. May be repeated.
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(super) weight: Vec<String>,
    /// Print the digest as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  echo \"Ten tricks your plumber hates\" | aha-radar noise")]
pub(super) struct NoiseArguments {
    /// A file with one headline per line; `-` is standard input.
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub(super) input: PathBuf,
    /// Print one JSON object per line: `{"headline":…,"noise":…}`.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar calibrate --input labelled.jsonl
  aha-radar calibrate --input labelled.jsonl --tune    stores the thresholds found")]
pub(super) struct CalibrateArguments {
    /// The labelled documents, one JSON object per line.
    #[arg(long, value_name = "LABELLED.jsonl")]
    pub(super) input: PathBuf,
    /// Write {"id", "cluster"} for each document to this file.
    #[arg(long, value_name = "OUT.jsonl")]
    pub(super) assignments: Option<PathBuf>,
    /// Find the thresholds that suit these labels and store them for later runs.
    #[arg(long)]
    pub(super) tune: bool,
    /// A number that decides the order of documents of the same time.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Print the measurement as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Print the findings as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct MigrateArguments {
    /// Only report the database's schema version and what is pending; exit 1 unless it is up to date.
    #[arg(long)]
    pub(super) check: bool,
    /// Print that report as JSON.
    #[arg(long, requires = "check")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar copy --to postgres://user:password@localhost/aha_radar
  aha-radar copy --to sqlite://copy.db")]
pub(super) struct CopyArguments {
    /// The other database, SQLite or Postgres, written as in `DATABASE_URL`. It is created (SQLite) and migrated first.
    #[arg(long, value_name = "URL")]
    pub(super) to: String,
    /// Print the tables with their rows and hashes as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RetainArguments {
    /// Only show how many rows would be removed.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the counts as JSON.
    #[arg(long)]
    pub(super) json: bool,
}
