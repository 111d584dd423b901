//! Finds sentences that say little without what stood before them: they begin with a reference to it, address the
//! reader, or quote somebody whom they do not name.
//!
//! Input: a sentence. Output: penalty points, which [`super::quote`] adds to those of `aha_content::quotable`. The word
//! lists are for English.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// Points for a reference to what stood before, and for a speech without its speaker: more than the first quoted
/// sentence may have.
const REFERS: f64 = 1.2;
/// Points for a sentence in parentheses, in addition to those of `aha_content::quotable`.
const PARENTHESIS: f64 = 0.6;

/// Patterns of references, matched against the words in lower case with one space around each.
static REFERENCES: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"^ (?:like|unlike) (?:many|most|all|some|so many|several|any|the) (?:\w+ )?(?:others?|rest|predecessors?|peers|colleagues) ",
        r"^ (?:like|unlike|despite|besides|beyond|without|apart from|aside from|because of|in addition to|instead of|thanks to|given|on top of|in spite of|from|in|on|at|for|to|by|of|with|during|after|before|about|among|under|through) (?:him|it|this|that|these|those|them|such|both|which|whom) ",
        r"^ (?:if|when|while|as|though|although|because|since|after|before|until|once|unless|whether|where|how|why|what) (?:he|she|it|they|this|that|these|those)(?:'\w+)? ",
        r"^ (?:if|as|before|unless|whether) (?:you|we)(?:'\w+)? ",
        r"^ (?:some|many|most|few|several|all|both|three|two|one|each|none|half) (?:say|says|said|think|thought|believe|are|is|was|were|have|had|has|did|would|will|can|could) ",
        r"^ (?:all|some|one|most|many|both|each|none|neither|either|much|several|few) of (?:this|that|these|those|them|it) ",
        r"^ (?:as (?:to|for)|thinking about (?:it|this|that)|that said|having said that|in (?:this|that) case|in the meantime|once again|one such|the (?:first|second|third|last|next) (?:one|of these|of those|of them|is|was)|the (?:worst|best) part|to the (?:left|right) (?:is|are)) ",
        r" (?:all of the above|as (?:i|we) (?:saw|said|mentioned|noted|wrote)|(?:mentioned|described|noted|discussed|listed) (?:above|earlier|before|previously)|(?:we've|i've) already|any one of them|see (?:above|below)|this (?:sort|kind|type) of) ",
    ])
    .ok()
});

/// Sentences that answer or continue: matched against the sentence as written, in lower case.
static REPLIES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\W*(?:well|true|granted|admittedly|sure|alas|worse|first|first off|second|third|in any case|as a consequence|to be fair|to be clear|in the end),",
    )
    .ok()
});

/// A speech whose speaker is a pronoun, as in “We waited,” he said. Matched against the sentence in lower case.
static PRONOUN_SPEAKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"[”"] ?,? ?(?:(?:he|she|they|it|i|we|one|another|others) (?:\w+ ){0,2}?(?:said|says?|adds?|added|explain(?:s|ed)?|t(?:ells?|old)|recalls?|recalled|wrote|writes|continues?|continued|notes?|noted|insists?|insisted|asks?|asked|argues?|argued|remembers?|remembered|concludes?|concluded|admits?|admitted|claims?|claimed|warns?|warned)|(?:said|says|adds?|added|explain(?:s|ed)|recalls?|recalled|wrote|writes) (?:he|she|they|one|another))\b"#,
    )
    .ok()
});

/// Sentences of the author about themselves or to their readers.
const FIRST_PERSON: [&str; 12] =
    ["i", "i'm", "i've", "i'd", "i'll", "my", "we", "we've", "we're", "our", "you", "your"];

/// Returns the penalty points for a sentence that depends on those before it.
pub(super) fn dependence(sentence: &str) -> f64 {
    let lower = sentence.to_lowercase();
    let is_match = |pattern: Option<&Regex>| pattern.is_some_and(|pattern| pattern.is_match(&lower));
    let begins_with_reference = REFERENCES.as_ref().is_some_and(|patterns| patterns.is_match(&words(sentence)));
    let is_parenthesis = sentence.starts_with('(') && sentence.trim_end_matches(['.', '!', '?']).ends_with(')');
    let is_unnamed_speech =
        sentence.starts_with(MARKS) && (is_match(PRONOUN_SPEAKS.as_ref()) || has_nothing_beside_speech(sentence));
    let checks = [
        (REFERS, begins_with_reference || is_match(REPLIES.as_ref())),
        (REFERS, is_unnamed_speech),
        (PARENTHESIS, is_parenthesis),
    ];
    checks.iter().filter(|(_, holds)| *holds).map(|(points, _)| points).sum()
}

/// Returns whether the sentence begins in the first person.
pub(super) fn is_in_first_person(sentence: &str) -> bool {
    words(sentence).split_whitespace().next().is_some_and(|first| FIRST_PERSON.contains(&first))
}

/// Returns the words in lower case with one space around each, without other marks.
fn words(sentence: &str) -> String {
    let plain = sentence.chars().map(|c| match c {
        '’' => '\'',
        c if c.is_alphanumeric() || c == '\'' => c,
        _ => ' ',
    });
    let plain = plain.collect::<String>().to_lowercase();
    format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Marks around a speech.
const MARKS: [char; 6] = ['“', '”', '"', '„', '«', '»'];

/// Whether all words are within quotation marks.
fn has_nothing_beside_speech(sentence: &str) -> bool {
    // The parts at even positions are outside.
    !sentence.split(MARKS).step_by(2).any(|outside| outside.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refers_to_the_sentences_before_depends_on_them() {
        for sentence in [
            "Like many other captains, Hallan had been on the deck for the whole night.",
            "Some say they were simply unlucky that the ferry struck the quay at Kelmouth.",
            "Despite this, the ferry left the harbour of Kelmouth on Monday.",
            "Before we get started, here is what the harbour master told us on Monday.",
            "If they shut down the harbour, the ferry will wait in the sound.",
            "Well, these are mostly ferries of the northern harbours.",
            "The answer is that the ferries are all of the above, says the owner.",
            "As for the nine ferries before, they wait in another harbour.",
            "To the left are the ferries of the northern harbours.",
            "“We waited for an hour on the deck in the rain,” he said.",
            "“We waited for an hour on the deck in the rain,” she later told the court.",
            "“We waited for an hour on the deck in the rain.”",
        ] {
            assert!(dependence(sentence) >= REFERS, "{sentence}");
        }
    }

    #[test]
    fn what_stands_alone_does_not_depend() {
        for sentence in [
            "The ferry Marigold Star struck the quay at Kelmouth on Monday, said Mr. Hallan.",
            "“We waited for an hour,” said Hallan, “and nobody came to the deck.”",
            "“We waited for an hour on the deck in the rain,” the captain said.",
            "At least 20 people were hurt when the ferry struck the quay.",
            "First Minister Ada Lund opened the harbour on Monday.",
            "In his first speech since the vote, the harbour master asked for ferries.",
            "Many captains say that the quay is too short for the ferry.",
            "When the ferry struck the quay, nobody was on the deck.",
            "One of the ferries was repaired in the spring.",
            "",
        ] {
            assert!(dependence(sentence).abs() < f64::EPSILON, "{sentence}");
        }
        assert!((dependence("(The ferry had struck the quay before).") - PARENTHESIS).abs() < f64::EPSILON);
    }

    #[test]
    fn the_first_person_is_known_by_the_first_word() {
        assert!(is_in_first_person("I’ve been on the ferry.") && is_in_first_person("Our ferry is late."));
        assert!(!is_in_first_person("The ferry that I took is late.") && !is_in_first_person(""));
    }
}
