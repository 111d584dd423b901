//! The arguments for an import from Miniflux.

use aha_core::feedback::FeedbackKind;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  export AHA_MINIFLUX_TOKEN=…      from Settings > API Keys
  aha-radar source import-miniflux --url https://reader.example.org --dry-run
  aha-radar source import-miniflux --url https://reader.example.org --categories-as-topics")]
pub(in crate::cli) struct MinifluxArguments {
    /// The address of the Miniflux server.
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) url: String,
    /// The topic that reads the feeds.
    #[arg(long, default_value = "default")]
    pub(in crate::cli) topic: String,
    /// Import each category to a topic of its name, instead of all to one.
    #[arg(long, conflicts_with = "topic")]
    pub(in crate::cli) categories_as_topics: bool,
    /// Which feedback a star counts as.
    #[arg(long, default_value = "save")]
    pub(in crate::cli) stars: Stars,
    /// How many of the entries last read are imported, 0 to 1000.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(in crate::cli) reads: u16,
    /// Only report what would be imported; nothing is stored.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Print the counts as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum Stars {
    Save,
    Like,
    /// Stars are left where they are.
    None,
}

impl Stars {
    pub(in crate::cli) const fn kind(self) -> Option<FeedbackKind> {
        match self {
            Self::Save => Some(FeedbackKind::Save),
            Self::Like => Some(FeedbackKind::Like),
            Self::None => None,
        }
    }
}
