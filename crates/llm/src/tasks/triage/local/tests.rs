use super::super::MemberInput;
use super::*;

fn input(evidence: Evidence) -> TriageInput {
    TriageInput {
        title: "Ferry adrift".into(),
        body: "The ferry lost power.".into(),
        members: vec![MemberInput { title: "Ferry adrift".into(), url: None, source: "Harbour Post".into() }],
        provenance: vec!["feed".into()],
        preference_summary: String::new(),
        interests: String::new(),
        categories: vec![],
        continues: None,
        evidence,
    }
}

fn score(evidence: Evidence) -> i64 {
    judge(&input(evidence))["aha_score"].as_i64().unwrap()
}

#[test]
fn more_voices_and_the_owners_words_raise_the_score() {
    let plain = score(Evidence { distinct_sources: 1, ..Evidence::default() });
    let told = score(Evidence { distinct_sources: 4, ..Evidence::default() });
    let wanted = score(Evidence {
        distinct_sources: 4,
        has_interests: true,
        matched_interests: vec!["ferries".into()],
        relevance: Some(asked_for()),
        ..Evidence::default()
    });
    assert!((21..=50).contains(&plain), "{plain}");
    assert!((51..=80).contains(&told), "{told}");
    assert!(wanted > 55 && told > 50, "{wanted} and {told}");
}

#[test]
fn an_advertisement_is_noise_whoever_tells_it() {
    let evidence = Evidence {
        distinct_sources: 5,
        promotional: vec!["giveaway".into(), "sponsored".into()],
        ..Evidence::default()
    };
    assert!(score(evidence) <= 20);
}

#[test]
fn a_headline_of_noise_counts_against_a_story_unless_it_was_asked_for() {
    let noisy = Evidence { distinct_sources: 1, noise: 0.99, ..Evidence::default() };
    let asked = Evidence { relevance: Some(asked_for()), has_interests: true, ..noisy.clone() };
    let calm = |evidence: &Evidence| score(Evidence { noise: 0.1, ..evidence.clone() });
    assert!(score(noisy.clone()) < calm(&noisy));
    assert_eq!(score(asked.clone()), calm(&asked));
    assert!(judge(&input(noisy))["reason"].as_str().unwrap().contains("advertisement"));
}

#[test]
fn relevance_means_interests_matched_or_none_set() {
    let relevant = |evidence| judge(&input(evidence))["is_relevant"].as_bool().unwrap();
    assert!(relevant(Evidence::default()));
    assert!(!relevant(Evidence { has_interests: true, ..Evidence::default() }));
}

#[test]
fn a_reason_always_names_a_fact() {
    let reason = |evidence| judge(&input(evidence))["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(Evidence { distinct_sources: 1, ..Evidence::default() }), NO_EVIDENCE);
    let liked = Evidence {
        preference: 0.24,
        preference_reason: Some("like two stories you saved".into()),
        ..Evidence::default()
    };
    assert_eq!(reason(liked), "+12: like two stories you saved");
}

#[test]
fn what_was_not_asked_for_is_mildly_interesting_at_best() {
    let unasked = |sources| Evidence {
        has_interests: true,
        distinct_sources: sources,
        relevance: Some(Relevance { degree: 3.0, allowed: 1.0, ..Relevance::default() }),
        ..Evidence::default()
    };
    assert_eq!((score(unasked(1)), score(unasked(2))), (35, 43));
    let asked = Evidence { relevance: Some(asked_for()), ..unasked(1) };
    assert!((51..=80).contains(&score(asked)));
    let by_sentence = |cosine, allowed| {
        let relevance = Relevance { degree: 3.0, allowed, sentence_similarity: Some(cosine), ..Relevance::default() };
        score(Evidence { relevance: Some(relevance), ..unasked(1) })
    };
    assert!(by_sentence(0.4, 1.0) > 51);
    assert_eq!((by_sentence(0.3, 1.0), by_sentence(0.4, 0.5)), (35, 35));
}

#[test]
fn a_clause_that_is_met_in_part_is_touched() {
    let evidence = Evidence {
        has_interests: true,
        touched_interests: vec!["self-hosting".into()],
        relevance: Some(asked_for()),
        ..Evidence::default()
    };
    let reason = |evidence: &Evidence| judge(&input(evidence.clone()))["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(&evidence), "Touches your “self-hosting”");
    let by_words = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        reason(&Evidence { relevance: Some(Relevance { words, ..asked_for() }), ..evidence.clone() })
    };
    let forms = ["hosting", "self-hosting", "hosts", "self-hosted", "servers", "server"];
    assert_eq!(by_words(&forms), "Touches your “self-hosting” with “hosting” and “servers”", "each word once");
    assert_eq!(by_words(&["self-hosted"]), "Touches your “self-hosting”", "a form of the whole clause says nothing");
    let near = Evidence { touched_interests: Vec::new(), ..evidence.clone() };
    assert_eq!(reason(&near), NO_INTEREST_MATCHED, "there is no clause whose place it has");
    let near = Evidence { nearest_interest: Some("physics".into()), ..near };
    assert_eq!(reason(&near), "Comes near to your “physics”");
    let by_words = |words: &[&str]| {
        let near_words = words.iter().map(|word| (*word).to_owned()).collect();
        let relevance = near.relevance.clone().map(|relevance| Relevance { near_words, ..relevance });
        reason(&Evidence { relevance, ..near.clone() })
    };
    assert_eq!(by_words(&["quark", "collider"]), "Comes near to your “physics” with “quark” and “collider”");
    assert_eq!(by_words(&["Physics"]), "Comes near to your “physics”", "that is what it names already");
    assert_eq!(by_words(&["quark", "Physics"]), "Comes near to your “physics” with “quark”");
    let met = Evidence { matched_interests: vec!["ferries".into()], ..evidence };
    assert_eq!(reason(&met), "Matches your “ferries”");
}

#[test]
fn a_clause_of_which_a_story_has_no_word_is_said_with_the_words_that_it_has() {
    let reason = |met: &[&str], others: &[(&str, &[&str])]| {
        let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let others = others.iter().map(|(interest, words)| aha_core::digest::OtherWords {
            interest: (*interest).to_owned(),
            words: strings(words),
        });
        let relevance = Relevance { other_words: others.collect(), ..asked_for() };
        let evidence = Evidence {
            has_interests: true,
            matched_interests: strings(met),
            relevance: Some(relevance),
            ..Evidence::default()
        };
        judge(&input(evidence))["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason(&["Gaza"], &[("Gaza", &["West Bank"])]), "Matches your “Gaza” with “West Bank”");
    assert_eq!(
        reason(&["Central Africa", "ebola", "outbreaks"], &[("Central Africa", &["Congo", "Gabon", "Chad"])]),
        "Matches your “ebola” and “outbreaks”, and “Central Africa” with “Congo” and “Gabon”"
    );
}

#[test]
fn what_only_the_sources_categories_have_is_touched_and_said_to_be_filed_there() {
    let relevance = Relevance { filed_under: vec!["Winter Olympics".into()], meets_clause: true, ..asked_for() };
    let evidence = Evidence {
        has_interests: true,
        touched_interests: vec!["Olympics".into()],
        relevance: Some(relevance),
        ..Evidence::default()
    };
    let judged = judge(&input(evidence));
    assert_eq!(judged["reason"], "Touches your “Olympics”: its source files it under “Winter Olympics”");
    assert_eq!(judged["is_relevant"], true);
}

#[test]
fn a_story_that_meets_a_clause_is_close_however_it_is_named() {
    let near = |meets_clause| Evidence {
        has_interests: true,
        touched_interests: vec!["housing in Peru".into()],
        relevance: Some(Relevance { degree: 0.9, meets_clause, ..asked_for() }),
        ..Evidence::default()
    };
    assert!(is_close_to_interests(&near(true)) && !is_close_to_interests(&near(false)));
}

#[test]
fn only_a_story_close_to_the_interests_is_said_to_come_near_to_them() {
    let near = |degree| Evidence {
        has_interests: true,
        nearest_interest: Some("physics".into()),
        relevance: Some(Relevance { degree, ..asked_for() }),
        ..Evidence::default()
    };
    let judged = |degree| judge(&input(near(degree)));
    assert_eq!(judged(1.25)["reason"], "Comes near to your “physics”");
    assert_eq!(judged(1.25)["is_relevant"], true);
    assert_eq!(judged(1.24)["reason"], NO_INTEREST_MATCHED);
    assert_eq!(judged(1.24)["is_relevant"], false);
    let met = Evidence { matched_interests: vec!["physics".into()], ..near(0.9) };
    assert_eq!(judge(&input(met))["is_relevant"], true);
}

#[test]
fn a_story_that_an_interest_is_named_for_is_above_those_that_match_none() {
    let story = |touched: bool, matched, allowed, filed: bool| Evidence {
        has_interests: true,
        distinct_sources: 3,
        touched_interests: if touched { vec!["physics".into()] } else { Vec::new() },
        relevance: Some(Relevance {
            degree: 0.1,
            matched,
            allowed,
            filed_under: if filed { vec!["Physics".into()] } else { Vec::new() },
            ..Relevance::default()
        }),
        ..Evidence::default()
    };
    let touched = local_score(&story(true, 0.2, 1.0, false));
    assert!(touched > local_score(&story(false, 0.0, 1.0, false)), "told by several sources");
    assert!(touched > local_score(&story(true, 0.2, 1.0, true)), "its source's categories are not its text");
    assert!(touched > local_score(&story(true, 0.2, 0.5, false)), "denied in part");
}

#[test]
fn of_what_one_source_tells_that_counts_whose_source_is_often_borne_out() {
    let told = |corroborated_share, distinct_sources| {
        local_score(&Evidence { corroborated_share, distinct_sources, ..Evidence::default() })
    };
    assert!(told(0.3, 1) > told(0.0, 1) + 4.0 && told(0.3, 1) < told(0.0, 2));
    assert!((told(0.3, 2) - told(0.0, 2)).abs() < f64::EPSILON);
}

#[test]
fn a_matter_that_more_sources_bring_is_worth_more_to_who_sets_no_interests() {
    let near = |near_sources, has_interests| {
        local_score(&Evidence { near_sources, has_interests, distinct_sources: 1, ..Evidence::default() })
    };
    assert!(near(7, false) > near(0, false) + 8.0 && near(7, true) <= near(0, true));
}

#[test]
fn stories_that_tie_in_worth_below_a_ceiling_are_told_apart_by_promise() {
    let unasked = |degree| Evidence {
        has_interests: true,
        distinct_sources: 1,
        relevance: Some(Relevance { degree, allowed: 1.0, ..Relevance::default() }),
        ..Evidence::default()
    };
    let (near, nearer) = (unasked(2.0), unasked(3.0));
    assert!(
        (local_score(&near) - local_score(&nearer)).abs() < f64::EPSILON,
        "{} {}",
        local_score(&near),
        local_score(&nearer)
    );
    assert!(
        local_score_without_ceilings(&nearer) > local_score_without_ceilings(&near),
        "{} {}",
        local_score_without_ceilings(&near),
        local_score_without_ceilings(&nearer)
    );
    assert!(local_score_without_ceilings(&Evidence { clickbait: true, ..nearer }) <= NOISE_CEILING);
}

#[test]
fn what_is_denied_is_said() {
    let relevance = Relevance { allowed: 0.2, matched: 0.2, denied: vec!["release notes".into()], ..asked_for() };
    let evidence = Evidence { has_interests: true, relevance: Some(relevance), ..Evidence::default() };
    let answer = judge(&input(evidence.clone()));
    assert!(answer["reason"].as_str().unwrap().contains("ou do not want “release notes”"), "{answer}");
}

#[test]
fn what_is_denied_sinks_for_who_asks_for_nothing_and_the_reason_says_so_last() {
    let told = |allowed: f64| {
        let denied = if allowed < 1.0 { vec!["football".to_owned()] } else { Vec::new() };
        let relevance = Relevance { allowed, denied, ..Relevance::default() };
        Evidence { distinct_sources: 4, relevance: Some(relevance), ..Evidence::default() }
    };
    let scores = [1.0, 0.5, 0.0].map(|allowed| score(told(allowed)));
    assert!(scores[0] > 50 && scores[1] < scores[0] && scores[2] <= 20, "{scores:?}");
    assert!(score(told(0.7)) <= 35, "however many sources tell it");
    let denied = judge(&input(told(0.5)));
    assert!(denied["reason"].as_str().unwrap().ends_with("; but you do not want “football”"), "{denied}");
}

#[test]
fn a_handful_of_comments_is_no_reason() {
    let with = |comments| {
        let evidence = Evidence { comments: Some(comments), engagement_percentile: Some(0.9), ..Evidence::default() };
        judge(&input(evidence))["reason"].as_str().unwrap().to_owned()
    };
    assert!(with(40).starts_with("40 comments") && !with(2).contains("comment"), "{}", with(2));
}

/// A clause matched in a title, of a text whose vector is near it.
fn asked_for() -> Relevance {
    Relevance { degree: 1.6, matched: 1.2, allowed: 1.0, ..Relevance::default() }
}
