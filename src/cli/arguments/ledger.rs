//! The arguments for calls and their cost.

use aha_core::purpose;
use aha_llm::tasks;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::hyphens::free_text;
use crate::services::calls::{CallState, STATES};

const BY: [&str; 4] = ["day", "purpose", "model", "topic"];

fn purposes() -> PossibleValuesParser {
    PossibleValuesParser::new(tasks::ALL.iter().map(|task| task.as_str()).chain(purpose::ALL))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  aha-radar calls --state unsettled     what is charged although its outcome is unknown
  aha-radar calls --state error         why models did not answer
  aha-radar spend adjust 3f2a91c0 0.004 --reason \"as the provider's bill says\"")]
pub(in crate::cli) struct CallsArguments {
    /// Only those in this state: reserved is under way, unsettled has an unknown outcome.
    #[arg(long, value_parser = PossibleValuesParser::new(STATES.map(CallState::as_str)))]
    pub(in crate::cli) state: Option<String>,
    /// Only those of this task.
    #[arg(long, value_parser = purposes())]
    pub(in crate::cli) purpose: Option<String>,
    /// Only those of this run: its id, or its digest's, or the first digits (4 or more), as `aha-radar runs` lists
    /// them.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) run: Option<String>,
    /// At most this many, 1 or more, newest first.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) limit: u32,
    /// Print the calls as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  aha-radar spend                         by day, of the last 30 days
  aha-radar spend --by model --days 7
  aha-radar spend adjust 3f2a91c0 0.004 --reason \"as the provider's bill says\""
)]
pub(in crate::cli) struct SpendArguments {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<SpendCommand>,
    /// What to add up by.
    #[arg(long, default_value = "day", value_parser = PossibleValuesParser::new(BY))]
    pub(in crate::cli) by: String,
    /// Of how many days, 1 to 3660, today included.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=3660))]
    pub(in crate::cli) days: u16,
    /// Print the report as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SpendCommand {
    /// Record the actual cost of a call; the budget that it was charged to is adjusted.
    ///
    /// For a call whose outcome is not known (state unsettled), and for one that the provider bills otherwise. The
    /// correction is kept with its reason, and the call's row shows the corrected cost.
    Adjust(AdjustArguments),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AdjustArguments {
    /// The call: its id or the first digits (4 or more), as `aha-radar calls` shows it.
    pub(in crate::cli) call_id: String,
    /// What it really cost, in credits, 0 or more with at most six decimals: 0.0125.
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) credits: String,
    /// Where you know it from; it is kept with the correction.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = free_text)]
    pub(in crate::cli) reason: String,
    /// Print the call before and after as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
