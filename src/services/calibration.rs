//! Clustering thresholds that were tuned on labelled stories, stored in the database for later runs.

use aha_core::thresholds::Thresholds;
pub use aha_store::TunedThresholds;
use aha_store::{OpenMode, SharedStore};

use super::Result;
use crate::config::Config;
use crate::pipeline::cluster;

/// The database with thresholds, if there is one.
#[derive(Debug)]
pub struct ThresholdStore(Option<SharedStore>);

impl ThresholdStore {
    /// Opens the database. A missing one is created only if thresholds are `to_be_kept`.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn open(config: &Config, to_be_kept: bool) -> Result<Self> {
        let url = config.database_url.as_str();
        if !to_be_kept && aha_store::schema_version(url).await?.applied == 0 {
            return Ok(Self(None));
        }
        let mode = if to_be_kept { OpenMode::CreateIfMissing } else { OpenMode::MustExist };
        Ok(Self(Some(aha_store::open(url, mode).await?)))
    }

    /// Returns the thresholds that were tuned before: for lexical similarity only, or with the vectors of a model.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn load(&self, dense: Option<&str>) -> Result<Option<Thresholds>> {
        match &self.0 {
            Some(store) => Ok(cluster::tuned_thresholds(store, dense).await?),
            None => Ok(None),
        }
    }

    /// Stores thresholds and replaces those tuned before.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn save(&self, space: &str, found: &TunedThresholds) -> Result<()> {
        match &self.0 {
            Some(store) => Ok(store.store_thresholds(space, found).await?),
            None => Ok(()),
        }
    }
}
