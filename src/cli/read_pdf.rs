//! `aha-radar read-pdf`, hidden: what the program starts for each PDF among the documents. It needs neither settings nor
//! database, and logs nothing.

use anyhow::Result;

use super::exit::Exit;
use crate::sources::pdf_process::child;

pub(super) fn run() -> Result<Exit> {
    child::run()?;
    Ok(Exit::Ok)
}
