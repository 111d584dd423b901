//! Counts over many disturbances, and the one place that judges what became of each.

use std::collections::BTreeMap;
use std::io::Write as _;

use super::harness::{Outcome, Setup};
use crate::support::radar::{Radar, Ran};
use crate::support::rows;

/// Rows and files that only one side has; a changed row counts on both.
type Differences = (Vec<String>, Vec<String>);

#[derive(Debug, Default)]
pub struct Tally {
    what: String,
    rounds: u32,
    /// Rounds in which the disturbance came while the process was at work.
    struck: u32,
    /// Rows of an undisturbed run that are missing.
    lost: usize,
    /// Rows that an undisturbed run does not have.
    doubled: usize,
    /// Runs that do not end, or leave a lease, an attempt or themselves open; or were committed twice.
    stuck: u32,
    damaged: u32,
    /// Digests and files that are not those of an undisturbed run.
    different: u32,
    /// Each round in which any of these was found.
    harm: Vec<String>,
}

impl Tally {
    pub fn of(what: &str, setup_or_engine: impl std::fmt::Debug) -> Self {
        Self { what: format!("{what} on {setup_or_engine:?}"), ..Self::default() }
    }

    pub fn struck(&mut self, struck: bool) {
        self.struck += u32::from(struck);
    }

    /// Compares with an undisturbed run what the last process left, which has to have ended well.
    pub fn compare(&mut self, setup: Setup, radar: &Radar, end: &Ran, what: &str) {
        self.rounds += 1;
        let ended_badly = end.code != Some(0);
        let left = "SELECT (SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL)
                         + (SELECT count(*) FROM run_attempts WHERE outcome = 'running')
                         + (SELECT count(*) FROM runs WHERE status <> 'done')";
        let left_open = rows::number(radar, left) > 0;
        let damage = rows::damage(radar);
        let expected = &setup.undisturbed().outcome;
        let found = Outcome::of(radar);
        let (mut lost, mut doubled) = (Vec::new(), Vec::new());
        for (table, rows) in &expected.tables {
            let here = found.tables.get(table).map_or(&[][..], Vec::as_slice);
            let (missing, more) = differences(table, rows, here);
            lost.extend(missing);
            doubled.extend(more);
        }
        let different = found.digest != expected.digest || found.files != expected.files;
        self.lost += lost.len();
        self.doubled += doubled.len();
        self.stuck += u32::from(ended_badly || left_open);
        self.damaged += u32::from(!damage.is_empty());
        self.different += u32::from(different);
        if ended_badly || left_open || different || !(damage.is_empty() && lost.is_empty() && doubled.is_empty()) {
            self.harm.push(format!(
                "{setup:?} {what}: ended badly {ended_badly}, left open {left_open}, digest or files differ {different}, \
                 damage {damage:?}, lost {}, doubled {}, failed sources {:?}, the last process: {end:#?}",
                first_of(&lost),
                first_of(&doubled),
                rows::query(radar, "SELECT url || ': ' || last_error FROM sources WHERE last_error IS NOT NULL"),
            ));
        }
    }

    /// A run that was committed more often than once.
    pub fn committed_twice(&mut self, radar: &Radar, what: &str) {
        let twice = "SELECT run_id FROM run_attempts WHERE outcome = 'done' GROUP BY run_id HAVING count(*) > 1";
        if !rows::query(radar, twice).is_empty() {
            self.harm.push(format!("{what}: committed twice {:#?}", rows::table(radar, "run_attempts", &[])));
            self.stuck += 1;
        }
    }

    /// Reports to `scripts/kill.sh`, and fails unless all is as it would be undisturbed.
    #[track_caller]
    pub fn close(self) {
        let line = format!(
            "{}: {} rounds, {} struck at work, {} items lost, {} doubled, {} runs stuck or committed twice, {} integrity checks failed, {} digests differ",
            self.what, self.rounds, self.struck, self.lost, self.doubled, self.stuck, self.damaged, self.different
        );
        report(&line);
        assert!(self.rounds > 0 && self.struck > 0, "{line}");
        assert!(self.harm.is_empty(), "{line}\n{}", self.harm.join("\n"));
    }
}

/// Enough rows to recognise what happened by, and their number.
fn first_of(rows: &[String]) -> String {
    format!("{} {:#?}", rows.len(), &rows[..rows.len().min(3)])
}

/// Hands a line to `scripts/kill.sh`.
pub fn report(line: &str) {
    if let Ok(file) = std::env::var("AHA_KILL_REPORT") {
        let mut report = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
        writeln!(report, "{line}").unwrap();
    }
}

pub fn differences(table: &str, expected: &[String], found: &[String]) -> Differences {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for row in expected {
        *counts.entry(row).or_default() += 1;
    }
    for row in found {
        *counts.entry(row).or_default() -= 1;
    }
    let of = |wanted: fn(i64) -> bool| {
        counts.iter().filter(|(_, count)| wanted(**count)).map(|(row, _)| format!("{table}: {row}")).collect()
    };
    (of(|count| count > 0), of(|count| count < 0))
}

/// How many rounds `scripts/kill.sh` wants, else a few.
pub fn rounds(setting: &str, usual: u32) -> u32 {
    std::env::var(setting).ok().map_or(usual, |text| text.parse().unwrap())
}

/// The same for the same `AHA_TEST_SEED`.
pub fn seed() -> u64 {
    std::env::var("AHA_TEST_SEED").ok().map_or(u64::from(std::process::id()), |seed| seed.parse().unwrap())
}
