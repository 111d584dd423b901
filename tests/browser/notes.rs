use std::fs;
use std::path::Path;

use crate::NOW;
use crate::driver::{Browser, Script, Window};
use crate::support::radar::Radar;
use crate::support::site::Site;

const DAY: &str = "- Standup\n- Learned today that a tokio task that is dropped at an await point never runs the rest, because nothing polls it\n";
const PAGE: &str = "- Cancellation\n- Executors\n\t- tokio steals work between threads";

fn graph(folder: &Path) {
    for (file, text) in [("logseq/config.edn", "{}"), ("journals/2026_11_18.md", DAY), ("pages/Tokio.md", PAGE)] {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), text).unwrap();
    }
}

/// From a day to the page that it is written to, and back.
fn a_day_becomes_a_page(script: Script, window: Window) {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("graph");
    graph(&notes);
    let text = |file: &str| fs::read_to_string(notes.join(file)).unwrap();
    let state = folder.path().join("state").to_str().unwrap().to_owned();
    let mut radar = Radar::at(NOW).with("AHA_JOURNAL_STATE", &state).with("AHA_JOURNAL_GRAPH", notes.to_str().unwrap());
    let site = Site::start(&mut radar);
    let browser = Browser::open_in(&site, script, window);
    browser.go("/journal");
    browser.click("input[value='2026-11-18']");
    browser.press("Find what lasts");
    browser.sees_after_a_while("Tick and edit what lasts");
    assert_eq!(browser.count("fieldset.proposal"), 1, "{}", browser.text());
    browser.fill("textarea[name=text_0]", "A dropped task never runs on.");
    assert!(browser.fits(), "the statements are wider than the window");
    browser.press("Choose pages");
    browser.sees_after_a_while("Choose where it goes");
    if browser.attribute("input[name=place_0_0]", "checked").is_none() {
        browser.click("input[name=place_0_0]");
    }
    browser.press("Show the diff");
    browser.sees("pages/Tokio.md");
    assert!(browser.count(".diff .added") > 0 && browser.fits());
    assert_eq!((text("pages/Tokio.md").as_str(), text("journals/2026_11_18.md").as_str()), (PAGE, DAY), "only shown");
    browser.press("Write it");
    browser.sees("Written to Tokio.");
    assert!(text("pages/Tokio.md").contains("A dropped task never runs on."));
    browser.press("Take it back");
    browser.sees("is as it was");
    assert_eq!((text("pages/Tokio.md").as_str(), text("journals/2026_11_18.md").as_str()), (PAGE, DAY));
}

#[test]
fn a_day_s_knowledge_is_written_and_taken_back() {
    a_day_becomes_a_page(Script::On, Window::Desktop);
}

#[test]
fn a_day_s_knowledge_is_written_and_taken_back_without_a_script() {
    a_day_becomes_a_page(Script::Off, Window::Desktop);
}

#[test]
fn a_day_s_knowledge_is_written_and_taken_back_on_a_phone() {
    a_day_becomes_a_page(Script::On, Window::Phone);
}
