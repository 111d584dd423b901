//! `aha-radar daemon`.

use anyhow::Result;

use crate::app::App;
use crate::config::Config;

use super::exit::Exit;

pub(super) async fn run(config: Config) -> Result<Exit> {
    if let Some(store) = crate::daemon::open(&config).await? {
        crate::daemon::run(App::new(config, store)?).await?;
    }
    Ok(Exit::Ok)
}
