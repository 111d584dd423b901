//! `aha-radar review`: reads a digest by keys.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io::IsTerminal as _;
use std::process::{Command, Stdio};

use aha_core::digest::{Digest, DigestStory, Label, Section};
use aha_core::feedback::FeedbackKind;
use aha_core::ids::ItemId;
use aha_review::{Actions, Review, Story};
use anyhow::Result;
use tokio::runtime::Handle;

use super::arguments::ReviewArguments;
use super::exit::{Exit, UsageError};
use super::{item, output};
use crate::app::App;
use crate::digest::format::Calendar;
use crate::digest::view::printed_score;
use crate::services::feedback::{self, FeedbackUser};
use crate::services::stories::FoundStory;
use crate::services::{ServiceError, digests};

/// The program that opens an address in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) async fn run(app: &App, arguments: ReviewArguments) -> Result<Exit> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        let wanted =
            "review needs a terminal; `aha-radar digest` prints the digest, `aha-radar feedback` says what you think";
        return Err(UsageError(wanted.to_owned()).into());
    }
    let digest = digests::find(app, &arguments.which, &arguments.topic).await?;
    let said = said(app, &digest.head.topic).await?;
    let stories = digest.stories.iter().map(|story| in_words(story, &said)).collect();
    let heading = format!(
        "{}, {}",
        digest.head.topic,
        Calendar::of(&digest.head).days(digest.head.window_start, digest.head.window_end)
    );
    let review = Review::new(output::one_safe_text(&heading), stories);
    let keys = Keys { app, digest: &digest, runtime: Handle::current() };
    tokio::task::block_in_place(|| aha_review::run(review, &keys))?;
    Ok(Exit::Ok)
}

/// Returns the user's feedback on each item.
async fn said(app: &App, topic: &str) -> Result<BTreeMap<ItemId, BTreeSet<FeedbackKind>>> {
    let mut said: BTreeMap<ItemId, BTreeSet<FeedbackKind>> = BTreeMap::new();
    for event in feedback::export(app, FeedbackUser::owner(), topic).await? {
        said.entry(event.item_id).or_default().insert(event.kind);
    }
    Ok(said)
}

fn in_words(story: &DigestStory, said: &BTreeMap<ItemId, BTreeSet<FeedbackKind>>) -> Story {
    let mut seen = BTreeSet::new();
    let names = story.sources.iter().map(|source| source.name.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let label = story.label.map(|label| format!(" · {}", Label::in_words(label))).unwrap_or_default();
    let of_items = story.sources.iter().filter_map(|source| said.get(&source.item_id)).flatten();
    Story {
        rank: story.rank,
        is_top: story.section == Section::Top,
        title: one_line(&story.title),
        url: story.url.as_deref().map(one_line),
        score: printed_score(story),
        told_by: one_line(&format!("told by {}{label}", names.join(", "))),
        text: paragraphs(story).iter().map(|text| one_line(text)).collect(),
        said: of_items.copied().collect(),
    }
}

/// Returns the summary, or without one the beginning of the text; and the reason for the score.
fn paragraphs(story: &DigestStory) -> Vec<String> {
    let summary = story.kept_summary.as_ref().or(story.summary.as_ref());
    let mut texts = match summary {
        Some(summary) => {
            let points = summary.bullets.iter().map(|point| format!("• {point}"));
            [summary.one_liner.clone()].into_iter().chain(points).collect()
        }
        None => vec![story.excerpt.clone()],
    };
    texts.push(format!("Why: {}", story.reason));
    texts.retain(|text| !text.trim().is_empty());
    texts
}

fn one_line(text: &str) -> String {
    output::one_safe_text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the keys do.
struct Keys<'a> {
    app: &'a App,
    digest: &'a Digest,
    runtime: Handle,
}

impl Keys<'_> {
    fn story(&self, index: usize) -> Result<FoundStory, String> {
        let story = self.digest.stories.get(index).cloned();
        let digest = self.digest.head.clone();
        story.map(|story| FoundStory { digest, story }).ok_or_else(|| "there is no such story".to_owned())
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, ServiceError>>) -> Result<T, String> {
        self.runtime.block_on(work).map_err(|error| one_line(&error.to_string()))
    }
}

impl Actions for Keys<'_> {
    fn change(&self, story: usize, take_back: &[FeedbackKind], give: &[FeedbackKind]) -> Result<(), String> {
        let (found, owner) = (self.story(story)?, FeedbackUser::owner());
        for kind in take_back {
            self.wait(feedback::undo(self.app, owner, &found, *kind))?;
        }
        for kind in give {
            self.wait(feedback::give(self.app, owner, &found, *kind))?;
        }
        Ok(())
    }

    fn open(&self, story: usize) -> Result<String, String> {
        let url = self.story(story)?.story.url.filter(|url| url.starts_with("https://") || url.starts_with("http://"));
        let url = url.ok_or_else(|| "this story has no address of the web".to_owned())?;
        let mut command = Command::new(OPENER);
        command.arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(_) => Ok(format!("Opened {}", one_line(&url))),
            Err(error) => Err(format!("{OPENER} cannot be started ({error}); the address is shown above")),
        }
    }

    fn why(&self, story: usize) -> Result<Vec<String>, String> {
        let lines = item::in_words(&self.story(story)?.story);
        Ok(output::one_safe_text(&lines).lines().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use aha_core::digest::{ScoreDebug, StoryCost, StorySource};
    use aha_core::ids::{ClusterId, DigestItemId};
    use aha_core::time::Timestamp;

    use super::*;

    fn source(name: &str) -> StorySource {
        StorySource {
            item_id: ItemId::of(&[name]),
            name: name.to_owned(),
            url: None,
            title: String::new(),
            published_at: Timestamp::from_millis(0),
            dated: true,
            copy: false,
            late: false,
            also_from: Vec::new(),
        }
    }

    fn story(sources: &[&str]) -> DigestStory {
        DigestStory {
            id: DigestItemId::of(&["1"]),
            rank: 1,
            section: Section::Top,
            label: None,
            title: "Ferries are late".to_owned(),
            url: None,
            aha_score: Some(61),
            final_score: 74.9,
            percentile: 90,
            reason: String::new(),
            since: None,
            published_at: Timestamp::from_millis(0),
            read_before: None,
            author: None,
            teaser: false,
            excerpt: String::new(),
            triage: None,
            summary: None,
            kept_summary: None,
            entities: None,
            sources: sources.iter().map(|name| source(name)).collect(),
            discussions: Vec::new(),
            cluster_id: ClusterId::of(&["1"]),
            state: "judged".to_owned(),
            cost: StoryCost::default(),
            score_debug: ScoreDebug::default(),
        }
    }

    #[test]
    fn a_story_has_the_digest_s_score_and_names_each_source_once() {
        let shown = in_words(&story(&["Wireline", "Harbour Times", "Wireline"]), &BTreeMap::new());
        assert_eq!(shown.score, Some(74));
        assert_eq!(shown.told_by, "told by Wireline, Harbour Times");
    }
}
