//! Formats counts for sentences. Called wherever the program shows a number to a reader.

/// Formats a count: `no stories`, `1 story`, `2 stories`.
#[must_use]
pub fn count<N: TryInto<u64>>(n: N, one: &str, many: &str) -> String {
    match n.try_into() {
        Ok(0) => format!("no {many}"),
        Ok(1) => format!("1 {one}"),
        Ok(n) => format!("{n} {many}"),
        // A negative count; callers have none.
        Err(_) => many.to_owned(),
    }
}

/// Formats a number of times: `once`, `twice`, `3 times`.
#[must_use]
pub fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Formats days with at most one decimal: `1 day`, `2.5 days`, `less than a day`.
#[must_use]
pub fn days(n: f64) -> String {
    let rounded = format!("{n:.1}");
    match rounded.strip_suffix(".0").unwrap_or(&rounded) {
        "0" => "less than a day".to_owned(),
        "1" => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        let stories = |n: usize| count(n, "story", "stories");
        assert_eq!([stories(0), stories(1), stories(2)], ["no stories", "1 story", "2 stories"]);
        assert_eq!([times(1), times(2), times(3)], ["once", "twice", "3 times"]);
        assert_eq!([days(1.04), days(2.0), days(2.5), days(0.02)], ["1 day", "2 days", "2.5 days", "less than a day"]);
    }
}
