//! Documents: adds a folder as a source, and reads it.

use aha_core::source::{NewSource, Source, SourceKind};

use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::pipeline::documents::{Refreshed, refresh};

/// Adds folders or files, by their `file:` URLs, to a topic, which is created if it does not exist, and reads them.
/// Only for the command line: it reads all that the process may read.
///
/// # Errors
/// When the store fails. A folder that cannot be read is added all the same, and returned with its error.
pub async fn add(app: &App, topic: &str, new: &[NewSource]) -> Result<Vec<(Source, Result<Refreshed>)>> {
    let now = app.clock().now();
    let topic = topics::ensure(app, topic).await?;
    app.store().add_sources(topic.id, new, now).await?;
    let mut read = Vec::new();
    for source in app.store().sources(topic.id).await? {
        if source.kind == SourceKind::Documents && new.iter().any(|new| new.url == source.url) {
            let refreshed = refresh(app, None, &source).await.map_err(ServiceError::from);
            read.push((source, refreshed));
        }
    }
    Ok(read)
}
