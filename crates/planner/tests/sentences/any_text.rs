//! Generated texts: none panics, and none is read as more than it says.

use aha_planner::language::{Reading, Selection, asked_parts, inquiry, read};
use aha_planner::validate::validate_proposal;
use proptest::prelude::*;
use serde_json::json;

use crate::{state, today};

const WORDS: &str = "add move delete mark rename repeat complete done as to on by at in from until next every other 3 3pm 4-5pm 15:45 may june \
    28th the it all everything friday tomorrow week days of end half past quarter buy milk report meeting lunch priority high p1 and or , ; : . \
    \" ' #4 todo goal for before weekday not no date is should be change set update turn put";

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,80}") {
        let state = state();
        let _ = asked_parts(&text, today());
        if let Reading::Plan(operations) = read(&text, &state, today(), &Selection::default()) {
            let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
            prop_assert!(checked.is_valid(), "{}: {:?}", text, checked);
        }
    }

    #[test]
    fn any_words_are_read_without_harm(picked in proptest::collection::vec(0_usize..1000, 0..14), noise in ".{0,6}") {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let text: Vec<&str> = picked.iter().map(|at| words[at % words.len()]).collect();
        let sentence = format!("{} {noise}", text.join(" "));
        let state = state();
        let _ = asked_parts(&sentence, today());
        if let Reading::Plan(operations) = read(&sentence, &state, today(), &Selection::default()) {
            let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
            prop_assert!(checked.is_valid(), "{}: {:?}", sentence, checked);
            let names_all = text.iter().any(|word| ["all", "everything"].contains(word));
            let deletes = operations.iter().filter(|operation| operation.op == "delete").count();
            prop_assert!(!names_all || deletes < 2, "{}", sentence);
        }
    }
}

/// The days reached are some of the first that a date can have.
#[test]
fn a_day_before_all_dates_is_no_day() {
    let years = "9999 years before ".repeat(26);
    for days in 0..14 {
        for reached in ["friday", "day"] {
            let day = format!("{days} days before 2 months before 4195 years before {years}today");
            let asked = format!("what's on the {reached} before {day}");
            let _ = inquiry(&asked, today());
            assert_eq!(asked_parts(&asked, today()).len(), 1, "{asked}");
        }
    }
    let _ = inquiry(&format!("what's on by 10 days before 2 months before 4195 years before {years}today"), today());
}

#[test]
fn a_sentence_that_is_too_long_is_one_part_that_asks_nothing() {
    let many_words = format!("what's on {}tomorrow", "please ".repeat(90));
    let many_chars = format!("what's on {}tomorrow", " ".repeat(2_000));
    for say in [many_words, many_chars] {
        assert!(inquiry(&say, today()).is_some(), "{say}");
        let parts = asked_parts(&say, today());
        assert_eq!(parts.len(), 1, "{say}");
        assert_eq!(parts[0].text, say);
        assert!(parts[0].inquiry.is_none(), "{say}");
    }
}
