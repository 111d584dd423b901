//! The arguments of `source` and `opml`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::MinifluxArguments;
use super::hyphens::free_text;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SourceCommand {
    /// Add sources by URL, path or short name.
    ///
    /// Short names: hn:top, hn:new, hn:best or hn:"words to search for"; reddit:NAME or reddit:NAME/new;
    /// youtube:CHANNEL-ID, youtube:PLAYLIST-ID or youtube:@handle; github:OWNER/REPOSITORY (its releases);
    /// arxiv:CATEGORY; lobsters or lobsters:TAG. The addresses of such pages will do as well. Of any other page,
    /// the feed that it names is added.
    ///
    /// signal:"words to search for" asks the search that `AHA_SIGNAL_URL` names (of X, or any other that answers with
    /// JSON); what it finds is read by a model, within the budget, each result once.
    Add(AddArguments),
    /// List the sources with their ids and health.
    List {
        /// Only this topic's.
        #[arg(long)]
        topic: Option<String>,
        /// Print them as JSON. `check_interval_seconds` is how often a scheduled run fetches one.
        #[arg(long)]
        json: bool,
    },
    /// Read sources and show what is in them, storing nothing.
    ///
    /// Except for a search (signal:WORDS): its cost is charged as in a run, within the budget, and recorded.
    Test {
        /// An address, a local file or a short name, as `source add` takes them.
        #[arg(required = true, value_name = "URL|FILE|NAME")]
        locations: Vec<String>,
        /// Print one JSON object per source and line.
        #[arg(long)]
        json: bool,
    },
    /// Import the feeds of a Miniflux server, and what was starred and read there as feedback.
    ///
    /// Starred entries count as saved, read ones as a tenth of a like: by their words, source and author, at once,
    /// whether or not the entry itself was fetched here. Doing it again adds only what is new. The API token is read
    /// from `AHA_MINIFLUX_TOKEN`; for a Miniflux in your own network its host has to be in `AHA_FETCH_ALLOW`.
    ImportMiniflux(MinifluxArguments),
    /// Change how a source is read; what is not named stays as it is.
    Set {
        #[command(flatten)]
        choice: SourceChoice,
        /// Multiplies the score of its stories, from 0.1 to 3; 1 leaves it as it is.
        #[arg(long, required_unless_present = "full_text")]
        weight: Option<f64>,
        /// Whether to read the pages that its teasers link to.
        #[arg(long, value_name = "true|false")]
        full_text: Option<bool>,
    },
    /// Read a source again.
    Enable(SourceChoice),
    /// Stop reading a source; its items are kept.
    Disable(SourceChoice),
    /// Remove a source; its items stay in old digests.
    Remove(SourceChoice),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar source add https://blog.example/feed.xml
  aha-radar source add hn:top reddit:rust github:sqlite/sqlite
  aha-radar source add --type documents ./notes    a folder of your own, to search and to ask about
  aha-radar opml import subscriptions.opml         a feed reader's list has a command of its own")]
pub(in crate::cli) struct AddArguments {
    /// Addresses of feeds or pages, local feed files or short names; with `--type documents`, folders or files.
    #[arg(required = true, value_name = "URL|FILE|NAME")]
    pub(in crate::cli) locations: Vec<String>,
    /// The topic that reads them; it is created if there is none of that name.
    #[arg(long, default_value = "default")]
    pub(in crate::cli) topic: String,
    /// `documents`: folders or files of your own (Markdown, HTML, text, PDF), to be searched and asked about. They are
    /// read again when they change, and are not part of any digest.
    #[arg(long = "type", value_name = "documents", value_parser = ["documents"], conflicts_with_all = ["as_is", "full_text", "weight"])]
    pub(in crate::cli) kind: Option<String>,
    /// The name to show instead of the feed's own; for a single source.
    #[arg(long, allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) title: Option<String>,
    /// Multiplies the score of its stories, from 0.1 to 3.
    #[arg(long)]
    pub(in crate::cli) weight: Option<f64>,
    /// Add them as they are, without fetching them first.
    #[arg(long)]
    pub(in crate::cli) as_is: bool,
    /// Read the pages that its teasers link to, as far as their robots.txt allows.
    #[arg(long)]
    pub(in crate::cli) full_text: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SourceChoice {
    /// The source's URL, exact name, or id or its first digits (4 or more), as `source list` shows them.
    pub(in crate::cli) source: String,
    /// The topic that reads it, where several do.
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum OpmlCommand {
    /// Add the sources of a file; paths in it are relative to it. Those already there are left as they are.
    Import {
        /// The list that a feed reader exports, in OPML.
        file: PathBuf,
        /// The topic that reads them; it is created if there is none of that name.
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Print the sources of a topic, in OPML.
    Export {
        /// The topic that reads them.
        #[arg(long, default_value = "default")]
        topic: String,
    },
}
