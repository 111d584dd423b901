//! The terms of a story's score, as bars and in words.

use aha_content::numbers::days;
use aha_core::digest::ScoreDebug;

/// A term: what it adds or subtracts, in points of 100.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub(super) name: &'static str,
    /// `+2.10`
    pub(super) points: String,
    pub(super) why: String,
    /// Start of the bar from the left, in percent.
    pub(super) at: f64,
    pub(super) width: f64,
    pub(super) is_loss: bool,
}

/// Points that fill half of the bar of a signed term.
const FULL: f64 = 25.0;

/// Returns the terms in the order of the computation.
pub(super) fn terms(debug: &ScoreDebug) -> Vec<Term> {
    let weights = &debug.weights;
    let judgement = debug.ai.map_or(debug.stand_in * debug.noise_factor, |ai| ai * 100.0);
    let by =
        if debug.ai.is_some() { "of 100, before adjustments" } else { "of 100, by the facts alone: it was not judged" };
    let preference = if debug.leaning.because.is_empty() && debug.leaning.degree.abs() < f64::EPSILON {
        "you gave no feedback on similar stories".to_owned()
    } else {
        debug.leaning.in_words().unwrap_or_else(|| "your feedback on other stories".to_owned())
    };
    let factor = debug.source_weight * debug.rule_boost;
    vec![
        Term {
            name: "Judgement",
            points: format!("{judgement:.0}"),
            why: by.to_owned(),
            at: 0.0,
            width: judgement.clamp(0.0, 100.0),
            is_loss: false,
        },
        signed(
            "Recency and engagement",
            weights.heuristic * (debug.heuristic - 0.5),
            format!("recency {:.2}, engagement against its source’s usual {:.2}", debug.recency, debug.engagement),
        ),
        signed(
            "Novelty",
            weights.novelty * (debug.novelty - 0.5),
            format!("{:.2} unlike earlier stories", debug.novelty),
        ),
        signed(
            "Age",
            -weights.decay * (1.0 - debug.decay),
            format!("{:.0} h before the window’s end", debug.age_hours),
        ),
        signed("Your feedback", debug.preference, preference),
        signed(
            "Source and rules",
            debug.base * (factor - 1.0),
            format!("source weight {:.2} × rules {:.2}", debug.source_weight, debug.rule_boost),
        ),
        signed("Variety", -debug.diversity, "for stories above it of its source, author or kind".to_owned()),
    ]
}

fn signed(name: &'static str, points: f64, why: String) -> Term {
    let width = (points.abs() / FULL * 50.0).min(50.0);
    let is_loss = points < 0.0;
    let at = if is_loss { 50.0 - width } else { 50.0 };
    // Zero has no sign.
    let points = if points.abs() < 0.005 { "0".to_owned() } else { format!("{points:+.2}").replace('-', "−") };
    Term { name, points, why, at, width, is_loss }
}

/// Returns the facts about the story that the score is based on.
pub(super) fn facts(debug: &ScoreDebug) -> Vec<String> {
    let evidence = &debug.evidence;
    let joined = |words: &[String]| words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ");
    let mut facts = Vec::new();
    if !evidence.matched_interests.is_empty() {
        facts.push(format!("meets your interests {}", joined(&evidence.matched_interests)));
    }
    if !evidence.touched_interests.is_empty() {
        facts.push(format!("touches your interests {}", joined(&evidence.touched_interests)));
    }
    facts.push(match evidence.distinct_sources {
        1 => "told by one source".to_owned(),
        several => format!("told by {several} sources"),
    });
    if let Some(gap) = evidence.source_gap_days {
        facts.push(format!("its source’s first item in {}", days(gap)));
    }
    if !evidence.new_terms.is_empty() {
        facts.push(format!("words new to this topic: {}", joined(&evidence.new_terms)));
    }
    facts.extend(evidence.resembles.as_ref().map(|title| format!("resembles an earlier story, “{title}”")));
    facts.extend(evidence.preference_reason.clone());
    if evidence.teaser {
        facts.push("only a teaser of its text is known".to_owned());
    }
    if !evidence.promotional.is_empty() {
        facts.push(format!("words of promotion: {}", joined(&evidence.promotional)));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_grows_to_the_left_of_the_middle_and_a_gain_to_the_right() {
        let (loss, gain) = (signed("a", -5.0, String::new()), signed("b", 50.0, String::new()));
        assert_eq!((loss.at, loss.width, loss.points.as_str()), (40.0, 10.0, "−5.00"));
        assert_eq!((gain.at, gain.width, gain.is_loss), (50.0, 50.0, false));
        assert_eq!(signed("c", -0.0, String::new()).points, "0");
    }
}
