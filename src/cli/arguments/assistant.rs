//! `aha-radar assistant`, `todo`, `agenda`.

use clap::{Args, Subcommand, ValueEnum};

use super::hyphens::free_text;
use crate::assistant::Mode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar assistant \"add buy milk tomorrow\"                   shows what it would change
  aha-radar assistant \"move the report to Monday\" --apply
  aha-radar assistant \"what is due this week?\" --mode chat")]
pub(in crate::cli) struct AssistantArguments {
    /// What to plan, in a sentence: "add buy milk tomorrow and move the report to Monday".
    #[arg(allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) message: String,
    /// Apply what is proposed. Without it nothing is changed.
    #[arg(long)]
    pub(in crate::cli) apply: bool,
    /// plan: operations; chat: an answer in words; auto: whichever fits.
    #[arg(long, value_enum, default_value_t = ModeName::Plan)]
    pub(in crate::cli) mode: ModeName,
    /// When it asked which one you mean: the number of that one. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) select: Vec<i64>,
    /// Print what it proposes or changed as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum ModeName {
    Plan,
    Chat,
    Auto,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Plan => Self::Plan,
            ModeName::Chat => Self::Chat,
            ModeName::Auto => Self::Auto,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TodoCommand {
    /// List what is open.
    List {
        /// Also what is done.
        #[arg(long)]
        all: bool,
        #[arg(long)]
        json: bool,
    },
    /// Add one: "call Ann tomorrow at 3pm p1", "water the plants every 3 days". Read by rules, whatever model is
    /// configured.
    Add {
        text: String,
        #[arg(long)]
        json: bool,
    },
    /// Mark some as done; of what repeats today's occurrence, or the last that was due.
    Done {
        #[arg(required = true)]
        ids: Vec<i64>,
        #[arg(long)]
        json: bool,
    },
    /// Delete some.
    Delete {
        #[arg(required = true)]
        ids: Vec<i64>,
        #[arg(long)]
        json: bool,
    },
    /// Take back the last change, or the batch of that id.
    Undo {
        batch: Option<String>,
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AgendaArguments {
    /// YYYY-MM-DD; today without it.
    #[arg(long, value_name = "DAY")]
    pub(in crate::cli) from: Option<chrono::NaiveDate>,
    /// YYYY-MM-DD, included; six days later without it.
    #[arg(long, value_name = "DAY")]
    pub(in crate::cli) to: Option<chrono::NaiveDate>,
    /// Print the days as JSON.
    #[arg(long, conflicts_with = "ical")]
    pub(in crate::cli) json: bool,
    /// Everything that is planned, as a calendar (RFC 5545).
    #[arg(long)]
    pub(in crate::cli) ical: bool,
}
