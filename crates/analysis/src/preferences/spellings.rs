//! How texts write the learnt words.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::learnable::learnable;
use crate::text::vocabulary::Term;

/// A word is capitalised only if at least three of four occurrences are.
const MOSTLY_CAPITALS: usize = 4;

/// The spellings of each term, with counts.
#[derive(Default)]
pub(super) struct Spellings(FxHashMap<Term, BTreeMap<String, usize>>);

impl Spellings {
    /// Records the spellings in a text, and returns its learnable terms.
    pub(super) fn read(&mut self, text: &str) -> FxHashSet<Term> {
        let mut terms = FxHashSet::default();
        for token in learnable(text) {
            let bare = token.written.strip_suffix("'s").or_else(|| token.written.strip_suffix("’s"));
            let written = bare.unwrap_or(token.written).to_owned();
            *self.0.entry(token.term).or_default().entry(written).or_default() += 1;
            terms.insert(token.term);
        }
        terms
    }

    /// Returns whether at least half of a term's occurrences are capitalised. What is stored of a text that is gone is in
    /// lower case, apart from its title.
    pub(super) fn is_capitalised(&self, term: Term) -> bool {
        let all = self.0.get(&term).into_iter().flatten();
        let (capitalised, others): (Vec<_>, Vec<_>) =
            all.partition(|(written, _)| written.contains(char::is_uppercase));
        let times = |spellings: Vec<(&String, &usize)>| spellings.into_iter().map(|(_, times)| times).sum::<usize>();
        let capitalised = times(capitalised);
        capitalised > 0 && capitalised >= times(others)
    }

    /// Returns the most common spelling. Capitalised ones count only if hardly any occurrence is in lower case.
    pub(super) fn of(&self, term: Term) -> String {
        let Some(all) = self.0.get(&term) else { return String::new() };
        let is_lower = |written: &str| !written.contains(char::is_uppercase);
        let count =
            |lower: bool| all.iter().filter(|(w, _)| !lower || is_lower(w)).map(|(_, times)| times).sum::<usize>();
        let has_lower = count(true) * MOSTLY_CAPITALS > count(false);
        let candidates = all.iter().filter(|(written, _)| !has_lower || is_lower(written));
        let commonest =
            candidates.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.len().cmp(&a.0.len())).then(b.0.cmp(a.0)));
        commonest.map_or_else(String::new, |(written, _)| written.clone())
    }
}
