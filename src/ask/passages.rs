//! Finds the passages that may answer a question, by its words and by similar words, in items and documents.

use std::collections::{BTreeSet, HashMap};

use aha_analysis::retrieval::{Block, CandidatePassage, PassageFrequencies, Question, QuestionTerms, neighbours};
use aha_content::documents::{date_line, passages_of_item};
use aha_content::index_terms::Forms;
use aha_content::references::statements;
use aha_content::sentences::sentences;
use aha_content::stems::query_stems;
use aha_core::ids::{ItemId, SourceId};
use aha_core::time::Timestamp;
use aha_store::{SearchHit, SearchQuery};
use url::Url;

use super::processor::Processor;
use super::versions::{is_day, mark_older};
use super::{AskError, AskRequest};
use crate::app::App;
use crate::services::search::{since_when, sources};

/// Maximum number of index entries read.
const CANDIDATES: i64 = 400;
/// Maximum number of passages read by sentence: as many as entries, so that no passage of a document is left out.
const MAX_PASSAGES: usize = 400;
/// Maximum number of passages of one item.
const MAX_PER_ITEM: usize = 12;
/// Maximum number of similar words for each word of the question, and their minimum similarity.
const NEIGHBOURS: usize = 12;
const MIN_SIMILARITY: f64 = 0.5;
/// Maximum number of index entries that contain any of the words searched for, as all of them have to be ranked.
const MAX_MATCHES: usize = 4_000;

/// The passages found, which own their texts.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) passages: Vec<Passage>,
    pub(super) frequencies: PassageFrequencies,
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
    /// The name of the source.
    source: Option<String>,
    /// Whether the question may be about the date of the document, which answers no other question.
    is_date_asked: bool,
    /// Whether the title of an item is read as a sentence of this passage.
    is_title_read: bool,
}

#[cfg(test)]
impl Passage {
    pub(super) fn of_item(document: &str, item: ItemId) -> Self {
        Self {
            document: document.to_owned(),
            title: None,
            section: String::new(),
            text: String::new(),
            dated: 0,
            is_replaced: false,
            url: None,
            item: Some(item),
            source: None,
            is_date_asked: false,
            is_title_read: false,
        }
    }
}

impl Found {
    /// Returns the names of the documents and items with passages, each once.
    pub(super) fn documents(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for passage in &self.passages {
            if !names.contains(&passage.document) {
                names.push(passage.document.clone());
            }
        }
        names
    }

    pub(super) fn candidates(&self) -> Vec<CandidatePassage<'_>> {
        self.passages.iter().map(candidate).collect()
    }

    /// Returns the passage with this index.
    pub(super) fn candidate(&self, passage: usize) -> CandidatePassage<'_> {
        candidate(&self.passages[passage])
    }
}

fn candidate(passage: &Passage) -> CandidatePassage<'_> {
    let Passage { document, title, section, text, dated, is_replaced, item, is_title_read, .. } = passage;
    // A document can consist of rows without a verb; in an item they lead elsewhere.
    let sentences = if item.is_some() { statements } else { sentences };
    let states = |sentence: &&str| item.is_some() || !names_document(passage, sentence);
    let block = |text| Block { text, sentences: sentences(text).into_iter().filter(states).collect() };
    let headline = title.as_deref().filter(|_| *is_title_read);
    let headline = headline.map(|title| Block { text: title, sentences: vec![title] });
    CandidatePassage {
        document,
        title: title.as_deref(),
        section,
        blocks: headline.into_iter().chain(text.lines().map(block)).collect(),
        dated: *dated,
        is_date_stated: is_day(*dated),
        is_replaced: *is_replaced,
        is_item: item.is_some(),
    }
}

/// Returns whether a sentence of a document only repeats its title or, unless that may be asked for, states its date.
/// The title of a text without markup is often in capitals.
fn names_document(passage: &Passage, sentence: &str) -> bool {
    let Passage { title, section, text, dated, is_date_asked, .. } = passage;
    let is_title = title.as_deref() == Some(sentence);
    let is_first_of_several = || text.lines().next() == Some(sentence) && text.lines().nth(1).is_some();
    let is_in_capitals = || !sentence.contains(char::is_lowercase) && sentence.contains(char::is_uppercase);
    let is_capital_title = || section == "Paragraph 1" && is_first_of_several() && is_in_capitals();
    is_title || is_capital_title() || !is_date_asked && is_day(*dated) && states_only_date(sentence, *dated)
}

/// Returns whether a sentence states the date of its document and nothing else. `dated`: in Unix milliseconds.
fn states_only_date(sentence: &str, dated: i64) -> bool {
    const MAX_BYTES: usize = 120;
    let date = Timestamp::from_millis(dated).to_string();
    let year = date.get(..4).unwrap_or_default();
    let may_be = sentence.len() <= MAX_BYTES && sentence.contains(year);
    may_be && date_line(sentence).is_some_and(|stated| date.starts_with(&stated.to_string()))
}

/// Words of questions about the date of a document.
const DATE_WORDS: [&str; 33] = [
    "adopted",
    "aktualisiert",
    "amended",
    "applicable",
    "apply",
    "approved",
    "changed",
    "current",
    "date",
    "dated",
    "edition",
    "effect",
    "effective",
    "fassung",
    "force",
    "gilt",
    "gültig",
    "issue",
    "issued",
    "kraft",
    "latest",
    "newest",
    "old",
    "published",
    "reviewed",
    "revised",
    "stand",
    "update",
    "updated",
    "valid",
    "version",
    "vigueur",
    "written",
];

fn asks_for_date(question: &Question) -> bool {
    question.text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| DATE_WORDS.contains(&word))
}

/// Finds the passages. `None` if nothing is indexed at all.
pub(super) async fn retrieve(
    app: &App,
    processor: &Processor,
    question: &Question,
    request: &AskRequest,
) -> Result<Option<Found>, AskError> {
    let entries = app.store().search_entries().await.map_err(crate::services::ServiceError::from)?;
    if entries == 0 {
        return Ok(None);
    }
    let sources = sources_of(app, request).await?;
    let since = request.since.as_ref().map(|text| since_when(text, app.clock().now())).transpose()?;
    let of_question = question.clone();
    let words = processor.compute(move || words(&of_question)).await?;
    let stems: Vec<String> = words.iter().flatten().collect::<BTreeSet<_>>().into_iter().cloned().collect();
    let counted = app.store().term_frequencies(&stems).await.map_err(crate::services::ServiceError::from)?;
    let having: HashMap<String, usize> =
        counted.into_iter().map(|(stem, entries)| (stem, usize::try_from(entries).unwrap_or(usize::MAX))).collect();
    let frequencies = PassageFrequencies { passages: usize::try_from(entries).unwrap_or(usize::MAX), having };
    let wanted = rarest(words, &frequencies);
    let query = SearchQuery { wanted, is_any: true, unwanted: Vec::new(), sources, since, limit: CANDIDATES };
    let entries = app.store().find_entries(&query).await.map_err(crate::services::ServiceError::from)?;
    let mut hits = app.store().search_hits(&entries, true).await.map_err(crate::services::ServiceError::from)?;
    mark_older(app, processor, question, query.sources.as_ref(), &mut hits).await?;
    let shared = app.store().shared_document_names().await.map_err(crate::services::ServiceError::from)?;
    let question = question.clone();
    let reading = processor.compute(move || {
        let is_date_asked = asks_for_date(&question);
        let mut found: Vec<Passage> = hits.iter().flat_map(|hit| passages(hit, &question, is_date_asked)).collect();
        qualify(&mut found, shared.into_iter().collect());
        Found { passages: most_promising(found, &question, &frequencies), frequencies }
    });
    Ok(Some(reading.await?))
}

/// Returns the sources that may be used: those of the topic that any of the names means. `None` for all.
async fn sources_of(app: &App, request: &AskRequest) -> Result<Option<Vec<SourceId>>, AskError> {
    let (topic, names) = (request.topic.as_ref(), &request.sources);
    let given: BTreeSet<&String> = names.iter().filter(|name| !name.trim().is_empty()).collect();
    if given.is_empty() {
        return Ok(sources(app, topic, None).await?);
    }
    let mut all = BTreeSet::new();
    for name in given {
        all.extend(sources(app, topic, Some(name)).await?.into_iter().flatten());
    }
    Ok(Some(all.into_iter().collect()))
}

/// Adds the source to the names that texts of several sources have: those `shared` by documents, and those of the items
/// among the passages.
fn qualify(passages: &mut [Passage], mut shared: BTreeSet<String>) {
    let mut sources: HashMap<&str, BTreeSet<Option<&str>>> = HashMap::new();
    for passage in &*passages {
        sources.entry(&passage.document).or_default().insert(passage.source.as_deref());
    }
    shared.extend(sources.into_iter().filter(|(_, of)| of.len() > 1).map(|(name, _)| name.to_owned()));
    for passage in passages.iter_mut().filter(|passage| shared.contains(&passage.document)) {
        if let Some(source) = &passage.source {
            passage.document = format!("{} ({})", passage.document, without_path(source));
        }
    }
}

/// Shortens the address of a folder to its last two names.
fn without_path(source: &str) -> String {
    let folder = Url::parse(source).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    let Some(folder) = folder else { return source.to_owned() };
    let names: Vec<_> = folder.iter().skip(1).map(|name| name.to_string_lossy()).collect();
    names[names.len().saturating_sub(2)..].join("/")
}

/// Keeps the passages with the most of the question's words, in the order in which they were found.
fn most_promising(passages: Vec<Passage>, question: &Question, frequencies: &PassageFrequencies) -> Vec<Passage> {
    if passages.len() <= MAX_PASSAGES {
        return passages;
    }
    let mut wanted = QuestionTerms::of(question, frequencies);
    let weigh = |(place, passage): (usize, &Passage)| {
        let text = format!("{} {} {}", passage.document, passage.section, passage.text);
        (place, wanted.weigh(&text))
    };
    let mut weighed: Vec<(usize, f64)> = passages.iter().enumerate().map(weigh).collect();
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let kept: BTreeSet<usize> = weighed.into_iter().take(MAX_PASSAGES).map(|(place, _)| place).collect();
    passages.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, passage)| passage).collect()
}

/// Returns the stems of each word of the question, and of each similar word.
fn words(question: &Question) -> Vec<BTreeSet<String>> {
    let mut words: Vec<BTreeSet<String>> = Vec::new();
    for term in &question.terms {
        let near = neighbours(term, NEIGHBOURS, MIN_SIMILARITY);
        for word in std::iter::once(term.as_str()).chain(near) {
            let stems = query_stems(word);
            if !stems.is_empty() && !words.contains(&stems) {
                words.push(stems);
            }
        }
    }
    words
}

/// Returns the words that occur, the rarest first, until too many entries contain them.
fn rarest(words: Vec<BTreeSet<String>>, frequencies: &PassageFrequencies) -> Vec<Forms> {
    let entries =
        |stems: &BTreeSet<String>| stems.iter().filter_map(|stem| frequencies.having.get(stem)).sum::<usize>();
    let mut counted: Vec<(usize, BTreeSet<String>)> =
        words.into_iter().map(|stems| (entries(&stems), stems)).filter(|(entries, _)| *entries > 0).collect();
    counted.sort();
    let mut total = 0;
    let affordable = counted.into_iter().enumerate().take_while(|(number, (entries, _))| {
        total += entries;
        *number == 0 || total <= MAX_MATCHES
    });
    affordable.map(|(_, (_, stems))| stems.into_iter().map(|stem| vec![stem]).collect()).collect()
}

/// Returns a hit's passages: a document's hit is one passage, an item is split.
fn passages(hit: &SearchHit, question: &Question, is_date_asked: bool) -> Vec<Passage> {
    let passage = |document: String, section: String, text: String| Passage {
        document,
        title: hit.title.clone(),
        section,
        text,
        dated: hit.time.as_millis(),
        is_replaced: hit.is_replaced,
        url: hit.url.clone(),
        item: hit.item,
        source: hit.source.clone(),
        is_date_asked,
        is_title_read: false,
    };
    if let Some(document) = &hit.document {
        let section = hit.section.clone().unwrap_or_default();
        return vec![passage(document.clone(), section, hit.text.clone())];
    }
    let name = hit.title.as_ref().or(hit.url.as_ref()).or(hit.source.as_ref()).cloned().unwrap_or_default();
    let parts = passages_of_item(hit.html.as_deref(), &hit.text).into_iter().take(MAX_PER_ITEM);
    let mut found: Vec<Passage> = parts.map(|part| passage(name.clone(), part.section, part.text)).collect();
    if let Some(first) = found.first_mut() {
        first.is_title_read = hit.title.as_deref().is_some_and(|title| may_answer(title, &hit.text, question));
    }
    found
}

/// Returns whether the title of an item is read as a sentence: the text of a news item often leaves out what its headline
/// says. What a subject as a whole is about is in the text.
fn may_answer(title: &str, text: &str, question: &Question) -> bool {
    !question.is_about_whole_subject() && !text.lines().any(|line| line.trim() == title)
}

#[cfg(test)]
mod tests {
    use aha_core::ids::ItemId;

    use super::{Found, Passage, PassageFrequencies, Question, asks_for_date, may_answer, without_path};

    #[test]
    fn what_only_refers_to_a_text_is_left_out_of_items_and_kept_in_documents() {
        let text = "Earlier parts:\nPart 1 - Places a piece.\nThe board has ten columns. Acta Astronautica.";
        let passage = |item| Passage { text: text.to_owned(), item, ..Passage::of_item("post", ItemId::of(&["post"])) };
        let passages = vec![passage(Some(ItemId::of(&["post"]))), passage(None)];
        let found = Found { passages, frequencies: PassageFrequencies::default() };
        let sentences: Vec<Vec<&str>> = found
            .candidates()
            .into_iter()
            .map(|candidate| candidate.blocks.into_iter().flat_map(|block| block.sentences).collect())
            .collect();
        assert_eq!(sentences[0], ["The board has ten columns."]);
        assert_eq!(sentences[1].len(), 4, "{sentences:?}");
    }

    #[test]
    fn neither_the_date_of_a_document_nor_its_title_answers() {
        let text = "QUAY SCHOOL\nUpdated 2 January 2026\nIt was opened in 1961. Valid from 3 May 2025.";
        let passage = |is_date_asked| Passage {
            text: text.to_owned(),
            section: "Paragraph 1".to_owned(),
            dated: 1_767_312_000_000,
            item: None,
            is_date_asked,
            ..Passage::of_item("school.txt", ItemId::of(&["school"]))
        };
        let sentences = |asked: &str| {
            let passages = vec![passage(asks_for_date(&Question::new(asked)))];
            let found = Found { passages, frequencies: PassageFrequencies::default() };
            let blocks = found.candidates().into_iter().flat_map(|candidate| candidate.blocks);
            blocks.flat_map(|block| block.sentences).map(str::to_owned).collect::<Vec<String>>()
        };
        let of_other_things = sentences("In which year was the school opened?");
        assert_eq!(of_other_things, ["It was opened in 1961.", "Valid from 3 May 2025."]);
        assert_eq!(sentences("When was the text last updated?")[0], "Updated 2 January 2026");
    }

    #[test]
    fn the_title_of_an_item_is_a_sentence_of_it_unless_the_text_repeats_it() {
        let (title, question) = ("Fraud cost the quay $12 million", Question::new("How much did the fraud cost?"));
        assert!(may_answer(title, "It went on for years.", &question));
        assert!(!may_answer(title, "Fraud cost the quay $12 million\nIt went on for years.", &question));
        assert!(!may_answer(title, "It went on for years.", &Question::new("What is new about the quay?")));
        let item = ItemId::of(&["fraud"]);
        let passage = Passage {
            title: Some(title.to_owned()),
            text: "It went on for years.".to_owned(),
            is_title_read: true,
            ..Passage::of_item(title, item)
        };
        let found = Found { passages: vec![passage], frequencies: PassageFrequencies::default() };
        let sentences: Vec<&str> = found.candidate(0).blocks.iter().flat_map(|block| block.sentences.clone()).collect();
        assert_eq!(sentences, [title, "It went on for years."]);
    }

    #[test]
    fn a_folder_is_named_without_its_whole_path() {
        assert_eq!(without_path("file:///home/ann/port%20rules/north"), "port rules/north");
        assert_eq!(without_path("file:///north"), "north");
        assert_eq!(without_path("Harbour Post"), "Harbour Post");
    }
}
