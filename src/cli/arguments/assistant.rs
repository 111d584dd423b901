//! `aha-radar assistant`, `todo`, `agenda`.

use aha_planner::record::Priority;
use clap::{Args, Subcommand, ValueEnum};

use super::hyphens::free_text;
use crate::assistant::Mode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar assistant \"add buy milk tomorrow\"                  shows what it would change
  aha-radar assistant \"move the report to Monday\" --apply
  aha-radar assistant \"move the report to Monday\" --select 7    after it asked which of two is meant
  aha-radar assistant \"call Ann later\" --date 2026-12-04        after it asked for the day
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
    /// The answer when it asked which one you mean: the number of that one. Repeat the sentence with it. May be
    /// repeated.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) select: Vec<i64>,
    /// The answer when it asked for the day, YYYY-MM-DD. Repeat the sentence with it.
    #[arg(long, value_name = "DAY")]
    pub(in crate::cli) date: Option<chrono::NaiveDate>,
    /// The priority of what is added or changed, where the sentence names none.
    #[arg(long, value_enum)]
    pub(in crate::cli) priority: Option<PriorityName>,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum PriorityName {
    Low,
    Medium,
    High,
}

impl From<PriorityName> for Priority {
    fn from(name: PriorityName) -> Self {
        match name {
            PriorityName::Low => Self::Low,
            PriorityName::Medium => Self::Medium,
            PriorityName::High => Self::High,
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
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add one: "call Ann tomorrow at 3pm p1", "water the plants every 3 days". Read by rules, whatever model is
    /// configured. If it asks, nothing is added: repeat it with the answer in the text.
    Add {
        /// What is to be done, and when.
        text: String,
        /// Print what was added as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Mark some as done; of one that repeats, today's occurrence or the last that was due.
    Done {
        /// Their numbers, as `todo list` shows them; or words of the title of one open todo.
        #[arg(required = true, value_name = "ID|TITLE")]
        wanted: Vec<String>,
        /// Print what was changed as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete some; one that repeats, with all its days.
    Delete {
        /// Their numbers, as `todo list` shows them; or words of the title of one open todo.
        #[arg(required = true, value_name = "ID|TITLE")]
        wanted: Vec<String>,
        /// Print what was changed as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take back the last change, or the batch of that id.
    Undo {
        /// The id that the change printed with --json; without it, the last change.
        batch: Option<String>,
        /// Print what was changed as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar agenda                                          today and the six days after it
  aha-radar agenda --from 2026-12-01 --to 2026-12-31
  aha-radar agenda --ical > plan.ics                        for a calendar program")]
pub(in crate::cli) struct AgendaArguments {
    /// The first day, YYYY-MM-DD; without it today.
    #[arg(long, value_name = "DAY")]
    pub(in crate::cli) from: Option<chrono::NaiveDate>,
    /// The last day, YYYY-MM-DD; without it six days after the first.
    #[arg(long, value_name = "DAY")]
    pub(in crate::cli) to: Option<chrono::NaiveDate>,
    /// Print the days as JSON.
    #[arg(long, conflicts_with = "ical")]
    pub(in crate::cli) json: bool,
    /// Print everything that is planned, whatever the days, as a calendar (iCalendar, RFC 5545).
    #[arg(long)]
    pub(in crate::cli) ical: bool,
}
