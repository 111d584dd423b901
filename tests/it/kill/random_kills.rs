//! Kills at moments that nobody chose. `AHA_KILLS` says how many, `AHA_TEST_SEED` which.

use std::time::Duration;

use super::comparison::{Tally, rounds, seed};
use super::harness::{Kind, Setup};
use super::on_both_databases;
use crate::support::feeds::Random;
use crate::support::radar::{Engine, finish};

fn a_run_killed_at_any_moment_is_continued(engine: Engine) {
    let seed = seed();
    let mut random = Random(seed);
    let mut tally = Tally::of("killed at a random moment", engine);
    for round in 0..rounds("AHA_KILLS", 12) {
        let kind = [Kind::Window, Kind::Cursor][usize::try_from(round % 2).unwrap()];
        let setup = Setup { kind, engine };
        let took = u64::try_from(setup.undisturbed().took.as_millis()).unwrap();
        let radar = setup.radar();
        let mut child = setup.start(&radar, &[]);
        let delay = Duration::from_millis(random.below(took.max(1)));
        std::thread::sleep(delay);
        tally.struck(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        finish(child);
        let last = finish(setup.start(&radar, &[]));
        tally.compare(setup, &radar, &last, &format!("after {delay:?}, round {round}, AHA_TEST_SEED={seed}"));
    }
    tally.close();
}

on_both_databases!(a_run_killed_at_any_moment_is_continued);
