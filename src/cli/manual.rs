//! `aha-radar completions` and `aha-radar man`: generated from the definition that parses the command line. They need
//! neither settings nor database.

use std::path::Path;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;

use super::arguments::Cli;
use super::exit::Exit;
use super::output;

const NAME: &str = "aha-radar";

/// Prints the completions for a shell.
pub(super) fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Exit::Ok)
}

/// Prints the manual page, or writes one per command into a folder.
pub(super) fn pages(folder: Option<&Path>) -> Result<Exit> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        output::print(&String::from_utf8(page)?)?;
        return Ok(Exit::Ok);
    };
    let unwritable = || format!("the manual cannot be written into {}", folder.display());
    std::fs::create_dir_all(folder).with_context(unwritable)?;
    clap_mangen::generate_to(Cli::command(), folder).with_context(unwritable)?;
    output::print(&format!("the manual's pages are in {}", folder.display()))?;
    Ok(Exit::Ok)
}
