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
    let multiplied = (debug.base * debug.source_weight * debug.rule_boost).clamp(0.0, 100.0);
    let judged = Term {
        name: "Judgement",
        points: format!("{judgement:.0}"),
        why: by.to_owned(),
        at: 0.0,
        width: judgement.clamp(0.0, 100.0),
        is_loss: false,
    };
    let adjustments = [
        (
            "Recency and engagement",
            weights.heuristic * (debug.heuristic - 0.5),
            format!("recency {:.2}, engagement against its source’s usual {:.2}", debug.recency, debug.engagement),
        ),
        ("Novelty", weights.novelty * (debug.novelty - 0.5), format!("{:.2} unlike earlier stories", debug.novelty)),
        ("Age", -weights.decay * (1.0 - debug.decay), format!("{:.0} h before the window’s end", debug.age_hours)),
        ("Your feedback", debug.preference, preference),
    ];
    let factors = [
        (
            "Source and rules",
            multiplied - debug.base,
            format!("source weight {:.2} × rules {:.2}", debug.source_weight, debug.rule_boost),
        ),
        ("Variety", -debug.diversity, "for stories above it of its source, author or kind".to_owned()),
    ];
    // What is printed adds up to what is printed, so this row contains what the others are rounded by.
    let others: f64 = adjustments.iter().chain(&factors).map(|(_, points, _)| hundredths(*points)).sum();
    let within_band = hundredths(debug.final_score) - judgement.round_ties_even() - others;
    let rest = ("Kept within its band", within_band, IN_BAND.to_owned());
    let others = adjustments.into_iter().chain([rest]).chain(factors);
    let others = others.map(|(name, points, why)| signed(name, hundredths(points), why));
    std::iter::once(judged).chain(others).collect()
}

/// What the judgement and its adjustments do not show.
const IN_BAND: &str = "the rows above only order the stories of a band, which begins at 0, 21, 51 or 81, and count \
                       less where your interests or likes decide; with the judgement’s decimals";

/// Returns the sum of the terms with two decimals: the score by which stories are ordered.
pub(super) fn total(debug: &ScoreDebug) -> String {
    format!("{:.2}", hundredths(debug.final_score))
}

fn hundredths(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
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
    facts.extend(evidence.nearest_in_words().map(|nearest| format!("nearest of your interests: {nearest}")));
    facts.push(match evidence.distinct_sources {
        1 => "reported by one source".to_owned(),
        several => format!("reported by {several} sources"),
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

    fn printed(points: &str) -> f64 {
        points.replace('−', "-").parse().unwrap()
    }

    #[test]
    fn the_printed_terms_add_up_to_the_printed_score() {
        // A judgement of 60 whose adjustments of −1.76 points count by a fifth, and one that ends at its band's end.
        let scaled = ScoreDebug {
            ai: Some(0.6),
            shift: -0.352,
            heuristic: 0.4,
            novelty: 0.6,
            decay: 0.6,
            base: 59.648,
            source_weight: 1.0,
            rule_boost: 1.0,
            final_score: 59.648,
            ..ScoreDebug::default()
        };
        let clamped = ScoreDebug {
            ai: Some(0.78),
            base: 80.99,
            source_weight: 1.5,
            rule_boost: 1.5,
            final_score: 97.5,
            diversity: 2.5,
            ..scaled.clone()
        };
        for debug in [scaled, clamped] {
            let terms = terms(&debug);
            let sum: f64 = terms.iter().map(|term| printed(&term.points)).sum();
            let total = total(&debug);
            assert_eq!(format!("{sum:.2}"), total, "{terms:#?}");
            let within_band = terms.iter().find(|term| term.name == "Kept within its band").unwrap();
            assert_ne!(within_band.points, "0", "{terms:#?}");
        }
    }
}
