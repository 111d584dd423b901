use super::*;

#[test]
fn quotes_stand_in_the_text_word_for_word() {
    let text = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said Mr. Hallan. Nobody expected it. \
                Fourteen passengers were hurt when the ferry hit Berth 3 at walking speed.";
    let quotes = choose(&["Ferry Marigold Star strikes quay".into()], &[("Wire".into(), text.into())], &[], 2);
    assert_eq!(quotes.len(), 2);
    assert!(quotes.iter().all(|q| text.contains(&q.sentence)), "{quotes:?}");
    assert!(quotes[0].sentence.ends_with("Hallan."));
}

#[test]
fn of_two_asides_the_one_that_others_tell_too_is_quoted() {
    let aside = "Pigeons had been seen on the roof of the chapel a week before that.";
    let told = "Divers will inspect the damaged hull below the waterline on Friday morning.";
    let again = "The damaged hull is inspected by divers below the waterline, said the owner on Friday.";
    let texts = [("A".to_owned(), format!("{aside} {told}")), ("B".to_owned(), again.to_owned())];
    let quotes = choose(&["Marigold Star".into()], &texts, &[], 1);
    assert_eq!(quotes[0].sentence, told);
}

#[test]
fn the_same_said_twice_is_quoted_once() {
    let said = "The council approved the tidal project in Ailsk Sound on Tuesday evening.";
    let texts = [("A".to_owned(), said.to_owned()), ("B".to_owned(), said.to_owned())];
    assert_eq!(choose(&["Tidal project approved".into()], &texts, &[], 2).len(), 1);
}

fn chosen(text: &str, matched: &[&str]) -> String {
    let matched: Vec<String> = matched.iter().map(|word| (*word).to_owned()).collect();
    let quotes = choose(&["Marigold Star strikes quay".into()], &[("Wire".into(), text.into())], &matched, 1);
    quotes.first().map(|quote| quote.sentence.clone()).unwrap_or_default()
}

#[test]
fn a_tag_is_no_part_of_a_quote() {
    let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    let quoted = "“The ferry Marigold Star struck the quay at Kelmouth on Monday,” said the owner.";
    for sentence in [said, quoted] {
        assert_eq!(chosen(&format!("[Harbour Gazette] {sentence}"), &[]), sentence);
    }
}

#[test]
fn a_dateline_is_no_part_of_a_quote() {
    let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    for dateline in ["LONDON (Reuters) - ", "NEW YORK, Jan. 5 — ", "Kelmouth, Nov 16 (Wireline) – ", "PARIS – "] {
        assert_eq!(chosen(&format!("{dateline}{said}"), &[]), said);
    }
    for sentence in [
        "Kelmouth — The port that the ferry had left in the morning was closed on Monday.",
        "NATO ships left the harbour of Kelmouth on Monday - nobody knows for which port.",
        "The owner (a bank) and the crew had said before the trip - The ferry is safe.",
    ] {
        assert_eq!(chosen(sentence, &[]), sentence);
    }
}

#[test]
fn the_sentence_with_the_readers_words_is_preferred() {
    let central = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    let one = "Engineers blame the battery pack, which had been installed in the spring.";
    let both = "A second pump in the engine room had been run from the same batteries.";
    let text = format!("{central} {one} {both}");
    assert_eq!(chosen(&text, &[]), central);
    assert_eq!(chosen(&text, &["battery"]), one);
    assert_eq!(chosen(&text, &["battery pumps"]), both);
    assert_eq!(chosen(&text, &["walrus"]), central);
}

#[test]
fn a_sentence_of_the_beginning_is_preferred_to_a_stray_detail_that_matches() {
    let central = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    let others = "Divers will inspect the damaged hull below the waterline on Friday morning. Nine boats of the \
                  northern harbours wait in the sound for a free berth. Two tugs were sent from the islands to \
                  help the crew in the evening.";
    let detail = "On her website the owner has published a photograph of batteries that were sold long ago.";
    assert_eq!(chosen(&format!("{central} {others} {detail}"), &["batteries"]), central);
    let text = format!("Nobody told the harbour master. {others} {detail}");
    assert_eq!(chosen(&text, &["batteries"]), detail, "if nothing before it tells of the story");
}

#[test]
fn what_says_little_is_not_quoted_where_another_sentence_tells_the_story() {
    let told = "Fourteen passengers were hurt when the ferry Marigold Star hit a berth at walking speed.";
    for poor in [
        "The Marigold Star strikes the quay at noon again.",
        "It all began with some very strange messages that nobody had asked for.",
        "Like many other captains, Hallan had seen the Marigold Star at the quay before.",
        "“I started on the Marigold Star because the quay was next to my school,” she said.",
        "“The Marigold Star at the Quay” (2025) by Nana Funo.",
        "I think that any one of them would have been a decent choice for the Marigold Star.",
    ] {
        assert_eq!(chosen(&format!("{poor} {told}"), &[]), told, "{poor}");
    }
    assert_eq!(chosen("“The Marigold Star at the Old Quay” (2025) by Nana Funo.", &[]), "", "a caption");
}

#[test]
fn what_must_not_be_quoted_is_not_though_it_matches() {
    let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    for flawed in [
        "Subscribe to our newsletter about ferry batteries, delivered each week to your inbox.",
        "Disclosure: I own shares of the maker of the batteries in the Marigold Star.",
        "Photo: The batteries of the Marigold Star, which struck the quay at Kelmouth.",
        "“The batteries of the Marigold Star were old when she struck the quay.",
        "and the batteries of the Marigold Star were old when she struck the quay.",
        "Marigold Star strikes quay The batteries of the Marigold Star were old.",
        "Marigold Star, Batteries, Quay, Ferries, Kelmouth, Harbour, Monday, Owner.",
    ] {
        assert_eq!(chosen(&format!("{said}\n{flawed}"), &["batteries"]), said, "{flawed}");
        assert_eq!(chosen(flawed, &["batteries"]), "", "{flawed}");
    }
}

#[test]
fn a_reference_to_the_sentence_before_is_quoted_last() {
    let refers = "But it had struck the quay before, say those who stood at the harbour.";
    let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
    assert_eq!(chosen(&format!("{refers} {plain}"), &[]), plain);
    assert_eq!(chosen(refers, &[]), refers);
}

#[test]
fn what_depends_on_its_context_is_not_quoted_though_it_matches() {
    let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
    for depends in [
        "There, the batteries of the Marigold Star were found to be old and swollen.",
        "Next, the batteries of the Marigold Star were taken out of the engine room.",
        "He just turned the batteries of the Marigold Star off, says the report.",
        "Who put the old batteries into the engine room of the Marigold Star at all?",
    ] {
        assert_eq!(chosen(&format!("{depends} {plain}"), &["batteries"]), plain, "{depends}");
        assert_eq!(chosen(depends, &["batteries"]), depends);
    }
    for alone in [
        "There are batteries on board the Marigold Star that nobody has looked at for years.",
        "Next week the batteries of the Marigold Star are taken out of the engine room.",
    ] {
        assert_eq!(chosen(&format!("{plain} {alone}"), &["batteries"]), alone);
    }
}

#[test]
fn a_long_sentence_is_quoted_where_there_is_no_other() {
    let long =
        format!("The ferry {}struck the quay.", "that had left the harbour of Kelmouth in the morning ".repeat(7));
    assert!(LONG_SENTENCE_CHARS.contains(&long.len()));
    assert_eq!(chosen(&long, &[]), long);
    let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
    assert_eq!(chosen(&format!("{long} {plain}"), &[]), plain);
}

#[test]
fn a_second_sentence_does_not_ask_or_greet() {
    let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
    let asks = "Who would have thought that a captain could miss a whole harbour by so much?";
    let texts = [("Wire".to_owned(), format!("{said} {asks}"))];
    assert_eq!(choose(&["Marigold Star".into()], &texts, &[], 2).len(), 1);
}
