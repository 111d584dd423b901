//! Decides whether a message is to be planned, answered in words, or answered with a question. Only in the mode `auto`.

use aha_planner::language::{Question, Reading, read};
use aha_planner::matching::{matches, ranked_options};
use serde::Deserialize;
use serde_json::Value;

use super::model::{self, ModelReply};
use super::{CHAT_THRESHOLD, CLARIFY_THRESHOLD, Decision, Draft};
use crate::app::App;
use crate::services::Result;
use aha_llm::tasks::assistant;

/// A model's answer.
#[derive(Debug, Deserialize)]
struct Routed {
    decision: String,
    confidence: f64,
    question: Option<String>,
    /// The names in the message, as written.
    #[serde(default)]
    entities: Value,
}

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    // A selection by the user implies planning, and which records it is about.
    if !draft.message.selection.is_empty() {
        return Ok(());
    }
    match model::ask(app, assistant::ROUTE, draft, Value::Null).await? {
        ModelReply::Answered(answer) => match Routed::deserialize(&answer) {
            Ok(routed) => {
                follow(draft, &routed);
                if draft.decision == Decision::Clarify {
                    draft.made_by_model(&answer);
                }
            }
            Err(_) => by_rules(draft),
        },
        ModelReply::Unavailable => by_rules(draft),
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

/// Returns the records with these names. If any name matches no record, returns none, so that the whole context is
/// used.
fn named(draft: &Draft<'_>, entities: &Value) -> Vec<i64> {
    let names: Vec<&str> = entities.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let found = |name: &&str| matches(name, draft.state.candidates(draft.today.date, false));
    let found: Vec<_> = names.iter().map(found).collect();
    if found.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    found.into_iter().flatten().map(|candidate| candidate.id).collect()
}

/// Low confidence leads to a question, moderate confidence to an answer in words instead of a plan.
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
        Reading::Chat => draft.decision = Decision::Chat,
        Reading::Clarify(question) if question.understood.is_empty() => draft.ask(question),
        Reading::Plan(_) | Reading::Clarify(_) => {}
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
