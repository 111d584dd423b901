//! Leases that are lost: a holder is frozen, its lease runs out, another process takes over, and the first one wakes.
//! On Postgres its connections may be ended as well. `AHA_LOSSES` says how many, `AHA_TEST_SEED` which.
//!
//! That the lease has run out is written into its row: nobody waits for the clock.

use std::process::Child;

use super::comparison::{Tally, rounds, seed};
use super::harness::{Kind, Setup};
use super::on_both_databases;
use crate::support::feeds::Random;
use crate::support::radar::{Engine, Radar, Ran, finish, signal, stands_still};
use crate::support::rows;

/// One that ended before it came to its point has given its lease back.
const RUN_OUT: &str = "UPDATE topics SET lease_expires_at = 0 WHERE lease_holder IS NOT NULL";
const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND application_name = 'aha-radar'";

/// A process that is to freeze at a failpoint.
struct Sleeper {
    child: Child,
    /// Else it ended without coming there, as one that finds everything done.
    frozen: bool,
}

impl Sleeper {
    fn at(failpoint: &str, setup: Setup, radar: &Radar) -> Self {
        let settings = [("AHA_FAILPOINT", failpoint), ("AHA_FAILPOINT_SIGNAL", "STOP")];
        let mut child = setup.start(radar, &settings);
        let frozen = stands_still(&mut child);
        Self { child, frozen }
    }

    fn wake(self) -> Ran {
        if self.frozen {
            signal(&self.child, "CONT");
        }
        finish(self.child)
    }
}

/// A failpoint that is passed while the lease is held. A transaction that stands still keeps SQLite's file locked, so
/// there `in_a_commit` is for Postgres alone; and no fetch is chosen, since looks are stored while others are under
/// way.
fn point_under_the_lease(setup: Setup, random: &mut Random, in_a_commit: bool) -> String {
    let passes = &setup.undisturbed().passes;
    let place = |wanted: &str| passes.iter().position(|(name, _)| name == wanted).unwrap();
    let held = &passes[place("acquire_lease.after_commit")..place("release_lease.before_commit")];
    let wanted: Vec<_> = held
        .iter()
        .filter(|(name, _)| !name.starts_with("renew_lease") && (in_a_commit || !name.ends_with("before_commit")))
        .filter(|(name, _)| setup.engine == Engine::Postgres || !name.starts_with("fetch."))
        .collect();
    let (name, hits) = wanted[usize::try_from(random.below(wanted.len() as u64)).unwrap()];
    format!("{name}:{}", random.below(u64::from(*hits)) + 1)
}

fn a_run_that_changes_hands_is_committed_once(engine: Engine) {
    let setup = Setup { kind: Kind::Cursor, engine };
    let seed = seed();
    let mut random = Random(seed);
    let mut tally = Tally::of("lease lost", setup);
    for round in 0..rounds("AHA_LOSSES", 6) {
        let radar = setup.radar();
        let point = point_under_the_lease(setup, &mut random, engine == Engine::Postgres);
        let first = Sleeper::at(&point, setup, &radar);
        let cut = engine == Engine::Postgres && (point.contains("before_commit") || random.below(2) == 0);
        if cut {
            rows::execute(&radar, CUT);
        }
        // Another of its tasks may have been frozen in a transaction, which on SQLite keeps everybody else from
        // writing.
        let ran_out = rows::execute_unless_locked(&radar, RUN_OUT);
        tally.struck(first.frozen && ran_out);
        let overlapping = ran_out && round % 2 == 1;
        let what =
            format!("frozen at {point}, cut {cut}, overlapping {overlapping}, round {round}, AHA_TEST_SEED={seed}");
        let (first, second) = if !ran_out {
            (first.wake(), finish(setup.start(&radar, &[])))
        } else if overlapping {
            let second = Sleeper::at(&point_under_the_lease(setup, &mut random, false), setup, &radar);
            (first.wake(), second.wake())
        } else {
            let second = finish(setup.start(&radar, &[]));
            (first.wake(), second)
        };
        assert!(matches!(first.code, Some(0 | 1)), "{what}: {first:#?}");
        tally.compare(setup, &radar, &second, &what);
        tally.committed_twice(&radar, &what);
    }
    tally.close();
}

/// On Postgres a holder in the middle of a commit keeps its row locked; on SQLite, the file.
fn a_holder_frozen_in_a_commit_is_waited_for_and_named(engine: Engine) {
    let setup = Setup { kind: Kind::Cursor, engine };
    let radar = setup.radar();
    // The last of the fetches: one that is under way would run out of its time while the process is frozen.
    let (_, fetches) =
        setup.undisturbed().passes.iter().find(|(name, _)| name == "commit_fetch.before_commit").unwrap();
    let first = Sleeper::at(&format!("commit_fetch.before_commit:{fetches}"), setup, &radar);
    assert!(first.frozen);
    let second = radar.run(&["--run-once"]).exits(1);
    match engine {
        Engine::Postgres => {
            assert!(!second.stderr.contains("locked"), "{second:#?}");
            second.says("is being run by").says(&format!("pid:{}", first.child.id()))
        }
        Engine::Sqlite => second.says("the database is locked by another program"),
    };
    let mut tally = Tally::of("frozen in a commit", setup);
    tally.struck(true);
    let first = first.wake();
    tally.compare(setup, &radar, &first, "frozen in a commit");
    tally.close();
}

on_both_databases!(a_run_that_changes_hands_is_committed_once, a_holder_frozen_in_a_commit_is_waited_for_and_named);
