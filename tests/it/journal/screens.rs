//! The screens of `journal extract` on a terminal, and the events that they are drawn from.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use aha_journal::Plan;
use aha_journal::events::PhaseEvent;
use aha_radar::config::Config;
use aha_radar::journal::drafts;
use aha_radar::journal::phases::{MADE_BY, ModelAccess};
use aha_radar::services::database::{self, Absent};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use super::Notes;
use super::models::notes;
use crate::support::exchanges::{Player, cases};
use crate::support::radar::finish;
use crate::support::rows;

/// Runs the command on a terminal made by `script` (util-linux).
const ON_A_TERMINAL: &str = r#"exec script -qec "stty cols 80 rows 24; exec $0 $*" /dev/null"#;

#[test]
fn a_request_that_is_under_way_is_waited_for_after_the_screens_are_left() {
    let (form, case) = cases("journal").remove(0);
    let player = Player::start();
    let notes = notes(&player, &form);
    let exchanges = case["exchanges"].as_array().unwrap();
    let mut slow = exchanges[0].clone();
    slow["after_ms"] = json!(2_000);
    player.play(&json!([slow]));
    let mut command = notes.radar.command_after(ON_A_TERMINAL, &["journal", "extract", "2026-03-02"]);
    let mut screens = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut keys = screens.stdin.take().unwrap();
    let begun = Instant::now();
    while player.asked().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "nothing was asked");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys.write_all(b"q").unwrap();
    finish(screens).exits(0).says("nothing was written").says("the model is still answering");
    drop(keys);
    assert_eq!(
        rows::query(&notes.radar, "SELECT purpose || ' ' || state FROM provider_calls"),
        ["journal_classify ok"]
    );

    player.play(&Value::from(exchanges[1..].to_vec()));
    notes.radar.run(&["journal", "extract", "2026-03-02", "--json"]).exits(0);
    player.is_through("the classification is stored");
}

#[test]
fn a_block_that_the_model_did_not_reword_is_reported_as_not_written() {
    let (form, case) = cases("journal").remove(0);
    let player = Player::start();
    let notes = notes(&player, &form);
    let busy = json!({ "task": "journal_reword", "status": 503, "body": { "error": { "message": "busy" } } });
    player.play(&json!([case["exchanges"][0], busy]));
    let events = rows::block_on(|| events(&notes));
    player.is_through(&form);
    let targets_found = |event: &PhaseEvent| match event {
        PhaseEvent::TargetsFound(block) => Some((block.apply, block.note.clone().unwrap_or_default())),
        _ => None,
    };
    let found: Vec<(bool, String)> = events.iter().filter_map(targets_found).collect();
    assert_eq!(found, vec![(false, "it was not reworded".to_owned()); 3], "{events:?}");
}

/// Makes a plan of the day in this process, and returns the events.
async fn events(notes: &Notes) -> Vec<PhaseEvent> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let settings = [
        ("AHA_NOW", "2026-03-03T08:00:00Z".to_owned()),
        ("DATABASE_URL", notes.radar.database_url()),
        ("AHA_JOURNAL_GRAPH", text(&notes.path(""))),
        ("AHA_LLM_CONFIG", text(&notes.radar.folder().join("models.yaml"))),
        ("MODEL_KEY", "sk-exchanges-0123456789".to_owned()),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value));
    let app = database::open(Config::from_pairs(settings.into_iter()).unwrap(), Absent::Create).await.unwrap();
    let journal = drafts::open(&app).unwrap();
    let (days, index) = (journal.days(Some("2026-03-02")).unwrap(), journal.index().unwrap());
    let access = ModelAccess::of(&app, app.config().budget_tier, false);
    let (sender, mut received) = unbounded_channel();
    let plan = Plan::new(journal.graph.root(), MADE_BY);
    Box::pin(access.extract(&days, (&index, journal.graph.unit()), plan, &sender)).await.unwrap();
    drop(sender);
    let mut events = Vec::new();
    while let Some(event) = received.recv().await {
        events.push(event);
    }
    events
}
