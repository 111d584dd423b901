//! What narrows the subject before it: "golf only when it is the Open".

use std::mem;

use super::super::tokens::Mark;
use super::super::words::is_content;
use super::{Part, Splitter, has_content};

impl Splitter<'_> {
    /// Returns the last part, if it is wanted, and neither a pause nor more than a "but" stands between.
    pub(super) fn narrowed(&self, at: usize) -> Option<usize> {
        let is_opposed = at > 0 && ["but", "aber", "mais", "pero"].contains(&self.words[at - 1]);
        let before = self.sentence[..at].iter().rev();
        let mut before = before.take_while(|token| token.mark != Mark::Pause);
        if !is_opposed && !before.any(|token| is_content(&token.word)) {
            return None;
        }
        let last = self.last_with_content()?;
        (!self.parts[last].denied && !self.parts[last].is_background).then_some(last)
    }
}

/// Puts the words of a narrowed part before those that narrow it.
pub(super) fn narrow(parts: &mut [Part<'_>]) {
    for at in 0..parts.len() {
        let narrowing: Vec<usize> = (at + 1..parts.len())
            .filter(|of| parts[*of].narrows == Some(at) && has_content(&parts[*of..=*of]))
            .collect();
        if narrowing.is_empty() {
            continue;
        }
        let narrowed = mem::take(&mut parts[at].tokens);
        for of in narrowing {
            let own = mem::replace(&mut parts[of].tokens, narrowed.clone());
            parts[of].tokens.extend(own);
        }
    }
}
