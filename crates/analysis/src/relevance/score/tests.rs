use super::super::clauses::Interests;
use super::super::degree::STRONG;
use super::super::documents::{Corpus, TextParts};
use super::super::frequencies::NoFrequencies;
use super::*;

fn corpus(texts: &[(&str, &str)]) -> Corpus {
    let parts = texts.iter().map(|(title, body)| TextParts { title, body, categories: &[], is_english: true });
    Corpus::of(&parts.collect::<Vec<_>>())
}

/// Computes the degrees of texts (title, body) for interests.
fn degrees(interests: &str, texts: &[(&str, &str)]) -> Vec<Degree> {
    let corpus = corpus(texts);
    let interests = Interests::parse(interests);
    Query::new(&interests, &corpus, &NoFrequencies).degrees()
}

fn order(interests: &str, texts: &[(&str, &str)]) -> Vec<usize> {
    let found = degrees(interests, texts);
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|a, b| found[*b].total(0.0).total_cmp(&found[*a].total(0.0)));
    order
}

#[test]
fn a_title_says_more_than_a_mention() {
    let body = "A long report on harbours and the people who work there. ".repeat(20);
    let mention = format!("{body} A ferry passed.");
    assert_eq!(
        order("ferries", &[("Harbour work", &mention), ("A ferry is adrift", &body), ("Soup", "Lentils")]),
        [1, 0, 2]
    );
}

#[test]
fn what_is_denied_counts_less_in_passing_than_in_a_text_of_its_subject() {
    assert!(denying_share(0.4, 0.1) < 1e-9, "in passing");
    assert!((denying_share(0.4, 0.6) - 0.4).abs() < 1e-9, "in its sense");
    assert!((denying_share(1.0, 0.0) - 1.0).abs() < 1e-9, "all of it");
    assert!(denying_share(0.7, 0.0) < denying_share(0.7, 0.3));
}

#[test]
fn what_is_denied_sinks() {
    let texts = [("Release notes for libcrumple 1.9", "What changed"), ("How libcrumple decodes", "An essay")];
    assert_eq!(order("libcrumple. I don't care about release notes", &texts), [1, 0]);
    let found = degrees("libcrumple. I don't care about release notes", &texts);
    assert!(found[0].allowed < 0.5 && (found[1].allowed - 1.0).abs() < 1e-9);
}

#[test]
fn one_sense_of_a_word_is_not_another() {
    let found = degrees(
        "physics",
        &[("Physical fitness in winter", "Ten exercises"), ("New physics at the collider", "Quarks")],
    );
    assert!(found[0].lexical < STRONG && found[0].lexical < 0.5 * found[1].lexical, "{found:?}");
}

#[test]
fn a_region_is_met_by_its_countries() {
    let found = degrees("Latin America: elections", &[("Elections in Peru", ""), ("Elections in Norway", "")]);
    assert!(found[0].lexical > 1.5 * found[1].lexical, "{found:?}");
}

#[test]
fn a_subject_in_a_place_needs_both() {
    let texts = [
        ("Protests in Iran grow", "Iranians march"),
        ("Iran sells pistachios", "The harvest was good in Iran"),
        ("Protests in Bangladesh grow", "A march"),
    ];
    let found = degrees("protests in Iran, the dollar", &texts);
    assert!(found[0].lexical > 3.0 * found[1].lexical && found[0].dense > found[1].dense, "{found:?}");
    assert!(found[0].lexical > 1.5 * found[2].lexical, "{found:?}");
}

#[test]
fn a_sentence_model_tells_near_texts_from_others() {
    let with = |cosine| Degree { lexical: 1.0, allowed: 0.5, sentence: cosine, ..Degree::default() }.total(0.0);
    assert!((with(None) - 0.5).abs() < 1e-9);
    assert!(with(Some(0.4)) > 1.5 * with(Some(0.1)) && (with(Some(-0.2)) - with(Some(0.0))).abs() < 1e-9);
}

#[test]
fn a_part_of_a_longer_name_of_a_place_is_another_thing() {
    let texts = [("The West Bank after the vote", ""), ("A bank raises its rates", ""), ("Soup", "Bread")];
    let found = degrees("banks", &texts);
    assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
    let texts = [("A mine in New Mexico", ""), ("A mine in Mexico", ""), ("Soup", "Bread")];
    let found = degrees("Mexico", &texts);
    assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
}

#[test]
fn what_names_no_subject_counts_little_beside_what_does() {
    let texts = [("They decide to wait", "A meeting"), ("Heat pumps are quiet", "A test"), ("Soup", "Bread")];
    let found = degrees("decide on a heat pump", &texts);
    assert!(found[1].lexical > 4.0 * found[0].lexical, "{found:?}");
    let found = degrees("decide", &texts);
    assert!(found[0].lexical > 0.5, "alone it counts in full: {found:?}");
}

#[test]
fn what_follows_non_is_not_met_unless_it_is_asked_for() {
    let texts = [("Some non-comics shelves", ""), ("Some comics", ""), ("Soup", "Bread")];
    let found = degrees("comics", &texts);
    assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
    let texts = [("The best non-fiction", ""), ("The best fiction", ""), ("Soup", "Bread")];
    let found = degrees("non-fiction", &texts);
    assert!(found[0].lexical > 1.5 * found[1].lexical, "{found:?}");
}

#[test]
fn non_and_its_word_are_one_word() {
    let texts = [("A shelf of nonfiction", ""), ("A shelf of fiction", ""), ("Soup", "Bread")];
    let found = degrees("non-fiction", &texts);
    assert!(!found[0].clauses.is_empty() && found[1].clauses.is_empty(), "{found:?}");
    let found = degrees("non-military uses of robots", &[("Military bands", ""), ("Robots", ""), ("Soup", "")]);
    assert!(found[0].clauses.is_empty() && !found[1].clauses.is_empty(), "{found:?}");
}

#[test]
fn an_activity_is_not_what_its_word_is_formed_from() {
    let share = |interests: &str, title: &str| {
        let found = degrees(interests, &[(title, ""), ("Soup", "Bread")]).remove(0);
        found.clauses.first().map_or(0.0, |met| met.share)
    };
    let apart = [
        ("housing", "A house"),
        ("training", "A train"),
        ("tracking", "The track"),
        ("trafficking", "Traffic"),
        ("boxing", "A box"),
        ("rowing", "A row"),
        ("market", "Marketing"),
    ];
    for (interests, title) in apart {
        assert!(share(interests, title) < 0.5, "{interests}: {title}");
    }
    let alike = [
        ("farming", "A farm"),
        ("trading", "Trade"),
        ("banking", "The banks"),
        ("running", "A run"),
        ("cooking", "A cook"),
        ("meeting", "Meetings"),
        ("kings", "A king"),
        ("wing", "Two wings"),
        ("housing", "Housing"),
    ];
    for (interests, title) in alike {
        assert!(share(interests, title) > 0.9, "{interests}: {title}");
    }
}

#[test]
fn words_that_belong_together_are_met_where_they_stand_together() {
    let filler = "The council spoke of harbours and the people who work there, and of bread. ".repeat(3);
    let is_met = |interests: &str, title: &str, body: &str| {
        let degree = degrees(interests, &[(title, body), ("Soup", &filler)]).remove(0);
        degree.clauses[0].is_met(degree.allowed)
    };
    assert!(is_met("interest rates", "Rates of interest rise", "The bank raised them"));
    assert!(!is_met("interest rates", "Unemployment rate falls", "The rate is lower"));
    assert!(!is_met("interest rates", "Unemployment rate falls", &format!("The rate. {filler} It is of interest")));
    assert!(is_met("elections in Peru", "Elections are held", &format!("{filler} So it was in Peru")));
}

#[test]
fn a_modifier_counts_only_before_the_word_that_it_is_joined_to() {
    let texts = [("A course in self-defense", ""), ("Ways to self host a wiki", ""), ("Hosting a wiki", "")];
    let found = degrees("self-hosting", &texts);
    assert!(found[0].clauses.is_empty(), "{found:?}");
    assert!(found[1].lexical > 1.5 * found[2].lexical && found[2].lexical > 0.0, "{found:?}");
}

#[test]
fn an_ambiguous_word_is_met_in_the_sense_of_the_clause() {
    let boat = "The navy seized a vessel with cocaine off the coast; the army says its crew were drug smugglers";
    let race = "Athletes of the marathon train for races of ten miles with sprints and jogging, and a coach";
    let found = degrees("running", &[("Drug-running boat", boat), ("Running in winter", race), ("Soup", "Bread")]);
    // A text that mentions the word in passing.
    let in_passing = |number: usize| ClauseMatch { score: 0.3, ..found[number].clauses[0] };
    let is_met = |number: usize| in_passing(number).is_met(found[number].allowed);
    assert!(is_met(1) && !is_met(0), "{found:?}");
}

#[test]
fn a_match_says_by_which_words() {
    let meeting_words = |interests: &str, body: &str| {
        let corpus = corpus(&[("Soup", body)]);
        let interests = Interests::parse(interests);
        let query = Query::new(&interests, &corpus, &NoFrequencies);
        let meeting = query.meeting(0, &query.degrees()[0].clauses[0]);
        meeting.words.into_iter().map(|word| word.text).collect::<Vec<_>>()
    };
    assert_eq!(meeting_words("ferries, tidal energy", "Tidal energy for Skerrow"), ["tidal", "energy"]);
    assert_eq!(meeting_words("self-hosting", "Self defense. A self-hosted wiki"), ["self-hosted"]);
    assert_eq!(meeting_words("South Africa", "A mine in the south. South Africa"), ["south africa"]);
}
