//! Deep dive: summarises a text that the user pastes for a story; the summary is kept or dropped. The text itself is
//! not stored.

mod decision;
mod pasted_text;

use aha_core::digest::Estimate;
use aha_core::ids::ItemId;
use aha_core::summary::Summary;
use aha_llm::Outcome;
use aha_llm::local;
use aha_store::StoreError;
use serde::Serialize;

pub use self::decision::{DecidedSummary, KeptSummary, decide, kept};
pub use self::pasted_text::PastedText;
use super::stories::FoundStory;
use super::{Result, ServiceError};
use crate::app::App;

/// The limit of the task.
const MAX_CHARS: usize = 60_000;
/// UTF-8 has at most four bytes per character; the rest allows for surrounding white space.
pub const MAX_BYTES: u64 = 4 * 60_000 + 64_000;

/// Returns a pasted text with line feeds, without surrounding white space.
///
/// # Errors
/// When it is too long, empty or not UTF-8.
pub fn accept(bytes: Vec<u8>) -> Result<String> {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(unusable("the text is longer than 60,000 characters; give the part that matters"));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| unusable("the text is not UTF-8; save it as UTF-8 and give it again"))?;
    // A browser sends each line break of a form as two characters.
    let text = text.replace("\r\n", "\n");
    let text = text.trim_start_matches('\u{feff}').trim();
    match text.chars().count() {
        0 => Err(unusable("there is no text; give the one to be summarised")),
        n if n > MAX_CHARS => {
            Err(unusable(&format!("the text has {n} characters, more than 60,000; give the part that matters")))
        }
        _ => Ok(text.to_owned()),
    }
}

fn unusable(text: &str) -> ServiceError {
    ServiceError::invalid("text", text)
}

/// What a summary would cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeepDiveEstimate {
    /// The same text was summarised before, so it costs nothing.
    pub stored: bool,
    pub characters: usize,
    pub characters_sent: usize,
    /// `None` if the cost is unknown.
    pub estimate: Option<Estimate>,
}

/// Who gave a summarised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// The user pasted it. Nobody checked whether a source of the story has it.
    PastedByUser,
}

/// A summary of a pasted text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeepDive {
    pub item_id: ItemId,
    pub title: String,
    pub text_source: TextSource,
    pub summary: Summary,
    pub call_id: String,
    pub stored_before: bool,
    /// What this call cost; `None` if the model has no price.
    pub microcredits: Option<i64>,
    /// The answer, as it is stored.
    #[serde(skip)]
    answer_json: String,
}

impl DeepDive {
    /// Returns whether the summary consists of quotes by `local`, without a model. Such a summary is not stored.
    #[must_use]
    pub fn is_by_local(&self) -> bool {
        self.summary.provider == local::PROVIDER
    }
}

/// Returns the stored summary, or a new one.
///
/// # Errors
/// [`ServiceError::BudgetExhausted`] if no summary was requested because of the budget, [`ServiceError::Gateway`] if
/// every model failed.
pub async fn summarise(app: &App, found: &FoundStory, text: &PastedText) -> Result<DeepDive> {
    let (outcome, is_stored) = text.outcome(app).await?;
    let (answer, call_id) = match outcome {
        Outcome::Answered { answer, call_id } => (answer, call_id),
        Outcome::Failed { reason } => {
            return Err(ServiceError::Gateway { message: format!("there is no summary: {reason}") });
        }
        Outcome::Skipped { reason } => return Err(ServiceError::no_budget(&reason)),
    };
    let answer_json = answer.to_string();
    let microcredits = if is_stored {
        Some(0)
    } else {
        app.store().costs_of_calls(std::slice::from_ref(&call_id)).await?.iter().map(|cost| cost.microcredits).sum()
    };
    Ok(DeepDive {
        item_id: decision::item(&found.story)?,
        title: found.story.title.clone(),
        text_source: TextSource::PastedByUser,
        summary: serde_json::from_value(answer).map_err(StoreError::from)?,
        call_id,
        stored_before: is_stored,
        microcredits,
        answer_json,
    })
}

/// Keeps a new summary.
///
/// # Errors
/// When the store fails.
pub async fn promote(app: &App, made: &DeepDive) -> Result<()> {
    decision::promote(app, made.item_id, &made.answer_json, &made.call_id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_at_most_60000_characters_whatever_their_bytes() {
        assert_eq!(accept("\u{feff} a\n".into()).unwrap(), "a");
        assert_eq!(accept("a\r\nb\r\n".into()).unwrap(), "a\nb", "as a browser sends it");
        assert!(accept("a\r\n".repeat(MAX_CHARS / 2).into()).is_ok());
        assert!(accept("語".repeat(MAX_CHARS).into()).is_ok());
        for (text, said) in [("語".repeat(MAX_CHARS + 1), "60001 characters"), (" \n".to_owned(), "no text")] {
            assert!(accept(text.into()).unwrap_err().to_string().contains(said));
        }
        assert!(accept(vec![b'a'; 400_000]).unwrap_err().to_string().contains("60,000"));
        assert!(accept(vec![0xff, 0xfe]).unwrap_err().to_string().contains("UTF-8"));
    }
}
