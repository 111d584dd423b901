//! What interests would match among stored items, for a user who is about to set them. Stores nothing.

use std::sync::Arc;

use aha_analysis::relevance::{Corpus, Degree, Interests, MET_SHARE, Query, TextParts, WEAK};
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::Frequencies;
use aha_core::item::Item;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_core::window::Window;
use serde::Serialize;

use crate::app::App;
use crate::pipeline::RunError;
use crate::pipeline::cluster::stored_cluster_items;
use crate::pipeline::evidence::NamedClauses;

/// How interests are interpreted, and what they match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InterestMatches {
    pub clauses: Vec<ReadClause>,
    /// The searched window.
    pub start: Timestamp,
    pub end: Timestamp,
    pub items: usize,
    /// Items of which a digest's reason would name a clause as matched, and other items of which it would name one as
    /// matched in part.
    pub strong: usize,
    pub weak: usize,
    /// Items that match a denied clause.
    pub denied: usize,
    /// The best matches, best first.
    pub best: Vec<InterestMatch>,
}

impl InterestMatches {
    /// Returns whether the interests only say what is not wanted, so that all else is ranked without them.
    #[must_use]
    pub fn only_exclude(&self) -> bool {
        !self.clauses.is_empty() && self.clauses.iter().all(|clause| !clause.wanted)
    }
}

/// A clause as it was interpreted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadClause {
    pub written: String,
    pub wanted: bool,
    /// Whether it is wanted less than the others: "a bit of opera".
    pub minor: bool,
    /// Including English words added to those of another language, and corrected typing errors.
    pub words: Vec<String>,
    pub places: Vec<String>,
    /// Names and words of which a text has to have one for the clause to count: "Amazon" for "not the company".
    pub only_with: Vec<String>,
    /// Items that match it.
    pub items: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InterestMatch {
    pub degree: f64,
    pub title: String,
    pub published_at: Timestamp,
    /// The clauses that it matches, and those that it matches in part.
    pub clauses: Vec<String>,
    pub touched: Vec<String>,
}

/// Maximum number of matches listed.
const MAX_MATCHES: usize = 10;
/// Maximum number of items searched: the newest.
const MAX_ITEMS: usize = 5_000;

/// Compares interests with the items of the window.
///
/// # Errors
/// When the store fails.
pub async fn interest_matches(
    app: &App,
    topic: &Topic,
    text: &str,
    window: Window,
) -> Result<InterestMatches, RunError> {
    let cluster_items = stored_cluster_items(app.store(), topic.id, window).await?;
    let features: Vec<Arc<Features>> =
        cluster_items.iter().map(|cluster_item| Arc::clone(&cluster_item.features)).collect();
    let mut ids = app.store().items_in_window(topic.id, window).await?;
    // They are in order of time.
    ids.drain(..ids.len().saturating_sub(MAX_ITEMS));
    let items: Vec<Item> = app.store().load_items(topic.id, &ids).await?.into_iter().map(|(item, _)| item).collect();
    let text = text.to_owned();
    let measuring = tokio::task::spawn_blocking(move || {
        let interests = Interests::parse(&text);
        let frequencies = Frequencies::of(features.iter().map(|features| &**features));
        measure(&interests, &items, &frequencies, window)
    });
    Ok(measuring.await?)
}

fn measure(interests: &Interests, items: &[Item], frequencies: &Frequencies, window: Window) -> InterestMatches {
    let parts = items.iter().map(|item| TextParts {
        title: item.title.as_deref().unwrap_or(""),
        body: &item.body_text,
        categories: &item.metadata.categories,
        is_english: item.is_english(),
    });
    let corpus = Corpus::of(&parts.collect::<Vec<_>>());
    let query = Query::new(interests, &corpus, frequencies);
    let degrees = query.degrees();
    let oldest = items.iter().map(|item| item.time).min();
    let named: Vec<NamedClauses> =
        degrees.iter().enumerate().map(|(number, degree)| named_clauses(&query, number, degree)).collect();
    let mut best = matches(interests, items, &degrees, &named);
    let strong = best.iter().filter(|found| !found.clauses.is_empty()).count();
    let weak = best.len() - strong;
    best.sort_by(|a, b| b.degree.total_cmp(&a.degree).then_with(|| a.title.cmp(&b.title)));
    best.truncate(MAX_MATCHES);
    let clauses = query.clauses().iter().enumerate().map(|(number, clause)| ReadClause {
        written: clause.written.clone(),
        wanted: !clause.denied,
        minor: clause.is_minor(),
        words: clause.all_words(),
        places: clause.place_names(),
        only_with: clause.required_names(),
        items: if clause.denied {
            degrees.iter().filter(|degree| is_denied_by(number, degree)).count()
        } else {
            named.iter().filter(|named| named.matched.contains(&number)).count()
        },
    });
    InterestMatches {
        clauses: clauses.collect(),
        start: oldest.filter(|_| items.len() == MAX_ITEMS).unwrap_or(window.start),
        end: window.end,
        items: items.len(),
        strong,
        weak,
        denied: degrees.iter().filter(|degree| degree.denied.iter().any(|of| of.share >= MET_SHARE)).count(),
        best,
    }
}

/// Returns the clauses that a digest's reason would name of a text.
fn named_clauses(query: &Query<'_>, number: usize, degree: &Degree) -> NamedClauses {
    if degree.matched() >= WEAK { NamedClauses::of(query, number, degree) } else { NamedClauses::default() }
}

/// Returns the items of which a clause is named.
fn matches(interests: &Interests, items: &[Item], degrees: &[Degree], named: &[NamedClauses]) -> Vec<InterestMatch> {
    let written = |clauses: &[usize]| clauses.iter().map(|clause| interests.clauses[*clause].written.clone()).collect();
    items
        .iter()
        .zip(degrees.iter().zip(named))
        .filter(|(_, (_, named))| !named.matched.is_empty() || !named.touched.is_empty())
        .map(|(item, (degree, named))| InterestMatch {
            degree: degree.matched(),
            title: item.display_title(),
            published_at: item.time,
            clauses: written(&named.matched),
            touched: written(&named.touched),
        })
        .collect()
}

/// Returns whether a text matches a denied clause.
fn is_denied_by(clause: usize, degree: &Degree) -> bool {
    degree.denied.iter().any(|of| of.clause == clause && of.share >= MET_SHARE)
}
