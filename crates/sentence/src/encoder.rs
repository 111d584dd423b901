//! Computes a vector for each of several tokenised texts.

use std::ops::Range;

use ndarray::{Array1, Array2, Axis, Slice};

use super::config::Pooling;
use super::layer::{Layer, Norm};

/// The input embeddings of a token: word, position and token type.
pub(crate) struct Embeddings {
    pub(crate) words: Array2<f32>,
    pub(crate) positions: Array2<f32>,
    pub(crate) token_type: Array1<f32>,
    pub(crate) norm: Norm,
}

pub(crate) struct Encoder {
    embeddings: Embeddings,
    layers: Vec<Layer>,
}

impl Encoder {
    pub(crate) const fn new(embeddings: Embeddings, layers: Vec<Layer>) -> Self {
        Self { embeddings, layers }
    }

    /// Number of tokens in the vocabulary.
    pub(crate) fn tokens(&self) -> usize {
        self.embeddings.words.nrows()
    }

    pub(crate) fn width(&self) -> usize {
        self.embeddings.words.ncols()
    }

    /// Returns a unit vector for each text; zeros for a text without tokens. All texts share one matrix, so none is
    /// padded.
    pub(crate) fn encode(&self, texts: &[Vec<u32>], pooling: Pooling) -> Vec<Vec<f32>> {
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(texts.len());
        for text in texts {
            let from = ranges.last().map_or(0, |range| range.end);
            ranges.push(from..from + text.len());
        }
        let mut rows = self.embedded(texts, ranges.last().map_or(0, |range| range.end));
        for layer in &self.layers {
            rows = layer.apply(&rows, &ranges);
        }
        ranges.into_iter().map(|range| self.pooled(&rows, range, pooling)).collect()
    }

    fn embedded(&self, texts: &[Vec<u32>], total: usize) -> Array2<f32> {
        let Embeddings { words, positions, token_type, norm } = &self.embeddings;
        let mut rows = Array2::zeros((total, self.width()));
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (mut row, (position, token)) in rows.rows_mut().into_iter().zip(tokens) {
            row += &words.row(*token as usize);
            row += &positions.row(position);
            row += token_type;
        }
        norm.apply(&mut rows);
        rows
    }

    fn pooled(&self, rows: &Array2<f32>, text: Range<usize>, pooling: Pooling) -> Vec<f32> {
        let token_rows = rows.slice_axis(Axis(0), Slice::from(text));
        let vector = match pooling {
            Pooling::Mean => token_rows.mean_axis(Axis(0)),
            Pooling::First => token_rows.rows().into_iter().next().map(|row| row.to_owned()),
        };
        let vector = vector.unwrap_or_else(|| Array1::zeros(self.width()));
        let size = vector.dot(&vector).sqrt();
        if size > 0.0 && size.is_finite() { (vector / size).to_vec() } else { vec![0.0; self.width()] }
    }
}
