//! `aha-radar item`: explains why a story is shown, with every term of its score in words.

use std::fmt::Display;

use aha_content::numbers::days;
use aha_core::digest::{DigestStory, Label, Relevance, ScoreDebug};
use aha_core::summary::Summary;
use anyhow::Result;
use serde_json::Value;

use super::arguments::ItemArguments;
use super::exit::Exit;
use super::listing::hung;
use super::output;
use crate::app::App;
use crate::digest::view::final_score_in_words;
use crate::services::stories;

pub(super) async fn run(app: &App, arguments: ItemArguments) -> Result<Exit> {
    let story = stories::find_in(app, &arguments.item, arguments.topic.as_deref()).await?.story;
    if arguments.json {
        output::print_json(&with_markup(app, &story).await?)?;
    } else {
        output::print(&hung(&output::one_safe_text(&in_words(&story)), indent))?;
    }
    Ok(Exit::Ok)
}

/// Columns of the names before the first facts.
const NAMES: usize = 14;

/// Returns the columns by which the rest of a line that is too long is indented.
fn indent(line: &str) -> usize {
    let own = line.chars().take_while(|c| *c == ' ').count();
    let is_named = own == 0 && line.chars().nth(NAMES - 1) == Some(' ') && line.chars().nth(NAMES - 2) == Some(' ');
    if is_named { NAMES } else { own + 2 }
}

/// Returns the story as JSON, each of its items with its markup, if any, sanitised for display in a page.
async fn with_markup(app: &App, story: &DigestStory) -> Result<Value> {
    let markup = stories::markup(app, story).await?;
    let mut value = serde_json::to_value(story)?;
    for (index, source) in story.sources.iter().enumerate() {
        if let Some(html) = markup.get(&source.item_id) {
            value["sources"][index]["html"] = html.as_str().into();
        }
    }
    Ok(value)
}

/// Digits of an id that digests show.
const SHORT_ID: usize = 6;

/// Returns the first digits of an id, as digests show it.
pub(super) fn short(id: impl Display) -> String {
    id.to_string().chars().take(SHORT_ID).collect()
}

pub(super) fn in_words(story: &DigestStory) -> String {
    if !stories::is_shown(story) {
        return not_shown(story);
    }
    let score =
        story.aha_score.map_or_else(|| format!("not judged ({})", story.state), |score| format!("{score} of 100"));
    let mut lines = vec![
        format!("{}. {}", story.rank, story.title),
        format!("   {}", story.url.as_deref().unwrap_or("(no link)")),
        String::new(),
        format!("Aha score     {score}"),
        format!("Final score   {}", final_score_in_words(story)),
        format!("Label         {}", story.label.map_or("none", Label::in_words)),
        format!("Reason        {}", story.reason),
    ];
    if let Some(triage) = &story.triage {
        lines.push(format!("Judged by     {} {} ({})", triage.provider, triage.model, triage.prompt_id));
    }
    lines.extend(named(story));
    lines.extend(story.kept_summary.iter().flat_map(kept_summary));
    lines.push(String::new());
    lines.extend(terms(&story.score_debug));
    lines.push(String::new());
    lines.extend(facts(&story.score_debug));
    lines.push(String::new());
    lines.extend(told_by(story));
    lines.push(String::new());
    lines.push(ids(story));
    lines.join("\n")
}

/// Formats what is known of a story that its digest leaves out, or showed before it was made again.
fn not_shown(story: &DigestStory) -> String {
    let mut lines = vec![
        story.title.clone(),
        format!("   {}", story.url.as_deref().unwrap_or("(no link)")),
        String::new(),
        format!(
            "{}, so there is no score to explain. `aha-radar feedback {} like` still counts.",
            story.reason, story.id
        ),
        String::new(),
    ];
    lines.extend(told_by(story));
    lines.push(String::new());
    lines.push(ids(story));
    lines.join("\n")
}

fn ids(story: &DigestStory) -> String {
    format!("Ids           item {}  cluster {}", story.id, story.cluster_id)
}

fn told_by(story: &DigestStory) -> Vec<String> {
    let mut lines = vec!["Told by".to_owned()];
    for source in &story.sources {
        let copy = if source.copy { " (a copy of another's text)" } else { "" };
        let dated = if source.dated { "" } else { " (no date given: when first seen)" };
        lines.push(format!("  {} · {}{dated}{copy}", source.published_at, source.name));
        lines.push(format!("    {}", source.title));
        lines.extend(source.url.iter().map(|url| format!("    {url}")));
    }
    lines
}

/// Formats the kept summary of a pasted text.
fn kept_summary(summary: &Summary) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!("Kept summary of a text you pasted, by {}/{}", summary.provider, summary.model),
        format!("  {}", summary.one_liner),
    ];
    let parts = [
        ("", &summary.bullets),
        ("Why it matters", &summary.why_it_matters),
        ("Caveats", &summary.risks_or_caveats),
        ("What next", &summary.suggested_followups),
    ];
    for (heading, points) in parts.into_iter().filter(|(_, points)| !points.is_empty()) {
        lines.extend((!heading.is_empty()).then(|| format!("  {heading}")));
        lines.extend(points.iter().map(|point| format!("    • {point}")));
    }
    lines
}

/// Formats the named entities, and the model that extracted them.
fn named(story: &DigestStory) -> Option<String> {
    let entities = story.entities.as_ref()?;
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    let names =
        entities["entities"].as_array()?.iter().map(|one| format!("{} ({})", text(one, "name"), text(one, "type")));
    let by = text(entities, "provider");
    Some(format!("Names         {} (by {by})", names.collect::<Vec<_>>().join(", ")))
}

fn terms(debug: &ScoreDebug) -> Vec<String> {
    let weights = &debug.weights;
    let noise =
        if debug.noise_factor < 1.0 { format!(" × noise factor {:.3}", debug.noise_factor) } else { String::new() };
    let judged = debug.ai.map_or_else(
        || format!("no judgement; the score from the facts is used: {:.2}{noise}", debug.stand_in),
        |ai| format!("judgement: {} × {:.0} (by the facts alone: {:.2})", weights.ai, ai * 100.0, debug.stand_in),
    );
    let recent = debug.heuristic - 0.5;
    let decayed = weights.decay * (1.0 - debug.decay);
    vec![
        "How the final score comes about".to_owned(),
        format!("  {judged}"),
        format!(
            "  heuristic: {:+.2} = {} × ({:.3} − 0.5), of 0.6 × recency {:.3} + 0.4 × engagement {:.3}",
            weights.heuristic * recent,
            weights.heuristic,
            debug.heuristic,
            debug.recency,
            debug.engagement
        ),
        format!(
            "  novelty: {:+.2} = {} × ({:.3} − 0.5)",
            weights.novelty * (debug.novelty - 0.5),
            weights.novelty,
            debug.novelty
        ),
        format!(
            "  decay: {:+.2} = −{} × (1 − {:.4}), e to the −{:.1} h before the window's end / {:.0} h",
            -decayed, weights.decay, debug.decay, debug.age_hours, debug.decay_hours
        ),
        "    (the topic's decay time, or the length of the window if that is longer)".to_owned(),
        preference(debug),
        format!("  = base {:.4}: the judgement moved by {:+.4}, within its band", debug.base, debug.shift),
        format!("  × source weight {:.2} × rule boost {:.2}", debug.source_weight, debug.rule_boost),
        format!("  − diversity {:.2}, for stories above it of its source or author", debug.diversity),
        "  = final score".to_owned(),
    ]
}

fn degree(relevance: &Relevance) -> String {
    let sentence = relevance.sentence_similarity.map(|cosine| format!(", sentence model {cosine:+.2}"));
    format!(
        "{:.2}: words {:.2}, meaning {:+.2}{}, other items of the source {:.2}, allowed {:.2}",
        relevance.degree,
        relevance.matched,
        relevance.dense_similarity,
        sentence.unwrap_or_default(),
        relevance.source_prior,
        relevance.allowed
    )
}

/// Formats the points of likes and dislikes; those of `local` are part of its judgement.
fn preference(debug: &ScoreDebug) -> String {
    let is_in_judgement = debug.preference == 0.0 && debug.leaning.degree != 0.0;
    let points = if is_in_judgement { "within the judgement".to_owned() } else { format!("{:+.2}", debug.preference) };
    let general = match debug.evidence.feedback_weight {
        weight if weight > 0.0 && !debug.evidence.has_interests => {
            format!("; general worth counts for {:.0} %, as you liked something", (1.0 - weight) * 100.0)
        }
        _ => String::new(),
    };
    format!("  preference: {points}{}{general}", matched_feedback(debug))
}

/// Formats the terms that matched earlier feedback, and the share of the vectors.
fn matched_feedback(debug: &ScoreDebug) -> String {
    let said = debug.leaning.in_words().map(|words| format!(" ({words})")).unwrap_or_default();
    let mut terms: Vec<String> =
        debug.leaning.because.iter().map(|(term, share)| format!("{term} {share:+.2}")).collect();
    if debug.leaning.vector != 0.0 {
        terms.push(format!("meaning {:+.2}", debug.leaning.vector));
    }
    if terms.is_empty() { said } else { format!("{said} (of what you said: {})", terms.join(", ")) }
}

fn facts(debug: &ScoreDebug) -> Vec<String> {
    let evidence = &debug.evidence;
    let mut lines =
        vec!["What is known of it".to_owned(), format!("  independent sources: {}", evidence.distinct_sources)];
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("  {name}: {value}"));
        }
    };
    let list = |values: &[String]| (!values.is_empty()).then(|| values.join(", "));
    fact("your interests met", list(&evidence.matched_interests));
    fact("met in part", list(&evidence.touched_interests));
    fact("nearest of your interests", evidence.nearest_in_words());
    let relevance = evidence.relevance.as_ref();
    fact("met by the words", relevance.and_then(|relevance| list(&relevance.words)));
    fact("you do not want", relevance.and_then(|relevance| list(&relevance.denied)));
    fact("degree of the match", relevance.map(degree));
    fact("new here", list(&evidence.new_terms));
    fact("its source was silent for", evidence.source_gap_days.map(days));
    fact("its source usually posts every", evidence.source_usual_gap_days.map(days));
    fact("its source's share of the window", Some(format!("{:.0} %", evidence.source_share * 100.0)));
    fact("points", evidence.score.map(|n| n.to_string()));
    fact("comments", evidence.comments.map(|n| n.to_string()));
    fact("resembles", evidence.resembles.clone());
    fact("words of an advertisement", list(&evidence.promotional));
    fact("its headline is noise", Some(format!("{:.1} %, by a model of headlines", evidence.noise * 100.0)));
    fact("headline", evidence.clickbait.then(|| "promises instead of telling".to_owned()));
    fact("text", evidence.teaser.then(|| "a teaser only".to_owned()));
    lines
}
