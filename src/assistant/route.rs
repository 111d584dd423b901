//! Whether a message is to be planned, answered in words, or asked about. Only in the mode `auto`.

use aha_planner::language::{Question, Reading, read};
use aha_planner::matching::{matches, ranked_options};
use serde::Deserialize;
use serde_json::Value;

use super::model::{self, Asked};
use super::{CHAT_THRESHOLD, CLARIFY_THRESHOLD, Decision, Draft};
use crate::app::App;
use crate::services::Result;
use aha_llm::tasks::assistant;

/// What a model answers.
#[derive(Debug, Deserialize)]
struct Routed {
    decision: String,
    confidence: f64,
    question: Option<String>,
    /// What the message names, in its own words.
    #[serde(default)]
    entities: Value,
}

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    // What was chosen says that something is to be planned, and of what.
    if !draft.message.selection.is_empty() {
        return Ok(());
    }
    match model::ask(app, assistant::ROUTE, draft, Value::Null).await? {
        Asked::Answered(answer) => match serde_json::from_value::<Routed>(answer) {
            Ok(routed) => follow(draft, &routed),
            Err(_) => by_rules(draft),
        },
        Asked::Nobody => by_rules(draft),
    }
    Ok(())
}

fn follow(draft: &mut Draft<'_>, routed: &Routed) {
    draft.decision = decision(&routed.decision, routed.confidence);
    if draft.decision == Decision::Clarify {
        let said = routed.question.as_deref().map(str::trim).filter(|question| !question.is_empty());
        let candidates = draft.state.candidates(draft.today.date, false);
        let options = ranked_options(&draft.message.text, candidates);
        draft.ask(Question::new(said.unwrap_or("Which item do you mean?"), options));
    } else {
        draft.focus = named(draft, &routed.entities);
    }
}

/// The records that the names stand for. Where one of the names stands for none, the whole context is wanted.
fn named(draft: &Draft<'_>, entities: &Value) -> Vec<i64> {
    let names: Vec<&str> = entities.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let found = |name: &&str| matches(name, draft.state.candidates(draft.today.date, false));
    let found: Vec<_> = names.iter().map(found).collect();
    if found.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    found.into_iter().flatten().map(|candidate| candidate.id).collect()
}

/// Little confidence asks; some of it talks rather than plans.
fn decision(said: &str, confidence: f64) -> Decision {
    match said {
        _ if confidence.is_nan() || confidence < CLARIFY_THRESHOLD => Decision::Clarify,
        "clarify" => Decision::Clarify,
        "chat" => Decision::Chat,
        _ if confidence < CHAT_THRESHOLD => Decision::Chat,
        _ => Decision::Plan,
    }
}

fn by_rules(draft: &mut Draft<'_>) {
    match read(&draft.message.text, &draft.state, draft.today, &draft.message.selection) {
        Reading::Plan(_) => {}
        Reading::Chat => draft.decision = Decision::Chat,
        Reading::Clarify(question) => draft.ask(question),
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, decision};

    #[test]
    fn the_thresholds_are_those_of_the_contract() {
        let cases = [
            ("plan", 0.44, Decision::Clarify),
            ("plan", 0.45, Decision::Chat),
            ("plan", 0.69, Decision::Chat),
            ("plan", 0.70, Decision::Plan),
            ("chat", 0.99, Decision::Chat),
            ("chat", 0.10, Decision::Clarify),
            ("clarify", 0.90, Decision::Clarify),
            ("plan", f64::NAN, Decision::Clarify),
        ];
        for (said, confidence, expected) in cases {
            assert_eq!(decision(said, confidence), expected, "{said} {confidence}");
        }
    }
}
