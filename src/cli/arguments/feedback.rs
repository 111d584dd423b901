use std::path::PathBuf;

use aha_core::feedback::FeedbackKind;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  aha-radar feedback 3 like            the third story of the newest digest
  aha-radar feedback 3 like --undo
  aha-radar feedback c33435 dislike    a line of any digest, or a result of `aha-radar search`"
)]
pub(in crate::cli) struct FeedbackArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<FeedbackCommand>,
    /// The rank in the newest digest with stories, or the id that a line of any digest or a result of a search shows.
    #[arg(required = true)]
    pub(in crate::cli) item: Option<String>,
    /// like, dislike, save (counts half a like), skip (half a dislike) or read (a tenth of a like).
    #[arg(required = true)]
    pub(in crate::cli) kind: Option<FeedbackKind>,
    /// Take it back.
    #[arg(long)]
    pub(in crate::cli) undo: bool,
    /// The topic of the rank or the id [default: default for a rank, any for an id].
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum FeedbackCommand {
    /// List the feedback on a topic's items, newest last, and what was learnt from it.
    List {
        /// The topic whose items had feedback.
        #[arg(long, default_value = "default")]
        topic: String,
        /// Print both as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the feedback as JSON, one object per line.
    Export {
        /// The topic whose items had feedback.
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Add the output of `export`, or lines with only `item_id`, `kind` and `given_at`; existing feedback is not
    /// changed.
    Import {
        /// A file with one JSON object per line; `-` is standard input.
        file: PathBuf,
        /// The topic that the feedback is added to.
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Unlearn a word, a source or an author that `list` shows as learnt; all forms of a word count as one.
    Forget {
        /// The word, source or author, as `list` shows it.
        #[arg(required_unless_present = "list")]
        name: Option<String>,
        /// Learn it again.
        #[arg(long, conflicts_with = "list")]
        undo: bool,
        /// Print what was unlearnt.
        #[arg(long, conflicts_with = "name")]
        list: bool,
        /// The topic that learnt it.
        #[arg(long, default_value = "default")]
        topic: String,
    },
}
