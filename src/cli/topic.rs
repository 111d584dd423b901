//! `aha-radar topic`: manages topics.

use aha_content::numbers::count;
use aha_core::topic::{RuleAction, Topic, topic_option};
use anyhow::Result;

use super::arguments::{TopicCommand, TopicSettings};
use super::exit::Exit;
use super::listing::hung;
use super::{interests, output};
use crate::app::App;
use crate::services::topics::{self, TopicChange};

pub(super) async fn run(app: &App, command: TopicCommand) -> Result<Exit> {
    match command {
        TopicCommand::List { json } => list(app, json).await?,
        TopicCommand::Add { name, settings } => add(app, name.trim(), settings).await?,
        TopicCommand::Interests { name, trial, days, json } => {
            interests::show(app, &name, trial.as_deref(), days, json).await?;
        }
        TopicCommand::Remove { name } => remove(app, &name).await?,
        TopicCommand::Unmute { name, rules } => remove_rules(app, &name, RuleAction::Mute, &rules).await?,
        TopicCommand::Unboost { name, rules } => remove_rules(app, &name, RuleAction::Boost, &rules).await?,
        TopicCommand::Set { name, settings } => set(app, &name, settings).await?,
    }
    Ok(Exit::Ok)
}

async fn add(app: &App, name: &str, settings: TopicSettings) -> Result<()> {
    topics::add(app, name, &settings.into()).await?;
    output::print(&format!("topic {name:?} added"))
}

async fn set(app: &App, name: &str, settings: TopicSettings) -> Result<()> {
    let change = TopicChange::from(settings);
    let topic = topics::set(app, name, &change).await?;
    output::print(&describe(&topic))?;
    for rule in topics::rules_without_source(app, &topic, &change).await? {
        output::note(&output::one_safe_text(&format!(
            "{rule} finds no source of this topic by name or address; `aha-radar source list{}` shows them (one that \
             was never read may have no name yet)",
            topic_option(&topic.name)
        )));
    }
    if change.interests.is_some() && !topic.interests.trim().is_empty() {
        output::print("")?;
        interests::show(app, &topic.name, None, topics::PREVIEW_DAYS, false).await?;
    }
    Ok(())
}

impl From<TopicSettings> for TopicChange {
    fn from(settings: TopicSettings) -> Self {
        let TopicSettings {
            interests,
            schedule,
            timezone,
            mute,
            boost,
            clear_rules,
            depth,
            top,
            scan,
            at_least,
            decay_hours,
            budget_tier,
            budget_share,
            read_from,
        } = settings;
        Self {
            interests,
            schedule,
            timezone,
            mute,
            boost,
            clear_rules,
            depth,
            top,
            scan,
            at_least,
            decay_hours,
            budget_tier,
            budget_share,
            read_from,
        }
    }
}

async fn remove(app: &App, name: &str) -> Result<()> {
    let removed = topics::remove(app, name).await?;
    output::print(&output::one_safe_text(&format!(
        "topic {:?} is removed, with {}, its digests and its feedback; what it has spent stays in the ledger, and its \
         digests' files stay below {}",
        removed.name,
        count(removed.sources, "source", "sources"),
        app.config().output_dir.display()
    )))
}

async fn remove_rules(app: &App, name: &str, action: RuleAction, rules: &[String]) -> Result<()> {
    output::print(&describe(&topics::remove_rules(app, name, action, rules).await?))
}

async fn list(app: &App, json: bool) -> Result<()> {
    let topics = topics::list(app).await?;
    if json {
        return output::print_json(&topics);
    }
    if topics.is_empty() {
        output::note("no topic yet; `aha-radar init` makes the first");
        return Ok(());
    }
    output::print(&topics.iter().map(describe).collect::<Vec<_>>().join("\n\n"))
}

/// Columns of the names before the settings.
const NAMES: usize = 13;

fn describe(topic: &Topic) -> String {
    let or = |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
    let schedule = topic.schedule.as_deref().map_or_else(
        || "as AHA_SCHEDULE says".to_owned(),
        |schedule| format!("{} ({schedule})", topics::schedule_in_words(schedule)),
    );
    let mut lines = vec![
        format!("topic        {}", topic.name),
        format!("interests    {}", if topic.interests.trim().is_empty() { "(none set)" } else { &topic.interests }),
        format!("schedule     {schedule}"),
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
    hung(&output::one_safe_text(&lines.join("\n")), |_| NAMES)
}
