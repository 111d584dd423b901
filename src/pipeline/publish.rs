//! Writes the files of the digest after its commit. They can be written again from the rows at any time.

use std::path::PathBuf;

use aha_core::digest::Digest;

use super::{RunContext, RunError};
use crate::digest::write_files;

/// Returns the files that were written.
pub(super) async fn run(context: &RunContext, digest: &Digest) -> Result<Vec<PathBuf>, RunError> {
    let (app, written) = (context.app.clone(), digest.clone());
    let write = move || write_files(&app.config().output_dir, &written, app.config().web.site());
    let files = tokio::task::spawn_blocking(write).await?;
    files.map_err(|error| RunError::Output { error, digest: Box::new(digest.clone()) })
}
