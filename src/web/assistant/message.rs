//! `POST /api/assistant/message`: answers a message in one response.

use aha_planner::language::Selection;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::bad_request;
use crate::assistant::{self, Answer, MAX_MESSAGE_CHARS, Message, Mode, Turn};
use crate::web::extract::read_value;
use crate::web::{Editor, Failure, JsonBody, WebState};

/// A sentence of the user's.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(super) struct MessageBody {
    /// 1 to 4000 characters.
    #[schema(value_type = String, min_length = 1)]
    message: Value,
    /// What was said before, as a list of `{"role", "text"}`; the last three turns count, and what is of another form
    /// is passed over.
    #[schema(value_type = Value)]
    transcript: Value,
    #[schema(value_type = Value)]
    options: Value,
    /// `plan` (default), `chat` or `auto`; also as `options.mode`.
    #[schema(value_type = Option<String>)]
    mode: Value,
}

impl MessageBody {
    /// Builds the body from query parameters, where structured values are JSON.
    pub(super) fn of_query(message: String, transcript: &str, options: &str, clarify: &str, mode: String) -> Self {
        let read = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        let mut options: Value = read(options);
        let clarify = read(clarify);
        if !clarify.is_null() {
            options = serde_json::json!({ "mode": options["mode"], "clarify": clarify });
        }
        let mode = if mode.is_empty() { Value::Null } else { Value::String(mode) };
        Self { message: message.into(), transcript: read(transcript), options, mode }
    }

    /// # Errors
    /// 400 if the message is not text or too long, or the mode is unknown.
    pub(super) fn into_message(self) -> Result<Message, Failure> {
        let text = self.message.as_str().map(str::trim).unwrap_or_default();
        if text.is_empty() || text.chars().count() > MAX_MESSAGE_CHARS {
            let message = format!("`message` is a text of 1 to {MAX_MESSAGE_CHARS} characters");
            return Err(bad_request("invalid_message", message));
        }
        let mode = if self.mode.is_null() { &self.options["mode"] } else { &self.mode };
        let mode = match mode {
            Value::Null => Mode::default(),
            mode => serde_json::from_value(mode.clone())
                .map_err(|_| bad_request("invalid_mode", "`mode` is plan, chat or auto"))?,
        };
        let clarify = &self.options["clarify"];
        let selection = match &clarify["selection"] {
            Value::Null => Selection::default(),
            selection => read_value(selection, "options.clarify.selection")
                .map_err(|message| bad_request("invalid_selection", message))?,
        };
        let turn = |turn: &Value| -> Option<Turn> { serde_json::from_value(turn.clone()).ok() };
        let transcript = self.transcript.as_array().into_iter().flatten().filter_map(turn).collect();
        let question = clarify["question"].as_str().map(ToOwned::to_owned);
        Ok(Message { text: text.to_owned(), mode, transcript, question, selection })
    }
}

/// Answers a message: with operations to look at, with words, or with a question. Nothing is changed.
#[utoipa::path(
    post, path = "/api/assistant/message", tag = "assistant", request_body = MessageBody,
    responses(
        (status = 200, description = "`text`, `operations` with their errors, `version`, and where it asks `question` and `options`", body = Object),
        (status = 400, description = "no message, or not of this form"),
    ),
)]
pub(super) async fn message(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(body): JsonBody<MessageBody>,
) -> Result<Json<Answer>, Failure> {
    let message = body.into_message()?;
    Ok(Json(Box::pin(assistant::answer(state.app(), &message, |_| {})).await?))
}
