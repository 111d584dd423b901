//! How much a model is to think, in the words of OpenAI's interfaces.

use crate::provider::ModelRequest;
use crate::settings::Effort;

/// The word for a request's effort; `None` where none is asked for, or the model takes none. Only models from 5.1 on know `none`;
/// the first of that family has `minimal` as its least, the o-series and the open ones `low`, and older models refuse the field.
pub(super) fn word(request: &ModelRequest) -> Option<&'static str> {
    let effort = request.effort.filter(|_| request.capabilities.reasoning_effort)?;
    let name = bare(&request.model);
    let word = match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::None => return least(name),
    };
    (!takes_no_effort(name)).then_some(word)
}

/// Whether it is one of OpenAI's own that think, which count their thoughts as output and refuse the older fields.
pub(super) fn is_openai_reasoner(model: &str) -> bool {
    let name = bare(model);
    name.starts_with("gpt-5") || is_o_series(name)
}

/// Whether it is one of OpenAI's open models, which can think less, but not stop.
pub(super) fn is_open(model: &str) -> bool {
    bare(model).starts_with("gpt-oss")
}

/// Without the maker that some servers put in front.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

fn least(name: &str) -> Option<&'static str> {
    if takes_no_effort(name) {
        return None;
    }
    if name.starts_with("gpt-5") && !name.starts_with("gpt-5.") {
        return Some("minimal");
    }
    if is_o_series(name) || is_open(name) {
        return Some("low");
    }
    name.starts_with("gpt-").then_some("none")
}

fn takes_no_effort(name: &str) -> bool {
    ["gpt-3", "gpt-4", "chatgpt-"].iter().any(|old| name.starts_with(old))
}

fn is_o_series(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('o') && letters.next().is_some_and(|c| c.is_ascii_digit())
}
