//! `aha-radar digest`: shows a stored digest in any format.

use anyhow::Result;

use super::arguments::DigestArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::digest::terminal::Footer;
use crate::digest::{Format, render, terminal};
use crate::services::digests::{self, LATEST};

pub(super) async fn run(app: &App, arguments: DigestArguments) -> Result<Exit> {
    let format = match arguments.format.as_deref() {
        Some(name) => Some(name.parse::<Format>().map_err(|error| UsageError(error.to_string()))?),
        None => arguments.json.then_some(Format::Json),
    };
    let digest = digests::find(app, &arguments.which, &arguments.topic).await?;
    let footer = Footer { html: None, is_latest: arguments.which == LATEST };
    match format {
        Some(format) => output::print(&render(&digest, format, app.config().web.site())?)?,
        None => output::print(&terminal::render(&digest, output::width(), output::colour_on_stdout(), footer))?,
    }
    Ok(Exit::Ok)
}
