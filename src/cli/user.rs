//! `aha-radar user`: manages accounts for the web.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::{Context as _, Result};

use super::arguments::UserCommand;
use super::exit::{Exit, UsageError};
use super::listing::Listing;
use super::output;
use crate::app::App;
use crate::services::{accounts, feed_tokens};

pub(super) async fn run(app: &App, command: UserCommand) -> Result<Exit> {
    match command {
        UserCommand::Add { name, role } => {
            let account = accounts::add(app, &name, role, password()?).await?;
            output::print(&format!("{}: added, {}", account.name, account.role.as_str()))?;
        }
        UserCommand::List { json } => list(app, json).await?,
        UserCommand::Remove { name } => {
            accounts::remove(app, &name).await?;
            output::print(&output::one_safe_text(&format!("{name}: removed")))?;
        }
        UserCommand::FeedToken { name, revoke } => feed_token(app, &name, revoke).await?,
        UserCommand::Password { name } => {
            accounts::set_password(app, &name, password()?).await?;
            output::print(&output::one_safe_text(&format!("{name}: password set; its sessions have ended")))?;
        }
    }
    Ok(Exit::Ok)
}

async fn list(app: &App, json: bool) -> Result<()> {
    let accounts = accounts::list(app).await?;
    if json {
        return output::print_json(&accounts);
    }
    if accounts.is_empty() {
        output::note("there are no accounts yet; make the owner's with `aha-radar user password owner`");
        return Ok(());
    }
    let mut table = Listing::new(&["name", "role", "since"], &[]);
    for account in accounts {
        table.add_row([account.name, account.role.as_str().to_owned(), account.created_at.to_string()]);
    }
    output::print(&table.to_string())
}

async fn feed_token(app: &App, name: &str, revoke: bool) -> Result<()> {
    let is_known = name == accounts::OWNER || accounts::list(app).await?.iter().any(|account| account.name == name);
    if !is_known {
        return Err(accounts::AccountError::Unknown(name.to_owned()).into());
    }
    if revoke {
        let outcome = if feed_tokens::revoke(app, name).await? { "revoked" } else { "there was none" };
        return output::print(&output::one_safe_text(&format!("{name}: token for feeds: {outcome}")));
    }
    let token = feed_tokens::create(app, name).await?;
    output::note("shown this once; give it to a feed reader as /feeds/TOPIC/stories.rss?token=TOKEN");
    output::print(&token)
}

/// Reads the first line of standard input: a password must not be an argument, as other users can list those.
fn password() -> Result<String> {
    let mut input = std::io::stdin().lock();
    if std::io::stdin().is_terminal() {
        output::note("the password (it is shown as you type; pipe it in to keep it off the screen):");
    }
    let mut line = String::new();
    input.read_line(&mut line).context("the password could not be read from standard input")?;
    let password = line.trim_end_matches(['\n', '\r']).to_owned();
    if password.is_empty() {
        let expected = "give the password on standard input, for example: printf '%s' \"$PASSWORD\" | aha-radar user password owner";
        return Err(UsageError(expected.to_owned()).into());
    }
    Ok(password)
}
