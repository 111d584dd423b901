//! What interests would match among stored items, for a user who is about to set them. Stores nothing.

use std::sync::Arc;

use aha_analysis::relevance::{Clause, ClauseMatch, Corpus, Degree, Interests, MET_SHARE, Query, TextParts, WEAK};
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

/// How interests are interpreted, and what they match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InterestMatches {
    pub clauses: Vec<ReadClause>,
    /// The searched window.
    pub start: Timestamp,
    pub end: Timestamp,
    pub items: usize,
    /// Items that match a clause, as a digest reports it, and other items that match in part.
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
    let interests = Interests::parse(text);
    let measuring = tokio::task::spawn_blocking(move || {
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
    let read_as = |word: String| {
        let correction = query.corrections().iter().find(|correction| correction.written == word);
        correction.map_or(word, |correction| correction.read_as.clone())
    };
    let written = |met: &ClauseMatch| interests.clauses[met.clause].written.clone();
    let oldest = items.iter().map(|item| item.time).min();
    let of_clauses = |degree: &Degree, met: bool| -> Vec<String> {
        let matches = degree.clauses.iter().filter(|of| of.score * degree.allowed >= WEAK);
        matches.filter(|of| of.is_met(degree.allowed) == met).map(written).collect()
    };
    let mut best: Vec<InterestMatch> = items
        .iter()
        .zip(&degrees)
        .filter(|(_, degree)| degree.matched() >= WEAK)
        .map(|(item, degree)| InterestMatch {
            degree: degree.matched(),
            title: item.display_title(),
            published_at: item.time,
            clauses: of_clauses(degree, true),
            touched: of_clauses(degree, false),
        })
        .collect();
    let strong = best.iter().filter(|found| !found.clauses.is_empty()).count();
    let weak = best.len() - strong;
    best.sort_by(|a, b| b.degree.total_cmp(&a.degree).then_with(|| a.title.cmp(&b.title)));
    best.truncate(MAX_MATCHES);
    let clauses = interests.clauses.iter().enumerate().map(|(number, clause)| ReadClause {
        written: clause.written.clone(),
        wanted: !clause.denied,
        minor: clause.is_minor(),
        words: clause.all_words().into_iter().map(read_as).collect(),
        places: clause.place_names(),
        items: degrees.iter().filter(|degree| is_matched(clause, number, degree)).count(),
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

/// Returns whether a text matches a clause: a wanted one as a digest reports it.
fn is_matched(clause: &Clause, number: usize, degree: &Degree) -> bool {
    let (matches, is_match): (_, &dyn Fn(&ClauseMatch) -> bool) = if clause.denied {
        (&degree.denied, &|of| of.share >= MET_SHARE)
    } else {
        (&degree.clauses, &|of| of.is_met(degree.allowed))
    };
    matches.iter().any(|of| of.clause == number && is_match(of))
}
