//! How the terms of a final score weigh: settings of the owner's, pinned for a pass over the stages.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What each term counts for; the defaults are the documented formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranking {
    /// Of the judgement (Aha score / 100).
    pub ai: f64,
    /// Of 0.6 recency + 0.4 engagement.
    pub heuristic: f64,
    pub novelty: f64,
    /// The most that likes and dislikes of like terms add or take away.
    pub preference: f64,
    /// The most that likes and dislikes of a source and author raise or lower a score by, as a share of it.
    pub voice: f64,
    /// Days after which a like counts for half.
    pub half_life_days: f64,
    /// What each story already taken adds to the divisor of one of the same kind of source, source or author.
    pub same_kind: f64,
    pub same_source: f64,
    pub same_author: f64,
    /// Share of the candidates that are chosen for variety, where there are too many.
    pub exploration: f64,
    /// A headline this likely to be noise is not judged by a model that is paid; 1: all are.
    pub noise_limit: f64,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            ai: 0.8,
            heuristic: 0.15,
            novelty: 0.05,
            preference: 0.15,
            voice: 0.2,
            half_life_days: 60.0,
            same_kind: 0.15,
            same_source: 0.05,
            same_author: 0.08,
            exploration: 0.3,
            noise_limit: 0.9,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a weight is NAME=NUMBER with one of ai, heuristic, novelty, preference, voice, half_life_days, same_kind, same_source, same_author, exploration, noise_limit (half_life_days from 1 to 3650, noise_limit from 0.5 to 1, exploration from 0 to 1, voice from 0 to 0.9, the others from 0 to 10); got {0:?}"
)]
pub struct WeightError(String);

impl Ranking {
    /// Sets what `NAME=NUMBER` says.
    ///
    /// # Errors
    /// When the name is unknown or the number out of its range.
    pub fn set(&mut self, text: &str) -> Result<(), WeightError> {
        let wrong = || WeightError(text.to_owned());
        let (name, number) = text.split_once('=').ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let (place, range) = self.place(name.trim()).ok_or_else(wrong)?;
        if !range.contains(&number) {
            return Err(wrong());
        }
        *place = number;
        Ok(())
    }

    fn place(&mut self, name: &str) -> Option<(&mut f64, std::ops::RangeInclusive<f64>)> {
        let any = 0.0..=10.0;
        Some(match name {
            "ai" => (&mut self.ai, any),
            "heuristic" => (&mut self.heuristic, any),
            "novelty" => (&mut self.novelty, any),
            "preference" => (&mut self.preference, any),
            "voice" => (&mut self.voice, 0.0..=0.9),
            "half_life_days" => (&mut self.half_life_days, 1.0..=3650.0),
            "same_kind" => (&mut self.same_kind, any),
            "same_source" => (&mut self.same_source, any),
            "same_author" => (&mut self.same_author, any),
            "exploration" => (&mut self.exploration, 0.0..=1.0),
            "noise_limit" => (&mut self.noise_limit, 0.5..=1.0),
            _ => return None,
        })
    }

    /// Reads a list of weights, separated by commas, over the defaults.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn parse(text: &str) -> Result<Self, WeightError> {
        let mut ranking = Self::default();
        text.split(',').filter(|part| !part.trim().is_empty()).try_for_each(|part| ranking.set(part))?;
        Ok(ranking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_changes_and_the_rest_stays() {
        let ranking = Ranking::parse("ai=0.5, novelty = 0.2").unwrap();
        assert_eq!(ranking, Ranking { ai: 0.5, novelty: 0.2, ..Ranking::default() });
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for text in ["ai", "ai=x", "ai=-1", "ai=NaN", "height=1", "noise_limit=0.1", "half_life_days=0"] {
            assert!(Ranking::parse(text).is_err(), "{text}");
        }
    }
}
