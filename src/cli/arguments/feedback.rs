use std::path::PathBuf;

use aha_core::feedback::FeedbackKind;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(in crate::cli) struct FeedbackArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<FeedbackCommand>,
    /// The rank in the latest digest, or the id that a line of any digest shows.
    #[arg(required = true)]
    pub(in crate::cli) item: Option<String>,
    /// like, dislike, save, skip or read.
    #[arg(required = true)]
    pub(in crate::cli) kind: Option<FeedbackKind>,
    /// Take it back.
    #[arg(long)]
    pub(in crate::cli) undo: bool,
    #[arg(long, default_value = "default")]
    pub(in crate::cli) topic: String,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum FeedbackCommand {
    /// List the feedback on a topic's items, newest last, and what was learnt from it.
    List {
        #[arg(long, default_value = "default")]
        topic: String,
        #[arg(long)]
        json: bool,
    },
    /// Print the feedback as JSON, one object per line.
    Export {
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Add the output of `export`, or lines with only `item_id`, `kind` and `given_at`; existing feedback is not
    /// changed.
    Import {
        /// A file; `-` is standard input.
        file: PathBuf,
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Unlearn a word, a source or an author that `list` shows as learnt; all forms of a word count as one.
    Forget {
        /// As `list` shows it.
        #[arg(required_unless_present = "list")]
        name: Option<String>,
        /// Learn it again.
        #[arg(long, conflicts_with = "list")]
        undo: bool,
        /// Print what was unlearnt.
        #[arg(long, conflicts_with = "name")]
        list: bool,
        #[arg(long, default_value = "default")]
        topic: String,
    },
}
