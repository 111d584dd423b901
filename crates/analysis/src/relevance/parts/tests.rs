mod denials;

use super::super::clauses::{Clause, Interests};

/// Formats clauses as written, with a minus sign before negated ones.
fn parsed(text: &str) -> Vec<String> {
    let sign = |clause: &Clause| if clause.denied { "-" } else { "" };
    Interests::parse(text).clauses.iter().map(|clause| format!("{}{}", sign(clause), clause.written)).collect()
}

#[test]
fn a_reason_ends_where_a_wish_goes_on() {
    for (text, expected) in [
        ("Trains, because I commute, bridges", &["Trains", "bridges"][..]),
        ("trains (because I commute), and bridges", &["trains", "bridges"]),
        ("energy bills because of my bakery: tariffs, insulation", &["energy bills", "tariffs", "insulation"]),
        ("what the mayor does because of it: bus lanes, parks", &["mayor", "bus lanes", "parks"]),
        ("chess, because my son plays it, and I want ferries", &["chess", "ferries"]),
        ("chess, because my son plays it, but no golf", &["chess", "-golf"]),
        ("Because I commute, trains and bridges", &["trains", "bridges"]),
        ("Züge, weil ich pendle, Brücken", &["Züge", "Brücken"]),
        ("les trains parce que je voyage, les ponts", &["trains", "ponts"]),
        ("I run a bakery because of my father, so I follow wages", &["wages"]),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
    for text in [
        "harbours, because my colleagues ask me all the time",
        "harbours because I sail and my brother fishes",
        "harbours, because I sail, my boss sails and we meet there",
        "harbours because my boat (nine metres) lies there",
        "harbours, because of the storms",
    ] {
        assert_eq!(parsed(text), ["harbours"], "{text}");
    }
    let places: Vec<Vec<String>> =
        Interests::parse("Since I moved to Peru, elections and buses").wanted().map(Clause::place_names).collect();
    assert_eq!(places, [["peru"], ["peru"]]);
    assert!(Interests::parse("No sport. Because it bores me.").is_empty());
}

#[test]
fn what_readers_say_of_their_lives_is_no_wish() {
    for (text, expected) in [
        ("I'm a retired nurse (wards, theatres). Chess", &["Chess"][..]),
        ("I live in Leeds, so you can imagine the rain. Chess", &["Chess"]),
        ("Soy jubilada, ajedrez", &["ajedrez"]),
        ("how old the world is and how we came to be: microbes", &["microbes"]),
        ("I'm a baker. Chess", &["baker", "Chess"]),
        ("retired greyhounds, born criminals", &["retired greyhounds", "born criminals"]),
        ("old buildings, how old buildings are heated", &["old buildings", "old buildings are heated"]),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn a_wish_may_follow_a_denial_without_its_subject() {
    for (text, expected) in [
        ("I hate politics and love astronomy", &["-politics", "astronomy"][..]),
        ("I hate politics, love astronomy", &["-politics", "astronomy"]),
        ("I don't like sport and want local harbours", &["-sport", "local harbours"]),
        ("I dislike football and enjoy cycling", &["-football", "cycling"]),
        ("I avoid crypto and follow Postgres", &["-crypto", "Postgres"]),
        ("I can't stand politics, I adore comets", &["-politics", "comets"]),
        ("nothing about politics and everything about comets", &["-politics", "comets"]),
        ("Ich hasse Politik und liebe Astronomie", &["-Politik", "Astronomie"]),
        ("Je déteste la politique et j'adore l'astronomie", &["-politique", "astronomie"]),
        ("Odio la política y me encanta la astronomía", &["-política", "astronomía"]),
        ("Hobby astronomer who hates politics", &["Hobby astronomer", "-politics"]),
        // None of these wishes for anything.
        ("no crime and love songs", &["-crime", "-songs"]),
        ("I don't read or follow football", &["-football"]),
        ("I hate politics and sport", &["-politics", "-sport"]),
        ("Je n'aime pas le sport et je n'aime pas la politique", &["-sport", "-politique"]),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn a_role_of_the_reader_is_no_subject_beside_a_wish() {
    for (text, expected) in [
        ("As a nurse I care about vaccines", &["vaccines"][..]),
        ("As a nurse, I care about vaccines", &["vaccines"]),
        ("As an astronomer we need comets", &["comets"]),
        ("I'm a nurse interested in public health and vaccines", &["public health", "vaccines"]),
        ("Astronomer who loves comets and hates politics", &["comets", "-politics"]),
        ("As a nurse", &["nurse"]),
        ("Spain as a place to live", &["Spain as a place"]),
        ("not that interested in football", &["-football"]),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn an_apposition_to_a_name_is_no_subject() {
    let text = "Anything about Nvidia, the company, and its chips";
    assert_eq!(parsed(text), ["Nvidia", "Nvidia, the company, and its chips"]);
    assert_eq!(Interests::parse(text).clauses[1].words, ["nvidia", "chips"]);
    assert_eq!(parsed("Rust, the language, chess"), ["Rust", "chess"]);
    assert_eq!(parsed("Trump, the economy, chess"), ["Trump", "economy", "chess"]);
    assert_eq!(parsed("chess, the company"), ["chess", "company"]);
    assert_eq!(parsed("Apple, the company car"), ["Apple", "company car"]);
}

#[test]
fn a_kind_of_text_is_no_subject_beside_one() {
    for (text, expected) in [
        (
            "interviews with writers and painters, the long ones where they talk about their life and work",
            &["writers", "painters"][..],
        ),
        ("long essays on ferries, research papers about tides", &["ferries", "tides"]),
        ("interviews where they talk about tides", &["tides"]),
        ("Interviews mit Malern", &["Malern"]),
        ("chess, interviews", &["chess"]),
        ("interviews, no politics", &["interviews", "-politics"]),
        ("essays", &["essays"]),
        ("no interviews with actors", &["-interviews with actors"]),
        ("job interviews, the Pentagon papers", &["job interviews", "Pentagon papers"]),
        ("chess sets, the wooden ones", &["chess sets", "wooden"]),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
    assert_eq!(Interests::parse("Interviews mit Malern").clauses[0].words, ["malern"]);
}

#[test]
fn what_a_verb_at_the_end_bears_on_is_said_of_each_object() {
    assert_eq!(
        parsed("was die Polizei mit Familien und Kindern macht"),
        ["Polizei mit Familien", "Polizei mit Kindern"]
    );
    assert_eq!(parsed("talks with Iran and Israel"), ["talks with Iran", "talks with Israel"]);
    assert_eq!(parsed("dinner with friends and gardening"), ["dinner with friends", "gardening"]);
    assert_eq!(parsed("die Macht der Kirche"), ["Macht der Kirche"]);
}

#[test]
fn what_leaves_the_choice_is_no_subject() {
    assert_eq!(parsed("Surprise me: art, animals"), ["art", "animals"]);
    assert_eq!(parsed("chess, anything good, you choose"), ["chess"]);
    assert_eq!(parsed("Schach, überrasch mich"), ["Schach"]);
    assert!(Interests::parse("surprise me").is_empty());
    assert_eq!(parsed("surprise parties, the school you choose"), ["surprise parties", "school you choose"]);
}

#[test]
fn what_is_left_of_a_phrase_names_no_subject() {
    assert_eq!(
        parsed("AI but how it actually works and what people build with it, evaluation"),
        ["AI", "evaluation"],
        "neither “actually” nor “build”"
    );
    assert_eq!(parsed("la nature, j'aime surtout les articles qui expliquent"), ["nature"]);
    assert_eq!(parsed("Whats going on in Wales"), ["Wales"], "without the apostrophe");
    assert_eq!(parsed("ferries, fun"), ["ferries", "fun"], "alone it is meant");
    assert_eq!(parsed("something that explains"), ["explains"], "nothing else is wanted");
}

#[test]
fn why_something_is_not_wanted_is_not_denied() {
    assert_eq!(parsed("bread prices. I don't need recipes, I bake all day"), ["bread prices", "-recipes"]);
    assert_eq!(parsed("keine Rezepte, ich backe selbst"), ["-Rezepte"]);
    assert_eq!(parsed("no sport, I like chess"), ["-sport", "chess"]);
    assert_eq!(parsed("no sport, I would love to read about chess"), ["-sport", "chess"]);
    assert_eq!(parsed("schools. Drink driving is none of my business"), ["schools", "-Drink driving"]);
}

#[test]
fn what_goes_without_something_excludes_it_to_the_pause() {
    assert_eq!(parsed("heat pumps without drilling, grants"), ["heat pumps", "-drilling", "grants"]);
    assert_eq!(parsed("aprender a cocinar sin gluten, ferias"), ["aprender a cocinar", "-gluten", "ferias"]);
    assert_eq!(parsed("Musik ohne Schlager, Jazz"), ["Musik", "-Schlager", "Jazz"]);
}
