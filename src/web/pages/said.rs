//! What a reader said of stories, as the buttons beside them show it.

use std::collections::{BTreeSet, HashMap};

use aha_core::digest::Digest;
use aha_core::feedback::FeedbackKind;
use aha_core::ids::ItemId;

use crate::app::App;
use crate::services::ServiceError;
use crate::services::feedback::{self, FeedbackUser};

/// The buttons in their order: kind, name, and the key that presses it.
pub(super) const BUTTONS: [(FeedbackKind, &str, &str); 5] = [
    (FeedbackKind::Like, "Like", "l"),
    (FeedbackKind::Dislike, "Dislike", "d"),
    (FeedbackKind::Save, "Save", "s"),
    (FeedbackKind::Skip, "Skip", "x"),
    (FeedbackKind::Read, "Read", "r"),
];

/// By a story's id: what was said.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    by_story: HashMap<String, BTreeSet<FeedbackKind>>,
}

/// A button beside a story.
#[derive(Debug, Clone)]
pub(super) struct Button {
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    /// It was said; pressing it takes that back.
    pub(super) pressed: bool,
}

impl Said {
    pub(super) async fn of(app: &App, user: FeedbackUser, digest: &Digest) -> Result<Self, ServiceError> {
        let mut by_item: HashMap<ItemId, BTreeSet<FeedbackKind>> = HashMap::new();
        let sources = digest.stories.iter().flat_map(|story| &story.sources);
        let items: Vec<ItemId> = sources.map(|source| source.item_id).collect();
        for (item, kind) in feedback::on_items(app, user, &digest.digest.topic, &items).await? {
            by_item.entry(item).or_default().insert(kind);
        }
        let of_story = |items: &mut dyn Iterator<Item = ItemId>| {
            items.filter_map(|item| by_item.get(&item)).flatten().copied().collect::<BTreeSet<_>>()
        };
        let said = digest
            .stories
            .iter()
            .map(|story| (story.id.to_string(), of_story(&mut story.sources.iter().map(|source| source.item_id))));
        Ok(Self { by_story: said.collect() })
    }

    /// The buttons of a story.
    pub(super) fn buttons(&self, story: &str) -> Vec<Button> {
        buttons(|kind| self.was(story, kind))
    }

    pub(super) fn is_read(&self, story: &str) -> bool {
        self.was(story, FeedbackKind::Read)
    }

    fn was(&self, story: &str, kind: FeedbackKind) -> bool {
        self.by_story.get(story).is_some_and(|kinds| kinds.contains(&kind))
    }
}

pub(super) fn buttons(was_said: impl Fn(FeedbackKind) -> bool) -> Vec<Button> {
    let button =
        |(kind, name, key): (FeedbackKind, _, _)| Button { kind: kind.as_str(), name, key, pressed: was_said(kind) };
    BUTTONS.into_iter().map(button).collect()
}
