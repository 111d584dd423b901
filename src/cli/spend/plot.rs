//! The table of spending, with a bar for each row.

use aha_core::money::MicroCredits;

use super::super::listing::Listing;
use crate::services::spending::{SpendBy, SpendRow};

/// Cells of the longest bar.
const CELLS: i64 = 24;

pub(super) fn table(by: SpendBy, rows: &[SpendRow], total: &SpendRow) -> String {
    let headings = [by.as_str(), "credits", "", "calls", "errors", "unsettled", "stories", "tokens in", "out"];
    // The bar is without a heading: where there is no room, it is left out first.
    let mut table = Listing::new(&headings, &["", "out", "tokens in", "stories"]);
    let max_amount = rows.iter().map(|row| row.microcredits).max().unwrap_or(0);
    for row in rows.iter().chain([total]) {
        let bar = if std::ptr::eq(row, total) { String::new() } else { bar(row.microcredits, max_amount) };
        table.add_row(vec![
            row.key.clone(),
            credits(row),
            bar,
            row.calls.to_string(),
            row.errors.to_string(),
            row.unsettled.to_string(),
            row.stories.to_string(),
            row.input_tokens.to_string(),
            row.output_tokens.to_string(),
        ]);
    }
    table.to_string()
}

/// Formats the credits, marked if some of the calls have no known price.
fn credits(row: &SpendRow) -> String {
    let amount = MicroCredits(row.microcredits);
    match row.unpriced {
        0 => amount.to_string(),
        n if n == row.calls => "?".to_owned(),
        _ => format!("{amount} + ?"),
    }
}

/// Draws a bar as long as the amount's share of the largest, in eighths of a cell; an amount above zero is always
/// visible.
fn bar(amount: i64, max_amount: i64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if amount <= 0 || max_amount <= 0 {
        return String::new();
    }
    let eighths = i128::from(amount) * i128::from(CELLS) * 8 / i128::from(max_amount);
    let eighths = usize::try_from(eighths.max(1)).unwrap_or(0);
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!([bar(0, 10), bar(10, 0), bar(1, 1_000_000)], ["", "", "▏"]);
        assert_eq!(bar(10, 10).chars().count(), 24);
        assert_eq!(bar(i64::MAX / 2, i64::MAX), format!("{}▉", "█".repeat(11)));
    }
}
