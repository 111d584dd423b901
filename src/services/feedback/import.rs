//! Imports feedback from elsewhere: lines of an export, or marks of a feed reader.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aha_analysis::preferences::terms_of;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{ItemId, SourceId, TopicId};
use aha_core::item::Item;
use aha_core::time::Timestamp;
use aha_store::FeedbackWrite;
use serde::{Deserialize, Serialize};

use super::{FeedbackUser, Result, topics, write};
use crate::app::App;

/// Items looked up in one query.
const ITEMS_PER_QUERY: usize = 200;

/// A line of an import. What it lacks is looked up.
#[derive(Debug, Clone, Deserialize)]
pub struct FeedbackLine {
    item_id: ItemId,
    kind: FeedbackKind,
    given_at: Timestamp,
    title: Option<String>,
    source: Option<String>,
    author: Option<String>,
    terms: Option<Vec<String>>,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FeedbackImport {
    pub added: usize,
    /// Feedback that exists already, or whose opposite does or was given later.
    pub known: usize,
    pub left_out: Vec<LeftOut>,
}

/// A line about an item that is not stored, without the values that would be stored with the feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its number among the lines, from 1.
    pub line: usize,
    pub item_id: ItemId,
}

/// Adds lines to a topic's feedback; existing feedback stays unchanged.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn import(app: &App, user: FeedbackUser, topic: &str, lines: Vec<FeedbackLine>) -> Result<FeedbackImport> {
    let topic = topics::find(app, topic).await?.id;
    let items = stored_items(app, topic, &lines).await?;
    let (mut events, mut left_out): (Vec<FeedbackEvent>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    for (place, line) in lines.into_iter().enumerate() {
        let item_id = line.item_id;
        match completed(line, items.get(&item_id)) {
            Some(event) => events.push(event),
            None => left_out.push(LeftOut { line: place + 1, item_id }),
        }
    }
    let added = merge(app, user, topic, &events).await?;
    Ok(FeedbackImport { added, known: events.len() - added, left_out })
}

/// Adds feedback from elsewhere and returns how much of it is new.
///
/// # Errors
/// When the store fails.
pub async fn merge(app: &App, user: FeedbackUser, topic: TopicId, events: &[FeedbackEvent]) -> Result<usize> {
    let given = app.store().feedback(user.id(), topic, i64::MAX).await?;
    let given: BTreeSet<_> = given.into_iter().map(|event| (event.item_id, event.kind)).collect();
    // Local feedback takes precedence whichever is the later, as another reader changes its times for its own reasons.
    let is_opposed =
        |event: &FeedbackEvent| event.kind.opposite().is_some_and(|kind| given.contains(&(event.item_id, kind)));
    let last: BTreeMap<_, _> = events.iter().map(|event| ((event.item_id, event.kind), event.given_at)).collect();
    let is_replaced = |event: &FeedbackEvent| {
        let opposite = event.kind.opposite().and_then(|kind| Some((*last.get(&(event.item_id, kind))?, kind)));
        opposite.is_some_and(|opposite| opposite > (event.given_at, event.kind))
    };
    let unopposed = events.iter().filter(|event| !is_opposed(event) && !is_replaced(event)).cloned().collect();
    write(app, user, topic, FeedbackWrite::Give(unopposed)).await
}

/// Returns the items of those incomplete lines, each with its source's name.
async fn stored_items(app: &App, topic: TopicId, lines: &[FeedbackLine]) -> Result<HashMap<ItemId, (Item, String)>> {
    let needed: Vec<ItemId> =
        lines.iter().filter(|line| line.title.is_none() || line.terms.is_none()).map(|line| line.item_id).collect();
    let sources = app.store().sources(topic).await?;
    let names: HashMap<SourceId, String> = sources.iter().map(|source| (source.id, source.display_name())).collect();
    let mut found = HashMap::new();
    for part in needed.chunks(ITEMS_PER_QUERY) {
        for (item, _) in app.store().load_items(topic, part).await? {
            let name = names.get(&item.source_id).cloned().unwrap_or_default();
            found.insert(item.id, (item, name));
        }
    }
    Ok(found)
}

/// Completes a line; `None` if neither the line nor the database has the item's values.
fn completed(line: FeedbackLine, stored: Option<&(Item, String)>) -> Option<FeedbackEvent> {
    let FeedbackLine { item_id, kind, given_at, .. } = line;
    if let (Some(title), Some(terms)) = (&line.title, &line.terms) {
        let (title, terms, source) = (title.clone(), terms.clone(), line.source.unwrap_or_default());
        return Some(FeedbackEvent { item_id, kind, title, source, author: line.author, terms, given_at });
    }
    let (item, name) = stored?;
    let title = line.title.unwrap_or_else(|| item.display_title());
    let terms = line.terms.unwrap_or_else(|| terms_of(&title, &item.body_text));
    let source = line.source.unwrap_or_else(|| name.clone());
    let author = line.author.or_else(|| item.author.clone());
    Some(FeedbackEvent { item_id, kind, title, source, author, terms, given_at })
}
