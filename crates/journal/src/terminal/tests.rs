//! Tests of keys and events without a terminal.

use chrono::NaiveDate;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Command, Screens};
use crate::events::PhaseEvent;
use crate::plan::{Decision, Plan, PlanAction, PlannedBlock};

fn block(id: &str) -> PlannedBlock {
    PlannedBlock {
        block: id.to_owned(),
        day: NaiveDate::from_ymd_opt(2026, 3, 2).unwrap(),
        page: "Mar 2nd, 2026".to_owned(),
        file: "journals/2026_03_02.md".to_owned(),
        text: format!("Text of {id}"),
        above: Vec::new(),
        confidence: 0.9,
        reason: String::new(),
        reworded: format!("Text of {id}"),
        apply: true,
        decisions: Vec::new(),
        note: None,
    }
}

fn place(page: &str, action: PlanAction, apply: bool) -> Decision {
    Decision {
        target_page: page.to_owned(),
        is_new_page: false,
        action,
        target_block_id: None,
        target_block_title: None,
        target_text: None,
        confidence: 0.5,
        reasoning: String::new(),
        apply,
    }
}

fn screens() -> Screens {
    let mut screens = Screens::new(Plan::new(std::path::Path::new("/g"), "local"));
    screens.event(PhaseEvent::BlockFound(block("a")));
    screens.event(PhaseEvent::BlockFound(block("b")));
    screens
}

fn press(screens: &mut Screens, keys: &[KeyCode]) -> Command {
    keys.iter().map(|key| screens.key((*key).into())).last().unwrap()
}

#[test]
fn user_decisions_survive_later_events() {
    let mut screens = screens();
    press(
        &mut screens,
        &[
            KeyCode::Char(' '),
            KeyCode::Down,
            KeyCode::Char('2'),
            KeyCode::Char('e'),
            KeyCode::Home,
            KeyCode::Char('X'),
            KeyCode::Delete,
        ],
    );
    assert_eq!(
        press(&mut screens, &[KeyCode::End, KeyCode::Backspace, KeyCode::Char('q'), KeyCode::Enter]),
        Command::None
    );
    screens.event(PhaseEvent::Reworded { block: "b".to_owned(), text: "another".to_owned() });
    for id in ["a", "b"] {
        let decisions = vec![place("P", PlanAction::AddSection, true)];
        screens.event(PhaseEvent::TargetsFound(PlannedBlock {
            decisions,
            reworded: "another".to_owned(),
            ..block(id)
        }));
    }
    let plan = screens.plan();
    assert!(!plan.blocks[0].apply && plan.blocks[1].apply);
    assert_eq!((plan.blocks[0].reworded.as_str(), plan.blocks[1].reworded.as_str()), ("another", "Xext of q"));
    assert_eq!(plan.changes().len(), 1);
}

#[test]
fn keys_with_control_are_no_letters() {
    let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
    let mut screens = screens();
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: Vec::new() });
    assert_eq!(screens.key(control('d')), Command::None);
    press(&mut screens, &[KeyCode::Char('2'), KeyCode::Char('e'), KeyCode::Char('1')]);
    assert_eq!(screens.key(control('x')), Command::None);
    assert_eq!(screens.key(control('s')), Command::None);
    assert_eq!(screens.plan().blocks[0].reworded, "Text of a1", "saved, without the x");
    press(&mut screens, &[KeyCode::Char('e'), KeyCode::Char('2')]);
    assert_eq!(screens.key(control('c')), Command::None, "leaves the editor only");
    assert_eq!(screens.plan().blocks[0].reworded, "Text of a1");
    screens.show_diff(Ok("+ x".to_owned()));
    assert_eq!(screens.key(control('y')), Command::None, "does not confirm");
    assert_eq!(screens.key(control('c')), Command::None, "leaves the diff only");
    assert_eq!(screens.key(control('c')), Command::Quit);
}

#[test]
fn nothing_is_written_before_the_diff_is_confirmed() {
    let mut screens = screens();
    assert_eq!(screens.key(KeyCode::Char('d').into()), Command::None, "events are still coming");
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: Vec::new() });
    assert_eq!(
        press(&mut screens, &[KeyCode::Char('y'), KeyCode::Enter, KeyCode::Enter, KeyCode::Enter]),
        Command::Preview
    );
    screens.show_diff(Ok("+ x".to_owned()));
    assert_eq!(press(&mut screens, &[KeyCode::Esc, KeyCode::Char('y')]), Command::None, "the diff is gone");
    screens.show_diff(Ok("+ x".to_owned()));
    assert_eq!(screens.key(KeyCode::Char('y').into()), Command::Write);
    screens.show_written(Ok("1 written".to_owned()));
    assert_eq!(screens.written(), Some("1 written"));
}

#[test]
fn targets_are_selected_individually_and_existing_ones_cannot_be() {
    let mut screens = screens();
    let decisions = vec![
        place("P", PlanAction::AddSection, true),
        place("Q", PlanAction::AddUnder, false),
        place("R", PlanAction::SkipExists, false),
    ];
    screens.event(PhaseEvent::TargetsFound(PlannedBlock { decisions, ..block("a") }));
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: vec!["503".to_owned()] });
    press(
        &mut screens,
        &[
            KeyCode::Char('3'),
            KeyCode::Char('x'),
            KeyCode::Right,
            KeyCode::Char('x'),
            KeyCode::Right,
            KeyCode::Right,
            KeyCode::Char('x'),
        ],
    );
    let chosen: Vec<bool> = screens.plan().blocks[0].decisions.iter().map(|place| place.apply).collect();
    assert_eq!(chosen, [false, true, false]);
    assert_eq!(screens.key(KeyCode::Char('r').into()), Command::Retry);
    assert_eq!(screens.key(KeyCode::Char('q').into()), Command::Quit);
}

#[test]
fn a_failure_is_shown_whole_with_what_to_do_and_claims_no_result() {
    let mut screens = Screens::new(Plan::new(std::path::Path::new("/g"), "m"));
    let failure = "Error: LLM request failed\nReason: Invalid API key (401 Unauthorized: no such key), by openai/m\n\
        Suggested Action: Check OPENAI_API_KEY, or api_key in the catalogue that AHA_LLM_CONFIG names";
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: vec![failure.to_owned()] });
    let mut terminal = Terminal::new(TestBackend::new(60, 24)).unwrap();
    terminal.draw(|frame| super::draw::draw(&mut screens, frame)).unwrap();
    let cells = terminal.backend().buffer().content().iter().map(Cell::symbol);
    let shown = cells.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    let words = failure.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(&words) && shown.contains("[Retry] r"), "{shown}");
    assert!(!shown.contains("no lasting knowledge"), "{shown}");
}

#[test]
fn a_retry_keeps_the_chosen_targets() {
    let mut screens = screens();
    let found =
        |decisions: &[Decision]| PhaseEvent::TargetsFound(PlannedBlock { decisions: decisions.to_vec(), ..block("a") });
    let chosen = |screens: &Screens| {
        let chosen = screens.plan().blocks[0].decisions.iter().filter(|place| place.apply);
        chosen.map(|place| place.target_page.clone()).collect::<Vec<_>>()
    };
    let (p, q) = (place("P", PlanAction::AddSection, true), place("Q", PlanAction::AddSection, false));
    screens.event(found(&[p.clone(), q.clone()]));
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: vec!["503".to_owned()] });
    press(&mut screens, &[KeyCode::Char('3'), KeyCode::Char('x'), KeyCode::Right, KeyCode::Char('x')]);
    assert_eq!((chosen(&screens), screens.key(KeyCode::Char('r').into())), (vec!["Q".to_owned()], Command::Retry));
    screens.event(found(&[p.clone(), q.clone()]));
    assert_eq!(chosen(&screens), ["Q"]);
    let r = place("R", PlanAction::AddSection, true);
    screens.event(found(&[r.clone(), Decision { apply: false, ..p.clone() }, q]));
    assert_eq!(chosen(&screens), ["Q"], "what was not shown before is not chosen");
    screens.event(found(&[Decision { action: PlanAction::AddUnder, ..p }, r]));
    assert_eq!(chosen(&screens), ["P"], "without the chosen target, the proposal counts");
}
