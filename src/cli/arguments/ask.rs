//! `search`, `ask`, `reindex` and `benchmark`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use url::Url;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar search ferry -sport since:30d
  aha-radar search '\"heat pump\" source:wireline'    the two words side by side, of one source
  aha-radar search 'ferry OR boat' quay             one of the two words, and the third
  aha-radar search 'electri*'                       all words that begin so, of 3 letters or more
  aha-radar search 'source:\"Hacker News\" rust'      a name with spaces, within the shell's quotes
  aha-radar search source:wireline since:7d         the newest, without any word

Capitals and accents make no difference: jeri finds Jerí. The filters are source:NAME, topic:NAME
and since:DATE; of several sources or topics, any applies. OR, AND and NOT in capitals are
operators; in quotation marks they are words.")]
pub(in crate::cli) struct SearchArguments {
    /// Words, all of which have to occur; "several words" side by side; -word not; one OR other; begin*; source:NAME,
    /// topic:NAME, since:DATE. Without words, the newest that pass the filters.
    #[arg(required_unless_present_any = ["topic", "source", "since"])]
    pub(in crate::cli) query: Vec<String>,
    /// Only items and documents of this topic's sources.
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
    /// Only sources with this in their name or address.
    #[arg(long)]
    pub(in crate::cli) source: Option<String>,
    /// From then on: a date (2026-11-16, from midnight UTC), an RFC 3339 time, or a span back from now (30d).
    #[arg(long, value_name = "WHEN")]
    pub(in crate::cli) since: Option<String>,
    /// At most this many, 1 to 100: the best first, without words the newest first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(in crate::cli) limit: usize,
    /// By words, by meaning, or both; meaning needs weights (`AHA_EMBED_MODEL_DIR`) or an embedding model, which is paid
    /// for each query.
    #[arg(long, value_enum, default_value_t = SearchedBy::Both)]
    pub(in crate::cli) by: SearchedBy,
    /// Print query and results as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum SearchedBy {
    Both,
    Words,
    Meaning,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar ask \"Which ferry lost power off Tarnsund?\"
  aha-radar ask --since 7d What does the tide array cost?
  aha-radar ask --source handbook --source wireline \"What does a night cost?\"    of either source

[1] behind a sentence is the number of its source in the list below it. Without a model, the
sentences are quoted, and sometimes are about something only similar: read them before you rely
on them.")]
pub(in crate::cli) struct QuestionArguments {
    /// The question; quotation marks keep a shell from reading its signs.
    #[arg(required_unless_present = "export")]
    pub(in crate::cli) question: Vec<String>,
    /// Answer from this topic's items and documents alone.
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
    /// Answer only from sources with this in their name or address. May be repeated: any of them.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) source: Vec<String>,
    /// From then on: a date (2026-11-16, from midnight UTC), an RFC 3339 time, or a span back from now (30d).
    #[arg(long, value_name = "WHEN")]
    pub(in crate::cli) since: Option<String>,
    /// Print the answer with its sources as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Print the answers and refusals that you marked as right on the page Ask, as a ground truth for `benchmark`.
    #[arg(long, conflicts_with_all = ["question", "topic", "source", "since", "json"])]
    pub(in crate::cli) export: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar benchmark --ground-truth questions.yaml --validate-only
  aha-radar benchmark --ground-truth questions.yaml --api-url http://127.0.0.1:8080
  aha-radar ask --export > questions.yaml    answers that you marked as right; it takes 20")]
pub(in crate::cli) struct BenchmarkArguments {
    /// The address of the API, without /ask [default: `BENCHMARK_API_URL`, else <http://localhost:8080>].
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) api_url: Option<Url>,
    /// Seconds that an attempt may take, more than 0 [default: `BENCHMARK_TIMEOUT`, else 5].
    #[arg(long, value_name = "SECONDS")]
    pub(in crate::cli) timeout: Option<f64>,
    /// Least similarity (Levenshtein ratio) of a right answer, 0 to 1 [default: `BENCHMARK_THRESHOLD`, else 0.8].
    #[arg(long, value_name = "0..1")]
    pub(in crate::cli) threshold: Option<f64>,
    /// The questions, at least 20, and their expected answers.
    #[arg(long, value_name = "FILE.yaml", default_value = "ground_truth.yaml")]
    pub(in crate::cli) ground_truth: PathBuf,
    /// The documents that may be cited.
    #[arg(long, value_name = "FILE.yaml")]
    pub(in crate::cli) manifest: Option<PathBuf>,
    /// Where the reports are written.
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    pub(in crate::cli) results_dir: PathBuf,
    /// Only check the files; nothing is asked.
    #[arg(long)]
    pub(in crate::cli) validate_only: bool,
    /// An earlier report to compare with.
    #[arg(long, value_name = "REPORT.json")]
    pub(in crate::cli) baseline: Option<PathBuf>,
    /// Also show this many earlier reports of the results folder, the last ones.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) compare: Option<usize>,
    /// Questions asked at the same time, 1 or more.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(in crate::cli) concurrency: usize,
    /// Print the report as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
