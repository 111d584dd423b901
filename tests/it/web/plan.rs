//! The page of the planner by forms alone: a question, a proposal, an edited card, applied, taken back; weeks and the
//! buttons of their entries; and follow-ups of a summary as todos.

use serde_json::{Value, json};

use crate::support::radar::{Radar, repository};
use crate::support::responses::OpenAi;
use crate::support::site::{Reply, Site};

/// A Thursday.
const NOW: &str = "2026-11-19T07:00:00Z";
const JSON: (&str, &str) = ("content-type", "application/json");

fn radar() -> Radar {
    Radar::at(NOW).with("AHA_TIMEZONE", "UTC")
}

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// What the page's forms carry in a field, as it stands there.
fn field(page: &Reply, name: &str) -> String {
    let (_, rest) =
        page.body.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{name}: {}", page.body));
    let value = rest.split('"').next().unwrap();
    value.replace("&#34;", "\"").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

fn todos(radar: &Radar) -> Value {
    radar.json(&["todo", "list", "--all", "--json"])
}

#[test]
fn a_question_is_answered_a_card_edited_applied_and_taken_back() {
    let mut radar = radar();
    radar.ok(&["todo", "add", "review budget on 2026-11-20"]);
    radar.ok(&["todo", "add", "review contract on 2026-11-20"]);
    let before = todos(&radar);
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    assert!(page.body.contains("Friday <small>20 November") && page.body.contains("review contract"), "{}", page.body);

    let say = |fields: &[(&str, &str)]| site.post_form("/plan/message", &page, &form(fields));
    let asked = say(&[("message", "move the review to Saturday")]);
    assert_eq!(asked.status, 200);
    assert!(asked.body.contains("A question") && asked.body.contains("Which one?"), "{}", asked.body);
    let (chosen, _) = asked.body.split_once("<bdi>review contract</bdi>").unwrap();
    let id = chosen.rsplit("name=\"select\" value=\"").next().unwrap().split('"').next().unwrap().to_owned();
    let transcript = field(&asked, "transcript");
    assert!(transcript.contains("move the review to Saturday"), "{transcript}");

    let proposed = say(&[
        ("message", &field(&asked, "message")),
        ("question", &field(&asked, "question")),
        ("transcript", &transcript),
        ("select", &id),
    ]);
    let operation = field(&proposed, "operation_0");
    assert_eq!(serde_json::from_str::<Value>(&operation).unwrap()["id"].to_string(), id);
    assert_eq!(
        (field(&proposed, "day_0").as_str(), todos(&radar)),
        ("2026-11-21", before.clone()),
        "nothing is changed yet"
    );
    let kept: Value = serde_json::from_str(&field(&proposed, "transcript")).unwrap();
    assert_eq!(kept.as_array().unwrap().len(), 3, "three turns go on");

    let cards = [
        ("version", field(&proposed, "version")),
        ("key", field(&proposed, "key")),
        ("keep_0", "1".to_owned()),
        ("operation_0", operation),
        ("day_0", "2026-11-22".to_owned()),
    ];
    let cards: Vec<(&str, &str)> = cards.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let unreadable = site.post_form("/plan/apply", &page, "operation_0=5&keep_0=1&title_0=x");
    assert!(unreadable.status == 422 && unreadable.body.contains("No card was kept"), "{unreadable:?}");
    let applied = site.post_form("/plan/apply", &page, &form(&cards));
    assert_eq!(applied.status, 303, "{}", applied.body);
    let day = |todos: &Value| {
        let of = todos.as_array().unwrap().iter().find(|todo| todo["title"] == "review contract").unwrap();
        of["scheduledFor"].clone()
    };
    assert_eq!(day(&todos(&radar)), "2026-11-22");
    let again = site.post_form("/plan/apply", &page, &form(&cards));
    assert_eq!(again.headers["location"], applied.headers["location"], "sent twice, applied once");

    let done = site.get(&applied.headers["location"]);
    assert!(done.body.contains("It is applied."), "{}", done.body);
    let undone = site.post_form("/plan/undo", &page, &form(&[("batch", &field(&done, "batch"))]));
    assert_eq!(undone.headers["location"], "/plan?said=undone");
    assert_eq!(todos(&radar), before);
    let nothing = site.post_form("/plan/apply", &page, &form(&[("key", "k")]));
    assert!(nothing.body.contains("No card was kept"), "{}", nothing.body);
    let foreign =
        site.send("POST", "/plan/undo", &[("content-type", "application/x-www-form-urlencoded")], "csrf=x&batch=1");
    assert_eq!(foreign.status, 403);
}

#[test]
fn the_day_that_is_asked_for_is_given_on_the_page() {
    let mut radar = radar();
    radar.ok(&["todo", "add", "call Bob on 2026-11-20"]);
    radar.ok(&["todo", "add", "call Ann on 2026-11-20"]);
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    let say = |fields: &[(&str, &str)]| site.post_form("/plan/message", &page, &form(fields));
    let asked = say(&[("message", "move call Bob")]);
    assert!(asked.body.contains("To which day should"), "{}", asked.body);
    assert_eq!(field(&asked, "message"), "move call Bob", "the sentence stays in its field");
    assert!(asked.body.contains("<input type=\"date\" name=\"date\" value=\"\">"), "{}", asked.body);
    let question = field(&asked, "question");
    let proposed = say(&[("message", "move call Bob"), ("question", &question), ("date", "2026-11-25")]);
    assert_eq!(field(&proposed, "day_0"), "2026-11-25", "{}", proposed.body);
    // A question that follows keeps the day.
    let which = say(&[("message", "move the call"), ("date", "2026-11-25")]);
    assert!(which.body.contains("Which one?"), "{}", which.body);
    assert_eq!(field(&which, "date"), "2026-11-25");
}

#[test]
fn each_question_about_a_message_is_answered_in_turn() {
    let mut radar = radar();
    for title in ["review budget", "review contract", "draft report alpha", "draft report beta"] {
        radar.ok(&["todo", "add", &format!("{title} on 2026-11-20")]);
    }
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    let option = |page: &Reply, title: &str| {
        let (before, _) = page.body.split_once(&format!("<bdi>{title}</bdi>")).unwrap();
        before.rsplit("name=\"select\" value=\"").next().unwrap().split('"').next().unwrap().to_owned()
    };
    let message = ("message", "move the review to Saturday and delete the report");
    let say = |fields: &[(&str, &str)]| site.post_form("/plan/message", &page, &form(&[&[message], fields].concat()));
    let contract = option(&say(&[]), "review contract");
    let second = say(&[("select", &contract)]);
    assert!(second.body.contains("A question") && !second.body.contains("operation_0"), "{}", second.body);
    let carried = format!("<input type=\"hidden\" name=\"select\" value=\"{contract}\">");
    assert!(second.body.contains(&carried), "{}", second.body);
    let beta = option(&second, "draft report beta");

    let proposed = say(&[("select", &contract), ("select", &beta)]);
    for (name, action, id) in [("operation_0", "update", &contract), ("operation_1", "delete", &beta)] {
        let operation: Value = serde_json::from_str(&field(&proposed, name)).unwrap();
        assert_eq!((operation["action"].as_str(), operation["id"].to_string()), (Some(action), id.clone()), "{name}");
    }
}

#[test]
fn what_is_refused_keeps_its_cards_and_an_emptied_day_is_removed() {
    let mut radar = radar();
    radar.ok(&["todo", "add", "review contract on 2026-11-20"]);
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    let proposed = site.post_form("/plan/message", &page, &form(&[("message", "move review contract to Saturday")]));
    let apply = |from: &Reply, day: &str| {
        let names = ["version", "key", "message", "transcript", "words_0", "operation_0"];
        let mut fields: Vec<(&str, String)> = names.iter().map(|name| (*name, field(from, name))).collect();
        fields.extend([("keep_0", "1".to_owned()), ("day_0", day.to_owned())]);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        site.post_form("/plan/apply", &page, &form(&fields))
    };
    let wrong = apply(&proposed, "tomorrow");
    assert_eq!(wrong.status, 422);
    let problem = "<p class=\"problem\" role=\"alert\">Nothing is changed: the day is not a date.</p>";
    assert!(wrong.body.contains(problem), "{}", wrong.body);
    assert_eq!(field(&wrong, "day_0"), "tomorrow");
    for name in ["version", "key", "words_0", "operation_0", "message"] {
        assert_eq!(field(&wrong, name), field(&proposed, name), "{name}");
    }
    radar.ok(&["todo", "add", "buy milk"]);
    let late = apply(&wrong, "2026-11-22");
    assert_eq!((late.status, field(&late, "day_0").as_str()), (409, "2026-11-22"), "{}", late.body);
    let applied = apply(&late, "");
    assert_eq!(applied.status, 303, "{}", applied.body);
    let listed = todos(&radar);
    let contract = listed.as_array().unwrap().iter().find(|todo| todo["title"] == "review contract").unwrap();
    assert!(contract["scheduledFor"].is_null(), "{contract}");
}

#[test]
fn a_follow_up_becomes_a_todo_once_with_a_link_back() {
    let api = OpenAi::start();
    let mut radar = api.serve(radar());
    radar
        .run(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"])
        .exits(0);
    let digest = radar.digest();
    let with_follow_ups =
        |story: &&Value| story["summary"]["suggested_followups"].as_array().is_some_and(|list| !list.is_empty());
    let story = digest["stories"].as_array().unwrap().iter().find(with_follow_ups).unwrap().clone();
    let id = story["id"].as_str().unwrap();
    let wanted =
        story["summary"]["suggested_followups"][0].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let site = Site::start(&mut radar);
    let address = format!("/stories/{id}");
    let page = site.get(&address);
    assert!(page.body.contains("Add to my todos"), "{}", page.body);
    for _ in 0..2 {
        let added = site.post_form(&format!("{address}/followups"), &page, "number=0");
        assert_eq!((added.status, added.headers["location"].as_str()), (303, format!("{address}#summary").as_str()));
    }
    let listed = todos(&radar);
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["title"], &listed[0]["link"]),
        (1, &json!(wanted), &json!(address))
    );
    assert!(site.get(&address).body.contains("on your list"));
    assert!(site.get("/plan").body.contains(&format!("<a class=\"from\" href=\"{address}\">from a story</a>")));
    assert_eq!(site.post_form(&format!("{address}/followups"), &page, "number=99").status, 422);
}

/// The part of the page that has the days from a heading on, up to the next section.
fn week<'a>(page: &'a Reply, heading: &str) -> &'a str {
    let (_, rest) = page.body.split_once(&format!("<h2 id=\"week\">{heading}</h2>")).unwrap_or_else(|| {
        panic!("{heading} is not on the page: {}", page.body);
    });
    rest.split("</section>").next().unwrap()
}

#[test]
fn a_week_begins_today_and_links_lead_to_those_before_and_after() {
    let mut radar = Radar::at("2026-11-17T07:00:00Z").with("AHA_TIMEZONE", "UTC");
    radar.ok(&["todo", "add", "review contract on 2026-11-27"]);
    radar.ok(&["todo", "add", "send the report on 2026-11-18"]);
    radar.ok(&["todo", "add", "pay the rent on 2026-11-30"]);
    // A Sunday.
    radar.set("AHA_NOW", "2026-11-22T07:00:00Z");
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    let days = week(&page, "The next 7 days");
    assert!(days.contains("Friday <small>27 November") && days.contains("review contract"), "{days}");
    assert!(!days.contains("send the report") && !days.contains("pay the rent"), "{days}");
    let free = "Nothing on Sunday 22 (today), Monday 23, Tuesday 24, Wednesday 25, Thursday 26 and Saturday 28.";
    assert!(days.contains(free) && days.matches("<h3>").count() == 1, "{days}");
    for first in ["2026-11-15", "2026-11-29"] {
        assert!(days.contains(&format!("href=\"/plan?from={first}#week\"")), "{first}: {days}");
    }
    let (_, overdue) = page.body.split_once("<h2 id=\"overdue\">Overdue</h2>").unwrap();
    let overdue = overdue.split("</section>").next().unwrap();
    assert!(overdue.contains("<time>18 Nov</time> <bdi>send the report"), "{overdue}");
    let next = site.get("/plan?from=2026-11-29");
    let days = week(&next, "29 November – 5 December 2026");
    assert!(
        days.contains("pay the rent") && days.contains("href=\"/plan#week\"") && !days.contains("(today)"),
        "{days}"
    );
    for unusable in ["soon", "2026-02-30", "8999-01-01"] {
        let page = site.get(&format!("/plan?from={unusable}"));
        assert_eq!(page.status, 200, "{unusable}");
        week(&page, "The next 7 days");
    }
}

#[test]
fn entries_are_done_reopened_and_deleted_by_their_buttons() {
    let mut radar = radar();
    radar.ok(&["todo", "add", "review contract on 2026-11-20"]);
    radar.ok(&["todo", "add", "water the plants every week on Friday"]);
    let site = Site::start(&mut radar);
    let page = site.get("/plan");
    let todo = |title: &str| todos(&radar).as_array().unwrap().iter().find(|todo| todo["title"] == title).cloned();
    let id = |title: &str| todo(title).unwrap()["id"].to_string();
    let (contract, plants) = (id("review contract"), id("water the plants"));
    let send = |fields: &[(&str, &str)]| site.post_form("/plan/entry", &page, &form(fields));

    let done = send(&[("kind", "todo"), ("id", &contract), ("do", "done"), ("from", "2026-11-20")]);
    assert_eq!(done.status, 303, "{}", done.body);
    let address = &done.headers["location"];
    assert!(address.starts_with("/plan?said=applied&batch=") && address.ends_with("&from=2026-11-20"), "{address}");
    let after = site.get(address);
    let shown = ["<s><bdi>review contract</bdi></s>", "Undo it"].map(|text| after.body.contains(text));
    assert_eq!(shown, [true, true], "{}", after.body);
    assert_eq!(send(&[("kind", "todo"), ("id", &contract), ("do", "reopen")]).status, 303);
    assert_eq!(todo("review contract").unwrap()["completed"], false);

    // Of what repeats, a day is done.
    let day = ("day", "2026-11-27");
    assert_eq!(send(&[("kind", "todo"), ("id", &plants), ("repeats", "1"), day, ("do", "done")]).status, 303);
    assert_eq!(todo("water the plants").unwrap()["completedDates"], json!(["2026-11-27"]));
    let wrong = send(&[("kind", "todo"), ("id", &plants), ("repeats", "1"), ("day", "2026-11-26"), ("do", "done")]);
    assert!(wrong.status == 422 && wrong.body.contains("Nothing is changed: "), "{}", wrong.body);

    assert_eq!(send(&[("kind", "todo"), ("id", &contract), ("do", "delete")]).status, 303);
    assert_eq!(todo("review contract"), None);
    assert_eq!(send(&[("kind", "todo"), ("id", &contract), ("do", "delete")]).status, 422);
    assert_eq!(send(&[("kind", "todo"), ("id", &plants), ("do", "burn")]).status, 422);
    let form_of_another_site = [("content-type", "application/x-www-form-urlencoded")];
    let foreign = format!("csrf=x&kind=todo&id={plants}&do=delete");
    assert_eq!(site.send("POST", "/plan/entry", &form_of_another_site, &foreign).status, 403);
    assert!(todo("water the plants").is_some());
}

#[test]
fn a_goal_is_reached_and_removed_and_an_archived_one_is_left_out() {
    let mut radar = radar();
    let site = Site::start(&mut radar);
    let add = |fields: Value| site.send("POST", "/api/goals", &[JSON], &fields.to_string()).json();
    let goal = add(json!({ "title": "Sail to Orla" }))["goal"].clone();
    assert!(add(json!({ "title": "An old plan", "status": "archived" }))["ok"] == true);
    let page = site.get("/plan");
    assert!(page.body.contains("<bdi>Sail to Orla</bdi>") && !page.body.contains("An old plan"), "{}", page.body);
    let press = |button: &str| {
        let fields = [("kind", "goal"), ("id", &goal["id"].to_string()), ("do", button)];
        assert_eq!(site.post_form("/plan/entry", &page, &form(&fields)).status, 303, "{button}");
        site.get("/plan").body
    };
    assert!(press("done").contains("<s><bdi>Sail to Orla</bdi></s>"));
    let reopened = press("reopen");
    assert!(reopened.contains("<bdi>Sail to Orla</bdi>") && !reopened.contains("<s><bdi>Sail"), "{reopened}");
    assert!(!press("delete").contains("Sail to Orla"));
}
