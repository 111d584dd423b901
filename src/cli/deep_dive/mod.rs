//! `aha-radar deep-dive`: a text that the owner pastes for a story is summarised, and the summary kept or dropped.

mod asking;
mod pasted;
mod review;

use aha_core::digest::DigestStory;
use aha_core::money::MicroCredits;
use aha_core::summary::Summary;
use aha_llm::Outcome;
use aha_llm::local;
use anyhow::{Result, anyhow};
use serde_json::json;

use self::asking::Asking;
use super::arguments::DeepDiveArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::digest::deep_dive::render;
use crate::services::stories::{self, FoundStory};

pub(super) async fn run(app: &App, arguments: DeepDiveArguments) -> Result<Exit> {
    let FoundStory { digest, story } = stories::find(app, &arguments.item, &arguments.topic).await?;
    if arguments.drop || (arguments.promote && arguments.file.is_none()) {
        let kept = review::decide(app, &story, arguments.promote, arguments.json).await;
        return kept.map(|()| Exit::Ok);
    }
    let text = pasted::read(arguments.file.as_deref())?;
    let asking = Asking::about(app, &digest.topic, &story, &text).await?;
    if arguments.estimate {
        if arguments.json {
            output::print_json(&asking.preview_json())?;
        } else {
            output::print(&asking.preview())?;
        }
        return Ok(Exit::Ok);
    }
    output::note(&asking.preview());
    match asking.ask(app).await? {
        Outcome::Answered { answer, call_id } => {
            show(app, &asking, &story, serde_json::from_value(answer.clone())?, &call_id, arguments.json).await?;
            if arguments.promote {
                review::promote(app, review::item(&story)?, &answer.to_string(), &call_id).await?;
                output::note("the summary is kept");
            } else {
                let name = &arguments.item;
                output::note(&if answer["provider"] == local::PROVIDER {
                    "these are quotes, which are stored nowhere: to keep them, give the text again with --promote"
                        .to_owned()
                } else {
                    format!("keep it with `aha-radar deep-dive {name} --promote`, or say `--drop`")
                });
            }
            Ok(Exit::Ok)
        }
        Outcome::Failed { reason } => Err(anyhow!("there is no summary: {reason}")),
        Outcome::Skipped { reason } => {
            output::note(&format!("aha-radar: no summary was asked for: {reason}; see `aha-radar spend`"));
            Ok(Exit::BudgetExhausted)
        }
    }
}

async fn show(
    app: &App,
    asking: &Asking,
    story: &DigestStory,
    summary: Summary,
    call_id: &str,
    as_json: bool,
) -> Result<()> {
    let paid: i64 = if asking.is_answered() {
        0
    } else {
        app.store().costs_of_calls(&[call_id.to_owned()]).await?.iter().map(|cost| cost.microcredits).sum()
    };
    if as_json {
        return output::print_json(&json!({
            "item_id": review::item(story)?,
            "title": story.title,
            "summary": summary,
            "call_id": call_id,
            "stored_before": asking.is_answered(),
            "microcredits": paid,
        }));
    }
    let cost = if paid == 0 { "nothing".to_owned() } else { format!("{} credits", MicroCredits(paid)) };
    output::print(&render(
        &story.title,
        &summary,
        &format!("cost: {cost}"),
        output::width(),
        output::colour_on_stdout(),
    ))
}

/// Something the owner has to do first.
fn wrong(text: &str) -> anyhow::Error {
    UsageError(text.to_owned()).into()
}
