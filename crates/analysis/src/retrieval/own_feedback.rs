//! Questions about the reader's own feedback, such as "What did I save?". No text answers them, though many have the word.

use std::sync::LazyLock;

use regex::Regex;

use super::kinds::{is_match, pattern};
use super::overview::{plain, without_period};

pattern!(
    OWN_FEEDBACK,
    r"^(?:(?:what|which|who)(?: \w+)? (?:did|have|had|do) i(?: already| ever)? (?:like|love|dislike|save|bookmark|star|skip|rate|upvote)d?(?:red|ped|ed)?(?: most| for later)?|which (?:\w+ )?i (?:like|save|dislike|skip)d?(?:ped)?|(?:(?:please )?(?:show|list|give)(?: me)?|(?:what|which) (?:are|were|is|was)) (?:all )?(?:of )?my (?:own )?(?:likes|dislikes|saves|favou?rites|bookmarks|(?:liked|disliked|saved|starred|skipped|rated) \w+)|(?:show|list)(?: me)? (?:what|all|everything|the \w+)(?: that)? i (?:have )?(?:liked|disliked|saved|starred|skipped|rated)|how many \w+ (?:did|have) i (?:like|dislike|save|star|skip|rate)d?(?:red|ped)?)$"
);

/// Returns whether a question asks for what its reader liked, saved or skipped.
#[must_use]
pub fn asks_for_own_feedback(question: &str) -> bool {
    let text = plain(question);
    is_match(&OWN_FEEDBACK, without_period(&text).0)
}

#[cfg(test)]
mod tests {
    use super::asks_for_own_feedback;

    #[test]
    fn only_the_reader_s_own_feedback_is_meant() {
        for question in [
            "What did I like?",
            "What did I save?",
            "What have I saved this week?",
            "Which articles did I like last month?",
            "which items have I skipped?",
            "What do I like most?",
            "Show me my saved items",
            "List everything I liked",
            "What are my likes?",
            "How many stories did I save?",
        ] {
            assert!(asks_for_own_feedback(question), "{question}");
        }
        for question in [
            "How much did I save with the rail card?",
            "What did the board like about the offer?",
            "What do I have to save?",
            "Which documents do I have to read?",
            "How many days can I save up?",
            "What is Kestrel like?",
            "Where did I save the file?",
            "What is my rating?",
        ] {
            assert!(!asks_for_own_feedback(question), "{question}");
        }
    }
}
