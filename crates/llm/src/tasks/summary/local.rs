//! The deep summary of `local`: verbatim sentences of the sources, and counted facts.

use aha_core::summary::SINGLE_SOURCE;
use serde_json::{Value, json};

use super::SummaryInput;
use super::quote::{Quote, choose};

/// Maximum sentences quoted from a story.
const QUOTES: usize = 2;

pub(in crate::tasks) fn summarise(input: &SummaryInput) -> Value {
    let words = input.evidence.relevance.as_ref().map_or(&[][..], |relevance| &relevance.words);
    let quotes = choose(&input.headlines, &input.texts, words, QUOTES);
    let one_liner = quotes.first().map_or_else(|| input.title.clone(), attributed);
    json!({
        "one_liner": one_liner,
        "bullets": quotes.iter().skip(1).map(attributed).collect::<Vec<_>>(),
        "why_it_matters": why(input),
        "risks_or_caveats": caveats(input),
        "suggested_followups": input.discussions.iter().map(|url| format!("Discussion: {url}")).collect::<Vec<_>>(),
    })
}

fn attributed(quote: &Quote) -> String {
    format!("“{}” — {}", quote.sentence, quote.source)
}

/// Returns reasons from counted facts only: several sources report it, or it matches the user's interests.
fn why(input: &SummaryInput) -> Vec<String> {
    let evidence = &input.evidence;
    let mut reasons = Vec::new();
    if evidence.distinct_sources >= 2 {
        reasons.push(format!("{} sources tell it independently.", evidence.distinct_sources));
    }
    if !evidence.matched_interests.is_empty() {
        reasons.push(format!("You asked for {}.", evidence.matched_interests.join(", ")));
    }
    reasons
}

/// Returns caveats that can be detected.
fn caveats(input: &SummaryInput) -> Vec<String> {
    let evidence = &input.evidence;
    let mut found = Vec::new();
    if evidence.distinct_sources < 2 {
        found.push(SINGLE_SOURCE.to_owned());
    }
    if !evidence.promotional.is_empty() {
        found.push(format!("Wording of an advertisement: {}.", evidence.promotional.join(", ")));
    }
    if evidence.teaser {
        found.push("The feed carries a teaser only.".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use aha_core::digest::Evidence;

    use super::*;

    #[test]
    fn what_is_not_known_stays_empty() {
        let input = SummaryInput {
            title: "Crane count".into(),
            headlines: vec!["Crane count".into()],
            texts: vec![("Wire".into(), "Volunteers counted 61,000 cranes at Lake Ansel on Sunday.".into())],
            discussions: vec![],
            interests: String::new(),
            evidence: Evidence { distinct_sources: 1, ..Evidence::default() },
        };
        let answer = summarise(&input);
        assert_eq!(answer["one_liner"], "“Volunteers counted 61,000 cranes at Lake Ansel on Sunday.” — Wire");
        assert_eq!(answer["why_it_matters"], json!([]));
        assert_eq!(answer["suggested_followups"], json!([]));
        assert_eq!(answer["risks_or_caveats"], json!(["A single source tells it."]));
    }
}
