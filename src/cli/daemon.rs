//! `aha-radar daemon`.

use anyhow::Result;

use crate::app::App;

use super::exit::Exit;

pub(super) async fn run(app: App) -> Result<Exit> {
    crate::daemon::run(app).await?;
    Ok(Exit::Ok)
}
