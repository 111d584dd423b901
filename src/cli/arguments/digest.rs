//! Arguments of the commands that show a digest.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar digest                                that of the newest window
  aha-radar digest list                           the digests with their ids, newest first
  aha-radar digest 833b324c                       one of them
  aha-radar digest --links                        with the address of each story
  aha-radar digest --format html > digest.html")]
pub(in crate::cli) struct DigestArguments {
    /// `latest` (that of the window with the latest end; of several with the same end, the one made last), the id of a
    /// digest or its first digits (4 or more), a day such as 2026-11-18, or `list`.
    #[arg(default_value = "latest")]
    pub(in crate::cli) which: String,
    /// The topic of `latest` [default: default], or of those that are listed [default: all].
    #[arg(long)]
    pub(in crate::cli) topic: Option<String>,
    /// md, html, json or rss; without it, as text for the terminal.
    #[arg(long, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<String>,
    /// The same as --format json; with `list`, the list as JSON.
    #[arg(long, conflicts_with = "format")]
    pub(in crate::cli) json: bool,
    /// Print the address of each story below it.
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(in crate::cli) links: bool,
    /// With `list`: at most this many, 1 or more, newest window first.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) limit: u32,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar review              the digest of the newest window
  aha-radar review 833b324c     another, of any topic")]
pub(in crate::cli) struct ReviewArguments {
    /// `latest` (that of the window with the latest end), the id of a digest or its first digits (4 or more), or a day
    /// such as 2026-11-18; `aha-radar digest list` shows them.
    #[arg(default_value = "latest")]
    pub(in crate::cli) which: String,
    /// The topic of `latest`.
    #[arg(long, default_value = "default")]
    pub(in crate::cli) topic: String,
}
