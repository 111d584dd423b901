//! Marks the passages of documents of which a newer version was found, too, as those of replaced documents. The
//! passages that a question finds are too few to compare, so all of these documents are read. Called by
//! [`super::passages`].

use std::collections::{BTreeMap, BTreeSet};

use aha_analysis::retrieval::versions::{DocumentVersion, older_versions, undated_title};
use aha_analysis::retrieval::{Question, contents};
use aha_content::index_terms::Forms;
use aha_content::sentences::sentences;
use aha_content::stems::query_stems;
use aha_core::ids::SourceId;
use aha_store::{SearchHit, SearchQuery};

use super::AskError;
use super::processor::Processor;
use crate::app::App;
use crate::services::ServiceError;

/// Maximum number of titles of which all documents are read.
const MAX_TITLES: usize = 8;
/// Maximum number of passages read of the documents of a title.
const MAX_PASSAGES: i64 = 400;

/// The name of a document's source and its own.
type Key = (Option<String>, Option<String>);

/// Marks the hits of older versions. `sources`: those that may be used.
pub(super) async fn mark_older(
    app: &App,
    processor: &Processor,
    question: &Question,
    sources: Option<&Vec<SourceId>>,
    hits: &mut [SearchHit],
) -> Result<(), AskError> {
    for title in contested_titles(hits) {
        let wanted = words_of_title(&title);
        if wanted.is_empty() {
            continue;
        }
        let query = SearchQuery { wanted, sources: sources.cloned(), limit: MAX_PASSAGES, ..SearchQuery::default() };
        let entries = app.store().find_entries(&query).await.map_err(ServiceError::from)?;
        let all = app.store().search_hits(&entries, false).await.map_err(ServiceError::from)?;
        let question = question.clone();
        let older = processor.compute(move || older(&question, &title, &all)).await?;
        hits.iter_mut().filter(|hit| older.contains(&key(hit))).for_each(|hit| hit.is_replaced = true);
    }
    Ok(())
}

/// Returns the titles, without their dates, of several documents of different dates.
fn contested_titles(hits: &[SearchHit]) -> Vec<String> {
    let mut found: Vec<(String, BTreeSet<i64>)> = Vec::new();
    for hit in hits.iter().filter(|hit| states_date(hit)) {
        let title = undated_title(hit.title.as_deref().unwrap_or_default());
        let time = hit.time.as_millis();
        match found.iter_mut().find(|(other, _)| *other == title) {
            Some((_, dates)) => {
                dates.insert(time);
            }
            None => found.push((title, BTreeSet::from([time]))),
        }
    }
    let contested = found.into_iter().filter(|(title, dates)| !title.is_empty() && dates.len() > 1);
    contested.map(|(title, _)| title).take(MAX_TITLES).collect()
}

/// Returns whether a passage is of a document that states its date and applies as far as it says itself.
fn states_date(hit: &SearchHit) -> bool {
    hit.document.is_some() && !hit.is_replaced && is_day(hit.time.as_millis())
}

/// Returns the forms of a title's words, which the index has with each passage of its document.
fn words_of_title(title: &str) -> Vec<Forms> {
    let forms = |word: &String| -> Forms { query_stems(word).into_iter().map(|stem| vec![stem]).collect() };
    contents(title).iter().map(forms).filter(|forms| !forms.is_empty()).collect()
}

/// Returns which documents of a title are older versions of another one.
fn older(question: &Question, title: &str, hits: &[SearchHit]) -> BTreeSet<Key> {
    let mut documents: BTreeMap<Key, (&SearchHit, Vec<&str>)> = BTreeMap::new();
    for hit in hits.iter().filter(|hit| states_date(hit)) {
        if undated_title(hit.title.as_deref().unwrap_or_default()) == title {
            let (_, of_document) = documents.entry(key(hit)).or_insert_with(|| (hit, Vec::new()));
            of_document.extend(hit.text.lines().flat_map(sentences));
        }
    }
    let (mut keys, mut versions) = (Vec::new(), Vec::new());
    for (key, (hit, sentences)) in documents {
        keys.push(key);
        let title = hit.title.as_deref().unwrap_or_default();
        versions.push(DocumentVersion { title, dated: hit.time.as_millis(), sentences });
    }
    let older = keys.into_iter().zip(older_versions(question, &versions));
    older.filter(|(_, is_older)| *is_older).map(|(key, _)| key).collect()
}

/// Returns whether a time is the beginning of a day, as the dates are that documents state; the times of files are not.
pub(super) const fn is_day(millis: i64) -> bool {
    millis % 86_400_000 == 0
}

fn key(hit: &SearchHit) -> Key {
    (hit.source.clone(), hit.document.clone())
}

#[cfg(test)]
mod tests {
    use aha_core::time::Timestamp;

    use super::*;

    /// 1 March 2023 and 1 September 2025.
    const IN_2023: i64 = 1_677_628_800_000;
    const IN_2025: i64 = 1_756_684_800_000;

    fn hit(document: &str, title: &str, dated: i64, text: &str) -> SearchHit {
        SearchHit {
            entry: 1,
            item: None,
            document: Some(document.to_owned()),
            section: Some("Fees".to_owned()),
            title: Some(title.to_owned()),
            text: text.to_owned(),
            html: None,
            url: None,
            source: Some("Rules".to_owned()),
            time: Timestamp::from_millis(dated),
            is_replaced: false,
        }
    }

    #[test]
    fn documents_of_one_title_and_two_dates_are_compared() {
        let titles = |hits: &[SearchHit]| contested_titles(hits);
        let old = hit("a.md", "Quay rules, March 2023", IN_2023, "One.");
        assert_eq!(titles(&[old.clone(), hit("b.md", "Quay rules", IN_2025, "Two.")]), ["quay rules"]);
        assert!(titles(&[old.clone(), hit("b.md", "Island rules", IN_2025, "Two.")]).is_empty());
        assert!(titles(&[old.clone(), hit("b.md", "Quay rules", IN_2023, "Two.")]).is_empty());
        assert!(titles(&[old, hit("b.md", "Quay rules", IN_2025 + 1, "The time of a file.")]).is_empty());
    }

    #[test]
    fn the_older_of_two_documents_is_found_by_all_its_passages() {
        let same = "Boats pay at the desk.\nThe desk opens at nine every day.";
        let more = "Whoever leaves early pays for the night.";
        let hits = [
            hit("a.md", "Quay rules", IN_2023, "A reservation costs two euros."),
            hit("b.md", "Quay rules", IN_2025, "A reservation is free."),
            hit("a.md", "Quay rules", IN_2023, same),
            hit("b.md", "Quay rules", IN_2025, same),
            hit("a.md", "Quay rules", IN_2023, more),
            hit("b.md", "Quay rules", IN_2025, more),
            hit("c.md", "Quay", IN_2023, same),
        ];
        let question = Question::new("What does a reservation cost?");
        let found = older(&question, "quay rules", &hits);
        assert_eq!(found, BTreeSet::from([(Some("Rules".to_owned()), Some("a.md".to_owned()))]));
        assert!(older(&question, "quay rules", &hits[..2]).is_empty());
    }
}
