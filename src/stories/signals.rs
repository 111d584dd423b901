//! What gives noise away without a model: words of promotion and job advertisements, headlines that bait.

use std::sync::LazyLock;

use regex::Regex;

/// Phrases of advertisements in any field of life. Matched at word borders, ignoring case.
static PROMOTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\W*(?: advertisement | advert | ad | job | jobs | win | promotion | promoted | anzeige | werbung )\b\W
        | \b(?:
            sponsored (?:\ (?:post|content|by))? | paid\ (?:partnership|post) | advertorial | promotional\ offer
          | (?:promo(?:tion)?|discount|voucher|coupon)\ code | use\ (?:the\ )?code\ [a-z0-9]+ | coupons? | give-?away
          | \d{1,2}\ ?(?:%|per\ ?cent)\ off | limited[-\ ]time\ offer | black\ friday\ deals? | (?:buy|order|subscribe|book)\ (?:now|today)
          | early[-\ ]bird | free\ trial | affiliate\ links?
          | (?:we(?:'|’)re|we\ are|now|is|are)\ hiring | join\ our\ (?:growing\ )?team | apply\ (?:now|by|before|at)
          | applications?\ close | job\ opening | vacanc(?:y|ies) | (?:enter|chance)\ to\ win | prize\ draw
          | book\ your\ (?:place|seat|ticket|table)s? | tickets?\ (?:are\ )?(?:now\ )?on\ sale | sign\ up\ (?:now|today)
        )\b",
    )
    .ok()
});

/// Headline patterns that promise instead of telling (after Chakraborty et al. 2016: forward references, numbered lists, hyperbole).
static CLICKBAIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(^\d{1,2} (?:\w+ ){0,4}?(?:things|reasons|ways|tricks|secrets|facts|photos|signs|times|tips|hacks)\b|you won(?:'|’)t believe|what happened next|will (?:shock|amaze|surprise) you|this one (?:weird |simple )?trick|doctors hate|the reason why will|nobody (?:is|was) (?:talking|ready)|changed (?:my|her|his|their) life forever|here(?:'|’)s why you (?:should|need)|\bcan(?:'|’)t stop\b)",
    )
    .ok()
});

/// The advertising phrases in a text, as written, without repetition; at most three.
#[must_use]
pub fn promotional_phrases(title: &str, body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(pattern) = PROMOTION.as_ref() else { return found };
    for text in [title, body] {
        for hit in pattern.find_iter(text) {
            let phrase = hit.as_str().trim().to_lowercase();
            if !found.contains(&phrase) {
                found.push(phrase);
            }
        }
    }
    found.truncate(3);
    found
}

/// Whether advertising is what the text is for, not something it mentions: in the title, or twice.
#[must_use]
pub fn is_promotional(title: &str, phrases: &[String]) -> bool {
    phrases.len() >= 2 || phrases.iter().any(|phrase| title.to_lowercase().contains(phrase.as_str()))
}

#[must_use]
pub fn is_clickbait(title: &str) -> bool {
    CLICKBAIT.as_ref().is_some_and(|pattern| pattern.is_match(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(PROMOTION.is_some() && CLICKBAIT.is_some());
    }

    #[test]
    fn advertising_is_seen_and_news_about_money_is_not() {
        let phrases = promotional_phrases("Sponsored: win a kettle", "Use code KETTLE20 for 20% off.");
        assert!(is_promotional("Sponsored: win a kettle", &phrases), "{phrases:?}");
        assert!(promotional_phrases("Port raises fees by 20 %", "The council voted to buy the pier.").is_empty());
    }

    #[test]
    fn bait_is_seen_and_plain_headlines_are_not() {
        assert!(is_clickbait("17 things only ferry passengers know"));
        assert!(is_clickbait("She opened the hatch. What happened next stunned the crew"));
        assert!(!is_clickbait("Ferry loses power off Skerrow, 214 aboard"));
    }
}
