//! `aha-radar topic`: what the owner wants to be told about.

use aha_content::numbers::count;
use aha_core::schedule::Schedule;
use aha_core::time::Timestamp;
use aha_core::topic::{Rule, RuleAction, Topic};
use anyhow::Result;

use super::arguments::{TopicCommand, TopicSettings};
use super::exit::{Exit, UsageError};
use super::{interests, output};
use crate::app::App;
use crate::pipeline::RunError;
use crate::pipeline::lease::acquire;

pub(super) async fn run(app: &App, command: TopicCommand) -> Result<Exit> {
    match command {
        TopicCommand::List { json } => list(app, json).await?,
        TopicCommand::Add { name, settings } => add(app, name.trim(), &settings).await?,
        TopicCommand::Interests { topic, trial, days, json } => {
            interests::show(app, &topic, trial.as_deref(), days, json).await?;
        }
        TopicCommand::Remove { name } => remove(app, name).await?,
        TopicCommand::Unmute { name, rules } => unmute(app, name, &rules).await?,
        TopicCommand::Set { name, settings } => set(app, name, &settings).await?,
    }
    Ok(Exit::Ok)
}

/// Nothing is stored unless every setting can be used.
async fn add(app: &App, name: &str, settings: &TopicSettings) -> Result<()> {
    if name.is_empty() || app.store().topic(name).await?.is_some() {
        return Err(UsageError(format!("a topic needs a name of its own; {name:?} is empty or taken")).into());
    }
    let mut wanted = Topic::new(name);
    apply(&mut wanted, settings)?;
    let made = app.store().ensure_topic(name, app.clock().now()).await?;
    app.store().save_topic(&Topic { id: made.id, ..wanted }).await?;
    output::print(&format!("topic {name:?} added"))
}

async fn set(app: &App, name: String, settings: &TopicSettings) -> Result<()> {
    let mut topic = app.store().topic(&name).await?.ok_or(RunError::NoTopic { name })?;
    let schedule_before = (topic.schedule.clone(), topic.timezone.clone());
    apply(&mut topic, settings)?;
    app.store().save_topic(&topic).await?;
    if schedule_before != (topic.schedule.clone(), topic.timezone.clone()) {
        app.store().set_next_run(topic.id, None).await?;
    }
    if let Some(from) = topic.cursor_end.filter(|_| settings.read_from.is_some()) {
        app.store().set_cursor(topic.id, from).await?;
    }
    output::print(&describe(&topic))?;
    if settings.interests.is_some() && !topic.interests.trim().is_empty() {
        output::print("")?;
        interests::show(app, &topic.name, None, interests::DAYS, false).await?;
    }
    Ok(())
}

/// Waits for a run of the topic as any run does.
async fn remove(app: &App, name: String) -> Result<()> {
    let topic = app.store().topic(&name).await?.ok_or(RunError::NoTopic { name })?;
    let sources = app.store().sources(topic.id).await?.len();
    let lease = acquire(app, &topic).await?;
    app.store().remove_topic(&lease).await?;
    output::print(&output::one_safe_text(&format!(
        "topic {:?} is removed, with {}, its digests and its feedback; what it has spent stays in the ledger, and its          digests' files stay below {}",
        topic.name,
        count(sources, "source", "sources"),
        app.config().output_dir.display()
    )))
}

/// Nothing is stored unless every rule is there.
async fn unmute(app: &App, name: String, rules: &[String]) -> Result<()> {
    let mut topic = app.store().topic(&name).await?.ok_or(RunError::NoTopic { name })?;
    for text in rules {
        let rule = Rule::parse(RuleAction::Mute, text)?;
        let before = topic.rules.len();
        topic.rules.retain(|known| *known != rule);
        if topic.rules.len() == before {
            return Err(UsageError(format!("topic {:?} does not mute {text:?}; {}", topic.name, muted(&topic))).into());
        }
    }
    app.store().save_topic(&topic).await?;
    output::print(&describe(&topic))
}

/// What a topic mutes, in words.
fn muted(topic: &Topic) -> String {
    let rules = topic.rules.iter().filter(|rule| rule.action == RuleAction::Mute).map(ToString::to_string);
    let rules: Vec<String> = rules.map(|rule| rule.trim_start_matches("mute ").to_owned()).collect();
    if rules.is_empty() { "it mutes nothing".to_owned() } else { format!("it mutes {}", rules.join(", ")) }
}

fn apply(topic: &mut Topic, settings: &TopicSettings) -> Result<()> {
    if let Some(interests) = &settings.interests {
        topic.interests.clone_from(interests);
    }
    if let Some(text) = &settings.read_from {
        let from = Timestamp::parse_rfc3339(text)
            .map_err(|_| UsageError(format!("--read-from wants a time such as 2026-11-16T07:00:00Z; got {text:?}")))?;
        topic.cursor_end = Some(from);
    }
    if let Some(schedule) = &settings.schedule {
        Schedule::parse(schedule)?;
        topic.schedule = Some(schedule.clone());
    }
    if let Some(zone) = &settings.timezone {
        zone.parse::<chrono_tz::Tz>()
            .map_err(|_| UsageError(format!("{zone:?} is no IANA time zone, such as Europe/Berlin")))?;
        topic.timezone = Some(zone.clone());
    }
    if let Some(tier) = &settings.budget_tier {
        topic.budget_tier =
            Some(tier.parse().map_err(|()| UsageError(format!("{tier:?} is none of low, normal, high")))?);
    }
    if let Some(percent) = settings.budget_share {
        topic.budget_share_percent = Some(percent).filter(|percent| *percent > 0);
    }
    if let Some(hours) = settings.decay_hours {
        if !(1.0..=87_600.0).contains(&hours) {
            return Err(
                UsageError(format!("--decay-hours wants hours from 1 to 87600 (ten years); got {hours}")).into()
            );
        }
        topic.decay_hours = hours;
    }
    let sizes = &mut topic.sizes;
    sizes.top = settings.top.map_or(sizes.top, usize::from);
    sizes.scan = settings.scan.map_or(sizes.scan, usize::from);
    sizes.at_least = settings.at_least.unwrap_or(sizes.at_least);
    topic.depth = settings.depth.unwrap_or(topic.depth);
    if settings.clear_rules {
        topic.rules.clear();
    }
    for (action, texts) in [(RuleAction::Mute, &settings.mute), (RuleAction::Boost, &settings.boost)] {
        for text in texts {
            let rule = Rule::parse(action, text)?;
            if !topic.rules.contains(&rule) {
                topic.rules.push(rule);
            }
        }
    }
    Ok(())
}

async fn list(app: &App, json: bool) -> Result<()> {
    let topics = app.store().topics().await?;
    if json {
        return output::print_json(&topics);
    }
    if topics.is_empty() {
        output::note("no topic yet; `aha-radar init` makes the first");
        return Ok(());
    }
    output::print(&topics.iter().map(describe).collect::<Vec<_>>().join("\n\n"))
}

fn describe(topic: &Topic) -> String {
    let or = |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
    let mut lines = vec![
        format!("topic        {}", topic.name),
        format!("interests    {}", if topic.interests.trim().is_empty() { "(none set)" } else { &topic.interests }),
        format!("schedule     {}", or(&topic.schedule, "as AHA_SCHEDULE says")),
        format!("time zone    {}", or(&topic.timezone, "as AHA_TIMEZONE says")),
        format!("budget tier  {}", topic.budget_tier.map_or("as AHA_BUDGET_TIER says", |tier| tier.as_str())),
        format!(
            "budget share {}",
            topic.budget_share_percent.map_or_else(|| "all that is left".to_owned(), |percent| format!("{percent} %"))
        ),
        format!(
            "digest       {} on top, {} to scan, none below a score of {}",
            topic.sizes.top, topic.sizes.scan, topic.sizes.at_least
        ),
        format!("depth        {} of 100; decay {} h", topic.depth, topic.decay_hours),
        format!(
            "read up to   {}",
            topic.cursor_end.map_or_else(|| "(no cursor run yet)".to_owned(), |t| t.to_string())
        ),
    ];
    lines.extend(topic.rules.iter().map(|rule| format!("rule         {rule}")));
    output::one_safe_text(&lines.join("\n"))
}
