//! The reasoning effort of a request, in the terms of OpenAI's APIs.

use crate::provider::ModelRequest;
use crate::settings::Effort;

/// Returns the name of a request's effort; `None` where none is requested, or the model accepts none. Only models from
/// 5.1 on know `none`. The minimum is `minimal` for the first models of that family, and `low` for the o-series and the
/// open models; older models refuse the field.
pub(super) fn word(request: &ModelRequest) -> Option<&'static str> {
    let effort = request.effort.filter(|_| request.capabilities.reasoning_effort)?;
    let name = without_vendor(&request.model);
    let word = match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::None => return min_effort(name),
    };
    (!takes_no_effort(name)).then_some(word)
}

/// Whether it is one of OpenAI's own reasoning models, which count thinking as output and refuse the older fields.
pub(super) fn is_openai_reasoner(model: &str) -> bool {
    let name = without_vendor(model);
    name.starts_with("gpt-5") || is_o_series(name)
}

/// Whether it is one of OpenAI's open models, which can reduce their thinking, but not disable it.
pub(super) fn is_open(model: &str) -> bool {
    without_vendor(model).starts_with("gpt-oss")
}

/// Returns the name without the vendor that some servers prepend.
fn without_vendor(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

fn min_effort(name: &str) -> Option<&'static str> {
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
