use super::super::{Block, Question, SimilarityModels, answer};
use super::*;

fn passage<'a>(document: &'a str, section: &'a str, dated: i64, sentences: &[&'a str]) -> CandidatePassage<'a> {
    CandidatePassage {
        document,
        title: None,
        section,
        blocks: sentences.iter().copied().map(|text| Block { text, sentences: vec![text] }).collect(),
        dated,
        is_date_stated: true,
        is_replaced: false,
        is_item: false,
    }
}

const DAY: i64 = 86_400_000;

fn candidates() -> Vec<CandidatePassage<'static>> {
    vec![
        passage("a.md", "Leave", 0, &["Requests go through the portal Rota.", "Five days may be carried over."]),
        passage(
            "a.md",
            "Rota",
            0,
            &["It needs a badge number.", "Rota is the portal for requests.", "It is reached from any browser."],
        ),
        passage("feb.md", "Project Heron", 40 * DAY, &["The switch-over of Heron is planned for 14 March."]),
        passage("mar.md", "Project Heron", 68 * DAY, &["The switch-over was postponed to 18 April."]),
        passage("feb.md", "Decisions", 40 * DAY, &["The proposal to buy a second forklift was rejected."]),
    ]
}

fn answered(question: &str) -> Option<(String, Option<i64>)> {
    let question = Question::new(question).asked_at(70 * DAY);
    let found = answer(&question, &candidates(), &SimilarityModels::shipped(), None)?;
    found.is_answered.then(|| (found.text(), found.older))
}

#[test]
fn a_definition_goes_before_other_mentions() {
    let (text, _) = answered("What is Rota?").unwrap();
    assert_eq!(text, "Rota is the portal for requests. It is reached from any browser.");
}

#[test]
fn the_newest_passage_tells_what_happened() {
    let (text, older) = answered("What is new in Project Heron this week?").unwrap();
    assert!(text.starts_with("The switch-over was postponed to 18 April."), "{text}");
    assert_eq!((older, text.contains("14 March")), (None, false));
    let (text, older) = answered("Anything about Project Heron today?").unwrap();
    assert_eq!((text.contains("18 April"), older), (true, None));
    let (text, older) = answered("Anything about the forklift this week?").unwrap();
    assert_eq!(text, "The proposal to buy a second forklift was rejected.");
    assert_eq!(older, Some(40 * DAY), "the answer has to say that it is older");
    let (text, older) = answered("What happened with Project Heron?").unwrap();
    assert_eq!(older, None);
    assert_eq!(text, "The switch-over was postponed to 18 April. The switch-over of Heron is planned for 14 March.");
}

#[test]
fn a_sentence_before_the_subject_is_no_definition() {
    let guide = [
        passage("a.md", "Notice period", 0, &["This section is for all.", "The notice period is three months."]),
        passage("a.md", "Elm room", 0, &["Doors close at nine.", "The Elm room seats twelve people."]),
    ];
    let answered = |question| answer(&Question::new(question), &guide, &SimilarityModels::shipped(), None);
    let text = answered("What is the notice period?").unwrap().text();
    assert_eq!(text, "The notice period is three months.");
    assert!(!answered("What is the Elm room?").is_some_and(|found| found.text().starts_with("Doors")));
}

#[test]
fn what_names_the_subject_answers_where_nothing_defines_it() {
    let guide = [
        passage("a.md", "Stowing", 0, &["The trolley is kept behind bay two."]),
        passage("b.md", "Relay", 0, &["Parcels for the north wait in the relay locker overnight."]),
    ];
    let answered = |question| {
        answer(&Question::new(question), &guide, &SimilarityModels::shipped(), None)
            .filter(|found| found.is_answered)
            .map(|found| found.text())
    };
    let text = answered("What is the relay locker?");
    assert_eq!(text.as_deref(), Some("Parcels for the north wait in the relay locker overnight."));
    assert_eq!(answered("What is a pallet?"), None);
    let subject = ["dead".to_owned(), "drop".to_owned()];
    assert!(has_in_order("Leave it at the dead drops.", &subject));
    assert!(!has_in_order("The drop was dead.", &subject) && !has_in_order("Dead", &subject));
}

#[test]
fn what_says_in_passing_what_the_subject_is_goes_before_other_mentions() {
    let notes = [
        passage("a.md", "Tools", 0, &["Termio was slow again today.", "Much else was slow, too."]),
        passage("b.md", "Setup", 0, &["With the help of Termio (a shell client) a host was added."]),
    ];
    let answered = |question| answer(&Question::new(question), &notes, &SimilarityModels::shipped(), None);
    for question in ["What is Termio?", "Tell me about Termio"] {
        let text = answered(question).unwrap().text();
        assert_eq!(text, "With the help of Termio (a shell client) a host was added.", "{question}");
    }
    let explains = |sentence: &str| explains(sentence, &["kestrel".to_owned()]);
    for sentence in ["Kestrel, a small ferry, is late.", "A ferry called Kestrel", "Kestrel — the new boat"] {
        assert!(explains(sentence), "{sentence}");
    }
    for sentence in [
        "Kestrel (2019) is late",
        "Kestrel (see below)",
        "Kestrels, a bird",
        "In Kestrel, the mayor spoke",
        "Kestrel, and a boat",
        "Boats",
    ] {
        assert!(!explains(sentence), "{sentence}");
    }
}

#[test]
fn an_entry_of_a_glossary_is_a_definition_and_a_row_of_a_table_is_none() {
    let terms = [
        passage("a.md", "Fees", 0, &["Zone: A · Fee per box: 4 euros"]),
        passage("b.md", "Terms", 0, &["Dead run: a trip without goods.", "Zone: a delivery area with its own fee."]),
    ];
    let answered = |question| answer(&Question::new(question), &terms, &SimilarityModels::shipped(), None);
    let text = answered("What is a zone?").unwrap().text();
    assert!(text.starts_with("Zone: a delivery area"), "{text}");
    let text = answered("What is a dead run?").unwrap().text();
    assert!(text.starts_with("Dead run: a trip"), "{text}");
}

#[test]
fn what_names_the_subject_goes_before_the_beginning_that_does_not() {
    let article = CandidatePassage {
        title: Some("Police buy GeoSpy"),
        is_item: true,
        ..passage("a", "", 0, &["Subscribe if you like our work.", "GeoSpy geolocates photos by their plants."])
    };
    let question = Question::new("Tell me about GeoSpy");
    let text = answer(&question, &[article], &SimilarityModels::shipped(), None).unwrap().text();
    assert!(text.starts_with("GeoSpy geolocates"), "{text}");
}

#[test]
fn what_a_newer_passage_contradicts_is_no_news() {
    let crossings = [
        passage("old.md", "Crossing", 1, &["A crossing costs 6 euros."]),
        passage("new.md", "Crossing", 2, &["A crossing costs 7 euros."]),
    ];
    let question = Question::new("Any news about the crossing?");
    let found = answer(&question, &crossings, &SimilarityModels::shipped(), None).unwrap();
    assert_eq!((found.text().as_str(), found.outdated), ("A crossing costs 7 euros.", Some((0, 1))));
}

#[test]
fn what_asks_for_a_property_is_answered_without_all_words_of_the_subject() {
    let (text, _) = answered("Explain how leave requests through Rota are made").unwrap();
    assert!(text.contains("Requests go through the portal Rota."), "{text}");
}

#[test]
fn a_subject_that_does_not_occur_is_refused() {
    for question in [
        "What happened with the ferries?",
        "Anything about Kubernetes this week?",
        "What is new in Rust?",
        "Tell me about the Rota of Kestrel",
        "What is new?",
        "What happened this week?",
    ] {
        assert_eq!(answered(question), None, "{question}");
    }
}

#[test]
fn a_row_of_a_glossary_defines_its_word() {
    let texts = [
        "word: berth · meaning: the right of one boat to lie at the quay",
        "column: berth_ends_at · meaning: when the berth of a boat ends",
        "Berths use the clock of the harbour.",
        "word: quay · meaning: where boats lie",
    ];
    let candidates = [passage("glossary.md", "Glossary", 0, &texts)];
    let answered = |question: &str| {
        let found = answer(&Question::new(question), &candidates, &SimilarityModels::shipped(), None)?;
        found.is_answered.then(|| found.quotes[0].text.clone())
    };
    assert_eq!(answered("What is a berth?").as_deref(), Some(texts[0]));
    assert_eq!(answered("What is a quay?").as_deref(), Some(texts[3]));
}
