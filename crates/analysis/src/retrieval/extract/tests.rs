use super::super::Block;
use super::*;

fn passage<'a>(document: &'a str, sentences: Vec<&'a str>) -> CandidatePassage<'a> {
    let blocks = sentences.into_iter().map(|text| Block { text, sentences: vec![text] }).collect();
    CandidatePassage {
        document,
        title: None,
        section: "Mooring",
        blocks,
        dated: 0,
        is_date_stated: true,
        is_replaced: false,
        is_item: false,
    }
}

#[test]
fn a_sentence_that_is_too_long_is_no_evidence_for_another() {
    let long = format!("A night at the quay costs nine euros for {} boats.", "very small and old ".repeat(20));
    let candidates = [passage("harbour.md", vec![long.as_str(), "Boats are painted in spring."])];
    let question = Question::new("What does a night at the quay cost?");
    let meaning = SimilarityModels::shipped();
    let found = answer(&question, &candidates, &meaning, None).unwrap();
    assert_eq!(found.text(), "Boats are painted in spring.");
    let described = describe(&question, &candidates, &meaning, None);
    let quoted = described.iter().find(|one| one.text == found.text()).unwrap();
    assert_eq!(found.evidence, quoted.evidence);
}

fn in_document<'a>(section: &'a str, sentences: Vec<&'a str>) -> CandidatePassage<'a> {
    CandidatePassage { title: Some("Bicycle shop Radhaus Jonsen"), section, ..passage("shop.md", sentences) }
}

fn answered(question: &str) -> Option<String> {
    let candidates = [
        in_document("Owners", vec!["The shop belongs to Mr Tomas Reyes and his sister."]),
        in_document("Service", vec!["A large service costs 89 euros.", "Tyres are changed while you wait."]),
        in_document("Loans", vec!["The customer pays a deposit of 150 in two parts."]),
        in_document("Machines", vec!["mango: 10.20.0.14, in the cellar", "kiwi: printer in the study"]),
    ];
    let found = answer(&Question::new(question), &candidates, &SimilarityModels::shipped(), None)?;
    found.is_answered.then(|| found.text())
}

#[test]
fn details_of_a_literal_question_may_stand_beside_the_sentence() {
    for (question, expected) in [
        ("How much does a large service cost at Radhaus Jonsen?", "A large service costs 89 euros."),
        ("What deposit does Tomas Reyes pay?", "The customer pays a deposit of 150 in two parts."),
        ("What is the IP address of mango?", "mango: 10.20.0.14, in the cellar"),
    ] {
        let text = answered(question).unwrap_or_default();
        assert!(text.starts_with(expected), "{question} {text}");
    }
}

#[test]
fn a_shared_word_does_not_answer() {
    for question in [
        "How much does the kiwi cost?",
        "What is the telephone number of the cellar?",
        "What is the IP address of kiwi?",
        "How much does a large service cost at Radhaus Kramer?",
    ] {
        assert_eq!(answered(question), None, "{question}");
    }
}

#[test]
fn a_long_row_is_quoted_in_part() {
    let cells: Vec<String> = (1..20).map(|number| format!("Remark {number}: without any other meaning")).collect();
    let row = format!("{} · Night at the quay: nine euros", cells.join(" · "));
    let candidates = [passage("harbour.md", vec![row.as_str()])];
    let question = Question::new("What does a night at the quay cost?");
    let found = answer(&question, &candidates, &SimilarityModels::shipped(), None).unwrap();
    assert!(found.quotes[0].text.ends_with("Night at the quay: nine euros"), "{found:?}");
    assert!(found.text().split_whitespace().count() <= MAX_WORDS && row.contains(&found.quotes[0].text));
}

/// Answers from documents of one section each, given their names, sections and sentences.
fn answer_of(question: &str, documents: &[(&'static str, &'static str, &[&'static str])]) -> Option<Extract> {
    let candidate = |(document, section, sentences): &(&'static str, &'static str, &[&'static str])| {
        let block = Block { text: "", sentences: sentences.to_vec() };
        CandidatePassage { section, blocks: vec![block], ..passage(document, Vec::new()) }
    };
    let candidates: Vec<CandidatePassage<'_>> = documents.iter().map(candidate).collect();
    let found = answer(&Question::new(question), &candidates, &SimilarityModels::shipped(), None)?;
    found.is_answered.then_some(found)
}

fn text_of(question: &str, documents: &[(&'static str, &'static str, &[&'static str])]) -> String {
    answer_of(question, documents).map(|found| found.text()).unwrap_or_default()
}

#[test]
fn a_code_stands_in_the_quoted_sentence() {
    let documents: &[(&str, &str, &[&str])] =
        &[("bike.md", "Display", &["E07 means that the motor is too hot.", "E12 is a loose plug at the sensor."])];
    for question in ["What does E12 mean?", "what does error E12 mean", "code E12"] {
        assert!(text_of(question, documents).starts_with("E12 is a loose plug"), "{question}");
    }
    assert_eq!(text_of("What does E20 mean?", documents), "");
}

#[test]
fn a_question_in_another_language_is_answered_in_the_words_of_the_text() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("ordnung.md", "Ordnung", &["Die Pumpe wird alle sechs Monate durch die Firma Voss gewartet."]),
        ("hafen.md", "Hafen", &["Der Hafen ist im Winter geschlossen."]),
    ];
    for question in ["Wie oft wird die Pumpe gewartet?", "Wer wartet die Pumpe?", "Welche Firma wartet die Pumpe?"] {
        assert!(text_of(question, documents).contains("durch die Firma Voss"), "{question}");
    }
    assert_eq!(text_of("Wie laut ist der Kran im Hafen?", documents), "");
}

#[test]
fn names_and_rare_words_in_one_sentence_answer() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("tools.md", "Tools", &["I recently replaced Authy with Bitwarden on all phones.", "It is fine."]),
        ("tea.md", "Tea", &["Tea is served at four.", "Cakes are baked on Sundays."]),
    ];
    let text = text_of("Why was Authy given up in favour of Bitwarden?", documents);
    assert!(text.starts_with("I recently replaced Authy with Bitwarden"), "{text}");
}

#[test]
fn the_next_sentence_follows_if_it_begins_with_a_pronoun() {
    let documents: &[(&str, &str, &[&str])] = &[(
        "leave.md",
        "Leave",
        &["Up to five unused days may be carried over.", "They lapse on 31 March.", "Other days are unpaid."],
    )];
    let text = text_of("How many unused days may be carried over?", documents);
    assert!(text.starts_with("Up to five unused days may be carried over. They lapse on 31 March."), "{text}");
}

#[test]
fn lead_ins_are_not_quoted() {
    let documents: &[(&str, &str, &[&str])] =
        &[("copy.md", "Copies", &["The keeper makes the copy of the list:", "The keeper copies the list at noon."])];
    let text = text_of("When does the keeper copy the list?", documents);
    assert_eq!(text, "The keeper copies the list at noon.");
    let label: &[(&str, &str, &[&str])] =
        &[("keys.md", "Keys", &["Remote copies.", "The remote copies are protected with a password."])];
    assert_eq!(text_of("Are the remote copies protected?", label), "The remote copies are protected with a password.");
}

#[test]
fn another_document_is_quoted_only_if_it_has_the_rarest_words() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("bike.md", "Bike", &["Theft tracking costs 39 euros a year."]),
        ("trips.md", "Trips", &["A taxi costs 40 euros a year.", "Second class costs 50 euros."]),
    ];
    let found = answer_of("How much does theft tracking cost for a year?", documents).unwrap();
    assert!(found.quotes.iter().all(|quote| quote.passage == 0), "{found:?}");
}

#[test]
fn the_number_of_what_is_counted_comes_first() {
    let documents: &[(&str, &str, &[&str])] = &[(
        "files.md",
        "Files",
        &["A file is not read if a page of it has more than 4 megabytes.", "Of a file, 2,000 pages are read."],
    )];
    let text = text_of("How many pages of a file are read?", documents);
    assert!(text.starts_with("Of a file, 2,000 pages are read."), "{text}");
}

#[test]
fn a_version_is_found_under_the_name_of_its_program() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("run.md", "Postgres", &["You need version 15 or newer.", "The target must be empty."]),
        ("copy.md", "Copies", &["A copy takes all rows to a database."]),
    ];
    let text = text_of("Which release of Postgres is needed?", documents);
    assert!(text.starts_with("You need version 15 or newer."), "{text}");
}

#[test]
fn no_note_names_a_document_that_is_quoted_itself_or_only_copied() {
    let of = |document, dated, is_date_stated, sentences| CandidatePassage {
        dated,
        is_date_stated,
        ..passage(document, sentences)
    };
    let (old, new) = ("A night at the quay costs nine euros.", "A night at the quay costs eleven euros.");
    let question = Question::new("What does a night at the quay cost?");
    let found = |candidates: &[CandidatePassage<'_>]| {
        answer(&question, candidates, &SimilarityModels::shipped(), None).unwrap()
    };
    let stated = found(&[of("old.md", 1, true, vec![old]), of("new.md", 2, true, vec![new])]);
    assert_eq!((stated.outdated, stated.text().as_str()), (Some((0, 1)), new));
    let both = found(&[
        of("old.md", 1, true, vec![old, "Light at the quay costs two dollars a night."]),
        of("new.md", 2, true, vec![new]),
    ]);
    assert!(both.quotes.iter().any(|quote| quote.passage == 0), "{both:?}");
    assert_eq!(both.outdated, None);
    let copied = found(&[of("old.md", 1, false, vec![old]), of("new.md", 2, false, vec![new])]);
    assert_eq!(copied.outdated, None);
}

#[test]
fn the_next_sentence_does_not_follow_if_a_newer_text_contradicts_it() {
    for (berth, fee) in [
        ("The guest berth lies at the north quay.", "It costs nine euros a night."),
        ("The guest berth for boats from abroad lies at the north quay beside the light.", "It costs nine euros."),
    ] {
        let sentences = vec![berth, fee];
        let block = Block { text: "", sentences };
        let old = CandidatePassage { dated: 1, blocks: vec![block], ..passage("old.md", Vec::new()) };
        let new =
            CandidatePassage { dated: 2, ..passage("new.md", vec!["The guest berth costs eleven euros a night."]) };
        let question = Question::new("Where does the guest berth lie?");
        let found = answer(&question, &[old, new], &SimilarityModels::shipped(), None).unwrap();
        assert!(found.text().starts_with(berth), "{found:?}");
        assert!(!found.text().contains("nine"), "{found:?}");
    }
}

#[test]
fn the_next_paragraph_does_not_complete_a_sentence() {
    let blocks = ["Up to five unused days may be carried over.", "They are painted in May and kept in the shed."];
    let candidates = [passage("leave.md", blocks.to_vec())];
    let question = Question::new("How many unused days may be carried over?");
    let found = answer(&question, &candidates, &SimilarityModels::shipped(), None).unwrap();
    assert_eq!(found.text(), blocks[0]);
}

#[test]
fn a_word_that_begins_in_the_same_way_does_not_answer() {
    for (question, text) in [
        ("Wo ist der Ausgang im Gebäude?", "Die Ausgabe im Gebäude ist am Montag."),
        ("Welcher Vertrag liegt im Verein?", "Das Vertrauen im Verein ist groß."),
        ("Wie viele Kräne liegen im Hafen?", "Im Hafen liegen 40 Boote am Steg."),
    ] {
        assert_eq!(text_of(question, &[("haus.md", "Haus", &[text])]), "", "{question}");
    }
    let cranes: &[(&str, &str, &[&str])] = &[("hafen.md", "Hafen", &["Im Hafen stehen sechs Kräne am Steg."])];
    assert_eq!(text_of("Wie viele Kräne stehen im Hafen?", cranes), "Im Hafen stehen sechs Kräne am Steg.");
}

#[test]
fn quotation_marks_refuse_nothing() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("yard.md", "Yard", &["Olaf Brandt repairs the boats in winter."]),
        ("club.md", "Club", &["Lena Hofer leads the trips and travels."]),
    ];
    for (question, expected) in [
        ("Who repairs the \"boat\" in winter?", "Olaf Brandt repairs"),
        ("Who leads the \"travels\" and trips?", "Lena Hofer leads"),
        ("Who repairs \"the boat\" in winter?", "Olaf Brandt repairs"),
        ("Who \"repairs boats\" in winter?", "Olaf Brandt repairs"),
    ] {
        let text = text_of(question, documents);
        assert!(text.starts_with(expected), "{question} {text}");
    }
}

#[test]
fn what_adds_no_word_of_the_question_is_not_quoted() {
    let documents: &[(&str, &str, &[&str])] = &[
        ("fees.md", "Fees", &["A night at the quay costs nine euros.", "Showers are cleaned at noon."]),
        ("club.md", "Fees", &["A night at the quay is a joy.", "The club was founded by four sailors."]),
    ];
    let text = text_of("How much does a night at the quay cost?", documents);
    assert_eq!(text, "A night at the quay costs nine euros.");
}

#[test]
fn the_next_sentence_answers_the_second_half_of_a_question() {
    let sentences: &[&str] =
        &["A night at the quay costs nine euros.", "Guests stay for up to two weeks.", "Boats are painted in spring."];
    let documents = &[("harbour.md", "Mooring", sentences)];
    let text = text_of("What does a night at the quay cost, and how long may guests stay?", documents);
    assert_eq!(text, sentences[..2].join(" "));
    let german: &[&str] = &["Der Beitrag beträgt 285 Euro je Kind.", "Darin enthalten sind Bett und Noten."];
    let documents = &[("lager.md", "Kosten", german)];
    for question in ["Wie hoch ist der Beitrag für ein Kind?", "Was kostet der Beitrag, und was ist enthalten?"] {
        assert_eq!(text_of(question, documents), german.join(" "), "{question}");
    }
}

#[test]
fn a_price_under_a_title_in_another_language_is_of_what_the_title_names() {
    let block = Block { text: "", sentences: vec!["Der Beitrag beträgt 285 Euro je Kind."] };
    let camp = CandidatePassage { title: Some("Merkblatt zum Probenlager"), ..passage("lager.md", Vec::new()) };
    let camp = CandidatePassage { section: "Kosten", blocks: vec![block], ..camp };
    let harbour = CandidatePassage { section: "Hafen", ..passage("hafen.md", vec!["Der Hafen hat drei Kräne."]) };
    let candidates = [camp, harbour];
    let answered = |question: &str| {
        let found = answer(&Question::new(question), &candidates, &SimilarityModels::shipped(), None);
        found.is_some_and(|found| found.is_answered && found.text().contains("285"))
    };
    assert!(answered("Wie teuer ist das Probenlager?") && answered("Wie hoch ist der Beitrag für das Probenlager?"));
    assert!(!answered("Wie viele Betreuer hat das Probenlager?"));
}

#[test]
fn a_row_with_one_cell_is_not_quoted() {
    let rows = vec!["column: berth_id", "column: berth_length · meaning: the length of the berth in metres"];
    let candidates = [passage("tables.md", rows)];
    let found = answer(&Question::new("What is the berth length?"), &candidates, &SimilarityModels::shipped(), None);
    assert!(!found.unwrap().text().contains("berth_id"));
}

#[test]
fn in_a_large_collection_similar_words_alone_do_not_answer() {
    let sentences = ["It took two years to get paid for the ship.", "The crew of a ferry sleeps for six hours."];
    let candidates = [passage("a.md", sentences[..1].to_vec()), passage("b.md", sentences[1..].to_vec())];
    let question = Question::new("How long may a guest moor a yacht at the island?");
    let answered = |passages: usize| {
        let all = PassageFrequencies { passages, having: HashMap::new() };
        answer(&question, &candidates, &SimilarityModels::shipped(), Some(&all)).is_some_and(|found| found.is_answered)
    };
    assert!(answered(2) && !answered(100_000));
}

#[test]
fn an_item_without_the_amount_that_is_asked_for_does_not_answer() {
    let answered = |sentences: Vec<&'static str>| {
        let item = CandidatePassage { is_item: true, ..passage("Harbour fraud", sentences) };
        let question = Question::new("How much did the harbour ticket fraud cost the museum?");
        answer(&question, &[item], &SimilarityModels::shipped(), None).is_some_and(|found| found.is_answered)
    };
    let fraud = "The harbour ticket fraud hurt the museum for ten years.";
    assert!(answered(vec!["Harbour ticket fraud cost the museum $12 million", fraud]));
    assert!(!answered(vec!["Harbour ticket fraud cost the museum dearly", fraud]));
}
