//! `aha-radar llm ask`: one question, one answer.

use std::io::{IsTerminal as _, Read as _, Stdout};
use std::path::Path;
use std::pin::pin;

use aha_core::money::MicroCredits;
use aha_core::purpose;
use aha_llm::ModelRef;
use aha_llm::catalogue::ResponseFormat;
use aha_llm::conversation::{Answer, Conversation, ConversationError, ConversationSettings, Progress};
use aha_llm::provider::AnswerFormat;
use anyhow::{Context as _, Result};
use futures::StreamExt as _;
use serde_json::{Value, json};

use super::super::arguments::AskArguments;
use super::super::exit::{Exit, UsageError};
use super::super::output;
use super::archives;
use super::streamed::StreamedAnswer;
use crate::app::App;
use crate::services::models;

/// Characters of a question, as of a pasted text.
const MAX_CHARS: usize = 60_000;

pub(super) async fn run(app: &App, arguments: AskArguments) -> Result<Exit> {
    let route = models::route(app, arguments.model.as_deref())?;
    let model = route.model.clone();
    let question = question(arguments.question)?;
    let response_format = route.options.response_format;
    let usual = ConversationSettings::of(route, arguments.system, purpose::ASK);
    let terms = ConversationSettings {
        format: format(arguments.schema.as_deref(), response_format)?,
        streams: arguments.stream,
        max_attempts: arguments.attempts.unwrap_or(usual.max_attempts),
        ..usual
    };
    let mut conversation = models::converse(app, purpose::ASK, terms)?;
    let mut streamed = arguments.stream.then(|| StreamedAnswer::new(std::io::stdout(), arguments.json));
    let asked = tokio::select! {
        asked = answered(&mut conversation, &question, streamed.as_mut()) => asked,
        _ = tokio::signal::ctrl_c() => return Ok(interrupted(app).await),
    };
    if let Some(folder) = &arguments.archive {
        let archive = conversation.archive();
        let path = archives::write(folder, archive.conversation_id(), &archive)?;
        output::note(&format!("archived in {}", path.display()));
    }
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => {
            if let Some(streamed) = &mut streamed {
                streamed.failed(&error.to_string());
            }
            return super::failed(error);
        }
    };
    let cost = models::cost(app, &answer).await?;
    if let Some(streamed) = &mut streamed {
        streamed.answered(&answer.text, || as_json(answer.clone(), &model, cost));
        if arguments.json {
            return Ok(Exit::Ok);
        }
    } else if arguments.json {
        output::print_json(&as_json(answer, &model, cost))?;
        return Ok(Exit::Ok);
    } else if let Some(object) = &answer.object {
        // The accepted object, without what the model wrote around it.
        output::print_json(object)?;
    } else {
        output::print(&output::one_safe_text(&answer.text))?;
    }
    let tokens = match (answer.input_tokens, answer.output_tokens) {
        (Some(input), Some(output)) => format!("{input} tokens in, {output} out"),
        _ => "usage not reported".to_owned(),
    };
    let cost = cost.map_or_else(
        || "cost unknown, as the model has no price".to_owned(),
        |cost| format!("{} credits", MicroCredits(cost)),
    );
    output::note(&format!("{model}: {tokens}, {cost}"));
    Ok(Exit::Ok)
}

/// Asks for the answer, and shows progress on the way.
async fn answered(
    conversation: &mut Conversation,
    question: &str,
    mut streamed: Option<&mut StreamedAnswer<Stdout>>,
) -> std::result::Result<Answer, ConversationError> {
    let mut progress = pin!(conversation.ask_stream(question, None));
    while let Some(event) = progress.next().await {
        match (event, &mut streamed) {
            (Progress::Ended(outcome), _) => return outcome.map(|answer| *answer),
            (event, Some(streamed)) => streamed.show(&event),
            (_, None) => {}
        }
    }
    Err(ConversationError::NotSent("the conversation ended without an answer".to_owned()))
}

/// Waits for the exchange to end, unless the user interrupts again.
async fn interrupted(app: &App) -> Exit {
    output::note(
        "aha-radar: interrupted; waiting for the end of the exchange, so that its cost is known (again: leave at once)",
    );
    tokio::select! {
        () = models::settled(app) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    Exit::Interrupted
}

fn as_json(answer: Answer, model: &ModelRef, cost: Option<i64>) -> Value {
    json!({
        "answer": answer.object.map_or_else(|| Value::from(answer.text), Value::Object),
        "provider": model.provider,
        "model": model.model,
        "usage": { "input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens },
        "attempts": answer.attempts,
        "cost_microcredits": cost,
    })
}

fn question(given: Option<String>) -> Result<String> {
    let text = if let Some(text) = given {
        text
    } else {
        if std::io::stdin().is_terminal() {
            output::note("type the question, then press Enter and Ctrl-D");
        }
        let mut text = String::new();
        std::io::stdin().lock().take(4 * MAX_CHARS as u64 + 1).read_to_string(&mut text)?;
        text
    };
    let text = text.trim();
    match text.chars().count() {
        0 => Err(UsageError("there is no question: give it as an argument, or on standard input".to_owned()).into()),
        1..=MAX_CHARS => Ok(text.to_owned()),
        n => Err(UsageError(format!("the question has {n} characters, more than {MAX_CHARS}")).into()),
    }
}

/// Returns the answer format: the schema's, else that of the model's entry. For a model that is in no catalogue, plain
/// text.
fn format(schema: Option<&Path>, of_entry: Option<ResponseFormat>) -> Result<AnswerFormat> {
    let Some(path) = schema else {
        return Ok(match of_entry {
            Some(ResponseFormat::Json) => AnswerFormat::Json,
            Some(ResponseFormat::Text) | None => AnswerFormat::Text,
        });
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let schema: Value =
        serde_json::from_str(&text).map_err(|error| UsageError(format!("{} is no JSON: {error}", path.display())))?;
    if !schema.is_object() {
        return Err(UsageError(format!("{} is no JSON Schema: it has to be an object", path.display())).into());
    }
    Ok(AnswerFormat::Schema { name: "answer".to_owned(), schema: schema.into() })
}
