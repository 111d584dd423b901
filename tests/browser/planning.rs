use serde_json::Value;

use crate::NOW;
use crate::driver::{Browser, Script, Window};
use crate::support::radar::Radar;
use crate::support::site::Site;

fn todos(radar: &Radar) -> Value {
    radar.json(&["todo", "list", "--all", "--json"])
}

fn day_of(todos: &Value, title: &str) -> Value {
    let todo = todos.as_array().unwrap().iter().find(|todo| todo["title"] == title);
    todo.unwrap_or_else(|| panic!("{title} is not among {todos}"))["scheduledFor"].clone()
}

/// A question, a proposal, an edited card, applied, taken back.
fn a_week_is_planned(script: Script, window: Window) {
    let mut radar = Radar::at(NOW).with("AHA_TIMEZONE", "UTC");
    radar.ok(&["todo", "add", "review budget on 2026-11-20"]);
    radar.ok(&["todo", "add", "review contract on 2026-11-20"]);
    let before = todos(&radar);
    let site = Site::start(&mut radar);
    let browser = Browser::open_in(&site, script, window);
    browser.go("/plan");
    browser.sees("review contract");
    assert!(browser.fits(), "the page is wider than its window");
    browser.fill("input[name=message]", "move the review to Saturday");
    browser.press("Show what would change");
    browser.sees("Which one?");
    browser.click("fieldset label:last-of-type input[name=select]");
    let chosen = browser.text_of("fieldset label:last-of-type bdi");
    browser.press("This one");
    browser.sees("Proposed");
    assert_eq!(browser.attribute("input[name=day_0]", "value").as_deref(), Some("2026-11-21"));
    assert_eq!(todos(&radar), before, "nothing is changed yet");
    assert!(browser.fits(), "the cards are wider than the window");
    browser.press("Apply what is ticked");
    browser.sees("It is applied.");
    assert_eq!(day_of(&todos(&radar), &chosen), "2026-11-21");
    browser.press("Undo it");
    browser.sees(&chosen);
    browser.wait_until("the state before", || todos(&radar) == before);
    browser.go("/plan?from=2026-11-20");
    browser.press("Delete");
    browser.sees("It is applied.");
    assert_eq!(todos(&radar).as_array().unwrap().len(), 1);
    browser.press("Undo it");
    browser.wait_until("the deleted one", || todos(&radar) == before);

    // A card is edited, and one that is not ticked is not applied.
    browser.go("/plan");
    browser.fill("input[name=message]", "add send the report on Monday and add call the dentist tomorrow at 15:00");
    browser.press("Show what would change");
    browser.sees("Proposed");
    browser.click("input[name=keep_0]");
    browser.fill("input[name=title_1]", "call the new dentist");
    browser.press("Apply what is ticked");
    browser.sees("It is applied.");
    let applied = todos(&radar);
    assert_eq!((applied.as_array().unwrap().len(), day_of(&applied, "call the new dentist")), (3, "2026-11-20".into()));
}

#[test]
fn a_proposal_is_edited_applied_and_taken_back() {
    a_week_is_planned(Script::On, Window::Desktop);
}

#[test]
fn a_proposal_is_edited_applied_and_taken_back_without_a_script() {
    a_week_is_planned(Script::Off, Window::Desktop);
}

#[test]
fn a_proposal_is_edited_applied_and_taken_back_on_a_phone() {
    a_week_is_planned(Script::On, Window::Phone);
}
