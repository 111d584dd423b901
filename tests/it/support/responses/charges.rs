//! What the provider charges, kept apart from what it tells the client.

use std::collections::BTreeMap;

/// Micro-credits per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: u64,
    pub output: u64,
}

impl Price {
    /// 0.001 credits for 1000 tokens in, 0.004 for 1000 out.
    pub const USUAL: Self = Self { input: 1_000_000, output: 4_000_000 };

    /// Rounded up for each call.
    pub fn cost(self, input_tokens: u64, output_tokens: u64) -> u64 {
        (input_tokens * self.input + output_tokens * self.output).div_ceil(1_000_000)
    }

    /// Credits per 1000 tokens, in and out, as the settings have them.
    pub fn settings(self) -> (String, String) {
        let per_thousand = |price: u64| format!("{}.{:09}", price / 1_000_000_000, price % 1_000_000_000);
        (per_thousand(self.input), per_thousand(self.output))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Line {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub microcredits: u64,
}

impl Line {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.microcredits += other.microcredits;
    }
}

/// Every call that was answered by a model, whether or not the answer was any good or arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bill {
    pub total: Line,
    /// By the model's name in the request.
    pub by_model: BTreeMap<String, Line>,
    /// By the schema's name; `text` without one, `embeddings` for those.
    pub by_schema: BTreeMap<String, Line>,
}

impl Bill {
    pub fn charge(&mut self, model: &str, schema: &str, line: Line) {
        self.total.add(line);
        self.by_model.entry(model.to_owned()).or_default().add(line);
        self.by_schema.entry(schema.to_owned()).or_default().add(line);
    }
}
