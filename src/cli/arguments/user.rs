//! `aha-radar user`.

use aha_core::account::Role;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum UserCommand {
    /// Add an account; its password is the first line of standard input.
    #[command(after_help = "\
Example:
  printf '%s' \"$PASSWORD\" | aha-radar user add ann --role editor")]
    Add {
        /// What the user signs in with.
        name: String,
        /// reader, editor (feedback, sources, topics, runs) or admin (accounts, corrections of what was spent).
        #[arg(long, default_value = "reader", value_parser = role)]
        role: Role,
    },
    /// List accounts.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove an account and end its sessions.
    Remove {
        /// The account, as `user list` shows it.
        name: String,
    },
    /// Make a token with which a feed reader reads the user's feeds where signing in is required. It replaces the one
    /// before, and is shown once.
    FeedToken {
        /// The account whose feeds are read.
        #[arg(default_value = "owner")]
        name: String,
        /// Revoke the token instead: a feed reader that has it reads no more.
        #[arg(long)]
        revoke: bool,
    },
    /// Set an account's password, the first line of standard input, and end its sessions. For `owner` it creates the
    /// account if there is none.
    Password {
        /// The account, as `user list` shows it, or `owner`.
        name: String,
    },
}

fn role(text: &str) -> Result<Role, String> {
    text.parse().map_err(|()| "it is reader, editor or admin".to_owned())
}
