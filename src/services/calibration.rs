//! Measures clustering on labelled stories, tunes its thresholds on them, and stores those for later runs.

use aha_analysis::stories::agreement::Agreement;
use aha_analysis::stories::calibration::{Tuned, tune};
use aha_analysis::stories::cluster::{ClusterItem, Clustering};
use aha_analysis::stories::lookup::Limits;
use aha_core::ids::{ClusterId, TopicId};
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
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

/// How well clustering agrees with labelled stories.
#[derive(Debug)]
pub struct Measured {
    /// The vector space in which documents were compared.
    pub space: String,
    pub thresholds: Thresholds,
    /// The result of tuning, if requested.
    pub tuned: Option<Tuned>,
    pub agreement: Agreement,
}

/// Clusters labelled documents and compares the clusters with the labels, `stories[n]` being that of `documents[n]`.
/// The thresholds are those that tuning finds if `is_tuned`, otherwise the `known` ones, otherwise the shipped ones.
/// Also returns the cluster of each document. To be called off the runtime.
#[must_use]
pub fn measure(
    documents: &[ClusterItem],
    stories: &[String],
    space: String,
    known: Option<Thresholds>,
    is_tuned: bool,
) -> (Measured, Vec<Option<ClusterId>>) {
    let clustering = Clustering::of(documents, Limits::DEFAULT);
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    let shipped = Thresholds::shipped(&space);
    let tuned = is_tuned.then(|| tune(&clustering, &stories, shipped));
    let thresholds = tuned.map(|tuned| tuned.found).or(known).unwrap_or(shipped);
    let assignments = clustering.place(TopicId::of(&["calibrate"]), thresholds).assignments;
    let both: Vec<(&str, Option<ClusterId>)> = stories.into_iter().zip(assignments.iter().copied()).collect();
    let agreement = Agreement::of(&both);
    (Measured { space, thresholds, tuned, agreement }, assignments)
}

impl Measured {
    /// Returns where the measured thresholds come from. Tuning may have found the shipped ones to be best.
    #[must_use]
    pub fn origin(&self, known: Option<Thresholds>) -> &'static str {
        if self.thresholds == Thresholds::shipped(&self.space) {
            "shipped"
        } else if self.tuned.is_some() {
            "found on this input"
        } else if known.is_some() {
            "found by an earlier --tune"
        } else {
            "shipped"
        }
    }

    /// Returns the similarity required of a pair among so many documents.
    #[must_use]
    pub fn pair_among_documents(&self) -> f64 {
        self.thresholds.pair_among(self.agreement.documents)
    }

    /// Returns the thresholds in the form in which they are stored.
    #[must_use]
    pub fn tuned_thresholds(&self, found_at: Timestamp) -> TunedThresholds {
        TunedThresholds {
            thresholds: self.thresholds,
            documents: i64::try_from(self.agreement.documents).unwrap_or(i64::MAX),
            bcubed_f1: self.agreement.bcubed.f1,
            found_at,
        }
    }
}
