use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::domain::feedback::FeedbackKind;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(in crate::cli) struct FeedbackArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<FeedbackCommand>,
    /// The rank in the latest digest, or a digest item's id.
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
    /// What was said of a topic's items, newest last, and what it comes to.
    List {
        #[arg(long, default_value = "default")]
        topic: String,
        #[arg(long)]
        json: bool,
    },
    /// Print what was said as JSON, one object a line.
    Export {
        #[arg(long, default_value = "default")]
        topic: String,
    },
    /// Add what `export` printed; what was said already is left as it is.
    Import {
        /// A file; `-` is standard input.
        file: PathBuf,
        #[arg(long, default_value = "default")]
        topic: String,
    },
}
