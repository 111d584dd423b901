//! Topics: what the user wants to read about, when, and what to mute.

mod change;
mod interest_matches;

use aha_content::fold::is_invisible;
use aha_core::schedule::Schedule;
use aha_core::time::Timestamp;
use aha_core::topic::{DEFAULT_TOPIC, Rule, RuleAction, RuleField, Topic};
use aha_core::window::Window;
use aha_store::TopicReset;
use serde::Serialize;

pub use change::TopicChange;
use change::apply;
pub(super) use change::at_most;
pub(super) use change::check_interests;
use interest_matches::interest_matches;
pub use interest_matches::{InterestMatch, InterestMatches};

use super::{Result, ServiceError};
use crate::app::App;
use crate::pipeline::lease::{acquire, release};
use crate::pipeline::{RunError, StopSignal};

/// Default number of days that a preview of interests reads.
pub const PREVIEW_DAYS: u16 = 7;

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 200;

/// How often a change is applied anew because another was saved in between.
const MAX_ATTEMPTS: usize = 20;

/// Lists all topics, by name.
///
/// # Errors
/// When the store fails.
pub async fn list(app: &App) -> Result<Vec<Topic>> {
    Ok(app.store().topics().await?)
}

/// Returns the topic with that name.
///
/// # Errors
/// When there is none.
pub async fn find(app: &App, name: &str) -> Result<Topic> {
    let found = app.store().topic(name).await?;
    Ok(found.ok_or_else(|| RunError::NoTopic { name: name.to_owned() })?)
}

/// Creates the default topic if it does not exist, and sets its interests if given. Returns the topic, and how many
/// sources it has.
///
/// # Errors
/// When the store fails.
pub async fn init(app: &App, interests: Option<String>) -> Result<(Topic, usize)> {
    let mut topic = ensure(app, DEFAULT_TOPIC).await?;
    if let Some(interests) = interests {
        topic = set(app, DEFAULT_TOPIC, &TopicChange { interests: Some(interests), ..TopicChange::default() }).await?;
    }
    let sources = app.store().sources(topic.id).await?.len();
    Ok((topic, sources))
}

/// Returns the topic with that name; creates it if it does not exist.
///
/// # Errors
/// When the name cannot be used or the store fails.
pub async fn ensure(app: &App, name: &str) -> Result<Topic> {
    if let Some(topic) = app.store().topic(name).await? {
        return Ok(topic);
    }
    check_name(name)?;
    Ok(app.store().ensure_topic(name, app.clock().now()).await?)
}

/// Checks the name of a new topic. Browsers take `.` and `..` out of a path, which could then not name the topic.
fn check_name(name: &str) -> Result<()> {
    let wrong = |problem: String| {
        Err(ServiceError::invalid("name", format!("{name:?} cannot be the name of a topic: {problem}; use another")))
    };
    match name {
        _ if name.trim().is_empty() => wrong("it is empty".to_owned()),
        "." | ".." => wrong("it stands for a folder".to_owned()),
        _ if name.chars().any(|c| c.is_control() || is_invisible(c)) => {
            wrong("it contains control characters or invisible ones".to_owned())
        }
        _ if name.chars().count() > MAX_NAME_CHARS => wrong(format!("it is longer than {MAX_NAME_CHARS} characters")),
        _ => Ok(()),
    }
}

/// Adds a topic. Nothing is stored unless every setting can be used.
///
/// # Errors
/// When the name cannot be used or is taken, or a setting cannot be used.
pub async fn add(app: &App, name: &str, change: &TopicChange) -> Result<Topic> {
    let taken =
        || ServiceError::Conflict { message: format!("there is a topic {name:?} already; choose another name") };
    check_name(name)?;
    // Checked before the settings, for its error to come first. Whether the name is still free is decided when the
    // topic is written.
    if app.store().topic(name).await?.is_some() {
        return Err(taken());
    }
    let mut topic = Topic::new(name);
    apply(&mut topic, change)?;
    // A new topic has not read anything yet.
    topic.cursor_end = None;
    let is_added = app.store().add_topic(&topic, app.clock().now()).await?;
    if is_added { Ok(topic) } else { Err(taken()) }
}

/// Changes a topic. Nothing is stored unless every setting can be used.
///
/// # Errors
/// When there is no such topic or a setting cannot be used.
pub async fn set(app: &App, name: &str, change: &TopicChange) -> Result<Topic> {
    save(app, name, |topic| {
        let schedule_before = (topic.schedule.clone(), topic.timezone.clone());
        apply(topic, change)?;
        Ok(TopicReset {
            next_run: schedule_before != (topic.schedule.clone(), topic.timezone.clone()),
            read_until: topic.cursor_end.filter(|_| change.read_from.is_some()),
        })
    })
    .await
}

/// Applies a change to a topic and saves it. It is applied anew if another change was saved in between, so that neither
/// is lost.
async fn save(app: &App, name: &str, change: impl Fn(&mut Topic) -> Result<TopicReset> + Sync) -> Result<Topic> {
    for _ in 0..MAX_ATTEMPTS {
        let before = find(app, name).await?;
        let mut topic = before.clone();
        let reset = change(&mut topic)?;
        if app.store().save_topic(&before, &topic, reset).await? {
            return Ok(topic);
        }
    }
    let message = format!("topic {name:?} was changed by others at the same time, {MAX_ATTEMPTS} times; try again");
    Err(ServiceError::Busy { message })
}

/// A topic that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovedTopic {
    pub name: String,
    pub sources: usize,
}

/// Removes a topic with its sources, digests and feedback. It has to wait for the topic as a run does.
///
/// # Errors
/// When there is no such topic, or it is being run.
pub async fn remove(app: &App, name: &str) -> Result<RemovedTopic> {
    let topic = find(app, name).await?;
    if app.running().contains(topic.id) {
        return Err(ServiceError::Conflict {
            message: "a run holds the topic; stop it, or wait for its end".to_owned(),
        });
    }
    let sources = app.store().sources(topic.id).await?.len();
    let (lease, heartbeat) = acquire(app, &topic, &StopSignal::default()).await?;
    let removed = app.store().remove_topic(&lease).await;
    drop(heartbeat);
    if removed.is_err() {
        release(app, &lease).await;
    }
    removed?;
    Ok(RemovedTopic { name: topic.name, sources })
}

/// Removes rules of one kind, given without it: `word:PATTERN`. Nothing is stored unless every rule exists.
///
/// # Errors
/// When there is no such topic or rule.
pub async fn remove_rules(app: &App, name: &str, action: RuleAction, rules: &[String]) -> Result<Topic> {
    save(app, name, |topic| {
        for text in rules {
            let rule = Rule::parse(action, text)?;
            let before = topic.rules.len();
            topic.rules.retain(|known| *known != rule);
            if topic.rules.len() == before {
                let known = rules_in_words(topic, action);
                let message = format!("topic {:?} does not {} {text:?}; {known}", topic.name, action.as_str());
                return Err(ServiceError::NotFound { what: "rule", message });
            }
        }
        Ok(TopicReset::default())
    })
    .await
}

/// Returns the rules of a change that are about sources and find none of the topic's, as they are shown: `mute
/// source:PATTERN`.
///
/// # Errors
/// When a rule cannot be read or the store fails.
pub async fn rules_without_source(app: &App, topic: &Topic, change: &TopicChange) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for rule in change.rules()?.iter().filter(|rule| rule.field == RuleField::Source) {
        let pattern = rule.compile()?;
        let sources = app.store().sources(topic.id).await?;
        if !sources.iter().any(|source| source.is_found_by(&pattern)) {
            found.push(rule.to_string());
        }
    }
    Ok(found)
}

/// Removes a rule of either kind, written as it is shown: `mute word:PATTERN`.
///
/// # Errors
/// When there is no such topic or rule.
pub async fn remove_rule(app: &App, name: &str, rule: &str) -> Result<Topic> {
    save(app, name, |topic| drop_rule(topic, rule).map(|()| TopicReset::default())).await
}

/// Returns a topic as a change would make it. Nothing is stored.
///
/// # Errors
/// When there is no such topic or a setting cannot be used.
pub async fn proposed(app: &App, name: &str, change: &TopicChange) -> Result<Topic> {
    let mut topic = find(app, name).await?;
    apply(&mut topic, change)?;
    Ok(topic)
}

/// Returns a topic without one of its rules. Nothing is stored.
///
/// # Errors
/// When there is no such topic or rule.
pub async fn without_rule(app: &App, name: &str, rule: &str) -> Result<Topic> {
    let mut topic = find(app, name).await?;
    drop_rule(&mut topic, rule)?;
    Ok(topic)
}

fn drop_rule(topic: &mut Topic, rule: &str) -> Result<()> {
    let before = topic.rules.len();
    topic.rules.retain(|known| known.to_string() != rule);
    if topic.rules.len() == before {
        let message = format!("topic {:?} has no rule {rule:?}; `aha-radar topic list` shows them", topic.name);
        return Err(ServiceError::NotFound { what: "rule", message });
    }
    Ok(())
}

/// Returns how interests are understood, and what they match among the topic's items of the last days, or of as many
/// days before the end of the newest digest with stories if these have more. The interests are the topic's own, or
/// others to try. Nothing is stored.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn preview_interests(app: &App, name: &str, trial: Option<&str>, days: u16) -> Result<InterestMatches> {
    let topic = find(app, name).await?;
    let text = trial.unwrap_or(&topic.interests);
    check_interests(text)?;
    let until = |end: Timestamp| Window { start: end.days_before(i64::from(days)), end };
    let mut window = until(app.clock().now());
    let newest = app.store().newest_with_stories(topic.id).await?.map(|head| head.window_end);
    if let Some(newest) = newest.filter(|end| *end < window.end).map(until) {
        let (store, id) = (app.store(), topic.id);
        let (of_now, of_digest) = (store.items_in_window(id, window).await?, store.items_in_window(id, newest).await?);
        window = if of_digest.len() > of_now.len() { newest } else { window };
    }
    Ok(interest_matches(app, &topic, text, window).await?)
}

/// Describes what a topic mutes or boosts.
fn rules_in_words(topic: &Topic, action: RuleAction) -> String {
    let kind = format!("{} ", action.as_str());
    let rules = topic.rules.iter().filter(|rule| rule.action == action).map(ToString::to_string);
    let rules: Vec<String> = rules.map(|rule| rule.trim_start_matches(&kind).to_owned()).collect();
    let verb = action.as_str();
    if rules.is_empty() { format!("it {verb}s nothing") } else { format!("it {verb}s {}", rules.join(", ")) }
}

/// Describes a stored schedule: `at 07:00`; the text itself if it cannot be parsed.
#[must_use]
pub fn schedule_in_words(schedule: &str) -> String {
    Schedule::parse(schedule).map_or_else(|_| schedule.to_owned(), |schedule| schedule.in_words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_topic_can_stand_in_an_address() {
        for name in ["default", "Ferries & trams", "a/b", "...", "Übersicht", "日本"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", " ", ".", "..", "a\nb", "\u{7f}", "a\u{202e}b", &"x".repeat(201)] {
            assert_eq!(check_name(name).unwrap_err().field(), Some("name"), "{name:?}");
        }
    }
}
