//! Storage that fails in the middle of a run. SQLite: the disk is full after so many pages; with room again, the next
//! run goes on. Postgres: the connection is cut, at any byte, or so that a COMMIT or its answer is lost; the same
//! process goes on. `AHA_FAULTS` says how many, `AHA_TEST_SEED` which.

use super::comparison::{Tally, rounds, seed};
use super::harness::{Kind, Setup};
use super::on_both_databases;
use crate::support::feeds::Random;
use crate::support::proxy::{Cut, Proxy};
use crate::support::radar::{Engine, Radar, Ran, finish};
use crate::support::rows;

fn a_run_whose_storage_fails_goes_on_when_it_is_back(engine: Engine) {
    let seed = seed();
    let mut random = Random(seed);
    let mut tally = Tally::of("storage fault", engine);
    let measures = [Kind::Window, Kind::Cursor].map(|kind| Measure::of(Setup { kind, engine }));
    for round in 0..rounds("AHA_FAULTS", 8) {
        let measure = &measures[usize::try_from(round % 2).unwrap()];
        let radar = measure.setup.radar();
        let (struck, last, what) = measure.disturb(&radar, &mut random);
        tally.struck(struck);
        tally.compare(measure.setup, &radar, &last, &format!("{what}, round {round}, AHA_TEST_SEED={seed}"));
    }
    tally.close();
}

/// How much an undisturbed run writes or sends.
struct Measure {
    setup: Setup,
    pages: u64,
    bytes: u64,
    commits: u64,
}

impl Measure {
    fn of(setup: Setup) -> Self {
        let radar = setup.radar();
        if setup.engine == Engine::Sqlite {
            finish(setup.start(&radar, &[])).exits(0);
            let pages = rows::query(&radar, "SELECT CAST(page_count AS TEXT) FROM pragma_page_count").concat();
            return Self { setup, pages: pages.parse().unwrap(), bytes: 0, commits: 0 };
        }
        let proxy = Proxy::to(&radar.database_url());
        finish(setup.start(&radar, &[("DATABASE_URL", proxy.url())])).exits(0);
        let (bytes, commits) = proxy.passed();
        Self { setup, pages: 0, bytes, commits }
    }

    /// Whether the fault came about, the process that was the last to be needed, and what was done.
    fn disturb(&self, radar: &Radar, random: &mut Random) -> (bool, Ran, String) {
        match self.setup.engine {
            Engine::Sqlite => self.fill_the_disk(radar, random),
            Engine::Postgres => self.cut_the_connection(radar, random),
        }
    }

    fn fill_the_disk(&self, radar: &Radar, random: &mut Random) -> (bool, Ran, String) {
        // How many pages a run needs varies by how its commits are grouped: near the end the disk may just suffice.
        let pages = random.below(self.pages * 9 / 10) + 1;
        let full = finish(self.setup.start(radar, &[("AHA_SQLITE_MAX_PAGES", &pages.to_string())]));
        let full = full.exits(1).says("the disk with the database is full").says("free some space");
        let last = finish(self.setup.start(radar, &[]));
        (full.code == Some(1), last, format!("full at page {pages} of {}", self.pages))
    }

    fn cut_the_connection(&self, radar: &Radar, random: &mut Random) -> (bool, Ran, String) {
        let cut = match random.below(3) {
            0 => Cut::AtByte(random.below(self.bytes) + 1),
            1 => Cut::BeforeCommit(random.below(self.commits) + 1),
            _ => Cut::AfterCommit(random.below(self.commits) + 1),
        };
        let proxy = Proxy::to(&radar.database_url());
        proxy.cut(cut);
        let last = finish(self.setup.start(radar, &[("DATABASE_URL", proxy.url())]));
        (proxy.was_cut(), last, format!("{cut:?} of {} bytes and {} commits", self.bytes, self.commits))
    }
}

on_both_databases!(a_run_whose_storage_fails_goes_on_when_it_is_back);
