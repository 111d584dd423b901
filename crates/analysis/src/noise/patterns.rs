//! Detects noise without a model: phrases of promotions and job advertisements, and clickbait headlines.

use std::sync::LazyLock;

use regex::Regex;

/// Phrases of advertisements on any subject. Matched at word boundaries, ignoring case. A word such as job, vacancies,
/// coupons, sponsored or win is often news if alone: it counts only as a label at the start of a title, or together
/// with an offer. How an author is paid (affiliate links, the sponsor of a video) is not advertising, since it is
/// mentioned below all kinds of texts.
static PROMOTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\W*(?: advert(?:isement|orial)? (?:\ feature)? | ads? | jobs? | vacanc(?:y|ies) | win | promotion | promoted | sponsor(?:ed)? | anzeige | werbung )
            (?: \s?[:!\]|] | \ [-–—]\  )
        | ^\W*win\ (?: an?\  | one\ of | (?:two|three|four|five|ten|\d+)\  | tickets\b | [$€£] )
        | ^\W*sponsored\ by\b
        | \b(?:
            sponsored\ (?:post|content|article|message) | paid\ post | advertorial | promotional\ offer
          | (?:promo(?:tion)?|discount|voucher|coupon)\ codes? | use\ (?:the\ )?code\ [a-z0-9]+ | (?:this|your|our|free|printable)\ coupons? | give-?away
          | \d{1,2}\ ?(?:%|per\ ?cent)\ off | limited[-\ ]time\ offer | black\ friday\ deals? | (?:buy|order|subscribe|book)\ (?:now|today)
          | early[-\ ]bird\ (?:tickets?|offers?|prices?|rates?|discounts?|registration) | start\ (?:your|a)\ free\ trial | free\ trial\ (?:of|for|today|now)
          | (?:we(?:'|’)re|we\ are|now|is|are)\ hiring | join\ our\ (?:growing\ )?team | apply\ (?:now|by|before)
          | applications?\ close | job\ opening | job\ vacancy | (?:enter|chance)\ to\ win | prize\ draw
          | book\ your\ (?:place|seat|ticket|table)s? | tickets?\ (?:are\ )?(?:now\ )?on\ sale | sign\ up\ (?:now|today)
        )\b",
    )
    .ok()
});

/// Headline patterns that withhold information (after Chakraborty et al. 2016: forward references, numbered lists,
/// hyperbole). A number alone is not enough: “seven ways to store secrets” is informative. A list must address the
/// reader, or generalise about everyone.
static CLICKBAIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\d{1,2}\ (?:[\w'’-]+\ ){0,4}?(?:things|reasons|ways|tricks|secrets|facts|photos|pictures|signs|times|tips|hacks|mistakes)\b.*
            \b(?: only | everyone | everybody | nobody | no\ one | you(?:'|’)(?:ll|ve|re|d) | you\ (?:never|didn(?:'|’)t|won(?:'|’)t|will|might|probably|just)
              | when\ you | if\ you | your\ \w+ | that\ (?:will|prove|are\ \w+ly) | every\ \w+\ (?:will|knows|should|must|has|needs) | change\ your )\b
        | you\ won(?:'|’)t\ believe | you(?:'|’)ll\ never\ (?:guess|believe) | what\ happened\ next\ (?:will|was|left|stunned|shocked|made|is)
        | will\ (?:shock|amaze|surprise)\ you | blow\ your\ mind | restore\ your\ faith\ in\ humanity
        | \bthis\ (?:(?:one|weird|simple)\ )+(?:\w+\ )?trick\b | doctors\ hate | the\ reason\ why\ will | left\ (?:us|me|everyone|fans)\ speechless
        | nobody\ is\ talking\ about | nobody\ was\ ready\ for | changed\ (?:my|her|his|their)\ life\ forever
        | can(?:'|’)t\ stop\ (?:laughing|watching|looking|talking|crying|staring|thinking)",
    )
    .ok()
});

/// Returns the advertising phrases in a text, in lower case and without repetition; at most three.
#[must_use]
pub fn promotional_phrases(title: &str, body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(pattern) = PROMOTION.as_ref() else { return found };
    for text in [title, body] {
        for hit in pattern.find_iter(text) {
            let phrase = hit.as_str().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if !found.contains(&phrase) {
                found.push(phrase);
            }
        }
    }
    found.truncate(3);
    found
}

/// Returns whether a text is an advertisement rather than mentioning one: a phrase in the title, or two phrases.
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
        for title in [
            "[Job] Lock keeper",
            "WIN! A kettle",
            "Win a kettle",
            "Advertisement feature: kettles",
            "Vacancy: pilot",
            "Anzeige: Boote",
        ] {
            assert!(is_promotional(title, &promotional_phrases(title, "")), "{title}");
        }
    }

    #[test]
    fn words_of_the_trade_are_news_too() {
        for title in [
            "Win-win: two ports share a crane",
            "Win for pilots in overtime case",
            "Jobs to go at the shipyard",
            "Nurses strike over vacancies",
            "Why shops print coupons again",
            "Runner in sponsored race collapses",
            "Promoted to captain at 24",
        ] {
            assert!(promotional_phrases(title, "").is_empty(), "{title}");
        }
    }

    #[test]
    fn how_an_author_is_paid_makes_no_advertisement() {
        let below = "I built a crane of matches. This video is sponsored by Kettles. Parts (affiliate links): glue. Get 10% off with my link.";
        let phrases = promotional_phrases("A crane of matches", below);
        assert!(!is_promotional("A crane of matches", &phrases), "{phrases:?}");
    }

    #[test]
    fn bait_is_seen_and_plain_headlines_are_not() {
        assert!(is_clickbait("17 things only ferry passengers know"));
        assert!(is_clickbait("She opened the hatch. What happened next stunned the crew"));
        assert!(is_clickbait("This one weird rope trick halves your mooring fees"));
        assert!(!is_clickbait("Ferry loses power off Skerrow, 214 aboard"));
        for title in [
            "7 ways to moor a barge",
            "5 things to know about the harbour bill",
            "10 things I did not expect of a year at sea",
        ] {
            assert!(!is_clickbait(title), "{title}");
        }
        assert!(!is_clickbait("What happened next in the harbour vote") && !is_clickbait("Why we can't stop the tide"));
    }
}
