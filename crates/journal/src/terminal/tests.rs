//! Tests of keys and events without a terminal.

use chrono::NaiveDate;

use super::{Command, Key, Screens};
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

fn press(screens: &mut Screens, keys: &[Key]) -> Command {
    keys.iter().map(|key| screens.key(*key)).last().unwrap()
}

#[test]
fn user_decisions_survive_later_events() {
    let mut screens = screens();
    press(
        &mut screens,
        &[Key::Char(' '), Key::Down, Key::Char('2'), Key::Char('e'), Key::Home, Key::Char('X'), Key::Delete],
    );
    assert_eq!(press(&mut screens, &[Key::End, Key::Backspace, Key::Char('q'), Key::Enter]), Command::None);
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
fn nothing_is_written_before_the_diff_is_confirmed() {
    let mut screens = screens();
    assert_eq!(screens.key(Key::Char('d')), Command::None, "events are still coming");
    screens.event(PhaseEvent::Finished { skipped_existing: 0, failures: Vec::new() });
    assert_eq!(press(&mut screens, &[Key::Char('y'), Key::Enter, Key::Enter, Key::Enter]), Command::Preview);
    screens.show_diff(Ok("+ x".to_owned()));
    assert_eq!(press(&mut screens, &[Key::Escape, Key::Char('y')]), Command::None, "the diff is gone");
    screens.show_diff(Ok("+ x".to_owned()));
    assert_eq!(screens.key(Key::Char('y')), Command::Write);
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
        &[Key::Char('3'), Key::Char('x'), Key::Right, Key::Char('x'), Key::Right, Key::Right, Key::Char('x')],
    );
    let chosen: Vec<bool> = screens.plan().blocks[0].decisions.iter().map(|place| place.apply).collect();
    assert_eq!(chosen, [false, true, false]);
    assert_eq!(screens.key(Key::Char('r')), Command::Retry);
    assert_eq!(screens.key(Key::Char('q')), Command::Quit);
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
    press(&mut screens, &[Key::Char('3'), Key::Char('x'), Key::Right, Key::Char('x')]);
    assert_eq!((chosen(&screens), screens.key(Key::Char('r'))), (vec!["Q".to_owned()], Command::Retry));
    screens.event(found(&[p.clone(), q.clone()]));
    assert_eq!(chosen(&screens), ["Q"]);
    let r = place("R", PlanAction::AddSection, true);
    screens.event(found(&[r.clone(), Decision { apply: false, ..p.clone() }, q]));
    assert_eq!(chosen(&screens), ["Q"], "what was not shown before is not chosen");
    screens.event(found(&[Decision { action: PlanAction::AddUnder, ..p }, r]));
    assert_eq!(chosen(&screens), ["P"], "without the chosen target, the proposal counts");
}
