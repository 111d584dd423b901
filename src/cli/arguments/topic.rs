//! The arguments of `topic`.

use clap::{Args, Subcommand};

use super::hyphens::free_text;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TopicCommand {
    /// List all topics with their settings.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a topic.
    #[command(after_help = "\
Example:
  aha-radar topic add boats --interests \"ferries, small harbours. No cruises.\" --schedule \"every 6h\"")]
    Add {
        /// What the topic is called.
        name: String,
        #[command(flatten)]
        settings: TopicSettings,
    },
    /// Show how interests are understood, and what they would have matched in the last days; nothing is stored.
    #[command(after_help = "\
Examples:
  aha-radar topic interests                        of the topic \"default\"
  aha-radar topic interests boats --days 30
  aha-radar topic interests --try \"ferries, tidal energy. No sport.\" --days 30")]
    Interests {
        /// The topic whose items are matched, as `topic list` shows it.
        #[arg(default_value = aha_core::topic::DEFAULT_TOPIC)]
        name: String,
        /// Other interests than the topic has.
        #[arg(long = "try", value_name = "INTERESTS", allow_hyphen_values = true, value_parser = free_text)]
        trial: Option<String>,
        /// Days back from now, 1 to 365; from the end of the newest digest with stories if more was read then.
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=365))]
        days: u16,
        /// Print what was understood and matched as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove a topic with its sources, digests and feedback. What it has spent stays in the ledger.
    Remove {
        /// The topic, as `topic list` shows it.
        name: String,
    },
    /// Remove rules that leave items out.
    Unmute {
        /// The topic, as `topic list` shows it.
        name: String,
        /// As they were given to `topic set --mute`.
        #[arg(required = true, value_name = "FIELD:PATTERN")]
        rules: Vec<String>,
    },
    /// Remove rules that raise items.
    Unboost {
        /// The topic, as `topic list` shows it.
        name: String,
        /// As they were given to `topic set --boost`.
        #[arg(required = true, value_name = "FIELD:PATTERN")]
        rules: Vec<String>,
    },
    /// Change a topic; what is not named stays as it is.
    #[command(after_help = "\
Examples:
  aha-radar topic set default --interests \"embedded databases, tidal energy. No sport.\"
  aha-radar topic set default --schedule \"0 7 * * *\" --timezone Europe/Berlin
  aha-radar topic set default --mute word:horoscope --boost source:Wireline")]
    Set {
        /// The topic, as `topic list` shows it.
        name: String,
        #[command(flatten)]
        settings: TopicSettings,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TopicSettings {
    /// What matters to you and what does not, in your own words: "embedded databases, tidal energy in Scotland. No
    /// sport."
    #[arg(long, allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) interests: Option<String>,
    /// A cron expression of five fields ("0 7 * * *"), or an interval of 15 minutes to 30 days ("every 30m",
    /// "every 6h", "every 2d"); "" for that of `AHA_SCHEDULE`.
    #[arg(long)]
    pub(in crate::cli) schedule: Option<String>,
    /// An IANA time zone, for example Europe/Berlin; "" for that of `AHA_TIMEZONE`.
    #[arg(long)]
    pub(in crate::cli) timezone: Option<String>,
    /// Leave items out: word:PATTERN, source:PATTERN or author:PATTERN (a regular expression). May be repeated.
    #[arg(long, value_name = "FIELD:PATTERN")]
    pub(in crate::cli) mute: Vec<String>,
    /// Raise items: word:PATTERN, source:PATTERN or author:PATTERN. May be repeated. The score of a story with such an
    /// item is multiplied by 1.5, once; for a source, `source set --weight` takes any factor from 0.1 to 3.
    #[arg(long, value_name = "FIELD:PATTERN")]
    pub(in crate::cli) boost: Vec<String>,
    /// Forget all rules of --mute and --boost first.
    #[arg(long)]
    pub(in crate::cli) clear_rules: bool,
    /// How many stories a run may judge: 0 (few) to 100 (many) (new topics: 50).
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) depth: Option<u8>,
    /// Stories of the top section, at most: 0 to 200 (new topics: 10).
    #[arg(long, value_name = "STORIES", value_parser = clap::value_parser!(u8).range(0..=200))]
    pub(in crate::cli) top: Option<u8>,
    /// Stories of the scan section, at most: 0 to 200 (new topics: 20).
    #[arg(long, value_name = "STORIES", value_parser = clap::value_parser!(u8).range(0..=200))]
    pub(in crate::cli) scan: Option<u8>,
    /// Show no story with a lower score, 0 to 100: 0 shows all, 21 leaves out noise, 51 keeps what is worth reading
    /// (new topics: 21).
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) at_least: Option<u8>,
    /// Hours after which a story has lost two thirds of the points that decay takes: 1 to 87600 (new topics: 48).
    #[arg(long, value_name = "HOURS")]
    pub(in crate::cli) decay_hours: Option<f64>,
    /// Which models are asked: those that the settings name for low, normal or high; "" for the tier of
    /// `AHA_BUDGET_TIER`.
    #[arg(long, value_name = "low|normal|high")]
    pub(in crate::cli) budget_tier: Option<String>,
    /// At most this share of the daily and monthly budget, in percent, 1 to 100; 0 for no limit of its own.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) budget_share: Option<u8>,
    /// Let the next run read from this time on (RFC 3339: 2026-11-16T07:00:00Z), whatever was read before.
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) read_from: Option<String>,
}
