//! The passages that may answer a question: found by its words and by words of like meaning, in items and documents.

use std::collections::{BTreeSet, HashMap};

use aha_analysis::retrieval::{Block, Frequencies, Question, Source, Wanted, neighbours};
use aha_content::documents::passages_of_item;
use aha_content::sentences::sentences;
use aha_core::ids::ItemId;
use aha_store::terms::query_stems;
use aha_store::{Forms, SearchHit, SearchQuery};

use super::{AskError, AskRequest};
use crate::app::App;
use crate::services::search::{since_when, sources};

/// Entries of the index that are looked at.
const CANDIDATES: i64 = 400;
/// Passages that are read sentence by sentence: as many as entries, so that none of a document's is left out.
const MOST_READ: usize = 400;
/// Passages of one item.
const MOST_OF_ITEM: usize = 12;
/// Words of like meaning for each of the question's, and how alike they are at least.
const NEIGHBOURS: usize = 12;
const LEAST_LIKENESS: f64 = 0.5;
/// Entries that the words searched for may have together: as many as are ranked.
const MOST_MATCHES: usize = 4_000;

/// What was found, owning its texts.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) passages: Vec<Passage>,
    pub(super) frequencies: Frequencies,
}

#[derive(Debug)]
pub(super) struct Passage {
    document: String,
    title: Option<String>,
    section: String,
    text: String,
    dated: i64,
    is_replaced: bool,
    pub(super) url: Option<String>,
    /// `None` for a passage of a document.
    pub(super) item: Option<ItemId>,
}

impl Found {
    /// The names of what passages were found in, each once.
    pub(super) fn documents(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for passage in &self.passages {
            if !names.contains(&passage.document) {
                names.push(passage.document.clone());
            }
        }
        names
    }

    pub(super) fn sources(&self) -> Vec<Source<'_>> {
        let block = |text| Block { text, sentences: sentences(text) };
        let source = |passage| {
            let Passage { document, title, section, text, dated, is_replaced, item, .. }: &Passage = passage;
            Source {
                document,
                title: title.as_deref(),
                section,
                blocks: text.lines().map(block).collect(),
                dated: *dated,
                is_replaced: *is_replaced,
                is_item: item.is_some(),
            }
        };
        self.passages.iter().map(source).collect()
    }
}

/// `None` where there is nothing at all to answer from.
pub(super) async fn retrieve(app: &App, question: &Question, request: &AskRequest) -> Result<Option<Found>, AskError> {
    let entries = app.store().search_entries().await.map_err(crate::services::ServiceError::from)?;
    if entries == 0 {
        return Ok(None);
    }
    let sources = sources(app, request.topic.as_ref(), None).await?;
    let since = request.since.as_ref().map(|text| since_when(text, app.clock().now())).transpose()?;
    let words = words(question);
    let stems: Vec<String> = words.iter().flatten().collect::<BTreeSet<_>>().into_iter().cloned().collect();
    let counted = app.store().term_frequencies(&stems).await.map_err(crate::services::ServiceError::from)?;
    let having: HashMap<String, usize> =
        counted.into_iter().map(|(stem, entries)| (stem, usize::try_from(entries).unwrap_or(usize::MAX))).collect();
    let frequencies = Frequencies { passages: usize::try_from(entries).unwrap_or(usize::MAX), having };
    let wanted = rarest(words, &frequencies);
    let query =
        SearchQuery { wanted, is_any: true, unwanted: Vec::new(), sources, since, with_html: true, limit: CANDIDATES };
    let hits = app.store().search(&query).await.map_err(crate::services::ServiceError::from)?;
    let found = hits.iter().flat_map(passages).collect();
    Ok(Some(Found { passages: most_promising(found, question, &frequencies), frequencies }))
}

/// Those with the most of the question's words, in the order in which they were found.
fn most_promising(passages: Vec<Passage>, question: &Question, frequencies: &Frequencies) -> Vec<Passage> {
    if passages.len() <= MOST_READ {
        return passages;
    }
    let mut wanted = Wanted::of(question, frequencies);
    let weigh = |(place, passage): (usize, &Passage)| {
        let text = format!("{} {} {}", passage.document, passage.section, passage.text);
        (place, wanted.weigh(&text))
    };
    let mut weighed: Vec<(usize, f64)> = passages.iter().enumerate().map(weigh).collect();
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let kept: BTreeSet<usize> = weighed.into_iter().take(MOST_READ).map(|(place, _)| place).collect();
    passages.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, passage)| passage).collect()
}

/// The stems of each word of the question, and of each of like meaning.
fn words(question: &Question) -> Vec<BTreeSet<String>> {
    let mut words: Vec<BTreeSet<String>> = Vec::new();
    for term in &question.terms {
        let near = neighbours(term, NEIGHBOURS, LEAST_LIKENESS);
        for word in std::iter::once(term.as_str()).chain(near) {
            let stems = query_stems(word);
            if !stems.is_empty() && !words.contains(&stems) {
                words.push(stems);
            }
        }
    }
    words
}

/// The words that occur, the rarest first, as long as not too many entries have them.
fn rarest(words: Vec<BTreeSet<String>>, frequencies: &Frequencies) -> Vec<Forms> {
    let entries =
        |stems: &BTreeSet<String>| stems.iter().filter_map(|stem| frequencies.having.get(stem)).sum::<usize>();
    let mut counted: Vec<(usize, BTreeSet<String>)> =
        words.into_iter().map(|stems| (entries(&stems), stems)).filter(|(entries, _)| *entries > 0).collect();
    counted.sort();
    let mut total = 0;
    let affordable = counted.into_iter().enumerate().take_while(|(number, (entries, _))| {
        total += entries;
        *number == 0 || total <= MOST_MATCHES
    });
    affordable.map(|(_, (_, stems))| stems.into_iter().map(|stem| vec![stem]).collect()).collect()
}

/// A document's passage is one already; an item is split.
fn passages(hit: &SearchHit) -> Vec<Passage> {
    let passage = |document: String, section: String, text: String| Passage {
        document,
        title: hit.title.clone(),
        section,
        text,
        dated: hit.time.as_millis(),
        is_replaced: hit.is_replaced,
        url: hit.url.clone(),
        item: hit.item,
    };
    if let Some(document) = &hit.document {
        let section = hit.section.clone().unwrap_or_default();
        return vec![passage(document.clone(), section, hit.text.clone())];
    }
    let name = hit.title.as_ref().or(hit.url.as_ref()).or(hit.source.as_ref()).cloned().unwrap_or_default();
    let parts = passages_of_item(hit.html.as_deref(), &hit.text).into_iter().take(MOST_OF_ITEM);
    parts.map(|part| passage(name.clone(), part.section, part.text)).collect()
}
