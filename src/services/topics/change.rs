//! Changes of a topic's settings: what they are, and how they are applied.

use aha_content::fold::is_invisible;
use aha_core::schedule::{Schedule, ScheduleError};
use aha_core::time::Timestamp;
use aha_core::topic::{Rule, RuleAction, RuleError, Topic};
use serde::Deserialize;
use utoipa::ToSchema;

use super::super::{Result, ServiceError};

/// Maximum number of stories in a section.
const MAX_STORIES: u8 = 200;

/// Changes to a topic; omitted settings are not changed.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TopicChange {
    /// What matters, in your own words.
    #[schema(max_length = 20000)]
    pub interests: Option<String>,
    /// A cron expression or an interval (`every 6h`); empty for that of `AHA_SCHEDULE`.
    pub schedule: Option<String>,
    /// An IANA zone; empty for that of `AHA_TIMEZONE`.
    pub timezone: Option<String>,
    /// Rules to add, written `word:PATTERN`, `source:PATTERN` or `author:PATTERN`.
    pub mute: Vec<String>,
    pub boost: Vec<String>,
    /// Remove all rules first.
    pub clear_rules: bool,
    /// 0 to 100.
    #[schema(maximum = 100)]
    pub depth: Option<u8>,
    /// Stories of each section, at most 200.
    #[schema(maximum = 200)]
    pub top: Option<u8>,
    #[schema(maximum = 200)]
    pub scan: Option<u8>,
    /// The minimum score that is shown, 0 to 100.
    #[schema(maximum = 100)]
    pub at_least: Option<u8>,
    #[schema(minimum = 1, maximum = 87600)]
    pub decay_hours: Option<f64>,
    /// `low`, `normal` or `high`; empty for that of `AHA_BUDGET_TIER`.
    #[schema(pattern = "^(low|normal|high)?$")]
    pub budget_tier: Option<String>,
    /// Percent of the daily and monthly budget; 0 for no share of its own.
    #[schema(maximum = 100)]
    pub budget_share: Option<u8>,
    /// The time from which the next run continues, in RFC 3339.
    #[schema(format = DateTime)]
    pub read_from: Option<String>,
}

/// Applies a change to a topic, all of it or nothing that is stored.
///
/// # Errors
/// When a setting cannot be used.
pub(super) fn apply(topic: &mut Topic, change: &TopicChange) -> Result<()> {
    if let Some(interests) = &change.interests {
        check_interests(interests)?;
        // They are shown to a person, whom characters that reorder the visible text would deceive.
        topic.interests = interests.chars().filter(|c| !is_invisible(*c)).collect();
    }
    apply_times(topic, change)?;
    if let Some(tier) = &change.budget_tier {
        let unknown = |()| {
            let message =
                format!("{tier:?} is no budget tier; give low, normal or high, or \"\" for that of AHA_BUDGET_TIER");
            ServiceError::invalid("budget_tier", message)
        };
        topic.budget_tier = if tier.is_empty() { None } else { Some(tier.parse().map_err(unknown)?) };
    }
    if let Some(percent) = change.budget_share {
        at_most("budget_share", percent, 100)?;
        topic.budget_share_percent = Some(percent).filter(|percent| *percent > 0);
    }
    if let Some(hours) = change.decay_hours {
        if !(1.0..=87_600.0).contains(&hours) {
            let message = format!("decay_hours expects hours from 1 to 87600 (ten years); got {hours}");
            return Err(ServiceError::invalid("decay_hours", message));
        }
        topic.decay_hours = hours;
    }
    apply_sizes(topic, change)?;
    apply_rules(topic, change)
}

/// Maximum length of interests: reading them takes time in proportion, a second for this many.
const MAX_INTERESTS_CHARS: usize = 20_000;

/// Checks the length of interests.
///
/// # Errors
/// When they are too long.
pub(in crate::services) fn check_interests(interests: &str) -> Result<()> {
    let chars = interests.chars().count();
    if chars > MAX_INTERESTS_CHARS {
        let message =
            format!("interests have at most {MAX_INTERESTS_CHARS} characters, these have {chars}; shorten them");
        return Err(ServiceError::invalid("interests", message));
    }
    Ok(())
}

fn apply_times(topic: &mut Topic, change: &TopicChange) -> Result<()> {
    if let Some(text) = &change.read_from {
        let from = Timestamp::parse_rfc3339(text).map_err(|_| {
            let expected = "read_from expects a time such as 2026-11-16T07:00:00Z";
            ServiceError::invalid("read_from", format!("{expected}; got {text:?}"))
        })?;
        topic.cursor_end = Some(from);
    }
    if let Some(schedule) = &change.schedule {
        if !schedule.is_empty() {
            Schedule::parse(schedule)?;
        }
        topic.schedule = Some(schedule.clone()).filter(|schedule| !schedule.is_empty());
    }
    if let Some(zone) = &change.timezone {
        if !zone.is_empty() && zone.parse::<chrono_tz::Tz>().is_err() {
            let wrong = format!("{zone:?} is no IANA time zone; give one such as Europe/Berlin");
            return Err(ServiceError::invalid("timezone", wrong));
        }
        topic.timezone = Some(zone.clone()).filter(|zone| !zone.is_empty());
    }
    Ok(())
}

fn apply_sizes(topic: &mut Topic, change: &TopicChange) -> Result<()> {
    for (field, value, most) in [
        ("top", change.top, MAX_STORIES),
        ("scan", change.scan, MAX_STORIES),
        ("at_least", change.at_least, 100),
        ("depth", change.depth, 100),
    ] {
        at_most(field, value.unwrap_or_default(), most)?;
    }
    let sizes = &mut topic.sizes;
    sizes.top = change.top.map_or(sizes.top, usize::from);
    sizes.scan = change.scan.map_or(sizes.scan, usize::from);
    sizes.at_least = change.at_least.unwrap_or(sizes.at_least);
    topic.depth = change.depth.unwrap_or(topic.depth);
    Ok(())
}

fn apply_rules(topic: &mut Topic, change: &TopicChange) -> Result<()> {
    if change.clear_rules {
        topic.rules.clear();
    }
    for rule in change.rules()? {
        if !topic.rules.contains(&rule) {
            topic.rules.push(rule);
        }
    }
    Ok(())
}

impl TopicChange {
    /// Returns the rules to add.
    pub(super) fn rules(&self) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        for (action, texts) in [(RuleAction::Mute, &self.mute), (RuleAction::Boost, &self.boost)] {
            for text in texts {
                rules.push(Rule::parse(action, text)?);
            }
        }
        Ok(rules)
    }
}

pub(in super::super) fn at_most(field: &'static str, value: u8, most: u8) -> Result<()> {
    if value <= most {
        return Ok(());
    }
    Err(ServiceError::invalid(field, format!("{field} expects a number from 0 to {most}; got {value}")))
}

impl From<RuleError> for ServiceError {
    fn from(error: RuleError) -> Self {
        Self::invalid("rules", error.to_string())
    }
}

impl From<ScheduleError> for ServiceError {
    fn from(error: ScheduleError) -> Self {
        Self::invalid("schedule", error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interests_of_unusual_length_are_refused() {
        let mut topic = Topic::new("t");
        assert!(check_interests(&"ü".repeat(MAX_INTERESTS_CHARS)).is_ok());
        let interests = Some("x".repeat(MAX_INTERESTS_CHARS + 1));
        let refused = apply(&mut topic, &TopicChange { interests, ..TopicChange::default() }).unwrap_err();
        assert!(refused.to_string().contains("20001"), "{refused}");
    }

    #[test]
    fn interests_hold_no_characters_that_reorder_text() {
        let mut topic = Topic::new("t");
        let interests = Some("ferries\u{202e}smart \n\ttrams".to_owned());
        apply(&mut topic, &TopicChange { interests, ..TopicChange::default() }).unwrap();
        assert_eq!(topic.interests, "ferriessmart \n\ttrams");
    }

    #[test]
    fn a_change_that_cannot_be_used_names_its_field() {
        let field = |change: TopicChange| apply(&mut Topic::new("t"), &change).unwrap_err().field();
        let none = TopicChange::default();
        assert!(apply(&mut Topic::new("t"), &none).is_ok());
        for (change, expected) in [
            (TopicChange { decay_hours: Some(0.0), ..none.clone() }, "decay_hours expects hours"),
            (TopicChange { read_from: Some("noon".to_owned()), ..none.clone() }, "read_from expects a time"),
        ] {
            let message = apply(&mut Topic::new("t"), &change).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        assert_eq!(field(TopicChange { depth: Some(101), ..none.clone() }), Some("depth"));
        assert_eq!(field(TopicChange { top: Some(201), ..none.clone() }), Some("top"));
        assert_eq!(field(TopicChange { timezone: Some("Mars".to_owned()), ..none.clone() }), Some("timezone"));
        assert_eq!(field(TopicChange { mute: vec!["word:(".to_owned()], ..none.clone() }), Some("rules"));
        assert_eq!(field(TopicChange { schedule: Some("now and then".to_owned()), ..none }), Some("schedule"));
    }
}
