use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum JournalCommand {
    /// Find lasting knowledge in journal days and propose pages for it; with --apply, write it there.
    ///
    /// Without --apply nothing in the graph is written: on a terminal it is shown phase by phase, to be ticked and
    /// edited, with a diff at the end; elsewhere the diff is printed.
    Extract(ExtractArguments),
    /// Find blocks of pages by words, the best first.
    Search {
        /// The words to search for.
        #[arg(required = true)]
        words: Vec<String>,
        /// At most this many blocks.
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: usize,
        #[command(flatten)]
        graph: GraphArgument,
        /// Print the blocks as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Report what was found of a graph: its kind, its pages and days.
    Init {
        #[command(flatten)]
        graph: GraphArgument,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take back what the last `extract --apply` wrote: files not changed since are restored; from others only what was
    /// written is removed.
    Undo {
        #[command(flatten)]
        graph: GraphArgument,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct GraphArgument {
    /// The folder of the daily notes and pages, Logseq's or plain Markdown; without it, that of `AHA_JOURNAL_GRAPH`.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) graph: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags, which stand alone")]
#[command(after_help = "\
Examples:
  aha-radar journal extract --graph ~/notes                    shows what it would write
  aha-radar journal extract 2026-03-02..2026-03-08 --apply     of a week, and writes it")]
pub(in crate::cli) struct ExtractArguments {
    /// A day (2026-03-02, today, yesterday) or days from one to another (A..B); without it the latest day before
    /// today.
    pub(in crate::cli) days: Option<String>,
    /// Write the plan to this file; with --apply carry out the one that is in it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) plan: Option<PathBuf>,
    /// Write to the pages and to the journal.
    #[arg(long)]
    pub(in crate::cli) apply: bool,
    /// Also write to today's page.
    #[arg(long)]
    pub(in crate::cli) today: bool,
    /// Go by rules alone, whatever models are configured.
    #[arg(long)]
    pub(in crate::cli) local: bool,
    /// Ask models again for what they have answered.
    #[arg(long)]
    pub(in crate::cli) rejudge: bool,
    #[command(flatten)]
    pub(in crate::cli) graph: GraphArgument,
    /// Print the plan and the diffs as JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
