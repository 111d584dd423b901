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

/// Whether it is one of OpenAI's own reasoning models, which count thinking as output, and refuse the older fields
/// and a temperature.
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

#[cfg(test)]
mod tests {
    use crate::provider::{ANTHROPIC, Dialect, GEMINI, OPENAI, OPENAI_COMPATIBLE};

    #[test]
    fn reasoning_models_take_no_temperature() {
        let openai: [&dyn Dialect; 2] = [&OPENAI, &OPENAI_COMPATIBLE];
        for dialect in openai {
            for model in ["gpt-5", "gpt-5-mini", "openai/gpt-5-nano", "gpt-5.1", "o3", "o4-mini"] {
                assert!(!dialect.takes_temperature(model), "{dialect:?} {model}");
            }
            for model in ["gpt-4o", "gpt-oss:20b", "qwen3", "openai/gpt-4.1-mini"] {
                assert!(dialect.takes_temperature(model), "{dialect:?} {model}");
            }
        }
        assert!(!ANTHROPIC.takes_temperature("claude-opus-4-7") && !ANTHROPIC.takes_temperature("claude-sonnet-5"));
        assert!(ANTHROPIC.takes_temperature("claude-opus-4-6") && ANTHROPIC.takes_temperature("claude-haiku-4-5"));
        assert!(GEMINI.takes_temperature("gpt-5"), "a name of another vendor");
    }
}
