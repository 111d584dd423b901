//! Kills at every stage, claim, commit and send: at each failpoint that an undisturbed run passes.

use super::comparison::{Tally, rounds};
use super::harness::{Kind, Setup, stages, stages_killed_repeatedly};
use super::on_both_databases;
use crate::support::radar::{Engine, finish};
use crate::support::rows;

fn survives_everywhere(setup: Setup) {
    let mut tally = Tally::of("killed at every failpoint", setup);
    for failpoint in points(setup) {
        let radar = setup.killed_at(&failpoint);
        tally.struck(true);
        let last = finish(setup.start(&radar, &[]));
        tally.compare(setup, &radar, &last, &failpoint);
    }
    tally.close();
}

/// The first pass of each failpoint; with `AHA_MIDDLES`, as `scripts/kill.sh` sets it, also one in the middle of those
/// that are passed again and again. How often a lease is renewed depends on the machine.
fn points(setup: Setup) -> Vec<String> {
    let passes = &setup.undisturbed().passes;
    let with_middles = rounds("AHA_MIDDLES", 0) > 0;
    let middle = passes
        .iter()
        .filter(|(name, hits)| with_middles && *hits > 2 && !name.starts_with("renew_lease"))
        .map(|(name, hits)| format!("{name}:{}", hits / 2 + 1));
    passes.iter().map(|(name, _)| name.clone()).chain(middle).collect()
}

fn a_window_run_killed_at_any_point_is_continued(engine: Engine) {
    survives_everywhere(Setup { kind: Kind::Window, engine });
}

fn a_cursor_run_killed_at_any_point_is_continued(engine: Engine) {
    survives_everywhere(Setup { kind: Kind::Cursor, engine });
}

/// What the tests above go by is found out, so this says what has to be among it.
fn every_stage_claim_commit_and_send_is_a_point(engine: Engine) {
    let cursor = Setup { kind: Kind::Cursor, engine };
    let names: Vec<&str> = cursor.undisturbed().passes.iter().map(|(name, _)| name.as_str()).collect();
    let operations = [
        "ensure_topic",
        "add_sources",
        "acquire_lease",
        "renew_lease",
        "release_lease",
        "open_run",
        "begin_attempt",
        "record_stage",
        "commit_fetch",
        "pin_snapshot",
        "assign_items",
        "commit_embeddings",
        "commit_duplicates",
        "commit_clusters",
        "reserve_call",
        "settle_call",
        "commit_digest",
    ];
    for operation in operations {
        for place in ["before_commit", "after_commit"] {
            let name = format!("{operation}.{place}");
            assert!(names.contains(&name.as_str()), "{name} is not among {names:?}");
        }
    }
    for name in stages().chain(["fetch.before_send", "fetch.after_send"]) {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

fn a_run_killed_again_and_again_gets_there_in_the_end(engine: Engine) {
    let setup = Setup { kind: Kind::Cursor, engine };
    let radar = setup.radar();
    for failpoint in stages_killed_repeatedly() {
        setup.kill(&radar, failpoint);
    }
    let mut tally = Tally::of("killed at stage after stage", setup);
    tally.struck(true);
    let last = finish(setup.start(&radar, &[]));
    tally.compare(setup, &radar, &last, "killed at every stage");
    tally.close();
    let attempts = rows::number(&radar, "SELECT count(*) FROM run_attempts WHERE outcome = 'lost'");
    assert_eq!(usize::try_from(attempts).unwrap(), stages_killed_repeatedly().count());
}

fn a_run_killed_yesterday_is_finished_before_todays(engine: Engine) {
    const TOMORROW: &str = "2026-11-18T07:00:00Z";
    let setup = Setup { kind: Kind::Cursor, engine };
    let mut undisturbed = setup.radar();
    finish(setup.start(&undisturbed, &[])).exits(0);
    undisturbed.set("AHA_NOW", TOMORROW);
    finish(setup.start(&undisturbed, &[])).exits(0);
    for failpoint in ["triage", "commit_digest.before_commit", "commit_digest.after_commit"] {
        let mut radar = setup.killed_at(failpoint);
        radar.set("AHA_NOW", TOMORROW);
        finish(setup.start(&radar, &[])).exits(0);
        assert_eq!(radar.digest(), undisturbed.digest(), "{failpoint}");
        for (table, without) in [("topic_items", &[][..]), ("digest_items", &[]), ("digests", &["created_at"])] {
            let rows = |radar| rows::table(radar, table, without);
            assert_eq!(rows(&radar), rows(&undisturbed), "{failpoint}: {table}");
        }
        assert_eq!(radar.files(), undisturbed.files(), "{failpoint}");
    }
}

on_both_databases!(
    a_window_run_killed_at_any_point_is_continued,
    a_cursor_run_killed_at_any_point_is_continued,
    every_stage_claim_commit_and_send_is_a_point,
    a_run_killed_again_and_again_gets_there_in_the_end,
    a_run_killed_yesterday_is_finished_before_todays,
);
