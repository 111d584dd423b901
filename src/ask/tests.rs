use aha_store::OpenMode;

use super::cited::{cited_place, older_note};
use super::passages::Passage;
use super::*;
use crate::config::Config;

#[test]
fn a_question_is_one_line_without_controls() {
    assert_eq!(cleaned(" how\tmany\u{1b}[2J\n berths? "), "how many [2J berths?");
    assert_eq!(cleaned("\u{0}\n"), "");
}

#[test]
fn sources_are_numbered_from_one() {
    let cited = CitedSentence { text: "A night costs nine euros.".to_owned(), citations: vec![0, 2] };
    assert_eq!(cited.numbers(), "[1][3]");
}

#[test]
fn an_answer_says_that_it_is_older_than_asked_for() {
    assert!(older_note(1_767_225_600_000).ends_with("the newest is of 2026-01-01"));
    assert!(older_note(0).ends_with("has no date"));
}

#[test]
fn texts_of_one_name_have_citations_of_their_own() {
    let passages = ["a", "b", "a"].map(|item| Passage::of_item("Weekly notes", ItemId::of(&[item])));
    let mut citations = Vec::new();
    let places = passages.iter().map(|passage| {
        let candidate = CandidatePassage {
            document: "Weekly notes",
            title: None,
            section: "",
            blocks: Vec::new(),
            dated: 0,
            is_date_stated: true,
            is_replaced: false,
            is_item: true,
        };
        cited_place(&mut citations, &candidate, passage, 0.5)
    });
    assert_eq!(places.collect::<Vec<_>>(), [0, 1, 0]);
}

#[tokio::test]
async fn a_question_for_which_no_processor_is_free_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    let app = App::new(Config::from_pairs(std::iter::empty()).unwrap(), store).unwrap();
    let processors = u32::try_from(app.processors().available_permits()).unwrap();
    assert!(processors > 0);
    let taken = app.processors().acquire_many(processors).await.unwrap();
    let request = AskRequest { question: "What does a night cost?".to_owned(), ..AskRequest::default() };
    let error = ask(&app, &request).await.unwrap_err();
    assert!(matches!(error, AskError::Busy), "{error:?}");
    assert_eq!(error.code(), Some("TIMEOUT"));
    drop(taken);
    let error = ask(&app, &request).await.unwrap_err();
    assert!(matches!(error, AskError::EmptyStore), "{error:?}");
    assert_eq!(app.processors().available_permits(), usize::try_from(processors).unwrap());
}
