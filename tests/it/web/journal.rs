//! The journal by forms: days, statements, pages, the diff, written, taken back; and a story that is saved to the
//! notes.

use std::fs;
use std::path::PathBuf;

use crate::support::radar::{Radar, repository};
use crate::support::site::{Reply, Site};

const NOW: &str = "2026-11-19T07:00:00Z";
const DAY: &str = "- Standup\n- Learned today that a tokio task that is dropped at an await point never runs the rest, because nothing polls it\n- Tugs pull 65 tonnes, because their engines must hold large ships against the wind\n";
const PAGE: &str = "- Cancellation\n- Executors\n\t- tokio steals work between threads";

struct Notes {
    radar: Radar,
    folder: tempfile::TempDir,
}

impl Notes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let radar = Radar::at(NOW).with("AHA_JOURNAL_STATE", folder.path().join("state").to_str().unwrap());
        let notes = Self { radar, folder };
        for (file, text) in [("logseq/config.edn", "{}"), ("journals/2026_11_18.md", DAY), ("pages/Tokio.md", PAGE)] {
            fs::create_dir_all(notes.path(file).parent().unwrap()).unwrap();
            fs::write(notes.path(file), text).unwrap();
        }
        notes
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("graph").join(file)
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// With the graph that the environment names, as `serve --graph` does.
    fn serve(&mut self) -> Site {
        let graph = self.folder.path().join("graph").to_str().unwrap().to_owned();
        self.radar.set("AHA_JOURNAL_GRAPH", &graph);
        Site::start(&mut self.radar)
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

#[track_caller]
fn next(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{}", reply.body);
    reply.headers["location"].clone()
}

#[test]
fn days_become_pages_by_forms_and_are_taken_back() {
    let mut notes = Notes::new();
    let site = notes.serve();
    let start = site.get("/journal");
    assert!(start.body.contains("value=\"2026-11-18\"") && start.body.contains("3 blocks"), "{}", start.body);
    let statements = next(&site.post_form("/journal", &start, "day=2026-11-18"));
    let page = site.get(&statements);
    assert!(
        page.body.contains("A tokio task that is dropped") && page.body.contains("name=\"keep_1\""),
        "{}",
        page.body
    );

    assert!(page.body.contains("statements, by built-in rules"), "{}", page.body);

    // A path that comes with the form is nothing that is read.
    let fields = [
        ("keep_0", "1"),
        ("text_0", "A dropped task <b>never</b> runs on."),
        ("file", "../../etc/passwd"),
        ("target_page", "../x"),
    ];
    let places = next(&site.post_form(&statements, &start, &form(&fields)));
    let page = site.get(&places);
    assert!(
        page.body.contains("A dropped task &#60;b&#62;never&#60;/b&#62; runs on.")
            || page.body.contains("A dropped task &lt;b&gt;"),
        "{}",
        page.body
    );
    assert!(page.body.contains("Tokio") && !page.body.contains("Tugs pull"), "{}", page.body);
    let diff = next(&site.post_form(&places, &start, "place_0_0=1"));
    let page = site.get(&diff);
    assert!(page.body.contains("pages/Tokio.md") && page.body.contains("class=\"added\""), "{}", page.body);
    assert_eq!(
        (notes.text("pages/Tokio.md").as_str(), notes.text("journals/2026_11_18.md").as_str()),
        (PAGE, DAY),
        "only shown"
    );

    let written = site.post_form(&diff, &start, "");
    assert!(written.body.contains("Written to Tokio."), "{}", written.body);
    assert!(notes.text("pages/Tokio.md").contains("A dropped task <b>never</b> runs on."));
    assert!(notes.text("journals/2026_11_18.md").contains("extracted-to:: [Tokio]((("));
    let again = site.post_form(&diff, &start, "");
    assert!(again.body.contains("Tokio has it already."), "{}", again.body);
    let undone = site.post_form("/journal/undo", &start, "");
    assert!(undone.body.contains("is as it was"), "{}", undone.body);
    assert_eq!((notes.text("pages/Tokio.md").as_str(), notes.text("journals/2026_11_18.md").as_str()), (PAGE, DAY));

    assert_eq!(next(&site.post_form("/journal", &start, "day=..%2F..%2Fetc")), "/journal?chosen=none");
    assert_eq!(site.get("/journal/0000000000000000").status, 404);
    let foreign = site.send(
        "POST",
        "/journal",
        &[("content-type", "application/x-www-form-urlencoded")],
        "csrf=x&day=2026-11-18",
    );
    assert_eq!(foreign.status, 403);
}

#[test]
fn a_story_is_saved_to_the_notes_the_same_way() {
    let mut notes = Notes::new();
    notes
        .radar
        .run(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"])
        .exits(0);
    let story = notes.radar.digest()["stories"][0].clone();
    let site = notes.serve();
    let address = format!("/stories/{}", story["id"].as_str().unwrap());
    let page = site.get(&address);
    assert!(page.body.contains("Save to my notes"), "{}", page.body);
    let statements = next(&site.post_form(&format!("{address}/notes"), &page, ""));
    let shown = site.get(&statements);
    assert!(shown.body.contains(story["url"].as_str().unwrap()), "{}", shown.body);
    let places = next(&site.post_form(&statements, &page, &form(&[("keep_0", "1"), ("text_0", "Worth keeping.")])));
    let shown = site.get(&places);
    let (before, _) = shown.body.split_once("A new page, Aha Radar").unwrap_or_else(|| panic!("{}", shown.body));
    let place = before.rsplit("name=\"").next().unwrap().split('"').next().unwrap().to_owned();
    let diff = next(&site.post_form(&places, &page, &format!("{place}=1")));
    let written = site.post_form(&diff, &page, "");
    assert!(written.body.contains("Written to Aha Radar."), "{}", written.body);
    assert!(notes.text("pages/Aha Radar.md").contains("- Worth keeping."));
    site.post_form("/journal/undo", &page, "");
    assert!(!notes.path("pages/Aha Radar.md").exists());
}

#[test]
fn a_day_that_is_not_utf_8_is_left_out_of_the_days() {
    let mut notes = Notes::new();
    fs::write(notes.path("journals/2026_11_17.md"), b"- Caf\xe9\n").unwrap();
    let site = notes.serve();
    let start = site.get("/journal");
    assert_eq!(start.status, 200, "{}", start.body);
    assert!(start.body.contains("value=\"2026-11-18\"") && !start.body.contains("2026-11-17"), "{}", start.body);
    let undone = site.post_form("/journal/undo", &start, "");
    assert!(undone.body.contains("There is nothing to undo."), "{}", undone.body);
}

#[test]
fn without_a_graph_there_is_no_journal_on_the_web() {
    let mut radar = Radar::at(NOW);
    let site = Site::start(&mut radar);
    let answer = site.get("/journal");
    assert_eq!(answer.status, 404);
    assert!(answer.body.contains("--graph DIR"), "{}", answer.body);
    assert!(!site.get("/plan").body.contains("/journal"));
}
