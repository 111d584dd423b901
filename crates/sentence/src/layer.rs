//! The parts of a layer: what attends, what widens and narrows, and what brings numbers back to scale. Rows are tokens.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis, Slice};

pub(crate) struct Dense {
    /// A row for each number that comes out.
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
    /// Each row to mean 0 and deviation 1, then scaled and shifted.
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
    pub(crate) attended: Dense,
    pub(crate) attention_norm: Norm,
    pub(crate) wider: Dense,
    pub(crate) narrower: Dense,
    pub(crate) output_norm: Norm,
}

impl Layer {
    /// `texts` are the rows of each text: none attends to another's.
    pub(crate) fn apply(&self, rows: &Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let attended = self.attention(rows, texts);
        let mut inner = self.attended.apply(&attended.view());
        inner += rows;
        self.attention_norm.apply(&mut inner);
        let mut wide = self.wider.apply(&inner.view());
        wide.mapv_inplace(gelu);
        let mut out = self.narrower.apply(&wide.view());
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
                let mut likeness = part(&query).dot(&part(&key).t());
                for mut row in likeness.axis_iter_mut(Axis(0)) {
                    row *= scale;
                    softmax(&mut row);
                }
                let mut own = out.slice_axis_mut(Axis(0), Slice::from(text.clone()));
                own.slice_axis_mut(Axis(1), Slice::from(columns.clone())).assign(&likeness.dot(&part(&value)));
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

/// The exact form, x Φ(x).
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// Abramowitz and Stegun 7.1.26: wrong by at most 1.5e-7.
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
