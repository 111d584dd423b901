//! The parts of a transformer layer: attention, feed-forward and layer normalisation. Rows are tokens.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis, Slice};

pub(crate) struct Dense {
    /// One row per output.
    pub(crate) weight: Array2<f32>,
    pub(crate) bias: Array1<f32>,
}

impl Dense {
    fn apply(&self, rows: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut out = rows.dot(&self.weight.t());
        out += &self.bias;
        out
    }
}

pub(crate) struct Norm {
    pub(crate) scale: Array1<f32>,
    pub(crate) shift: Array1<f32>,
    pub(crate) epsilon: f32,
}

impl Norm {
    /// Normalises each row to mean 0 and variance 1, then scales and shifts it.
    pub(crate) fn apply(&self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            let mean = row.mean().unwrap_or(0.0);
            row -= mean;
            let variance = row.iter().map(|number| number * number).sum::<f32>() / length(row.len());
            row /= (variance + self.epsilon).sqrt();
            row *= &self.scale;
            row += &self.shift;
        }
    }
}

pub(crate) struct Layer {
    pub(crate) heads: usize,
    pub(crate) queries: Dense,
    pub(crate) keys: Dense,
    pub(crate) values: Dense,
    pub(crate) attention_output: Dense,
    pub(crate) attention_norm: Norm,
    pub(crate) intermediate: Dense,
    pub(crate) output: Dense,
    pub(crate) output_norm: Norm,
}

impl Layer {
    /// Applies the layer. `texts` are the row ranges of the texts: a token attends only to tokens of its own text.
    pub(crate) fn apply(&self, rows: &Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let attention_output = self.attention(rows, texts);
        let mut inner = self.attention_output.apply(&attention_output.view());
        inner += rows;
        self.attention_norm.apply(&mut inner);
        let mut activated = self.intermediate.apply(&inner.view());
        activated.mapv_inplace(gelu);
        let mut out = self.output.apply(&activated.view());
        out += &inner;
        self.output_norm.apply(&mut out);
        out
    }

    fn attention(&self, rows: &Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let (query, key, value) =
            (self.queries.apply(&rows.view()), self.keys.apply(&rows.view()), self.values.apply(&rows.view()));
        let width = rows.ncols() / self.heads;
        let scale = 1.0 / length(width).sqrt();
        let mut out = Array2::zeros(rows.raw_dim());
        for text in texts {
            for head in 0..self.heads {
                let columns = head * width..(head + 1) * width;
                let part = |of| block(of, text, &columns);
                let mut scores = part(&query).dot(&part(&key).t());
                for mut row in scores.axis_iter_mut(Axis(0)) {
                    row *= scale;
                    softmax(&mut row);
                }
                let mut target = out.slice_axis_mut(Axis(0), Slice::from(text.clone()));
                target.slice_axis_mut(Axis(1), Slice::from(columns.clone())).assign(&scores.dot(&part(&value)));
            }
        }
        out
    }
}

fn block<'a>(of: &'a Array2<f32>, rows: &Range<usize>, columns: &Range<usize>) -> ArrayView2<'a, f32> {
    of.slice_axis(Axis(0), Slice::from(rows.clone())).slice_axis_move(Axis(1), Slice::from(columns.clone()))
}

fn softmax(row: &mut ArrayViewMut1<'_, f32>) {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.mapv_inplace(|number| (number - highest).exp());
    let sum = row.sum();
    *row /= sum;
}

/// Exact GELU, x Φ(x).
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// Abramowitz and Stegun 7.1.26; the error is at most 1.5e-7.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let poly = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - poly * (-x * x).exp()).copysign(x)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of a row")]
pub(crate) const fn length(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_the_exact_one() {
        for (x, expected) in [(0.0, 0.0), (1.0, 0.841_344_8), (-1.0, -0.158_655_3), (3.0, 2.995_95), (-6.0, 0.0)] {
            assert!((gelu(x) - expected).abs() < 1e-5, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn a_softmax_sums_to_one() {
        let mut row = Array1::from_vec(vec![1000.0, 999.0, -1000.0]);
        softmax(&mut row.view_mut());
        assert!((row.sum() - 1.0).abs() < 1e-6 && row[0] > row[1] && row[2] < 1e-6);
    }
}
