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

use clap::{Args, Command as Definition, CommandFactory as _, Parser, Subcommand};

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
    /// Keep running: each topic on its schedule, with pages, API and GET /health on `AHA_LISTEN`
    /// (<http://127.0.0.1:8080>).
    Daemon,
    /// Serve pages, API and GET /health on `AHA_LISTEN` (<http://127.0.0.1:8080>), without running topics on their
    /// schedules.
    Serve(GraphArgument),
    /// Accounts for the web: add, list, remove, password.
    #[command(subcommand)]
    User(UserCommand),
    /// Create the database and the topic "default", and show the next steps.
    Init(InitArguments),
    /// Topics: list, add, set (interests, schedule, muted words, sizes), try interests, unmute, remove.
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
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write that of every command into a folder.
    Man {
        /// Where `aha-radar.1`, `aha-radar-run.1`, … are written.
        #[arg(long = "into", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  aha-radar run                                    what is new since the last run\n  aha-radar run --window 2026-11-16..2026-11-19    these days, whatever was read before\n  aha-radar run --dry-run                          what a run would cost"
)]
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
    /// What matters to you and what does not, in your own words: "embedded databases, tidal energy. No sport."
    #[arg(long, allow_hyphen_values = true, value_parser = free_text)]
    pub(super) interests: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  aha-radar digest                                the latest\n  aha-radar digest list                           the digests with their ids, newest first\n  aha-radar digest 833b324c                       one of them\n  aha-radar digest --format html > digest.html"
)]
pub(super) struct DigestArguments {
    /// `latest`, the id of a digest or its first digits (4 or more), or `list`.
    #[arg(default_value = "latest")]
    pub(super) which: String,
    /// The topic of `latest` [default: default], or of those that are listed [default: all].
    #[arg(long)]
    pub(super) topic: Option<String>,
    /// md, html, json or rss; without it, as text for the terminal.
    #[arg(long)]
    pub(super) format: Option<String>,
    /// The same as --format json; with `list`, the list as JSON.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
    /// With `list`: at most this many.
    #[arg(long, default_value_t = 20)]
    pub(super) limit: u32,
}

#[derive(Debug, Args)]
pub(super) struct ReviewArguments {
    /// `latest`, or the id of a digest or its first digits; `aha-radar digest list` shows them.
    #[arg(default_value = "latest")]
    pub(super) which: String,
    /// The topic of `latest`.
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  aha-radar item 1          the first story of the latest digest\n  aha-radar item c33435     a line of any digest, or a result of `aha-radar search`"
)]
pub(super) struct ItemArguments {
    /// The rank in the latest digest, or the id that a line of any digest shows, or its first digits (4 or more).
    pub(super) item: String,
    /// The topic whose latest digest has the rank.
    #[arg(long, default_value = "default")]
    pub(super) topic: String,
    /// Print the story as JSON.
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
    /// Print the runs as JSON, with the process of each attempt and whole ids.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  aha-radar replay --weight novelty=3                the latest run, with more weight on what is new\n  aha-radar replay 833b324c --weight heuristic=0     the run of that digest"
)]
pub(super) struct ReplayArguments {
    /// The id of a finished run (`aha-radar runs --json`) or of its digest (`aha-radar runs`), or its first digits
    /// (4 or more), or `latest`.
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
pub(super) struct CopyArguments {
    /// The other database, SQLite or Postgres, written as in `DATABASE_URL`. It is made (SQLite) and migrated first.
    #[arg(long, value_name = "URL")]
    pub(super) to: String,
    /// Print the tables with their rows and hashes as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RetainArguments {
    /// Only show what would go.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the counts as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Accepts any text, which may begin with a hyphen. Refuses what looks like an option, as its value was forgotten.
fn free_text(text: &str) -> Result<String, String> {
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(' ');
    let is_long = text.strip_prefix("--").is_some_and(is_name);
    let is_short = text.strip_prefix('-').is_some_and(|name| name.len() == 1);
    if is_long || is_short {
        return Err(format!("it looks like an option; if it is meant as text, put a space before it: \" {text}\""));
    }
    Ok(text.to_owned())
}

/// Commands that take the words of a query, which may begin with a hyphen.
const QUERIES: [&[&str]; 3] = [&["search"], &["ask"], &["journal", "search"]];

/// Replaces `--run-once` anywhere before a command by the command `run`, and lets the words of a query begin with a
/// hyphen.
pub(super) fn normalise(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--run-once") {
        arguments.remove(at);
        arguments.insert(1.min(arguments.len()), OsString::from("run"));
    }
    let is_at = |at: usize, name: &str| arguments.get(at).is_some_and(|argument| argument == name);
    match QUERIES.iter().find(|path| path.iter().enumerate().all(|(at, name)| is_at(at + 1, name))) {
        Some(path) => with_words_last(arguments, path),
        None => arguments,
    }
}

/// Moves the words of a query behind `--` if one of them begins with a hyphen. What begins with two hyphens stays an
/// option, so that a mistyped one is an error. (With clap's `allow_hyphen_values`, all options behind the first word
/// would be words.)
fn with_words_last(arguments: Vec<OsString>, path: &[&str]) -> Vec<OsString> {
    let root = Cli::command();
    let Some(command) = path.iter().try_fold(&root, |command, name| command.find_subcommand(name)) else {
        return arguments;
    };
    let (mut options, mut words) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter().skip(path.len() + 1).cloned();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy().into_owned();
        if text == "--" {
            words.extend(rest);
            break;
        }
        let name = text.strip_prefix("--");
        if name.is_none() && text != "-h" {
            words.push(argument);
            continue;
        }
        options.push(argument);
        if name.is_some_and(|name| takes_value(command, name)) {
            options.extend(rest.next());
        }
    }
    if !words.iter().any(|word| word.to_string_lossy().starts_with('-')) {
        return arguments;
    }
    let command = arguments.into_iter().take(path.len() + 1);
    command.chain(options).chain([OsString::from("--")]).chain(words).collect()
}

fn takes_value(command: &Definition, name: &str) -> bool {
    let option = command.get_arguments().find(|argument| argument.get_long() == Some(name));
    option.is_some_and(|option| option.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &[&str]) -> Result<Command, String> {
        let typed = std::iter::once(&"aha-radar").chain(typed).map(OsString::from);
        Cli::try_parse_from(normalise(typed)).map(|cli| cli.command).map_err(|error| error.to_string())
    }

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

    #[test]
    fn words_of_a_query_may_begin_with_a_hyphen_and_options_stay_options() {
        let searched = |typed: &[&str]| match parsed(&[&["search"][..], typed].concat()) {
            Ok(Command::Search(SearchArguments { query, topic, json, .. })) => (query.join(" "), topic, json),
            other => panic!("{typed:?}: {other:?}"),
        };
        let home = || Some("home".to_owned());
        assert_eq!(searched(&["-word", "foo"]), ("-word foo".to_owned(), None, false));
        assert_eq!(searched(&["-word foo", "--json"]), ("-word foo".to_owned(), None, true));
        assert_eq!(searched(&["--topic", "home", "a", "-b", "--json", "c"]), ("a -b c".to_owned(), home(), true));
        assert_eq!(searched(&["--topic=home", "a", "--", "-b", "--c"]), ("a -b --c".to_owned(), home(), false));
        assert_eq!(searched(&["--since", "7d"]), (String::new(), None, false), "filters need no words");
        for mistyped in [["search", "-word", "--jsno"], ["search", "word", "--jsno"], ["ask", "-x y", "--sinc"]] {
            assert!(parsed(&mistyped).unwrap_err().contains("unexpected argument"), "{mistyped:?}");
        }
        assert!(parsed(&["search"]).unwrap_err().contains("QUERY"));
        let asked = parsed(&["ask", "-40 degrees: which ferry sails?", "--since", "30d"]).unwrap();
        assert!(matches!(asked, Command::Ask(QuestionArguments { since: Some(_), .. })), "{asked:?}");
    }

    #[test]
    fn a_text_may_begin_with_a_hyphen_and_a_forgotten_one_is_noticed() {
        let set = parsed(&["topic", "set", "default", "--interests", "-sport", "--schedule", "every 6h"]).unwrap();
        let Command::Topic(TopicCommand::Set { settings, .. }) = set else { panic!("{set:?}") };
        assert_eq!((settings.interests.as_deref(), settings.schedule.as_deref()), (Some("-sport"), Some("every 6h")));
        for typed in [
            &["init", "--interests", "- no sport"][..],
            &["topic", "interests", "--try", "- no sport", "--days", "3"],
            &["topic", "add", "boats", "--interests", "-- no sport"],
            &["source", "add", "--title", "- The Feed", "https://a.example/feed"],
            &["assistant", "- buy milk", "--apply"],
            &["llm", "ask", "-1 or 1?", "--json"],
            &["spend", "adjust", "abcd", "0.1", "--reason", "-10 %"],
        ] {
            parsed(typed).unwrap_or_else(|error| panic!("{typed:?}: {error}"));
        }
        for forgotten in [
            &["topic", "set", "default", "--interests", "--schedule", "every 6h"][..],
            &["topic", "interests", "--try", "--days", "3"],
            &["init", "--interests", "-h"],
        ] {
            assert!(parsed(forgotten).unwrap_err().contains("looks like an option"), "{forgotten:?}");
        }
        assert!(parsed(&["topic", "set", "default", "--intrests", "x"]).unwrap_err().contains("--interests"));
        parsed(&["assistant", "--aply", "buy milk"]).unwrap_err();
    }
}
