//! Weights of the terms of a final score: the user's settings, pinned for a pass over the stages.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Weight of each term, in points of a score from 0 to 100. The defaults are the documented formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranking {
    /// Factor of the judgement.
    pub ai: f64,
    /// Points between the lowest and the highest value of 0.6 recency + 0.4 engagement.
    pub heuristic: f64,
    /// Points between a story identical to an earlier one and one that resembles none.
    pub novelty: f64,
    /// Points that a completely decayed story loses.
    pub decay: f64,
    /// Maximum of the points that likes and dislikes add to or subtract from a model's judgement.
    pub preference: f64,
    /// Days after which a like has decayed to 1/e.
    pub decay_days: f64,
    /// Points that each story already selected subtracts from one of the same kind of source, source or author.
    pub same_kind: f64,
    pub same_source: f64,
    pub same_author: f64,
    /// Share of the candidates that are chosen for variety if there are too many.
    pub exploration: f64,
    /// A headline with at least this noise probability is not judged by a paid model; 1: all are judged.
    pub noise_limit: f64,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            ai: 1.0,
            heuristic: 3.0,
            novelty: 1.0,
            decay: 3.0,
            preference: 4.0,
            decay_days: 90.0,
            same_kind: 0.0,
            same_source: 0.5,
            same_author: 0.5,
            exploration: 0.3,
            noise_limit: 0.9,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a weight is NAME=NUMBER with one of ai, heuristic, novelty, decay, preference, decay_days, same_kind, same_source, same_author, exploration, noise_limit (decay_days from 1 to 3650, noise_limit from 0.5 to 1, exploration from 0 to 1, ai from 0 to 10, the others in points from 0 to 100); got {0:?}"
)]
pub struct WeightError(String);

impl Ranking {
    /// Sets the weight given as `NAME=NUMBER`.
    ///
    /// # Errors
    /// When the name is unknown or the number out of its range.
    pub fn set(&mut self, text: &str) -> Result<(), WeightError> {
        let wrong = || WeightError(text.to_owned());
        let (name, number) = text.split_once('=').ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let (field_mut, range) = self.field_mut(name.trim()).ok_or_else(wrong)?;
        if !range.contains(&number) {
            return Err(wrong());
        }
        *field_mut = number;
        Ok(())
    }

    fn field_mut(&mut self, name: &str) -> Option<(&mut f64, std::ops::RangeInclusive<f64>)> {
        let any = 0.0..=100.0;
        Some(match name {
            "ai" => (&mut self.ai, 0.0..=10.0),
            "heuristic" => (&mut self.heuristic, any),
            "novelty" => (&mut self.novelty, any),
            "decay" => (&mut self.decay, any),
            "preference" => (&mut self.preference, any),
            "decay_days" => (&mut self.decay_days, 1.0..=3650.0),
            "same_kind" => (&mut self.same_kind, any),
            "same_source" => (&mut self.same_source, any),
            "same_author" => (&mut self.same_author, any),
            "exploration" => (&mut self.exploration, 0.0..=1.0),
            "noise_limit" => (&mut self.noise_limit, 0.5..=1.0),
            _ => return None,
        })
    }

    /// Parses a comma-separated list of weights; the others keep their defaults.
    ///
    /// # Errors
    /// The first weight that cannot be used.
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
    fn only_named_weights_change() {
        let ranking = Ranking::parse("ai=0.5, novelty = 0.2").unwrap();
        assert_eq!(ranking, Ranking { ai: 0.5, novelty: 0.2, ..Ranking::default() });
    }

    #[test]
    fn invalid_weights_are_refused() {
        for text in ["ai", "ai=x", "ai=-1", "ai=NaN", "height=1", "noise_limit=0.1", "decay_days=0"] {
            assert!(Ranking::parse(text).is_err(), "{text}");
        }
    }
}
