//! The arguments of `deep-dive`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags, of which clap lets only some stand together")]
#[command(after_help = "\
Examples:
  aha-radar deep-dive 3 --file article.txt --estimate    what it would cost
  aha-radar deep-dive 3 --file article.txt
  xclip -o | aha-radar deep-dive 3
  aha-radar deep-dive 3 --promote                        keep the summary just made")]
pub(in crate::cli) struct DeepDiveArguments {
    /// The story: its rank in the newest digest with stories, or the id that a line of any digest shows, or its first
    /// digits (4 or more).
    pub(in crate::cli) item: String,
    /// The topic of the rank or the id [default: default for a rank, any for an id].
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
    /// A file with the text, at most 60,000 characters of UTF-8; without it, or as `-`, standard input.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) file: Option<PathBuf>,
    /// Only say what it would cost; nothing is asked.
    #[arg(long, conflicts_with_all = ["promote", "drop"])]
    pub(in crate::cli) estimate: bool,
    /// Keep the newest summary made for this story; with --file, that of this text.
    #[arg(long, conflicts_with = "drop")]
    pub(in crate::cli) promote: bool,
    /// Note that the newest summary made for this story was not worth keeping.
    #[arg(long, conflicts_with = "file")]
    pub(in crate::cli) drop: bool,
    /// Print the summary, the estimate or the decision as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
