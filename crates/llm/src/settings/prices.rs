//! The prices of a task's models, from the settings `OPENAI_…CREDITS_PER_1K_…`: of a tier's own model, of the task's,
//! of `OPENAI_MODEL`. Called by [`super::openai`] and [`super::embed`].

use aha_core::money::{Price, parse_decimal};
use aha_core::settings::Reader;
use aha_core::topic::BudgetTier;

const INPUT: &str = "CREDITS_PER_1K_INPUT_TOKENS";
const OUTPUT: &str = "CREDITS_PER_1K_OUTPUT_TOKENS";

/// `None` when unknown, so that no cost can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Prices {
    /// Prices of the tiers' own models; default: [`Prices::of_task`].
    by_tier: [Option<Price>; 3],
    /// Price of the models named for the task; default: [`Prices::of_all`].
    pub(super) of_task: Option<Price>,
    /// Price of `OPENAI_MODEL`.
    pub(super) of_all: Option<Price>,
}

/// The raw input and output price, of a task or in general.
pub(super) type Written = [Option<String>; 2];

impl Prices {
    /// Returns the price of a tier's model: the tier's own where it `is_named`, else the task's.
    pub(super) fn of(&self, tier: BudgetTier, is_named: bool) -> Option<Price> {
        self.by_tier[tier as usize].filter(|_| is_named).or(self.of_task)
    }

    /// Reads the prices. `prefix`: the prefix of the task's settings.
    pub(super) fn read(
        reader: &mut Reader,
        prefix: &str,
        of_task: Written,
        by_tier: [Written; 3],
        general: Written,
    ) -> Self {
        let name = |rest: &str| format!("{prefix}{rest}");
        let general_name = |rest: &str| format!("OPENAI_{rest}");
        let mut of_tier = |tier: &str, [input, output]: Written| {
            let input = (&*name(&format!("{INPUT}_{tier}")), input);
            price(reader, [input], [(&*name(&format!("{OUTPUT}_{tier}")), output)])
        };
        let [low, normal, high] = by_tier;
        let by_tier = [of_tier("LOW", low), of_tier("NORMAL", normal), of_tier("HIGH", high)];
        let (input, output) = (general_name(INPUT), general_name(OUTPUT));
        let [general_input, general_output] = general;
        let (general_input, general_output) = ((&*input, general_input), (&*output, general_output));
        let [task_input, task_output] = of_task;
        let of_task = price(
            reader,
            [(&name(INPUT), task_input), general_input.clone()],
            [(&name(OUTPUT), task_output), general_output.clone()],
        );
        // Their problems have been reported already.
        let of_all = price(&mut Reader::default(), [general_input], [general_output]);
        Self { by_tier, of_task, of_all }
    }
}

/// Reads a price; `None` if either half is missing.
fn price<const N: usize>(
    reader: &mut Reader,
    input: [(&str, Option<String>); N],
    output: [(&str, Option<String>); N],
) -> Option<Price> {
    // Both are read in any case, so that a mistake in either is reported.
    let (input, output) = (rate(reader, input), rate(reader, output));
    let (input, output) = input.zip(output)?;
    Some(Price { input_microcredits_per_million: input, output_microcredits_per_million: output, ..Price::default() })
}

/// Returns the first rate that is set, in micro-credits for a million tokens: credits for a thousand, times 10^9.
pub(super) fn rate<const N: usize>(reader: &mut Reader, given: [(&str, Option<String>); N]) -> Option<i64> {
    let mut first = None;
    for (name, text) in given {
        let what = (name, "credits for 1,000 tokens, of at most nine decimals", "0.00025");
        let read = reader.maybe(text, what, |text| parse_decimal(text, 9));
        first = first.or(read);
    }
    first
}
