//! Finds the pages that a piece of knowledge may belong to, and the position on a page.
//!
//! Pages are ranked by BM25 over their names, tags and blocks. The score of a page that the knowledge links to is
//! multiplied by 1.5. On a page, the text goes below the top-level block whose section shares most terms
//! with it.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::document::{Document, Format};
use crate::error::NotesError;
use crate::graph::Graph;
use crate::knowledge::terms::{terms, words};

/// A page that knowledge may belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Index of the page in the [`PageIndex`].
    pub page: usize,
    pub name: String,
    pub score: f64,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    pub page: String,
    /// Id and text of the block.
    pub block: String,
    pub text: String,
    pub score: f64,
}

/// Position on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    Section,
    Under(usize),
    /// This block already contains the knowledge.
    Exists(usize),
}

/// One page with its terms.
#[derive(Debug)]
pub struct IndexedPage {
    pub name: String,
    pub document: Document,
    /// Its names in lower case: its own, its title, its aliases and, in plain Markdown, its path.
    names: Vec<String>,
    title: Vec<String>,
    counts: HashMap<String, f64>,
    length: f64,
    blocks: Vec<Vec<String>>,
}

/// BM25 index of a graph's pages.
#[derive(Debug)]
pub struct PageIndex {
    format: Format,
    pages: Vec<IndexedPage>,
    /// Number of pages that contain each term.
    frequencies: HashMap<String, usize>,
    mean_length: f64,
}

/// Weight of a term in a page's name, relative to one in its text.
const TITLE_WEIGHT: f64 = 2.5;
/// Factor for the score of a page that the knowledge links to.
const LINK_BOOST: f64 = 1.5;
/// Weight of terms that occur only in the surrounding blocks.
const CONTEXT_WEIGHT: f64 = 0.3;
/// Minimum page count for term weights. In a smaller graph the document frequencies are not meaningful.
const MIN_PAGES: f64 = 50.0;
const K1: f64 = 1.2;
const B: f64 = 0.5;
/// Minimum share of the knowledge's terms in a block that is considered to contain it.
const MIN_SAME_SHARE: f64 = 0.85;

impl PageIndex {
    /// Indexes all pages of a graph except journal days.
    ///
    /// # Errors
    /// When the folder cannot be read. A page that is not UTF-8 is skipped.
    pub fn read(graph: &Graph) -> Result<Self, NotesError> {
        let (mut pages, mut paths) = (Vec::new(), Vec::new());
        for page in graph.pages()? {
            match graph.read(&page.path) {
                Ok(document) => {
                    paths.push(graph.relative(&page).to_lowercase());
                    pages.push((page.name, document));
                }
                Err(NotesError::NotUtf8(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let mut index = Self { format: graph.format(), ..Self::of(pages) };
        if index.format == Format::Markdown {
            for (page, path) in index.pages.iter_mut().zip(paths) {
                page.names.push(path);
            }
        }
        Ok(index)
    }

    /// Returns an index of these pages, which have one format.
    #[must_use]
    pub fn of(pages: Vec<(String, Document)>) -> Self {
        let format = pages.first().map_or(Format::Outline, |(_, document)| document.format());
        let pages: Vec<IndexedPage> =
            pages.into_iter().map(|(name, document)| IndexedPage::of(name, document)).collect();
        let mut frequencies: HashMap<String, usize> = HashMap::new();
        for term in pages.iter().flat_map(|page| page.counts.keys()) {
            *frequencies.entry(term.clone()).or_default() += 1;
        }
        let count = as_f64(pages.len()).max(1.0);
        let mean_length = pages.iter().map(|page| page.length).sum::<f64>() / count;
        Self { format, pages, frequencies, mean_length }
    }

    #[must_use]
    pub fn pages(&self) -> &[IndexedPage] {
        &self.pages
    }

    /// Returns the format of the pages.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    fn weight(&self, term: &str) -> f64 {
        let known = as_f64(self.frequencies.get(term).copied().unwrap_or_default());
        ((as_f64(self.pages.len()).max(MIN_PAGES) - known + 0.5) / (known + 0.5) + 1.0).ln()
    }

    /// Returns the best pages for a text, the best first. `context` is the surrounding text, which has less weight;
    /// `links` are the names of pages that it links to.
    #[must_use]
    pub fn candidates(&self, text: &str, context: &str, links: &[String], limit: usize) -> Vec<Candidate> {
        let mut query: BTreeMap<String, f64> = terms(text).into_iter().map(|term| (term, 1.0)).collect();
        for term in terms(context) {
            query.entry(term).or_insert(CONTEXT_WEIGHT);
        }
        let linked = |page: &IndexedPage| links.iter().any(|link| page.is_named(link));
        let scored = self.pages.iter().enumerate().filter_map(|(page, indexed)| {
            let boost = if linked(indexed) { LINK_BOOST } else { 1.0 };
            let score = boost * (self.score(indexed, &query) + if boost > 1.0 { 1.0 } else { 0.0 });
            (score > 0.0).then(|| Candidate { page, name: indexed.name.clone(), score })
        });
        let mut found: Vec<Candidate> = scored.collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
        found.truncate(limit);
        found
    }

    fn score(&self, page: &IndexedPage, query: &BTreeMap<String, f64>) -> f64 {
        let terms = query.iter().map(|(term, weight)| {
            let count = page.counts.get(term).copied().unwrap_or_default();
            let norm = K1 * (1.0 - B + B * page.length / self.mean_length.max(1.0));
            weight * self.weight(term) * count * (K1 + 1.0) / (count + norm)
        });
        terms.sum()
    }

    /// Returns the words of a text that also occur on the page, the rarest first.
    #[must_use]
    pub fn shared_words(&self, candidate: &Candidate, text: &str) -> Vec<String> {
        let Some(page) = self.pages.get(candidate.page) else { return Vec::new() };
        let mut shared: Vec<(String, String)> = Vec::new();
        for (term, word) in words(text) {
            if page.counts.contains_key(&term) && shared.iter().all(|(known, _)| *known != term) {
                shared.push((term, word));
            }
        }
        shared.sort_by(|a, b| self.weight(&b.0).total_cmp(&self.weight(&a.0)));
        shared.into_iter().map(|(_, word)| word).collect()
    }

    /// Returns the position for a text on a page: below the top-level block whose section shares most of its terms,
    /// else at the end.
    #[must_use]
    pub fn placement(&self, candidate: &Candidate, text: &str) -> Placement {
        let Some(page) = self.pages.get(candidate.page) else { return Placement::Section };
        let query_terms = terms(text);
        if let Some(same) = page
            .blocks
            .iter()
            .position(|block| shared(&query_terms, block) >= MIN_SAME_SHARE && shared(block, &query_terms) >= 0.6)
        {
            return Placement::Exists(same);
        }
        let sections = page.document.children(None).map(|root| {
            let end = page.document.blocks().get(root).map_or(0, |block| block.end);
            let below = page.document.blocks().iter().skip(root).take_while(|block| block.lines.start < end).count();
            let all: Vec<&String> = page.blocks.iter().skip(root).take(below).flatten().collect();
            let score: f64 = query_terms.iter().filter(|term| all.contains(term)).map(|term| self.weight(term)).sum();
            // A short top-level block is a section title; a longer one is a statement, and nothing is added below it.
            let is_section = page.blocks.get(root).is_some_and(|terms| terms.len() <= 4);
            (root, if is_section { score } else { 0.0 })
        });
        let best = sections.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        match best {
            Some((root, score)) if score > 0.0 => Placement::Under(root),
            _ => Placement::Section,
        }
    }

    /// Returns blocks that contain words of a query, the best first.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let query_terms = terms(query);
        let mut hits = Vec::new();
        for page in &self.pages {
            let ids = page.document.ids(&page.name);
            for (index, block) in page.blocks.iter().enumerate() {
                let has = |term: &&String| block.contains(term) || page.title.contains(term);
                let found: f64 = query_terms.iter().filter(has).map(|term| self.weight(term)).sum();
                if found > 0.0 && query_terms.iter().any(|term| block.contains(term)) {
                    let score = found / (1.0 + 0.05 * as_f64(block.len()));
                    let block = ids.get(index).cloned().unwrap_or_default();
                    hits.push(Hit { page: page.name.clone(), block, text: page.document.block_text(index), score });
                }
            }
        }
        hits.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.page.cmp(&b.page)).then_with(|| a.block.cmp(&b.block))
        });
        hits.truncate(limit);
        hits
    }
}

impl IndexedPage {
    /// Returns whether a link with this name leads to the page, ignoring case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.names.contains(&name.trim().to_lowercase())
    }

    fn of(name: String, document: Document) -> Self {
        let names = [name.clone()].into_iter().chain(document.other_names()).map(|name| name.to_lowercase()).collect();
        let labels = ["alias", "tags", "title"].into_iter().filter_map(|key| document.page_property(key));
        let title = terms(&[name.replace('/', " ")].into_iter().chain(labels).collect::<Vec<_>>().join(" "));
        let blocks: Vec<Vec<String>> =
            (0..document.blocks().len()).map(|index| terms(&document.block_text(index))).collect();
        let mut counts: HashMap<String, f64> = HashMap::new();
        for term in blocks.iter().flatten() {
            *counts.entry(term.clone()).or_default() += 1.0;
        }
        for term in &title {
            *counts.entry(term.clone()).or_default() += TITLE_WEIGHT;
        }
        let length = as_f64(blocks.iter().map(Vec::len).sum::<usize>() + title.len());
        Self { name, document, names, title, counts, length, blocks }
    }
}

/// Returns the share of the terms in `of` that also occur in `by`.
fn shared(of: &[String], by: &[String]) -> f64 {
    if of.is_empty() {
        return 0.0;
    }
    as_f64(of.iter().filter(|term| by.contains(term)).count()) / as_f64(of.len())
}

#[expect(clippy::cast_precision_loss, reason = "counts of terms are far below 2^52")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Returns the pages that a text links to: `[[Page]]`, `#tag` and `#[[two words]]`; in plain Markdown also
/// `[[Page#Heading]]` and `[[Page|shown text]]`. In Logseq both signs belong to the name: `[[C#]]`.
#[must_use]
pub fn links(format: Format, text: &str) -> Vec<String> {
    bracketed(format, text).into_iter().map(|(name, _)| name).chain(tags(text)).collect()
}

/// Returns the same pages without those that are embedded (`![[diagram.png]]`): what is embedded need not be a page.
#[must_use]
pub fn links_without_embeds(format: Format, text: &str) -> Vec<String> {
    bracketed_links(format, text).into_iter().chain(tags(text)).collect()
}

/// Returns those of them in double brackets: a tag need not be a page either.
#[must_use]
pub fn bracketed_links(format: Format, text: &str) -> Vec<String> {
    bracketed(format, text).into_iter().filter(|(_, is_embedded)| !is_embedded).map(|(name, _)| name).collect()
}

/// Returns the names in double brackets, each with whether it is embedded.
fn bracketed(format: Format, text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((name, behind)) = after.split_once("]]") else { break };
        let name = match format {
            Format::Outline => name,
            Format::Markdown => name.split(['|', '#']).next().unwrap_or(name),
        };
        // `[[#Heading]]` leads to a heading of the same page.
        found.extend((!name.is_empty()).then(|| (name.to_owned(), before.ends_with('!'))));
        rest = behind;
    }
    found
}

fn tags(text: &str) -> impl Iterator<Item = String> {
    let tags = text.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let is_tag = |tag: &&str| tag.chars().next().is_some_and(char::is_alphabetic);
    tags.filter(is_tag).map(|tag| tag.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned())
}
