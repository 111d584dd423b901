//! Topics: what the user wants to be told about, when, and what to mute.

use aha_core::topic::Topic;

use super::Result;
use crate::app::App;
use crate::pipeline::RunError;

/// The topic of that name.
///
/// # Errors
/// When there is none.
pub async fn find(app: &App, name: &str) -> Result<Topic> {
    let found = app.store().topic(name).await?;
    Ok(found.ok_or_else(|| RunError::NoTopic { name: name.to_owned() })?)
}
