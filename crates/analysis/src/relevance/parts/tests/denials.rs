//! What is excluded, what is wanted less, and what only sounds like it.

use super::super::super::clauses::{Clause, Interests};
use super::super::super::places::Places;

/// Formats clauses as written: with a minus sign those excluded, with a tilde those wanted less.
fn signed(text: &str) -> Vec<String> {
    let sign = |clause: &Clause| match (clause.denied, clause.is_minor()) {
        (true, _) => "-",
        (false, true) => "~",
        (false, false) => "",
    };
    Interests::parse(text).clauses.iter().map(|clause| format!("{}{}", sign(clause), clause.written)).collect()
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(signed(text), *expected, "{text}");
    }
}

#[test]
fn a_judgement_after_its_object_denies_it() {
    check(&[
        ("Trams are boring, ferries fascinate me", &["-Trams", "ferries"]),
        ("I find trams dull", &["-trams"]),
        ("Tram timetables annoy me. Ferries", &["-Tram timetables", "Ferries"]),
        ("Trams and cable cars can go", &["-Trams", "-cable cars"]),
        ("islands where you can go by ferry", &["islands where you can go by ferry"]),
        ("Trams can be skipped", &["-Trams"]),
        ("Tram wrecks are not what I mean", &["-Tram wrecks"]),
        ("Trams I couldn't care less about, buses are ok", &["-Trams", "buses"]),
        ("trams I can't stand, ferries", &["-trams", "ferries"]),
        ("Ferries are fun, trams aren't", &["Ferries are fun", "-trams"]),
        ("Ferries that don't", &["Ferries"]),
        ("leave trams out of it", &["-trams"]),
        ("Straßenbahnen können weg. Mit Bussen kann ich nichts anfangen", &["-Straßenbahnen", "-Bussen"]),
        ("Le tramway ne me dit rien", &["-tramway"]),
    ]);
}

#[test]
fn an_answer_refers_to_the_question_or_dash_before_it() {
    check(&[
        ("Trams? No thanks. Ferries? Yes please.", &["-Trams", "Ferries"]),
        ("Trams - no. Ferries - yes.", &["-Trams", "Ferries"]),
        ("Trams: none", &["-Trams"]),
        ("Trams? Can't stand them. Ferries are fine though.", &["-Trams", "Ferries"]),
        ("Ferries; trams not at all", &["Ferries", "-trams"]),
        ("Trams you can leave out", &["-Trams"]),
        ("There can't be enough news about ferries", &["ferries"]),
        ("Ferries? Tides? No trams", &["Ferries", "Tides", "-trams"]),
    ]);
}

#[test]
fn a_negated_aversion_is_a_mild_wish() {
    check(&[
        ("I don't dislike trams", &["~trams"]),
        ("It's not that I don't like trams, I just don't want buses", &["~trams", "-buses"]),
        ("I wouldn't say no to trams", &["~trams"]),
        ("I'm not opposed to trams", &["~trams"]),
        ("I wouldn't mind some tide tables", &["~tide tables"]),
        ("Ich habe nichts gegen Trams", &["~Trams"]),
        ("Je n'ai rien contre le tramway", &["~tramway"]),
        ("I never tire of trams. Don't skip ferries", &["trams", "ferries"]),
        ("ferries, no less on tides", &["ferries", "tides"]),
    ]);
}

#[test]
fn what_is_said_to_matter_less_is_wanted_less() {
    check(&[
        ("I worry about ferries, less about trams", &["ferries", "~trams"]),
        ("less about trams", &["-trams"]),
        ("ferries; to a lesser degree trams", &["ferries", "~trams"]),
        ("Trams are less important", &["~Trams"]),
        ("High priority: ferries, tides. Low priority: trams, buses", &["ferries", "tides", "~trams", "~buses"]),
        ("Ferries are my main thing; trams only in passing", &["Ferries", "~trams"]),
        ("Slightly interested in trams, very interested in ferries", &["~trams", "ferries"]),
        ("Fähren, Straßenbahnen nur am Rande", &["Fähren", "~Straßenbahnen"]),
        ("I prefer ferries to trams", &["ferries", "~trams"]),
        ("I prefer to read about trams", &["trams"]),
        ("I like ferries better than trams", &["ferries", "~trams"]),
        ("as little about trams as possible", &["~trams"]),
    ]);
}

#[test]
fn a_wish_after_its_object_ends_a_denial() {
    check(&[("No trams, ferries are fine, tides", &["-trams", "ferries", "tides"])]);
}

#[test]
fn why_something_is_excluded_is_not_denied() {
    check(&[("nothing about trams please, it upsets me. Ferries", &["-trams", "Ferries"])]);
}

#[test]
fn a_kind_of_text_is_excluded_beside_wishes() {
    check(&[("Ferries. Not interested in opinion pieces", &["Ferries", "-opinion"])]);
}

#[test]
fn what_others_want_is_no_wish() {
    check(&[
        ("Ferries. My wife says I should read about trams", &["Ferries"]),
        ("My children love trams. I want ferries", &["ferries"]),
        ("I'm a nurse who works nights, so anything about wards", &["wards"]),
    ]);
}

#[test]
fn a_sense_counts_beside_its_name_alone() {
    let only_with = |text: &str| -> Vec<(String, String)> {
        let clauses = Interests::parse(text).clauses;
        let limited = clauses.iter().filter(|clause| clause.only_with.is_some());
        limited.map(|clause| (clause.written.clone(), clause.required_names().join(" "))).collect()
    };
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    assert_eq!(only_with("Rust (the language, not the game), tides"), [pair("language", "rust"), pair("game", "rust")]);
    assert_eq!(only_with("the Amazon rainforest, not the company"), [pair("company", "amazon rainforest")]);
    assert_eq!(only_with("Teacher in Georgia (not the state)"), [pair("state", "georgia")]);
    assert_eq!(only_with("ferries, but not Chinese ones"), [pair("Chinese", "ferries")]);
    assert!(only_with("the company, not the state. No games").is_empty());
    assert!(only_with("Nurse in Glasgow: hospitals, schools and the city").is_empty());
}

#[test]
fn a_home_holds_for_public_affairs_alone() {
    let places = |text: &str| -> Vec<String> {
        Interests::parse(text).wanted().map(|clause| clause.place_names().join(" ")).collect()
    };
    assert_eq!(places("I live in Berlin and I'm keen on chess and elections"), ["", "berlin"]);
    assert_eq!(places("As a teacher in Kenya, I like films and science"), ["", ""]);
    assert_eq!(places("Nurse from Ghana interested in health and films"), ["ghana", ""]);
    assert_eq!(places("J'habite à Paris et j'aime le cinéma"), [""]);
    assert_eq!(places("I moved to Spain: films"), ["spain"]);
    assert_eq!(places("Paris, France - museums, food")[2..], ["paris france", "paris france"]);
    assert!(Places::shipped().find(&["ghana"]).is_some());
}

#[test]
fn numbers_of_a_list_and_shares_are_no_words() {
    let words = |text: &str| Interests::parse(text).clauses.iter().map(Clause::all_words).collect::<Vec<_>>();
    assert_eq!(words("1. ferries 2. tides 3. no trams"), [["ferries"], ["tides"], ["trams"]]);
    assert_eq!(words("80% ferries, 20% tides"), [["ferries"], ["tides"]]);
    assert_eq!(words("Formula 1. Tides"), [vec!["formula", "1"], vec!["tides"]]);
}
