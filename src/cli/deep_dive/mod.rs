//! `aha-radar deep-dive`: summarises a text that the user pastes for a story; the summary is kept or dropped.

mod pasted;

use aha_core::money::MicroCredits;
use anyhow::Result;

use super::arguments::DeepDiveArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::digest::deep_dive::render;
use crate::services::ServiceError;
use crate::services::deep_dive::{self, DeepDive, DeepDiveEstimate, PastedText, TextSource};
use crate::services::stories::{self, FoundStory};

pub(super) async fn run(app: &App, arguments: DeepDiveArguments) -> Result<Exit> {
    let found = stories::find_in(app, &arguments.item, arguments.topic.as_deref()).await?;
    if arguments.drop || (arguments.promote && arguments.file.is_none()) {
        return decide(app, &found, &arguments).await;
    }
    let text = pasted::read(arguments.file.as_deref())?;
    let text = PastedText::about(app, &found, &text).await?;
    let estimate = text.estimate();
    if arguments.estimate {
        if arguments.json {
            output::print_json(&estimate)?;
        } else {
            output::print(&in_words(&estimate))?;
        }
        return Ok(Exit::Ok);
    }
    output::note(&in_words(&estimate));
    match deep_dive::summarise(app, &found, &text).await {
        Ok(made) => {
            show(&made, arguments.json)?;
            if arguments.promote {
                deep_dive::promote(app, &made).await?;
                output::note("the summary is kept");
            } else {
                output::note(&next_step(&made, &arguments.item));
            }
            Ok(Exit::Ok)
        }
        Err(ServiceError::BudgetExhausted { message }) => {
            output::note(&format!("aha-radar: no summary was asked for: {message}; see `aha-radar spend`"));
            Ok(Exit::BudgetExhausted)
        }
        Err(error) => Err(error.into()),
    }
}

async fn decide(app: &App, found: &FoundStory, arguments: &DeepDiveArguments) -> Result<Exit> {
    let decided = match deep_dive::decide(app, &found.story, arguments.promote, None).await {
        Err(ServiceError::NotFound { what: "summary", message }) => {
            return Err(UsageError(format!("{message} with --file, and with --promote to keep it at once")).into());
        }
        decided => decided?,
    };
    if arguments.json {
        output::print_json(&decided)?;
    } else {
        let text = format!("{}: the summary for {:?}", decided.decision, decided.title);
        output::print(&output::one_safe_text(&text))?;
    }
    Ok(Exit::Ok)
}

fn next_step(made: &DeepDive, item: &str) -> String {
    if made.is_by_local() {
        return "these are quotes, which are stored nowhere: to keep them, give the text again with --promote"
            .to_owned();
    }
    if made.stored_before {
        // It may have been made for another story, where no decision on this one finds it.
        return "to keep it with this story, give the text again with --promote, which costs nothing".to_owned();
    }
    format!("keep it with `aha-radar deep-dive {item} --promote`, or say `--drop`")
}

fn show(made: &DeepDive, as_json: bool) -> Result<()> {
    if as_json {
        return output::print_json(made);
    }
    let cost = match made.microcredits {
        None => "unknown, as the model has no price".to_owned(),
        Some(0) => "nothing".to_owned(),
        Some(paid) => format!("{} credits", MicroCredits(paid)),
    };
    let footer = format!("cost: {cost}");
    let summary = render(&made.title, &made.summary, &footer, output::width(), output::colour_on_stdout());
    output::print(&format!("{}\n{summary}", origin(made.text_source)))
}

const fn origin(text_source: TextSource) -> &'static str {
    match text_source {
        TextSource::PastedByUser => "summary of the text you pasted; the story's sources did not give it",
    }
}

fn in_words(estimate: &DeepDiveEstimate) -> String {
    if estimate.stored {
        return "this text has been summarised already: it costs nothing".to_owned();
    }
    let DeepDiveEstimate { characters: all, characters_sent: sent, estimate, .. } = estimate;
    let Some(estimate) = estimate else { return "the cost cannot be estimated".to_owned() };
    let tokens = format!("{} tokens in, {} out", estimate.input_tokens, estimate.output_tokens);
    let cost = estimate.microcredits.map_or_else(|| "no price set".to_owned(), |amount| format!("{amount} credits"));
    let cut = if sent < all {
        format!("; only the first {sent} of {all} characters are sent (OPENAI_MANUAL_SUMMARY_MAX_INPUT_CHARS)")
    } else {
        String::new()
    };
    if estimate.configured {
        format!("about {cost} with {}: {tokens}{cut}", estimate.model)
    } else {
        format!("answered by `local`, free; a model ({}, for example) would take about {cost}", estimate.model)
    }
}
