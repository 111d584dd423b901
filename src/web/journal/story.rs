//! "Save to my notes" on a story: makes a plan of one statement, which continues like that of a day.

use aha_notes::literal;
use axum::extract::State;
use axum::response::Redirect;
use axum::routing::post;
use axum::{Extension, Router};

use super::blocking;
use crate::journal::drafts::Drafts;
use crate::services::stories::FoundStory;
use crate::web::form::SentForm;
use crate::web::pages::found_story;
use crate::web::{Editor, Failure, PathOf, WebState};

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/stories/{id}/notes", post(save_story))
}

async fn save_story(
    _: Editor,
    State(state): State<WebState>,
    Extension(drafts): Extension<Drafts>,
    PathOf(id): PathOf<String>,
    _form: SentForm,
) -> Result<Redirect, Failure> {
    let found = found_story(&state, &id).await?;
    let draft = blocking(|| drafts.keep(state.app(), &format!("story:{}", found.story.cluster_id), &text(&found)))?;
    Ok(Redirect::to(&format!("{}/journal/{draft}", state.prefix())))
}

/// Returns the statement: the story in one line, and its address.
fn text(found: &FoundStory) -> String {
    let story = &found.story;
    let summary = story.kept_summary.as_ref().or(story.summary.as_ref());
    let said = summary.map_or(story.title.as_str(), |summary| summary.one_liner.as_str());
    let source = story.sources.first().map_or("source", |source| source.name.as_str());
    statement(said, source, story.url.as_deref())
}

/// All three are from the source, so no markup in them takes effect. An address with characters that could end the link
/// or begin markup is left out.
fn statement(said: &str, source: &str, url: Option<&str>) -> String {
    let in_one_line = |text: &str| literal(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let said = in_one_line(said);
    let is_plain = |url: &&str| url.starts_with("http") && !url.contains(['(', ')', '[', '{', '<', '>', '\\', ' ']);
    match url.filter(is_plain) {
        Some(url) => format!("{said} ([{}]({url}))", in_one_line(&source.replace(['[', ']'], ""))),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn the_markup_of_a_source_is_saved_as_text() {
        assert_eq!(
            statement("Buy ![x](http://a/x.png)\n[[Page]] #tag", "Har[bour] {{news}}", Some("https://a.example/b#c")),
            "Buy !\\[x](http://a/x.png) \\[\\[Page]] \\#tag ([Harbour \\{\\{news}}](https://a.example/b#c))"
        );
        assert_eq!(statement("Tugs", "Harbour", Some("https://a.example/{{x}}")), "Tugs");
    }
}
