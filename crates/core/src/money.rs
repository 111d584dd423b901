//! Money is whole micro-credits: 1 credit = 1,000,000.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An amount in micro-credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroCredits(pub i64);

impl MicroCredits {
    pub const ZERO: Self = Self(0);
    pub const PER_CREDIT: i64 = 1_000_000;
}

impl fmt::Display for MicroCredits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) =
            (self.0.unsigned_abs() / Self::PER_CREDIT as u64, self.0.unsigned_abs() % Self::PER_CREDIT as u64);
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let fraction = format!("{rest:06}");
        write!(f, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

/// Returns an amount as a table shows it: in credits, or "?" if it is unknown.
#[must_use]
pub fn credits_or_unknown(microcredits: Option<i64>) -> String {
    microcredits.map_or_else(|| "?".to_owned(), |amount| MicroCredits(amount).to_string())
}

/// A model's price. Micro-credits per million tokens are whole numbers for every price with up to nine decimals per
/// thousand tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    pub input_microcredits_per_million: i64,
    /// For input read from a cache; `None`: the same as any other input.
    pub cached_input_microcredits_per_million: Option<i64>,
    pub output_microcredits_per_million: i64,
}

impl Price {
    /// Returns the cost of a call with no cached input, rounded up to the micro-credit. Negative counts are treated as
    /// 0; a cost that is too large to represent becomes the largest amount.
    #[must_use]
    pub fn cost(&self, input_tokens: i64, output_tokens: i64) -> MicroCredits {
        self.cost_with_cache(input_tokens, 0, output_tokens)
    }

    /// Like [`Self::cost`], with `cached_tokens` of the input read from a cache.
    #[must_use]
    pub fn cost_with_cache(&self, input_tokens: i64, cached_tokens: i64, output_tokens: i64) -> MicroCredits {
        let part = |tokens: i64, price: i64| i128::from(tokens.max(0)) * i128::from(price);
        let input_tokens = input_tokens.max(0);
        let cached_tokens = cached_tokens.clamp(0, input_tokens);
        let input = self.input_microcredits_per_million;
        let millionths = part(input_tokens - cached_tokens, input)
            + part(cached_tokens, self.cached_input_microcredits_per_million.unwrap_or(input))
            + part(output_tokens, self.output_microcredits_per_million);
        MicroCredits(i64::try_from((millionths + 999_999) / 1_000_000).unwrap_or(i64::MAX))
    }

    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.input_microcredits_per_million == 0
            && self.output_microcredits_per_million == 0
            && matches!(self.cached_input_microcredits_per_million, None | Some(0))
    }
}

/// Parses a decimal number of at most `places` decimals as a whole number of 10^-places. Exact: no float is involved.
/// Returns `None` if the text is not such a number.
#[must_use]
pub fn parse_decimal(text: &str, places: usize) -> Option<i64> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) || fraction.len() > places {
        return None;
    }
    format!("0{whole}{fraction:0<places$}").parse().ok()
}

impl MicroCredits {
    /// Parses an amount in credits with at most six decimals.
    #[must_use]
    pub fn parse_credits(text: &str) -> Option<Self> {
        parse_decimal(text, 6).map(Self)
    }

    /// The amount in credits, only for shares and plots: sums are computed with whole numbers.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display and shares; amounts stay far below 2^52")]
    pub fn as_credits(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn price(input: i64, output: i64) -> Price {
        Price { input_microcredits_per_million: input, output_microcredits_per_million: output, ..Price::default() }
    }

    #[test]
    fn prices_and_amounts_are_read_exactly() {
        for (text, places, read) in [
            ("0.00015", 9, Some(150_000)),
            ("2", 6, Some(2_000_000)),
            (".5", 6, Some(500_000)),
            ("0", 6, Some(0)),
            ("1.0000000", 6, Some(1_000_000)),
            ("0.0000001", 6, None),
            ("-1", 6, None),
            ("1e3", 6, None),
            (".", 6, None),
            ("", 6, None),
            ("99999999999999999999", 6, None),
        ] {
            assert_eq!(parse_decimal(text, places), read, "{text}");
        }
    }

    #[test]
    fn a_cost_is_rounded_up_and_never_wraps() {
        let price = price(150_000, 600_000);
        assert_eq!(price.cost(1, 0), MicroCredits(1));
        assert_eq!(price.cost(1000, 500), MicroCredits(450));
        assert_eq!(price.cost(-5, -5), MicroCredits(0));
        assert_eq!(self::price(i64::MAX, 0).cost(i64::MAX, 0), MicroCredits(i64::MAX));
    }

    #[test]
    fn cached_input_has_a_separate_price() {
        let usual = price(1_000_000, 4_000_000);
        let cached = Price { cached_input_microcredits_per_million: Some(100_000), ..usual };
        assert_eq!(usual.cost_with_cache(1000, 900, 10), usual.cost(1000, 10));
        assert_eq!(cached.cost_with_cache(1000, 900, 10), MicroCredits(100 + 90 + 40));
        assert_eq!(cached.cost_with_cache(1000, 5000, 0), MicroCredits(100), "no more can be cached than was sent");
        assert_eq!(cached.cost_with_cache(1000, -1, 0), MicroCredits(1000));
        assert!(!Price { cached_input_microcredits_per_million: Some(1), ..price(0, 0) }.is_free());
    }

    proptest! {
        #[test]
        fn a_cost_grows_with_its_tokens(input in 0_i64..1_000_000_000, output in 0_i64..1_000_000_000, more in 0_i64..1000) {
            let price = price(1_250_000, 10_000_000);
            prop_assert!(price.cost(input, output) <= price.cost(input + more, output + more));
        }
    }

    #[test]
    fn amounts_are_written_without_rounding() {
        for (amount, text) in [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (-2_000_001, "-2.000001")] {
            assert_eq!(MicroCredits(amount).to_string(), text);
        }
    }
}
