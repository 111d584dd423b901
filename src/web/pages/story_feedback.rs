//! The reader's feedback on stories, as the buttons next to them show it.

use std::collections::{BTreeSet, HashMap};

use aha_core::digest::Digest;
use aha_core::feedback::FeedbackKind;
use aha_core::ids::ItemId;

use crate::app::App;
use crate::services::ServiceError;
use crate::services::feedback::{self, FeedbackUser};

/// The buttons in their order: kind, name, keyboard key, and what it does.
pub(super) const BUTTONS: [(FeedbackKind, &str, &str, &str); 5] = [
    (FeedbackKind::Like, "Like", "l", "Like: more of such stories from the next digest on"),
    (FeedbackKind::Dislike, "Dislike", "d", "Dislike: fewer of such stories from the next digest on"),
    (FeedbackKind::Save, "Save", "s", "Save: keep it on the page Saved, and more of such stories"),
    (FeedbackKind::Skip, "Skip", "x", "Skip: not worth reading; somewhat fewer of such stories"),
    (FeedbackKind::Read, "Read", "r", "Read: show it as read; counts very little"),
];

/// The reader's feedback, by the story's id.
#[derive(Debug, Clone, Default)]
pub(super) struct StoryFeedback {
    by_story: HashMap<String, BTreeSet<FeedbackKind>>,
}

/// A button next to a story.
#[derive(Debug, Clone)]
pub(super) struct Button {
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    /// What it does.
    pub(super) title: &'static str,
    /// Whether this feedback was given; the button then removes it.
    pub(super) pressed: bool,
}

impl StoryFeedback {
    pub(super) async fn of(app: &App, user: FeedbackUser, digest: &Digest) -> Result<Self, ServiceError> {
        let mut by_item: HashMap<ItemId, BTreeSet<FeedbackKind>> = HashMap::new();
        let sources = digest.stories.iter().flat_map(|story| &story.sources);
        let items: Vec<ItemId> = sources.map(|source| source.item_id).collect();
        for (item, kind) in feedback::on_items(app, user, &digest.head.topic, &items).await? {
            by_item.entry(item).or_default().insert(kind);
        }
        let of_story = |items: &mut dyn Iterator<Item = ItemId>| {
            items.filter_map(|item| by_item.get(&item)).flatten().copied().collect::<BTreeSet<_>>()
        };
        let kinds_by_story = digest
            .stories
            .iter()
            .map(|story| (story.id.to_string(), of_story(&mut story.sources.iter().map(|source| source.item_id))));
        Ok(Self { by_story: kinds_by_story.collect() })
    }

    /// Returns the buttons of a story.
    pub(super) fn buttons(&self, story: &str) -> Vec<Button> {
        buttons(|kind| self.has(story, kind))
    }

    pub(super) fn is_read(&self, story: &str) -> bool {
        self.has(story, FeedbackKind::Read)
    }

    fn has(&self, story: &str, kind: FeedbackKind) -> bool {
        self.by_story.get(story).is_some_and(|kinds| kinds.contains(&kind))
    }
}

pub(super) fn buttons(is_given: impl Fn(FeedbackKind) -> bool) -> Vec<Button> {
    let button = |(kind, name, key, title): (FeedbackKind, _, _, _)| Button {
        kind: kind.as_str(),
        name,
        key,
        title,
        pressed: is_given(kind),
    };
    BUTTONS.into_iter().map(button).collect()
}
