//! An item as clustering knows it.

use std::sync::Arc;

use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::time::Timestamp;

use super::dense::DenseVector;
use super::features::Features;

/// A story is open to new items for this long after one of its members.
pub const OPEN_DAYS: i64 = 30;

/// An item as it is clustered.
#[derive(Debug, Clone)]
pub struct Document {
    pub id: ItemId,
    pub source: SourceId,
    pub time: Timestamp,
    pub cluster: Option<ClusterId>,
    /// Whether that story was shown in a digest.
    pub delivered: bool,
    /// Whether it was found to be a copy of another one.
    pub copy: bool,
    pub features: Arc<Features>,
    /// Of the run's dense space, where the item has one.
    pub dense: Option<Arc<DenseVector>>,
}
