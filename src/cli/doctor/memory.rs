//! What `doctor` says of the memory that putting stories together takes.

use anyhow::Result;

use crate::domain::time::Timestamp;
use crate::domain::topic::Topic;
use crate::domain::window::Window;
use crate::pipeline::cluster::stored_documents;
use crate::store::SharedStore;
use crate::stories::cluster::FREQUENCY_DAYS;
use crate::stories::memory::SearchMemory;

use super::Findings;

/// More than this may be too much for a small machine.
const LARGE_MIB: usize = 1_024;

pub(super) async fn search(store: &SharedStore, topic: &Topic, now: Timestamp, findings: &mut Findings) -> Result<()> {
    let window = Window { start: now.days_before(FREQUENCY_DAYS), end: now };
    let documents = stored_documents(store, topic.id, window).await?;
    let memory = tokio::task::spawn_blocking(move || SearchMemory::of(&documents)).await?;
    let SearchMemory { items, open_items, .. } = memory;
    let mib = memory.bytes().div_ceil(1024 * 1024);
    let name = &topic.name;
    let text = format!(
        "topic {name:?} has {items} items of the last {FREQUENCY_DAYS} days, {open_items} of them in the search index: about {mib} MiB in a run"
    );
    if mib > LARGE_MIB {
        findings.note("memory", format!("{text}; fewer sources or a second topic take less"));
    } else {
        findings.ok("memory", text);
    }
    Ok(())
}
