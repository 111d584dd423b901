//! One story: why it has its rank, who reported it when, in which digests it was, and what judging it cost.

use aha_content::numbers::count;
use aha_core::digest::DigestStory;
use aha_core::money::MicroCredits;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{Html, Redirect};
use axum::routing::{get, post};

use super::super::{Editor, Failure, JsonQuery, PathOf, Reader, WebState};
use super::digests::OfTopic;
use super::noted::Noted;
use super::score_terms::{Term, facts, terms, total};
use super::shown_summary::ShownSummary;
use super::story_feedback::{Button, buttons};
use super::{Shell, html};
use crate::digest::format::Calendar;
use crate::digest::sanitise::text;
use crate::digest::view::Story;
use crate::services::calls::{CallRecord, purpose_in_words};
use crate::services::followups::{self, FollowUp};
use crate::services::stories::{self, ExplainedStory, FoundStory, StoryAppearance};
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/stories/{id}", get(page)).route("/stories/{id}/followups", post(follow_up))
}

#[derive(Template)]
#[template(path = "web/story.html")]
struct StoryPage {
    shell: Shell,
    id: String,
    topic: String,
    day: String,
    digest: String,
    story: Story,
    aha_score: Option<u8>,
    percentile: u8,
    judged_by: Option<String>,
    terms: Vec<Term>,
    /// The sum of the terms.
    total: String,
    facts: Vec<String>,
    entities: Vec<(String, String)>,
    appearances: Vec<Appearance>,
    calls: Vec<CallRecord>,
    buttons: Vec<Button>,
    noted: Noted,
    /// The kept summary of a pasted text.
    kept: Option<ShownSummary>,
    followups: Vec<FollowUp>,
}

/// A digest that showed it.
struct Appearance {
    day: String,
    link: String,
    rank: usize,
    score: Option<u8>,
    members: usize,
    is_this: bool,
}

/// Finds the story of an address: by the id of a digest line, or the first digits of it.
pub(in super::super) async fn found(state: &WebState, id: &str) -> Result<FoundStory, Failure> {
    let unknown = || Failure::not_found("no digest has a story of that id");
    match id.parse() {
        Ok(id) => Ok(stories::by_id(state.app(), id).await?),
        Err(_) => Err(unknown()),
    }
}

async fn page(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    let found = found(&state, &id).await?;
    if !stories::is_shown(&found.story) {
        let message = "the digest was made again and shows this story no longer; search finds what tells it";
        return Err(Failure::not_found(message));
    }
    let explained = stories::explain(state.app(), who.user(), found).await?;
    let calendar = Calendar::of(&explained.digest);
    let day = calendar.days(explained.digest.window_start, explained.digest.window_end);
    let story = Story::of(&explained.story, calendar);
    let noted = Noted::read(of.noted.as_deref());
    let followups = followups::of(state.app(), &explained.story, &story.followups).await?;
    html(&StoryPage { noted, followups, ..filled(shell, day, story, explained) })
}

/// Adds a suggested next step as a todo with a link to the story; only once, however often it is submitted.
async fn follow_up(
    _: Editor,
    State(state): State<WebState>,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Redirect, Failure> {
    let found = found(&state, &id).await?;
    let lines = Story::of(&found.story, Calendar::of(&found.digest)).followups;
    let text = form.text("number").parse::<usize>().ok().and_then(|number| lines.get(number));
    let text = text.ok_or_else(|| Failure::invalid("number", "the story has no such follow-up"))?;
    followups::add(state.app(), &found.story, text).await?;
    Ok(Redirect::to(&format!("{}/stories/{id}#summary", state.prefix())))
}

fn filled(shell: Shell, day: String, mut story: Story, explained: ExplainedStory) -> StoryPage {
    let ExplainedStory { digest, story: judged, appearances, calls, feedback, .. } = explained;
    // A list leaves out what does not distinguish a story; its own page says that too.
    if story.reason.is_empty() {
        story.reason = text(&judged.reason);
    }
    let calendar = Calendar::of(&digest);
    let appearance = |one: StoryAppearance| Appearance {
        day: calendar.short_last_day(one.window_end),
        link: one.digest.to_string(),
        rank: one.rank,
        score: one.aha_score,
        members: one.members,
        is_this: one.digest == digest.id,
    };
    StoryPage {
        shell,
        id: story.id.clone(),
        topic: digest.topic.clone(),
        day,
        digest: digest.id.to_string(),
        aha_score: judged.aha_score,
        percentile: judged.percentile,
        judged_by: judged.triage.as_ref().map(|triage| format!("{}/{}", triage.provider, triage.model)),
        terms: terms(&judged.score_debug),
        total: total(&judged.score_debug),
        facts: facts(&judged.score_debug),
        entities: entities(&judged),
        appearances: appearances.into_iter().map(appearance).collect(),
        calls,
        kept: ShownSummary::kept(&judged),
        buttons: buttons(|kind| feedback.contains(&kind)),
        noted: Noted::default(),
        followups: Vec::new(),
        story,
    }
}

/// Returns names and their kinds.
fn entities(story: &DigestStory) -> Vec<(String, String)> {
    let list = story.entities.as_ref().and_then(|entities| entities["entities"].as_array());
    let text = |entity: &serde_json::Value, field: &str| entity[field].as_str().unwrap_or_default().to_owned();
    list.into_iter().flatten().map(|entity| (text(entity, "name"), text(entity, "type"))).collect()
}

fn items(members: usize) -> String {
    count(members, "item", "items")
}

/// Formats the cost of a call, or its reservation.
fn cost(call: &CallRecord) -> String {
    match (call.cost_microcredits, call.reserved_microcredits) {
        (Some(cost), _) => MicroCredits(cost).to_string(),
        (None, Some(reserved)) => format!("at most {}", MicroCredits(reserved)),
        (None, None) => "not known".to_owned(),
    }
}

/// Formats a story's share of a call about several.
fn share(call: &CallRecord) -> Option<String> {
    (call.stories > 1).then(|| format!("about {} stories", call.stories))
}
