//! An answer in words. Without a model it lists the planner items of the days ahead, and explains how to ask for a
//! change.

use aha_llm::tasks::assistant;
use serde_json::Value;

use super::model::{self, ModelReply};
use super::{Draft, context};
use crate::app::App;
use crate::services::Result;

/// Days ahead that are listed without a model.
const DAYS_AHEAD: u64 = 6;
const MAX_LINES: usize = 12;

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    draft.checked = None;
    draft.text = match model::ask(app, assistant::CHAT, draft, Value::Null).await? {
        ModelReply::Answered(answer) => model::plain_text(&answer).unwrap_or_else(|| by_rules(draft)),
        ModelReply::Unavailable => by_rules(draft),
    };
    Ok(())
}

fn by_rules(draft: &Draft<'_>) -> String {
    let found = context::days_ahead(&draft.state, draft.today.date, DAYS_AHEAD);
    if found.is_empty() {
        return "Nothing is planned for the next seven days. Say what to add, for example: add buy milk tomorrow."
            .to_owned();
    }
    let line = |(day, item): &(chrono::NaiveDate, &aha_planner::record::Item)| {
        let time = item.time().map(|time| format!(" {time}")).unwrap_or_default();
        format!("{} {day}{time}: {}", day.format("%a"), item.title)
    };
    let mut lines: Vec<String> = found.iter().take(MAX_LINES).map(line).collect();
    if found.len() > MAX_LINES {
        lines.push(format!("and {} more", found.len() - MAX_LINES));
    }
    format!("The next seven days: {}.", lines.join("; "))
}
