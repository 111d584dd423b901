//! The filters `source:` and `topic:`: which sources their names mean, and the nearest names if they mean none.

use aha_content::accents::fold;
use aha_core::ids::SourceId;
use aha_core::source::Source;
use aha_core::topic::Topic;

use super::super::{Result, ServiceError};
use super::query::shown;
use crate::app::App;

/// Minimum similarity of a name that is suggested: one wrong letter of three.
const MIN_SIMILARITY: f64 = 0.6;
const MAX_SUGGESTED: usize = 3;
/// Maximum number of names that are listed if none is similar.
const MAX_LISTED: usize = 10;

/// Returns the sources of any of the topics of which the name or address contains any of the names; `None` for all.
/// Neither capitals nor accents matter.
///
/// # Errors
/// When a name means no topic or no source, or the store fails.
pub(super) async fn sources_of(app: &App, topics: &[&str], names: &[&str]) -> Result<Option<Vec<SourceId>>> {
    if topics.is_empty() && names.is_empty() {
        return Ok(None);
    }
    let mut sources = Vec::new();
    for topic in chosen_topics(app.store().topics().await?, topics)? {
        sources.extend(app.store().sources(topic.id).await?);
    }
    if names.is_empty() {
        return Ok(Some(sources.iter().map(|source| source.id).collect()));
    }
    let mut found: Vec<SourceId> = Vec::new();
    for name in names {
        let wanted = fold(name);
        let is_wanted = |source: &&Source| {
            let title = source.title.as_deref().unwrap_or_default();
            fold(title).contains(&wanted) || fold(&source.url).contains(&wanted)
        };
        let before = found.len();
        found.extend(sources.iter().filter(is_wanted).map(|source| source.id));
        if found.len() == before {
            return Err(no_source(name, &sources, topics));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(Some(found))
}

/// Returns the topics of these names; all if there is no name.
pub(super) fn chosen_topics(known: Vec<Topic>, names: &[&str]) -> Result<Vec<Topic>> {
    if names.is_empty() {
        return Ok(known);
    }
    let is_named = |topic: &Topic, name: &str| topic.name == name || fold(&topic.name) == fold(name);
    if let Some(unknown) = names.iter().find(|name| !known.iter().any(|topic| is_named(topic, name))) {
        return Err(no_topic(unknown, &known));
    }
    // A name in other capitals means the topics that have it.
    let is_exact = |name: &str| known.iter().any(|topic| topic.name == name);
    let is_meant = |topic: &Topic, name: &str| topic.name == name || !is_exact(name) && is_named(topic, name);
    let is_chosen = |topic: &&Topic| names.iter().any(|name| is_meant(topic, name));
    Ok(known.iter().filter(is_chosen).cloned().collect())
}

fn no_topic(name: &str, known: &[Topic]) -> ServiceError {
    let names: Vec<&str> = known.iter().map(|topic| topic.name.as_str()).collect();
    let next = suggestion("topic", name, &names, "topics", "add one with `aha-radar topic add NAME`");
    ServiceError::not_found("topic", format!("there is no topic {:?}; {next}", shown(name)))
}

fn no_source(name: &str, sources: &[Source], topics: &[&str]) -> ServiceError {
    let names: Vec<&str> = sources.iter().map(name_of).collect();
    let next = suggestion("source", name, &names, "sources", "add one with `aha-radar source add URL`");
    let of_topics = match topics {
        [] => String::new(),
        topics => format!(" of the topic {}", topics.iter().map(|topic| shown(topic)).collect::<Vec<_>>().join(" or ")),
    };
    let name = shown(name);
    ServiceError::not_found("source", format!("no source's name or address{of_topics} contains '{name}'; {next}"))
}

/// Returns a source's name, otherwise its host, or the last part of a path.
fn name_of(source: &Source) -> &str {
    if let Some(title) = source.title.as_deref().filter(|title| !title.trim().is_empty()) {
        return title;
    }
    short_address(&source.url)
}

fn short_address(url: &str) -> &str {
    let short = match url.split_once("://") {
        Some(("file", path)) => path.trim_end_matches('/').rsplit('/').next(),
        Some((_, address)) => address.split('/').next(),
        None => None,
    };
    short.unwrap_or(url)
}

/// Returns the names that are similar to the given one, otherwise those that exist.
fn suggestion(filter: &str, name: &str, names: &[&str], plural: &str, otherwise: &str) -> String {
    let written = |name: &&str| {
        let name = shown(name);
        if name.contains(char::is_whitespace) { format!("{filter}:\"{name}\"") } else { format!("{filter}:{name}") }
    };
    let near = nearest(name, names);
    if !near.is_empty() {
        return format!("did you mean {}?", near.iter().map(written).collect::<Vec<_>>().join(" or "));
    }
    if names.is_empty() {
        return format!("there are no {plural} yet: {otherwise}");
    }
    let listed: Vec<String> = names.iter().take(MAX_LISTED).map(|name| shown(name)).collect();
    let rest = names.len() - listed.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("the {plural} are {}{more}; `aha-radar {filter} list` shows them", listed.join(", "))
}

/// Returns the names that are most similar to the given one, or have a similar word, the most similar first.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Vec<&'n str> {
    let wanted = fold(name);
    let similarity = |known: &str| {
        let known = fold(known);
        let words = known.split(|c: char| !c.is_alphanumeric()).chain([known.as_str()]);
        words.map(|word| strsim::normalized_damerau_levenshtein(&wanted, word)).fold(0.0, f64::max)
    };
    let mut near: Vec<(f64, &str)> = names.iter().map(|known| (similarity(known), *known)).collect();
    near.retain(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    near.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
    near.dedup_by_key(|(_, known)| *known);
    near.into_iter().take(MAX_SUGGESTED).map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested() {
        let names = ["Hacker News", "El País", "The Wire", "Harbour Post"];
        assert_eq!(nearest("hackr", &names), ["Hacker News"]);
        assert_eq!(nearest("el pias", &names), ["El País"]);
        assert_eq!(nearest("wrie", &names), ["The Wire"]);
        assert!(nearest("zebra", &names).is_empty());
        assert_eq!(suggestion("source", "hackr", &names, "sources", "add one"), "did you mean source:\"Hacker News\"?");
        let listed = suggestion("source", "zebra", &names, "sources", "add one");
        assert!(listed.starts_with("the sources are Hacker News, El País, The Wire, Harbour Post; "), "{listed}");
        let many: Vec<String> = (0..30).map(|number| format!("feed{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let listed = suggestion("source", "zebra", &many, "sources", "add one");
        assert!(listed.ends_with("feed9 and 20 more; `aha-radar source list` shows them"), "{listed}");
        assert_eq!(short_address("file:///home/ann/handbook/"), "handbook");
        assert_eq!(short_address("https://a.example/feed?x=1"), "a.example");
        assert_eq!(short_address("hn:top"), "hn:top");
        assert_eq!(suggestion("topic", "x", &[], "topics", "add one"), "there are no topics yet: add one");
    }
}
