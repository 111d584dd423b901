//! Describes a failed request to a model: what failed, why, and what the user can do.

use aha_llm::StreamFailure;
use aha_llm::error::CallError;

/// Returns three lines. `about` is the subject of the phase's request.
pub(super) fn in_words(phase: &str, about: &str, failure: &StreamFailure) -> String {
    let (reason, action) = match failure {
        StreamFailure::Provider { model, error } => {
            let (reason, action) = of_call(error);
            (format!("{reason}, by {model}"), action)
        }
        StreamFailure::NoBudget(why) => (why.clone(), "Raise the budget, or go by rules (--local on the command line)"),
        StreamFailure::NotSent(why) => (why.clone(), "Correct that, then retry"),
    };
    format!("Error: LLM request failed ({phase} of {about})\nReason: {reason}\nSuggested Action: {action}")
}

/// Describes a block that is not sent because an answer would have no room for it. `about` is its day.
pub(super) fn too_long(about: &str, text: &str, max_chars: usize) -> String {
    let beginning: String = text.chars().take(60).collect();
    format!(
        "Error: No model was asked about a block (classification of {about}): \"{}…\"\nReason: It is longer than \
         {max_chars} characters, too long for one answer\nSuggested Action: Divide it into several blocks in the \
         journal, then extract the day again",
        beginning.replace('\n', " ")
    )
}

fn of_call(error: &CallError) -> (String, &'static str) {
    match error {
        CallError::Unauthorized(said) => (
            format!("Invalid API key (401 Unauthorized: {said})"),
            "Check OPENAI_API_KEY, or api_key in the catalogue that AHA_LLM_CONFIG names",
        ),
        CallError::RateLimited { message, .. } => {
            (format!("Rate limit exceeded (429 Too Many Requests: {message})"), "Wait a minute, then retry")
        }
        CallError::Server { status, message } => (
            format!("LLM service error ({status}: {message})"),
            "Retry; if it fails again, look into the server's own log",
        ),
        CallError::Overloaded { status, message, .. } => {
            (format!("LLM service down ({status} Service Unavailable: {message})"), "Retry later")
        }
        CallError::Connect(_) => {
            (error.to_string(), "Check that the server runs and its address; `aha-radar journal init` asks it")
        }
        CallError::TimedOut(_) | CallError::Stalled(_) | CallError::Interrupted(_) => {
            (error.to_string(), "Retry; what was answered is kept")
        }
        CallError::UnknownModel(said) => (format!("Unknown model (404: {said})"), "Name a model that the server has"),
        CallError::Forbidden(said) => {
            (format!("Access refused (403: {said})"), "Check that the key, its account and region may use this model")
        }
        CallError::Refused { status, message } => (
            format!("Request refused ({status}: {message})"),
            "If it names a parameter or a limit, change the model's settings; or go by rules (--local on the command \
             line)",
        ),
        _ => (error.to_string(), "Retry, or go by rules (--local on the command line)"),
    }
}

#[cfg(test)]
mod tests {
    use aha_llm::ModelRef;

    use super::*;

    #[test]
    fn a_failure_names_reason_and_next_step() {
        let model = ModelRef { provider: "ollama".to_owned(), model: "m".to_owned() };
        let words =
            |error| in_words("classification", "2026_03_02", &StreamFailure::Provider { model: model.clone(), error });
        assert_eq!(
            words(CallError::Unauthorized("no such key".to_owned())),
            "Error: LLM request failed (classification of 2026_03_02)\nReason: Invalid API key (401 Unauthorized: no such key), by ollama/m\n\
             Suggested Action: Check OPENAI_API_KEY, or api_key in the catalogue that AHA_LLM_CONFIG names"
        );
        let limited = CallError::RateLimited { message: "slow down".to_owned(), retry_after: None };
        assert!(words(limited).contains("Reason: Rate limit exceeded (429 Too Many Requests: slow down)"));
        let unknown = words(CallError::UnknownModel("no such model".to_owned()));
        assert!(unknown.contains("Reason: Unknown model (404: no such model), by ollama/m\n"), "{unknown}");
        let down = CallError::Overloaded { status: 503, message: "busy".to_owned(), retry_after: None };
        assert!(words(down).contains("Reason: LLM service down (503 Service Unavailable: busy)"));
    }
}
