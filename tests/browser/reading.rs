use crate::driver::{Browser, Script};
use crate::support::radar::Radar;
use crate::support::responses::OpenAi;
use crate::support::rows;
use crate::support::site::Site;
use crate::with_a_digest;

/// Reads the digest, says what it thinks of a story, and sees that it was noted.
fn reads_and_says(browser: &Browser, radar: &Radar) {
    browser.go("/");
    browser.sees("To scan");
    browser.click("article:first-of-type button[value=like]");
    let like = "article:first-of-type button[value=like]";
    browser.sees_noted(like);
    browser.sees("a story like this gets +");
    browser.click("article:first-of-type button[value=save]");
    browser.sees_noted("article:first-of-type button[value=save]");
    assert_eq!(rows::query(radar, "SELECT kind FROM feedback_events ORDER BY kind"), ["like", "save"]);
    browser.click(like);
    browser.wait_until(like, || browser.attribute(like, "aria-pressed").as_deref() == Some("false"));
    browser.go("/saved");
    assert_eq!(browser.count("main li"), 1);
    browser.click("main li a");
    browser.sees("Why it stands here");
    assert!(browser.count(".terms tbody tr") >= 6);
    browser.click(".timeline li:first-child a.aside");
    browser.sees("As delivered by the feed");
    assert!(browser.count("article.reading p") > 0 && browser.count("img") == 0);
    browser.press("Its story in the digest");
    browser.sees("Why it stands here");
    if browser.script == Script::On {
        browser.go("/");
        browser.key("j");
        browser.key("r");
        browser.sees_noted("article:first-of-type button[value=read]");
        browser.key("?");
        browser.sees("these keys");
        browser.press("Close");
        browser.wait_until("the keys to be closed", || browser.count("dialog[open]") == 0);
        // Keys are about the story that has the focus.
        browser.click("#story-3 button[value=like]");
        browser.sees_noted("#story-3 button[value=like]");
        browser.key("s");
        browser.sees_noted("#story-3 button[value=save]");
        browser.key("j");
        browser.key("r");
        browser.sees_noted("#story-4 button[value=read]");
        assert!(browser.fits(), "the digest is wider than its window");
        browser.key("/");
        browser.wait_until("the page to search", || browser.path() == "/search");
        browser.wait_until("the focus in its field", || browser.count("input[name=q]:focus") == 1);
    }
}

fn searches_and_asks(browser: &Browser) {
    browser.go("/search");
    browser.sees("How to search");
    browser.fill("input[name=q]", "ferry -norovirus");
    browser.click("form[role=search] button");
    browser.sees("results");
    assert!(browser.count("mark") > 3 && browser.count(".results li") > 2);
    browser.click(".results li:first-child h2 a");
    browser.sees("Why it stands here");
    browser.go("/search?q=xylophonic");
    browser.press("ask it as a question");
    browser.fill("textarea[name=question]", "Which quay did the ferry Marigold Star strike?");
    browser.click("form.stack button");
    browser.sees("Kelmouth");
    assert!(browser.count(".answer sup a") > 0 && browser.count(".cited li a") > 0);
    browser.press("Yes");
    browser.sees("Noted as right");
    assert_eq!(
        browser.count(".answer") > 0,
        browser.script == Script::On,
        "the answer stays where a script can keep it"
    );
    browser.fill("textarea[name=question]", "Who won the chess tournament of Reykjavik in 1958?");
    browser.click("form.stack button");
    browser.sees("No answer");
    browser.sees("Search for these words");
}

/// What a rule would do is seen before it is saved.
fn previews_a_rule(browser: &Browser, radar: &Radar) {
    browser.go("/topics/default");
    browser.fill("input[name=pattern]", "octopus(es)?");
    browser.click("input[name=regular]");
    browser.click("form.filter button[name=try]");
    browser.sees("What would change");
    browser.sees("Would leave");
    assert!(radar.json(&["topic", "list", "--json"])[0]["rules"].as_array().unwrap().is_empty());
    browser.press("Save the change");
    browser.sees("mute word:octopus(es)?");
    browser.go("/topics/default");
    browser.fill("textarea[name=interests]", "football");
    browser.click("form.stack button[name=try]");
    browser.sees("What would change");
    assert_eq!(browser.text_of("textarea[name=interests]"), "football");
    assert_eq!(radar.json(&["topic", "list", "--json"])[0]["interests"], "");
}

/// A pasted text is summarised after its cost was seen; the summary is kept, and dropped.
fn dives_deep(browser: &Browser, api: &OpenAi) {
    browser.go("/");
    browser.click("article:first-of-type a[href*='/stories/']");
    browser.fill("textarea[name=text]", "The harbour was closed on Monday. It opens again in May.");
    browser.press("See what it would cost");
    browser.sees("credits with gpt-mock");
    assert_eq!(api.calls().len(), 0);
    browser.press("Summarise it");
    browser.sees("One line by the mock");
    browser.press("Keep it with the story");
    browser.sees("Kept summary of a text that you gave");
    browser.press("Drop it");
    browser.sees("Paste the text of the article");
    assert_eq!(api.calls().len(), 1);
    browser.go("/models");
    browser.press("Ask each whether it answers");
    browser.sees("answers");
}

fn a_reader_s_day(script: Script) {
    let api = OpenAi::start();
    let mut radar = api.serve(with_a_digest());
    let site = Site::start(&mut radar);
    let browser = Browser::open(&site, script);
    reads_and_says(&browser, &radar);
    searches_and_asks(&browser);
    previews_a_rule(&browser, &radar);
    dives_deep(&browser, &api);
}

#[test]
fn stories_are_read_searched_asked_about_and_dived_into() {
    a_reader_s_day(Script::On);
}

#[test]
fn stories_are_read_searched_asked_about_and_dived_into_without_a_script() {
    a_reader_s_day(Script::Off);
}
