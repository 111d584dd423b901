use std::cell::RefCell;
use std::collections::BTreeSet;

use aha_core::feedback::FeedbackKind::{self, Dislike, Like, Read, Save};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Actions, Command, Review, Story, carry_out, draw};

#[derive(Default)]
struct Noted(RefCell<Vec<String>>);

impl Actions for Noted {
    fn change(&self, story: usize, take_back: &[FeedbackKind], give: &[FeedbackKind]) -> Result<(), String> {
        if story == 2 {
            return Err("the database is away".to_owned());
        }
        self.0.borrow_mut().push(format!("{story} -{take_back:?} +{give:?}"));
        Ok(())
    }

    fn open(&self, story: usize) -> Result<String, String> {
        Ok(format!("opened {story}"))
    }

    fn why(&self, story: usize) -> Result<Vec<String>, String> {
        Ok(vec![format!("why of {story}")])
    }
}

fn review() -> Review {
    let story = |rank: usize| Story {
        rank,
        is_top: rank < 3,
        title: format!("Ferry number {rank} is late"),
        score: Some(80),
        told_by: "told by the Harbour Times".to_owned(),
        text: vec!["A long wait. ".repeat(40)],
        ..Story::default()
    };
    Review::new("default, 19 November".to_owned(), (1..=3).map(story).collect())
}

fn press(review: &mut Review, actions: &Noted, keys: &str) {
    for key in keys.chars() {
        let command = review.key(KeyCode::Char(key).into());
        carry_out(review, command, actions);
    }
}

fn screen(review: &mut Review, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw::draw(review, frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn feedback_can_be_undone_step_by_step() {
    let (mut review, actions) = (review(), Noted::default());
    press(&mut review, &actions, "ldnsr");
    assert_eq!(review.stories[0].said, BTreeSet::from([Dislike]), "a like and a dislike exclude each other");
    assert_eq!(review.stories[1].said, BTreeSet::from([Save, Read]));
    press(&mut review, &actions, "uuu");
    assert_eq!((&review.stories[0].said, review.selected), (&BTreeSet::from([Like]), 0));
    assert!(review.stories[1].said.is_empty());
    press(&mut review, &actions, "uu");
    assert!(review.stories[0].said.is_empty() && review.message.contains("nothing to undo"));
    assert_eq!(
        *actions.0.borrow(),
        [
            "0 -[] +[Like]",
            "0 -[] +[Dislike]",
            "1 -[] +[Save]",
            "1 -[] +[Read]",
            "1 -[Read] +[]",
            "1 -[Save] +[]",
            "0 -[Dislike] +[Like]",
            "0 -[Like] +[]"
        ]
    );
}

#[test]
fn a_failure_is_shown_and_changes_nothing() {
    let (mut review, actions) = (review(), Noted::default());
    press(&mut review, &actions, "nnl");
    assert!(review.stories[2].said.is_empty() && review.message == "the database is away");
    press(&mut review, &actions, "u");
    assert_eq!(review.message, "There is nothing to undo.");
}

#[test]
fn keys_select_explain_and_quit() {
    let (mut review, actions) = (review(), Noted::default());
    press(&mut review, &actions, "nnnn");
    assert_eq!(review.selected, 2, "the last one stays");
    press(&mut review, &actions, "w");
    assert!(screen(&mut review, 80, 24).contains("why of 2"));
    assert_eq!(review.key(KeyCode::Esc.into()), Command::None);
    assert!(!screen(&mut review, 80, 24).contains("why of 2"));
    assert_eq!(review.key(KeyCode::Enter.into()), Command::Open(2));
    press(&mut review, &actions, "po");
    assert!(review.is_read(1) && review.message == "opened 1");
    assert_eq!(review.key(KeyCode::Char('?').into()), Command::None);
    assert!(screen(&mut review, 80, 24).contains("the one before"));
    assert_eq!(review.key(KeyCode::Char('l').into()), Command::None, "a key ends the help and does nothing else");
    assert_eq!(review.key(KeyCode::Esc.into()), Command::Quit);
    let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
    assert_eq!(review.key(control('l')), Command::None, "is not the key l");
    assert_eq!(review.key(control('c')), Command::Quit);
    press(&mut review, &actions, "?");
    assert_eq!(review.key(control('c')), Command::Quit, "from the help, too");
    let mut quiet = Review::new("default".to_owned(), Vec::new());
    press(&mut quiet, &actions, "nolwu");
    assert!(screen(&mut quiet, 80, 24).contains("a quiet day"));
}

#[test]
fn the_end_of_a_long_text_can_be_scrolled_to_and_not_past() {
    let mut review = review();
    let before = screen(&mut review, 60, 16);
    for _ in 0..50 {
        review.key(KeyCode::PageDown.into());
    }
    let end = screen(&mut review, 60, 16);
    assert_ne!(before, end);
    assert!(end.contains("A long wait"), "{end}");
    for size in [(1, 1), (20, 1), (20, 4), (20, 5), (80, 24), (200, 60)] {
        assert!(!screen(&mut review, size.0, size.1).is_empty());
    }
}

#[test]
fn the_last_word_can_be_scrolled_to_where_words_wrap_early() {
    let mut review = review();
    // Each word takes a row of twenty columns by itself, and hardly more than half of it.
    review.stories[0].text = vec!["eleven-long ".repeat(40), "Why: END".to_owned()];
    for columns in [12, 20, 60] {
        for _ in 0..50 {
            review.key(KeyCode::PageDown.into());
        }
        let end = screen(&mut review, columns, 16);
        assert!(end.contains("END"), "{columns} columns: {end}");
    }
}
