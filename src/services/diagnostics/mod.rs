//! Diagnostics: the settings, what is wrong with them, and how to fix it.

mod daemon;
mod memory;
mod models;
mod overcharges;
mod scores;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use aha_content::numbers::{count, times};
use aha_core::failures::{Failure, group_failures};
use aha_core::fetch::FetchErrorKind;
use aha_core::ids::SourceId;
use aha_core::run::{AttemptOutcome, unwritten_files};
use aha_core::schedule::Schedule;
use aha_core::shell;
use aha_core::source::SourceHealth;
use aha_core::topic::{Topic, topic_option};
use aha_store::{OpenMode, SchemaVersion, SharedStore, SourceChange, StoreError, latest_lease_end};
use serde::Serialize;

use super::{Result, accounts};
use crate::config::Config;
use crate::digest::{all_sources_failed, gaps_line, header_line};
use crate::pipeline::due::overdue;
use crate::pipeline::lease_owner::LeaseOwner;
use crate::pipeline::runner::check_cursor;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Ok,
    Note,
    Wrong,
}

impl Level {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Wrong => "wrong",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub level: Level,
    pub what: &'static str,
    pub text: String,
}

#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, what: &'static str, text: impl Into<String>) {
        self.0.push(Finding { level: Level::Ok, what, text: text.into() });
    }

    fn note(&mut self, what: &'static str, text: impl Into<String>) {
        self.0.push(Finding { level: Level::Note, what, text: text.into() });
    }

    fn wrong(&mut self, what: &'static str, text: impl Into<String>) {
        self.0.push(Finding { level: Level::Wrong, what, text: text.into() });
    }
}

/// Gathers all findings about an installation: its settings (keys masked), its daemon, its database and its content. That
/// the database cannot be opened or read is a finding, too.
pub async fn gather(config: &Config) -> Vec<Finding> {
    let mut findings = Findings::default();
    settings(config, &mut findings);
    models::weights(config, &mut findings).await;
    models::sentences(config, &mut findings).await;
    output_dir(&config.output_dir, &mut findings);
    daemon::status(config, &mut findings).await;
    journal(config, &mut findings);
    match open(config).await {
        Ok(Opened::Earlier(version)) => earlier_schema(config, &version, &mut findings),
        Ok(Opened::Current(store)) => {
            if let Err(error) = content(&store, config, &mut findings).await {
                findings.wrong("database", format!("{error}. What follows in this report was not examined"));
            }
        }
        Err(error) => findings.wrong("database", error.to_string()),
    }
    findings.0
}

/// Examines what is in the database.
///
/// # Errors
/// When the database opened and fails now.
async fn content(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    database(store, config, findings).await;
    listen(store, config, findings).await?;
    search_index(store, findings).await?;
    topics(store, config, findings).await?;
    models::ledger(store, config, findings).await?;
    overcharges::calls(store, findings).await?;
    scores::drift(store, findings).await
}

/// The database, which is not migrated here: an earlier version of the program could not open it afterwards.
enum Opened {
    Current(SharedStore),
    Earlier(SchemaVersion),
}

async fn open(config: &Config) -> std::result::Result<Opened, StoreError> {
    let url = config.database_url.as_str();
    let version = aha_store::schema_version(url).await?;
    let is_known = (1..=version.known).contains(&version.applied) && version.changed.is_none();
    if is_known && !version.pending.is_empty() {
        return Ok(Opened::Earlier(version));
    }
    Ok(Opened::Current(aha_store::open(url, OpenMode::MustExist).await?))
}

fn earlier_schema(config: &Config, version: &SchemaVersion, findings: &mut Findings) {
    let SchemaVersion { applied, known, pending, .. } = version;
    let migrations = count(pending.len(), "migration is", "migrations are");
    findings.note(
        "database",
        format!(
            "{} has schema version {applied}, this program's is {known}: {migrations} pending. They are applied at the \
             first start, or by `aha-radar migrate`; make a backup first, because earlier versions do not open the \
             database afterwards. What is in it is examined only then",
            config.database_url
        ),
    );
}

/// Reports a server that would not start, because others could reach it and nobody could sign in.
async fn listen(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    if let Some(why) = accounts::why_unprotected_with(config, store).await? {
        findings.wrong("listen", format!("`daemon` and `serve` do not start: {why}"));
    }
    Ok(())
}

async fn search_index(store: &SharedStore, findings: &mut Findings) -> Result<()> {
    match store.oldest_unindexed().await? {
        None => findings.ok("index", "the index of searches and questions is complete"),
        Some(since) => findings.note(
            "index",
            format!(
                "the index of searches and questions is incomplete or of an earlier version: what was added since \
                 {since} may not be found; `aha-radar reindex` rebuilds it"
            ),
        ),
    }
    Ok(())
}

fn journal(config: &Config, findings: &mut Findings) {
    if let Some(graph) = config.journal.missing_graph() {
        let next = "name the folder of your notes, or unset it";
        findings.wrong("journal", format!("AHA_JOURNAL_GRAPH: there is no folder {}; {next}", graph.display()));
    }
}

/// Reports whether the opened database can be written: one that cannot is opened for reading.
async fn database(store: &SharedStore, config: &Config, findings: &mut Findings) {
    // No source has this id, so the write changes nothing.
    let unknown = SourceId::of(&["a source of doctor"]);
    match store.change_source(unknown, SourceChange::default()).await {
        Ok(()) | Err(StoreError::NotFound { .. }) => findings
            .ok("database", format!("{} opens, can be written and has this program's schema", config.database_url)),
        Err(error) => findings.wrong("database", format!("{} opens, but {error}", config.database_url)),
    }
}

/// Returns the settings, with keys masked: the part of the diagnostics that needs neither database nor network.
#[must_use]
pub fn masked_settings(config: &Config) -> Vec<Finding> {
    let mut findings = Findings::default();
    settings(config, &mut findings);
    findings.0
}

fn settings(config: &Config, findings: &mut Findings) {
    findings.ok("version", env!("CARGO_PKG_VERSION"));
    match &config.dot_env {
        Some(path) => findings.ok("settings", format!("read from the environment and {}", path.display())),
        None => findings.ok("settings", "read from the environment; there is no .env in the current folder"),
    }
    for unknown in &config.unknown {
        findings.wrong("settings", unknown.to_string());
    }
    findings.ok(
        "schedule",
        format!(
            "{} ({}) in {} (AHA_SCHEDULE, AHA_TIMEZONE)",
            config.schedule.in_words(),
            config.schedule,
            config.timezone
        ),
    );
    models::settings(config, findings);
    findings.ok(
        "partial",
        format!(
            "a digest is partial if {} % of its sources or more could not be read (AHA_PARTIAL_FROM), or one that had items in the last digest",
            config.partial_from_percent
        ),
    );
    findings.ok(
        "fetching",
        format!(
            "{} at a time, {} ms between requests to a host",
            count(config.fetch.concurrency, "source", "sources"),
            config.fetch.host_gap.as_millis()
        ),
    );
    if let Some(search) = &config.sources.search {
        findings.ok("search", format!("sources signal:WORDS ask {}", search.host()));
    }
    if config.fetch.proxy.is_some() {
        findings.note(
            "fetching",
            "sources are asked through AHA_FETCH_PROXY, which has to refuse private addresses itself",
        );
    }
    if !config.fetch.allow.is_empty() {
        let allowed = count(
            config.fetch.allow.len(),
            "private host or network is allowed",
            "private hosts or networks are allowed",
        );
        findings.note("fetching", format!("{allowed} by AHA_FETCH_ALLOW"));
    }
    if config.clock.is_pinned() {
        findings.note("clock", format!("AHA_NOW pins the time to {}; unset it outside of tests", config.clock.now()));
    }
    if !config.listen.ip().is_loopback() {
        findings.note("listen", format!("{} can be reached from other machines; it asks who they are", config.listen));
    }
}

fn output_dir(path: &Path, findings: &mut Findings) {
    let shown = path.display();
    // The existing part of the path: the folder itself, or the one in which it would be created.
    let path = Path::new(".").join(path);
    let found = path.ancestors().find_map(|folder| Some((folder, std::fs::metadata(folder).ok()?)));
    match found {
        Some((folder, found)) if !found.is_dir() || !is_writable(folder) => {
            let text = format!(
                "{shown} is no folder that can be written; set AHA_OUTPUT_DIR to one, or make room on its disk"
            );
            findings.wrong("output", text);
        }
        Some((folder, _)) if folder == path => findings.ok("output", format!("digests go to {shown}")),
        _ => findings.note("output", format!("{shown} does not exist; the next run creates it")),
    }
}

/// Returns whether a file can be written in the folder: its permissions do not say whether they are this user's, or
/// whether its disk is full.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".aha-radar-doctor-{}", std::process::id()));
    let written = File::create_new(&probe).and_then(|mut file| file.write_all(&[b'\n'; 4096]));
    let removed = std::fs::remove_file(&probe);
    written.and(removed).is_ok()
}

async fn topics(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    let topics = store.topics().await?;
    if topics.is_empty() {
        findings.note("topics", "there is none yet; `aha-radar init` makes the first");
    }
    for topic in topics {
        let name = &topic.name;
        if topic.interests.trim().is_empty() {
            let command = shell::topic_set(name, "--interests \"…\"");
            findings.note("interests", format!("topic {name:?} has none; set them with `{command}`"));
        }
        let zone = topic.timezone.as_deref().unwrap_or(config.timezone.name());
        if zone.parse::<chrono_tz::Tz>().is_err() {
            findings.wrong("time zone", format!("topic {name:?} has the unknown zone {zone:?}"));
        }
        schedule(&topic, zone, findings);
        if let Err(error) = check_cursor(&topic, config.clock.now()) {
            findings.wrong("run", error.to_string());
        }
        sources(store, &topic, findings).await?;
        lease(store, &topic, config, findings).await?;
        attempts(store, &topic, findings).await?;
        memory::search(store, &topic, config.clock.now(), findings).await?;
        if let Some(late) = overdue(store, config, &topic, config.clock.now()).await? {
            let last = late.last_success.map_or_else(|| "never".to_owned(), |at| format!("last at {at}"));
            findings.wrong("run", format!("no run of topic {name:?} succeeded within AHA_ALERT_HOURS ({last})"));
        }
    }
    Ok(())
}

/// Reports the topic's own schedule as the daemon reads it.
fn schedule(topic: &Topic, zone: &str, findings: &mut Findings) {
    let Some(text) = &topic.schedule else { return };
    let name = &topic.name;
    match Schedule::parse(text) {
        Ok(schedule) => {
            findings.ok("schedule", format!("topic {name:?}: {} ({schedule}) in {zone}", schedule.in_words()));
        }
        Err(error) => {
            let command = shell::topic_set(name, "--schedule \"0 7 * * *\"");
            let text = format!("the daemon does not run topic {name:?}: {error}; set another with `{command}`");
            findings.wrong("schedule", text);
        }
    }
}

async fn sources(store: &SharedStore, topic: &Topic, findings: &mut Findings) -> Result<()> {
    let sources = store.sources(topic.id).await?;
    let enabled = sources.iter().filter(|source| source.enabled).count();
    if enabled == 0 {
        findings.wrong(
            "sources",
            format!(
                "topic {:?} has no enabled source; add one with `aha-radar source add URL{}`",
                topic.name,
                topic_option(&topic.name)
            ),
        );
    } else {
        let which = match sources.len() {
            1 => "one source, which is enabled".to_owned(),
            all if all == enabled => format!("{all} sources, all enabled"),
            all => format!("{all} sources, {enabled} of them enabled"),
        };
        findings.ok("sources", format!("topic {:?} has {which}", topic.name));
    }
    let failing = || sources.iter().filter(|s| matches!(s.health, SourceHealth::Failing | SourceHealth::Gone));
    let failures = failing().map(|source| Failure {
        url: &source.url,
        kind: source.last_error_kind.map_or("", FetchErrorKind::as_str),
        reason: source.last_error.as_deref().unwrap_or("no reason was recorded"),
    });
    for group in group_failures(failures) {
        let most = failing().filter(|s| group.urls.contains(&s.url.as_str())).map(|s| s.consecutive_failures).max();
        let failed = match most.and_then(|most| u64::try_from(most).ok()).unwrap_or_default() {
            0 | 1 => "failed".to_owned(),
            n if group.urls.len() == 1 => format!("failed {} in a row", times(n)),
            n => format!("failed up to {} in a row", times(n)),
        };
        let what = match group.urls.len() {
            1 => group.names(),
            n => format!("{n} sources ({})", group.names()),
        };
        findings.wrong("source", format!("{what} {failed}: {}", group.reason));
    }
    Ok(())
}

/// Reports a lease that ends later than an owner sets it, and so counts as expired.
async fn lease(store: &SharedStore, topic: &Topic, config: &Config, findings: &mut Findings) -> Result<()> {
    let latest = latest_lease_end(config.clock.wall());
    if let Some((owner, end)) = store.lease_end(topic.id).await?.filter(|(_, end)| *end > latest) {
        let (name, owner) = (&topic.name, LeaseOwner::short(&owner));
        findings.note(
            "lease",
            format!(
                "topic {name:?} is held by {owner} until {end}, which only a wrong clock can have set: the lease \
                 counts as expired, and the next run takes the topic over. Check the clocks of that machine and of this"
            ),
        );
    }
    Ok(())
}

async fn attempts(store: &SharedStore, topic: &Topic, findings: &mut Findings) -> Result<()> {
    let me = LeaseOwner::current();
    for (run, attempts) in store.runs(Some(topic.id), 5).await? {
        let window = run.window;
        if let Some(why) = unwritten_files(&attempts) {
            findings.note("files", format!("{window}: {why}"));
        }
        let Some(last) = attempts.last().filter(|_| !run.done) else { continue };
        if last.outcome == AttemptOutcome::Running && !me.is_dead(&last.owner) {
            findings.note("run", format!("{window} is being run by {}", last.owner));
        } else {
            let why = last.error.as_deref().unwrap_or("its process ended");
            let again = format!("aha-radar run{} --window {window}", topic_option(&topic.name));
            let text = format!(
                "{window} is unfinished ({why}); the topic's next run continues it, or if it was started with a window \
                 of its own, `{again}`"
            );
            findings.note("run", text);
        }
    }
    let latest = store.latest_digest(topic.id).await?;
    if let Some(digest) = latest.as_ref().filter(|digest| all_sources_failed(digest)) {
        findings.wrong("digest", format!("the latest of topic {:?} is empty. {}", topic.name, header_line(digest)));
    } else if let Some(gaps) = latest.as_ref().and_then(gaps_line) {
        findings.note("digest", format!("the latest of topic {:?} lacks something: {gaps}", topic.name));
    }
    Ok(())
}
