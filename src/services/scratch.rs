//! A temporary copy of the database, for an estimate, a replay or a preview.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use aha_core::database_url::DatabaseUrl;
use aha_store::OpenMode;
use aha_store::copy::{CopyError, CopyRequest, copy};

use super::turns::Turns;
use super::{Result, ServiceError};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::RunError;

/// Maximum number of estimates at the same time, and of replays and previews, as each copies the whole database.
const MAX_RUNNING: usize = 2;
/// Maximum number of each that wait.
const MAX_WAITING: usize = 8;

/// Estimates have turns of their own, as they fetch the sources, which may take minutes.
pub(super) static ESTIMATES: Turns = Turns::new("estimates", MAX_RUNNING, MAX_WAITING);
pub(super) static REPLAYS: Turns = Turns::new("replays and previews", MAX_RUNNING, MAX_WAITING);

/// Runs work on a copy when it is its turn, and ends it when the process is asked to stop: it pays for nothing and
/// changes nothing.
///
/// # Errors
/// When too many wait already, or the process is asked to stop; else those of the work.
pub(super) async fn in_turn<T, F>(
    app: &App,
    turns: &'static Turns,
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>>,
{
    let stopping = app.stopping().clone();
    let ended_by_stop = move || async move {
        tokio::select! {
            // The work is not polled again after the stop, since the runtime may end meanwhile.
            biased;
            () = stopping.cancelled() => Err(RunError::Interrupted.into()),
            done = work() => done,
        }
    };
    turns.run(app, ended_by_stop).await
}

/// The temporary folder, which is removed when the value is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a folder that no other user may read.
    ///
    /// # Errors
    /// When it cannot be created.
    #[expect(clippy::disallowed_methods, reason = "two processes must not use the same folder")]
    pub fn new() -> Result<Self> {
        let name = format!("aha-radar-dry-run-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let folder = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&folder).map_err(|source| ServiceError::Files {
            message: format!("no folder {} for a copy of the database can be made; set TMPDIR", folder.display()),
            source,
        })?;
        Ok(Self(folder))
    }

    /// Opens an app with the same settings on a copy of the database, with an output folder of its own and without any
    /// model.
    ///
    /// # Errors
    /// When the database is of an older schema or cannot be copied.
    pub async fn app(&self, config: Config) -> Result<App> {
        self.fill(&config).await?;
        self.open(config).await
    }

    /// Copies the installation's rows into it.
    ///
    /// # Errors
    /// When the database is of an older schema or cannot be copied.
    pub async fn fill(&self, config: &Config) -> Result<()> {
        let url = self.url();
        let from = config.database_url.as_str();
        let schema = aha_store::schema_version(from).await?;
        if schema.applied > 0 {
            if !schema.pending.is_empty() {
                let message =
                    "this command changes nothing, and the database is to be migrated first: `aha-radar migrate`";
                return Err(ServiceError::Conflict { message: message.to_owned() });
            }
            // A run in progress does not affect this snapshot, as no process holds a topic in it.
            let request =
                CopyRequest { from, to: &url, wall: config.clock.wall(), is_dead: |_| true, progress: &|_, _, _| {} };
            copy(&request).await.map_err(|error| match error {
                CopyError::Target(error) => ServiceError::Files {
                    message: format!("no copy of the database can be made in {}; set TMPDIR", self.0.display()),
                    source: std::io::Error::other(error),
                },
                other => other.into(),
            })?;
        }
        Ok(())
    }

    /// Copies the rows of another scratch copy, before that is opened: copying a file is faster than copying rows.
    ///
    /// # Errors
    /// When the file cannot be copied.
    pub async fn fill_from(&self, other: &Self) -> Result<()> {
        if !other.file().exists() {
            return Ok(());
        }
        let copied = tokio::fs::copy(other.file(), self.file()).await;
        copied.map(drop).map_err(|source| ServiceError::Files {
            message: format!("no second copy of the database can be made in {}; set TMPDIR", self.0.display()),
            source,
        })
    }

    /// Opens an app on the copied database.
    ///
    /// # Errors
    /// When the copy cannot be opened.
    pub async fn open(&self, config: Config) -> Result<App> {
        let url = self.url();
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await?;
        let config = Config { database_url: DatabaseUrl::new(url), output_dir: self.0.join("digests"), ..config };
        Ok(App::dry_run(config, store)?)
    }

    fn file(&self) -> PathBuf {
        self.0.join("copy.db")
    }

    fn url(&self) -> String {
        format!("sqlite://{}", self.file().display())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "the copy's folder could not be removed");
        }
    }
}
