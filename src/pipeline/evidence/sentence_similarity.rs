//! Similarity of texts to the reader's interests by the sentence model of `AHA_SENTENCE_MODEL_DIR`.
//!
//! Input: interests, and the texts of a run. Output: for each text the cosine of its title or opening, whichever is
//! nearer, and the interests as a whole. Called by [`super::relevance`].

use aha_analysis::relevance::Interests;

use crate::pipeline::{RunContext, RunError};
use crate::sentences;

/// Number of words of a text's opening.
const OPENING_WORDS: usize = 60;
/// Number of texts between two looks at whether the run is asked to stop: a few seconds' work.
const TEXTS_AT_ONCE: usize = 64;

/// Returns a cosine for each text (title, body), in order; `None` without a model, or if nothing is wanted.
pub(super) async fn similarities(
    context: &RunContext,
    interests: &Interests,
    texts: impl Iterator<Item = (&str, &str)>,
) -> Result<Option<Vec<f64>>, RunError> {
    if interests.is_empty() {
        return Ok(None);
    }
    let Some(model) = sentences::model(&context.app).await else { return Ok(None) };
    let wanted: Vec<&str> = interests.wanted().map(|clause| clause.written.as_str()).collect();
    let interests = sentences::vectors(&model, vec![wanted.join(", ")]).await?.remove(0);
    let texts: Vec<[String; 2]> = texts.map(|(title, body)| [title.to_owned(), opening(body)]).collect();
    let mut cosines = Vec::with_capacity(texts.len());
    for texts in texts.chunks(TEXTS_AT_ONCE) {
        context.check()?;
        let vectors = sentences::vectors(&model, texts.as_flattened().to_vec()).await?;
        let nearest = |parts: &[Vec<f32>]| parts.iter().map(|part| dot(part, &interests)).fold(-1.0, f64::max);
        cosines.extend(vectors.chunks(2).map(nearest));
    }
    Ok(Some(cosines))
}

fn opening(body: &str) -> String {
    body.split_whitespace().take(OPENING_WORDS).collect::<Vec<_>>().join(" ")
}

/// The cosine of two vectors of length 1.
fn dot(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}
