//! An item, prepared for clustering.

use std::sync::Arc;

use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::time::Timestamp;

use crate::text::dense::DenseVector;
use crate::text::features::Features;

/// Days for which a story accepts new items after each of its members.
pub const OPEN_DAYS: i64 = 30;

/// An item prepared for clustering.
#[derive(Debug, Clone)]
pub struct ClusterItem {
    pub id: ItemId,
    pub source: SourceId,
    pub time: Timestamp,
    pub cluster: Option<ClusterId>,
    /// Whether that story was shown in a digest.
    pub delivered: bool,
    /// Whether it was found to be a copy.
    pub copy: bool,
    pub features: Arc<Features>,
    /// In the run's dense space, if the item has a vector.
    pub dense: Option<Arc<DenseVector>>,
}
