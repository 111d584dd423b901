//! Writes the files of the digest after its commit. They can be written again from the rows at any time.

use std::path::PathBuf;

use aha_core::digest::Digest;

use super::{RunContext, RunError};
use crate::digest::write_files;

/// Returns the files that were written.
#[expect(clippy::unused_async, reason = "as every stage")]
pub(super) async fn run(context: &RunContext, digest: &Digest) -> Result<Vec<PathBuf>, RunError> {
    let config = context.app.config();
    Ok(write_files(&config.output_dir, digest, config.web.site())?)
}
