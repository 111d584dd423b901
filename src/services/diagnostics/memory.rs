//! Findings about the memory that clustering needs.

use aha_analysis::stories::cluster::FREQUENCY_DAYS;
use aha_analysis::stories::memory::SearchMemory;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_core::window::Window;
use aha_store::SharedStore;

use super::super::Result;
use super::Findings;
use crate::pipeline::RunError;
use crate::pipeline::cluster::stored_cluster_items;

/// More than this may be too much for a small machine.
const LARGE_MIB: usize = 1_024;

pub(super) async fn search(store: &SharedStore, topic: &Topic, now: Timestamp, findings: &mut Findings) -> Result<()> {
    let window = Window { start: now.days_before(FREQUENCY_DAYS), end: now };
    let cluster_items = stored_cluster_items(store, topic.id, window).await?;
    let measuring = tokio::task::spawn_blocking(move || SearchMemory::of(&cluster_items));
    let memory = measuring.await.map_err(RunError::from)?;
    let SearchMemory { items, open_items, .. } = memory;
    let mib = memory.bytes().div_ceil(1024 * 1024);
    let name = &topic.name;
    let text = format!(
        "topic {name:?} has {items} items of the last {FREQUENCY_DAYS} days, new ones are compared with {open_items} of them: about {mib} MiB in a run"
    );
    if mib > LARGE_MIB {
        findings.note("memory", format!("{text}; fewer sources or a second topic take less"));
    } else {
        findings.ok("memory", text);
    }
    Ok(())
}
