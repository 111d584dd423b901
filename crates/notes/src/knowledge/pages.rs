//! Which pages a piece of knowledge may belong to, and where on the best of them.
//!
//! Pages are found by BM25 over their names, tags and blocks; one that the knowledge links to counts half again as much. Below it stands the block whose section
//! shares most with the knowledge.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::document::Document;
use crate::error::NotesError;
use crate::graph::Graph;
use crate::knowledge::terms::{terms, words};

/// A page that knowledge may belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its place among the index's pages.
    pub page: usize,
    pub name: String,
    pub score: f64,
}

/// A place that a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    pub page: String,
    /// The id of the block, and what it says.
    pub block: String,
    pub text: String,
    pub score: f64,
}

/// Where on a page knowledge goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    Section,
    Under(usize),
    /// This block says it already.
    Exists(usize),
}

/// One page with its terms.
#[derive(Debug)]
pub struct IndexedPage {
    pub name: String,
    pub document: Document,
    title: Vec<String>,
    counts: HashMap<String, f64>,
    length: f64,
    blocks: Vec<Vec<String>>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct PageIndex {
    pages: Vec<IndexedPage>,
    /// On how many pages a term stands.
    frequencies: HashMap<String, usize>,
    mean_length: f64,
}

/// A term of a page's name counts as much as so many of its text.
const TITLE_WEIGHT: f64 = 2.5;
/// A page that is linked to.
const LINK_BOOST: f64 = 1.5;
/// What the blocks around the knowledge count beside its own text.
const CONTEXT_WEIGHT: f64 = 0.3;
/// A graph of fewer pages says little of how rare a term is: it is weighed as one of so many.
const LEAST_PAGES: f64 = 50.0;
const K1: f64 = 1.2;
const B: f64 = 0.5;
/// So much of the knowledge's terms in one block say the same.
const SAME: f64 = 0.85;

impl PageIndex {
    /// Reads all pages of a graph; journal days are none.
    ///
    /// # Errors
    /// When the folder cannot be read. A page that is not UTF-8 is left out.
    pub fn read(graph: &Graph) -> Result<Self, NotesError> {
        let mut pages = Vec::new();
        for page in graph.pages()? {
            match graph.read(&page.path) {
                Ok(document) => pages.push((page.name, document)),
                Err(NotesError::NotUtf8(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self::of(pages))
    }

    #[must_use]
    pub fn of(pages: Vec<(String, Document)>) -> Self {
        let pages: Vec<IndexedPage> =
            pages.into_iter().map(|(name, document)| IndexedPage::of(name, document)).collect();
        let mut frequencies: HashMap<String, usize> = HashMap::new();
        for term in pages.iter().flat_map(|page| page.counts.keys()) {
            *frequencies.entry(term.clone()).or_default() += 1;
        }
        let count = as_f64(pages.len()).max(1.0);
        let mean_length = pages.iter().map(|page| page.length).sum::<f64>() / count;
        Self { pages, frequencies, mean_length }
    }

    #[must_use]
    pub fn pages(&self) -> &[IndexedPage] {
        &self.pages
    }

    fn weight(&self, term: &str) -> f64 {
        let known = as_f64(self.frequencies.get(term).copied().unwrap_or_default());
        ((as_f64(self.pages.len()).max(LEAST_PAGES) - known + 0.5) / (known + 0.5) + 1.0).ln()
    }

    /// The best pages for a text, the best first. `context`: what stands around it, which counts less; `links`: pages that it names.
    #[must_use]
    pub fn candidates(&self, text: &str, context: &str, links: &[String], limit: usize) -> Vec<Candidate> {
        let mut query: BTreeMap<String, f64> = terms(text).into_iter().map(|term| (term, 1.0)).collect();
        for term in terms(context) {
            query.entry(term).or_insert(CONTEXT_WEIGHT);
        }
        let linked = |name: &str| links.iter().any(|link| link.eq_ignore_ascii_case(name));
        let scored = self.pages.iter().enumerate().filter_map(|(page, indexed)| {
            let boost = if linked(&indexed.name) { LINK_BOOST } else { 1.0 };
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

    /// The words of a text that a page has too, the rarest first.
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

    /// Where on a page a text goes: below the top block whose section has most of it, else at the end.
    #[must_use]
    pub fn placement(&self, candidate: &Candidate, text: &str) -> Placement {
        let Some(page) = self.pages.get(candidate.page) else { return Placement::Section };
        let wanted = terms(text);
        if let Some(same) =
            page.blocks.iter().position(|block| shared(&wanted, block) >= SAME && shared(block, &wanted) >= 0.6)
        {
            return Placement::Exists(same);
        }
        let sections = page.document.children(None).map(|root| {
            let end = page.document.blocks().get(root).map_or(0, |block| block.end);
            let below = page.document.blocks().iter().skip(root).take_while(|block| block.lines.start < end).count();
            let all: Vec<&String> = page.blocks.iter().skip(root).take(below).flatten().collect();
            let score: f64 = wanted.iter().filter(|term| all.contains(term)).map(|term| self.weight(term)).sum();
            // A heading with nothing below it waits for something, one that says a sentence does not.
            let is_section = page.blocks.get(root).is_some_and(|terms| terms.len() <= 4);
            (root, if is_section { score } else { 0.0 })
        });
        let best = sections.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        match best {
            Some((root, score)) if score > 0.0 => Placement::Under(root),
            _ => Placement::Section,
        }
    }

    /// Blocks with the words of a query, the best first.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let wanted = terms(query);
        let mut hits = Vec::new();
        for page in &self.pages {
            let ids = page.document.ids(&page.name);
            for (index, block) in page.blocks.iter().enumerate() {
                let has = |term: &&String| block.contains(term) || page.title.contains(term);
                let found: f64 = wanted.iter().filter(has).map(|term| self.weight(term)).sum();
                if found > 0.0 && wanted.iter().any(|term| block.contains(term)) {
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
    fn of(name: String, document: Document) -> Self {
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
        Self { name, document, title, counts, length, blocks }
    }
}

/// How much of the first's terms the second has.
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

/// The pages that a text links to: `[[Page]]`, `#tag` and `#[[two words]]`.
#[must_use]
pub fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("[[") {
        let Some((name, behind)) = after.split_once("]]") else { break };
        let name = name.split(['|', '#']).next().unwrap_or(name);
        links.push(name.to_owned());
        rest = behind;
    }
    let tags = text.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let is_tag = |tag: &&str| tag.chars().next().is_some_and(char::is_alphabetic);
    links.extend(tags.filter(is_tag).map(|tag| tag.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned()));
    links
}
